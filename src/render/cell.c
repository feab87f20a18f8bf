#include "render/cell.h"

#include <inttypes.h>
#include <string.h>
#include <utf8proc.h>

#include "base/text.h"
#include "base/units.h"

const char *mp_cell_for_people(mp_arena *arena, const mp_column *column, const mp_cell *cell,
                               bool exact_bytes)
{
    char text[MP_UNIT_TEXT] = "";
    bool with_sign = column->flags & MP_SIGNED;
    if (!cell->known)
        return "";
    switch (column->unit) {
    case MP_TEXT:
        return mp_safe_text(arena, cell->text);
    case MP_LIST:
        return mp_safe_text(arena, cell->count ? cell->list[0] : cell->text ? cell->text : "");
    case MP_FLAG:
        return cell->number ? "yes" : "no";
    case MP_NUMBER:
        snprintf(text, sizeof text, "%" PRId64, cell->number);
        break;
    case MP_COUNT:
        mp_format_count(text, cell->number, with_sign);
        break;
    case MP_BYTES:
        mp_format_bytes(text, cell->number, exact_bytes, with_sign);
        break;
    case MP_AGE:
        mp_format_duration(text, cell->number);
        break;
    case MP_TIME:
        mp_format_time(text, cell->number);
        break;
    case MP_SECONDS:
        mp_format_seconds(text, cell->number, with_sign);
        break;
    case MP_AVERAGE:
        snprintf(text, sizeof text, "%.6f", cell->real);
        break;
    case MP_BYTE_RATE:
        mp_format_byte_rate(text, cell->real, exact_bytes, with_sign);
        break;
    case MP_PERCENT:
        mp_format_percent(text, cell->real, with_sign);
        break;
    }
    return mp_arena_copy(arena, text, strlen(text));
}

static mp_tone tone_of_word(const char *word)
{
    static const struct {
        const char *word;
        mp_tone tone;
    } words[] = {{"new", MP_TONE_WORSE},   {"grown", MP_TONE_WORSE},   {"fail", MP_TONE_WORSE},
                 {"FAIL", MP_TONE_WORSE},  {"gone", MP_TONE_BETTER},   {"shrunk", MP_TONE_BETTER},
                 {"pass", MP_TONE_BETTER}, {"error", MP_TONE_WARNING}, {"ERROR", MP_TONE_WARNING}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].tone;
    return MP_TONE_PLAIN;
}

mp_tone mp_cell_tone(const mp_column *column, const char *text)
{
    if (column->flags & MP_SIGNED)
        return *text == '+' || *text == 'x'   ? MP_TONE_WORSE
               : *text == '-' && text[1] != 0 ? MP_TONE_BETTER
                                              : MP_TONE_PLAIN;
    return column->flags & MP_TONED ? tone_of_word(text) : MP_TONE_PLAIN;
}

bool mp_column_is_known(const mp_table *table, size_t column)
{
    bool known = false;
    for (size_t row = 0; row < table->row_count && !known; row++)
        known = mp_table_cell(table, row, column).known;
    return known;
}

mp_table mp_table_for_people(const mp_table *table, const mp_style *style)
{
    enum { MOST = 50 };
    mp_table shown = *table;
    bool limited = table->limited || table->footer.rest.count > 0;
    if (table->shape == MP_ROWS && !limited && !style->whole && table->row_count > MOST) {
        shown.row_count = MOST;
        shown.footer.rest = (mp_rest){table->row_count - MOST, MP_REST_IN_JSON};
    }
    return shown;
}

static const struct {
    const char *one, *many;
    bool limited; /* an option's limit left out the rows, so an option can show them */
} rest_words[] = {
    [MP_REST_MORE] = {"more", "more", true},
    [MP_REST_BEFORE] = {"before these", "before these", true},
    [MP_REST_UNCHANGED] = {"unchanged", "unchanged", true},
    [MP_REST_UNKEPT] = {"more", "more", false},
    [MP_REST_SAME_KINDS] = {"more of the same kinds", "more of the same kinds", false},
    [MP_REST_SMALLER] = {"smaller change", "smaller changes", false},
    [MP_REST_IN_JSON] = {"more", "more", false},
};

bool mp_rest_is_limited(const mp_rest *rest)
{
    return rest->count && rest_words[rest->kind].limited;
}

const char *mp_line_for_people(mp_arena *arena, const mp_line *line, const mp_style *style)
{
    const char *text = line->text ? mp_safe_text(arena, line->text) : "";
    const mp_rest *rest = &line->rest;
    if (rest->count) {
        char count[MP_UNIT_TEXT];
        mp_format_count(count, (int64_t)rest->count, false);
        text = mp_arena_format(arena, "%sand %s %s", text, count,
                               rest->count == 1 ? rest_words[rest->kind].one
                                                : rest_words[rest->kind].many);
    }
    if (mp_rest_is_limited(rest))
        text = mp_arena_format(arena, "%s (%slimit 0 shows all)", text, style->dashes);
    if (rest->count && rest->kind == MP_REST_IN_JSON)
        text = mp_arena_format(arena, "%s (%sformat json has all)", text, style->dashes);
    if (line->argument)
        text = mp_arena_format(arena, "%s (%s%s)", text, style->dashes, line->argument);
    return text;
}

const char *mp_more_tables(mp_arena *arena, const mp_document *document, const mp_style *style)
{
    const mp_table *tables = document->tables;
    const char *names = NULL;
    size_t count = 0, first = mp_document_first_tables(document);
    for (size_t i = first; i < document->table_count; i++) {
        const char *command = tables[i].command;
        if (tables[i].flags & MP_FOR_PROGRAMS)
            continue;
        count++;
        for (size_t j = first; command && j < i; j++)
            if (!(tables[j].flags & MP_FOR_PROGRAMS) && tables[j].command &&
                strcmp(tables[j].command, command) == 0)
                command = NULL;
        if (command)
            names =
                mp_arena_format(arena, "%s%s%s", names ? names : "", names ? ", " : "", command);
    }
    const char *text = mp_arena_format(arena, "%sall-tables", style->dashes);
    return !count ? NULL
           : names
               ? mp_arena_format(arena, "More tables: memprof %s; %s shows all here", names, text)
               : mp_arena_format(arena, "More tables: %s shows all here", text);
}

bool mp_column_is_called(const mp_column *column, const char *ending)
{
    size_t length = strlen(column->name), tail = strlen(ending);
    return length >= tail && strcmp(column->name + length - tail, ending) == 0;
}

bool mp_column_is_stack(const mp_column *column)
{
    return column->unit == MP_LIST && mp_column_is_called(column, "stack");
}

const char *mp_cell_for_programs(mp_arena *arena, const mp_column *column, const mp_cell *cell)
{
    char text[MP_UNIT_TEXT];
    if (!cell->known)
        return "";
    switch (column->unit) {
    case MP_TEXT:
        return cell->text;
    case MP_LIST:
        return mp_texts_join(arena, cell->list, cell->count);
    case MP_FLAG:
        return cell->number ? "true" : "false";
    case MP_SECONDS:
        mp_format_seconds(text, cell->number, false);
        return mp_arena_copy(arena, text, strlen(text));
    case MP_AVERAGE:
    case MP_BYTE_RATE:
    case MP_PERCENT:
        return mp_arena_format(arena, "%.12g", cell->real);
    default:
        return mp_arena_format(arena, "%" PRId64, cell->number);
    }
}

/* Return true if the character is a control character of ASCII, or one from U+0080 to U+009F. */
static bool is_control(const char *p)
{
    unsigned char first = (unsigned char)*p;
    return first < 32 || first == 127 || (first == 0xc2 && (unsigned char)p[1] < 0xa0);
}

/* Return the length in bytes of the character at `p`, and set its width in columns; 0 for a control
 * character. wcwidth() is not used, because it depends on the locale, which may not be
 * installed. */
static size_t character(const char *p, const char *end, int *columns)
{
    size_t length = mp_utf8_length(p, end);
    utf8proc_int32_t code;
    *columns = !is_control(p);
    if (length > 1 && *columns) {
        utf8proc_iterate((const utf8proc_uint8_t *)p, (utf8proc_ssize_t)length, &code);
        /* Terminals give spacing marks (as in Devanagari) one column. */
        if (utf8proc_category(code) != UTF8PROC_CATEGORY_MC)
            *columns = utf8proc_charwidth(code);
    }
    return length ? length : 1;
}

const char *mp_safe_text(mp_arena *arena, const char *text)
{
    char escape[MP_ESCAPE];
    size_t escapes = 0;
    if (!mp_utf8_valid(mp_slice_of(text)))
        text = mp_utf8_copy(arena, text);
    const char *end = text + strlen(text);
    for (const char *p = text; p < end; p++)
        escapes += mp_text_escape(p, end, escape) > 0;
    if (!escapes)
        return text;
    char *safe = mp_arena_alloc(arena, strlen(text) + escapes * MP_ESCAPE + 1), *out = safe;
    for (const char *p = text; p < end;) {
        size_t length = mp_text_escape(p, end, escape);
        if (length)
            out = stpcpy(out, escape);
        else
            *out++ = *p++;
        p += length;
    }
    *out = '\0';
    return safe;
}

size_t mp_text_width(const char *text)
{
    const char *end = text + strlen(text);
    size_t width = 0;
    int columns;
    for (const char *p = text; p < end; width += (size_t)columns)
        p += character(p, end, &columns);
    return width;
}

size_t mp_next_width(const char **p)
{
    int columns;
    *p += character(*p, *p + strnlen(*p, 4), &columns);
    return (size_t)columns;
}
