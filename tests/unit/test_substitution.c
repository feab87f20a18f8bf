/* s/REGEX/TEXT/ as in sed -E. The expected results are those that sed prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "compare/digest.h"
#include "compare/substitution.h"

static const struct {
    const char *rule, *text, *expected;
} rewritten[] = {
    {"s/a/b/", "banana", "bbnana"},
    {"s/a/b/g", "banana", "bbnbnb"},
    {"s/x/y/g", "banana", "banana"},
    {"s/a/b/", "", ""},
    {"s/an//", "banana", "bana"},
    {"s/an//g", "banana", "ba"},
    /* groups, and the whole match */
    {"s/([a-z]+)-([0-9]+)/\\2 \\1/", "order-12.p", "12 order.p"},
    {"s/n/<&>/g", "banana", "ba<n>a<n>a"},
    {"s/n/<\\&>/", "banana", "ba<&>ana"},
    {"s/n/\\\\/", "banana", "ba\\ana"},
    {"s/(a)|(n)/[\\1\\2]/g", "ban", "b[a][n]"},
    {"s/(x)?a/[\\1]/", "ba", "b[]"},
    {"s/(.)(.)(.)(.)(.)(.)(.)(.)(.)/\\9\\1/", "123456789", "91"},
    {"s/a/\\10/", "ba", "b0"}, /* the group does not exist, so it is empty */
    /* other delimiters, and escaped ones */
    {"s|/|.|g", "shop/main/p", "shop.main.p"},
    {"s,/,.,", "shop/main/p", "shop.main/p"},
    {"s#a#b#g", "aa", "bb"},
    {"s/\\//./g", "shop/main/p", "shop.main.p"},
    {"s/\\./\\//g", "shop.main.p", "shop/main/p"},
    {"s/\\\\/\\//g", "shop\\main\\p", "shop/main/p"},
    {"s/a/b\\\\/", "a/", "b\\/"},
    {"s|\\\\|/|", "a\\b", "a/b"},
    /* anchors: only the start of the whole text is a start */
    {"s/^a/b/g", "aaa", "baa"},
    {"s/a$/b/g", "aaa", "aab"},
    {"s/^/> /g", "ab", "> ab"},
    {"s/$/ </g", "ab", "ab <"},
    {"s/^$/empty/", "ab", "ab"},
    /* empty matches */
    {"s/x*/-/", "abc", "-abc"},
    {"s/x*/-/g", "abc", "-a-b-c-"},
    {"s/b*/x/g", "abc", "xaxcx"},
    {"s/b*/x/g", "abb", "xax"},
    {"s/b*/x/g", "bab", "xax"},
    {"s/a*|c/x/g", "baac", "xbxx"},
    {"s/x*/-/g", "", "-"},
    /* UTF-8 */
    {"s/b/\xc3\xa4/",
     "a\xc3\xbc"
     "b",
     "a\xc3\xbc\xc3\xa4"},
    {"s/x*/-/g", "\xc3\xbc\xe2\x82\xac", "-\xc3\xbc-\xe2\x82\xac-"},
    {"s/./x/g", "\xc3\xbc\xe2\x82\xac", "xx"},
    {"s/[\xc3\xa4\xc3\xbc]/u/", "\xc3\xbc\xe2\x82\xac", "u\xe2\x82\xac"},
};

static void names_are_rewritten_as_by_sed(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rewritten / sizeof *rewritten; i++) {
        mp_error error = {0};
        if (!mp_substitution_check(rewritten[i].rule, &error))
            fail_msg("%s: %s", rewritten[i].rule, error.text);
        mp_substitutions *rules = mp_substitutions_new(&rewritten[i].rule, 1);
        const char *result = mp_substitute(rules, rewritten[i].text, &error);
        if (strcmp(result, rewritten[i].expected) != 0)
            fail_msg("%s of \"%s\" is \"%s\", not \"%s\"", rewritten[i].rule, rewritten[i].text,
                     result, rewritten[i].expected);
        mp_substitutions_free(rules);
    }
}

static void one_rule_works_on_what_another_left(void **unused)
{
    (void)unused;
    mp_error error = {0};
    static const char *const texts[] = {"s/a/b/", "s/x/y/", "s/bb/c/", "s/c/abc/"};
    mp_substitutions *rules = mp_substitutions_new(texts, 4);
    assert_string_equal(mp_substitute(rules, "ab", &error), "abc");
    assert_string_equal(mp_substitute(rules, "q", &error), "q");
    assert_string_equal(mp_substitute(rules, "c", &error), "abc");
    mp_substitutions_free(rules);
    rules = mp_substitutions_new(NULL, 0);
    const char *text = "ab";
    assert_ptr_equal(mp_substitute(rules, text, &error), text);
    mp_substitutions_free(rules);
}

static void long_names_are_rewritten_whole(void **unused)
{
    (void)unused;
    static char text[5001], expected[10001];
    const char *rule = "s/a/bc/g";
    mp_error error = {0};
    memset(text, 'a', 5000);
    for (size_t i = 0; i < 5000; i++)
        expected[2 * i] = 'b', expected[2 * i + 1] = 'c';
    mp_substitutions *rules = mp_substitutions_new(&rule, 1);
    assert_string_equal(mp_substitute(rules, text, &error), expected);
    mp_substitutions_free(rules);
}

/* From each "a", the search continues to the end of the text, because a longer match may be
 * there. */
static void what_takes_far_too_long_is_told(void **unused)
{
    (void)unused;
    enum { LONG = 80000, NAME = 100 };
    static char text[LONG + 1];
    static const char *const rules[] = {"s/a|a.*x/b/g", "s/.*/&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&/"};
    memset(text, 'a', LONG);
    for (size_t i = 0; i < 2; i++) {
        mp_error error = {0};
        char expected[300];
        mp_substitutions *made = mp_substitutions_new(&rules[i], 1);
        snprintf(expected, sizeof expected,
                 "\"%s\": it takes too long or produces too much for a name of 80000 bytes, "
                 "\"%.40s...\"",
                 rules[i], text);
        assert_null(mp_substitute(made, text, &error));
        assert_string_equal(error.text, expected);
        text[NAME] = '\0';
        assert_non_null(mp_substitute(made, text, &error));
        text[NAME] = 'a';
        mp_substitutions_free(made);
    }
}

static void what_is_no_substitution(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {"",
                                        "s",
                                        "s/",
                                        "s/a",
                                        "s/a/",
                                        "s/a/b",
                                        "s/a/b\\/",
                                        "s//b/",
                                        "s/a/b/i",
                                        "s/a/b/gg",
                                        "s/a/b/ ",
                                        "y/a/b/",
                                        "a",
                                        "s|a|b/",
                                        " s/a/b/",
                                        "s\\a\\b\\",
                                        "s\na\nb\n",
                                        "s\xe2\x86\x92"
                                        "a\xe2\x86\x92"
                                        "b\xe2\x86\x92"};
    mp_error error = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char expected[200];
        snprintf(expected, sizeof expected,
                 "\"%s\" is not a substitution, expected s/REGEX/TEXT/ or s/REGEX/TEXT/g",
                 wrong[i]);
        if (mp_substitution_check(wrong[i], &error))
            fail_msg("%s passes", wrong[i]);
        assert_string_equal(error.text, expected);
    }
    assert_false(mp_substitution_check("s/a/\xff/", &error));
    assert_string_equal(error.text,
                        "the substitution is not UTF-8, expected s/REGEX/TEXT/ in UTF-8");
    static const char *const bad[] = {"s/(/b/", "s/[/b/", "s/a{2,1}/b/"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(mp_substitution_check(bad[i], &error));
        assert_int_equal(error.text[0], '"');
        assert_memory_equal(error.text + 1, bad[i], strlen(bad[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_rewritten_as_by_sed),
        cmocka_unit_test(one_rule_works_on_what_another_left),
        cmocka_unit_test(long_names_are_rewritten_whole),
        cmocka_unit_test(what_takes_far_too_long_is_told),
        cmocka_unit_test(what_is_no_substitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
