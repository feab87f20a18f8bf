#include "compare/bound.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "compare/measures.h"

enum { DECIMALS = 6, LARGEST_FACTOR = 1000000 };

static const char *expected_value(const mp_parser *parser)
{
    bool growth = parser->rule->measure == MP_MEASURE_GROWTH;
    switch (mp_measure_unit(parser->rule->measure)) {
    case MP_RULE_BYTES:
        return growth ? "a size such as 64 KiB or a percentage such as 2 %"
                      : "a size such as 64 KiB, or base as in 1.1 x base";
    case MP_RULE_US:
        return "a time such as 2.5 s or 250 ms, or base as in 1.1 x base";
    default:
        return "a whole number, or base as in 1.1 x base";
    }
}

/* "1.25" as 1250000. */
static bool parse_millionths(mp_parser *parser, int64_t *millionths)
{
    mp_token token = parser->now;
    const char *point = memchr(token.text.at, '.', token.text.length);
    size_t decimals = point ? (size_t)(mp_token_end(token) - point) - 1 : 0;
    int64_t value = 0;
    if (decimals > DECIMALS)
        return mp_parser_fault(parser, token, "too many decimals, expected at most six");
    for (size_t i = 0; i < token.text.length + DECIMALS - decimals; i++) {
        char digit = i < token.text.length ? token.text.at[i] : '0';
        if (digit != '.')
            value = value * 10 + (digit - '0');
        if (value > (int64_t)LARGEST_FACTOR * 1000000)
            return mp_parser_fault(parser, token, "the number is too large, expected at most %d",
                                   LARGEST_FACTOR);
    }
    *millionths = value;
    return true;
}

/* A number with what stands behind it as its unit. */
static bool parse_value(mp_parser *parser, int64_t *value)
{
    mp_rule_unit unit = mp_measure_unit(parser->rule->measure);
    mp_token number = parser->now, word;
    if (number.kind != MP_TOKEN_NUMBER)
        return mp_parser_expected(parser, expected_value(parser));
    mp_parser_advance(parser);
    word = parser->now;
    bool has_word = word.kind == MP_TOKEN_WORD && !mp_token_is(word, "if");
    const char *text =
        mp_arena_format(parser->arena, "%.*s%.*s", (int)number.text.length, number.text.at,
                        has_word ? (int)word.text.length : 0, word.text.at);
    bool ok;
    if (unit == MP_RULE_BYTES) {
        ok = mp_parse_bytes(text, value);
    } else if (unit == MP_RULE_US) {
        ok = mp_parse_time(has_word ? text : mp_arena_format(parser->arena, "%ss", text), value);
    } else {
        char *end;
        ok = number.text.length <= 18;
        *value = strtoll(text, &end, 10);
        ok = ok && !*end;
    }
    if (!ok) {
        parser->now = has_word ? word : number;
        return mp_parser_expected(parser, expected_value(parser));
    }
    if (has_word)
        mp_parser_advance(parser);
    return true;
}

/* "+ 64 KiB", "- 5 %" behind "base". */
static bool parse_offset(mp_parser *parser)
{
    mp_bound *bound = &parser->rule->bound;
    mp_token sign = parser->now;
    bool minus = mp_token_is(sign, "-");
    if (!minus && !mp_token_is(sign, "+"))
        return true;
    mp_parser_advance(parser);
    int64_t value = 0;
    if (parser->now.kind == MP_TOKEN_NUMBER && mp_token_is(mp_parser_next(parser), "%")) {
        if (!parse_millionths(parser, &value))
            return false;
        mp_parser_advance(parser);
        mp_parser_advance(parser);
        bound->share += minus ? -value : value;
        if (bound->share < 0)
            return mp_parser_fault(parser, sign,
                                   "that is less than nothing of base, expected at "
                                   "most 100 %%");
        return true;
    }
    if (!parse_value(parser, &value))
        return false;
    bound->number = minus ? -value : value;
    return true;
}

static bool parse_base(mp_parser *parser, int64_t share)
{
    mp_token token = parser->now;
    mp_bound *bound = &parser->rule->bound;
    if (!mp_parser_take(parser, "base"))
        return mp_parser_expected(parser, "base");
    if (parser->rule->measure == MP_MEASURE_GROWTH)
        return mp_parser_fault(parser, token,
                               "growth is not held against a base, expected a size "
                               "or a percentage");
    bound->reference = MP_OF_BASE;
    bound->share = share;
    return parse_offset(parser);
}

static bool parse_percent(mp_parser *parser)
{
    mp_token token = parser->now;
    mp_bound *bound = &parser->rule->bound;
    if (parser->rule->measure != MP_MEASURE_GROWTH)
        return mp_parser_fault(parser, token,
                               "a percentage alone is for growth, expected %s or base + 10 %%",
                               expected_value(parser));
    if (!parse_millionths(parser, &bound->share))
        return false;
    bound->reference = MP_OF_START;
    mp_parser_advance(parser);
    mp_parser_advance(parser);
    return true;
}

bool mp_bound_parse(mp_parser *parser)
{
    const char *start = parser->now.text.at;
    int64_t factor = 0;
    mp_token next = mp_parser_next(parser);
    bool is_number = parser->now.kind == MP_TOKEN_NUMBER, ok;
    if (mp_token_is(parser->now, "base")) {
        ok = parse_base(parser, MP_WHOLE);
    } else if (is_number && mp_token_is(next, "x")) {
        ok = parse_millionths(parser, &factor);
        if (ok) {
            mp_parser_advance(parser);
            mp_parser_advance(parser);
            ok = parse_base(parser, factor * (MP_WHOLE / 1000000));
        }
    } else if (is_number && mp_token_is(next, "%")) {
        ok = parse_percent(parser);
    } else {
        ok = parse_value(parser, &parser->rule->bound.number);
    }
    if (ok)
        parser->rule->bound.text =
            mp_arena_copy(parser->arena, start, (size_t)(mp_token_end(parser->last) - start));
    return ok;
}

/* The sum, or the largest or smallest number if it is beyond. */
static int64_t add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

mp_threshold mp_bound_of(const mp_bound *bound, int64_t reference)
{
    int64_t share = bound->reference ? bound->share : 0;
    /* In two parts each, whole ones and what is over, as the product of both may be too large:
     * (a W + b)(c W + d) / W = a (c W + d) + b c + b d / W. */
    int64_t whole = reference / MP_WHOLE, rest = reference % MP_WHOLE;
    if (rest < 0) { /* division rounds towards 0 */
        whole--;
        rest += MP_WHOLE;
    }
    if (share && (whole > INT64_MAX / share || whole < INT64_MIN / share))
        return (mp_threshold){whole > 0 ? INT64_MAX : INT64_MIN, false};
    int64_t over = rest * (share % MP_WHOLE);
    int64_t part = rest * (share / MP_WHOLE) + over / MP_WHOLE;
    return (mp_threshold){add(add(whole * share, part), bound->number), over % MP_WHOLE > 0};
}

bool mp_threshold_holds(mp_threshold threshold, mp_comparison comparison, int64_t number)
{
    int order = number < threshold.number   ? -1
                : number > threshold.number ? 1
                : threshold.more            ? -1
                                            : 0;
    switch (comparison) {
    case MP_AT_MOST:
        return order <= 0;
    case MP_LESS:
        return order < 0;
    case MP_AT_LEAST:
        return order >= 0;
    case MP_MORE:
        return order > 0;
    case MP_EQUAL:
        break;
    }
    return order == 0;
}
