/* Policies: how rules are parsed, and where errors are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/decide.h"
#include "compare/policy.h"
#include "reports/arguments.h"

static mp_policy *parse(const char *text)
{
    return mp_policy_parse("p.policy", text, strlen(text));
}

static mp_policy *parse_one(const char *text)
{
    mp_policy *policy = parse(text);
    if (policy->fault_count)
        print_error("%s: %s\n", text, policy->faults[0].text);
    assert_int_equal(policy->fault_count, 0);
    assert_int_equal(policy->rule_count, 1);
    return policy;
}

static void names(void **state)
{
    (void)state;
    static const struct {
        const char *line, *name, *text;
    } cases[] = {
        {"leaked <= 1 MiB", "leaked <= 1 MiB", "leaked <= 1 MiB"},
        {"  leaked<=1 # all", "leaked<=1", "leaked<=1"},
        {"no big leak: leaked <= 1 MiB", "no big leak", "leaked <= 1 MiB"},
        {"don't leak (much) :leaked < 1", "don't leak (much)", "leaked < 1"},
        {"\"a: \\\"b\\\" # c\": leaked < 1 # d", "a: \"b\" # c", "leaked < 1"},
        {"leaked of type \"a:b #\" < 1", "leaked of type \"a:b #\" < 1",
         "leaked of type \"a:b #\" < 1"},
        {"\xc3\xa4: leaked < 1\r", "\xc3\xa4", "leaked < 1"},
        {"\xe4: leaked < 1", "\xc3\xa4", "leaked < 1"},
        {"\xef\xbb\xbfx: leaked < 1", "x", "leaked < 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_policy *policy = parse_one(cases[i].line);
        assert_string_equal(policy->rules[0].name, cases[i].name);
        assert_string_equal(policy->rules[0].text, cases[i].text);
        mp_policy_free(policy);
    }
}

static void measures(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        mp_measure measure;
        int64_t number;
        mp_comparison comparison;
    } cases[] = {
        {"leaked <= 1 MiB", MP_MEASURE_LEAKED, 1 << 20, MP_AT_MOST},
        {"Leaked Objects < 100", MP_MEASURE_LEAKED_OBJECTS, 100, MP_LESS},
        {"leak sites == 0", MP_MEASURE_LEAK_SITES, 0, MP_EQUAL},
        {"leaked sites == 0", MP_MEASURE_LEAK_SITES, 0, MP_EQUAL},
        {"live >= 1.5K", MP_MEASURE_LIVE, 1536, MP_AT_LEAST},
        {"live objects > 7", MP_MEASURE_LIVE_OBJECTS, 7, MP_MORE},
        {"peak <= 2 g", MP_MEASURE_PEAK, INT64_C(2) << 30, MP_AT_MOST},
        {"peak objects <= 5", MP_MEASURE_PEAK_OBJECTS, 5, MP_AT_MOST},
        {"created <= 12", MP_MEASURE_CREATED, 12, MP_AT_MOST},
        {"created objects <= 12", MP_MEASURE_CREATED_OBJECTS, 12, MP_AT_MOST},
        {"deleted objects >= 12", MP_MEASURE_DELETED_OBJECTS, 12, MP_AT_LEAST},
        {"retained of type \"Cache\" <= 10 MiB", MP_MEASURE_RETAINED, 10 << 20, MP_AT_MOST},
        {"growth <= 64 KiB", MP_MEASURE_GROWTH, 65536, MP_AT_MOST},
        {"seconds <= 2.5", MP_MEASURE_SECONDS, 2500000, MP_AT_MOST},
        {"seconds <= 250 ms", MP_MEASURE_SECONDS, 250000, MP_AT_MOST},
        {"seconds <= 250us", MP_MEASURE_SECONDS, 250, MP_AT_MOST},
        {"seconds <= 2 min", MP_MEASURE_SECONDS, 120000000, MP_AT_MOST},
        {"calls <= 10000", MP_MEASURE_CALLS, 10000, MP_AT_MOST},
        {"no new leak site", MP_MEASURE_NEW_LEAK_SITES, 0, MP_AT_MOST},
        {"no new site", MP_MEASURE_NEW_SITES, 0, MP_AT_MOST},
        {"no new type", MP_MEASURE_NEW_TYPES, 0, MP_AT_MOST},
        {"no new method", MP_MEASURE_NEW_METHODS, 0, MP_AT_MOST},
        {"no new module", MP_MEASURE_NEW_MODULES, 0, MP_AT_MOST},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_policy *policy = parse_one(cases[i].line);
        const mp_rule *rule = &policy->rules[0];
        assert_int_equal(rule->measure, cases[i].measure);
        assert_int_equal(rule->bound.number, cases[i].number);
        assert_int_equal(rule->comparison, cases[i].comparison);
        assert_int_equal(rule->bound.reference, MP_OF_NOTHING);
        mp_policy_free(policy);
    }
}

static void selectors(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        mp_select_by by;
        bool each, if_any;
        const char *pattern;
    } cases[] = {
        {"leaked of type \"A*\" <= 1", MP_BY_TYPE, false, false, "A*"},
        {"leaked of source \"*O\\\"r\\\\*\" <= 1 if any", MP_BY_SOURCE, false, true, "*O\"r\\\\*"},
        {"leaked of type \"a\\\\\\\"\\\\\" <= 1", MP_BY_TYPE, false, false, "a\\\\\"\\\\"},
        {"live objects of name \"n\" <= 1 if any # x", MP_BY_NAME, false, true, "n"},
        {"live of each site <= 1 KiB if any", MP_BY_SITE, true, true, NULL},
        {"live of any type <= 10 MiB", MP_BY_TYPE, true, false, NULL},
        {"live of each type \"A\" <= 10 MiB", MP_BY_TYPE, true, false, "A"},
        {"seconds of method \"m\" <= 1", MP_BY_METHOD, false, false, "m"},
        {"calls of module \"m\" <= 1 if any", MP_BY_MODULE, false, true, "m"},
        {"no new leak site of source \"S\" if any", MP_BY_SOURCE, false, true, "S"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_policy *policy = parse_one(cases[i].line);
        const mp_rule *rule = &policy->rules[0];
        assert_int_equal(rule->by, cases[i].by);
        assert_int_equal(rule->each, cases[i].each);
        assert_int_equal(rule->if_any, cases[i].if_any);
        if (cases[i].pattern)
            assert_string_equal(rule->pattern, cases[i].pattern);
        else
            assert_null(rule->pattern);
        mp_policy_free(policy);
    }
}

static void growth(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool per_snapshot;
        const char *after;
        int64_t share, number;
    } cases[] = {
        {"growth <= 1", false, NULL, 0, 1},
        {"growth <= 2 %", false, NULL, 2000000, 0},
        {"growth per snapshot <= 0.5%", true, NULL, 500000, 0},
        {"growth of type \"Q\" per snapshot after snapshot 3 <= 16 KiB", true, "3", 0, 16384},
        {"growth after snapshot \"Pre 1#2\" per snapshot < 7", true, "Pre 1#2", 0, 7},
        {"growth of each source after snapshot 12 < 7", false, "12", 0, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_policy *policy = parse_one(cases[i].line);
        const mp_rule *rule = &policy->rules[0];
        assert_int_equal(rule->per_snapshot, cases[i].per_snapshot);
        assert_int_equal(rule->bound.share, cases[i].share);
        assert_int_equal(rule->bound.number, cases[i].number);
        assert_int_equal(rule->bound.reference, cases[i].share ? MP_OF_START : MP_OF_NOTHING);
        if (cases[i].after)
            assert_string_equal(rule->after, cases[i].after);
        else
            assert_null(rule->after);
        assert_false(mp_rule_needs_base(rule));
        mp_policy_free(policy);
    }
}

static void bases(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int64_t share, number;
        const char *text;
    } cases[] = {
        {"leaked <= base", MP_WHOLE, 0, "base"},
        {"leaked <= 1.1 x base # grows", 110000000, 0, "1.1 x base"},
        {"leaked <= 1.1x base", 110000000, 0, "1.1x base"},
        {"leaked <= base + 64 KiB", MP_WHOLE, 65536, "base + 64 KiB"},
        {"leaked <= base - 1", MP_WHOLE, -1, "base - 1"},
        {"leaked <= base + 10 %", 110000000, 0, "base + 10 %"},
        {"leaked <= 2 x base - 12.5 %", 187500000, 0, "2 x base - 12.5 %"},
        {"leaked of type \"T\" <= 1.5 x base + 2K if any", 150000000, 2048, "1.5 x base + 2K"},
        {"seconds of method \"m\" <= base + 1.5", MP_WHOLE, 1500000, "base + 1.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_policy *policy = parse_one(cases[i].line);
        const mp_rule *rule = &policy->rules[0];
        assert_int_equal(rule->bound.reference, MP_OF_BASE);
        assert_int_equal(rule->bound.share, cases[i].share);
        assert_int_equal(rule->bound.number, cases[i].number);
        assert_string_equal(rule->bound.text, cases[i].text);
        assert_true(mp_rule_needs_base(rule));
        mp_policy_free(policy);
    }
    mp_policy *policy = parse_one("no new type");
    assert_true(mp_rule_needs_base(&policy->rules[0]));
    mp_policy_free(policy);
}

static const struct {
    const char *text;
    uint32_t line, column;
    const char *part; /* part of the message */
} wrong[] = {
    {"", 1, 1, "there is no rule"},
    {"# nothing\n\n", 1, 1, "there is no rule"},
    {"\n  leeked <= 1", 2, 3, "unexpected \"leeked\", expected leaked, leaked sites"},
    {"leak <= 1", 1, 1, "unexpected \"leak\", expected leaked, leaked sites"},
    {"deleted <= 1", 1, 9, "expected \"objects\""},
    {"leaked", 1, 7, "the rule ends here, expected <=, <, >=, > or =="},
    {"leaked <= ", 1, 11, "the rule ends here, expected a size such as 64 KiB"},
    {"leaked = 1", 1, 8, "unexpected \"=\", expected <="},
    {"leaked <= 1 XiB", 1, 13, "unexpected \"XiB\", expected a size"},
    {"leaked <= -1", 1, 11, "unexpected \"-\", expected a size"},
    {"leaked <= 5 %", 1, 11, "a percentage alone is only for growth"},
    {"leaked <= 1 1", 1, 13, "unexpected \"1\", expected the end"},
    {"leaked <= 1 if any", 1, 13, "\"if any\" is only for rules with a pattern"},
    {"leaked of type \"A\" <= 1 if", 1, 27, "the rule ends here, expected \"any\""},
    {"leaked of type \"A\" <= 1 2", 1, 25, "expected \"if any\" or the end"},
    {"leaked objects <= 1.5", 1, 19, "expected a whole number"},
    {"leaked objects <= 1 KiB", 1, 21, "unexpected \"KiB\", expected a whole number"},
    {"calls <= 9999999999999999999", 1, 10, "expected a whole number"},
    {"seconds <= 5 parsecs", 1, 14, "expected a time"},
    {"leaked of type A <= 1", 1, 16, "unexpected \"A\", expected a pattern in quotes"},
    {"leaked of type <= 1", 1, 16, "expected a pattern in quotes"},
    {"leaked of type \"A <= 1", 1, 16, "the quote is never closed"},
    {"leaked of type \"\" <= 1", 1, 16, "nothing has an empty name"},
    {"leaked of colour \"A\" <= 1", 1, 11, "expected type, source, name or site"},
    {"leaked of method \"A\" <= 1", 1, 11, "\"leaked\" is not available by method"},
    {"seconds of type \"A\" <= 1", 1, 12, "expected method or module"},
    {"retained <= 1", 1, 10, "expected of type"},
    {"peak of type \"A\" <= 1", 1, 6, "\"peak\" is available only for the whole"},
    {"leak sites of each type <= 1", 1, 15, "cannot have \"each\""},
    {"growth <= base", 1, 11, "growth cannot be compared with a base"},
    {"growth per snapshot >= 1", 1, 21, "only an upper limit"},
    {"growth per day <= 1", 1, 12, "expected \"snapshot\""},
    {"growth after snapshot x <= 1", 1, 23, "a snapshot's number"},
    {"growth twice <= 1", 1, 8, "expected per snapshot, after snapshot"},
    {"live per snapshot <= 1", 1, 6, "expected <="},
    {"leaked <= 1.1 x bass", 1, 17, "unexpected \"bass\", expected base"},
    {"leaked <= 1.1234567 x base", 1, 11, "expected at most six"},
    {"leaked <= 1000001 x base", 1, 11, "expected at most 1000000"},
    {"leaked <= base - 200 %", 1, 16, "less than zero"},
    {"leaked <= base +", 1, 17, "expected a size"},
    {"no old type", 1, 4, "unexpected \"old\", expected \"new\""},
    {"no new leak", 1, 12, "the rule ends here, expected \"site\""},
    {"no new thing", 1, 8, "expected leak site, site, type"},
    {": leaked <= 1", 1, 1, "name is missing"},
    {"\"\": leaked <= 1", 1, 1, "name is missing"},
    {"\"a\" b: leaked <= 1", 1, 5, "expected a colon"},
    {"a:", 1, 3, "the rule ends here"},
    {"a: live<1\nb: live<1\na: peak<1", 3, 1, "line 1 already has a rule of this name"},
    {"leaked \x01 <= 1", 1, 8, "a control character"},
    {"\xc3\xa4: leaked \xc3\xb6", 1, 11, "unexpected \"\xc3\xb6\""},
};

static void faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mp_policy *policy = parse(wrong[i].text);
        assert_int_equal(policy->fault_count, 1);
        const mp_error *fault = &policy->faults[0];
        if (fault->line != wrong[i].line || fault->column != wrong[i].column ||
            !strstr(fault->text, wrong[i].part))
            print_error("%s: %u:%u: %s\n", wrong[i].text, (unsigned)fault->line,
                        (unsigned)fault->column, fault->text);
        assert_int_equal(fault->line, wrong[i].line);
        assert_int_equal(fault->column, wrong[i].column);
        assert_non_null(strstr(fault->text, wrong[i].part));
        mp_policy_free(policy);
    }
}

static void every_fault_is_told(void **state)
{
    (void)state;
    mp_policy *policy = parse("live <= 1\nx\npeak <= 1\ny\n");
    assert_int_equal(policy->rule_count, 2);
    assert_int_equal(policy->fault_count, 2);
    assert_int_equal(policy->faults[0].line, 2);
    assert_int_equal(policy->faults[1].line, 4);
    assert_int_equal(policy->rules[1].line, 3);
    mp_policy_free(policy);
    char *huge = calloc(1, (1 << 20) + 2);
    policy = mp_policy_parse("huge", huge, (1 << 20) + 1);
    assert_non_null(strstr(policy->faults[0].text, "larger than 1 MiB"));
    mp_policy_free(policy);
    free(huge);
}

/* 1.15 x 100 is exactly 115, which is not so in floating point. */
static void thresholds(void **state)
{
    (void)state;
    static const struct {
        int64_t share, offset, reference, number;
        bool more;
        int64_t spreads, spread;
    } cases[] = {
        {115000000, 0, 100, 115, false, 0, 0},
        {110000000, 0, 33, 36, true, 0, 0}, /* 36.3 */
        {110000000, 5, 33, 41, true, 0, 0},
        {MP_WHOLE, -40, 33, -7, false, 0, 0},
        {50000000, 0, -3, -2, true, 0, 0}, /* -1.5 */
        {MP_WHOLE * 1000, 0, INT64_MAX, INT64_MAX, false, 0, 0},
        {MP_WHOLE * 1000, 0, INT64_MIN, INT64_MIN, false, 0, 0},
        {MP_WHOLE, 0, 100, 121, false, 3 * MP_WHOLE, 7},
        {MP_WHOLE, 5, 100, 84, false, -3 * MP_WHOLE, 7},
        {MP_WHOLE, 0, 100, 110, true, 150000000, 7},  /* 110.5 */
        {MP_WHOLE, 0, 100, 89, true, -150000000, 7},  /* 89.5 */
        {110000000, 0, 35, 49, false, 150000000, 7},  /* 38.5 + 10.5 */
        {110000000, 0, 35, 28, false, -150000000, 7}, /* 38.5 - 10.5 */
        {MP_WHOLE, 0, 1, INT64_MAX, false, MP_WHOLE * 1000, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_bound bound = {.reference = MP_OF_BASE,
                          .share = cases[i].share,
                          .number = cases[i].offset,
                          .spreads = cases[i].spreads,
                          .text = ""};
        mp_threshold threshold = mp_bound_of(&bound, cases[i].reference, cases[i].spread);
        assert_int_equal(threshold.number, cases[i].number);
        assert_int_equal(threshold.more, cases[i].more);
    }
    static const struct {
        bool more;
        int64_t number;
        bool holds[5]; /* <=, <, >=, >, == */
    } against[] = {
        {false, 9, {true, true, false, false, false}},
        {false, 10, {true, false, true, false, true}},
        {false, 11, {false, false, true, true, false}},
        {true, 10, {true, true, false, false, false}}, /* the limit is 10.5 */
        {true, 11, {false, false, true, true, false}},
    };
    for (size_t i = 0; i < sizeof against / sizeof *against; i++)
        for (int c = 0; c < 5; c++)
            assert_int_equal(mp_threshold_holds((mp_threshold){10, against[i].more},
                                                (mp_comparison)c, against[i].number),
                             against[i].holds[c]);
}

/* Percentages in options equal percentages in rules. In floating point, some of them would be a
 * byte too small. */
static void percentages_of_options(void **state)
{
    (void)state;
    static const struct {
        int64_t from, millionths, bytes;
        bool exact;
    } cases[] = {
        {800550000, 35480000, 284035140, true},
        {784500000, 16310000, 127951950, true},
        {INT64_C(9007199254740993), 100000000, INT64_C(9007199254740993), true},
        {INT64_C(9007199254740993), 200000000, INT64_C(18014398509481986), true},
        {INT64_MAX, 100000001, INT64_MAX, true}, /* the maximum */
        {7, 0, 0, true},
        {3, 50000000, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mp_bound bound = {.reference = MP_OF_START, .share = cases[i].millionths};
        const mp_threshold threshold = mp_bound_of(&bound, cases[i].from, 0);
        int64_t bytes = cases[i].bytes;
        assert_int_equal(threshold.number, bytes);
        assert_int_equal(mp_threshold_holds(threshold, MP_AT_LEAST, bytes), cases[i].exact);
        assert_false(mp_threshold_holds(threshold, MP_AT_LEAST, bytes - 1));
        if (bytes < INT64_MAX)
            assert_true(mp_threshold_holds(threshold, MP_AT_LEAST, bytes + 1));
    }
}

/* Lines made from pieces of the grammar and any bytes never cause a crash. Each line that is not
 * empty results in a rule or an error. */
static void anything(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "leaked", " ",    "objects", "of",   "type",   "\"A*\"", "<=",       "1",
        "MiB",    "base", "x",       "+",    "%",      "each",   "if",       "any",
        "no",     "new",  "leak",    "site", "growth", "per",    "snapshot", "after",
        ":",      "#",    "\"",      "\\",   "\n",     "\t",     "seconds",  "calls",
        "method", "1.1",  "-",       "\xc3", "\xa4",   "\x01",   "=",        "9999999999"};
    uint64_t random = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        char text[512] = "";
        size_t used = 0;
        for (int i = 0; i < 24; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            const char *piece = pieces[random % (sizeof pieces / sizeof *pieces)];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     random & 1 << 20 ? " " : "", piece);
        }
        mp_policy *policy = mp_policy_parse("p", text, used);
        assert_true(policy->rule_count + policy->fault_count > 0);
        for (size_t i = 0; i < policy->fault_count; i++) {
            assert_true(policy->faults[i].column >= 1);
            assert_true(*policy->faults[i].text != '\0');
        }
        mp_policy_free(policy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(measures),
        cmocka_unit_test(selectors),
        cmocka_unit_test(growth),
        cmocka_unit_test(bases),
        cmocka_unit_test(faults),
        cmocka_unit_test(every_fault_is_told),
        cmocka_unit_test(thresholds),
        cmocka_unit_test(percentages_of_options),
        cmocka_unit_test(anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
