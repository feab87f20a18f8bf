/* A recording that is watched: followed and read on a thread of its own. At the end of each
 * snapshot that thread works out its row, has it told, and holds it to the limits. */
#ifndef MP_CLI_WATCH_FILE_H
#define MP_CLI_WATCH_FILE_H

#include <pthread.h>

#include "cli/watch_board.h"
#include "cli/watch_limit.h"

/* Data shared by all watched files. */
typedef struct cli_watching {
    const cli_options *options;
    int stop, wake;       /* readable: the threads end; the first thread has something to do */
    pthread_mutex_t lock; /* of all below; taken by cli_watching_enter */
    cli_board board;
    cli_watch_limit limit;
    size_t running; /* threads */
    bool over;      /* nothing that happens from here on is told */
} cli_watching;

/* From here to cli_watching_leave, what is shared is the caller's. If a limit is exceeded by then,
 * or nothing can be told any more, it is over for all. */
void cli_watching_enter(cli_watching *watching);
void cli_watching_leave(cli_watching *watching);
void cli_watching_end(cli_watching *watching);

typedef struct cli_watched cli_watched;

/* Start to watch the file at this place among the paths. Gives NULL after a message where there is
 * no thread for it. */
cli_watched *cli_watched_start(cli_watching *watching, size_t place);
/* When it is over for all: wait for its thread and release it; gives the exit status. */
int cli_watched_end(cli_watched *file);

#endif
