/* The pipeline: batches are done in order, all of them, on whichever thread. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pipeline.h"

/* The sum that batches are added to. The numbers are exact only if they come in order. */
typedef struct sum {
    uint64_t next, mixed, out_of_order;
    pthread_t last;
} sum;

typedef struct batch {
    sum *to;
    uint64_t number;
    char rest[1000];
} batch;

static void work(void *opaque)
{
    batch *at = opaque;
    at->to->out_of_order += at->number != at->to->next;
    at->to->next++;
    at->to->mixed = at->to->mixed * 31 + at->number;
    for (size_t i = 0; i < sizeof at->rest; i++)
        at->to->out_of_order += at->rest[i] != (char)at->number;
    at->to->last = pthread_self();
}

static void submit_by(void (*hand_over)(mp_pipeline *pipeline), mp_pipeline *pipeline, sum *to,
                      uint64_t number)
{
    batch *at = mp_pipeline_batch(pipeline);
    at->to = to;
    at->number = number;
    memset(at->rest, (int)(char)number, sizeof at->rest);
    hand_over(pipeline);
}

static void submit(mp_pipeline *pipeline, sum *to, uint64_t number)
{
    submit_by(mp_pipeline_submit, pipeline, to, number);
}

static void check(const sum *to, uint64_t count)
{
    uint64_t mixed = 0;
    for (uint64_t i = 0; i < count; i++)
        mixed = mixed * 31 + i;
    assert_int_equal(to->next, count);
    assert_true(to->mixed == mixed);
    assert_int_equal(to->out_of_order, 0);
}

static void order_is_kept(void **unused)
{
    (void)unused;
    static const uint64_t counts[] = {0, 1, 3, 4, 5, 6, 8, 12, 13, 20, 1000, 50000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        sum to = {0};
        mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
        for (uint64_t number = 0; number < counts[i]; number++)
            submit(pipeline, &to, number);
        mp_pipeline_drain(pipeline);
        check(&to, counts[i]);
        mp_pipeline_free(pipeline);

        to = (sum){0};
        pipeline = mp_pipeline_new(sizeof(batch), work);
        for (uint64_t number = 0; number < counts[i]; number++)
            submit(pipeline, &to, number);
        mp_pipeline_free(pipeline); /* waits for all, too */
        check(&to, counts[i]);
    }
    mp_pipeline_free(NULL);
}

/* After a drain all that was handed over is done, however often it is asked for. */
static void a_drain_waits_for_all(void **unused)
{
    (void)unused;
    for (uint64_t step = 1; step <= 23; step++) {
        sum to = {0};
        mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
        mp_pipeline_drain(pipeline);
        for (uint64_t number = 0; number < 2000; number++) {
            submit(pipeline, &to, number);
            if (number % step == 0) {
                mp_pipeline_drain(pipeline);
                assert_int_equal(to.next, number + 1);
                to.mixed += 0; /* it is the caller's now */
            }
        }
        mp_pipeline_drain(pipeline);
        mp_pipeline_drain(pipeline);
        check(&to, 2000);
        mp_pipeline_free(pipeline);
    }
}

static void little_work_is_done_at_once(void **unused)
{
    (void)unused;
    sum to = {0};
    mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
    for (uint64_t number = 0; number < 4; number++) {
        submit(pipeline, &to, number);
        assert_int_equal(to.next, number + 1);
        assert_true(pthread_equal(to.last, pthread_self()));
    }
    for (uint64_t number = 4; number < 100; number++)
        submit(pipeline, &to, number);
    mp_pipeline_drain(pipeline);
    assert_false(pthread_equal(to.last, pthread_self()));
    mp_pipeline_free(pipeline);
}

/* If nothing waits, a batch runs at once; otherwise it waits for its turn. */
static void the_last_is_done_at_once(void **unused)
{
    (void)unused;
    sum to = {0};
    mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
    for (uint64_t number = 0; number < 1000; number++) {
        if (number % 50 == 0) {
            mp_pipeline_drain(pipeline);
            submit_by(mp_pipeline_submit_last, pipeline, &to, number);
            assert_int_equal(to.next, number + 1);
            assert_true(pthread_equal(to.last, pthread_self()));
        } else {
            submit_by(number % 9 ? mp_pipeline_submit : mp_pipeline_submit_last, pipeline, &to,
                      number);
        }
    }
    mp_pipeline_drain(pipeline);
    check(&to, 1000);
    mp_pipeline_free(pipeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(a_drain_waits_for_all),
        cmocka_unit_test(little_work_is_done_at_once),
        cmocka_unit_test(the_last_is_done_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
