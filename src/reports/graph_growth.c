/* What grew from dump to dump. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/graph_sections.h"

typedef struct grower_row {
    mp_growth growth;
    const char *key;
} grower_row;

static const mp_column grower_columns[] = {
    MP_GROWTH_COLUMNS(grower_row, growth),
    MP_COLUMN(grower_row, key, "Type", MP_TEXT, MP_SHORTEN),
};

/* Of two dumps, what grew at each grew once: the table of growth says it. */
void mp_section_growers(mp_document *document, const mp_window *window, size_t rows)
{
    size_t count;
    uint32_t steps;
    mp_grower *growers = mp_growers_of(window, &count, &steps);
    mp_table *table = MP_TABLE(document, "growers", NULL, MP_ROWS, grower_columns);
    table->title = "Types that grew from each dump to the next";
    table->flags = steps < 2 ? MP_FOR_PROGRAMS : 0;
    table->order = "delta_bytes";
    table->empty = "none";
    for (size_t i = 0; i < count && (!rows || i < rows); i++) {
        const mp_grower *at = &growers[i];
        grower_row row = {mp_growth_of((mp_amount){at->from_objects, at->from_bytes},
                                       (mp_amount){at->to_objects, at->to_bytes}),
                          mp_type_text(document, window->model, at->type.i)};
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(document, table, count);
    free(growers);
}

static const mp_column root_columns[] = {
    {"kind", "Roots", MP_TEXT, 0, 0},
    {"from_roots", "From", MP_COUNT, 0, 0},
    {"to_roots", "To", MP_COUNT, 0, 0},
    {"delta_roots", "Change", MP_COUNT, MP_SIGNED, 0},
    {"from_objects", "Objects from", MP_COUNT, 0, 0},
    {"to_objects", "To", MP_COUNT, 0, 0},
    {"delta_objects", "Change", MP_COUNT, MP_SIGNED, 0},
};

/* A kind at both ends. */
typedef struct both_ends {
    uint32_t kind;
    mp_root_count from, to;
} both_ends;

static int by_kind(const void *left, const void *right)
{
    const both_ends *a = left, *b = right;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

void mp_section_root_growth(mp_document *document, const mp_window *window)
{
    const mp_model *model = window->model;
    mp_range range = window->ranges[1];
    both_ends *kinds = mp_alloc_zero(model->root_counts.count, sizeof *kinds);
    size_t count = 0;
    for (uint32_t i = 1; i < model->root_counts.count; i++) {
        const mp_root_count *at = &model->root_counts.at[i];
        if (at->snapshot.i == range.from.i)
            kinds[count++] = (both_ends){.kind = at->kind, .from = *at};
        else if (at->snapshot.i == range.to.i)
            kinds[count++] = (both_ends){.kind = at->kind, .to = *at};
    }
    qsort(kinds, count, sizeof *kinds, by_kind);
    mp_table *table =
        MP_TABLE(document, "root_growth", "Roots, then and now", MP_ROWS, root_columns);
    for (size_t i = 0; i < count; i++) {
        mp_root_count from = kinds[i].from, to = kinds[i].to;
        if (i + 1 < count && kinds[i + 1].kind == kinds[i].kind) { /* it is at both ends */
            i++;
            from = from.roots ? from : kinds[i].from;
            to = to.roots ? to : kinds[i].to;
        }
        mp_table_row(table);
        mp_set_text(document, table, "kind", mp_root_kind_text(document, kinds[i].kind));
        mp_set_number(table, "from_roots", from.roots);
        mp_set_number(table, "to_roots", to.roots);
        mp_set_number(table, "delta_roots", to.roots - from.roots);
        mp_set_number(table, "from_objects", from.objects);
        mp_set_number(table, "to_objects", to.objects);
        mp_set_number(table, "delta_objects", to.objects - from.objects);
    }
    free(kinds);
}
