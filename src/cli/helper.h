/* A process that waits to become another program. It is made before this one goes into its sandbox,
 * and stays outside; it ends with this one, whatever that dies of. */
#ifndef MP_CLI_HELPER_H
#define MP_CLI_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct cli_helper {
    pid_t process; /* 0: there is none */
    int word;      /* what it is told goes here; the end, and it is not needed */
    int failure;   /* the number of an error comes from here if it cannot become it, else the end */
} cli_helper;

/* In the new process: become the program, by what it was told, which has a NUL behind it, or come
 * back with errno. */
typedef void cli_helper_become(char *told);

/* Before any thread is started. Gives one without a process where there can be none. */
cli_helper cli_helper_make(cli_helper_become *become);
/* Tell it what it waits for. Gives 0 when it has become the program, whose end is waited for by
 * cli_helper_wait, or the number of an error: there is none any more then. */
int cli_helper_start(cli_helper *helper, const char *told, size_t length);
/* Wait for the end of what it became; gives its status, as by waitpid. */
int cli_helper_wait(cli_helper *helper);

#endif
