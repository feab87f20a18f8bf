/* Texts are those of the C library, also if they are cut. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/format.h"

__attribute__((format(printf, 1, 2))) static void is_formatted(const char *format, ...)
{
    char text[64], expected[64];
    for (size_t size = 0; size <= sizeof text; size++) {
        va_list arguments, again;
        va_start(arguments, format);
        va_copy(again, arguments);
        memset(text, '!', sizeof text);
        memset(expected, '!', sizeof expected);
        const int length = vsnprintf(expected, size, format, arguments);
        assert_int_equal(mp_format_list(text, size, format, again), length);
        assert_memory_equal(text, expected, sizeof text);
        va_end(again);
        va_end(arguments);
    }
}

static void formats_with_own_conversions(void **unused)
{
    (void)unused;
    const char *volatile empty = "", *volatile no_text = NULL;
    is_formatted("%s", empty);
    is_formatted("plain");
    is_formatted("%s%s: %s", "a", "", "words");
    is_formatted("%.*s|%.*s|%.*s|%.*s", 2, "abc", 0, "abc", 9, "abc", -1, "abc");
    is_formatted("%.*s.", 0, no_text);
    is_formatted("%d %d %d %d", 0, 7, INT_MIN, INT_MAX);
    is_formatted("%u %u", 0U, UINT_MAX);
    is_formatted("%ld %ld %ld", LONG_MIN, LONG_MAX, -1L);
    is_formatted("%lu %zu %zd", ULONG_MAX, SIZE_MAX, (ssize_t)-5);
    is_formatted("%d %% of %s", 5, "all");
}

static void formats_with_others(void **unused)
{
    (void)unused;
    is_formatted("%s %.1f %d", "a", 2.25, 3);
    is_formatted("%d %5d %-5d| %05u %x", 1, 2, 3, 4U, 0xabcU);
    is_formatted("%s %lld %c %.3s %*s", "a", -5LL, 'x', "abcdef", 4, "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_with_own_conversions),
        cmocka_unit_test(formats_with_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
