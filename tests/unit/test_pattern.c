/* Regular expressions and globs. They match like those of the C library, but never need exponential
 * time. The comparison with the C library is left out if the system has no UTF-8 locale. */
#include <fnmatch.h>
#include <locale.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/glob.h"
#include "base/pattern.h"

/* Append the text `times` times. */
static void put(char *out, const char *text, int times)
{
    while (times--)
        strcat(out, text);
}

static bool compiles(const char *text, char *reason, size_t size)
{
    mp_pattern *pattern = mp_pattern_new(text, reason, size);
    mp_pattern_free(pattern);
    return pattern != NULL;
}

static void what_people_write_compiles(void **unused)
{
    (void)unused;
    static const char *const patterns[] = {
        "",
        "^src/cache\\.p:",
        "(a|b)*c+?",
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "a{20000}",
        "(a{100}){190}",
        "[]a{9}{9}{9}]{9}",
        "[^]{(]{3,}",
        "a\\{99999}",
        "a{,5}",
        "(a{1,100}){0,100}",
        "[[.].]{20000]",
        "a||b|",
        "a)",
        "(((((((((a+)+)+)+)+)+)+)+)+)+",
    };
    char reason[256] = "";
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (!compiles(patterns[i], reason, sizeof reason))
            fail_msg("%s: %s", patterns[i], reason);
}

static void what_is_none_does_not(void **unused)
{
    (void)unused;
    static const struct {
        const char *pattern, *reason; /* reason: its beginning */
    } wrong[] = {
        {"(a", "a ( without"},
        {"[a", "a [ without"},
        {"[]", "a [ without"},
        {"[^]", "a [ without"},
        {"[z-a]", "a range"},
        {"[[:alphabet:]]", "a class"},
        {"[[.ab.]]", "[. .]"},
        {"a\\", "a backslash"},
        {"*a", "a repetition"},
        {"(+)", "a repetition"},
        {"a|?", "a repetition"},
        {"^*", "a repetition"},
        {"{", "a repetition"},
        {"a{x}", "a { without"},
        {"a{1", "a { without"},
        {"a{}", "a { without"},
        {"a{3,2}", "a repetition whose"},
        {"(a)\\1", "a back-reference"},
    };
    char reason[256];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (compiles(wrong[i].pattern, reason, sizeof reason))
            fail_msg("%s compiles", wrong[i].pattern);
        if (strncmp(reason, wrong[i].reason, strlen(wrong[i].reason)) != 0)
            fail_msg("%s: %s", wrong[i].pattern, reason);
    }
}

static void what_takes_all_memory_does_not(void **unused)
{
    (void)unused;
    static char deep[1000], wide[50000], plus[200], alternatives[50000];
    put(deep, "(", 201);
    put(deep, "a", 1);
    put(deep, ")", 201);
    put(wide, "a", 40001);
    put(plus, "(", 21);
    put(plus, "a{2}", 1);
    put(plus, "{2})", 21);
    put(alternatives, "a|", 20001);
    const char *const patterns[] = {"((a{1,255}){1,255}){1,255}",
                                    "a{40001}",
                                    "(a{200}){200}",
                                    "((.{30,}){30,}){40,}",
                                    "(a{99})(b{40000})",
                                    "([a-z]{200}b){200}",
                                    deep,
                                    wide,
                                    plus,
                                    alternatives,
                                    "a{99999999999999999999}"};
    char reason[256];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (compiles(patterns[i], reason, sizeof reason))
            fail_msg("%.40s compiles", patterns[i]);
        assert_string_equal(reason, "it is too large: expected at most 40000 steps with all "
                                    "repetitions written out, and 200 levels");
    }
}

static const struct {
    const char *pattern, *text;
    int begin, end; /* bounds of the match; -1 = no match */
} found[] = {
    {"a|ab|abc", "xabcd", 1, 4}, /* the longest alternative, not the first */
    {"b*", "abb", 0, 0},         /* the leftmost match, although a later match is longer */
    {"x*$", "axx", 1, 3},
    {"^b", "ab", -1, -1},
    {"(^a|b)c", "bcac", 0, 2},
    {"a{2,3}", "aaaa", 0, 3},
    {"(ab){0}c", "abc", 2, 3},
    {"[[:upper:]]\xc3\xbc.", "\xc3\x9c\xc3\xbc\xe2\x82\xac", 0, 7},
    {"[\xc3\xa0-\xc3\xbf]+", "a\xc3\xbc\xc3\xa4z", 1, 5},
    {"[^a]", "\xe2\x82\xac", 0, 3},
    {"\\<[[:alpha:]]+\\>", "1a ab", 3, 5},
    {"\\bOrder\\b", "x.Order:12", 2, 7},
    {"\\w+\\W\\s", "_a1: ", 0, 5},
    {"\\`a\\'", "a", 0, 1},
    {"", "a", 0, 0},
    {"()*a", "a", 0, 1},
    {"a.b", "a\nb", 0, 3},
};

static void the_longest_of_the_leftmost_is_found(void **unused)
{
    (void)unused;
    char reason[256];
    mp_span groups[MP_PATTERN_GROUPS];
    size_t looked;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        mp_pattern *pattern = mp_pattern_new(found[i].pattern, reason, sizeof reason);
        bool fits = mp_pattern_fits(pattern, found[i].text, 0);
        bool here = mp_pattern_find(pattern, found[i].text, 0, groups, &looked);
        if (fits != here || here != (found[i].begin >= 0) ||
            (here &&
             (groups[0].begin != (size_t)found[i].begin || groups[0].end != (size_t)found[i].end)))
            fail_msg("%s in \"%s\": %d %d, %zu to %zu", found[i].pattern, found[i].text, fits, here,
                     groups[0].begin, groups[0].end);
        mp_pattern_free(pattern);
    }
}

/* If matching starts within a text, the text before this position is considered. */
static void what_stands_before_is_seen(void **unused)
{
    (void)unused;
    char reason[256];
    mp_pattern *begin = mp_pattern_new("^a", reason, sizeof reason);
    mp_pattern *word = mp_pattern_new("\\<a", reason, sizeof reason);
    assert_true(mp_pattern_fits(begin, "aa", 0));
    assert_false(mp_pattern_fits(begin, "aa", 1));
    assert_false(mp_pattern_fits(word,
                                 "\xc3\xbc"
                                 "a",
                                 2));
    assert_true(mp_pattern_fits(word, ".a", 1));
    mp_pattern_free(begin);
    mp_pattern_free(word);
}

/* In the C library, each of these patterns takes between half a minute and forever. */
static void long_names_take_no_longer_than_they_are(void **unused)
{
    (void)unused;
    enum { LONG = 1000000 };
    static const char *const patterns[] = {
        "[0-9a]+x",    "(([0-9a]+)+)+x",     "(7*)*x", "(7|7|7)*(7|77)*(7{1,9})*x",
        "(.*.*.*.*)x", "(7|8)*7(7|8){200}x",
    };
    char reason[256], *text = malloc(LONG + 1);
    mp_span groups[MP_PATTERN_GROUPS];
    size_t looked;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        mp_pattern *pattern = mp_pattern_new(patterns[i], reason, sizeof reason);
        memset(text, '7', LONG);
        text[LONG] = '\0';
        assert_false(mp_pattern_fits(pattern, text, 0));
        strcpy(text + LONG / 20 - 1, "x");
        assert_true(mp_pattern_find(pattern, text, 0, groups, &looked));
        assert_int_equal(groups[0].end, LONG / 20);
        mp_pattern_free(pattern);
    }
    free(text);
}

/* --- comparison with the C library --- */

static uint32_t next_random(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static const char *made_of(char *text, const char *const *words, uint32_t count, uint32_t most)
{
    *text = '\0';
    for (uint32_t left = next_random() % (most + 1); left; left--)
        strcat(text, words[next_random() % count]);
    return text;
}
#define MADE_OF(text, words, most) made_of(text, words, sizeof(words) / sizeof *(words), most)

static void hold_against_regexec(const regex_t *regex, const char *expression, const char *text)
{
    char reason[256];
    regmatch_t theirs[MP_PATTERN_GROUPS];
    mp_span ours[MP_PATTERN_GROUPS];
    size_t looked;
    mp_pattern *pattern = mp_pattern_new(expression, reason, sizeof reason);
    if (!pattern)
        fail_msg("%s: %s", expression, reason);
    bool is_theirs = regexec(regex, text, MP_PATTERN_GROUPS, theirs, 0) == 0;
    if (mp_pattern_find(pattern, text, 0, ours, &looked) != is_theirs)
        fail_msg("%s in \"%s\": the C library says %d", expression, text, is_theirs);
    const mp_slice slice = mp_pattern_core(expression);
    memcpy(reason, slice.start, slice.length);
    reason[slice.length] = '\0';
    if (is_theirs && !strstr(text, reason))
        fail_msg("%s in \"%s\" without %s", expression, text, reason);
    /* If a repetition may match the empty text, memprof keeps the last match that is not empty. The
     * C library loses groups before an assertion. */
    bool alike = !strstr(expression, "(a*)*") && !strchr(expression, '\\');
    for (int i = 0; is_theirs && i < (alike ? MP_PATTERN_GROUPS : 1); i++) {
        /* it does not matter which group is empty, or where */
        bool none = ours[i].begin == ours[i].end;
        if (i && none && theirs[i].rm_so == theirs[i].rm_eo)
            continue;
        if (ours[i].begin != (size_t)theirs[i].rm_so || ours[i].end != (size_t)theirs[i].rm_eo)
            fail_msg("%s in \"%s\", group %d: %zd to %zd, the C library says %d to %d", expression,
                     text, i, ours[i].begin, ours[i].end, theirs[i].rm_so, theirs[i].rm_eo);
    }
    mp_pattern_free(pattern);
}

static void expressions_mean_what_they_mean_to_the_c_library(void **unused)
{
    (void)unused;
    static const char *const of_patterns[] = {
        "a",     "b",   "c",   "a",      "b",           "(",       ")",   "|",      "*",
        "+",     "?",   "{2}", "{1,2}",  "{,2}",        "{2,}",    "{0}", "[ab]",   "[^a]",
        ".",     "^",   "$",   "\\w",    "\\b",         "\\<",     "\\>", "\\W",    "\\s",
        "[a-]",  " ",   "\\.", "_",      "[]a]",        "{",       "]",   "[b-c]*", "(a|ab)(c|bcd)",
        "(a*)*", "\\`", "\\'", "(a|b)*", "[[:alpha:]]", "\xc3\xbc"};
    static const char *const of_texts[] = {"a", "b", "c", "d", " ", "\xc3\xbc", "_", "."};
    char expression[200], text[100], reason[256];
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    for (int i = 0; i < 10000; i++) {
        regex_t regex;
        MADE_OF(expression, of_patterns, 8);
        bool theirs = regcomp(&regex, expression, REG_EXTENDED) == 0;
        if (compiles(expression, reason, sizeof reason) != theirs)
            fail_msg("%s: the C library says %d", expression, theirs);
        for (int j = 0; theirs && j < 8; j++)
            hold_against_regexec(&regex, expression, MADE_OF(text, of_texts, 8));
        if (theirs)
            regfree(&regex);
    }
}

static void the_core_of_an_expression_stands_in_it(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"", ""},
        {"shop.p", "shop"},
        {"^s12x:", "s12x:"},
        {"ab*cd?e", "a"},
        {"abc+d", "ab"},
        {"a(order)b", "a"},
        {"a(b)order", "order"},
        {"one|two", ""},
        {"ab[order]", "ab"},
        {"abc{0,1}de", "ab"},
        {"ab\\.order", "order"},
        {"a\xe2\x82\xac*", "a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mp_slice core = mp_pattern_core(cases[i][0]);
        assert_int_equal(core.length, strlen(cases[i][1]));
        assert_memory_equal(core.start, cases[i][1], core.length);
    }
}

/* In the C library "?" may match half a character, so these texts are ASCII. */
static void globs_mean_what_they_mean_to_the_c_library(void **unused)
{
    (void)unused;
    static const char *const of_globs[] = {"*", "*",   "?", "a", "b", "B", "[ab]",        "[!a]",
                                           "[", "\\*", "]", "[", "-", ".", "[[:alpha:]]", "[a-c]"};
    static const char *const of_texts[] = {"a", "b", "B", "c", "*", "]", "\\", "."};
    char glob[200], text[100];
    for (int i = 0; i < 100000; i++) {
        MADE_OF(glob, of_globs, 6);
        MADE_OF(text, of_texts, 8);
        unsigned flags = next_random() % 4;
        int theirs = (flags & MP_GLOB_ANY_CASE ? FNM_CASEFOLD : 0) |
                     (flags & MP_GLOB_NO_ESCAPES ? FNM_NOESCAPE : 0);
        bool fits = fnmatch(glob, text, theirs) == 0;
        if (mp_glob_fits(glob, text, flags) != fits)
            fail_msg("%s on %s (%u): the C library says %d", glob, text, flags, fits);
        const mp_slice slice = mp_glob_core(glob);
        char core[sizeof glob];
        memcpy(core, slice.start, slice.length);
        core[slice.length] = '\0';
        if (flags == 0 && fits && !strstr(text, core))
            fail_msg("%s fits %s without %s", glob, text, core);
        if (flags == 0 && slice.length == strlen(glob))
            assert_int_equal(fits, strcmp(text, glob) == 0);
    }
}

static void the_core_of_a_glob_is_the_longest_text_in_it(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"", ""},
        {"shop.p", "shop.p"},
        {"*shop.*Order*", "shop."},
        {"a*order?s", "order"},
        {"a\\*order", "order"},
        {"x\\", "x"},
        {"ab[order]", "ab"},
        {"?*", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mp_slice core = mp_glob_core(cases[i][0]);
        assert_int_equal(core.length, strlen(cases[i][1]));
        assert_memory_equal(core.start, cases[i][1], core.length);
    }
}

static void globs_know_characters(void **unused)
{
    (void)unused;
    assert_true(mp_glob_fits("?", "\xe2\x82\xac", 0));
    assert_false(mp_glob_fits("??", "\xe2\x82\xac", 0));
    assert_true(mp_glob_fits("*[\xc3\xa4-\xc3\xbc]", "a\xc3\xb6", 0));
    assert_true(mp_glob_fits("\xc3\x84*", "\xc3\xa4pfel", MP_GLOB_ANY_CASE));
    assert_false(mp_glob_fits("\xc3\x84*", "\xc3\xa4pfel", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_people_write_compiles),
        cmocka_unit_test(what_is_none_does_not),
        cmocka_unit_test(what_takes_all_memory_does_not),
        cmocka_unit_test(the_longest_of_the_leftmost_is_found),
        cmocka_unit_test(what_stands_before_is_seen),
        cmocka_unit_test(long_names_take_no_longer_than_they_are),
        cmocka_unit_test(expressions_mean_what_they_mean_to_the_c_library),
        cmocka_unit_test(the_core_of_an_expression_stands_in_it),
        cmocka_unit_test(globs_mean_what_they_mean_to_the_c_library),
        cmocka_unit_test(the_core_of_a_glob_is_the_longest_text_in_it),
        cmocka_unit_test(globs_know_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
