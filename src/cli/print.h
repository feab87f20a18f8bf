/* Print answers. */
#pragma once

#include "cli/options.h"

/* Print the document to its destination. Return the exit status. */
int cli_put_document(const cli_options *options, const mp_document *document,
                     const mp_diagnostics *diagnostics);

/* Print the document and the diagnostics, and return the exit status that its checks call for. */
int cli_put_answer(const cli_options *options, const mp_document *document,
                   const mp_diagnostics *diagnostics);
