/* Work beside the caller. */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/beside.h"

static void answer(void *argument)
{
    sem_t *said = argument;
    sem_wait(&said[0]);
    sem_post(&said[1]);
}

/* The work runs while the caller waits for something that only the work does. */
static void work_runs_beside_the_caller(void **unused)
{
    (void)unused;
    sem_t said[2];
    struct timespec until;
    sem_init(&said[0], 0, 0);
    sem_init(&said[1], 0, 0);
    mp_beside *beside = mp_beside_begin(answer, said);
    sem_post(&said[0]);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    assert_int_equal(sem_timedwait(&said[1], &until), 0);
    mp_beside_end(&beside);
    assert_null(beside);
    sem_destroy(&said[0]);
    sem_destroy(&said[1]);
}

static void add(void *argument)
{
    ++*(int *)argument;
}

/* What the work did is visible after its end. */
static void the_end_waits(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        int sum = i;
        mp_beside *beside = mp_beside_begin(add, &sum);
        mp_beside_end(&beside);
        assert_int_equal(sum, i + 1);
        mp_beside_end(&beside);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_runs_beside_the_caller),
        cmocka_unit_test(the_end_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
