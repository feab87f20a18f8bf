/* Restrictions that the kernel enforces on this process: only the files that it needs, no network,
 * no other programs. */
#pragma once

#include "cli/options.h"

/* Enter the sandbox, once, before any input is read. It allows the inputs and outputs of the
 * options; for folders, their contents and the targets of links in them. Threads that start later
 * are restricted too, the pager is not. Older kernels enforce only some restrictions. */
void cli_sandbox_enter(const cli_options *options);
/* Print the restrictions that this kernel supports. */
void cli_sandbox_tell(void);
