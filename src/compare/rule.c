#include "compare/rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "compare/bound.h"
#include "compare/measures.h"
#include "compare/parser.h"

static const mp_select_by selectors[] = {MP_BY_TYPE, MP_BY_SOURCE, MP_BY_NAME,
                                         MP_BY_SITE, MP_BY_METHOD, MP_BY_MODULE};
enum { SELECTORS = sizeof selectors / sizeof *selectors, FOUND = 40 };

bool mp_parser_fault(mp_parser *parser, mp_token token, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t kept = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    *parser->fault = (mp_rule_fault){token.text.at, mp_arena_copy(parser->arena, text, kept)};
    return false;
}

bool mp_parser_expected(mp_parser *parser, const char *what)
{
    mp_token found = parser->now;
    if (found.kind == MP_TOKEN_END)
        return mp_parser_fault(parser, found, "the rule ends here, expected %s", what);
    if (found.kind == MP_TOKEN_OPEN)
        return mp_parser_fault(parser, found, "the quote is never closed, expected another \"");
    size_t shown = found.text.length;
    if (shown > FOUND)
        for (shown = FOUND; ((unsigned char)found.text.at[shown] & 0xc0) == 0x80;)
            shown--;
    const char *quote = *found.text.at == '"' ? "" : "\"";
    return mp_parser_fault(parser, found, "unexpected %s%.*s%s%s, expected %s", quote, (int)shown,
                           found.text.at, shown < found.text.length ? "..." : "", quote, what);
}

void mp_parser_advance(mp_parser *parser)
{
    parser->last = parser->now;
    parser->now = mp_token_at(parser->line, mp_token_end(parser->now));
}

bool mp_parser_take(mp_parser *parser, const char *text)
{
    if (!mp_token_is(parser->now, text))
        return false;
    mp_parser_advance(parser);
    return true;
}

mp_token mp_parser_next(const mp_parser *parser)
{
    return mp_token_at(parser->line, mp_token_end(parser->now));
}

/* --- measures --- */

/* How many of a measure's words stand here; `whole`: all of them. */
static size_t words_here(const mp_parser *parser, const char *words, bool *whole)
{
    mp_token token = parser->now;
    size_t count = 0;
    *whole = false;
    for (;;) {
        size_t length = strcspn(words, " ");
        if (token.kind != MP_TOKEN_WORD || token.text.length != length ||
            strncasecmp(token.text.at, words, length) != 0)
            return count;
        count++;
        token = mp_token_at(parser->line, mp_token_end(token));
        if (!words[length]) {
            *whole = true;
            return count;
        }
        words += length + 1;
    }
}

/* The measure with the most words; those after "no new" are apart. */
static bool parse_measure(mp_parser *parser, bool is_new)
{
    size_t longest = 0, begun = 0;
    for (int i = 0; i < MP_MEASURES; i++) {
        bool whole;
        size_t count = mp_measure_rows[i].is_new == is_new
                           ? words_here(parser, mp_measure_rows[i].words, &whole)
                           : 0;
        if (count && !whole)
            begun = count;
        if (count && whole && count > longest) {
            longest = count;
            parser->rule->measure = (mp_measure)i;
        }
    }
    if (!longest && begun) {
        const char *second = mp_token_is(parser->now, "deleted") ? "\"objects\""
                             : is_new                            ? "\"site\""
                                                                 : "\"sites\"";
        mp_parser_advance(parser);
        return mp_parser_expected(parser, second);
    }
    if (!longest)
        return mp_parser_expected(
            parser, is_new ? "leak site, site, type, method or module"
                           : "leaked, leak sites, live, peak, created, deleted objects, retained, "
                             "growth, seconds, calls or no new");
    while (longest--)
        mp_parser_advance(parser);
    return true;
}

/* --- selectors --- */

/* "type, source or name" */
static const char *list_selectors(mp_arena *arena, unsigned which)
{
    const char *text = "";
    for (size_t i = 0; i < SELECTORS; i++) {
        if (!(which & selectors[i]))
            continue;
        which &= ~(unsigned)selectors[i];
        text = mp_arena_format(arena, "%s%s%s", text,
                               !*text  ? ""
                               : which ? ", "
                                       : " or ",
                               mp_select_by_name(selectors[i]));
    }
    return text;
}

static bool parse_subject(mp_parser *parser)
{
    const mp_measure_row *row = &mp_measure_rows[parser->rule->measure];
    for (size_t i = 0; i < SELECTORS; i++) {
        mp_select_by by = selectors[i];
        if (!mp_token_is(parser->now, mp_select_by_name(by)))
            continue;
        if (!(row->select_by & by))
            return mp_parser_fault(parser, parser->now, "\"%s\" is not told by %s, expected %s",
                                   row->words, mp_select_by_name(by),
                                   list_selectors(parser->arena, row->select_by));
        parser->rule->by = by;
        mp_parser_advance(parser);
        return true;
    }
    return mp_parser_expected(parser, list_selectors(parser->arena, row->select_by));
}

static bool parse_selector(mp_parser *parser)
{
    mp_rule *rule = parser->rule;
    const mp_measure_row *row = &mp_measure_rows[rule->measure];
    if (!mp_token_is(parser->now, "of"))
        return row->selects ? mp_parser_expected(parser, "of type, and whose") : true;
    if (!row->select_by)
        return mp_parser_fault(parser, parser->now,
                               "\"%s\" is told of the whole alone, expected a comparison",
                               row->words);
    mp_parser_advance(parser);
    mp_token each = parser->now;
    rule->each = mp_parser_take(parser, "each") || mp_parser_take(parser, "any");
    if (rule->each && row->counts)
        return mp_parser_fault(parser, each, "\"%s\" is one number, expected no \"each\"",
                               row->words);
    if (!parse_subject(parser))
        return false;
    if (parser->now.kind == MP_TOKEN_STRING) {
        rule->pattern = mp_token_string(parser->arena, parser->now);
        if (!*rule->pattern)
            return mp_parser_fault(parser, parser->now,
                                   "nothing has an empty name, expected a "
                                   "pattern such as \"Order*\"");
        mp_parser_advance(parser);
        return true;
    }
    return rule->each && parser->now.kind != MP_TOKEN_OPEN
               ? true
               : mp_parser_expected(parser, "a pattern in quotes such as \"Order*\"");
}

/* --- growth --- */

static bool parse_after(mp_parser *parser)
{
    if (!mp_parser_take(parser, "snapshot"))
        return mp_parser_expected(parser, "\"snapshot\"");
    mp_token token = parser->now;
    if (token.kind == MP_TOKEN_NUMBER)
        parser->rule->after = mp_arena_copy(parser->arena, token.text.at, token.text.length);
    else if (token.kind == MP_TOKEN_STRING)
        parser->rule->after = mp_token_string(parser->arena, token);
    else
        return mp_parser_expected(parser, "a snapshot's number, or its tag in quotes");
    mp_parser_advance(parser);
    return true;
}

/* "per snapshot", "after snapshot 3", in any order, each once. */
static bool parse_span(mp_parser *parser)
{
    mp_rule *rule = parser->rule;
    if (rule->measure != MP_MEASURE_GROWTH)
        return true;
    for (;;) {
        if (!rule->per_snapshot && mp_parser_take(parser, "per")) {
            rule->per_snapshot = true;
            if (!mp_parser_take(parser, "snapshot"))
                return mp_parser_expected(parser, "\"snapshot\"");
        } else if (!rule->after && mp_parser_take(parser, "after")) {
            if (!parse_after(parser))
                return false;
        } else {
            return true;
        }
    }
}

/* --- the rule --- */

static bool parse_comparison(mp_parser *parser)
{
    static const char *const signs[] = {"<=", "<", ">=", ">", "=="};
    for (int i = 0; i < 5; i++) {
        mp_token token = parser->now;
        if (!mp_parser_take(parser, signs[i]))
            continue;
        parser->rule->comparison = (mp_comparison)i;
        if (parser->rule->per_snapshot && i > MP_LESS)
            return mp_parser_fault(parser, token,
                                   "growth per snapshot has an upper limit alone, expected <= or "
                                   "<");
        return true;
    }
    if (parser->rule->measure == MP_MEASURE_GROWTH && !parser->rule->each)
        return mp_parser_expected(parser, parser->rule->per_snapshot
                                              ? "<= or <"
                                              : "per snapshot, after snapshot, or <=, <, >=, > "
                                                "or ==");
    return mp_parser_expected(parser, "<=, <, >=, > or ==");
}

static bool parse_if_any(mp_parser *parser)
{
    mp_token token = parser->now;
    if (mp_parser_take(parser, "if")) {
        if (!mp_parser_take(parser, "any"))
            return mp_parser_expected(parser, "\"any\"");
        if (!parser->rule->by)
            return mp_parser_fault(parser, token,
                                   "\"if any\" is for rules on what a pattern selects, expected "
                                   "the end");
        parser->rule->if_any = true;
    }
    return parser->now.kind == MP_TOKEN_END
               ? true
               : mp_parser_expected(parser, parser->rule->by && !parser->rule->if_any
                                                ? "\"if any\" or the end"
                                                : "the end");
}

static bool parse_claim(mp_parser *parser)
{
    mp_rule *rule = parser->rule;
    if (mp_parser_take(parser, "no")) {
        if (!mp_parser_take(parser, "new"))
            return mp_parser_expected(parser, "\"new\"");
        rule->comparison = MP_AT_MOST;
        rule->bound = (mp_bound){.reference = MP_OF_NOTHING, .text = "none"};
        return parse_measure(parser, true) && parse_selector(parser) && parse_if_any(parser);
    }
    return parse_measure(parser, false) && parse_selector(parser) && parse_span(parser) &&
           parse_comparison(parser) && mp_bound_parse(parser) && parse_if_any(parser);
}

/* What stands before the first colon outside quotes; `now` is then behind it. */
static bool parse_name(mp_parser *parser)
{
    mp_token first = parser->now, token = first;
    while (token.kind != MP_TOKEN_END && token.kind != MP_TOKEN_OPEN && !mp_token_is(token, ":"))
        token = mp_token_at(parser->line, mp_token_end(token));
    if (!mp_token_is(token, ":"))
        return true;
    if (token.text.at == first.text.at)
        return mp_parser_fault(parser, first, "a rule's name is missing before the colon");
    bool quoted = first.kind == MP_TOKEN_STRING;
    if (quoted && mp_parser_next(parser).text.at != token.text.at) {
        mp_parser_advance(parser);
        return mp_parser_expected(parser, "a colon behind the name");
    }
    mp_slice name =
        mp_slice_trim((mp_slice){first.text.at, (size_t)(token.text.at - first.text.at)});
    parser->rule->name = quoted ? mp_token_string(parser->arena, first)
                                : mp_arena_copy(parser->arena, name.at, name.length);
    if (!*parser->rule->name)
        return mp_parser_fault(parser, first, "a rule's name is missing between the quotes");
    parser->now = token;
    mp_parser_advance(parser);
    return true;
}

bool mp_rule_parse(mp_arena *arena, mp_slice line, mp_rule *rule, mp_rule_fault *fault)
{
    mp_parser parser = {.arena = arena, .line = line, .rule = rule, .fault = fault};
    parser.now = mp_token_at(line, line.at);
    if (!parse_name(&parser))
        return false;
    const char *start = parser.now.text.at;
    if (!parse_claim(&parser))
        return false;
    rule->text = mp_arena_copy(arena, start, (size_t)(mp_token_end(parser.last) - start));
    if (!rule->name)
        rule->name = rule->text;
    return true;
}
