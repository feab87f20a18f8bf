/* Sections of reports on object graphs. */
#ifndef MP_REPORTS_GRAPH_SECTIONS_H
#define MP_REPORTS_GRAPH_SECTIONS_H

#include "base/error.h"
#include "query/graph_query.h"
#include "reports/sections.h"

/* A graph with what every report on it needs. */
typedef struct mp_graph_view {
    const mp_model *model;
    const mp_graph *graph;
    mp_dominators dominators;
    mp_object_roots roots;
    /* Of mp_graph_view_look, for those who ask for them more than once. */
    mp_suspect *suspects;
    size_t suspect_count;
    mp_sharing sharing;
} mp_graph_view;

mp_graph_view mp_graph_view_of(const mp_model *model);
/* Find suspects and what is shared: before sections about them. */
void mp_graph_view_look(mp_graph_view *view);
void mp_graph_view_free(mp_graph_view *view);

/* Texts that live with the document: an id as in the file; a type's name; "Name 7f3a"; kinds of the
 * roots of an object, "" where it is none. */
const char *mp_object_id_text(mp_document *document, const mp_graph *graph, uint32_t object);
const char *mp_type_text(mp_document *document, const mp_model *model, uint32_t type);
const char *mp_object_text(mp_document *document, const mp_graph_view *view, uint32_t object);
const char *mp_object_roots_text(mp_document *document, const mp_graph_view *view, uint32_t object);
const char *mp_root_kind_text(mp_document *document, uint32_t kind);

/* Head, session and totals, the latter shown to people or not. */
void mp_section_dump_head(mp_document *document, const mp_request *request,
                          const mp_graph_view *view);
void mp_section_dump_totals(mp_document *document, const mp_graph_view *view, bool shown);

/* The columns of totals that only graphs have: the table must have them. */
void mp_set_graph_totals(mp_table *table, const mp_model *model, const mp_graph_totals *totals);

/* The answer in words. */
void mp_section_dump_answer(mp_document *document, const mp_graph_view *view);
/* `rows`: at most so many; 0: all. */
void mp_section_suspects(mp_document *document, const mp_graph_view *view, size_t rows);
void mp_section_retained(mp_document *document, const mp_graph_view *view, const mp_view *asked,
                         size_t rows);
void mp_section_roots(mp_document *document, const mp_graph_view *view, bool shown);
void mp_section_statics(mp_document *document, const mp_graph_view *view, size_t rows);
void mp_section_shared(mp_document *document, const mp_graph_view *view, size_t rows);
/* Types, or what asked->by says: all there is (`top`), or what is reached and what it retains.
 * False with a message. */
bool mp_section_dump_top(mp_document *document, const mp_graph_view *view, const mp_view *asked,
                         size_t rows, mp_error *error);
bool mp_section_histogram(mp_document *document, const mp_graph_view *view, const mp_view *asked,
                          size_t rows, mp_error *error);

/* Several dumps: types that grew at each of the window's; roots by kind, then and now. */
void mp_section_growers(mp_document *document, const mp_window *window, size_t rows);
void mp_section_root_growth(mp_document *document, const mp_window *window);

/* All tables of a graph behind an answer of another kind, as in a database that has stacks and
 * references. Nothing where the model has no graph. */
void mp_section_graph(mp_document *document, const mp_model *model, const mp_view *asked,
                      size_t rows);

/* The object that the request names. False with a message. */
bool mp_request_object(const mp_request *request, const mp_graph *graph, uint32_t *object,
                       mp_error *error);

#endif
