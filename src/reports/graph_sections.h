/* Sections of reports on object graphs. */
#ifndef MP_REPORTS_GRAPH_SECTIONS_H
#define MP_REPORTS_GRAPH_SECTIONS_H

#include "base/error.h"
#include "query/graph_query.h"
#include "reports/sections.h"

/* Columns about an object that many tables share: a member of their rows. */
typedef struct mp_object_cells {
    const char *id, *type;
    const char *root_kind,
        *weak_root_kind;   /* kinds of roots that keep it alive, and of those that do not */
    const char *dominator; /* "": none, or not reached */
    int64_t self_bytes;
    int64_t retained_bytes; /* as percent: not known of what is not reached */
    double percent;         /* share of the reachable bytes */
} mp_object_cells;
mp_object_cells mp_object_cells_of(mp_document *document, const mp_graph_view *view,
                                   uint32_t object);

/* How groups of objects are sorted, of all that are alive and of those that roots reach. */
extern const mp_order mp_alive_orders[4], mp_reached_orders[4];
/* "object", of what is no histogram, then "type", "namespace" */
extern const char *const mp_graph_groups[3];

/* "35 objects, 6.0 KiB: no references were recorded of their types" */
const char *mp_untracked_text(mp_document *document, const mp_graph_totals *totals);

/* Head, session and totals, the latter shown to people or not. */
void mp_section_dump_head(mp_document *document, const mp_request *request,
                          const mp_graph_view *view);
void mp_section_dump_totals(mp_document *document, const mp_graph_view *view, bool shown);

/* "Array 31aa1 in EventEmitter 10c37" */
const char *mp_held_in_text(mp_document *document, const mp_graph_view *view, uint32_t object);

/* A shortest way from a root to an object by types, of which several in a row are one. */
typedef struct mp_way {
    const char *root_kind;
    /* Types on the way, from the object outwards; the middle of a long way is replaced by "...". */
    mp_texts types;   /* from the object outwards */
    const char *text; /* from the root to the object */
} mp_way;
mp_way mp_way_to(mp_document *document, mp_graph_view *view, uint32_t object);

/* The answer in words: what grows and what keeps much alive; then what else is worth a word. */
void mp_say_dump(mp_document *document, mp_graph_view *view);
/* The first of it: an object that shows what grows, 0: nothing does. */
uint32_t mp_say_growing(mp_document *document, mp_graph_view *view);
void mp_say_dump_more(mp_document *document, mp_graph_view *view);
/* `rows`: at most so many; 0: all. */
void mp_section_suspects(mp_document *document, mp_graph_view *view, size_t rows);
/* Say below a table's title what the percentages of what is retained are of, where that is not all
 * that is alive. */
void mp_say_retained_base(mp_document *document, mp_table *table, const mp_graph_view *view);
/* Objects that retain at least so many bytes. */
void mp_section_retained(mp_document *document, const mp_graph_view *view, int64_t min_bytes,
                         size_t rows);
void mp_section_roots(mp_document *document, mp_graph_view *view, bool shown);
void mp_section_statics(mp_document *document, mp_graph_view *view, size_t rows);
void mp_section_shared(mp_document *document, mp_graph_view *view, size_t rows);

/* Arguments of a table of types or namespaces. */
typedef struct mp_histogram_asked {
    const char *by, *sort, *only; /* NULL: type; the table's own; all */
    int64_t min_bytes, min_count; /* minimum of a row */
    size_t rows;
} mp_histogram_asked;
/* All there is (`top`), or what is reached and what it retains. False with a message. */
bool mp_section_dump_top(mp_document *document, mp_graph_view *view,
                         const mp_histogram_asked *asked, mp_error *error);
bool mp_section_histogram(mp_document *document, mp_graph_view *view,
                          const mp_histogram_asked *asked, mp_error *error);

/* Several dumps: what holds more in each than in the one before. Nothing of a single one. The first
 * in words, and an object that shows it, 0: nothing grows; NULL: there is one dump. */
void mp_section_accumulations(mp_document *document, mp_graph_view *view, size_t rows);
const char *mp_accumulation_text(mp_document *document, mp_graph_view *view, uint32_t *example);
/* Several dumps: types that grew at each of the window's; roots by kind, then and now. */
void mp_section_growers(mp_document *document, const mp_window *window, size_t rows);
void mp_section_root_growth(mp_document *document, const mp_window *window);

/* All tables of a graph behind an answer of another kind, as in a database that has stacks and
 * references. Nothing where there is no graph. */
void mp_section_graph(mp_document *document, const mp_filter *filter, int64_t min_bytes,
                      size_t rows);

/* All objects of types whose name matches, by type: who refers to them, who keeps them alive (but
 * for objects that are passed over), what they keep alive. */
void mp_section_objects_of(mp_document *document, const mp_graph_view *view, const char *glob,
                           const bool *skipped, size_t rows);

/* The object of this id; whether there are objects of such types. False with a message, which names
 * what may be meant. */
bool mp_object_asked(const mp_model *model, const mp_graph *graph, const char *id, uint32_t *object,
                     mp_error *error);
bool mp_type_asked(const mp_model *model, const mp_graph *graph, const char *glob, mp_error *error);

#endif
