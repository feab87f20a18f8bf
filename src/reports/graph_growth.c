/* Growth over several dumps: the holders that grew from each dump to the next. */
#include "reports/graph_sections.h"

#include <stdlib.h>

#include "base/units.h"

/* --- accumulations --- */

/* Maximum numbers for people: counts in a row, and types that a row names. LOOKED_AT is the number
 * of rows for which the retained types are computed, because each needs a walk over the graph. */
enum { MOST_COUNTS = 6, MOST_KEPT = 3, LOOKED_AT = 10 };

typedef struct accumulation_row {
    int64_t bytes, steady_bytes, objects, from_objects, delta_objects, least_step, most_step;
    int64_t types, holders;
    double percent;
    const char *type, *holder, *holder_type, *owner, *owner_type, *root_kind, *held, *what;
    mp_texts counts, keeps, keeps_objects, keeps_of_objects, path, via, said, way;
} accumulation_row;

static const mp_column accumulation_columns[] = {
    MP_RANK(MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, bytes, "Retained", MP_BYTES, 0),
    MP_COLUMN(accumulation_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN(accumulation_row, steady_bytes, "Steady", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, delta_objects, "Objects", MP_COUNT, MP_SIGNED),
    MP_COLUMN(accumulation_row, from_objects, "From", MP_COUNT, 0),
    MP_COLUMN(accumulation_row, objects, "To", MP_COUNT, 0),
    MP_COLUMN(accumulation_row, least_step, "Least step", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, most_step, "Most step", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, counts, "At each dump", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, type, "Type", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, held, "Type", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(accumulation_row, types, "Types", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, what, "Held by", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(accumulation_row, holder, "Holder", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, holder_type, "Type", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, holders, "Holders", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, owner, "In", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, owner_type, "Type", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, root_kind, "Root", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, path, "Path", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, via, "Via", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, keeps, "Keeps", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, keeps_objects, "Objects", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, keeps_of_objects, "Of", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(accumulation_row, said, "", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(accumulation_row, way, "", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

/* Return the number of objects at each dump: "400 -> 800 -> 1,200", "unknown -> 800 -> 1,200". The
 * middle of a long list is left out. */
static const char *counts_text(mp_document *document, const mp_graph_view *view,
                               const mp_accumulation *accumulation)
{
    const int64_t *counts = view->accumulated + accumulation->counts;
    const char *text = "";
    for (uint32_t i = 0; i < view->dump_count; i++) {
        bool cut = view->dump_count > MOST_COUNTS && i == MOST_COUNTS / 2;
        const char *count =
            i < accumulation->first_dump ? "unknown" : mp_count_text(document, counts[i]);
        text = mp_document_text(document, "%s%s%s", text, i ? " -> " : "", cut ? "..." : count);
        if (cut)
            i = view->dump_count - MOST_COUNTS / 2 - 1;
    }
    return text;
}

/* Return "7,200 CartLine", or "7,194 of 7,200 CartLine". */
static const char *kept_type_text(mp_document *document, const mp_graph_view *view,
                                  const mp_kept_type *kept)
{
    const char *type = mp_type_text(document->arena, view->model, kept->type);
    const char *text = mp_count_text(document, kept->of_objects);
    return kept->objects == kept->of_objects
               ? mp_document_text(document, "%s %s", text, type)
               : mp_document_text(document, "%s of %s %s", mp_count_text(document, kept->objects),
                                  text, type);
}

/* Return "all 7,200 CartLine and 1,200 Session", or "7,194 of 7,200 CartLine and all 1,200
 * Session". */
static const char *kept_text(mp_document *document, const mp_graph_view *view,
                             const mp_kept_type *kept, size_t count)
{
    const char *text = "";
    size_t told = count < MOST_KEPT ? count : MOST_KEPT;
    bool complete = true;
    for (size_t i = 0; i < told; i++)
        complete = complete && kept[i].objects == kept[i].of_objects;
    for (size_t i = 0; i < told; i++) {
        bool says_all = complete ? i == 0 : kept[i].objects == kept[i].of_objects;
        text = mp_document_text(document, "%s%s%s%s", text,
                                !i             ? ""
                                : i + 1 < told ? ", "
                                               : " and ",
                                says_all ? "all " : "", kept_type_text(document, view, &kept[i]));
    }
    return text;
}

/* Return "Array 31aa1 in EventEmitter 10c37", or "static roots". */
static const char *holder_text(mp_document *document, mp_graph_view *view,
                               const mp_accumulation *accumulation)
{
    if (!accumulation->holder)
        return mp_document_text(
            document, "%s roots",
            mp_root_kind_text(document->arena, view->model, accumulation->kind));
    const char *object = mp_held_in_text(document, view, accumulation->holder,
                                         mp_owner_of(view, accumulation->holder));
    return accumulation->holders > 1
               ? mp_document_text(document, "%s x %s, most of it %s",
                                  mp_count_text(document, accumulation->holders),
                                  mp_type_text(document->arena, view->model,
                                               view->graph->types[accumulation->holder]),
                                  object)
               : object;
}

/* Return "grew by 400 closure objects at each dump (400 -> 800 -> 1,200) and keeps all 7,200
 * CartLine and 1,200 Session alive". */
static const char *growth_text(mp_document *document, const mp_graph_view *view,
                               const mp_accumulation *accumulation, const char *kept)
{
    const char *step = mp_count_text(document, accumulation->least_step);
    /* The subject is plural for roots, and for several holders. */
    bool many = !accumulation->holder || accumulation->holders > 1;
    if (accumulation->most_step > accumulation->least_step)
        step = mp_document_text(document, "%s to %s", step,
                                mp_count_text(document, accumulation->most_step));
    const char *type = mp_type_text(document->arena, view->model, accumulation->type);
    const char *objects = accumulation->most_step == 1 ? "object" : "objects";
    const char *what = accumulation->types > 1
                           ? mp_document_text(document, "%s of %s types (most %s)", objects,
                                              mp_count_text(document, accumulation->types), type)
                           : mp_document_text(document, "%s %s", type, objects);
    if (mp_accumulation_is_unknown(view, accumulation))
        return mp_document_text(document,
                                "holds %s %s %s; several holders in the dump before could be the "
                                "same one (%s)",
                                mp_count_text(document, accumulation->objects), type,
                                accumulation->objects == 1 ? "object" : "objects",
                                counts_text(document, view, accumulation));
    return mp_document_text(document, "grew by %s %s %s (%s)%s%s%s", step, what,
                            view->dump_count > 2 ? "at each dump" : "from one dump to the next",
                            counts_text(document, view, accumulation),
                            !*kept ? ""
                            : many ? " and keep "
                                   : " and keeps ",
                            kept, *kept ? " alive" : "");
}

static void put_kept(mp_document *document, const mp_graph_view *view, const mp_kept_type *kept,
                     size_t count, accumulation_row *row)
{
    size_t size = (count + 1) * sizeof(char *);
    const char **names = mp_arena_alloc(document->arena, size);
    const char **objects = mp_arena_alloc(document->arena, size);
    const char **of_objects = mp_arena_alloc(document->arena, size);
    for (size_t i = 0; i < count; i++) {
        names[i] = mp_type_text(document->arena, view->model, kept[i].type);
        objects[i] = mp_document_text(document, "%lld", (long long)kept[i].objects);
        of_objects[i] = mp_document_text(document, "%lld", (long long)kept[i].of_objects);
    }
    row->keeps = (mp_texts){.items = names, .count = count};
    row->keeps_objects = (mp_texts){.items = objects, .count = count};
    row->keeps_of_objects = (mp_texts){.items = of_objects, .count = count};
}

static accumulation_row accumulation_row_of(mp_document *document, mp_graph_view *view,
                                            const mp_accumulation *accumulation, bool looks)
{
    const mp_graph *graph = view->graph;
    const int64_t *counts = view->accumulated + accumulation->counts;
    size_t kept_count = 0;
    mp_kept_type *kept = looks ? mp_kept_with(view, accumulation, &kept_count) : NULL;
    const char *keeps = kept_text(document, view, kept, kept_count);
    const char **list = mp_arena_alloc(document->arena, view->dump_count * sizeof *list);
    for (uint32_t i = 0; i < view->dump_count; i++)
        list[i] = i < accumulation->first_dump
                      ? "unknown"
                      : mp_document_text(document, "%lld", (long long)counts[i]);
    mp_way way = mp_way_to(document, view, accumulation->example);
    const char *type = mp_type_text(document->arena, view->model, accumulation->type);
    accumulation_row row = {
        .bytes = accumulation->bytes,
        .steady_bytes = accumulation->steady_bytes,
        .objects = accumulation->objects,
        .from_objects = accumulation->first_dump ? MP_UNKNOWN : counts[0],
        .delta_objects = accumulation->first_dump ? MP_UNKNOWN : accumulation->objects - counts[0],
        .least_step = accumulation->least_step,
        .most_step = accumulation->most_step,
        .types = accumulation->types,
        .holders = accumulation->holder ? accumulation->holders : MP_UNKNOWN,
        .percent = mp_percent_of(accumulation->bytes, mp_graph_reachable(view)),
        .type = type,
        .held = accumulation->types > 1
                    ? mp_document_text(document, "%s types, most %s",
                                       mp_count_text(document, accumulation->types), type)
                    : type,
        .root_kind = way.root_kind,
        .what = holder_text(document, view, accumulation),
        .counts = {.items = list, .count = view->dump_count},
        .path = way.types,
        .via = way.via,
        .said = mp_one_text(document, growth_text(document, view, accumulation, keeps)),
        .way = mp_one_text(document, way.text)};
    if (mp_accumulation_is_unknown(view, accumulation))
        row.steady_bytes = row.least_step = row.most_step = MP_UNKNOWN;
    if (looks)
        put_kept(document, view, kept, kept_count, &row);
    free(kept);
    if (accumulation->holder) {
        uint32_t owner = mp_owner_of(view, accumulation->holder);
        row.holder = mp_object_id_text(document->arena, graph, accumulation->holder);
        row.holder_type =
            mp_type_text(document->arena, view->model, graph->types[accumulation->holder]);
        row.owner =
            owner == accumulation->holder ? NULL : mp_object_id_text(document->arena, graph, owner);
        row.owner_type = owner == accumulation->holder
                             ? NULL
                             : mp_type_text(document->arena, view->model, graph->types[owner]);
    }
    return row;
}

void mp_section_accumulations(mp_document *document, mp_graph_view *view, size_t rows)
{
    size_t count;
    const mp_accumulation *found = mp_graph_accumulations(view, &count);
    if (view->dump_count < 2)
        return;
    mp_table *table =
        MP_TABLE(document, "accumulations", "Grew from each dump to the next, by owner", MP_ROWS,
                 accumulation_columns);
    table->order = "steady_bytes";
    table->empty = "none: no object retains more in each dump than in the one before";
    for (size_t i = 0; i < mp_shown_of(count + view->unknown_count, rows); i++) {
        accumulation_row row =
            i < count ? accumulation_row_of(document, view, &found[i], i < LOOKED_AT)
                      : accumulation_row_of(document, view, &view->unknown[i - count], false);
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, count + view->unknown_count);
}

const char *mp_accumulation_text(mp_document *document, mp_graph_view *view, uint32_t *example)
{
    size_t count;
    const mp_accumulation *found = mp_graph_accumulations(view, &count);
    char percent[MP_UNIT_TEXT];
    *example = count ? found->example : 0;
    if (!count && view->unknown_count)
        return "nothing is known to hold more in each dump than in the one before: some holders "
               "cannot be recognized there";
    if (!count)
        return view->dump_count < 2 ? NULL
                                    : "no object retains more in each dump than in the one before";
    mp_kept_type *kept = mp_kept_with(view, found, &count);
    const char *keeps = kept_text(document, view, kept, count);
    free(kept);
    mp_format_percent(percent, mp_percent_of(found->bytes, mp_graph_reachable(view)), false);
    return mp_document_text(document, "%s %s: %s, %s %%", holder_text(document, view, found),
                            growth_text(document, view, found, keeps),
                            mp_bytes_text(document, found->bytes), percent);
}

/* --- types that grew --- */

typedef struct grower_row {
    mp_growth growth;
    const char *key;
} grower_row;

static const mp_column grower_columns[] = {
    MP_GROWTH_COLUMNS(grower_row, growth),
    MP_COLUMN(grower_row, key, "Type", MP_TEXT, MP_SHORTEN),
};

/* Add the types that grew at each dump. For two dumps the table is left out, because the growth
 * table shows the same. */
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
        const mp_grower *grower = &growers[i];
        grower_row row = {mp_growth_of((mp_amount){grower->from_objects, grower->from_bytes},
                                       (mp_amount){grower->to_objects, grower->to_bytes}),
                          mp_type_text(document->arena, window->model, grower->type.i)};
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
    MP_COLUMN_OF(root_growth_row, from.objects, "from_objects", "From objects", MP_COUNT, 0),
    MP_COLUMN_OF(root_growth_row, to.objects, "to_objects", "To objects", MP_COUNT, 0),
    MP_COLUMN(root_growth_row, delta_objects, "Objects", MP_COUNT, MP_SIGNED),
};

/* Add the numbers of roots by kind at both ends of the window. The counts of a snapshot are
 * adjacent and sorted by kind, so one pass merges both ends. */
void mp_section_root_growth(mp_document *document, const mp_window *window)
{
    const mp_root_count *counts = window->model->root_counts.items;
    uint32_t total = window->model->root_counts.count, from = 1, to = 1;
    mp_range range = window->ranges[1];
    mp_table *table =
        MP_TABLE(document, "root_growth", "Roots, then and now", MP_ROWS, root_growth_columns);
    while (from < total && counts[from].snapshot.i != range.from.i)
        from++;
    while (to < total && counts[to].snapshot.i != range.to.i)
        to++;
    for (;;) {
        bool has_from = from < total && counts[from].snapshot.i == range.from.i;
        bool has_to = to < total && counts[to].snapshot.i == range.to.i;
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
        row.kind = mp_root_kind_text(document->arena, window->model, kind);
        row.delta_roots = row.to.roots - row.from.roots;
        row.delta_objects = row.to.objects - row.from.objects;
        mp_table_put(document, table, &row);
    }
}
