/* The picture of an answer, beside the answer (--chart). */
#ifndef MP_CLI_CHART_H
#define MP_CLI_CHART_H

#include "cli/options.h"

/* Return true if the picture has a file of its own. False after a message: wrong usage. */
bool cli_chart_fits(const cli_options *options);
/* Write it, where one is asked for; gives the exit status. */
int cli_put_chart(const cli_options *options, const mp_document *document,
                  const mp_diagnostics *diagnostics);

#endif
