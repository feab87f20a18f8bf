/* Units: the one place where numbers become text for people, and text of people numbers. */
#ifndef MP_BASE_UNITS_H
#define MP_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MP_UNIT_TEXT = 48 }; /* room for any number with its unit */

/* "512 B", "1.5 KiB"; `exact`: "1536". Binary units, one decimal. */
void mp_format_bytes(char *text, int64_t bytes, bool exact, bool with_sign);
/* The same of bytes that need not be whole: below 1024, or where exact, "12.5 B", "12.5"; whole
 * ones without the decimal. */
void mp_format_byte_rate(char *text, double bytes, bool exact, bool with_sign);
/* "1,234,567" */
void mp_format_count(char *text, int64_t count, bool with_sign);
/* Microseconds as "0:01:02.345" */
void mp_format_time(char *text, int64_t us);
/* Microseconds as an age: "5 us", "1.25 ms", "3.10 s", and as by mp_format_time from a minute. */
void mp_format_duration(char *text, int64_t us);
/* Microseconds as seconds with six decimals: "0.003155" */
void mp_format_seconds(char *text, int64_t us, bool with_sign);
/* Microseconds since 1970 as "2022-02-01T03:01:39.967Z"; false beyond the calendar. */
bool mp_format_utc(char *text, int64_t us);
/* Likewise, with all of its six decimals. */
bool mp_format_utc_exact(char *text, int64_t us);
/* One decimal: "12.5". With a sign it is a change: from ten times as much on, "x 624". */
void mp_format_percent(char *text, double percent, bool with_sign);
/* A change with its unit: "+12.5 %", "x 624" */
void mp_format_change(char *text, double percent);

/* Return the sum, or INT64_MAX on overflow, of non-negative amounts that are not part of any
 * budget, such as those stated by a file. */
static inline int64_t mp_sum_capped(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* 0 of nothing. */
static inline double mp_percent_of(int64_t part, int64_t whole)
{
    return whole ? (double)part * 100 / (double)whole : 0;
}

/* "1536", "1.5KiB", "1.5 K", "2MB", "1G": 1024s in each case, as people who write MB mean it here.
 */
bool mp_parse_bytes(const char *text, int64_t *bytes);
/* "1500" (microseconds), "1500us", "250ms", "90s", "1.5s", "5min", "1:02:03.5"; exact to the
 * microsecond. */
bool mp_parse_time(const char *text, int64_t *us);
/* "2022-02-01T08:01:39.967+05:00", with up to six decimals, or Z for the offset, as microseconds
 * since 1970. False where calendar and clock have no such moment. */
bool mp_parse_stamp(const char *text, int64_t *us);

/* A moment of a recording: since its start, or since 1970 in UTC. */
typedef struct mp_moment {
    bool given, absolute;
    int64_t us;
} mp_moment;
/* As mp_parse_time or mp_parse_stamp. */
bool mp_parse_moment(const char *text, mp_moment *moment);
/* Since the start of a recording that began `start_us` after 1970. */
static inline int64_t mp_moment_us(const mp_moment *moment, int64_t start_us)
{
    return moment->absolute ? moment->us - start_us : moment->us;
}
static inline bool mp_moment_is(const mp_moment *a, const mp_moment *b)
{
    return a->given == b->given && (!a->given || (a->absolute == b->absolute && a->us == b->us));
}
/* "2027-06-30" as 20270630, which orders as days do; false where the calendar (of any year from 1
 * to 9999, Gregorian) has no such day. */
bool mp_parse_date(const char *text, int32_t *date);
/* "12": from 0 to INT32_MAX. */
bool mp_parse_count(const char *text, int64_t *count);
/* "10%", in millionths of a percent, of which there is no half. */
bool mp_parse_percent(const char *text, int64_t *millionths);

#endif
