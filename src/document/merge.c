/* Merging documents: tables of the same name become one table. */
#include "document/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "document/merge_group.h"

typedef struct merging {
    mp_document *document;
    const mp_merging *how;
    mp_merge_group *groups; /* groups in the order of their first tables */
    size_t group_count, group_capacity;
    mp_merge_group summaries; /* records that become the rows of the table "files" */
    bool leaking;             /* a file has a leak */
    bool by_objects;          /* only some files have sizes, so leaks are compared by objects */
    /* Only some files have sizes, and others do not count objects. Leaks are then compared by
     * bytes, and leaks without bytes come last. */
    bool by_bytes;
} merging;

/* --- grouping of tables --- */

static bool has_flag(const mp_table *table, unsigned flag)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].flags & flag)
            return true;
    return false;
}

static mp_merge_mode mode_of(const mp_table *table)
{
    if (table->shape == MP_ROWS)
        return MP_MERGE_ROWS;
    if (table->flags & MP_COMMON)
        return MP_MERGE_COMMON;
    if (table->flags & MP_FOR_PEOPLE)
        return MP_MERGE_NONE;
    return has_flag(table, MP_ADDS) ? MP_MERGE_SUM : MP_MERGE_ROWS;
}

/* Return the group of this name; NULL if its mode is a different one. The first table of a name
 * decides the mode. */
static mp_merge_group *group_of(merging *state, const char *name, mp_merge_mode mode)
{
    for (size_t i = 0; i < state->group_count; i++)
        if (strcmp(state->groups[i].name, name) == 0)
            return state->groups[i].mode == mode ? &state->groups[i] : NULL;
    mp_grow(&state->groups, &state->group_capacity, state->group_count + 1, sizeof *state->groups);
    state->groups[state->group_count] = (mp_merge_group){.name = name, .mode = mode};
    return &state->groups[state->group_count++];
}

static void add(mp_merge_group *group, const mp_merge_source *source)
{
    *MP_APPEND(group->items, group->count, group->capacity) = *source;
}

static void gather(merging *state, const mp_document *document, mp_merge_source from)
{
    for (size_t i = 0; i < document->table_count; i++) {
        const mp_table *table = from.table = &document->tables[i];
        mp_merge_mode mode = mode_of(table);
        bool as_rows = mode == MP_MERGE_ROWS && table->name_of_many;
        const char *name = as_rows ? table->name_of_many : table->name;
        /* Skip a record if a table has all records of its kind. */
        bool is_said = as_rows && table->shape == MP_RECORD && mp_document_find(document, name);
        mp_merge_group *group =
            mode == MP_MERGE_NONE || is_said ? NULL : group_of(state, name, mode);
        if (group)
            add(group, &from);
        if (mode == MP_MERGE_SUM && table->row_count && has_flag(table, MP_SUMMARY))
            add(&state->summaries, &from);
    }
}

/* Return the length of the folder that all names have in common. `within`: common beginning of the
 * names, if they are in an archive. */
static size_t common_folder(const mp_merge_source *parts, size_t count, const char *within)
{
    size_t least = within ? strlen(within) : 0;
    const char *first = parts[0].file, *slash = strrchr(first + least, '/');
    size_t length = slash ? (size_t)(slash + 1 - first) : least;
    for (size_t i = 1; i < count; i++)
        while (length > least && strncmp(first, parts[i].file, length) != 0)
            do
                length--;
            while (length > least && first[length - 1] != '/');
    return length;
}

/* --- records --- */

/* Add the record of sums. It has those texts for programs that are the same in all sources. */
static void put_record(mp_document *document, mp_merge_group *group)
{
    mp_table *table = mp_merge_unite(document, group, MP_RECORD, 0);
    const mp_merge_source *first = group->items;
    mp_cell *row = mp_merge_put_sum(table, group);
    table->flags = MP_FOR_PROGRAMS;
    for (size_t i = 0; i < first->table->column_count && first->table->row_count; i++) {
        const mp_column *column = &first->table->columns[i];
        const mp_cell *cell = &first->table->cells[i];
        bool same = column->unit == MP_TEXT && !(column->flags & MP_FOR_PEOPLE) && cell->known;
        for (size_t j = 1; same && j < group->count; j++) {
            const mp_table *other = group->items[j].table;
            size_t place = mp_column_find(other->columns, other->column_count, column->name);
            same = place < other->column_count && other->row_count && other->cells[place].known &&
                   strcmp(other->cells[place].text, cell->text) == 0;
        }
        if (same)
            row[first->places[i]] = *cell;
    }
}

/* Add a record that has the same values in all files. A value for people is copied only if it is
 * the same in all files. */
static void put_common(mp_document *document, const mp_merge_group *group)
{
    const mp_table *first = group->items[0].table;
    mp_table *table = mp_document_table(document, first->name, first->title, MP_RECORD,
                                        first->columns, first->column_count);
    table->flags = first->flags;
    table->command = first->command;
    mp_cell *row = mp_table_row(table);
    for (size_t i = 0; i < first->column_count && first->row_count; i++) {
        const bool shown = first->columns[i].flags & MP_FOR_PEOPLE;
        bool same = first->cells[i].known;
        for (size_t j = 1; shown && same && j < group->count; j++) {
            const mp_table *other = group->items[j].table;
            bool has = other->columns == first->columns && other->row_count;
            same = has &&
                   mp_cells_compare(&first->columns[i], &first->cells[i], &other->cells[i]) == 0;
        }
        if (!shown || same)
            row[i] = first->cells[i];
    }
}

/* --- files --- */

/* Add "files" for people: the summary columns with a total; the files that leak most come first. */
static void put_shown_files(merging *state, const mp_table *merged)
{
    mp_document *document = state->document;
    const size_t count = merged->column_count;
    mp_column *columns = mp_arena_alloc(document->arena, count * sizeof *columns);
    size_t *places = mp_arena_alloc(document->arena, count * sizeof *places);
    /* Tables move when one is added. */
    mp_table *files =
        memcpy(mp_arena_alloc(document->arena, sizeof *merged), merged, sizeof *merged);
    for (size_t i = 0; i < count; i++) {
        columns[i] = files->columns[i];
        columns[i].flags |= MP_IF_KNOWN; /* hide columns that no file of these kinds has */
        places[i] = i;
        if (i >= MP_FILE_COLUMNS)
            columns[i].flags = columns[i].flags & MP_SUMMARY
                                   ? columns[i].flags & ~(unsigned)MP_FOR_PROGRAMS
                                   : columns[i].flags | MP_FOR_PROGRAMS;
    }
    mp_merge_group rows = {.items = &(mp_merge_source){.table = files, .places = places},
                           .count = 1};
    mp_table *table = mp_document_table(document, "files", "Files", MP_ROWS, columns, count);
    table->flags = MP_FOR_PEOPLE;
    table->command = files->command;
    const char *order = !state->leaking     ? files->order
                        : state->by_objects ? "leaking_objects"
                                            : "leaking_bytes";
    size_t found = mp_merge_put_rows(document, table, &rows, order, false, state->how->rows);
    table->footer.rest = (mp_rest){found - table->row_count, MP_REST_MORE};
    mp_merge_put_sum(table, &rows)[1] =
        (mp_cell){.known = true, .text = mp_document_text(document, "total of %zu", found)};
}

/* Add "files" for programs: a row for each part, from all of its summary records. If several
 * records have a column, the first known value counts. */
static void put_files(merging *state, const mp_merge_source *parts, size_t count)
{
    mp_merge_group *summaries = &state->summaries;
    summaries->name = "files";
    if (!summaries->count)
        return;
    mp_table *table = mp_merge_unite(state->document, summaries, MP_ROWS, MP_FILE_COLUMNS);
    table->flags = MP_FOR_PROGRAMS;
    for (size_t i = 0, next = 0; i < count; i++) {
        mp_cell *row = mp_table_row(table);
        row[MP_FILE_COLUMN] = (mp_cell){.known = true, .text = parts[i].file};
        row[MP_SHOWN_FILE_COLUMN] = (mp_cell){.known = true, .text = parts[i].shown};
        const char *order = NULL;
        for (; next < summaries->count && summaries->items[next].part == i; next++) {
            const mp_merge_source *from = &summaries->items[next];
            order = order ? order : from->table->order;
            for (size_t j = 0; j < from->table->column_count; j++)
                if (from->table->cells[j].known && !row[from->places[j]].known)
                    row[from->places[j]] = from->table->cells[j];
        }
        table->order = order ? order : table->order;
    }
    put_shown_files(state, table);
}

/* --- tables of rows --- */

/* Return the title that all tables share, otherwise the title for many files (title_of_many),
 * otherwise a title made from the table's name. */
static const char *title_of(mp_document *document, const mp_merge_group *group)
{
    const mp_table *first = group->items[0].table;
    bool same = true, alike = first->title_of_many != NULL;
    for (size_t i = 1; i < group->count && first->title; i++) {
        const mp_table *table = group->items[i].table;
        same = same && table->title && strcmp(table->title, first->title) == 0;
        alike = alike && table->title_of_many &&
                strcmp(table->title_of_many, first->title_of_many) == 0;
    }
    if (!first->title || same)
        return first->title;
    return alike ? first->title_of_many : mp_merge_plain_title(document, group->name);
}

static void put_line(mp_document *document, mp_table *table, const char *file, const mp_line *from)
{
    mp_line *line = mp_table_line(document, table, "%s%s%s", file ? file : "", file ? ": " : "",
                                  from->text ? from->text : "");
    line->rest = from->rest;
    line->argument = from->argument;
}

static bool all_say(const mp_merge_group *group, size_t line)
{
    const char *text = group->items[0].table->lines[line].text;
    for (size_t i = 1; i < group->count; i++) {
        const mp_table *from = group->items[i].table;
        if (line >= from->line_count || strcmp(text, from->lines[line].text) != 0)
            return false;
    }
    return true;
}

/* Add the lines above the rows and, if the table has no order, the lines below. A line begins with
 * the name of its file, unless all files have the same line. At most `rows` lines (0 = all) are
 * added, so that rows stay visible. */
static void put_lines(mp_document *document, mp_table *table, const mp_merge_group *group,
                      size_t rows)
{
    const mp_table *first = group->items[0].table;
    bool *same = mp_alloc_zero(first->line_count + 1, sizeof *same);
    size_t self = 0;
    for (size_t j = 0; j < first->line_count; j++)
        same[j] = group->count > 1 && all_say(group, j);
    for (size_t i = 0; i < group->count; i++) {
        const mp_table *from = group->items[i].table;
        for (size_t j = 0; j < from->line_count; j++) {
            bool of_all = j < first->line_count && same[j];
            if (of_all ? i == 0 : !rows || self++ < rows)
                put_line(document, table, of_all ? "each" : group->items[i].shown, &from->lines[j]);
        }
        if (!table->order && (from->footer.text || from->footer.rest.count))
            put_line(document, table, group->items[i].shown, &from->footer);
    }
    if (rows && self > rows)
        mp_table_line(document, table, "%s", "")->rest = (mp_rest){self - rows, MP_REST_MORE};
    free(same);
}

/* Hide text columns that have one value in all rows from people, because the column of the file
 * says the same. */
static void hide_paths(const mp_table *table, mp_column *columns)
{
    for (size_t i = MP_FILE_COLUMNS; i < table->column_count; i++) {
        bool same = columns[i].unit == MP_TEXT && table->row_count;
        for (size_t row = 0; same && row < table->row_count; row++) {
            const mp_cell file = mp_table_cell(table, row, MP_FILE_COLUMN);
            const mp_cell cell = mp_table_cell(table, row, i);
            same = cell.known && strcmp(cell.text, file.text) == 0;
        }
        if (same)
            columns[i].flags |= MP_FOR_PROGRAMS;
    }
}

static void put_table(merging *state, mp_merge_group *group)
{
    mp_document *document = state->document;
    mp_table *table = mp_merge_unite(document, group, MP_ROWS, MP_FILE_COLUMNS);
    size_t left_out = 0;
    table->title = title_of(document, group);
    table->flags = MP_FOR_PEOPLE | MP_FOR_PROGRAMS | MP_OF_CHECKS;
    for (size_t i = 0; i < group->count; i++) {
        const mp_table *from = group->items[i].table;
        table->flags &= from->flags; /* if a table is for everybody, the merged one is too */
        table->main |= from->main;
        table->limited |= from->limited;
        table->order = table->order ? table->order : from->order;
        table->empty = table->empty ? table->empty : from->empty;
        table->answer = table->answer ? table->answer : from->answer;
        table->list_depth =
            from->list_depth > table->list_depth ? from->list_depth : table->list_depth;
        left_out += from->footer.rest.kind == MP_REST_MORE ? from->footer.rest.count : 0;
        left_out += from->cut;
    }
    if (state->how->overview && !table->order && !table->main)
        table->flags |= MP_FOR_PROGRAMS;
    group->by_objects = state->by_objects;
    size_t rows = mp_merge_put_rows(document, table, group, table->order, true,
                                    table->order ? state->how->rows : 0);
    if (table->order) {
        table->borrowed->rank = mp_column_find(table->columns, table->column_count, "rank");
        table->footer.rest = (mp_rest){rows - table->row_count + left_out, MP_REST_MORE};
    }
    hide_paths(table, group->columns);
    put_lines(document, table, group, table->order ? state->how->rows : 0);
}

/* --- all --- */

static bool is_before(const mp_headline *one, const mp_headline *other)
{
    size_t i = 0;
    while (i < sizeof one->keys / sizeof *one->keys - 1 && one->keys[i] == other->keys[i])
        i++;
    return one->keys[i] > other->keys[i];
}

/* Return the rank of a verdict: leaks by size, then unknown ones, then no leak. */
static int64_t weight_of(const merging *state, const mp_told_verdict *told)
{
    if (told->kind && state->by_bytes)
        return told->leaking_bytes == MP_UNKNOWN ? 0 : told->leaking_bytes;
    if (told->kind)
        return state->by_objects ? told->objects : told->weight;
    return !told->leaks ? INT64_MIN : strcmp(told->leaks, "unknown") == 0 ? -1 : -2;
}

/* Set the verdict: "yes" if any file leaks, "no" only if it is "no" for every file. Return the file
 * with the worst leak; if several are equal, the first. NULL: none leaks. */
static const mp_merge_source *put_verdict(const merging *state, const mp_merge_source *files,
                                          size_t count)
{
    mp_document *document = state->document;
    mp_told_verdict *told = &document->verdict;
    const mp_merge_source *worst = NULL;
    size_t leaking = 0;
    int64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const mp_told_verdict *one = &files[i].document->verdict;
        leaking += one->kind != NULL;
        if (one->kind)
            total = total == MP_UNKNOWN || one->total_bytes == MP_UNKNOWN
                        ? MP_UNKNOWN
                        : total + one->total_bytes;
        const bool fits = !files[i].document->fits_nothing || document->fits_nothing;
        if (!one->leaks || !fits ||
            (told->leaks && weight_of(state, one) <= weight_of(state, told)))
            continue;
        *told = *one;
        told->file = files[i].file;
        worst = one->kind ? &files[i] : NULL;
    }
    if (!told->leaks)
        return NULL;
    told->leaking = leaking;
    told->total_bytes = total;
    told->file = mp_document_text(document, "%s", told->file);
    told->reason = mp_document_text(document, "%s", told->reason);
    told->type = told->type ? mp_document_text(document, "%s", told->type) : NULL;
    told->name = told->name ? mp_document_text(document, "%s", told->name) : NULL;
    told->site = told->site ? mp_document_text(document, "%s", told->site) : NULL;
    return worst;
}

/* Add the headline that comes first among the headlines of all files; if several are equal, that of
 * the first file. If some files have no sizes, also add the headline of the file with the worst
 * leak. */
static void put_headline(const merging *state, const mp_merge_source *files, size_t count,
                         const mp_merge_source *worst)
{
    if (!(state->by_objects || state->by_bytes) || (worst && !worst->document->headline.label))
        worst = NULL;
    const mp_merge_source *first = worst;
    for (size_t i = 0; !worst && i < count; i++) {
        const mp_headline *headline = &files[i].document->headline;
        if (headline->label && (!first || is_before(headline, &first->document->headline)))
            first = &files[i];
    }
    if (!first)
        return;
    const mp_headline *said = &first->document->headline;
    mp_document_say(state->document, said->tone, said->label, "%s, in %s%s", said->text,
                    first->shown,
                    !worst              ? ""
                    : state->by_objects ? "; by objects, since not all recordings have sizes"
                                        : "; recordings without sizes come last");
}

static void put_said(mp_document *document, const mp_document *from, const char *file)
{
    for (size_t i = 0; i < from->said_count; i++) {
        const mp_said *said = &from->said[i];
        mp_document_say(document, said->tone, said->label, "%s", said->text);
        document->said[document->said_count - 1].file = file;
    }
}

static void put_checks(mp_document *document, const mp_document *from, const char *file)
{
    for (size_t i = 0; i < from->check_count; i++) {
        mp_check check = from->checks[i];
        check.file = file;
        mp_document_check(document, check);
    }
    document->policy = document->policy ? document->policy : from->policy;
    document->failed |= from->failed;
    document->unjudged |= from->unjudged;
    document->fits_nothing &= from->fits_nothing;
    document->unmatched &= from->unmatched;
}

/* Count how many of the first `most` rows come from each source. If a source keeps fewer rows than
 * this, raise its number of kept rows to this count. */
static void keep_rows(const mp_merge_group *group, const char *order, size_t most, size_t *kept)
{
    size_t total, *first = mp_alloc_zero(group->count + 1, sizeof *first);
    mp_merge_row *refs = mp_merge_order(group, order, true, &total);
    for (size_t i = 0; i < total && i < most; i++)
        first[refs[i].source]++;
    for (size_t i = 0; i < group->count; i++)
        kept[i] = first[i] > kept[i] ? first[i] : kept[i];
    free(refs);
    free(first);
}

/* Keep the first rows of each source; their order does not change. */
static void cut_rows(mp_merge_group *group, mp_document *const *documents, size_t most)
{
    const char *order = NULL;
    for (size_t i = 0; i < group->count; i++) {
        const mp_table *table = group->items[i].table;
        if (table->row_count && (!table->order || (order && strcmp(order, table->order) != 0)))
            return; /* the merged table will have another order */
        order = table->row_count ? table->order : order;
    }
    if (!mp_merge_column(group, order))
        return;
    size_t *kept = mp_alloc_zero(group->count + 1, sizeof *kept);
    for (int i = 0; i < 2; i++) { /* a later file decides whether all have sizes */
        group->by_objects = i;
        keep_rows(group, order, most, kept);
    }
    for (size_t i = 0; i < group->count; i++) {
        mp_document *document = documents[group->items[i].part];
        mp_table *table = &document->tables[group->items[i].table - document->tables];
        table->cut += table->row_count - kept[i];
        table->row_count = kept[i];
    }
    free(kept);
}

void mp_documents_cut(mp_document *const *documents, size_t count, const mp_merging *how)
{
    merging state = {.how = how};
    for (size_t i = 0; i < count; i++)
        gather(&state, documents[i], (mp_merge_source){.part = i});
    for (size_t i = 0; i < state.group_count; i++) {
        if (state.groups[i].mode == MP_MERGE_ROWS && how->rows)
            cut_rows(&state.groups[i], documents, how->rows);
        free(state.groups[i].items);
    }
    free(state.groups);
    free(state.summaries.items);
}

mp_document *mp_documents_merge(const mp_part *parts, size_t count, const mp_merging *how)
{
    merging state = {.document = mp_document_new(parts[0].document->command), .how = how};
    mp_merge_source *files = mp_alloc(count * sizeof *files);
    state.document->exact_bytes = parts[0].document->exact_bytes;
    state.document->first_tables = parts[0].document->first_tables;
    state.document->files = count;
    state.document->fits_nothing = true;
    state.document->unmatched = parts[0].document->unmatched;
    for (size_t i = 0; i < count; i++) /* a path may contain any bytes */
        files[i] = (mp_merge_source){.part = i,
                                     .document = parts[i].document,
                                     .file = mp_utf8_copy(state.document->arena, parts[i].name)};
    size_t folder = common_folder(files, count, how->within), unsized = 0, uncounted = 0;
    for (size_t i = 0; i < count; i++) {
        files[i].shown = files[i].file + folder;
        gather(&state, parts[i].document, files[i]);
        put_checks(state.document, parts[i].document, files[i].file);
        state.document->running += parts[i].document->running;
        state.leaking |= parts[i].document->verdict.kind != NULL;
        unsized += parts[i].document->unsized;
        uncounted += parts[i].document->uncounted;
    }
    state.by_objects = unsized && unsized < count && !uncounted;
    state.by_bytes = unsized && unsized < count && uncounted;
    mp_merge_figures(state.document, files, count);
    put_files(&state, files, count);
    for (size_t i = 0; i < state.group_count; i++) {
        mp_merge_group *group = &state.groups[i];
        if (group->mode == MP_MERGE_SUM)
            put_record(state.document, group);
        else if (group->mode == MP_MERGE_COMMON)
            put_common(state.document, group);
        else
            put_table(&state, group);
        free(group->items);
    }
    const mp_merge_source *worst = put_verdict(&state, files, count);
    state.document->unsized = unsized > 0;
    state.document->uncounted = uncounted > 0;
    if (how->sum_up)
        how->sum_up(state.document);
    put_headline(&state, files, count, worst);
    for (size_t i = 0; i < count; i++)
        put_said(state.document, parts[i].document, files[i].file);
    MP_FREE(state.groups, state.summaries.items, files);
    return state.document;
}
