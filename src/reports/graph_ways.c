/* Paths from roots to objects in words, with the names of their references. */

#include "query/paths.h"
#include "reports/graph_sections.h"

/* --- an object in its owner --- */

/* Return the first strong root of an object that has a name; NULL: there is none. */
static const mp_root *named_root_of(const mp_graph_view *view, uint32_t object)
{
    const mp_root_list its_roots = mp_roots_of(&view->roots, object);
    for (uint32_t i = 0; i < its_roots.count; i++) {
        const mp_root *root = &view->graph->roots.items[its_roots.items[i]];
        if (root->name.i && mp_root_is_strong(root))
            return root;
    }
    return NULL;
}

/* References on the shortest path from an object to one below it. Those nearest to the lower one
 * are listed, from it outwards; `count` is the number of all, 0 if the path from the roots to the
 * lower one does not lead through the upper one, or if it is longer than LONGEST_PATH. */
enum { MOST_LINKS = 4, LONGEST_PATH = 1000 };
typedef struct links {
    uint32_t from[MOST_LINKS], to[MOST_LINKS];
    size_t count, listed;
} links;

static links links_between(mp_graph_view *view, uint32_t owner, uint32_t object)
{
    const mp_distances *distances = mp_graph_distances(view);
    links found = {.count = 0};
    uint32_t place = object;
    for (; place != owner && found.count < LONGEST_PATH && distances->above[place] != place &&
           distances->above[place];
         place = distances->above[place], found.count++)
        if (found.listed < MOST_LINKS) {
            found.from[found.listed] = distances->above[place];
            found.to[found.listed++] = place;
        }
    return place == owner ? found : (links){.count = 0};
}

/* Return the names of the references from an owner to an object below it: "._events.price", or ""
 * if they are not known. A long path has only its last names: "...table[17]". */
static const char *names_between(mp_document *document, mp_graph_view *view, uint32_t owner,
                                 uint32_t object)
{
    if (!view->names.count)
        return "";
    const links found = links_between(view, owner, object);
    const char *text = "";
    for (size_t i = 0; i < found.listed; i++) {
        const char *name = mp_reference_name(view, found.from[i], found.to[i]);
        if (!name)
            return "";
        text = mp_document_text(document, "%s%s", name, text);
    }
    return found.listed < found.count ? mp_document_text(document, "...%s", text) : text;
}

const char *mp_held_in_text(mp_document *document, mp_graph_view *view, uint32_t object,
                            uint32_t owner)
{
    const char *text = mp_object_text(document->arena, view, object);
    const mp_root *root = named_root_of(view, owner);
    if (owner != object) {
        const char *names = names_between(document, view, owner, object);
        text = mp_document_text(document, "%s in %s%s%s", text, names, *names ? " of " : "",
                                mp_object_text(document->arena, view, owner));
    }
    return root ? mp_document_text(document, "%s in %s", text,
                                   mp_root_text(document->arena, view->model, root))
                : text;
}

/* Collect the references of the shortest path from an owner to an object. */
static void want_between(mp_graph_view *view, uint32_t owner, uint32_t object)
{
    const links found = links_between(view, owner, object);
    for (size_t i = 0; i < found.listed; i++)
        mp_reference_want(view, found.from[i], found.to[i]);
}

static bool has_names(const mp_graph_view *view)
{
    return view->diagnostics && view->graph->names.read;
}

void mp_via_want(mp_graph_view *view, uint32_t object, uint32_t owner)
{
    if (has_names(view) && owner)
        want_between(view, owner, object);
}

const char *mp_via_text(mp_document *document, mp_graph_view *view, uint32_t object, uint32_t owner)
{
    const mp_root *root = owner ? NULL : named_root_of(view, object);
    const char *names = owner ? names_between(document, view, owner, object) : "";
    return root ? mp_root_text(document->arena, view->model, root) : *names ? names : NULL;
}

/* --- a path --- */

/* A step of a path, and the object before it (0: none). `object` 0 represents the steps that are
 * left out. */
typedef struct step {
    uint32_t before, object;
} step;

enum { MOST_STEPS = 20, OUTER_STEPS = 6 };

/* Set the steps of the path to an object. Successive objects of one type are one step with the
 * first of them, and the middle of a long path is left out. Return the number of steps; 0: no root
 * reaches the object. */
static size_t steps_to(mp_graph_view *view, uint32_t object, step *steps, uint32_t *root)
{
    const mp_graph *graph = view->graph;
    mp_path path = mp_path_along(graph, mp_graph_distances(view), object, MP_ANY_KIND);
    size_t total = 0, count = 0, place = 0;
    *root = path.root;
    for (size_t i = 0; i < path.count; i++)
        total += !i || graph->types[path.objects[i]] != graph->types[path.objects[i - 1]];
    const size_t inner = total > MOST_STEPS ? total - (MOST_STEPS - OUTER_STEPS - 1) : 0;
    for (size_t i = 0; i < path.count; i++) {
        if (i && graph->types[path.objects[i]] == graph->types[path.objects[i - 1]])
            continue;
        if (!inner || place < OUTER_STEPS || place >= inner)
            steps[count++] = (step){i ? path.objects[i - 1] : 0, path.objects[i]};
        else if (place == OUTER_STEPS)
            steps[count++] = (step){0, 0};
        place++;
    }
    mp_path_free(&path);
    return count;
}

/* Return the item at a place counted from the end. */
static const char **item_at(const char **items, size_t count, size_t place)
{
    return &items[count - 1 - place];
}

mp_way mp_way_to(mp_document *document, mp_graph_view *view, uint32_t object)
{
    step steps[MOST_STEPS];
    uint32_t root_number;
    const size_t count = steps_to(view, object, steps, &root_number);
    const char **types = mp_arena_alloc(document->arena, (count + 1) * sizeof *types);
    const char **via = mp_arena_alloc(document->arena, (count + 1) * sizeof *via);
    mp_way way = {.types = {.items = types, .count = count}};
    if (view->graph->names.read)
        way.via = (mp_texts){.items = via, .count = count};
    if (!count)
        return way;
    const mp_root *root = &view->graph->roots.items[root_number];
    way.root_kind = mp_root_kind_text(document->arena, view->model, root->kind);
    way.text = root->name.i ? mp_root_text(document->arena, view->model, root)
                            : mp_document_text(document, "%s root", way.root_kind);
    for (size_t i = 0; i < count; i++) {
        const step *shown = &steps[i];
        const char *type = shown->object ? mp_type_text(document->arena, view->model,
                                                        view->graph->types[shown->object])
                                         : "...";
        const char *name =
            shown->before ? mp_reference_name(view, shown->before, shown->object) : NULL;
        *item_at(types, count, i) = type;
        *item_at(via, count, i) = !i ? way.text : name ? name : "";
        way.text = name ? mp_document_text(document, "%s -> %s %s", way.text, name, type)
                        : mp_document_text(document, "%s -> %s", way.text, type);
    }
    return way;
}

/* --- names --- */

/* Collect the references that are shown in texts about an object below an owner. */
static void want_way(mp_graph_view *view, uint32_t object, uint32_t owner)
{
    step steps[MOST_STEPS];
    uint32_t root;
    const size_t count = steps_to(view, object, steps, &root);
    for (size_t i = 0; i < count; i++)
        if (steps[i].before)
            mp_reference_want(view, steps[i].before, steps[i].object);
    want_between(view, owner, object);
}

/* Collect the references of the first `rows` accumulations. Return how many of `rows` remain. */
static size_t want_accumulations(mp_graph_view *view, const mp_accumulation *found, size_t count,
                                 size_t rows)
{
    for (size_t i = 0; i < count && i < rows; i++) {
        want_way(view, found[i].example, found[i].example);
        if (found[i].holder)
            want_way(view, found[i].holder, mp_owner_of(view, found[i].holder));
    }
    return count < rows ? rows - count : 0;
}

void mp_name_ways(mp_document *document, mp_graph_view *view, bool with_suspects, size_t rows)
{
    size_t count = 0;
    rows = rows ? rows : SIZE_MAX;
    if (!has_names(view))
        return;
    const mp_suspect *suspects = with_suspects ? mp_graph_suspects(view, &count) : NULL;
    for (size_t i = 0; i < count && i < rows; i++)
        if (suspects[i].rule == MP_SUSPECT_OBJECT)
            want_way(view, suspects[i].accumulation, suspects[i].object);
    const mp_accumulation *found = mp_graph_accumulations(view, &count);
    rows = want_accumulations(view, found, count, rows);
    want_accumulations(view, view->unknown, view->unknown_count, rows);
    mp_references_read(view, document->arena);
}
