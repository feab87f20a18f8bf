/* Parser of policies: lines, tokens, and the grammar of memprof-policy(5). Functions for small
 * parts of a rule come first, the function for a whole rule last. Parsing of a line stops at its
 * first error. */
#include "compare/policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/policy_tokens.h"

enum {
    MOST_BYTES = 1 << 20,
    SHOWN = 40, /* maximum bytes of an unexpected token in a message */
};

typedef struct parser {
    mp_policy *policy;
    mp_slice line;
    uint32_t number;           /* line number */
    mp_token now, last;        /* current token, and the token before it */
    mp_rule rule;              /* rule in the line */
    const mp_measure_row *row; /* properties of the rule's measure */
    mp_error error;
} parser;

/* Report an error at a position in the line. Always return false. */
#define FAULT(p, where, ...)                                                                       \
    mp_fail_file(&(p)->error, (p)->policy->path, (p)->number, mp_slice_column((p)->line, where),   \
                 __VA_ARGS__)

/* --- tokens --- */

static mp_token next(const parser *p)
{
    return mp_token_at(p->line, mp_token_end(p->now));
}

static void advance(parser *p)
{
    p->last = p->now;
    p->now = next(p);
}

static bool take(parser *p, const char *text)
{
    bool here = mp_token_is(p->now, text);
    if (here)
        advance(p);
    return here;
}

/* Report that `what` was expected instead of the current token. Always return false. */
static bool expected(parser *p, const char *what)
{
    mp_slice found = p->now.text;
    if (p->now.kind == MP_TOKEN_END)
        return FAULT(p, found.start, "the rule ends here, expected %s", what);
    if (p->now.kind == MP_TOKEN_OPEN)
        return FAULT(p, found.start, "the quote is never closed, expected another \"");
    size_t shown = found.length;
    if (shown > SHOWN)
        for (shown = SHOWN; ((unsigned char)found.start[shown] & 0xc0) == 0x80;)
            shown--;
    const char *quote = *found.start == '"' ? "" : "\"";
    return FAULT(p, found.start, "unexpected %s%.*s%s%s, expected %s", quote, (int)shown,
                 found.start, shown < found.length ? "..." : "", quote, what);
}

/* --- bounds --- */

static const char *value_words(const parser *p)
{
    switch (p->row->unit) {
    case MP_RULE_BYTES:
        if (p->rule.measure == MP_MEASURE_PLATFORM)
            return "a size such as 64 KiB";
        return mp_measure_is_growth(p->rule.measure)
                   ? "a size such as 64 KiB or a percentage such as 2 %"
                   : "a size such as 64 KiB, or base as in 1.1 x base";
    case MP_RULE_US:
        return "a time such as 2.5 s or 250 ms, or base as in 1.1 x base";
    case MP_RULE_LINES:
        return "a percentage such as 80 %";
    default:
        return "a whole number, or base as in 1.1 x base";
    }
}

/* Parse a number in millionths, and skip the word or sign after it. */
static bool parse_millionths(parser *p, int64_t *millionths)
{
    const char *fault = mp_token_millionths(p->now, millionths);
    if (fault)
        return FAULT(p, p->now.text.start, "%s", fault);
    advance(p);
    advance(p);
    return true;
}

/* Parse a number and its unit. */
static bool parse_value(parser *p, int64_t *value)
{
    mp_arena *arena = p->policy->arena;
    mp_slice number = p->now.text, unit = next(p).text;
    bool has_unit = next(p).kind == MP_TOKEN_WORD && !mp_token_is(next(p), "if"), ok;
    char *end;
    if (p->now.kind != MP_TOKEN_NUMBER)
        return expected(p, value_words(p));
    const char *text = mp_arena_format(arena, "%.*s%.*s", (int)number.length, number.start,
                                       has_unit ? (int)unit.length : 0, unit.start);
    switch (p->row->unit) {
    case MP_RULE_BYTES:
        ok = mp_parse_bytes(text, value);
        break;
    case MP_RULE_US:
        ok = mp_parse_time(has_unit ? text : mp_arena_format(arena, "%ss", text), value);
        break;
    default:
        *value = strtoll(text, &end, 10);
        ok = number.length <= 18 && !*end;
    }
    if (has_unit)
        advance(p);
    if (!ok)
        return expected(p, value_words(p));
    advance(p);
    return true;
}

/* Parse an offset: "64 KiB", "5 %" or "3 spreads". `times` counts the offsets of each kind. */
static bool parse_offset(parser *p, mp_token sign, unsigned times[3])
{
    mp_bound *bound = &p->rule.bound;
    bool number = p->now.kind == MP_TOKEN_NUMBER, percent = number && mp_token_is(next(p), "%");
    bool spreads = number && (mp_token_is(next(p), "spreads") || mp_token_is(next(p), "spread"));
    unsigned kind = percent ? 1 : spreads ? 2 : 0;
    int64_t value = 0;
    if (!(percent || spreads ? parse_millionths(p, &value) : parse_value(p, &value)))
        return false;
    if (times[kind]++)
        return FAULT(p, sign.text.start, "base already has an offset of this kind, expected one %s",
                     percent   ? "percentage"
                     : spreads ? "number of spreads"
                               : "amount");
    value = mp_token_is(sign, "-") ? -value : value;
    if (percent)
        bound->share += value;
    else if (spreads)
        bound->spreads = value * (MP_WHOLE / 1000000);
    else
        bound->number = value;
    return bound->share >= 0 ||
           FAULT(p, sign.text.start, "that is less than zero, expected at most 100 %%");
}

/* Parse the offsets after "base", such as "+ 3 spreads + 64 KiB" or "- 5 %". */
static bool parse_offsets(parser *p)
{
    unsigned times[3] = {0};
    for (;;) {
        mp_token sign = p->now;
        if (!take(p, "+") && !take(p, "-"))
            return true;
        if (!parse_offset(p, sign, times))
            return false;
    }
}

static bool parse_percent(parser *p)
{
    mp_bound *bound = &p->rule.bound;
    if (p->rule.measure == MP_MEASURE_COVERAGE) {
        const char *number = p->now.text.start;
        bound->reference = MP_OF_LINES;
        return parse_millionths(p, &bound->share) &&
               (bound->share <= MP_WHOLE ||
                FAULT(p, number, "that is more than all lines, expected at most 100 %%"));
    }
    bound->reference = MP_OF_START;
    if (!mp_measure_is_growth(p->rule.measure))
        return FAULT(p, p->now.text.start,
                     "a percentage alone is only for growth, expected %s or base + 10 %%",
                     value_words(p));
    return parse_millionths(p, &bound->share);
}

static bool parse_base(parser *p)
{
    int64_t factor = 1000000;
    if (p->now.kind == MP_TOKEN_NUMBER && !parse_millionths(p, &factor))
        return false;
    const char *base = p->now.text.start;
    if (!take(p, "base"))
        return expected(p, "base");
    const bool of_leaks = p->rule.measure == MP_MEASURE_TREND;
    if (of_leaks && (p->rule.by || p->rule.after))
        return FAULT(p, base,
                     "only the trend of all sites can be compared with a base, expected %s",
                     value_words(p));
    if ((mp_measure_is_growth(p->rule.measure) && !of_leaks) ||
        p->rule.measure == MP_MEASURE_PLATFORM)
        return FAULT(p, base, "%s cannot be compared with a base, expected %s", p->row->words,
                     p->rule.measure == MP_MEASURE_PLATFORM ? "a size" : "a size or a percentage");
    p->rule.bound.reference = MP_OF_BASE;
    p->rule.bound.share = factor * (MP_WHOLE / 1000000);
    return parse_offsets(p);
}

static bool parse_bound(parser *p)
{
    const char *start = p->now.text.start;
    bool is_number = p->now.kind == MP_TOKEN_NUMBER, ok;
    if (is_number && mp_token_is(next(p), "%"))
        ok = parse_percent(p);
    else if (p->rule.measure == MP_MEASURE_COVERAGE)
        ok = expected(p, value_words(p));
    else if (mp_token_is(p->now, "base") || (is_number && mp_token_is(next(p), "x")))
        ok = parse_base(p);
    else
        ok = parse_value(p, &p->rule.bound.number);
    if (ok)
        p->rule.bound.text =
            mp_arena_copy(p->policy->arena, start, (size_t)(mp_token_end(p->last) - start));
    return ok;
}

/* --- measures and selectors --- */

/* Parse a measure of one or two words; a measure of two words is preferred. Measures after "no new"
 * are separate. */
static bool parse_measure(parser *p, bool is_new)
{
    enum { ROOM = 32 };
    char one[ROOM] = "", both[2 * ROOM] = "";
    mp_token second = next(p);
    bool begun = false, has_both = false;
    if (p->now.kind == MP_TOKEN_WORD)
        snprintf(one, sizeof one, "%.*s", (int)p->now.text.length, p->now.text.start);
    if (!is_new && strcasecmp(one, "leak") == 0 && mp_token_is(second, "sites"))
        strcpy(one, "leaked"); /* an older name */
    if (second.kind == MP_TOKEN_WORD)
        snprintf(both, sizeof both, "%s %.*s", one, (int)second.text.length, second.text.start);
    for (int i = 0; i < MP_MEASURES && *one && !has_both; i++) {
        const mp_measure_row *row = &mp_measure_rows[i];
        size_t length = strlen(one);
        if (row->is_new != is_new || strncasecmp(row->words, one, length) != 0)
            continue;
        has_both = strcasecmp(row->words, both) == 0;
        begun |= row->words[length] == ' ';
        if (has_both || !row->words[length]) {
            p->rule.measure = (mp_measure)i;
            p->row = row;
        }
    }
    if (p->row || begun)
        advance(p);
    if (has_both)
        advance(p);
    if (p->rule.measure == MP_MEASURE_COVERAGE && mp_token_is(p->now, "of") &&
        mp_token_is(next(p), "lines")) {
        advance(p);
        advance(p);
    }
    if (p->row)
        return true;
    if (begun)
        return expected(p, is_new                             ? "\"site\""
                           : mp_token_is(p->last, "deleted")  ? "\"objects\""
                           : mp_token_is(p->last, "platform") ? "\"memory\" or \"growth\""
                                                              : "\"sites\"");
    return expected(p, is_new
                           ? "leak site, site, type, method or module"
                           : "leaked, leaked sites, live, peak, created, deleted objects, "
                             "retained, growth, trend, platform memory, platform growth, seconds, "
                             "calls, samples, coverage or no new");
}

/* Parse a selector such as "type" or "source". */
static bool parse_select_by(parser *p)
{
    const char *names[MP_SELECTORS];
    char list[64];
    size_t count = 0;
    mp_select_by found = MP_BY_NOTHING;
    for (unsigned by = 1; by < 1u << MP_SELECTORS; by <<= 1) {
        const char *name = mp_select_by_name((mp_select_by)by);
        if (p->row->select_by & by)
            names[count++] = name;
        if (mp_token_is(p->now, name))
            found = (mp_select_by)by;
    }
    mp_text_list(names, count, "or", list, sizeof list);
    if (!found)
        return expected(p, list);
    if (!(p->row->select_by & found))
        return FAULT(p, p->now.text.start, "\"%s\" is not available by %s, expected %s",
                     p->row->words, mp_select_by_name(found), list);
    p->rule.by = found;
    advance(p);
    return true;
}

static bool parse_selector(parser *p)
{
    if (!mp_token_is(p->now, "of"))
        return !p->row->selects || expected(p, "of type, and whose");
    if (!p->row->select_by)
        return FAULT(p, p->now.text.start,
                     "\"%s\" is available only for the whole recording, expected a comparison",
                     p->row->words);
    advance(p);
    const char *each = p->now.text.start;
    p->rule.each = take(p, "each") || take(p, "any");
    if (p->rule.each && p->row->counts)
        return FAULT(p, each, "\"%s\" is a single number and cannot have \"each\"", p->row->words);
    if (!parse_select_by(p))
        return false;
    if (p->now.kind != MP_TOKEN_STRING)
        return (p->rule.each && p->now.kind != MP_TOKEN_OPEN) ||
               expected(p, "a pattern in quotes such as \"Order*\"");
    p->rule.pattern = mp_token_string(p->policy->arena, p->now);
    if (!*p->rule.pattern)
        return FAULT(p, p->now.text.start,
                     "nothing has an empty name, expected a pattern such as \"Order*\"");
    advance(p);
    return true;
}

/* Parse "per snapshot" and "after snapshot 3" of a rule on growth, in any order, each at most
 * once. */
static bool parse_span(parser *p)
{
    mp_rule *rule = &p->rule;
    bool after;
    while (mp_measure_is_growth(rule->measure)) {
        after = !rule->after && take(p, "after");
        if (!after && rule->measure == MP_MEASURE_TREND && mp_token_is(p->now, "per"))
            return FAULT(p, p->now.text.start,
                         "a trend is that of all snapshots together, expected "
                         "after snapshot or a comparison");
        if (!after && (rule->per_snapshot || !take(p, "per")))
            break;
        if (!take(p, "snapshot"))
            return expected(p, "\"snapshot\"");
        rule->per_snapshot |= !after;
        if (!after)
            continue;
        if (p->now.kind != MP_TOKEN_NUMBER && p->now.kind != MP_TOKEN_STRING)
            return expected(p, "a snapshot's number, or its tag in quotes");
        rule->after = p->now.kind == MP_TOKEN_STRING
                          ? mp_token_string(p->policy->arena, p->now)
                          : mp_arena_copy(p->policy->arena, p->now.text.start, p->now.text.length);
        advance(p);
    }
    return true;
}

/* --- rules --- */

static bool parse_comparison(parser *p)
{
    const mp_rule *rule = &p->rule;
    const char *sign = p->now.text.start;
    for (int i = 0; i < MP_COMPARISONS; i++) {
        if (!take(p, mp_comparison_sign((mp_comparison)i)))
            continue;
        p->rule.comparison = (mp_comparison)i;
        if (rule->measure == MP_MEASURE_COVERAGE && i != MP_AT_LEAST && i != MP_MORE)
            return FAULT(p, sign, "coverage has only a lower limit, expected >= or >");
        return !rule->per_snapshot || i <= MP_LESS ||
               FAULT(p, sign, "growth per snapshot has only an upper limit, expected <= or <");
    }
    if (!mp_measure_is_growth(rule->measure) || rule->each)
        return expected(p, "<=, <, >=, > or ==");
    if (rule->measure == MP_MEASURE_TREND)
        return expected(p, "after snapshot, or <=, <, >=, > or ==");
    return expected(p, rule->per_snapshot ? "<= or <"
                                          : "per snapshot, after snapshot, or <=, <, >=, > or ==");
}

static bool parse_if_any(parser *p)
{
    const char *start = p->now.text.start;
    bool may = p->rule.by != MP_BY_NOTHING;
    if (take(p, "if")) {
        if (!take(p, "any"))
            return expected(p, "\"any\"");
        if (!may)
            return FAULT(p, start, "\"if any\" is only for rules with a pattern, expected the end");
        p->rule.if_any = true;
        may = false;
    }
    return p->now.kind == MP_TOKEN_END || expected(p, may ? "\"if any\" or the end" : "the end");
}

static bool parse_claim(parser *p)
{
    if (!take(p, "no"))
        return parse_measure(p, false) && parse_selector(p) && parse_span(p) &&
               parse_comparison(p) && parse_bound(p) && parse_if_any(p);
    p->rule.comparison = MP_AT_MOST;
    p->rule.bound = (mp_bound){.reference = MP_OF_NOTHING, .text = "none"};
    if (!take(p, "new"))
        return expected(p, "\"new\"");
    return parse_measure(p, true) && parse_selector(p) && parse_if_any(p);
}

/* Parse the name before the first colon that is not in quotes. The current token is then the one
 * after the colon. */
static bool parse_name(parser *p)
{
    mp_token first = p->now, token = first;
    bool quoted = first.kind == MP_TOKEN_STRING;
    while (token.kind != MP_TOKEN_END && token.kind != MP_TOKEN_OPEN && !mp_token_is(token, ":"))
        token = mp_token_at(p->line, mp_token_end(token));
    if (!mp_token_is(token, ":"))
        return true;
    if (token.text.start == first.text.start)
        return FAULT(p, first.text.start, "a rule's name is missing before the colon");
    if (quoted && next(p).text.start != token.text.start) {
        advance(p);
        return expected(p, "a colon after the name");
    }
    mp_slice name =
        mp_slice_trim((mp_slice){first.text.start, (size_t)(token.text.start - first.text.start)});
    p->rule.name = quoted ? mp_token_string(p->policy->arena, first)
                          : mp_arena_copy(p->policy->arena, name.start, name.length);
    if (!*p->rule.name)
        return FAULT(p, first.text.start, "a rule's name is missing between the quotes");
    p->now = token;
    advance(p);
    return true;
}

/* Parse a line with a rule. The numbers in `names` are those of the rules, from 1. */
static bool parse_rule(parser *p, mp_dictionary *names)
{
    mp_policy *policy = p->policy;
    const char *first = p->now.text.start;
    if (!parse_name(p))
        return false;
    const char *start = p->now.text.start;
    if (!parse_claim(p))
        return false;
    p->rule.text = mp_arena_copy(policy->arena, start, (size_t)(mp_token_end(p->last) - start));
    p->rule.name = p->rule.name ? p->rule.name : p->rule.text;
    uint32_t name = mp_dictionary_id(names, p->rule.name);
    if (name <= policy->rule_count)
        return FAULT(p, first, "line %u already has a rule of this name, expected another name",
                     (unsigned)policy->rules[name - 1].line);
    *MP_APPEND(policy->rules, policy->rule_count, policy->rule_capacity) = p->rule;
    return true;
}

static void keep_fault(mp_policy *policy, const mp_error *fault)
{
    if (policy->fault_count < MP_POLICY_FAULTS)
        policy->faults[policy->fault_count] = *fault;
    policy->fault_count++;
}

static void parse_lines(mp_policy *policy, mp_slice text)
{
    mp_dictionary *names = mp_dictionary_new();
    mp_slice line;
    for (uint32_t number = 1; mp_slice_take_line(&text, &line); number++) {
        parser p = {.policy = policy,
                    .line = line,
                    .number = number,
                    .now = mp_token_at(line, line.start),
                    .rule.line = number};
        const char *control = mp_slice_control(line);
        if (control ? !FAULT(&p, control, "a control character, expected text")
                    : p.now.kind != MP_TOKEN_END && !parse_rule(&p, names))
            keep_fault(policy, &p.error);
    }
    mp_dictionary_free(names);
}

mp_policy *mp_policy_parse(const char *path, const char *text, size_t length)
{
    bool converted = false;
    mp_error error;
    mp_policy *policy = mp_alloc_zero(1, sizeof *policy);
    policy->arena = mp_alloc_zero(1, sizeof *policy->arena);
    policy->path = mp_arena_copy(policy->arena, path, strlen(path));
    policy->faults = mp_alloc(MP_POLICY_FAULTS * sizeof *policy->faults);
    if (length <= MOST_BYTES)
        parse_lines(policy, mp_slice_without_mark(mp_utf8_from_bytes(
                                policy->arena, (mp_slice){text, length}, &converted)));
    if (length > MOST_BYTES)
        mp_fail_file(&error, policy->path, 1, 1,
                     "the file is larger than 1 MiB, expected a policy");
    else if (!policy->rule_count && !policy->fault_count)
        mp_fail_file(&error, policy->path, 1, 1, "there is no rule, expected one per line");
    else
        return policy;
    keep_fault(policy, &error);
    return policy;
}

void mp_policy_free(mp_policy *policy)
{
    if (!policy)
        return;
    free(policy->rules);
    free(policy->faults);
    mp_arena_free(policy->arena);
    free(policy->arena);
    free(policy);
}

mp_rule mp_rule_of_limit(const char *name, mp_measure measure, const mp_bound *bound)
{
    return (mp_rule){.name = name,
                     .text = name,
                     .measure = measure,
                     .comparison = measure == MP_MEASURE_COVERAGE ? MP_AT_LEAST : MP_AT_MOST,
                     .bound = *bound};
}

bool mp_rule_needs_base(const mp_rule *rule)
{
    return rule->bound.reference == MP_OF_BASE || mp_measure_rows[rule->measure].is_new;
}
