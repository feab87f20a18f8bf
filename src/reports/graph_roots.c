/* Tables of roots by kind, static fields, and shared objects. */
#include <math.h>

#include "reports/graph_sections.h"

/* The object of a row that has the largest retained size. */
typedef struct largest {
    const char *id, *type, *text;
} largest;

#define LARGEST_COLUMNS(row, title)                                                                \
    MP_COLUMN_OF(row, largest.id, "largest", "Largest", MP_TEXT, MP_FOR_PROGRAMS),                 \
        MP_COLUMN_OF(row, largest.type, "largest_type", "Largest", MP_TEXT, MP_FOR_PROGRAMS),      \
        MP_COLUMN_OF(row, largest.text, "largest_text", title, MP_TEXT,                            \
                     MP_FOR_PEOPLE | MP_SHORTEN)

static largest largest_of(mp_document *document, const mp_graph_view *view, uint32_t object)
{
    if (!object)
        return (largest){0};
    return (largest){mp_object_id_text(document->arena, view->graph, object),
                     mp_type_text(document->arena, view->model, view->graph->types[object]),
                     mp_object_text(document->arena, view, object)};
}

typedef struct root_row {
    mp_root_census census;
    const char *kind;
    double percent;
    largest largest;
} root_row;

static const mp_column root_columns[] = {
    MP_COLUMN(root_row, kind, "Roots", MP_TEXT, 0),
    MP_COLUMN_OF(root_row, census.roots, "roots", "Number", MP_COUNT, 0),
    MP_COLUMN_OF(root_row, census.objects, "objects", "Objects", MP_COUNT, 0),
    MP_COLUMN_OF(root_row, census.bytes, "bytes", "Own", MP_BYTES, 0),
    MP_COLUMN_OF(root_row, census.exclusive_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN(root_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(root_row, census.exclusive_objects, "retained_objects", "Retained #", MP_COUNT, 0),
    MP_COLUMN_OF(root_row, census.weak, "weak", "Weak", MP_COUNT, 0),
    MP_COLUMN_OF(root_row, census.pinned, "pinned", "Pinned", MP_COUNT, 0),
    MP_COLUMN_OF(root_row, census.interior, "interior", "Interior", MP_COUNT, 0),
    LARGEST_COLUMNS(root_row, "Largest"),
};

void mp_section_roots(mp_document *document, mp_graph_view *view, bool shown)
{
    size_t count;
    const mp_root_census *census = mp_graph_census(view, &count);
    mp_table *table = MP_TABLE(document, "roots", "Roots, and the bytes that each kind retains",
                               MP_ROWS, root_columns);
    table->empty = "the dump has no roots";
    mp_say_retained_base(document, table, view);
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    for (size_t i = 0; i < count; i++) {
        root_row row = {census[i], mp_root_kind_text(document->arena, view->model, census[i].kind),
                        mp_percent_of(census[i].exclusive_bytes, mp_graph_reachable(view)),
                        largest_of(document, view, census[i].largest)};
        if (census[i].exclusive_bytes < 0) {
            row.census.exclusive_bytes = row.census.exclusive_objects = MP_UNKNOWN;
            row.percent = NAN;
        }
        mp_table_put(document, table, &row);
    }
}

typedef struct static_row {
    mp_static_census census;
    const char *container;
    double percent;
    largest largest;
} static_row;

static const mp_column static_columns[] = {
    MP_COLUMN_OF(static_row, census.retained_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN(static_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(static_row, census.roots, "roots", "Statics", MP_COUNT, 0),
    MP_COLUMN(static_row, container, "Declared in", MP_TEXT, MP_SHORTEN),
    LARGEST_COLUMNS(static_row, "Largest"),
};

void mp_section_statics(mp_document *document, mp_graph_view *view, size_t rows)
{
    size_t count;
    const mp_static_census *census = mp_graph_statics(view, rows, &count);
    if (count) {
        mp_table *table =
            MP_TABLE(document, "statics", "Static fields, by the type that declares them", MP_ROWS,
                     static_columns);
        table->order = "retained_bytes";
        for (size_t i = 0; i < mp_shown_of(count, rows); i++) {
            uint32_t container = census[i].container.i;
            static_row row = {census[i],
                              container ? mp_type_text(document->arena, view->model, container)
                                        : "(not recorded)",
                              mp_percent_of(census[i].retained_bytes, mp_graph_reachable(view)),
                              largest_of(document, view, census[i].largest)};
            mp_table_put(document, table, &row);
        }
        mp_table_left_out(table, count);
    }
}

typedef struct shared_row {
    mp_shared shared;
    double percent;
    const char *type, *other_type, *largest;
} shared_row;

static const mp_column shared_columns[] = {
    MP_COLUMN_OF(shared_row, shared.retained_bytes, "bytes", "Retained", MP_BYTES, 0),
    MP_COLUMN(shared_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(shared_row, shared.retained_objects, "retained_objects", "Objects", MP_COUNT,
                 MP_FOR_PROGRAMS),
    MP_COLUMN_OF(shared_row, shared.own_bytes, "own_bytes", "Own", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(shared_row, shared.objects, "objects", "Objects", MP_COUNT, 0),
    MP_COLUMN(shared_row, type, "Shared between", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(shared_row, other_type, "and", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(shared_row, largest, "Largest", MP_TEXT, 0),
};

/* Return "Shared: 2.1 MiB in 39,217 objects that no single object keeps alive; ...". */
static const char *shared_title(mp_document *document, const mp_shared *shared)
{
    const char *text =
        mp_document_text(document, "Shared: %s in %s that no single object keeps alive",
                         mp_bytes_text(document, shared->own_bytes),
                         mp_counted_text(document, shared->objects, "object"));
    return shared->retained_objects == shared->objects
               ? text
               : mp_document_text(document, "%s; with the objects below them, %s in %s", text,
                                  mp_bytes_text(document, shared->retained_bytes),
                                  mp_count_text(document, shared->retained_objects));
}

void mp_section_shared(mp_document *document, mp_graph_view *view, size_t rows)
{
    const mp_sharing *sharing = mp_graph_sharing(view);
    if (!sharing->count)
        return;
    mp_table *table = MP_TABLE(document, "shared", NULL, MP_ROWS, shared_columns);
    table->order = "bytes";
    table->title = shared_title(document, &sharing->total);
    for (size_t i = 0; i < mp_shown_of(sharing->count, rows); i++) {
        const mp_shared *shared = &sharing->items[i];
        shared_row row = {*shared, mp_percent_of(shared->retained_bytes, mp_graph_reachable(view)),
                          mp_type_text(document->arena, view->model, shared->types[0]),
                          mp_type_text(document->arena, view->model, shared->types[1]),
                          mp_object_text(document->arena, view, shared->largest)};
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, sharing->count);
}
