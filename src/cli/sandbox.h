/* What the kernel keeps this process from, from a moment on: files that it has no business with,
 * the network, other programs. */
#ifndef MP_CLI_SANDBOX_H
#define MP_CLI_SANDBOX_H

#include "cli/files.h"
#include "cli/options.h"

/* All that is to be read and written is known by now, and nothing of the recordings was read: go
 * in. Threads that start later are in too; the pager, if there may be one, stays outside. `groups`
 * may be NULL: the files that are named. Where the kernel knows less, it is kept from less. */
void cli_sandbox_enter(const cli_options *options, const cli_groups *groups);
/* Print what of it this kernel can do. */
void cli_sandbox_tell(void);

#endif
