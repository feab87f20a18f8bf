/* The pipeline: all batches are processed in order, in one thread or the other. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pipeline.h"

/* The sum to which batches are added. It is correct only if the batches come in order. */
typedef struct sum {
    uint64_t next, mixed, out_of_order;
    pthread_t last;
    mp_pipeline *pipeline; /* NULL, or it must know that a batch is being done */
} sum;

typedef struct batch {
    sum *sums;
    uint64_t number;
    char rest[1000];
} batch;

static void work(void *opaque)
{
    batch *entry = opaque;
    entry->sums->out_of_order += entry->number != entry->sums->next;
    entry->sums->next++;
    entry->sums->mixed = entry->sums->mixed * 31 + entry->number;
    for (size_t i = 0; i < sizeof entry->rest; i++)
        entry->sums->out_of_order += entry->rest[i] != (char)entry->number;
    entry->sums->last = pthread_self();
    if (entry->sums->pipeline)
        entry->sums->out_of_order += !mp_pipeline_is_inside(entry->sums->pipeline);
}

static void submit_by(void (*hand_over)(mp_pipeline *pipeline), mp_pipeline *pipeline, sum *total,
                      uint64_t number)
{
    batch *entry = mp_pipeline_batch(pipeline);
    entry->sums = total;
    entry->number = number;
    memset(entry->rest, (int)(char)number, sizeof entry->rest);
    hand_over(pipeline);
}

static void submit(mp_pipeline *pipeline, sum *total, uint64_t number)
{
    submit_by(mp_pipeline_submit, pipeline, total, number);
}

static void check(const sum *total, uint64_t count)
{
    uint64_t mixed = 0;
    for (uint64_t i = 0; i < count; i++)
        mixed = mixed * 31 + i;
    assert_int_equal(total->next, count);
    assert_true(total->mixed == mixed);
    assert_int_equal(total->out_of_order, 0);
}

static void order_is_kept(void **unused)
{
    (void)unused;
    static const uint64_t counts[] = {0, 1, 3, 4, 5, 6, 8, 12, 13, 20, 1000, 50000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        sum total = {0};
        mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
        for (uint64_t number = 0; number < counts[i]; number++)
            submit(pipeline, &total, number);
        mp_pipeline_drain(pipeline);
        check(&total, counts[i]);
        mp_pipeline_free(pipeline);

        total = (sum){0};
        pipeline = mp_pipeline_new(sizeof(batch), work);
        for (uint64_t number = 0; number < counts[i]; number++)
            submit(pipeline, &total, number);
        mp_pipeline_free(pipeline); /* this waits for all batches, too */
        check(&total, counts[i]);
    }
    mp_pipeline_free(NULL);
}

/* After a drain all submitted batches are done, however often it is called. */
static void a_drain_waits_for_all(void **unused)
{
    (void)unused;
    for (uint64_t step = 1; step <= 23; step++) {
        sum total = {0};
        mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
        mp_pipeline_drain(pipeline);
        for (uint64_t number = 0; number < 2000; number++) {
            submit(pipeline, &total, number);
            if (number % step == 0) {
                mp_pipeline_drain(pipeline);
                assert_int_equal(total.next, number + 1);
                total.mixed += 0; /* the sum belongs to the caller now */
            }
        }
        mp_pipeline_drain(pipeline);
        mp_pipeline_drain(pipeline);
        check(&total, 2000);
        mp_pipeline_free(pipeline);
    }
}

static void little_work_is_done_at_once(void **unused)
{
    (void)unused;
    sum total = {0};
    mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
    for (uint64_t number = 0; number < 4; number++) {
        submit(pipeline, &total, number);
        assert_int_equal(total.next, number + 1);
        assert_true(pthread_equal(total.last, pthread_self()));
    }
    for (uint64_t number = 4; number < 100; number++)
        submit(pipeline, &total, number);
    mp_pipeline_drain(pipeline);
    assert_false(pthread_equal(total.last, pthread_self()));
    mp_pipeline_free(pipeline);
}

/* If no batch is waiting, a batch runs at once; otherwise it waits for its turn. */
static void the_last_is_done_at_once(void **unused)
{
    (void)unused;
    sum total = {0};
    mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
    for (uint64_t number = 0; number < 1000; number++) {
        if (number % 50 == 0) {
            mp_pipeline_drain(pipeline);
            submit_by(mp_pipeline_submit_last, pipeline, &total, number);
            assert_int_equal(total.next, number + 1);
            assert_true(pthread_equal(total.last, pthread_self()));
        } else {
            submit_by(number % 9 ? mp_pipeline_submit : mp_pipeline_submit_last, pipeline, &total,
                      number);
        }
    }
    mp_pipeline_drain(pipeline);
    check(&total, 1000);
    mp_pipeline_free(pipeline);
}

static void work_is_told_from_the_rest(void **unused)
{
    (void)unused;
    for (int alone = 0; alone < 2; alone++) {
        mp_pipeline *pipeline = mp_pipeline_new(sizeof(batch), work);
        sum total = {.pipeline = pipeline};
        if (alone)
            mp_pipeline_alone(pipeline);
        for (uint64_t number = 0; number < 1000; number++) {
            assert_false(mp_pipeline_is_inside(pipeline));
            submit_by(number % 9 ? mp_pipeline_submit : mp_pipeline_submit_last, pipeline, &total,
                      number);
        }
        mp_pipeline_drain(pipeline);
        check(&total, 1000);
        mp_pipeline_free(pipeline);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(a_drain_waits_for_all),
        cmocka_unit_test(little_work_is_done_at_once),
        cmocka_unit_test(the_last_is_done_at_once),
        cmocka_unit_test(work_is_told_from_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
