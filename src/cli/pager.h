/* A pager for text on a terminal, like git's. */
#pragma once

#include <signal.h>

#include "cli/process.h"

typedef struct cli_pager {
    cli_process helper;
    int terminal; /* copy of the original standard output */
    struct sigaction interrupt, quit, pipe;
} cli_pager;

/* Start a process that waits to become the pager, if one will be used. Restrictions that this
 * process accepts later do not apply to it. Call it before any thread is started. */
void cli_pager_prepare(void);
/* Connect standard output to the pager until cli_pager_end, if it is a terminal and a pager can be
 * started. Query the terminal before. */
void cli_pager_begin(cli_pager *pager);
/* Wait for the end of the pager. It is not an error if the user did not read everything. */
void cli_pager_end(cli_pager *pager);
