/* Limits of one run: memory and time. */
#ifndef MP_CLI_LIMITS_H
#define MP_CLI_LIMITS_H

#include "cli/options.h"

/* How much memory there is for another program: what the kernel says, and what the control groups
 * that this process is in leave of their limits. `root` is in front of all paths, "" outside of
 * tests. 0: nobody knows; where there is none, 1. */
uint64_t cli_memory_available(const char *root);

/* Hold the run to its limits: one that takes more memory gets none, and the handler of that is told
 * by cli_limits_memory_text; one that takes more time is ended with a message. */
void cli_limits_begin(const cli_options *options);
void cli_limits_end(void);
/* In a new process that is to be another program: nothing of it is held to them any more, nor
 * spared the signal of a file that grows too large. */
void cli_limits_leave(void);
/* Return the line to print if memory runs out; static. */
const char *cli_limits_memory_text(void);

#endif
