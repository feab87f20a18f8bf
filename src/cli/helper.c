#include "cli/helper.h"

#include <errno.h>

#include "cli/limits.h"

/* A word is its length and its bytes. Half of one is none: whoever said it is gone. */
static void wait_for_word(int word, int failure, void *opaque)
{
    cli_helper_become *const *become = opaque;
    size_t length;
    if (!mp_read_all(word, &length, sizeof length))
        return;
    char *told = mp_alloc_zero(length + 1, 1);
    if (mp_read_all(word, told, length)) {
        cli_limits_leave();
        (*become)(told);
        int error = errno;
        mp_write_all(failure, &error, sizeof error);
    }
}

cli_process cli_helper_make(cli_helper_become *become)
{
    return cli_process_make(wait_for_word, &become);
}

int cli_helper_start(cli_process *helper, const char *told, size_t length)
{
    if (!helper->process)
        return EAGAIN;
    bool ok =
        cli_process_tell(helper, &length, sizeof length) && cli_process_tell(helper, told, length);
    int error = ok ? 0 : errno;
    /* Nothing comes where it became the program, which has no such file. */
    if (ok && !mp_read_all(helper->from, &error, sizeof error))
        error = errno;
    cli_process_close(helper);
    if (error)
        cli_process_wait(helper);
    return error;
}
