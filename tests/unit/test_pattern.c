/* Regular expressions: large ones are refused before the compiler of them takes all memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pattern.h"

/* The text so many times. */
static void put(char *to, const char *text, int times)
{
    while (times--)
        strcat(to, text);
}

static bool compiles(const char *pattern, char *reason, size_t size)
{
    regex_t regex;
    bool ok = mp_pattern_compile(&regex, pattern, REG_NOSUB, reason, size);
    if (ok)
        regfree(&regex);
    return ok;
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
        "[[:alpha:]{99999]{3}",
        "a\\{99999}",
        "a{,5}",
        "{",
        "a{x}",
        "(a{1,100}){0,100}",
        "[[.].]{20000]",
        "(((((((((a+)+)+)+)+)+)+)+)+)+",
    };
    char reason[256] = "";
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        regex_t regex;
        /* the same as regcomp thinks of it */
        int wrong = regcomp(&regex, patterns[i], REG_EXTENDED | REG_NOSUB);
        if (compiles(patterns[i], reason, sizeof reason) != (wrong == 0))
            fail_msg("%s: %s", patterns[i], reason);
        if (!wrong)
            regfree(&regex);
    }
}

static void what_takes_all_memory_does_not(void **unused)
{
    (void)unused;
    static char deep[1000], wide[30000], plus[200], alternatives[50000];
    put(deep, "(", 201);
    put(deep, "a", 1);
    put(deep, ")", 201);
    put(wide, "a", 20001);
    put(plus, "(", 21);
    put(plus, "a", 1);
    put(plus, "+)", 21);
    put(alternatives, "a|", 10001);
    const char *const patterns[] = {"((a{1,255}){1,255}){1,255}",
                                    "a{20001}",
                                    "(a{200}){200}",
                                    "((.{30,}){30,}){30,}",
                                    "(a{99})(b{30000})",
                                    "([a-z]{200}b){100}",
                                    deep,
                                    wide,
                                    plus,
                                    alternatives,
                                    "a{99999999999999999999}"};
    char reason[256];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (compiles(patterns[i], reason, sizeof reason))
            fail_msg("%.40s compiles", patterns[i]);
        assert_string_equal(reason, "it has more than 20000 characters with all repetitions "
                                    "written out, or more than 200 levels");
    }
    assert_false(compiles("(a", reason, sizeof reason));
    assert_null(strstr(reason, "characters"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_people_write_compiles),
        cmocka_unit_test(what_takes_all_memory_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
