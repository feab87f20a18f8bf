/* Tables of roots, and of what has several owners. */
#include <stdlib.h>

#include "base/units.h"
#include "reports/graph_sections.h"

/* The object that retains most; 0: there is none. */
static void set_largest(mp_document *document, mp_table *table, const mp_graph_view *view,
                        uint32_t object)
{
    if (!object)
        return;
    mp_set_text(document, table, "largest", mp_object_id_text(document, view->graph, object));
    mp_set_text(document, table, "largest_type",
                mp_type_text(document, view->model, view->graph->types[object]));
    mp_set_text(document, table, "largest_text", mp_object_text(document, view, object));
}

static const mp_column root_columns[] = {
    {"kind", "Roots", MP_TEXT, 0, 0},
    {"roots", "Number", MP_COUNT, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"bytes", "Own", MP_BYTES, 0, 0},
    {"retained_bytes", "Hold alone", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"retained_objects", "Objects so", MP_COUNT, 0, 0},
    {"weak", "Weak", MP_COUNT, 0, 0},
    {"pinned", "Pinned", MP_COUNT, 0, 0},
    {"interior", "Interior", MP_COUNT, 0, 0},
    {"largest", "Largest", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"largest_type", "Largest", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"largest_text", "Largest alone", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN, 0},
};

void mp_section_roots(mp_document *document, const mp_graph_view *view, bool shown)
{
    size_t count;
    mp_root_census *census = mp_root_census_of(view->graph, &view->dominators, &count);
    mp_table *table = MP_TABLE(document, "roots", "Roots, and what each kind alone keeps alive",
                               MP_ROWS, root_columns);
    table->empty = "the dump has no roots";
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    for (size_t i = 0; i < count; i++) {
        const mp_root_census *kind = &census[i];
        mp_table_row(table);
        mp_set_text(document, table, "kind", mp_root_kind_text(document, kind->kind));
        mp_set_number(table, "roots", kind->roots);
        mp_set_number(table, "objects", kind->objects);
        mp_set_number(table, "bytes", kind->bytes);
        mp_set_number(table, "retained_bytes", kind->exclusive_bytes);
        mp_set_real(table, "percent",
                    mp_percent_of(kind->exclusive_bytes, (int64_t)view->dominators.retained[0]));
        mp_set_number(table, "retained_objects", kind->exclusive_objects);
        mp_set_number(table, "weak", kind->weak);
        mp_set_number(table, "pinned", kind->pinned);
        mp_set_number(table, "interior", kind->interior);
        set_largest(document, table, view, kind->largest);
    }
    free(census);
}

static const mp_column static_columns[] = {
    {"retained_bytes", "Retained", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"roots", "Statics", MP_COUNT, 0, 0},
    {"container", "Declared in", MP_TEXT, MP_SHORTEN, 0},
    {"largest", "Largest", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"largest_type", "Largest", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"largest_text", "Largest", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN, 0},
};

void mp_section_statics(mp_document *document, const mp_graph_view *view, size_t rows)
{
    size_t count;
    mp_static_census *census =
        mp_static_census_of(view->model, view->graph, &view->dominators, &count);
    mp_table *table = NULL;
    if (count)
        table = MP_TABLE(document, "statics", "Static fields, by the type that declares them",
                         MP_ROWS, static_columns);
    for (size_t i = 0; i < count && (!rows || i < rows); i++) {
        const mp_static_census *at = &census[i];
        mp_table_row(table);
        mp_set_number(table, "retained_bytes", at->retained_bytes);
        mp_set_real(table, "percent",
                    mp_percent_of(at->retained_bytes, (int64_t)view->dominators.retained[0]));
        mp_set_number(table, "roots", at->roots);
        mp_set_text(document, table, "container",
                    at->container.i ? mp_type_text(document, view->model, at->container.i)
                                    : "(not told)");
        set_largest(document, table, view, at->largest);
    }
    if (table) {
        table->order = "retained_bytes";
        mp_table_left_out(document, table, count);
    }
    free(census);
}

static const mp_column shared_columns[] = {
    {"bytes", "Retained", MP_BYTES, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"type", "Shared between", MP_TEXT, MP_SHORTEN, 0},
    {"other_type", "and", MP_TEXT, MP_SHORTEN, 0},
    {"largest", "Largest", MP_TEXT, 0, 0},
};

void mp_section_shared(mp_document *document, const mp_graph_view *view, size_t rows)
{
    const mp_sharing *sharing = &view->sharing;
    int64_t all = (int64_t)view->dominators.retained[0];
    mp_table *table = NULL;
    if (sharing->count)
        table = MP_TABLE(document, "shared", NULL, MP_ROWS, shared_columns);
    for (size_t i = 0; i < sharing->count && (!rows || i < rows); i++) {
        const mp_shared *shared = &sharing->at[i];
        mp_table_row(table);
        mp_set_number(table, "bytes", shared->bytes);
        mp_set_real(table, "percent", mp_percent_of(shared->bytes, all));
        mp_set_number(table, "objects", shared->objects);
        mp_set_text(document, table, "type", mp_type_text(document, view->model, shared->types[0]));
        mp_set_text(document, table, "other_type",
                    mp_type_text(document, view->model, shared->types[1]));
        mp_set_text(document, table, "largest", mp_object_text(document, view, shared->largest));
    }
    if (table) {
        table->order = "bytes";
        table->title = mp_document_text(
            document, "Shared: %s in %s object%s that no single object keeps alive",
            mp_bytes_text(document, sharing->bytes, false),
            mp_count_text(document, sharing->objects, false), sharing->objects == 1 ? "" : "s");
        mp_table_left_out(document, table, sharing->count);
    }
}
