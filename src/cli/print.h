/* Print answers. */
#pragma once

#include "cli/options.h"

/* Print the document to its destination. Return the exit status. */
int cli_put_document(const cli_options *options, const mp_document *document,
                     const mp_diagnostics *diagnostics);

/* Print the document and the diagnostics. Return the exit status that follows from the checks. */
int cli_put_answer(const cli_options *options, const mp_document *document,
                   const mp_diagnostics *diagnostics);
