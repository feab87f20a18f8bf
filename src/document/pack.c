/* Reduce the memory of documents that wait for others: release unused capacity, and keep one copy
 * of the contents that documents have in common. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "document/figure.h"

/* Set of columns, shared by documents. */
typedef struct mp_shared_columns_set {
    struct mp_shared_columns_set *before;
    const mp_column *items;
    size_t count;
} shared_set;

/* The new place of a list, or of a text in a list. */
typedef struct list_part {
    const void *data;
    size_t bytes;
} list_part;

/* Texts in the document's arena move to the shared memory; others stay borrowed. */
typedef struct packing {
    mp_memory_range *from; /* memory of the document's arena */
    size_t from_count;
    mp_shared_parts *shared;
    mp_id_index known; /* index in `parts`, by the old address of a list or of a text in a list */
    list_part *parts;
    size_t capacity;
} packing;

static bool is_owned(const packing *pack, const void *memory)
{
    return mp_ranges_have(pack->from, pack->from_count, memory);
}

void mp_shared_parts_free(mp_shared_parts *shared)
{
    mp_key_index_free(&shared->bytes);
    mp_arena_free(&shared->arena);
    *shared = (mp_shared_parts){.last = NULL};
}

static void move_text(const packing *pack, const char **text)
{
    if (*text && is_owned(pack, *text))
        *text = mp_key_index_copy(&pack->shared->bytes, *text, strlen(*text) + 1);
}

/* Look up the memory of a list, so that memory which lists share is moved only once: stacks share
 * most of their frames. Return its new place, valid until the next call. For new memory, return the
 * old place and 0 bytes. */
static list_part *part_of(packing *pack, const void *memory)
{
    uint32_t *place = mp_id_index_put(&pack->known, (uintptr_t)memory);
    size_t count = pack->known.count;
    if (!*place) {
        *place = (uint32_t)count;
        mp_grow(&pack->parts, &pack->capacity, count + 1, sizeof *pack->parts);
        pack->parts[count] = (list_part){memory, 0};
    }
    return &pack->parts[*place];
}

static const char *moved_frame(packing *pack, const char *text)
{
    list_part *now = part_of(pack, text);
    if (!now->bytes) {
        now->bytes = strlen(text) + 1;
        if (is_owned(pack, text))
            now->data = mp_key_index_copy(&pack->shared->bytes, text, now->bytes);
    }
    return now->data;
}

/* Return the new place of a list. A borrowed list also borrows its texts. A list may be the
 * beginning of a longer one at the same address. */
static const char **moved_list(packing *pack, const char **list, size_t count)
{
    if (!is_owned(pack, (const void *)list))
        return list;
    list_part now = *part_of(pack, (const void *)list);
    if (now.bytes < count * sizeof *list) {
        const char **moved = mp_alloc(count * sizeof *list);
        for (size_t i = 0; i < count; i++)
            moved[i] = moved_frame(pack, list[i]);
        now.bytes = count * sizeof *list;
        now.data = mp_key_index_copy(&pack->shared->bytes, (const void *)moved, now.bytes);
        free(moved);
        *part_of(pack, (const void *)list) = now;
    }
    return (const char **)(uintptr_t)now.data;
}

static bool same_columns(const mp_column *a, const mp_column *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].unit != b[i].unit || a[i].flags != b[i].flags || a[i].offset != b[i].offset ||
            strcmp(a[i].name, b[i].name) != 0 || strcmp(a[i].title, b[i].title) != 0)
            return false;
    return true;
}

/* A report may have made columns for itself. Replace them by shared columns. Columns depend on the
 * options, so most documents have the same. Titles that depend on the file (its snapshots) are
 * rare, so a short linear search is enough. */
static void share_columns(const packing *pack, mp_table *table)
{
    enum { LOOKED_AT = 16 };
    mp_shared_parts *shared = pack->shared;
    size_t count = table->column_count, looked_at = 0;
    if (!is_owned(pack, table->columns))
        return;
    for (shared_set *set = shared->last; set && looked_at++ < LOOKED_AT; set = set->before)
        if (set->count == count && same_columns(set->items, table->columns, count)) {
            table->columns = set->items;
            return;
        }
    mp_column *columns = mp_arena_alloc(&shared->arena, (count + 1) * sizeof *columns);
    memcpy(columns, table->columns, count * sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        move_text(pack, &columns[i].name);
        move_text(pack, &columns[i].title);
    }
    shared_set *set = mp_arena_alloc(&shared->arena, sizeof *set);
    *set = (shared_set){shared->last, columns, count};
    shared->last = set;
    table->columns = columns;
}

static void move_cells(packing *pack, mp_table *table)
{
    size_t count = table->row_count * table->column_count;
    table->cells = mp_fitted(table->cells, count, sizeof *table->cells);
    table->cell_capacity = count;
    for (size_t i = 0; i < count; i++) {
        const mp_column *column = &table->columns[i % table->column_count];
        mp_cell *cell = &table->cells[i];
        if (mp_cell_is_list(column, cell))
            cell->list = moved_list(pack, cell->list, cell->count);
        else if (mp_cell_is_text(column, cell))
            move_text(pack, &cell->text);
    }
}

static void move_table(packing *pack, mp_table *table)
{
    share_columns(pack, table);
    move_cells(pack, table);
    move_text(pack, &table->name);
    move_text(pack, &table->name_of_many);
    move_text(pack, &table->title_of_many);
    move_text(pack, &table->title);
    move_text(pack, &table->order);
    move_text(pack, &table->empty);
    move_text(pack, &table->footer.text);
    table->lines = mp_fitted(table->lines, table->line_count, sizeof *table->lines);
    table->line_capacity = table->line_count;
    for (size_t i = 0; i < table->line_count; i++)
        move_text(pack, &table->lines[i].text);
    free(table->structs);
    table->structs = NULL;
    table->struct_count = table->struct_capacity = 0;
    table->answer = MP_ANSWER_NONE;
    table->about = NULL;
}

static void move_check(const packing *pack, mp_check *check)
{
    const char **const texts[] = {&check->name,    &check->measured, &check->limit,
                                  &check->message, &check->warning,  &check->note};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        move_text(pack, texts[i]);
}

/* Reduce stacks to the part that will be visible beside the stacks of other files. */
static void move_figures(const packing *pack, mp_document *document)
{
    enum { MOST = 400, DEEPEST = 150 };
    size_t kept = 0;
    for (size_t i = 0; i < document->figure_count; i++) {
        mp_figure *figure = &document->figures[kept];
        *figure = document->figures[i];
        if (figure->kind != MP_FIGURE_STACKS)
            continue;
        kept++;
        if (!is_owned(pack, figure->tree.items)) /* the figure was reduced before */
            continue;
        figure->tree = mp_tree_cut(&pack->shared->arena, &figure->tree, MOST, DEEPEST);
        for (uint32_t k = 0; k < figure->tree.count; k++) {
            move_text(pack, &figure->tree.items[k].label);
            move_text(pack, &figure->tree.items[k].source);
        }
        const char **const texts[] = {&figure->name, &figure->title,        &figure->file,
                                      &figure->note, &figure->tree.measure, &figure->tree.count_of};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            move_text(pack, texts[k]);
    }
    document->figures = mp_fitted(document->figures, kept, sizeof *document->figures);
    document->figure_count = document->figure_capacity = kept;
}

/* Drop the parts of a waiting answer that lie in the old arena and are not read again, because no
 * more frames are added. */
static void drop_unread(mp_document *document)
{
    mp_id_index_free(&document->kept_index);
    free(document->kept);
    document->kept = NULL;
    document->kept_capacity = 0;
}

void mp_document_pack(mp_document *document, mp_shared_parts *shared)
{
    packing pack = {.shared = shared};
    pack.from = mp_arena_ranges(document->arena, &pack.from_count);
    drop_unread(document);
    move_figures(&pack, document);
    move_text(&pack, &document->title);
    move_text(&pack, &document->policy);
    document->said = mp_fitted(document->said, document->said_count, sizeof *document->said);
    document->said_capacity = document->said_count;
    for (size_t i = 0; i < document->said_count; i++)
        move_text(&pack, &document->said[i].text);
    move_text(&pack, &document->headline.text);
    move_text(&pack, &document->verdict.reason);
    move_text(&pack, &document->verdict.type);
    move_text(&pack, &document->verdict.name);
    move_text(&pack, &document->verdict.site);
    document->tables = mp_fitted(document->tables, document->table_count, sizeof *document->tables);
    document->table_capacity = document->table_count;
    for (size_t i = 0; i < document->table_count; i++)
        move_table(&pack, &document->tables[i]);
    document->checks = mp_fitted(document->checks, document->check_count, sizeof *document->checks);
    document->check_capacity = document->check_count;
    for (size_t i = 0; i < document->check_count; i++)
        move_check(&pack, &document->checks[i]);
    free(pack.from);
    mp_id_index_free(&pack.known);
    free(pack.parts);
    mp_arena_free(document->arena);
}
