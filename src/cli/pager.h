/* A pager for text on a terminal, like git's. */
#pragma once

#include <signal.h>

#include "cli/process.h"

typedef struct cli_pager {
    cli_process helper;
    int terminal; /* copy of the original standard output */
    struct sigaction interrupt, quit, pipe;
} cli_pager;

/* If a pager will be used, start a process that waits to become the pager. Restrictions that this
 * process accepts later do not apply to it. Call this before any thread is started. */
void cli_pager_prepare(void);
/* If standard output is a terminal and a pager can be started, connect standard output to the
 * pager, until cli_pager_end. The terminal's properties must be read before. */
void cli_pager_begin(cli_pager *pager);
/* Wait for the end of the pager. If the user did not read everything, that is not an error. */
void cli_pager_end(cli_pager *pager);
