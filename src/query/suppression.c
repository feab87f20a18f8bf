/* Parser of suppressions: lines of "[name]" and "key = value", see memprof-suppressions(5). */
#include "query/suppression.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/index.h"
#include "base/text.h"

typedef struct parser {
    mp_suppressions *list;
    mp_suppression *current; /* current section; NULL: before the first one */
    mp_key_index names;      /* numbers of the sections, from 1, by name */
    const char *path;
    mp_slice line; /* current line */
    uint64_t number;
    mp_error *error;
} parser;

/* --- errors --- */

static void complain_at(const parser *p, uint64_t line, uint32_t column, const char *format,
                        va_list arguments)
{
    mp_fail_file(p->error, p->path, (uint32_t)line, column, "%s", "");
    vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
}

/* Report an error at the position `where` in the current line. Return false. */
static bool complain(const parser *p, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool complain(const parser *p, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_at(p, p->number, mp_slice_column(p->line, where), format, arguments);
    va_end(arguments);
    return false;
}

/* Report an error about the current section. Return false. */
static bool complain_section(const parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool complain_section(const parser *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_at(p, p->current->line, 1, format, arguments);
    va_end(arguments);
    return false;
}

/* Return a piece of the file for a message, shortened to leave room for the rest. */
static const char *quoted(parser *p, mp_slice text)
{
    enum { SHOWN = 60 };
    if (text.length <= SHOWN)
        return mp_arena_copy(p->list->arena, text.start, text.length);
    size_t length = SHOWN;
    while (length && ((unsigned char)text.start[length] & 0xc0) == 0x80)
        length--;
    return mp_arena_format(p->list->arena, "%.*s...", (int)length, text.start);
}

/* --- keys --- */

typedef bool take_value(parser *p, mp_slice value);

static bool twice(const parser *p, mp_slice value, const char *key)
{
    return complain(p, value.start, "%s a second time, expected it once", key);
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

bool mp_reason_is_placeholder(const char *reason)
{
    static const char *const words[] = {"todo", "fixme", "tbd", "xxx"};
    while (*reason && !is_letter_or_digit(*reason))
        reason++;
    size_t length = 0;
    while (is_letter_or_digit(reason[length]))
        length++;
    bool is = length == 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is |= strlen(words[i]) == length && strncasecmp(reason, words[i], length) == 0;
    return is;
}

static bool take_reason(parser *p, mp_slice value)
{
    if (p->current->reason)
        return twice(p, value, "reason");
    p->current->reason = mp_arena_copy(p->list->arena, value.start, value.length);
    p->current->reason_line = p->number;
    return true;
}

static bool take_limit(parser *p, mp_slice value)
{
    mp_suppression *current = p->current;
    if (current->has_limit)
        return twice(p, value, "limit");
    current->has_limit = true;
    if (mp_parse_bytes(mp_arena_copy(p->list->arena, value.start, value.length),
                       &current->limit_bytes))
        return true;
    return complain(p, value.start, "limit = %s, expected a size such as 64K or 1.5 MiB",
                    quoted(p, value));
}

static bool take_expires(parser *p, mp_slice value)
{
    mp_suppression *current = p->current;
    if (current->expires)
        return twice(p, value, "expires");
    current->expires = mp_arena_copy(p->list->arena, value.start, value.length);
    if (mp_parse_date(current->expires, &current->last_day))
        return true;
    return complain(p, value.start, "expires = %s, expected a day such as 2027-06-30",
                    quoted(p, value));
}

static bool add_criterion(parser *p, mp_subject subject, mp_slice value)
{
    mp_suppression *current = p->current;
    mp_error why = {0};
    mp_criterion criterion = {subject, false,
                              mp_arena_copy(p->list->arena, value.start, value.length)};
    if (!mp_criterion_check(&criterion, &why))
        return complain(p, value.start, "%s, expected an extended regular expression such as %s",
                        why.text, "^src/cache\\.p:");
    *MP_APPEND(current->criteria, current->criterion_count, current->criterion_capacity) =
        criterion;
    return true;
}

static const struct {
    const char *name;
    take_value *take; /* NULL: the value is a pattern */
    mp_subject subject;
} keys[] = {
    {"type", NULL, MP_SUBJECT_TYPE},     {"source", NULL, MP_SUBJECT_SOURCE},
    {"name", NULL, MP_SUBJECT_NAME},     {"stack", NULL, MP_SUBJECT_STACK},
    {"thread", NULL, MP_SUBJECT_THREAD}, {"reason", take_reason, MP_SUBJECTS},
    {"limit", take_limit, MP_SUBJECTS},  {"expires", take_expires, MP_SUBJECTS},
};
#define PATTERNS "type, source, name, stack or thread"

/* --- lines --- */

static bool take_key(parser *p, mp_slice line)
{
    const char *equals = memchr(line.start, '=', line.length);
    if (!equals)
        return complain(p, line.start,
                        "\"%s\" is not a setting, expected [NAME], KEY = VALUE or # NOTE",
                        quoted(p, line));
    mp_slice key = mp_slice_trim((mp_slice){line.start, (size_t)(equals - line.start)});
    mp_slice value =
        mp_slice_trim((mp_slice){equals + 1, line.length - (size_t)(equals + 1 - line.start)});
    if (!p->current)
        return complain(p, line.start, "\"%s\" before the first section, expected [NAME]",
                        quoted(p, key));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!mp_slice_is(key, keys[i].name))
            continue;
        if (!value.length)
            return complain(p, equals + 1, "%s without a value, expected %s = VALUE", keys[i].name,
                            keys[i].name);
        return keys[i].take ? keys[i].take(p, value) : add_criterion(p, keys[i].subject, value);
    }
    return complain(p, line.start,
                    "unknown key \"%s\", expected type, source, name, stack, thread, reason, "
                    "limit or expires",
                    quoted(p, key));
}

/* Check a section at its end for missing keys. */
static bool end_section(const parser *p)
{
    const mp_suppression *current = p->current;
    if (current && !current->criterion_count)
        return complain_section(p, "[%s] has no pattern, expected one of " PATTERNS, current->name);
    if (current && !current->reason)
        return complain_section(p, "[%s] has no reason, expected reason = TEXT", current->name);
    return true;
}

static bool begin_section(parser *p, mp_slice line)
{
    const char *end = memchr(line.start, ']', line.length), *last = line.start + line.length - 1;
    if (!end)
        return complain(p, last + 1, "a section's name does not end, expected ]");
    mp_slice name = mp_slice_trim((mp_slice){line.start + 1, (size_t)(end - line.start - 1)});
    if (!name.length)
        return complain(p, line.start, "a section without a name, expected [NAME]");
    if (end != last)
        return complain(p, end + 1, "text after ], expected the end of the line");
    const char *text = mp_arena_copy(p->list->arena, name.start, name.length);
    uint32_t *found = mp_key_index_put(&p->names, name.start, name.length);
    const mp_suppression *other = *found ? &p->list->items[*found - 1] : NULL;
    if (other)
        return complain(p, name.start, "[%s] is also at %s:%llu, expected a unique name",
                        quoted(p, name), other->path, (unsigned long long)other->line);
    p->current = MP_APPEND(p->list->items, p->list->count, p->list->capacity);
    *found = (uint32_t)p->list->count;
    *p->current = (mp_suppression){.path = p->path, .line = p->number, .name = text};
    return true;
}

static bool take_line(parser *p)
{
    const char *control = mp_slice_control(p->line);
    if (control)
        return complain(p, control, "control character 0x%02x, expected text", (unsigned)*control);
    mp_slice line = mp_slice_trim(p->line);
    if (!line.length || *line.start == '#' || *line.start == ';')
        return true;
    if (*line.start == '[')
        return end_section(p) && begin_section(p, line);
    return take_key(p, line);
}

static bool take_lines(parser *p, mp_slice text)
{
    while (mp_slice_take_line(&text, &p->line)) {
        p->number++;
        if (!take_line(p))
            return false;
    }
    return end_section(p);
}

bool mp_suppressions_parse(mp_suppressions *list, const char *path, mp_slice text, mp_error *error)
{
    parser p = {.list = list, .path = path, .error = error};
    bool converted;
    if (!list->arena)
        list->arena = mp_alloc_zero(1, sizeof *list->arena);
    for (size_t i = 0; i < list->count; i++) /* register the sections of earlier files */
        *mp_key_index_put(&p.names, list->items[i].name, strlen(list->items[i].name)) =
            (uint32_t)i + 1;
    text = mp_slice_without_mark(mp_utf8_from_bytes(list->arena, text, &converted));
    bool ok = take_lines(&p, text);
    mp_key_index_free(&p.names);
    return ok;
}

void mp_suppressions_free(mp_suppressions *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].criteria);
    free(list->items);
    if (list->arena)
        mp_arena_free(list->arena);
    free(list->arena);
    *list = (mp_suppressions){0};
}
