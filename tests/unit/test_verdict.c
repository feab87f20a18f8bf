/* Verdicts on sites in recordings and heap logs. Each test states when the objects of its sites are
 * created and deleted. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "query/query.h"
#include "query/verdict.h"
#include "support/memory_reader.h"
#include "unit/recording.h"

extern const mp_reader mp_reader_oemp, mp_reader_taligent;

enum { MOST = 4000, BUSY = 99, NEVER = 0 };

/* An object of a site. Snapshots are counted from 1. If `death` is NEVER, the object is not
 * deleted. */
typedef struct thing {
    int session, site, birth, death, size;
    int grows_from, grows_to,
        growth; /* number of bytes by which it grows at each of these snapshots */
} thing;

static thing things[MOST];
static int thing_count;

static thing *add(int site, int birth, int death)
{
    assert_true(thing_count < MOST);
    things[thing_count] = (thing){1, site, birth, death, 100, 0, 0, 0};
    return &things[thing_count++];
}

/* Create `number` objects of a site at each snapshot from `first` to `last`; they live for `life`
 * snapshots. */
static void create(int site, int first, int last, int number, int life)
{
    for (int index = first; index <= last; index++)
        for (int i = 0; i < number; i++)
            add(site, index, life == NEVER ? NEVER : index + life);
}

/* Create an object of another site at each snapshot, so that none of the snapshots is idle. */
static void stay_busy(int first, int last)
{
    create(BUSY, first, last, 1, 1);
}

static int size_at(const thing *state, int snapshot)
{
    int size = state->size;
    for (int index = state->grows_from;
         state->growth && index <= state->grows_to && index <= snapshot; index++)
        size += state->growth;
    return size;
}

static void write_session(FILE *out, int session, int snapshots, const char *last_tag)
{
    for (int index = 1; index <= snapshots; index++) {
        int live = 0, bytes = 0;
        fprintf(out,
                "2 3277 %d " STAMP " \"AS-%d\" \"%s\" \"\" \"\" 0 "
                "\"3f2504e0-4f89-11d3-9a0c-0305e82c330%d\" \"\" 0 \"shop\" ? 0.5 \"12\" \"\" \"\"\n"
                ".\n.\n%s.\n.\n.\n%s.\n.\n%s.\n",
                index, session, index == snapshots ? last_tag : "work", session,
                index == 1 ? "\"Object\" 62\n" : "", index == 1 ? "1 \"main.p\" 0\n" : "",
                index == 1 ? "7 1 0 0\n" : "");
        for (int i = 0; i < thing_count; i++)
            if (things[i].session == session && things[i].birth == index)
                fprintf(out, "%d 62 %d 0 0 0 7 %d 0 0 0 0 0 0 0 0\n", i + 1,
                        size_at(&things[i], index), things[i].site);
        fprintf(out, ".\n");
        for (int i = 0; i < thing_count; i++) {
            const thing *state = &things[i];
            if (state->session != session || state->birth > index ||
                (state->death && state->death <= index))
                continue;
            live++;
            bytes += size_at(state, index);
            if (state->birth < index && size_at(state, index) != size_at(state, index - 1))
                fprintf(out, "%d 62 %d 0 0 0\n", i + 1, size_at(state, index));
        }
        fprintf(out, ".\n");
        for (int i = 0; i < thing_count; i++)
            if (things[i].session == session && things[i].death == index)
                fprintf(out, "%d 0\n", i + 1);
        fprintf(out, ".\n%d %d %d 0 %d 1 0 0 0 \"%s\" %d\n.\n", index, live, bytes, MOST,
                index == snapshots ? last_tag : "work", index);
    }
}

/* Write a log: objects are allocated at the second of their birth, and freed just before the second
 * of their death. */
static void write_log(FILE *out, int seconds)
{
    fprintf(out, "Thread\tTime of event\tAddress\tSize\tType\tStack crawl\n");
    int64_t clock = 0;
    for (int index = 1; index <= seconds; index++)
        for (int step = 0; step < 2; step++) {
            clock = clock < index * INT64_C(1000000) ? index * INT64_C(1000000) : clock;
            for (int i = 0; i < thing_count; i++)
                if (step == 0 && things[i].death == index)
                    fprintf(out, "2-1\t%" PRId64 "\t0x%x\tdel\tT\tT::~T()|main\n", ++clock,
                            4096 * (i + 1));
                else if (step == 1 && things[i].birth == index)
                    fprintf(out, "2-1\t%" PRId64 "\t0x%x\t%d\tnovtbl\tMake%d()|main\n", ++clock,
                            4096 * (i + 1), things[i].size, things[i].site);
        }
}

typedef struct judged {
    reading r;
    mp_window window;
    const mp_leak_verdict *verdict;
} judged;

static judged judge(const mp_reader *reader, char *text)
{
    judged result = {.r = read_text(reader, "a", text, 4096)};
    mp_error error = {0};
    free(text);
    result.r.model->kind = reader->kind; /* set by loading */
    mp_window_resolve(result.r.model, NULL, NULL, &result.window, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(mp_diagnostics_violations(result.r.diagnostics), 0);
    result.verdict = mp_window_verdict(&result.window);
    return result;
}

static judged judge_sessions(const int *snapshots, int sessions, const char *last_tag)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 1; i <= sessions; i++)
        write_session(out, i, snapshots[i - 1], last_tag);
    fclose(out);
    return judge(&mp_reader_oemp, text);
}

static judged judge_log(int seconds)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write_log(out, seconds);
    fclose(out);
    return judge(&mp_reader_taligent, text);
}

/* Return the verdict on the site at a line or, for a log, in the function MakeN(). */
static const mp_site_verdict *verdict_on(const judged *state, int site)
{
    const mp_model *model = state->r.model;
    char name[16];
    snprintf(name, sizeof name, "Make%d()", site);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_context *context = &model->contexts.items[model->generations.items[i].context.i];
        const mp_symbol_id symbol = model->nodes.items[context->node.i].symbol;
        if (context->line == (uint32_t)site ||
            !strcmp(mp_model_text(model, model->symbols.items[symbol.i].name), name))
            return &state->verdict->sites[state->verdict->site_of[i]];
    }
    fail_msg("no site %d", site);
    return NULL;
}

static void judged_free(judged *state)
{
    mp_window_free(&state->window);
    reading_free(&state->r);
    thing_count = 0;
}

/* Check the kind of site 1 in a recording that has `snapshots` snapshots. `last_tag`: tag of the
 * last snapshot. */
static void expect(int snapshots, const char *last_tag, const char *kind)
{
    judged state = judge_sessions(&snapshots, 1, last_tag);
    assert_string_equal(mp_site_kind_name(verdict_on(&state, 1)->kind), kind);
    judged_free(&state);
}

static void test_survivors(void **state)
{
    (void)state;
    create(1, 2, 12, 3, NEVER);
    expect(12, "work", "leak");
    /* one of eleven stays, and the others are gone at the next snapshot */
    create(1, 2, 12, 1, NEVER);
    create(1, 2, 12, 10, 1);
    expect(12, "work", "leak");
    /* each is deleted after five snapshots: a cache that drops the oldest */
    create(1, 2, 30, 3, 5);
    expect(30, "work", "bounded");
    /* all are deleted at the clean-up */
    for (int index = 2; index <= 11; index++)
        add(1, index, 12);
    expect(12, "_PreCleanUp", "freed-at-end");
    create(1, 2, 3, 3, NEVER);
    expect(3, "work", "unknown");
}

/* Objects that are deleted soon, except some of the first ones. These are older than any object
 * that was deleted, so they are not like those. */
static void test_old_and_young(void **state)
{
    (void)state;
    create(1, 2, 3, 3, NEVER);
    create(1, 2, 3, 30, 1);
    expect(12, "work", "filled");
    /* an object that lived as long was deleted */
    create(1, 2, 3, 3, NEVER);
    create(1, 2, 3, 30, 1);
    add(1, 2, 12);
    expect(12, "work", "in-use");
}

/* Sites that grew at only one or two snapshots. */
static void test_seldom(void **state)
{
    (void)state;
    static const struct {
        int births[2];
        bool seldom;
    } sites[] = {{{2, 4}, false}, {{2, 2}, false}, {{6, 6}, false}, {{3, 12}, true},
                 {{2, 7}, true},  {{2, 6}, false}, {{11, 11}, true}};
    enum { SITES = sizeof sites / sizeof *sites };
    const int snapshots = 12;
    stay_busy(2, 12);
    for (int site = 0; site < SITES; site++)
        for (int i = 0; i < 2; i++)
            add(site + 1, sites[site].births[i], NEVER);
    judged self = judge_sessions(&snapshots, 1, "work");
    for (int site = 0; site < SITES; site++) {
        assert_string_equal(mp_site_kind_name(verdict_on(&self, site + 1)->kind), "filled");
        assert_int_equal(verdict_on(&self, site + 1)->seldom, sites[site].seldom);
    }
    judged_free(&self);
}

static void test_silence_at_the_end(void **state)
{
    (void)state;
    /* at 3, 7, 11 and 15: pauses of four snapshots, then one of five */
    for (int index = 3; index <= 15; index += 4)
        add(1, index, NEVER);
    stay_busy(1, 19);
    expect(19, "work", "leak");
    for (int position = 3; position <= 15; position += 4)
        add(1, position, NEVER);
    stay_busy(1, 20);
    expect(20, "work", "filled");
    /* 40 20 10 5 2 2 1 1 1: there is no pause, but fewer and fewer objects */
    for (int offset = 2, number = 40; offset <= 10; offset++, number = number > 2 ? number / 2 : 1)
        create(1, offset, offset, number, NEVER);
    expect(10, "work", "filled");
}

static void test_queues(void **state)
{
    (void)state;
    /* at each snapshot, 10 are created and 10 deleted, the oldest first */
    for (int i = 0; i < 12 * 20; i++)
        add(1, 2 + i / 12, 3 + i / 10 <= 21 ? 3 + i / 10 : NEVER);
    expect(21, "work", "growing-queue");
    /* the same up to the tenth snapshot; after that, as many are deleted as created */
    for (int i = 0; i < 12 * 10 + 10 * 10; i++)
        add(1, i < 120 ? 2 + i / 12 : 12 + (i - 120) / 10, 3 + i / 10 <= 21 ? 3 + i / 10 : NEVER);
    expect(21, "work", "bounded");
    /* one object is created and one deleted at each of four snapshots */
    create(1, 1, 5, 1, 2);
    expect(5, "work", "bounded");
    /* 10 are created, and a tenth of the live objects is deleted: a pool that approaches 100
     * objects */
    for (int index = 2, alive = 0, oldest = 0; index <= 21; index++) {
        for (int goes = (alive + 5) / 10; goes > 0; goes--, alive--)
            things[oldest++].death = index;
        create(1, index, index, 10, NEVER);
        alive += 10;
    }
    expect(21, "work", "bounded");
}

static void test_growing_objects(void **state)
{
    (void)state;
    *add(1, 2, NEVER) = (thing){1, 1, 2, NEVER, 100, 3, 24, 50};
    stay_busy(1, 24);
    expect(24, "work", "growing-object");
    *add(1, 1, NEVER) = (thing){1, 1, 1, NEVER, 100, 2, 24, 50};
    stay_busy(1, 24);
    expect(24, "work", "growing-object");
    /* grows until the tenth snapshot only */
    *add(1, 1, NEVER) = (thing){1, 1, 1, NEVER, 100, 2, 10, 50};
    stay_busy(1, 24);
    expect(24, "work", "filled");
}

/* In a log, an object grows by being replaced with a larger block. */
static void test_replaced_objects(void **state)
{
    (void)state;
    for (int replaced = 4; replaced <= 5; replaced++) {
        for (int i = 0; i <= replaced; i++)
            *add(1, 0, 0) = (thing){
                1, 1, 6 + 18 * i, i < replaced ? 24 + 18 * i : NEVER, 100 + 50 * i, 0, 0, 0};
        stay_busy(1, 100);
        judged self = judge_log(101);
        assert_int_equal(mp_site_kind_leaks(verdict_on(&self, 1)->kind), replaced == 5);
        judged_free(&self);
    }
}

static void test_pauses(void **state)
{
    (void)state;
    /* the program is idle from 12 to 51, and then continues */
    create(1, 2, 11, 3, NEVER);
    create(1, 52, 56, 3, NEVER);
    expect(56, "work", "leak");
    /* other sites are active during this time, so the site was filled twice */
    create(1, 2, 11, 3, NEVER);
    create(1, 52, 54, 3, NEVER);
    stay_busy(1, 60);
    expect(60, "work", "filled");
    /* the program is idle from 12 on: a pause cannot be distinguished from the end */
    create(1, 2, 11, 3, NEVER);
    expect(50, "work", "filled");
}

/* Check the kind of site 1 in a log. */
static void expect_of_log(int seconds, const char *kind)
{
    judged state = judge_log(seconds);
    assert_string_equal(mp_site_kind_name(verdict_on(&state, 1)->kind), kind);
    judged_free(&state);
}

static void leak_and_shut_down(void)
{
    create(1, 1, 50, 1, NEVER);
    for (int i = 0; i < 50; i++)
        add(2, 20, 51 + i); /* freed one by one, long after the last allocation */
}

static void test_end_of_a_log(void **state)
{
    (void)state;
    leak_and_shut_down();
    expect_of_log(100, "leak");
    /* filled up to the middle; the other sites continue */
    create(1, 1, 30, 1, NEVER);
    stay_busy(1, 99);
    expect_of_log(100, "filled");
}

static void test_sessions(void **state)
{
    (void)state;
    /* the longer session shows that the site is filled and then stops */
    const int lengths[] = {30, 6};
    create(1, 2, 8, 5, NEVER);
    stay_busy(1, 30);
    for (int index = 1; index <= 6; index++)
        *add(1, 0, 0) = (thing){2, 1, index, NEVER, 100, 0, 0, 0};
    judged self = judge_sessions(lengths, 2, "work");
    assert_string_equal(mp_site_kind_name(verdict_on(&self, 1)->kind), "filled");
    assert_int_equal(self.verdict->bytes, 0);
    judged_free(&self);
    /* the site stops in the shorter session, but continues in the longer one */
    create(1, 2, 30, 5, NEVER);
    for (int position = 1; position <= 6; position++) {
        *add(1, 0, 0) = (thing){2, 1, position < 3 ? position : 2, NEVER, 100, 0, 0, 0};
        *add(BUSY, 0, 0) = (thing){2, BUSY, position, NEVER, 100, 0, 0, 0};
    }
    self = judge_sessions(lengths, 2, "work");
    assert_string_equal(mp_site_kind_name(verdict_on(&self, 1)->kind), "leak");
    assert_int_equal(verdict_on(&self, 1)->session, 1);
    assert_int_equal(verdict_on(&self, 1)->bytes, 29 * 5 * 100);
    judged_free(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_survivors),
        cmocka_unit_test(test_old_and_young),
        cmocka_unit_test(test_silence_at_the_end),
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_growing_objects),
        cmocka_unit_test(test_replaced_objects),
        cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_end_of_a_log),
        cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_seldom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
