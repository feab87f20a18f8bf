/* Restrictions that the kernel enforces on this process from a moment on: no files except those
 * it needs, no network, no other programs. */
#ifndef MP_CLI_SANDBOX_H
#define MP_CLI_SANDBOX_H

#include "cli/options.h"

/* The options say what is to be read and written, and nothing was read: go in, once. Folders may be
 * read with all that is in them, and what links in them lead to. Threads that start later are in
 * too; the pager, if there may be one, stays outside. Where the kernel knows less, it is kept from
 * less. */
void cli_sandbox_enter(const cli_options *options);
/* Print what of it this kernel can do. */
void cli_sandbox_tell(void);

#endif
