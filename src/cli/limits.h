/* Limits of one run: memory and time. */
#pragma once

#include "cli/options.h"

/* Return the number of bytes of memory that the kernel and the control groups of this process still
 * allow. `root`: prefix of all paths; it is "" except in tests. 0 = unknown; 1 = no memory is
 * left. */
uint64_t cli_memory_available(const char *root);

/* Set the limits of the run. Allocations beyond the memory limit fail; the out-of-memory handler
 * then prints cli_limits_memory_text. A run that takes too long ends with a message. */
void cli_limits_begin(const cli_options *options);
void cli_limits_end(void);
/* Remove all limits and signal settings in a new process that will become another program. */
void cli_limits_leave(void);
/* Return the line that is printed if memory runs out; static. */
const char *cli_limits_memory_text(void);
