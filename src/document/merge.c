/* Merging documents: tables of one name become one table. */
#include "document/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "document/merge_rows.h"

/* How much of all names is a folder that is common to them. */
static size_t common_folder(const mp_part *parts, size_t count)
{
    const char *first = parts[0].name, *slash = strrchr(first, '/');
    size_t length = slash ? (size_t)(slash + 1 - first) : 0;
    for (size_t i = 1; i < count; i++)
        while (length && strncmp(first, parts[i].name, length) != 0)
            do
                length--;
            while (length && first[length - 1] != '/');
    return length;
}

static bool has_flag(const mp_table *table, unsigned flag)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].flags & flag)
            return true;
    return false;
}

/* What becomes of a table. */
typedef enum mp_merge_mode {
    MERGE_ROWS,   /* a row for each row of each file */
    MERGE_SUM,    /* one record */
    MERGE_COMMON, /* the first of them */
    MERGE_NONE,
} mp_merge_mode;

static mp_merge_mode mode_of(const mp_table *table)
{
    if (table->shape == MP_ROWS)
        return MERGE_ROWS;
    if (table->flags & MP_COMMON)
        return MERGE_COMMON;
    if (table->flags & MP_FOR_PEOPLE)
        return MERGE_NONE;
    return has_flag(table, MP_ADDS) ? MERGE_SUM : MERGE_ROWS;
}

static const char *name_for_rows(const mp_table *table)
{
    return table->name_of_many ? table->name_of_many : table->name;
}

/* Of a record and a table of that name in the plural, the table says all. */
static bool is_said_by_rows(const mp_document *document, const mp_table *table, const char *name)
{
    const mp_table *rows = mp_document_find(document, name);
    return table->shape == MP_RECORD && rows && rows != table;
}

/* All that becomes the table `name`, in the order of the parts; gives how many. */
static size_t sources_of(const mp_part *parts, size_t count, const char *name, mp_merge_mode mode,
                         mp_source *sources)
{
    size_t found = 0, folder = common_folder(parts, count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < parts[i].document->table_count; j++) {
            const mp_table *table = &parts[i].document->tables[j];
            const char *own = mode == MERGE_ROWS ? name_for_rows(table) : table->name;
            if (mode_of(table) != mode || strcmp(own, name) != 0 ||
                is_said_by_rows(parts[i].document, table, own))
                continue;
            sources[found++] = (mp_source){parts[i].name, parts[i].name + folder, table};
            break;
        }
    return found;
}

/* --- records --- */

static void put_sum(mp_document *document, const mp_source *sources, size_t count, const char *name)
{
    mp_columns columns = mp_columns_of(document, sources, count, NULL, 0);
    mp_table *table = mp_document_table(document, name, NULL, MP_RECORD, columns.at, columns.count);
    table->flags = MP_FOR_PROGRAMS;
    mp_add_up(table, sources, count);
    mp_keep_common(table, sources, count);
}

/* Only what all of them say. */
static void put_common(mp_document *document, const mp_source *sources, size_t count)
{
    const mp_table *first = sources[0].table;
    mp_table *table = mp_document_table(document, first->name, first->title, MP_RECORD,
                                        first->columns, first->column_count);
    table->flags = first->flags;
    mp_cell *row = mp_table_row(table);
    for (size_t i = 0; i < first->column_count; i++) {
        bool same = !(first->columns[i].flags & MP_FOR_PEOPLE) || count == 1;
        if (same && first->row_count)
            row[i] = first->cells[i];
    }
}

/* --- files --- */

/* Records of which `files` has a row for each file; as sources of each part in turn. */
static size_t summaries_of(const mp_part *part, size_t folder, mp_source *sources, size_t room)
{
    size_t found = 0;
    for (size_t i = 0; i < part->document->table_count && found < room; i++) {
        const mp_table *table = &part->document->tables[i];
        if (mode_of(table) == MERGE_SUM && table->row_count && has_flag(table, MP_SUMMARY))
            sources[found++] = (mp_source){part->name, part->name + folder, table};
    }
    return found;
}

enum { SUMMARIES = 8 };

/* "files" with a row for each part; NULL if there is nothing to tell. */
static mp_table *put_files(mp_document *document, const mp_part *parts, size_t count)
{
    mp_source *all = mp_arena_alloc(document->arena, count * SUMMARIES * sizeof *all);
    size_t found = 0, folder = common_folder(parts, count);
    for (size_t i = 0; i < count; i++)
        found += summaries_of(&parts[i], folder, all + found, SUMMARIES);
    if (!found)
        return NULL;
    mp_columns columns = mp_columns_of(document, all, found, mp_file_columns, MP_FILE_COLUMNS);
    mp_table *table =
        mp_document_table(document, "files", NULL, MP_ROWS, columns.at, columns.count);
    table->flags = MP_FOR_PROGRAMS;
    for (size_t i = 0; i < count; i++) {
        mp_source own[SUMMARIES];
        size_t records = summaries_of(&parts[i], folder, own, SUMMARIES);
        mp_put_file(table, &(mp_source){parts[i].name, parts[i].name + folder, NULL});
        for (size_t j = records; j-- > 0;) { /* the first has the last word */
            mp_copy_row(table, own[j].table, 0);
            table->order = own[j].table->order ? own[j].table->order : table->order;
        }
    }
    return table;
}

/* The same for people: the columns that tell most, those files first that have the most of what
 * the rows stand by, and a total. */
static void put_files_for_people(mp_document *document, const mp_table *files, size_t rows)
{
    mp_column *columns = mp_arena_alloc(document->arena, files->column_count * sizeof *columns);
    for (size_t i = 0; i < files->column_count; i++) {
        bool told = files->columns[i].flags & MP_SUMMARY || i < MP_FILE_COLUMNS;
        columns[i] = files->columns[i];
        if (i >= MP_FILE_COLUMNS)
            columns[i].flags &= ~(unsigned)MP_FOR_PROGRAMS;
        columns[i].flags |= told ? 0u : (unsigned)MP_FOR_PROGRAMS;
    }
    mp_source all = {NULL, NULL, files};
    size_t file_count = files->row_count;
    mp_table *table =
        mp_document_table(document, "files", "Files", MP_ROWS, columns, files->column_count);
    table->flags = MP_FOR_PEOPLE;
    mp_sort_rows(table, &all, files->order, rows);
    mp_add_up(table, &all, 1);
    mp_set_text(document, table, "file_name",
                mp_document_text(document, "total of %zu", file_count));
}

/* --- checks --- */

static void put_checks(mp_document *document, const mp_part *part)
{
    for (size_t i = 0; i < part->document->check_count; i++) {
        mp_check check = part->document->checks[i];
        check.file = part->name;
        mp_document_check(document, check);
    }
    document->policy = document->policy ? document->policy : part->document->policy;
    document->failed |= part->document->failed;
    document->unjudged |= part->document->unjudged;
}

/* --- all --- */

static void put_table(mp_document *document, const mp_part *parts, size_t count,
                      const mp_table *table, const mp_merging *how)
{
    mp_merge_mode mode = mode_of(table);
    const char *name = mode == MERGE_ROWS ? name_for_rows(table) : table->name;
    if (mode == MERGE_NONE)
        return;
    for (size_t i = 0; i < document->table_count; i++)
        if (strcmp(document->tables[i].name, name) == 0)
            return;
    mp_source *sources = mp_alloc(count * sizeof *sources);
    size_t found = sources_of(parts, count, name, mode, sources);
    if (found && mode == MERGE_SUM)
        put_sum(document, sources, found, name);
    else if (found && mode == MERGE_COMMON)
        put_common(document, sources, found);
    else if (found)
        mp_merge_rows(document, name, sources, found, how);
    free(sources);
}

/* Their names as texts: a path may be any bytes. Release with free(). */
static mp_part *named(mp_document *document, const mp_part *parts, size_t count)
{
    mp_part *result = mp_alloc(count * sizeof *result);
    for (size_t i = 0; i < count; i++)
        result[i] = (mp_part){mp_utf8_copy(document->arena, parts[i].name), parts[i].document};
    return result;
}

mp_document *mp_documents_merge(const mp_part *parts, size_t count, const mp_merging *how)
{
    mp_document *document = mp_document_new(parts[0].document->command);
    mp_part *them = named(document, parts, count);
    document->exact_bytes = them[0].document->exact_bytes;
    document->files = count;
    mp_table *files = put_files(document, them, count);
    if (files) {
        mp_table kept = *files; /* the next table may move it */
        put_files_for_people(document, &kept, how->rows);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < them[i].document->table_count; j++)
            put_table(document, them, count, &them[i].document->tables[j], how);
        put_checks(document, &them[i]);
    }
    free(them);
    return document;
}
