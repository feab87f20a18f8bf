/* Names of the references that an answer shows. They are read from the input in one pass, so an
 * answer first collects all references that it will show. */
#pragma once

#include "query/graph_query.h"

/* Collect a reference between two objects of the view. Nothing is collected if the view has no
 * `diagnostics`, or the format has no names. */
void mp_reference_want(mp_graph_view *view, uint32_t from, uint32_t to);
/* Read the names of all collected references, once; the texts belong to the arena. Names that
 * cannot be read are reported to view->diagnostics. */
void mp_references_read(mp_graph_view *view, mp_arena *texts);
/* Return the name of a reference: ".price", "[17]"; NULL if it is not known. */
const char *mp_reference_name(const mp_graph_view *view, uint32_t from, uint32_t to);
