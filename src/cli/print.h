/* Answers on their way out. */
#ifndef MP_CLI_PRINT_H
#define MP_CLI_PRINT_H

#include "cli/options.h"

/* Print the document where it belongs; gives the exit status. */
int cli_put_document(const cli_options *options, const mp_document *document,
                     const mp_diagnostics *diagnostics);

/* The same with what it complains of, and the status that it asks for. */
int cli_put_answer(const cli_options *options, const mp_document *document,
                   const mp_diagnostics *diagnostics);

#endif
