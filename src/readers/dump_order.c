#include "readers/dump_order.h"

#include <string.h>

static const char *skip_number(const char *text)
{
    return text + strspn(text, "0123456789");
}

bool mp_is_numbered_behind(const char *first, const char *second)
{
    const char *a = first, *b = second;
    while (*a || *b) {
        const char *behind_a = skip_number(a), *behind_b = skip_number(b);
        bool numbers = behind_a > a && behind_b > b;
        if (!numbers && *a != *b)
            return false;
        a = numbers ? behind_a : a + 1;
        b = numbers ? behind_b : b + 1;
    }
    return strverscmp(first, second) > 0;
}
