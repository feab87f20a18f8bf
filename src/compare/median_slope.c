/* A slope between two values is more than s if and only if what is left of them without s grows: so
 * slopes above s are counted without being made, and the median is found by halving. */
#include "compare/median_slope.h"

#include <assert.h>

typedef struct series {
    int64_t at[MP_SLOPE_VALUES];
    int64_t place[MP_SLOPE_VALUES]; /* builds since the first */
    size_t count;
    size_t lower; /* so many slopes are at least the median, it included */
    int64_t unit; /* of the values */
    int64_t low, high;
} series;

/* A step from one value to the next, by its place; 0: there is none. */
typedef struct jump {
    size_t place;
    int64_t size;
} jump;

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

static int64_t range_of(const int64_t *values, size_t count)
{
    int64_t low = values[0], high = values[0];
    for (size_t i = 1; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return high - low;
}

/* The largest step, if it is more than twice of all that happens before it, and behind it. */
static jump jump_of(const int64_t *values, size_t count)
{
    jump largest = {0, 0};
    for (size_t i = 1; i < count; i++)
        if (distance(values[i], values[i - 1]) > distance(largest.size, 0))
            largest = (jump){i, values[i] - values[i - 1]};
    int64_t half = distance(largest.size, 0) / 2 + distance(largest.size, 0) % 2;
    bool alone = count >= MP_SLOPE_JUMPS && largest.place &&
                 range_of(values, largest.place) < half &&
                 range_of(values + largest.place, count - largest.place) < half;
    return alone ? largest : (jump){0, 0};
}

static series series_of(const int64_t *values, size_t count)
{
    jump out = jump_of(values, count);
    series of = {.count = count < MP_SLOPE_VALUES ? count : MP_SLOPE_VALUES, .unit = 1};
    assert(count >= 2);
    for (size_t i = 0; i < of.count; i++) {
        size_t place = i * (count - 1) / (of.count - 1);
        of.place[i] = (int64_t)place;
        of.at[i] = values[place] - (out.place && place >= out.place ? out.size : 0);
        of.low = i && of.low < of.at[i] ? of.low : of.at[i];
        of.high = i && of.high > of.at[i] ? of.high : of.at[i];
    }
    while (of.high / of.unit - of.low / of.unit > INT64_MAX / 4 / (int64_t)count)
        of.unit *= 2;
    for (size_t i = 0; i < of.count; i++)
        of.at[i] = of.at[i] / of.unit - of.low / of.unit;
    size_t pairs = of.count * (of.count - 1) / 2;
    of.lower = pairs - (pairs - 1) / 2;
    return of;
}

/* Whether the median is at least the slope. */
static bool reaches(const series *of, int64_t slope)
{
    int64_t left[MP_SLOPE_VALUES];
    size_t reached = 0;
    for (size_t i = 0; i < of->count; i++) {
        left[i] = of->at[i] - slope * of->place[i];
        size_t here = 0;
        for (size_t j = 0; j < i; j++)
            here += left[j] <= left[i];
        reached += here;
    }
    return reached >= of->lower;
}

int64_t mp_median_slope(const int64_t *values, size_t count)
{
    series of = series_of(values, count);
    int64_t range = of.high / of.unit - of.low / of.unit, low = -range, high = range + 1;
    while (high - low > 1) { /* it reaches low and does not reach high */
        int64_t middle = low + (high - low) / 2;
        if (reaches(&of, middle))
            low = middle;
        else
            high = middle;
    }
    return low * of.unit;
}

bool mp_median_slope_exceeds(const int64_t *values, size_t count, int64_t limit)
{
    series of = series_of(values, count);
    int64_t left[MP_SLOPE_VALUES], range = of.high / of.unit - of.low / of.unit;
    size_t above = 0;
    if (limit / of.unit > range)
        return false;
    if (limit / of.unit < -range)
        return true;
    for (size_t i = 0; i < of.count; i++) {
        left[i] = of.at[i] - limit / of.unit * of.place[i];
        for (size_t j = 0; j < i; j++)
            above += left[j] < left[i];
    }
    return above >= of.lower;
}
