/* The limit that a watched recording exceeds first, and the snapshot that does it: what ends the
 * watching, and what --exec is told. Threads that share one have a lock for it. */
#ifndef MP_CLI_WATCH_LIMIT_H
#define MP_CLI_WATCH_LIMIT_H

#include "cli/helper.h"
#include "cli/options.h"
#include "cli/watch_rows.h"

typedef struct cli_watch_limit {
    mp_arena arena;                    /* of its texts */
    const char *name;                  /* of an option or of a rule; NULL: none was exceeded */
    const char *message;               /* the line about it */
    int64_t limit_bytes, actual_bytes; /* MP_UNKNOWN of a rule, which need not be about bytes */
    cli_watch_row row;
} cli_watch_limit;

/* Hold a row to the limits of the command line. Nothing happens where one was exceeded before. */
void cli_watch_limit_hold(cli_watch_limit *limit, const cli_options *options,
                          const cli_watch_row *row);
/* Take what a gate says after the snapshot of this row: the first rule that fails, if any does. */
void cli_watch_limit_judge(cli_watch_limit *limit, const mp_document *gate,
                           const cli_watch_row *row);
/* The event that tells it. */
cli_watch_event cli_watch_limit_event(const cli_watch_limit *limit);

/* Start the process that waits to become the command's shell. */
cli_process cli_watch_limit_helper(void);
/* Have it run the command, and tell where that fails. */
void cli_watch_limit_run(const cli_watch_limit *limit, const char *command, cli_process *helper);

#endif
