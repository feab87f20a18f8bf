/* What several dumps say that one does not: who grew from each to the next. */
#include "reports/graph_sections.h"

#include <stdlib.h>

typedef struct grower_row {
    mp_growth growth;
    const char *key;
} grower_row;

static const mp_column grower_columns[] = {
    MP_GROWTH_COLUMNS(grower_row, growth),
    MP_COLUMN(grower_row, key, "Type", MP_TEXT, MP_SHORTEN),
};

/* With only two dumps the growth table already says this. */
void mp_section_growers(mp_document *document, const mp_window *window, size_t rows)
{
    size_t count;
    uint32_t steps;
    mp_grower *growers = mp_growers_of(window, &count, &steps);
    mp_table *table = MP_TABLE(document, "growers", "Types that grew from each dump to the next",
                               MP_ROWS, grower_columns);
    table->flags = steps < 2 ? MP_FOR_PROGRAMS : 0;
    table->order = "delta_bytes";
    table->empty = "none";
    for (size_t i = 0; i < mp_shown_of(count, rows); i++) {
        const mp_grower *at = &growers[i];
        grower_row row = {mp_growth_of((mp_amount){at->from_objects, at->from_bytes},
                                       (mp_amount){at->to_objects, at->to_bytes}),
                          mp_type_text(document->arena, window->model, at->type.i)};
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, count);
    free(growers);
}

typedef struct root_growth_row {
    mp_root_count from, to;
    int64_t delta_roots, delta_objects;
    const char *kind;
} root_growth_row;

static const mp_column root_growth_columns[] = {
    MP_COLUMN(root_growth_row, kind, "Roots", MP_TEXT, 0),
    MP_COLUMN_OF(root_growth_row, from.roots, "from_roots", "From", MP_COUNT, 0),
    MP_COLUMN_OF(root_growth_row, to.roots, "to_roots", "To", MP_COUNT, 0),
    MP_COLUMN(root_growth_row, delta_roots, "Change", MP_COUNT, MP_SIGNED),
    MP_COLUMN_OF(root_growth_row, from.objects, "from_objects", "Objects from", MP_COUNT, 0),
    MP_COLUMN_OF(root_growth_row, to.objects, "to_objects", "To", MP_COUNT, 0),
    MP_COLUMN(root_growth_row, delta_objects, "Change", MP_COUNT, MP_SIGNED),
};

/* Counts of a snapshot stand together, by kind: those of both ends are merged. */
void mp_section_root_growth(mp_document *document, const mp_window *window)
{
    const mp_root_count *counts = window->model->root_counts.at;
    uint32_t all = window->model->root_counts.count, from = 1, to = 1;
    mp_range range = window->ranges[1];
    mp_table *table =
        MP_TABLE(document, "root_growth", "Roots, then and now", MP_ROWS, root_growth_columns);
    while (from < all && counts[from].snapshot.i != range.from.i)
        from++;
    while (to < all && counts[to].snapshot.i != range.to.i)
        to++;
    for (;;) {
        bool has_from = from < all && counts[from].snapshot.i == range.from.i;
        bool has_to = to < all && counts[to].snapshot.i == range.to.i;
        if (!has_from && !has_to)
            return;
        root_growth_row row = {0};
        uint32_t kind = has_from && (!has_to || counts[from].kind <= counts[to].kind)
                            ? counts[from].kind
                            : counts[to].kind;
        if (has_from && counts[from].kind == kind)
            row.from = counts[from++];
        if (has_to && counts[to].kind == kind)
            row.to = counts[to++];
        row.kind = mp_root_kind_text(document->arena, kind);
        row.delta_roots = row.to.roots - row.from.roots;
        row.delta_objects = row.to.objects - row.from.objects;
        mp_table_put(document, table, &row);
    }
}
