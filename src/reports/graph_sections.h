/* Sections of reports on object graphs. */
#pragma once

#include "base/error.h"
#include "query/accumulation.h"
#include "reports/sections.h"

/* Cells about an object, for columns that many tables share. The rows of these tables have this
 * struct as a member. */
typedef struct mp_object_cells {
    const char *id, *type;
    /* kinds of its strong roots, which keep it alive, and of its weak roots, which do not */
    const char *root_kind, *weak_root_kind;
    const char *dominator; /* "" = none, or not reachable */
    const char *via; /* how the dominator, or a root, holds it; NULL: not known or not asked */
    int64_t self_bytes;
    int64_t retained_bytes; /* unknown if the object is not reachable, as is `percent` */
    double percent;         /* share of the reachable bytes */
} mp_object_cells;
mp_object_cells mp_object_cells_of(mp_document *document, const mp_graph_view *view,
                                   uint32_t object);

/* Orders of groups of objects: by live objects, and by reachable objects. */
extern const mp_order mp_alive_orders[4], mp_reached_orders[4];
/* Values of --by: "object" (not a histogram), "type", "namespace". */
extern const char *const mp_graph_groups[3];

/* Return "35 objects, 6.0 KiB: no references were recorded of their types". It lives as long as the
 * document. */
const char *mp_untracked_text(mp_document *document, const mp_graph_totals *totals);

/* Add the inputs, the session and the totals. With `shown`, people see the totals. */
void mp_section_dump_head(mp_document *document, const mp_request *request,
                          const mp_graph_view *view);
void mp_section_dump_totals(mp_document *document, const mp_graph_view *view, bool shown);

/* Return a text that names an object, its owner (a dominator), and the references between them:
 * "Array 31aa1 in ._events.price of EventEmitter 10c37". It lives as long as the document. */
const char *mp_held_in_text(mp_document *document, mp_graph_view *view, uint32_t object,
                            uint32_t owner);

/* mp_via_text returns the names of the references by which an owner, which dominates the object,
 * holds it: ".elementData", "._events.price"; for owner 0 the name of the object's root: "static
 * field LIST of App.Cache". NULL: they are not known. Before, mp_via_want collects the references
 * for mp_references_read. The text lives with the document. */
void mp_via_want(mp_graph_view *view, uint32_t object, uint32_t owner);
const char *mp_via_text(mp_document *document, mp_graph_view *view, uint32_t object,
                        uint32_t owner);

/* A shortest path from a root to an object. Successive objects of one type count as one. */
typedef struct mp_way {
    const char *root_kind;
    /* types on the path, from the object outwards; in a long path, "..." replaces the middle */
    mp_texts types;
    /* For each type, the name of the reference through which the path comes to it; "" if the name
     * is not known. For the last type, the name of the root. Empty if references of the format have
     * no names. */
    mp_texts via;
    const char *text; /* the path in words, from the root to the object */
} mp_way;
mp_way mp_way_to(mp_document *document, mp_graph_view *view, uint32_t object);
/* Read the names of the references that the texts about growth show and, `with_suspects`, those
 * that the texts about leak suspects show. Only the first `rows` (0 = all) of each table count.
 * Call it before the texts are made. */
void mp_name_ways(mp_document *document, mp_graph_view *view, bool with_suspects, size_t rows);

/* Say the summary of a dump: what grows, which objects retain most, and other findings. */
void mp_say_dump(mp_document *document, mp_graph_view *view);
/* Say what grows, as the first line of the summary, and return an example object; 0 = nothing grows
 * (mp_say_growing). Say the other findings (mp_say_dump_more). */
uint32_t mp_say_growing(mp_document *document, mp_graph_view *view);
void mp_say_dump_more(mp_document *document, mp_graph_view *view);
/* Add the leak suspects, at most `rows` of them (0 = all). */
void mp_section_suspects(mp_document *document, mp_graph_view *view, size_t rows);
/* Say, below a table's title, to which total its percentages of retained sizes refer. Nothing is
 * said if they refer to all live bytes. */
void mp_say_retained_base(mp_document *document, mp_table *table, const mp_graph_view *view);
/* Add the table of the objects that retain at least `min_bytes`, and the tables of roots, static
 * fields and shared objects. Tables have at most `rows` rows (0 = all). */
void mp_section_retained(mp_document *document, mp_graph_view *view, int64_t min_bytes,
                         size_t rows);
/* Collect the references of which mp_section_retained shows names, for answers that read names
 * before. */
void mp_retained_want(mp_graph_view *view, int64_t min_bytes, size_t rows);
void mp_section_roots(mp_document *document, mp_graph_view *view, bool shown);
void mp_section_statics(mp_document *document, mp_graph_view *view, size_t rows);
void mp_section_shared(mp_document *document, mp_graph_view *view, size_t rows);

/* Arguments of a table of types or namespaces. */
typedef struct mp_histogram_asked {
    const char *by, *sort, *only; /* by: NULL = by type; sort: NULL = the default order; only: NULL
                                   * = all groups */
    int64_t min_bytes, min_count; /* minimum that a row must have */
    size_t rows;
} mp_histogram_asked;
/* Add groups of all live objects (top), or of reachable objects with their retained sizes
 * (histogram). Return false with an error. */
bool mp_section_dump_top(mp_document *document, mp_graph_view *view,
                         const mp_histogram_asked *asked, mp_error *error);
bool mp_section_histogram(mp_document *document, mp_graph_view *view,
                          const mp_histogram_asked *asked, mp_error *error);

/* These two need several dumps. mp_section_accumulations adds the table of holders that grew from
 * each dump to the next. mp_accumulation_text returns the first row of this table in words, and
 * sets an example object (0 = nothing grows); it returns NULL if there is only one dump. */
void mp_section_accumulations(mp_document *document, mp_graph_view *view, size_t rows);
const char *mp_accumulation_text(mp_document *document, mp_graph_view *view, uint32_t *example);
/* These two need several dumps. mp_section_growers adds the types that grew at each dump of the
 * window. mp_section_root_growth adds the numbers of roots by kind at both ends of the window. */
void mp_section_growers(mp_document *document, const mp_window *window, size_t rows);
void mp_section_root_growth(mp_document *document, const mp_window *window);

/* Add all tables of a graph to an answer of another kind, for databases with stacks and references.
 * Nothing is added if there is no graph. */
void mp_section_graph(mp_document *document, const mp_request *request, int64_t min_bytes,
                      size_t rows);

/* Add tables about the objects of all types that match the glob, summed up by type: the objects
 * that refer to them, their dominators (`skipped` types are passed over), and the objects that they
 * retain. */
void mp_section_objects_of(mp_document *document, const mp_graph_view *view, const char *glob,
                           const bool *skipped, size_t rows);

/* Look up the object with this id (mp_object_asked), or check that a type matches the glob
 * (mp_type_asked). Return false with an error that suggests ids or names. */
bool mp_object_asked(const mp_model *model, const mp_graph *graph, const char *id, uint32_t *object,
                     mp_error *error);
bool mp_type_asked(const mp_model *model, const mp_graph *graph, const char *glob, mp_error *error);
