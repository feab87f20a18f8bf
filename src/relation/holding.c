/* Questions about single objects of a heap dump: what dominates them, and a path to them. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/graph.h"
#include "query/paths.h"
#include "relation/source.h"

/* Return the place of each object in the preorder of dominators; 0: not reached. */
static const uint32_t *places_of(mp_relation_source *source)
{
    const mp_graph_view *view = mp_source_view(source);
    const mp_dominators *dominators = &view->dominators;
    if (source->preorder_places)
        return source->preorder_places;
    source->preorder_places = mp_alloc_zero((size_t)view->graph->count + 1, sizeof(uint32_t));
    for (uint32_t place = 1; place <= dominators->reached; place++)
        source->preorder_places[dominators->order[place]] = place;
    return source->preorder_places;
}

bool mp_relation_within(mp_relation_source *source, const char *object, const char *dominator,
                        bool *within)
{
    uint32_t inner, outer;
    if (!mp_source_find_object(source, object, &inner) ||
        !mp_source_find_object(source, dominator, &outer) || !inner || !outer)
        return false;
    const uint32_t *places = places_of(source);
    const uint32_t first = places[outer], place = places[inner];
    *within =
        first && place >= first && place < first + mp_source_view(source)->dominators.span[first];
    return true;
}

/* Number of objects that the text of a long path names at each of its ends. */
enum { SHOWN_AT_AN_END = 50 };

static void put(mp_text_buffer *text, const char *words)
{
    mp_text_put(text, words, strlen(words));
}

static void put_object(mp_text_buffer *text, mp_relation_source *source, uint32_t object,
                       mp_arena *texts)
{
    const mp_graph *graph = source->filter->graph;
    put(text, mp_type_text(texts, source->model, graph->types[object]));
    put(text, " ");
    put(text, mp_object_id_text(texts, graph, object));
}

const char *mp_relation_path(mp_relation_source *source, const char *object, mp_arena *texts)
{
    mp_graph_view *view = mp_source_view(source);
    uint32_t vertex;
    if (!mp_source_find_object(source, object, &vertex) || !vertex ||
        !mp_is_reached(&view->dominators, vertex))
        return NULL;
    mp_path path = mp_path_along(view->graph, mp_graph_distances(view), vertex, MP_ANY_KIND);
    mp_text_buffer text = {0};
    for (size_t i = 0; i < path.count; i++) {
        const bool hidden = i >= SHOWN_AT_AN_END && i + SHOWN_AT_AN_END < path.count;
        if (!hidden || i == SHOWN_AT_AN_END)
            put(&text, i ? " > " : "");
        if (!hidden)
            put_object(&text, source, path.objects[i], texts);
        else if (i == SHOWN_AT_AN_END)
            put(&text, mp_arena_format(texts, "%zu more", path.count - 2 * SHOWN_AT_AN_END));
    }
    const char *made = mp_arena_copy(texts, text.text, text.length);
    free(text.text);
    mp_path_free(&path);
    return made;
}
