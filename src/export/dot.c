/* Export as a graph for Graphviz: the call tree of a heap with leaked or live bytes, the dominator
 * tree of a dump by type, or the call graph of a profile. Small nodes are left out. The nodes above
 * them include their costs, and the graph's label states how many were left out.
 *
 * The attributes `own` and `all` of a node are exact numbers of bytes, microseconds or samples. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "export/exporter.h"
#include "query/calls.h"
#include "query/profile_costs.h"
#include "query/weights.h"
#include "render/cell.h"

/* Maximum number of nodes, because larger pictures are unreadable. Minimum size of a node, in
 * thousandths of the whole. */
enum { MOST_NODES = 80, LEAST_SHARE = 5 };
enum { LABEL_BYTES = 80, TOOLTIP_BYTES = 400 };

typedef struct dot_out {
    FILE *file;
    mp_arena arena;
    mp_unit unit;   /* MP_BYTES, MP_SECONDS, or MP_COUNT for samples */
    bool uncounted; /* numbers of objects are unknown */
    bool uncalled;  /* numbers of calls are unknown */
    int64_t whole;
    int64_t nodes, edges;
} dot_out;

/* --- syntax --- */

/* Write a quoted string. Backslashes and HTML entities are escaped, because Graphviz interprets
 * them. Invisible characters are written as escapes, and long texts are cut. */
static void put_quoted(dot_out *out, const char *text, size_t most)
{
    text = mp_safe_text(&out->arena, text);
    const char *end = text + strlen(text);
    bool cut = (size_t)(end - text) > most;
    if (cut)
        for (end = text + most; ((unsigned char)*end & 0xc0) == 0x80;)
            end--;
    for (; text < end; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out->file, "\\%c", *text);
        else if (*text == '&')
            fputs("&amp;", out->file);
        else
            fputc(*text, out->file);
    if (cut)
        fputs("\u2026", out->file);
}

static const char *amount(const dot_out *out, int64_t value, char text[MP_UNIT_TEXT])
{
    if (out->unit == MP_BYTES)
        mp_format_bytes(text, value, false, false);
    else if (out->unit == MP_COUNT)
        mp_format_count(text, value, false);
    else
        mp_format_seconds(text, value, false);
    if (out->unit == MP_SECONDS)
        memcpy(text + strlen(text), " s", sizeof " s");
    return text;
}

/* Return an amount in thousandths of the whole. */
static int64_t share(const dot_out *out, int64_t value)
{
    return out->whole > 0 && value > 0 ? (int64_t)((double)value * 1000 / (double)out->whole) : 0;
}

static bool is_large(const dot_out *out, int64_t value)
{
    return value > 0 && share(out, value) >= LEAST_SHARE;
}

/* Write a node. `counted`: number of objects or calls in words; "" = unknown. */
static void put_node(dot_out *out, const char *id, uint32_t number, const char *name, int64_t self,
                     int64_t total, const char *counted)
{
    char text[MP_UNIT_TEXT];
    int64_t percent = share(out, total);
    fprintf(out->file, "  %s%" PRIu32 " [label=\"", id, number);
    put_quoted(out, name, LABEL_BYTES);
    fprintf(out->file, "\\n%s", amount(out, total, text));
    fprintf(out->file, " (%" PRId64 ".%" PRId64 " %%)", percent / 10, percent % 10);
    if (self && self != total)
        fprintf(out->file, "\\nown %s", amount(out, self, text));
    if (*counted)
        fprintf(out->file, "\\n%s", counted);
    fputs("\", tooltip=\"", out->file);
    put_quoted(out, name, TOOLTIP_BYTES);
    fprintf(out->file,
            "\", own=%" PRId64 ", all=%" PRId64 ", fillcolor=\"0.08 0.%03" PRId64 " 1\"];\n", self,
            total, percent * 6 / 10);
    out->nodes++;
}

static void put_edge(dot_out *out, const char *from_id, uint32_t from, const char *to_id,
                     uint32_t to, int64_t total, const char *label)
{
    fprintf(out->file, "  %s%" PRIu32 " -> %s%" PRIu32 " [penwidth=%" PRId64, from_id, from, to_id,
            to, 1 + share(out, total) / 200);
    if (*label)
        fprintf(out->file, ", label=\"%s\"", label);
    fputs("];\n", out->file);
    out->edges++;
}

/* Begin a graph. `note`: a line of its label; NULL = none. */
static void open_graph(dot_out *out, const char *name, size_t shown, size_t total, const char *what,
                       const char *note)
{
    char text[MP_UNIT_TEXT];
    fprintf(out->file,
            "digraph memprof {\n"
            "  graph [labelloc=t, fontname=\"Helvetica,Arial,sans-serif\", label=\"%s: %s\\n"
            "%zu of %zu %s: those with at least %d.%d %%, at most the %d largest; "
            "smaller ones are summed up%s%s\"];\n"
            "  node [shape=box, style=filled, fontname=\"Helvetica,Arial,sans-serif\"];\n"
            "  edge [fontname=\"Helvetica,Arial,sans-serif\"];\n",
            name, amount(out, out->whole, text), shown, total, what, LEAST_SHARE / 10,
            LEAST_SHARE % 10, MOST_NODES, note ? "\\n" : "", note ? note : "");
}

static void close_graph(dot_out *out, mp_document *document, const mp_request *request,
                        const mp_written_totals *sums)
{
    fputs("}\n", out->file);
    mp_written(document, request, "a graph for Graphviz", sums);
    mp_table *rows = mp_written_table(document);
    mp_written_rows(document, rows, "nodes", out->nodes);
    mp_written_rows(document, rows, "edges", out->edges);
    mp_arena_free(&out->arena);
}

/* --- choice of nodes --- */

typedef struct candidate {
    int64_t total;
    uint32_t place;
} candidate;

static int largest_first(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    int order = MP_COMPARE(b->total, a->total);
    return order ? order : MP_COMPARE(a->place, b->place);
}

/* Choose the places to show. Return a flag for each of the `count` places, and set `shown` to the
 * number of flags that are set. A place is at least as large as each place below it, and is sorted
 * before them. The ancestors of a shown place are therefore shown too. */
static bool *choose(const dot_out *out, candidate *candidates, size_t count, size_t places,
                    size_t *shown)
{
    bool *is_shown = mp_alloc_zero(places + 1, sizeof *is_shown);
    if (count)
        qsort(candidates, count, sizeof *candidates, largest_first);
    *shown = 0;
    while (*shown < count && *shown < MOST_NODES && is_large(out, candidates[*shown].total))
        is_shown[candidates[(*shown)++].place] = true;
    return is_shown;
}

/* --- trees --- */

static void put_frame(dot_out *out, const mp_weights *weights, uint32_t frame, int64_t rest,
                      uint32_t smaller)
{
    const mp_weight *weight = &weights->items[0][frame];
    const char *name = frame ? mp_weight_label(&out->arena, &weights->frames[frame]) : "all";
    char counted[2 * MP_UNIT_TEXT], number[MP_UNIT_TEXT];
    mp_format_count(number, weight->all_count, false);
    snprintf(counted, sizeof counted, "%s object%s", number, weight->all_count == 1 ? "" : "s");
    if (out->uncounted)
        *counted = '\0';
    put_node(out, "n", frame, name, weight->self, weight->total, counted);
    if (frame)
        put_edge(out, "n", weights->frames[frame].parent, "n", frame, weight->total, "");
    if (!rest)
        return;
    put_node(out, "rest", frame, mp_arena_format(&out->arena, "%" PRIu32 " smaller", smaller), rest,
             rest, "");
    put_edge(out, "n", frame, "rest", frame, rest, "");
}

static void put_tree(dot_out *out, const mp_weights *weights, const char *note)
{
    const mp_weight *weight = weights->items[0];
    candidate *candidates = mp_alloc((size_t)weights->count * sizeof *candidates);
    int64_t *rest = mp_alloc_zero(weights->count, sizeof *rest);
    uint32_t *smaller = mp_alloc_zero(weights->count, sizeof *smaller);
    size_t shown;
    out->whole = weight[0].total;
    for (uint32_t i = 1; i < weights->count; i++)
        candidates[i - 1] = (candidate){weight[i].total, i};
    bool *is_shown = choose(out, candidates, (size_t)weights->count - 1, weights->count, &shown);
    is_shown[0] = true;
    for (uint32_t i = 1; i < weights->count; i++)
        if (!is_shown[i]) {
            uint32_t parent = weights->frames[i].parent;
            rest[parent] += weight[i].total;
            smaller[parent]++;
        }
    open_graph(out, mp_weighing_name(weights->weighings[0]), shown, (size_t)weights->count - 1,
               weights->weighings[0] == MP_WEIGH_RETAINED ? "types, by what dominates them"
                                                          : "frames",
               note);
    for (uint32_t i = 0; i < weights->count; i++)
        if (is_shown[i])
            put_frame(out, weights, i, rest[i], smaller[i]);
    MP_FREE(candidates, rest, smaller, is_shown);
}

static bool run_tree(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_request_window(request, error);
    if (!window)
        return false;
    mp_weighing weighing = mp_weighing_usual(request->filter);
    mp_weights weights = mp_weights_of(request->filter, window, &weighing, 1);
    /* if nothing leaks, draw live bytes */
    if (weighing == MP_WEIGH_LEAKED && weights.items[0][0].total == 0) {
        mp_weights_free(&weights);
        weighing = MP_WEIGH_ALIVE;
        weights = mp_weights_of(request->filter, window, &weighing, 1);
    }
    dot_out out = {.file = request->file,
                   .unit = MP_BYTES,
                   .uncounted = request->model->holds & MP_HOLDS_UNCOUNTED};
    mp_written_totals sums = mp_nothing_written;
    *(weighing == MP_WEIGH_LEAKED     ? &sums.leaked_bytes
      : weighing == MP_WEIGH_RETAINED ? &sums.retained_bytes
                                      : &sums.live_bytes) = weights.items[0][0].total;
    put_tree(&out, &weights, weighing == MP_WEIGH_LEAKED ? mp_in_use_text(document, window) : NULL);
    close_graph(&out, document, request, &sums);
    mp_weights_free(&weights);
    return true;
}

/* --- call graphs --- */

/* An edge. Calls from several lines of a caller are one edge. */
typedef struct arrow {
    uint32_t caller, callee;
    int64_t calls, us;
} arrow;

static int by_pair(const void *left, const void *right)
{
    const arrow *a = left, *b = right;
    int order = MP_COMPARE(a->caller, b->caller);
    return order ? order : MP_COMPARE(a->callee, b->callee);
}

static void put_arrows(dot_out *out, const mp_calls *calls, const bool *is_shown)
{
    arrow *arrows = mp_alloc((calls->edge_count + 1) * sizeof *arrows);
    size_t count = 0;
    for (size_t i = 0; i < calls->edge_count; i++) {
        const mp_call_edge *edge = &calls->edges[i];
        if (edge->caller != MP_NO_CALLER && is_shown[edge->caller] && is_shown[edge->callee])
            arrows[count++] = (arrow){edge->caller, edge->callee, edge->calls,
                                      edge->as_caller.cost > 0 ? edge->as_caller.cost : 0};
    }
    if (count)
        qsort(arrows, count, sizeof *arrows, by_pair);
    for (size_t i = 0, next; i < count; i = next) {
        arrow sum = arrows[i];
        for (next = i + 1; next < count && by_pair(&arrows[i], &arrows[next]) == 0; next++) {
            sum.calls += arrows[next].calls;
            sum.us += arrows[next].us;
        }
        char number[MP_UNIT_TEXT];
        if (out->uncalled && out->unit == MP_SECONDS)
            mp_format_duration(number, sum.us);
        else
            mp_format_count(number, out->uncalled ? sum.us : sum.calls, false);
        put_edge(out, "n", sum.caller, "n", sum.callee, sum.us, number);
    }
    free(arrows);
}

/* Return the cost including callees. If that is unknown, return the function's own cost. */
static int64_t all_of(const mp_callable *callable)
{
    return callable->total.cost > callable->self.cost ? callable->total.cost : callable->self.cost;
}

static void put_callable(dot_out *out, const mp_callable *callable, uint32_t place)
{
    char counted[2 * MP_UNIT_TEXT] = "", number[MP_UNIT_TEXT];
    if (callable->calls >= 0 && !out->uncalled) {
        mp_format_count(number, callable->calls, false);
        snprintf(counted, sizeof counted, "%s call%s", number, callable->calls == 1 ? "" : "s");
    }
    put_node(out, "n", place, callable->shown, callable->self.cost, all_of(callable), counted);
}

static bool run_graph(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)error;
    mp_calls calls = mp_calls_of_profile(request->filter, NULL);
    const bool sampled = request->model->holds & MP_HOLDS_SAMPLES;
    dot_out out = {.file = request->file,
                   .unit = sampled ? MP_COUNT : MP_SECONDS,
                   .uncalled = request->model->holds & MP_HOLDS_UNCALLED};
    candidate *candidates = mp_alloc(((size_t)calls.count + 1) * sizeof *candidates);
    size_t shown;
    mp_written_totals sums = mp_nothing_written;
    int64_t rest = 0;
    out.whole = mp_profile_total(request->filter).exclusive_us;
    mp_written_add_profile(&sums, request->filter);
    for (uint32_t i = 0; i < calls.count; i++)
        candidates[i] = (candidate){all_of(&calls.items[i]), i};
    bool *is_shown = choose(&out, candidates, calls.count, calls.count, &shown);
    open_graph(&out, sampled ? "samples" : "seconds", shown, calls.count, "methods", NULL);
    for (uint32_t i = 0; i < calls.count; i++)
        if (is_shown[i])
            put_callable(&out, &calls.items[i], i);
        else
            rest += calls.items[i].self.cost;
    put_arrows(&out, &calls, is_shown);
    if (rest)
        put_node(&out, "rest", 0, mp_arena_format(&out.arena, "%zu smaller", calls.count - shown),
                 rest, rest, "");
    close_graph(&out, document, request, &sums);
    free(candidates);
    free(is_shown);
    mp_calls_free(&calls);
    return true;
}

static const mp_heap_arguments defaults;

static const mp_argument arguments[] = {
    MP_SHARES("selection", MP_HEAPS | MP_PROFILE),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_EVENTS(MP_EVENTS),
    MP_SHARES("domain", MP_DUMP),
};

const mp_exporter mp_exporter_dot = {
    .name = "dot",
    .endings = ".dot .gv",
    .report = {.name = MP_EXPORT_TO("dot"),
               .summary = "pruned call tree, call graph or dominator tree, for Graphviz",
               MP_ARGUMENTS(arguments, defaults),
               .variants = {MP_HEAP_VARIANTS(run_tree),
                            {.needs = MP_HOLDS_GRAPH, .run = run_tree},
                            {.needs = MP_HOLDS_PROFILE, .run = run_graph}}},
};
