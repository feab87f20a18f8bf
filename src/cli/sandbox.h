/* Restrictions that the kernel enforces on this process. It may access only the files that it
 * needs, no network, and no other programs. */
#pragma once

#include "cli/options.h"

/* Enter the sandbox. Do this once, before any input is read. The sandbox allows the inputs and
 * outputs of the options; for folders, it allows their contents, and the targets of links in them.
 * Threads that start later are restricted too, but the pager is not. Older kernels enforce only
 * some of the restrictions. */
void cli_sandbox_enter(const cli_options *options);
/* Print the restrictions that this kernel supports. */
void cli_sandbox_tell(void);
