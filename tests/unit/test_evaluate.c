/* Rules that are applied to digests made by hand. Also growth of a small recording, and of series
 * made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "compare/decide.h"
#include "memprof/memprof.h"
#include "support/memory_reader.h"
#include "unit/small_heap.h"

/* --- digests --- */

typedef struct fixture {
    mp_dictionary *dictionary;
    mp_digest now, base;
    mp_rule_context rule_context;
} fixture;

static mp_entry *add(mp_digest *digest, mp_level level, mp_entry_key key)
{
    mp_entries *entries = &digest->lists[level];
    mp_grow(&entries->items, &entries->capacity, entries->count + 1, sizeof *entries->items);
    entries->items[entries->count] = (mp_entry){.key = key};
    return &entries->items[entries->count++];
}

/* Add a site and its type, with a hundred bytes per object. */
static void add_site(fixture *state, mp_digest *digest, const char *type, const char *program,
                     int64_t objects, int64_t leaked)
{
    mp_dictionary *dictionary = state->dictionary;
    mp_amounts amounts = {.objects = objects,
                          .bytes = objects * 100,
                          .created = objects + 2,
                          .created_bytes = objects * 100 + 200,
                          .deleted = 2,
                          .leaked_objects = leaked,
                          .leaked_bytes = leaked * 100};
    uint32_t name = mp_dictionary_id(dictionary, program);
    uint32_t frame =
        name ? mp_dictionary_frame(dictionary, (mp_frame_key){.name = name, .line = MP_NO_LINE})
             : 0;
    mp_entry_key key = {.type = mp_dictionary_id(dictionary, type),
                        .program = name,
                        .frame = frame,
                        .line = frame ? 7 : MP_NO_LINE};
    add(digest, MP_LEVEL_SITE, key)->amounts = amounts;
    digest->totals = mp_amounts_add(digest->totals, amounts);
}

static void add_type(fixture *state, mp_digest *digest, const char *type, int64_t objects,
                     int64_t leaked, int64_t retained)
{
    mp_entry_key key = {.type = mp_dictionary_id(state->dictionary, type), .line = MP_NO_LINE};
    add(digest, MP_LEVEL_TYPE, key)->amounts = (mp_amounts){.objects = objects,
                                                            .bytes = objects * 100,
                                                            .leaked_objects = leaked,
                                                            .leaked_bytes = leaked * 100,
                                                            .retained_bytes = retained};
}

static void add_method(fixture *state, mp_digest *digest, const char *program, const char *method,
                       int64_t us, int64_t calls)
{
    mp_entry_key key = {.name = mp_dictionary_id(state->dictionary, method),
                        .program = mp_dictionary_id(state->dictionary, program),
                        .line = MP_NO_LINE};
    mp_amounts amounts = {.exclusive_us = us, .calls = calls};
    add(digest, MP_LEVEL_METHOD, key)->amounts = amounts;
    key.name = 0;
    add(digest, MP_LEVEL_MODULE, key)->amounts = amounts;
    digest->totals = mp_amounts_add(digest->totals, amounts);
}

/* now: objects leaked      base: objects leaked
 *   A at f             3       2               1       1
 *   A at g             2       2               2       0
 *   B at f             1       0               1       0
 *   C at (session)     -       -               5       0
 *   D at h             4       0               -       - */
static void set_up_heap(fixture *state)
{
    *state = (fixture){.dictionary = mp_dictionary_new()};
    state->now = (mp_digest){.kind = MP_KIND_RECORDING,
                             .holds = mp_kind_holds(MP_KIND_RECORDING),
                             .has = MP_HAS_LIVE | MP_HAS_HISTORY | MP_HAS_RETAINED,
                             .peak_objects = 12,
                             .peak_bytes = 1200};
    state->base = (mp_digest){.kind = MP_KIND_RECORDING,
                              .holds = mp_kind_holds(MP_KIND_RECORDING),
                              .has = MP_HAS_LIVE | MP_HAS_HISTORY | MP_HAS_RETAINED,
                              .peak_objects = 9,
                              .peak_bytes = 900};
    add_site(state, &state->now, "A", "f", 3, 2);
    add_site(state, &state->now, "A", "g", 2, 2);
    add_site(state, &state->now, "B", "f", 1, 0);
    add_site(state, &state->now, "D", "h", 4, 0);
    add_type(state, &state->now, "A", 5, 4, 2000);
    add_type(state, &state->now, "B", 1, 0, 300);
    add_type(state, &state->now, "D", 4, 0, 400);
    add_site(state, &state->base, "A", "f", 1, 1);
    add_site(state, &state->base, "A", "g", 2, 0);
    add_site(state, &state->base, "B", "f", 1, 0);
    add_site(state, &state->base, "C", "", 5, 0);
    add_type(state, &state->base, "A", 3, 1, 1000);
    add_type(state, &state->base, "B", 1, 0, 100);
    add_type(state, &state->base, "C", 5, 0, 500);
    state->rule_context = (mp_rule_context){
        .now = &state->now, .base = &state->base, .dictionary = state->dictionary, .dashes = "--"};
}

static void set_up_profile(fixture *state)
{
    *state = (fixture){.dictionary = mp_dictionary_new()};
    state->now =
        (mp_digest){.kind = MP_KIND_PROFILE, .holds = MP_HOLDS_PROFILE, .has = MP_HAS_COSTS};
    state->base =
        (mp_digest){.kind = MP_KIND_PROFILE, .holds = MP_HOLDS_PROFILE, .has = MP_HAS_COSTS};
    add_method(state, &state->now, "p.cls", "run", 1500000, 10);
    add_method(state, &state->now, "p.cls", "", 500000, 1);
    add_method(state, &state->now, "q.cls", "run", 250000, 5);
    add_method(state, &state->base, "p.cls", "run", 1000000, 10);
    add_method(state, &state->base, "q.cls", "run", 250000, 5);
    state->rule_context = (mp_rule_context){
        .now = &state->now, .base = &state->base, .dictionary = state->dictionary, .dashes = "--"};
}

static void tear_down(fixture *state)
{
    for (int level = 0; level < MP_LEVELS; level++) {
        free(state->now.lists[level].items);
        free(state->base.lists[level].items);
    }
    mp_dictionary_free(state->dictionary);
}

typedef struct expectation {
    const char *rule;
    mp_verdict verdict;
    int64_t measured, limit; /* expected values */
    const char *part;        /* a part of the message; NULL = there is no message */
} expectation;

static void check_rule(const mp_rule_context *rule_context, const expectation *expected)
{
    mp_policy *policy = mp_policy_parse("p", expected->rule, strlen(expected->rule));
    assert_int_equal(policy->fault_count, 0);
    mp_rule_results results = mp_policy_evaluate(policy, rule_context);
    const mp_rule_result *got = &results.items[0];
    bool message = expected->part ? strstr(got->message, expected->part) != NULL : !*got->message;
    if (got->verdict != expected->verdict || !message || got->measured != expected->measured ||
        got->limit != expected->limit)
        print_error("%s: %s, %lld of %lld, \"%s\"\n", expected->rule, mp_verdict_name(got->verdict),
                    (long long)got->measured, (long long)got->limit, got->message);
    assert_int_equal(got->verdict, expected->verdict);
    assert_int_equal(got->measured, expected->measured);
    assert_int_equal(got->limit, expected->limit);
    assert_true(message);
    assert_int_equal(results.counts[0] + results.counts[1] + results.counts[2], 1);
    mp_rule_results_free(&results);
    mp_policy_free(policy);
}

#define CHECK_ALL(rule_context, cases)                                                             \
    for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); i++)                                   \
    check_rule(rule_context, &(cases)[i])

#define PASS MP_VERDICT_PASS
#define FAIL MP_VERDICT_FAIL
#define ERROR MP_VERDICT_ERROR

static void totals(void **state)
{
    (void)state;
    static const expectation cases[] = {
        {"leaked <= 400", PASS, 400, 400, NULL},
        {"leaked < 400", FAIL, 400, 400, "400 B left behind, not below 400 B; most: 200 B, A at f"},
        {"leaked <= 150", FAIL, 400, 150, "400 B left behind, 250 B over 150 B"},
        {"leaked objects <= 3", FAIL, 4, 3, "4 objects left behind, 1 object over 3 objects"},
        {"leak sites <= 2", PASS, 2, 2, NULL},
        {"leak sites <= 1", FAIL, 2, 1, "2 sites"},
        {"live == 1000", PASS, 1000, 1000, NULL},
        {"live objects == 9", FAIL, 10, 9, "expected 9 objects"},
        {"peak <= 1 KiB", FAIL, 1200, 1024, "176 B over 1.0 KiB"},
        {"peak objects <= 1.1 x base", FAIL, 12, 9, "12 objects at the peak"},
        {"created >= 2 KiB", FAIL, 1800, 2048, "1.8 KiB created, 248 B under 2.0 KiB"},
        {"created objects >= 18", PASS, 18, 18, NULL},
        {"deleted objects > 8", FAIL, 8, 8, "not above"},
        {"seconds <= 1", ERROR, 0, 0, "a memory recording does not record times"},
        {"growth <= 1", ERROR, 0, 0, "no series of snapshots"},
    };
    fixture self;
    set_up_heap(&self);
    CHECK_ALL(&self.rule_context, cases);
    tear_down(&self);
}

static void selected(void **state)
{
    (void)state;
    static const expectation cases[] = {
        {"leaked of type \"A\" <= 400", PASS, 400, 400, NULL},
        {"leaked of type \"[AB]\" <= 300", FAIL, 400, 300, "100 B over"},
        {"live of source \"f\" <= 300", FAIL, 400, 300, "most: 300 B, A at f"},
        {"live of site \"A at *\" <= 500", PASS, 500, 500, NULL},
        {"live of site \"* at f\" <= 399", FAIL, 400, 399, "400 B alive"},
        {"live of name \"(unnamed)\" <= 1000", PASS, 1000, 1000, NULL},
        {"leak sites of source \"g\" <= 0", FAIL, 1, 0, "1 site"},
        {"retained of type \"A\" <= 1 KiB", FAIL, 2000, 1024, "976 B over 1.0 KiB"},
        {"leaked of type \"X\" <= 1", ERROR, 0, 0, "no type matches \"X\""},
        {"leaked of type \"X\" <= 1 if any", PASS, 0, 0, "there is no matching type"},
        /* entries that are only in the base are gone, so their figures are 0 */
        {"live of type \"C\" <= 1", PASS, 0, 1, NULL},
        {"live of each type <= 400", FAIL, 500, 400, "1 of 4 types, worst A: 500 B alive"},
        {"live of each type <= 500", PASS, 500, 500, NULL},
        {"leaked of each source <= 100", FAIL, 200, 100, "2 of 4 sources, most f"},
        {"live of each type \"B\" >= 200", FAIL, 100, 200, "1 of 1 types, worst B"},
    };
    fixture self;
    set_up_heap(&self);
    CHECK_ALL(&self.rule_context, cases);
    tear_down(&self);
}

static void against_base(void **state)
{
    (void)state;
    static const expectation cases[] = {
        {"leaked <= base", FAIL, 400, 100, "300 B over 100 B"},
        {"leaked <= 4 x base", PASS, 400, 400, NULL},
        {"leaked <= base + 300", PASS, 400, 400, NULL},
        {"leaked <= base + 299", FAIL, 400, 399, "over"},
        {"live objects <= base + 10 %", FAIL, 10, 9, "1 object over"}, /* the limit is 9.9 */
        {"live objects < base + 20 %", PASS, 10, 10, NULL},            /* the limit is 10.8 */
        {"retained of type \"A\" <= 1.5 x base", FAIL, 2000, 1500, "500 B over"},
        {"live of each type <= 1.5 x base", FAIL, 400, 0, "2 of 4 types, worst D"},
        {"live of each type \"[AB]\" <= 1.5 x base", FAIL, 500, 450, "1 of 2 types, worst A"},
        {"no new leak site", FAIL, 1, 0, "1 new leak site; 200 B, A at g"},
        {"no new leak site of source \"f\"", PASS, 0, 0, NULL},
        {"no new leak site of source \"x\"", ERROR, 0, 0, "no source matches"},
        {"no new leak site of source \"x\" if any", PASS, 0, 0, "no matching source"},
        {"no new site", FAIL, 1, 0, "1 new site; 400 B, D at h"},
        {"no new type", FAIL, 1, 0, "1 new type; 400 B, D"},
        {"no new method", ERROR, 0, 0, "does not record"},
    };
    fixture self;
    set_up_heap(&self);
    CHECK_ALL(&self.rule_context, cases);
    static const expectation without[] = {
        {"leaked <= base", ERROR, 0, 0, "--base FILE"},
        {"no new type", ERROR, 0, 0, "--base FILE"},
    };
    self.rule_context.base = NULL;
    CHECK_ALL(&self.rule_context, without);
    static const expectation other[] = {
        {"live <= base", ERROR, 0, 0, "the base is a heap dump, expected a memory recording"},
        {"live <= 1 KiB", PASS, 1000, 1024, NULL},
    };
    self.rule_context.base = &self.base;
    self.base.kind = MP_KIND_DUMP;
    CHECK_ALL(&self.rule_context, other);
    static const expectation unsized[] = {
        {"live objects <= base", ERROR, 0, 0, "a memory recording of another format"},
        {"no new type", ERROR, 0, 0, "of another format"},
    };
    self.base.kind = MP_KIND_RECORDING;
    self.now.holds |= MP_HOLDS_UNSIZED;
    CHECK_ALL(&self.rule_context, unsized);
    self.now.holds &= ~(unsigned)MP_HOLDS_UNSIZED;
    static const expectation poorer[] = {
        {"leaked <= base", ERROR, 0, 0, "the base does not record leaked objects"}};
    self.base.kind = MP_KIND_RECORDING;
    self.base.has = MP_HAS_LIVE;
    CHECK_ALL(&self.rule_context, poorer);
    tear_down(&self);
}

static void profiles(void **state)
{
    (void)state;
    static const expectation cases[] = {
        {"seconds <= 2.25", PASS, 2250000, 2250000, NULL},
        {"seconds <= 2 s", FAIL, 2250000, 2000000,
         "2.250000 s spent, 0.250000 s over 2.000000 s; most: 1.500000 s, run p.cls"},
        {"seconds of method \"run\" <= 1.75", PASS, 1750000, 1750000, NULL},
        {"seconds of method \"run q.cls\" <= base", PASS, 250000, 250000, NULL},
        {"seconds of each method <= 1.2 x base", FAIL, 500000, 0, "2 of 3 methods, worst p.cls"},
        {"seconds of module \"p.*\" <= 1", FAIL, 2000000, 1000000, "p.cls"},
        {"calls <= 15", FAIL, 16, 15, "16 calls made, 1 call over 15 calls"},
        {"calls of method \"runn\" <= 1", ERROR, 0, 0, "no method matches"},
        {"no new method", FAIL, 1, 0, "1 new method; 0.500000 s, p.cls"},
        {"no new module", FAIL, 1, 0, "1 new module"},
        {"leaked <= 1", ERROR, 0, 0, "an execution profile does not record leaked objects"},
    };
    fixture self;
    set_up_profile(&self);
    /* the keys of a list are unique; without that, p.cls would be in the list of modules once for
     * each method */
    mp_entries *modules = &self.now.lists[MP_LEVEL_MODULE];
    modules->items[0].amounts =
        mp_amounts_add(modules->items[0].amounts, modules->items[1].amounts);
    modules->items[1] = modules->items[2];
    modules->count = 2;
    /* the base has another program instead of p */
    self.base.lists[MP_LEVEL_MODULE].items[0].key.program =
        mp_dictionary_id(self.dictionary, "r.cls");
    CHECK_ALL(&self.rule_context, cases);
    tear_down(&self);
}

/* A report has the hottest lines of a profile. A rule fails if they are too much, and passes if
 * they are enough; otherwise it depends on the lines that are missing. */
static void hottest_lines(void **state)
{
    (void)state;
    static const expectation cases[] = {
        {"seconds <= 9", ERROR, 2250000, 9000000, "only the hottest lines"},
        {"seconds <= 2 s", FAIL, 2250000, 2000000, "over 2.000000 s"},
        {"seconds >= 2 s", PASS, 2250000, 2000000, NULL},
        {"calls of each method <= 99", ERROR, 10, 99, "only the hottest lines"},
        {"calls > 1", PASS, 16, 1, NULL},
        {"calls == 16", ERROR, 16, 16, "only the hottest lines"},
        {"seconds <= 2 x base", ERROR, 2250000, 2500000, "only the hottest lines"},
        {"no new method of module \"q*\"", ERROR, 0, 0, "only the hottest lines"},
        {"no new method", FAIL, 1, 0, "1 new method"},
    };
    fixture self;
    set_up_profile(&self);
    self.now.partial = self.base.partial = true;
    CHECK_ALL(&self.rule_context, cases);
    tear_down(&self);
}

/* Objects of unknown size count as 0 bytes, also those that are gone. */
static void sizes_missing(void **state)
{
    (void)state;
    static const expectation cases[] = {
        {"live <= 1", PASS, 0, 1, NULL},
        {"leaked <= 1", PASS, 0, 1, NULL},
        {"peak <= 1", ERROR, 0, 1, "sizes of most objects are not recorded"},
        {"created <= 1", ERROR, 0, 1, "sizes of most objects are not recorded"},
        {"created objects <= 8", PASS, 8, 8, NULL},
        {"peak objects <= 5", PASS, 5, 5, NULL},
    };
    fixture self;
    set_up_heap(&self);
    self.now.holds |= MP_HOLDS_UNSIZED;
    self.now.totals = (mp_amounts){.created = 8, .deleted = 8};
    self.now.peak_objects = 5;
    self.now.peak_bytes = 0;
    CHECK_ALL(&self.rule_context, cases);
    tear_down(&self);
}

/* Objects that lived only between two snapshots are not counted. */
static void short_lives_missing(void **state)
{
    (void)state;
    static const expectation cases[] = {
        {"created <= 2 KiB", ERROR, 1800, 2048, "between two snapshots are not recorded"},
        {"created <= 1 KiB", FAIL, 1800, 1024, "over 1.0 KiB"},
        {"created objects of site \"A at *\" <= 99", ERROR, 9, 99, "between two snapshots"},
        {"deleted objects <= 99", ERROR, 8, 99, "between two snapshots"},
        {"deleted objects >= 8", PASS, 8, 8, NULL},
        {"live <= 1 KiB", PASS, 1000, 1024, NULL},
    };
    fixture self;
    set_up_heap(&self);
    self.now.holds |= MP_HOLDS_UNMADE;
    CHECK_ALL(&self.rule_context, cases);
    tear_down(&self);
}

/* --- growth of the small recording: see small_heap.h --- */

/* Bytes at snapshots 1 to 4: 130, 408, 428, 407; of Dynamic Query: 20, 48, 68, 47. */
static void growth(void **state)
{
    (void)state;
    static const expectation cases[] = {
        {"growth <= 277", PASS, 277, 277, NULL},
        {"growth <= 276", FAIL, 277, 276, "277 B of growth, 1 B over 276 B"},
        {"growth <= 200 %", FAIL, 277, 260, "17 B over 260 B"},
        {"growth after snapshot 2 <= 0", PASS, -1, 0, NULL},
        {"growth after snapshot \"work#2\" <= 0", PASS, -21, 0, NULL},
        {"growth after snapshot 9 <= 0", ERROR, 0, 0, "after snapshot 9: no snapshot \"9\""},
        {"growth after snapshot 4 <= 0", ERROR, 0, 0, "one snapshot cannot show growth"},
        {"growth of type \"Dynamic Query\" <= 26", FAIL, 27, 26, "1 B over"},
        {"growth of type \"X\" <= 26", ERROR, 0, 0, "no type matches"},
        {"growth of type \"X\" <= 26 if any", PASS, 0, 0, "no matching type"},
        {"growth of site \"Dynamic Query at order.p\" <= 27", PASS, 27, 27, NULL},
        {"growth of each type <= 100", FAIL, 200, 100, "worst Procedure"},
        {"growth per snapshot after snapshot 2 <= 1", ERROR, 0, 0, "3 snapshots are too few"},
        /* The values are 130 408 428 407. Without the step they are 130 150 129, and have the
         * slopes 20, -21, -0.5. */
        {"growth per snapshot <= 55", PASS, -1, 55, "one jump of 278 B at snapshot 2"},
    };
    reading r = read_text(mp_reader_find("oemp"), "small.oemp", HEAP, 1024);
    mp_model *model = r.model;
    model->kind = MP_KIND_RECORDING; /* usually set when a file is loaded */
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_window window;
    mp_error error = {0};
    assert_true(mp_window_resolve(model, NULL, NULL, &window, &error));
    mp_digest_options options = {.ignore_lines = false};
    mp_digest *digest = mp_digest_of(window.filter, &window, dictionary, &options, NULL);
    mp_rule_context rule_context = {
        .now = digest, .dictionary = dictionary, .model = model, .window = &window, .dashes = "--"};
    CHECK_ALL(&rule_context, cases);
    rule_context.window_end = "2";
    check_rule(&rule_context, &(expectation){"growth after snapshot 3 <= 0", ERROR, 0, 0,
                                             "after snapshot 3: --from is snapshot 3, which is "
                                             "later than --to, snapshot 2"});
    mp_digest_free(digest);
    mp_window_free(&window);
    mp_dictionary_free(dictionary);
    reading_free(&r);
}

/* --- growth of series --- */

static void check_series(const char *rule, const int64_t *values, size_t count, mp_verdict verdict,
                         const char *measured, const char *part)
{
    uint64_t sequences[32];
    mp_arena arena = {0}, scratch = {0};
    mp_policy *policy = mp_policy_parse("p", rule, strlen(rule));
    mp_rule_context rule_context = {.now = NULL};
    assert_int_equal(policy->fault_count, 0);
    mp_rule_result rule_result = {.rule = &policy->rules[0], .message = ""};
    mp_evaluation evaluation = {.context = &rule_context,
                                .rule = &policy->rules[0],
                                .arena = &arena,
                                .scratch = &scratch,
                                .result = &rule_result};
    for (size_t i = 0; i < count; i++)
        sequences[i] = i + 1;
    mp_slope pace_slope = mp_slope_of(&evaluation, "", mp_trend_of(values, count), values, count);
    pace_slope.sequences = sequences;
    mp_evaluation_decide_slopes(&evaluation, &pace_slope, 1);
    if (rule_result.verdict != verdict || strcmp(rule_result.measured_text, measured) != 0)
        print_error("%s: %s: %s\n", rule, rule_result.measured_text, rule_result.message);
    assert_int_equal(rule_result.verdict, verdict);
    assert_string_equal(rule_result.measured_text, measured);
    if (part)
        assert_non_null(strstr(rule_result.message, part));
    else
        assert_string_equal(rule_result.message, "");
    mp_arena_free(&arena);
    mp_arena_free(&scratch);
    mp_policy_free(policy);
}

static void slopes(void **state)
{
    (void)state;
    static const int64_t steady[] = {100, 110, 120, 130, 140, 150, 160, 170};
    static const int64_t from_nothing[] = {0, 10, 20, 30, 40, 50, 60, 70};
    static const int64_t late[] = {0, 0, 0, 0, 0, 10, 20, 30};
    static const int64_t jump[] = {100, 100, 101, 1000, 1001, 1000, 1001, 1000};
    static const int64_t freed[] = {7100, 200, 300, 400, 500, 600, 700, 800};
    static const int64_t lower[] = {900, 0, 0, 0, 1, 1, 1, 2};
    static const int64_t shrinks[] = {170, 160, 150, 140, 130, 120, 110, 100};
    static const struct {
        const char *rule;
        const int64_t *values;
        mp_verdict verdict;
        const char *measured, *part;
    } cases[] = {
        {"growth per snapshot <= 10", steady, PASS, "10 B a snapshot", NULL},
        {"growth per snapshot < 10", steady, FAIL, "10 B a snapshot", "grows steadily, by 10 B"},
        {"growth per snapshot <= 9", steady, FAIL, "10 B a snapshot", "grows steadily"},
        {"growth per snapshot <= 10 %", steady, PASS, "10 % a snapshot", NULL},
        {"growth per snapshot <= 9.9 %", steady, FAIL, "10 % a snapshot", "grows steadily"},
        {"growth per snapshot <= 24 %", from_nothing, FAIL, "25 % a snapshot", "by 25 %"},
        {"growth per snapshot <= 25 %", from_nothing, PASS, "25 % a snapshot", NULL},
        {"growth per snapshot <= 1 %", late, PASS, "4 B a snapshot", "does not grow steadily"},
        /* The median slope of 100 100 101 102 101 102 101 is 1/4, the 11th of 21 slopes. */
        {"growth per snapshot <= 1", jump, PASS, "0 B a snapshot",
         "one jump of 899 B at snapshot 4"},
        {"growth per snapshot <= 99", freed, FAIL, "100 B a snapshot", "grows steadily, by 100 B"},
        {"growth per snapshot <= 100", freed, PASS, "100 B a snapshot", NULL},
        /* 900 three times, 901 three times, 902: 6 of 21 slopes are 0. The interval begins at the
         * fifth slope: 18 s^2 = 798 - 132, (21 - 11.9) / 2. */
        {"growth per snapshot <= 0", lower, PASS, "0 B a snapshot",
         "one drop of 900 B at snapshot 2, no steady growth"},
        {"growth per snapshot <= 1", shrinks, PASS, "-10 B a snapshot", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_series(cases[i].rule, cases[i].values, 8, cases[i].verdict, cases[i].measured,
                     cases[i].part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals),
        cmocka_unit_test(selected),
        cmocka_unit_test(against_base),
        cmocka_unit_test(profiles),
        cmocka_unit_test(hottest_lines),
        cmocka_unit_test(sizes_missing),
        cmocka_unit_test(short_lives_missing),
        cmocka_unit_test(growth),
        cmocka_unit_test(slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
