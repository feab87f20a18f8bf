/* Restrictions that the kernel enforces on this process: no files except those it needs, no
 * network, no other programs. */
#ifndef MP_CLI_SANDBOX_H
#define MP_CLI_SANDBOX_H

#include "cli/options.h"

/* Enter the sandbox, once, before anything is read. It allows the inputs and outputs of the
 * options; for folders, their contents and the targets of links in them. It also applies to threads
 * that start later, but not to the pager. Older kernels enforce only a part. */
void cli_sandbox_enter(const cli_options *options);
/* Print the restrictions that this kernel supports. */
void cli_sandbox_tell(void);

#endif
