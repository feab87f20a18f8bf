#include "readers/dump_order.h"

#include <string.h>

#include "base/diagnose.h"

int64_t mp_dump_interval(int64_t begin, int64_t end)
{
    uint32_t later = (uint32_t)(end - begin);
    return begin >= 0 && end >= 0 && later <= INT32_MAX ? (int64_t)later : -1;
}

static const char *skip_number(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* Return true if the paths differ only in numbers, and the first path has the higher numbers. It is
 * then probably a later dump. */
static bool is_numbered_after(const char *first, const char *second)
{
    const char *a = first, *b = second;
    while (*a || *b) {
        const char *end_a = skip_number(a), *end_b = skip_number(b);
        bool numbers = end_a > a && end_b > b;
        if (!numbers && *a != *b)
            return false;
        a = numbers ? end_a : a + 1;
        b = numbers ? end_b : b + 1;
    }
    return strverscmp(first, second) > 0;
}

void mp_dump_order_check(mp_dump_order *order, mp_model *model, mp_diagnostics *diagnostics,
                         const char *path, int64_t stamp)
{
    bool both = order->stamp >= 0 && stamp >= 0, same = stamp == order->stamp;
    bool earlier = both && mp_dump_interval(order->stamp, stamp) < 0;
    if (earlier)
        mp_diagnose(diagnostics, MP_DIAG_TIME_ORDER, path, 0,
                    "has an earlier time stamp than the dump before it, expected the oldest first; "
                    "growth may be in the wrong order");
    if (order->path && !model->misplaced &&
        (earlier || ((!both || same) && is_numbered_after(order->path, path))))
        model->misplaced = path;
    order->path = path;
    if (stamp >= 0)
        order->stamp = stamp;
}
