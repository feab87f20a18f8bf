/* What a person reads on a terminal goes through a pager, as git's does. */
#ifndef MP_CLI_PAGER_H
#define MP_CLI_PAGER_H

#include <signal.h>
#include <stdbool.h>

#include "cli/helper.h"

typedef struct cli_pager {
    cli_process helper;
    int terminal; /* what standard output was */
    struct sigaction interrupt, quit, pipe;
} cli_pager;

/* Where there will be a pager, have a process wait to become it: one that what this process is kept
 * from later does not hold for. Before any thread is started. */
void cli_pager_prepare(void);
/* Where standard output is a terminal and a pager can be started, standard output becomes its input
 * until cli_pager_end. What is asked of the terminal is asked before. */
void cli_pager_begin(cli_pager *pager);
/* Wait until it was read. That it was not read to its end is no error. */
void cli_pager_end(cli_pager *pager);

#endif
