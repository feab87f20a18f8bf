/* Units: numbers formatted for people, and numbers that people write. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/share.h"
#include "base/units.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static void bytes(void **unused)
{
    (void)unused;
    static const struct {
        int64_t bytes;
        const char *text, *exact, *with_sign;
    } cases[] = {
        {0, "0 B", "0", "0 B"},
        {1, "1 B", "1", "+1 B"},
        {-1, "-1 B", "-1", "-1 B"},
        {1023, "1023 B", "1023", "+1023 B"},
        {1024, "1.0 KiB", "1024", "+1.0 KiB"},
        {1536, "1.5 KiB", "1536", "+1.5 KiB"},
        {-1536, "-1.5 KiB", "-1536", "-1.5 KiB"},
        /* 1023.9 KiB is 1048473.6 bytes; from 1023.95 KiB on it is 1.0 MiB. */
        {1048473, "1023.9 KiB", "1048473", "+1023.9 KiB"},
        {1048525, "1.0 MiB", "1048525", "+1.0 MiB"},
        {MIB - 1, "1.0 MiB", "1048575", "+1.0 MiB"},
        {MIB, "1.0 MiB", "1048576", "+1.0 MiB"},
        {GIB - 1, "1.0 GiB", "1073741823", "+1.0 GiB"},
        {GIB, "1.0 GiB", "1073741824", "+1.0 GiB"},
        {GIB * 1024, "1.0 TiB", "1099511627776", "+1.0 TiB"},
        {GIB * MIB, "1.0 PiB", "1125899906842624", "+1.0 PiB"},
        {GIB * GIB, "1.0 EiB", "1152921504606846976", "+1.0 EiB"},
        {INT64_MAX, "8.0 EiB", "9223372036854775807", "+8.0 EiB"},
        {INT64_MIN, "-8.0 EiB", "-9223372036854775808", "-8.0 EiB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MP_UNIT_TEXT];
        mp_format_bytes(text, cases[i].bytes, false, false);
        assert_string_equal(text, cases[i].text);
        mp_format_bytes(text, cases[i].bytes, true, false);
        assert_string_equal(text, cases[i].exact);
        mp_format_bytes(text, cases[i].bytes, false, true);
        assert_string_equal(text, cases[i].with_sign);
    }
}

/* Around every boundary of tenths, as the C library formats the same number. */
static void bytes_are_rounded_as_by_printf(void **unused)
{
    (void)unused;
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    for (int unit = 1; unit <= 6; unit++)
        for (int twentieths = 20; twentieths < (unit < 6 ? 20470 : 160); twentieths++)
            for (int64_t near = -1; near <= 1; near++) {
                const int64_t one = INT64_C(1) << 10 * unit;
                const int64_t bytes = one / 20 * twentieths + one % 20 * twentieths / 20 + near;
                char text[MP_UNIT_TEXT], expected[64];
                if (bytes < one)
                    continue;
                snprintf(expected, sizeof expected, "%.1f %s", (double)bytes / (double)one,
                         units[unit]);
                mp_format_bytes(text, bytes, false, false);
                assert_string_equal(text, expected);
            }
}

static void bytes_that_are_not_whole(void **unused)
{
    (void)unused;
    static const struct {
        double bytes;
        const char *text, *exact, *with_sign;
    } cases[] = {
        {0, "0 B", "0", "0 B"},
        {-0.04, "0 B", "0", "0 B"},
        {0.5, "0.5 B", "0.5", "+0.5 B"},
        {-12.34, "-12.3 B", "-12.3", "-12.3 B"},
        {12.96, "13 B", "13", "+13 B"},
        {1023.5, "1023.5 B", "1023.5", "+1023.5 B"},
        {1024.5, "1.0 KiB", "1024.5", "+1.0 KiB"},
        {1536, "1.5 KiB", "1536", "+1.5 KiB"},
        {1e300, "7.8 EiB", "9000000000000000000", "+7.8 EiB"},
        {-0x1p64, "-7.8 EiB", "-9000000000000000000", "-7.8 EiB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MP_UNIT_TEXT];
        mp_format_byte_rate(text, cases[i].bytes, false, false);
        assert_string_equal(text, cases[i].text);
        mp_format_byte_rate(text, cases[i].bytes, true, false);
        assert_string_equal(text, cases[i].exact);
        mp_format_byte_rate(text, cases[i].bytes, false, true);
        assert_string_equal(text, cases[i].with_sign);
    }
}

static void counts(void **unused)
{
    (void)unused;
    static const struct {
        int64_t count;
        bool with_sign;
        const char *text;
    } cases[] = {
        {0, false, "0"},
        {0, true, "0"},
        {7, true, "+7"},
        {-7, false, "-7"},
        {999, false, "999"},
        {1000, false, "1,000"},
        {-1000, true, "-1,000"},
        {12345, false, "12,345"},
        {999999, true, "+999,999"},
        {1000000, false, "1,000,000"},
        {INT64_MAX, true, "+9,223,372,036,854,775,807"},
        {INT64_MIN, false, "-9,223,372,036,854,775,808"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MP_UNIT_TEXT];
        mp_format_count(text, cases[i].count, cases[i].with_sign);
        assert_string_equal(text, cases[i].text);
    }
}

static void times(void **unused)
{
    (void)unused;
    static const struct {
        int64_t us;
        const char *time, *seconds;
    } cases[] = {
        {0, "0:00:00.000", "0.000000"},
        {1, "0:00:00.000", "0.000001"},
        {3155, "0:00:00.003", "0.003155"},
        {999999, "0:00:00.999", "0.999999"},
        {INT64_C(62345000), "0:01:02.345", "62.345000"},
        {INT64_C(3599999999), "0:59:59.999", "3599.999999"},
        {INT64_C(3600000000), "1:00:00.000", "3600.000000"},
        {INT64_C(360000000000), "100:00:00.000", "360000.000000"},
        {-INT64_C(1500000), "-0:00:01.500", "-1.500000"},
        {INT64_MAX, "2562047788:00:54.775", "9223372036854.775807"},
        {INT64_MIN, "-2562047788:00:54.775", "-9223372036854.775808"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MP_UNIT_TEXT];
        mp_format_time(text, cases[i].us);
        assert_string_equal(text, cases[i].time);
        mp_format_seconds(text, cases[i].us, false);
        assert_string_equal(text, cases[i].seconds);
        mp_format_seconds(text, cases[i].us, true);
        assert_string_equal(text + (cases[i].us > 0), cases[i].seconds);
        assert_int_equal(text[0] == '+', cases[i].us > 0);
    }
}

static void durations(void **unused)
{
    (void)unused;
    static const struct {
        int64_t us;
        const char *text;
    } cases[] = {
        {0, "0 us"},         {999, "999 us"},           {1000, "1.00 ms"},
        {1024, "1.02 ms"},   {4096, "4.10 ms"},         {999994, "999.99 ms"},
        {999995, "1.00 s"},  {1235000, "1.24 s"},       {59994999, "59.99 s"},
        {-2048, "-2.05 ms"}, {59995000, "0:00:59.995"}, {INT64_MAX, "2562047788:00:54.775"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MP_UNIT_TEXT];
        mp_format_duration(text, cases[i].us);
        assert_string_equal(text, cases[i].text);
    }
}

static void percents(void **unused)
{
    (void)unused;
    static const struct {
        double percent;
        bool with_sign;
        const char *text;
    } cases[] = {
        {0, false, "0.0"},       {0, true, "0.0"},        {12.5, false, "12.5"},
        {12.5, true, "+12.5"},   {-12.5, false, "-12.5"}, {100, false, "100.0"},
        {99.96, false, "100.0"}, {-0.04, false, "0.0"},   {0.04, true, "0.0"},
        {-0.06, true, "-0.1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MP_UNIT_TEXT];
        mp_format_percent(text, cases[i].percent, cases[i].with_sign);
        assert_string_equal(text, cases[i].text);
    }
}

static const struct {
    const char *text;
    int64_t bytes; /* -1 = refused */
} sizes[] = {
    {"0", 0},
    {"1536", 1536},
    {"1536 ", 1536},
    {"1536B", 1536},
    {"1536 b", 1536},
    {"1.5KiB", 1536},
    {"1.5 K", 1536},
    {"1.5k", 1536},
    {"1.5 kb", 1536},
    {"2MB", 2 * MIB},
    {"2 MiB", 2 * MIB},
    {"1G", GIB},
    {"1gib", GIB},
    {"1T", GIB * 1024},
    {"7E", 7 * GIB *GIB},
    {"0.5", 0},
    {"1e3", 1000},
    {"1.5e3K", 1500 * KIB},
    {"25e-1K", 2560},
    {"1.K", KIB},
    {"1.1K", 1126},
    /* beyond the precision of a double */
    {"9007199254740993", INT64_C(9007199254740993)},
    {"9007199254740995 B", INT64_C(9007199254740995)},
    {"9223372036854775807", INT64_MAX},
    {"8388607.999999999999T", INT64_C(9223372036854775806)},
    {"1e18", INT64_C(1000000000000000000)},
    {"0.000000000000000001e18", 1},
    {"1e-400", 0},
    {"1e19", -1},
    {"0e999999999999999999999", -1},
    {"9007199254740992K", -1},
    {"8E", -1},
    {"9223372036854775808", -1},
    {"1e400", -1},
    {"", -1},
    {" 1", -1},
    {"-1", -1},
    {"+1", -1},
    {"K", -1},
    {"1X", -1},
    {"1KK", -1},
    {"1KiBs", -1},
    {"1 K 2", -1},
    {"0x10", -1},
    {"inf", -1},
    {"nan", -1},
    {"1,5K", -1},
    {"10%", -1},
    {".5K", -1},
};

static void sizes_that_people_write(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t found = -1;
        bool ok = mp_parse_bytes(sizes[i].text, &found);
        if (ok != (sizes[i].bytes >= 0) || (ok && found != sizes[i].bytes))
            fail_msg("\"%s\": %d, %" PRId64, sizes[i].text, ok, found);
    }
}

static void percents_that_people_write(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int64_t millionths; /* -1 = refused */
    } cases[] = {
        {"10%", 10000000},
        {"0.5 %", 500000},
        {"250%", 250000000},
        {"35.48%", 35480000},
        {"0.000001%", 1},
        {"1e2%", 100000000},
        {"0.0000001%", -1},
        {"9223372036854.775807%", INT64_MAX},
        {"9223372036854.775808%", -1},
        {"10", -1},
        {"-1%", -1},
        {"%", -1},
        {"10%%", -1},
        {"10 K", -1},
        {"1e999%", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t found = -1;
        bool ok = mp_parse_percent(cases[i].text, &found);
        if (ok != (cases[i].millionths >= 0) || (ok && found != cases[i].millionths))
            fail_msg("\"%s\": %d, %" PRId64, cases[i].text, ok, found);
    }
}

static void times_that_people_write(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int64_t us; /* -1 = refused */
    } cases[] = {
        {"0", 0},
        {"1500", 1500},
        {"1500us", 1500},
        {"250ms", 250000},
        {"90s", 90000000},
        {"1.5s", 1500000},
        {"5min", 300000000},
        {"1h", 3600000000},
        {"1:30", 90000000},
        {"1:02:03.5", 3723500000},
        {"1.0000019s", 1000001},
        {"1.0000019min", 60000114},
        {"2305843009214us", 2305843009214},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775807us", INT64_MAX},
        {"9223372036854775807.9us", INT64_MAX},
        {"9223372036854775808us", -1},
        {"9223372036854775.807ms", INT64_MAX},
        {"9223372036854.775807s", INT64_MAX},
        {"9223372036854.775808s", -1},
        {"153722867280:54.775807", INT64_MAX},
        {"153722867280:54.775808", -1},
        {"1e3", -1},
        {"1.5 s", -1},
        {"", -1},
        {"s", -1},
        {"-1", -1},
        {"1.", -1},
        {"1:", -1},
        {"1:2:3:4", -1},
        {"1.5:2", -1},
        {"5 apples", -1},
        {"99999999999999999999", -1},
        {"9999999999999999:00:00", -1},
        /* these are more microseconds than 63 bits hold, although the seconds fit */
        {"2000000000000h", -1},
        {"99999999999h", -1},
        {"100000000000min", 6000000000000000000},
        {"2000000000000min", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t found = -1;
        bool ok = mp_parse_time(cases[i].text, &found);
        if (ok != (cases[i].us >= 0) || (ok && found != cases[i].us))
            fail_msg("\"%s\": %d, %" PRId64, cases[i].text, ok, found);
    }
}

static void days_that_people_write(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int32_t date; /* 0 = refused */
    } cases[] = {
        {"2027-06-30", 20270630},
        {"0001-01-01", 10101},
        {"9999-12-31", 99991231},
        {"2028-02-29", 20280229},
        {"2000-02-29", 20000229},
        {"2027-02-29", 0},
        {"2100-02-29", 0},
        {"2027-04-31", 0},
        {"2027-00-10", 0},
        {"2027-13-01", 0},
        {"2027-01-00", 0},
        {"2027-01-32", 0},
        {"0000-01-01", 0},
        {"2027-6-30", 0},
        {"2027-06-3", 0},
        {"2027-06-300", 0},
        {"2027/06/30", 0},
        {"30.06.2027", 0},
        {"", 0},
        {" 2027-06-30", 0},
        {"20270630", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t found = 0;
        bool ok = mp_parse_date(cases[i].text, &found);
        if (ok != (cases[i].date != 0) || (ok && found != cases[i].date))
            fail_msg("\"%s\": %d, %" PRId32, cases[i].text, ok, found);
    }
}

/* Expected values are calculated with date -u -d STAMP +%s. */
static void stamps_are_read(void **unused)
{
    static const struct {
        const char *text;
        int64_t us; /* -1 = no time stamp */
    } cases[] = {
        {"2022-02-01T08:01:39.967+05:00", 1643684499967000},
        {"2022-02-01T03:01:39.967Z", 1643684499967000},
        {"2022-02-01T03:01:39Z", 1643684499000000},
        {"2022-02-01T01:31:39.000001-01:30", 1643684499000001},
        {"1970-01-01T00:00:00Z", 0},
        {"2024-02-29T23:59:59.999999Z", 1709251199999999},
        {"2016-12-31T23:59:60Z", 1483228800000000},
        {"2022-02-01T00:00:00+23:59", 1643587260000000},
        {"9999-12-31T23:59:59Z", 253402300799000000},
        {"0000-01-01T00:00:00Z", -1},
        {"2026-02-31T00:00:00Z", -1},
        {"2026-02-29T00:00:00Z", -1},
        {"2026-00-01T00:00:00Z", -1},
        {"2026-13-01T00:00:00Z", -1},
        {"2026-01-00T00:00:00Z", -1},
        {"2026-03-02T24:00:00Z", -1},
        {"2026-03-02T25:00:00Z", -1},
        {"2026-03-02T08:60:00+01:00", -1},
        {"2026-03-02T08:61:00+01:00", -1},
        {"2026-03-02T08:01:61+01:00", -1},
        {"2026-03-02T08:01:00+24:00", -1},
        {"2026-03-02T08:01:00+01:60", -1},
        {"2022-13-45T99:99:99Z", -1},
        {"2022-02-01T08:01:39.967", -1},
        {"2022-02-01T08:01:39.Z", -1},
        {"2022-02-01T08:01:39.1234567Z", -1},
        {"2022-02-01 08:01:39Z", -1},
        {"2022-02-01T08:01:39+0500", -1},
        {"2022-02-01T08:01:39Z ", -1},
        {"2022-02-01", -1},
        {"", -1},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t found = -2;
        bool ok = mp_parse_stamp(cases[i].text, &found);
        if (ok != (cases[i].us >= 0) || (ok && found != cases[i].us))
            fail_msg("\"%s\": %d, %" PRId64, cases[i].text, ok, found);
    }
}

/* Before 1970, fractions of a second also count forward. */
static void stamps_are_written(void **unused)
{
    static const struct {
        int64_t us;
        const char *text, *exact; /* NULL = the date is beyond the calendar */
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000000Z"},
        {1643684499967001, "2022-02-01T03:01:39.967Z", "2022-02-01T03:01:39.967001Z"},
        {-1, "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999999Z"},
        {-86400 * 1000000LL - 750000, "1969-12-30T23:59:59.250Z", "1969-12-30T23:59:59.250000Z"},
        {INT64_MAX, NULL, NULL},
        {INT64_MIN, NULL, NULL},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MP_UNIT_TEXT];
        bool is = cases[i].text;
        assert_int_equal(mp_format_utc(text, cases[i].us), is);
        assert_string_equal(is ? text : "", is ? cases[i].text : "");
        assert_int_equal(mp_format_utc_exact(text, cases[i].us), is);
        assert_string_equal(is ? text : "", is ? cases[i].exact : "");
    }
}

/* Shares are exact, as if computed with integers of any size. */
static void shares_are_exact(void **unused)
{
    (void)unused;
    static const struct {
        int64_t amount, part, whole, share;
    } cases[] = {
        {INT64_C(0), INT64_C(0), INT64_C(1), INT64_C(0)},
        {INT64_C(10), INT64_C(1), INT64_C(3), INT64_C(3)},
        {INT64_C(9223372036854775807), INT64_C(1), INT64_C(1), INT64_C(9223372036854775807)},
        {INT64_C(9223372036854775807), INT64_C(9223372036854775807), INT64_C(9223372036854775807),
         INT64_C(9223372036854775807)},
        {INT64_C(9223372036854775806), INT64_C(9223372036854775806), INT64_C(9223372036854775807),
         INT64_C(9223372036854775805)},
        {INT64_C(9007199254740993), INT64_C(1), INT64_C(1), INT64_C(9007199254740993)},
        {INT64_C(9007199254740993), INT64_C(9007199254740991), INT64_C(9007199254740992),
         INT64_C(9007199254740991)},
        {INT64_C(9223372036854775807), INT64_C(3), INT64_C(7), INT64_C(3952873730080618203)},
        {INT64_C(2305843009213693951), INT64_C(2305843009213693950), INT64_C(2305843009213693951),
         INT64_C(2305843009213693950)},
        {INT64_C(6000000000000000000), INT64_C(5000000000000000000), INT64_C(7000000000000000000),
         INT64_C(4285714285714285714)},
        {INT64_C(1), INT64_C(9223372036854775806), INT64_C(9223372036854775807), INT64_C(0)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_share(cases[i].amount, cases[i].part, cases[i].whole), cases[i].share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_exact),
        cmocka_unit_test(bytes),
        cmocka_unit_test(bytes_are_rounded_as_by_printf),
        cmocka_unit_test(bytes_that_are_not_whole),
        cmocka_unit_test(counts),
        cmocka_unit_test(times),
        cmocka_unit_test(durations),
        cmocka_unit_test(percents),
        cmocka_unit_test(sizes_that_people_write),
        cmocka_unit_test(percents_that_people_write),
        cmocka_unit_test(times_that_people_write),
        cmocka_unit_test(days_that_people_write),
        cmocka_unit_test(stamps_are_read),
        cmocka_unit_test(stamps_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
