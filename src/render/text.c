/* Text for people. In a pipe, each row is one line, nothing is cut, and the output is always the
 * same. In a terminal, no line is wider than the window: layout.h chooses the columns, and other
 * texts are wrapped. */
#include "render/text.h"

#include <string.h>

#include "base/units.h"
#include "render/icicle.h"
#include "render/layout.h"
#include "render/name.h"
#include "render/wrap.h"

typedef struct text_out {
    FILE *file;
    const mp_style *style;
    const mp_text_guide *guide; /* NULL = positions of rows are not needed */
    const mp_table *table;      /* table that is printed; NULL = none */
    bool exact_bytes;
    bool cut;       /* columns were left out */
    bool limited;   /* rows were left out */
    mp_arena arena; /* cells of one table */
} text_out;

/* --- colour: never the only sign of a difference --- */

/* 16 colours, for light and dark backgrounds. Red and cyan are distinguishable for colour-blind
 * people. */
#define BOLD MP_TEXT_BOLD
#define FAINT MP_TEXT_FAINT
#define UNDERLINED MP_TEXT_UNDERLINED
#define PLAIN MP_TEXT_PLAIN
static const char *const tones[] = {[MP_TONE_PLAIN] = "",
                                    [MP_TONE_WORSE] = MP_TEXT_WORSE,
                                    [MP_TONE_BETTER] = MP_TEXT_BETTER,
                                    [MP_TONE_WARNING] = MP_TEXT_WARNING};

/* Tell the guide that the following output belongs to this row. */
static void go_to(const text_out *out, size_t row, size_t text)
{
    if (out->guide)
        out->guide->position(out->guide->opaque, out->table, row, text);
}

static const char *escape(const text_out *out, const char *sequence)
{
    return out->style->colour ? sequence : "";
}

/* Print a name, with the qualifying parts of its words faint. */
static void put_name(text_out *out, const char *text, size_t length)
{
    for (const char *p = text, *end = text + length; p < end;) {
        const char *word = memchr(p, ' ', (size_t)(end - p));
        word = word ? word : end;
        const char *last = mp_last_component(p, word);
        if (last > p)
            fprintf(out->file, FAINT "%.*s" PLAIN, (int)(last - p), p);
        for (; word < end && *word == ' '; word++)
            continue;
        fwrite(last, 1, (size_t)(word - last), out->file);
        p = word;
    }
}

static void put_cell(text_out *out, const mp_column *column, const char *text, size_t length)
{
    mp_tone tone = out->style->colour ? mp_cell_tone(column, text) : MP_TONE_PLAIN;
    if (out->style->colour && (column->unit == MP_LIST || column->flags & MP_SHORTEN))
        put_name(out, text, length);
    else
        fprintf(out->file, "%s%.*s%s", tones[tone], (int)length, text, tone ? PLAIN : "");
}

/* --- wrapped texts --- */

/* Print a part of a line. It sets and ends its own colour, because a pager may begin at any
 * line. */
static void put_part(text_out *out, const char *sequence, const char *text, size_t length)
{
    bool coloured = out->style->colour && *sequence;
    fprintf(out->file, "%s%.*s%s", coloured ? sequence : "", (int)length, text,
            coloured ? PLAIN : "");
}

/* Print a text, wrapped, on a line in which `used` columns are taken. `sequence`: its colour; NULL
 * = print it as a name. */
static void put_wrapped(text_out *out, const char *sequence, const char *text, size_t used,
                        size_t hang)
{
    const char *line = mp_wrap_text(&out->arena, text, used, hang, out->style->width);
    for (bool more = true; more; fputc('\n', out->file)) {
        size_t length = strcspn(line, "\n"), blanks = strspn(line, " ");
        blanks = blanks < length ? blanks : length;
        fprintf(out->file, "%*s", (int)blanks, "");
        if (!sequence && out->style->colour)
            put_name(out, line + blanks, length - blanks);
        else
            put_part(out, sequence ? sequence : "", line + blanks, length - blanks);
        more = line[length] != '\0';
        line += length + more;
    }
}

static void put_title(text_out *out, const char *text)
{
    put_wrapped(out, BOLD, mp_safe_text(&out->arena, text), 0, 2);
}

static void put_text(text_out *out, const char *text)
{
    fputs("  ", out->file);
    put_wrapped(out, "", text, 2, 4);
}

/* --- records: a label and a value on each line --- */

static void put_label(text_out *out, const char *label, size_t widest, mp_tone tone)
{
    bool coloured = out->style->colour && tone;
    fprintf(out->file, "  %s%s%s%*s  ", coloured ? tones[tone] : "", label, coloured ? PLAIN : "",
            (int)(widest - mp_text_width(label)), "");
}

static void put_record(text_out *out, const mp_table *table)
{
    size_t widest = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        size_t width = mp_text_width(table->columns[i].title);
        if (table->cells[i].known && mp_column_is_shown(table, i) && width > widest)
            widest = width;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        if (!table->cells[i].known || !mp_column_is_shown(table, i))
            continue;
        go_to(out, 0, 0);
        put_label(out, column->title, widest, MP_TONE_PLAIN);
        put_wrapped(out, "",
                    mp_cell_for_people(&out->arena, column, &table->cells[i], out->exact_bytes),
                    widest + 4, widest + 4);
    }
}

/* Print the report's summary. */
static void put_answer(text_out *out, const mp_document *document)
{
    size_t widest = 0, count = 0;
    for (; count < document->said_count && !document->said[count].file; count++) {
        size_t width = mp_text_width(document->said[count].label);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < count; i++) {
        const mp_said *said = &document->said[i];
        go_to(out, MP_ROW_NONE, 0);
        put_label(out, said->label, widest, said->tone);
        put_wrapped(out, "", mp_safe_text(&out->arena, said->text), widest + 4, widest + 4);
    }
}

/* --- rows --- */

/* Print row number `row`, from 1, or the titles (`row` is 0), without trailing blanks. */
static void put_line(text_out *out, const mp_layout *layout, size_t row)
{
    bool more = true;
    for (size_t line = 0; more; line++) {
        size_t blanks = MP_GAP; /* blanks to write if anything follows */
        more = false;
        fputs(row ? "" : escape(out, UNDERLINED), out->file);
        for (size_t i = 0; i < layout->count; i++) {
            const mp_text_column *column = &layout->columns[i];
            bool further, left = mp_unit_is_text(column->as->unit);
            const char *text = mp_line_of_text(
                &out->arena, row ? column->texts[row - 1] : column->title, line, &further);
            size_t padding = column->width - mp_text_width(text), length = strlen(text),
                   kept = length;
            while (kept && text[kept - 1] == ' ')
                kept--;
            if (kept)
                fprintf(out->file, "%*s", (int)(blanks + (left ? 0 : padding)), "");
            if (kept && row)
                put_cell(out, column->as, text, kept);
            else if (kept)
                fwrite(text, 1, kept, out->file);
            blanks = (kept ? 0 : blanks + (left ? 0 : padding)) + length - kept +
                     (left ? padding : 0) + MP_GAP;
            more |= further;
        }
        fprintf(out->file, "%s\n", row ? "" : escape(out, PLAIN));
    }
}

/* Print a frame below a row, after the word `what`. If the frame does not fit, its arguments are
 * removed, and the remaining text is wrapped. */
static void put_frame(text_out *out, const char *what, const char *frame)
{
    enum { INDENT = 6 };
    size_t used = INDENT + strlen(what) + 1, width = out->style->width;
    frame = mp_safe_text(&out->arena, frame);
    if (width)
        frame = mp_collapse_name(&out->arena, frame, width > used ? width - used : 1);
    fprintf(out->file, "%*s%s%s%s ", INDENT, "", escape(out, FAINT), what, escape(out, PLAIN));
    put_wrapped(out, NULL, frame, used, INDENT + 2);
}

/* Print the callers of a stack, one per line. `with_first`: also print its first frame. */
static void put_callers(text_out *out, const mp_table *table, size_t row, const mp_cell *cell,
                        bool with_first)
{
    const char *first = cell->count ? cell->list[0] : cell->text;
    char left[MP_UNIT_TEXT];
    if (with_first && first)
        put_frame(out, "at", first);
    const mp_text_guide *guide = out->guide;
    size_t depth = out->style->brief ? 0
                   : guide           ? guide->depth(guide->opaque, out->table, row)
                                     : table->list_depth;
    int64_t shown = cell->count;
    if (shown > (int64_t)depth + 1)
        shown = (int64_t)depth + 1;
    for (int64_t i = 1; i < shown; i++) {
        go_to(out, row, (size_t)i);
        put_frame(out, "called from", cell->list[i]);
    }
    const int64_t rest = mp_list_length(cell) - shown;
    mp_format_count(left, rest, false);
    if (rest && depth)
        fprintf(out->file, "      and %s more caller%s\n", left, rest == 1 ? "" : "s");
}

/* Print the notes on one line if they fit, otherwise on one line each. */
static void put_notes(text_out *out, const mp_cell *cell)
{
    enum { INDENT = 6 };
    size_t width = INDENT;
    for (uint32_t i = 0; i < cell->count; i++)
        width += mp_text_width(mp_safe_text(&out->arena, cell->list[i])) + (i ? 2 : 0);
    bool joined = !out->style->width || width <= out->style->width;
    for (uint32_t i = 0; i < cell->count; i++) {
        const char *text = mp_safe_text(&out->arena, cell->list[i]);
        fprintf(out->file, "%*s", joined && i ? 0 : INDENT, "");
        if (joined && i + 1 < cell->count)
            fprintf(out->file, "%s; ", text);
        else
            put_wrapped(out, "", text, joined ? 0 : INDENT, INDENT + 2);
    }
}

/* Print the parts of a row that do not fit in its line. */
static void put_below(text_out *out, const mp_table *table, size_t row, bool below)
{
    enum { INDENT = 6 };
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        const mp_cell found = mp_table_cell(table, row, i), *cell = &found;
        if (!cell->known || !mp_column_is_shown(table, i))
            continue;
        if (column->unit == MP_LIST && column->flags & MP_BELOW) {
            if (!out->style->brief)
                put_notes(out, cell);
        } else if (column->unit == MP_LIST) {
            put_callers(out, table, row, cell, below);
        } else if (below && column->flags & MP_SENTENCE) {
            fprintf(out->file, "%*s", INDENT, "");
            put_wrapped(out, "", mp_safe_text(&out->arena, cell->text), INDENT, INDENT + 2);
        }
    }
}

static void put_rows(text_out *out, const mp_table *table)
{
    mp_layout layout = mp_layout_of(&out->arena, table, out->style->width, out->exact_bytes);
    out->cut |= layout.cut;
    for (size_t row = 0; layout.count && row <= table->row_count; row++) {
        go_to(out, row ? row - 1 : MP_ROW_NAMES, 0);
        put_line(out, &layout, row);
        if (row)
            put_below(out, table, row - 1, layout.below);
    }
}

static void put_table(text_out *out, const mp_table *whole, bool first)
{
    const mp_table shown = mp_table_for_people(whole, out->style), *table = &shown;
    if (table->flags & MP_FOR_PROGRAMS)
        return;
    out->table = NULL;
    go_to(out, MP_ROW_NONE, 0);
    if (!first)
        fputc('\n', out->file);
    out->table = whole;
    if (table->title)
        put_title(out, table->title);
    for (size_t i = 0; i < table->line_count; i++)
        put_text(out, mp_line_for_people(&out->arena, &table->lines[i], out->style));
    if (table->shape == MP_RECORD && table->row_count)
        put_record(out, table);
    else if (table->row_count)
        put_rows(out, table);
    else if (table->empty)
        put_text(out, table->empty);
    go_to(out, MP_ROW_NONE, 0);
    const char *footer = mp_line_for_people(&out->arena, &table->footer, out->style);
    if (*footer)
        put_text(out, footer);
    out->limited |= mp_rest_is_limited(&table->footer.rest);
    mp_arena_free(&out->arena);
}

/* Return the picture that a person at a terminal sees instead of rows; NULL if there is none. */
static const mp_figure *picture_of(const mp_document *document, const mp_style *style, bool guided)
{
    const bool shows = style->terminal && style->width && !style->brief && !guided;
    return shows && strcmp(document->command, "flame") == 0
               ? mp_document_figure_of(document, MP_FIGURE_STACKS)
               : NULL;
}

static void put_picture(text_out *out, const mp_figure *figure)
{
    fputc('\n', out->file);
    put_title(out, figure->title);
    mp_icicle_put(figure, out->style, out->file);
}

/* Print the last lines: how to get more data, and the next command. */
static void put_further(text_out *out, const mp_document *document)
{
    const mp_style *style = out->style;
    const bool full = !out->guide && !style->brief;
    const char *const lines[][2] = {
        {"", full ? mp_more_tables(&out->arena, document, style) : NULL},
        {"Interactive view: ", out->limited ? style->around : NULL},
        {"Next: ", full ? style->next : NULL},
    };
    bool first = true;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i][1])
            continue;
        fputs(first ? "\n" : "", out->file);
        first = false;
        put_wrapped(out, "", mp_arena_format(&out->arena, "%s%s", lines[i][0], lines[i][1]), 0, 0);
    }
}

void mp_text_guided(const mp_document *document, const mp_style *style, const mp_text_guide *guide,
                    FILE *file)
{
    text_out out = {
        .file = file, .style = style, .guide = guide, .exact_bytes = document->exact_bytes};
    const mp_figure *picture = picture_of(document, style, guide != NULL);
    bool first = true, answered = document->said_count && !document->said[0].file;
    const mp_table *main = mp_document_shown_main(document);
    go_to(&out, MP_ROW_NONE, 0);
    if (document->title) {
        put_title(&out, document->title);
        first = false;
    }
    if (answered) {
        fputs(first ? "" : "\n", file);
        put_answer(&out, document);
        first = false;
    }
    const size_t shown = guide ? document->table_count : mp_document_first_tables(document);
    for (size_t i = 0; i < shown; i++) {
        /* A brief answer is the summary or, if there is none, the main table. */
        if (style->brief && (answered || (main && main != &document->tables[i])))
            continue;
        if (picture && main == &document->tables[i]) {
            put_picture(&out, picture);
            continue;
        }
        put_table(&out, &document->tables[i], first);
        first &= (document->tables[i].flags & MP_FOR_PROGRAMS) != 0;
    }
    out.table = NULL;
    go_to(&out, MP_ROW_NONE, 0);
    if (out.cut) {
        fputc('\n', file);
        const char *wider =
            guide ? guide->wider : mp_arena_format(&out.arena, "%swidth 0", style->dashes);
        put_wrapped(&out, "",
                    mp_arena_format(&out.arena, "Columns were omitted to fit %u; %s shows all.",
                                    style->width, wider),
                    0, 0);
    }
    put_further(&out, document);
    mp_arena_free(&out.arena);
}

static bool render_text(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics; /* people read the diagnostics on standard error */
    (void)error;
    mp_text_guided(document, style, NULL, file);
    return true;
}

/* Return the default width of a column whose rows are not known yet. */
static size_t usual_width(const mp_column *column)
{
    static const size_t widths[] = {
        [MP_TEXT] = 14, [MP_NUMBER] = 4, [MP_COUNT] = 11, [MP_BYTES] = 11, [MP_TIME] = 11};
    const size_t units = sizeof widths / sizeof *widths;
    size_t title = mp_text_width(column->title),
           usual = (size_t)column->unit < units ? widths[column->unit] : 0;
    return title > usual ? title : usual;
}

static void put_row(const mp_document *document, size_t row, const mp_style *style, FILE *file)
{
    const mp_table *table = mp_document_main_table(document);
    text_out out = {.file = file, .style = style};
    size_t blanks = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        if (!mp_column_is_shown(table, i))
            continue;
        const char *text = column->title;
        if (row != MP_ROW_NAMES) {
            const mp_cell cell = mp_table_cell(table, row, i);
            text = mp_cell_for_people(&out.arena, column, &cell, document->exact_bytes);
        }
        size_t width = mp_text_width(text), usual = usual_width(column);
        size_t padding = usual > width ? usual - width : 0;
        bool left = mp_unit_is_text(column->unit);
        if (*text)
            fprintf(file, "%*s", (int)(blanks + (left ? 0 : padding)), "");
        if (*text && row != MP_ROW_NAMES)
            put_cell(&out, column, text, strlen(text));
        else
            put_part(&out, UNDERLINED, text, strlen(text));
        blanks = (*text ? left ? padding : 0 : blanks + usual) + MP_GAP;
    }
    fputc('\n', file);
    mp_arena_free(&out.arena);
}

const mp_renderer mp_renderer_text = {.name = "text",
                                      .summary = "tables for people",
                                      .can_be_brief = true,
                                      .render = render_text,
                                      .put_row = put_row};
