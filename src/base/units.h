/* Units: conversion of numbers to text for people, and back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MP_UNIT_TEXT = 48 }; /* buffer size for any number with its unit */

/* Format bytes with binary units and one decimal, "512 B" or "1.5 KiB"; with `exact`, "1536". */
void mp_format_bytes(char *text, int64_t bytes, bool exact, bool with_sign);
/* Format a fractional number of bytes. Below 1 KiB, and with `exact`, it has one decimal unless it
 * is whole: "12.5 B" or "12.5". Otherwise it is formatted like mp_format_bytes. */
void mp_format_byte_rate(char *text, double bytes, bool exact, bool with_sign);
/* Format a number as "1,234,567". */
void mp_format_count(char *text, int64_t count, bool with_sign);
/* Format microseconds as "0:01:02.345". */
void mp_format_time(char *text, int64_t us);
/* Format microseconds as an age: "5 us", "1.25 ms", "3.10 s"; from a minute on, like
 * mp_format_time. */
void mp_format_duration(char *text, int64_t us);
/* Format microseconds as seconds with six decimals: "0.003155". */
void mp_format_seconds(char *text, int64_t us, bool with_sign);
/* Format microseconds since 1970 as "2022-02-01T03:01:39.967Z". Return false if the year has more
 * than four digits. */
bool mp_format_utc(char *text, int64_t us);
/* Format like mp_format_utc, with six decimals. */
bool mp_format_utc_exact(char *text, int64_t us);
/* Format a percentage with one decimal: "12.5". With a sign it is a change: "+12.5". A change by a
 * factor of 10 or more is printed as the factor: "x 624". */
void mp_format_percent(char *text, double percent, bool with_sign);
/* Format a change with its unit: "+12.5 %", "x 624". */
void mp_format_change(char *text, double percent);

/* Order two numbers for qsort: below 0, 0 or above 0. */
#define MP_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Return the sum of two non-negative amounts, or INT64_MAX on overflow. It is for amounts that no
 * budget limits, such as totals stated by a file. */
static inline int64_t mp_sum_capped(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Return `part` as a percentage of `whole`; 0 if `whole` is 0. */
static inline double mp_percent_of(int64_t part, int64_t whole)
{
    return whole ? (double)part * 100 / (double)whole : 0;
}

/* Parse a size: "1536", "1.5KiB", "1.5 K", "2MB", "1G". All units are binary: MB means MiB. */
bool mp_parse_bytes(const char *text, int64_t *bytes);
/* Parse a time: "1500" (microseconds), "1500us", "250ms", "90s", "1.5s", "5min", "1:02:03.5". The
 * result is exact to the microsecond. */
bool mp_parse_time(const char *text, int64_t *us);
/* Parse a date and time, "2022-02-01T08:01:39.967+05:00", to microseconds since 1970. The time may
 * have up to six decimals; the offset may be Z. Return false if the date or time does not exist. */
bool mp_parse_stamp(const char *text, int64_t *us);

/* A moment of a recording: microseconds since its start, or since 1970 in UTC if `absolute`. */
typedef struct mp_moment {
    bool given, absolute;
    int64_t us;
} mp_moment;
/* Parse a moment, in a form of mp_parse_time or mp_parse_stamp. */
bool mp_parse_moment(const char *text, mp_moment *moment);
/* Return the moment in microseconds since the start of a recording that began at `start_us`
 * (microseconds since 1970). */
static inline int64_t mp_moment_us(const mp_moment *moment, int64_t start_us)
{
    return moment->absolute ? moment->us - start_us : moment->us;
}
static inline bool mp_moment_is(const mp_moment *a, const mp_moment *b)
{
    return a->given == b->given && (!a->given || (a->absolute == b->absolute && a->us == b->us));
}

/* A time range with inclusive bounds. A bound that is not `given` does not limit. */
typedef struct mp_time_range {
    mp_moment since, until;
} mp_time_range;
static inline bool mp_time_range_is(const mp_time_range *a, const mp_time_range *b)
{
    return mp_moment_is(&a->since, &b->since) && mp_moment_is(&a->until, &b->until);
}
/* Parse "2027-06-30" to 20270630, which sorts by date. Return false if the Gregorian calendar has
 * no such day in the years 1 to 9999. */
bool mp_parse_date(const char *text, int32_t *date);
/* Parse a whole number from 0 to INT32_MAX. */
bool mp_parse_count(const char *text, int64_t *count);
/* Parse "10%" to millionths of a percent. Return false for more than six decimals. */
bool mp_parse_percent(const char *text, int64_t *millionths);
