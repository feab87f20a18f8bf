/* A heap over time in the format of Massif: live bytes at each snapshot. Some snapshots, including
 * the peak, also have the stacks that allocated the bytes. Types of objects are innermost
 * frames. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "export/stacks.h"

enum {
    FRAMES = 31, /* maximum frames of a stack: Massif's default of 30, plus a type */
    /* Number of snapshots with stacks. The peak and the end of the window are not counted. */
    DETAILED = 10,
};

/* A line of a tree that must still be written. */
typedef struct massif_line {
    uint32_t node; /* 0 = sum of nodes that are too small to show; in the first line, the root */
    unsigned depth;
    int64_t bytes, places; /* bytes of the line; number of nodes combined in it */
} massif_line;

typedef struct massif_out {
    FILE *file;
    mp_sites *sites;
    int64_t *self, *total; /* live bytes of each node */
    mp_links links;        /* children of the nodes */
    massif_line *lines;
    size_t line_count, line_capacity;
    int64_t alive; /* live bytes at the current snapshot */
    int64_t nodes; /* number of nodes that were written */
} massif_out;

/* --- a tree --- */

static void sum_up(massif_out *out)
{
    const mp_sites *sites = out->sites;
    for (uint32_t i = 0; i < sites->count; i++)
        out->total[i] = out->self[i];
    for (uint32_t i = sites->count; i-- > 1;)
        out->total[sites->nodes[i].parent] += out->total[i];
}

/* Compare by ascending size, because lines are taken from the end of the list. */
static int by_bytes(const void *a, const void *b)
{
    const massif_line *x = a, *y = b;
    int order = MP_COMPARE(x->bytes, y->bytes);
    return order ? order : MP_COMPARE(y->node, x->node);
}

static void push(massif_out *out, massif_line line)
{
    *MP_APPEND(out->lines, out->line_count, out->line_capacity) = line;
}

static bool is_small(const massif_out *out, uint32_t node)
{
    return out->total[node] <= 0 || out->total[node] < out->total[0] / 100;
}

/* Push the children of a node, ordered by bytes. Each child with at least a hundredth of the total
 * is pushed separately, all others as one line. Return the number of lines. */
static size_t push_children(massif_out *out, uint32_t node, unsigned depth)
{
    massif_line rest = {.depth = depth + 1};
    for (uint32_t child = out->links.below[node]; child; child = out->links.beside[child])
        if (is_small(out, child)) {
            rest.places += out->total[child] != 0;
            rest.bytes += out->total[child];
        }
    const size_t first = out->line_count + (rest.places > 0);
    if (rest.places)
        push(out, rest);
    for (uint32_t child = out->links.below[node]; child; child = out->links.beside[child])
        if (!is_small(out, child))
            push(out, (massif_line){.node = child, .depth = depth + 1, .bytes = out->total[child]});
    if (out->line_count > first)
        qsort(out->lines + first, out->line_count - first, sizeof *out->lines, by_bytes);
    return out->line_count - first + (rest.places > 0);
}

/* Print a label. Escape hidden characters, and characters that begin a comment in ms_print. */
static void put_label(FILE *file, const char *label)
{
    for (; *label; label++)
        if (*label == '#')
            fputs("\\x23", file);
        else
            fputc(*label, file);
}

static void put_line(massif_out *out, const massif_line *line)
{
    const bool top = line->depth == 0;
    mp_arena arena = {0};
    if (!line->node && !top) {
        fprintf(out->file,
                "%*sn0: %" PRId64 " in %" PRId64 " places, all below massif's threshold (1.00%%)\n",
                (int)line->depth, "", line->bytes, line->places);
        return;
    }
    size_t children = push_children(out, line->node, line->depth);
    fprintf(out->file, "%*sn%zu: %" PRId64 " ", (int)line->depth, "", children,
            out->total[line->node]);
    put_label(out->file,
              top ? "(all objects that are alive)"
                  : mp_sites_label(out->sites, out->sites->nodes[line->node].place, &arena));
    fputc('\n', out->file);
    out->nodes++;
    mp_arena_free(&arena);
}

static void put_tree(massif_out *out)
{
    sum_up(out);
    push(out, (massif_line){0});
    while (out->line_count) {
        massif_line line = out->lines[--out->line_count];
        put_line(out, &line);
    }
}

/* --- snapshots --- */

static void put_head(const massif_out *out)
{
    mp_arena arena = {0};
    fputs("desc: memprof export\ncmd: ", out->file);
    put_label(out->file, mp_sites_command(out->sites, &arena));
    fprintf(out->file, "\ntime_unit: %s\n", out->sites->has_times ? "ms" : "i");
    mp_arena_free(&arena);
}

static bool is_detailed(const mp_sites *sites, size_t place)
{
    size_t each = (sites->snapshot_count + DETAILED - 1) / DETAILED;
    return place == sites->end || (place + 1) % (each ? each : 1) == 0;
}

/* Write a snapshot. Return false with a message if the sum of the stacks differs from the total in
 * reports. */
static bool put_snapshot(massif_out *out, size_t place, bool peak, int64_t *time, mp_error *error)
{
    mp_sites *sites = out->sites;
    const mp_snapshot *snapshot = &sites->window->filter->snapshots[sites->snapshots[place]];
    const int64_t now = sites->has_times ? snapshot->time_us / 1000 : (int64_t)place + 1;
    const mp_cost *cost;
    uint32_t node;
    while (mp_sites_next(sites, sites->snapshots[place], &node, &cost)) {
        out->self[node] += cost->bytes;
        out->alive += cost->bytes;
    }
    if (out->alive != snapshot->live_bytes)
        return mp_fail(error, MP_ERROR_OUTPUT,
                       "snapshot %" PRIu64 " has %" PRId64 " bytes alive, and stacks of %" PRId64
                       " are known",
                       snapshot->sequence, snapshot->live_bytes, out->alive);
    *time = now > *time ? now : *time;
    fprintf(out->file,
            "#-----------\nsnapshot=%zu\n#-----------\ntime=%" PRId64 "\nmem_heap_B=%" PRId64
            "\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n",
            place, *time, out->alive,
            peak                        ? "peak"
            : is_detailed(sites, place) ? "detailed"
                                        : "empty");
    if (peak || is_detailed(sites, place))
        put_tree(out);
    return true;
}

static void describe(const massif_out *out, int64_t trees, const mp_request *request,
                     mp_document *document)
{
    const mp_sites *sites = out->sites;
    mp_written_totals totals = mp_nothing_written;
    totals.snapshots = (int64_t)sites->snapshot_count;
    totals.live_bytes = sites->window->filter->snapshots[sites->snapshots[sites->end]].live_bytes;
    totals.truncated_stacks = sites->cut ? sites->cut : MP_UNKNOWN;
    mp_written(document, request, "snapshots in the format of Massif", &totals);
    mp_table *table = mp_written_table(document);
    mp_written_rows(document, table, "snapshots", (int64_t)sites->snapshot_count);
    mp_written_rows(document, table, "trees", trees);
    mp_written_rows(document, table, "places", out->nodes);
}

static bool write_snapshots(mp_sites *sites, const mp_request *request, mp_document *document,
                            mp_error *error)
{
    massif_out state = {.file = request->file, .sites = sites}, *out = &state;
    const size_t peak = mp_sites_peak(sites, sites->snapshot_count - 1);
    int64_t time = 0, trees = 0;
    bool ok = true;
    out->self = mp_alloc_zero(sites->count, sizeof *out->self);
    out->total = mp_alloc_zero(sites->count, sizeof *out->total);
    out->links = mp_links_of(sites->nodes, sizeof *sites->nodes, sites->count);
    put_head(out);
    for (size_t i = 0; ok && i < sites->snapshot_count; i++) {
        ok = put_snapshot(out, i, i == peak, &time, error);
        trees += i == peak || is_detailed(sites, i);
    }
    if (ok)
        describe(out, trees, request, document);
    free(out->self);
    free(out->total);
    mp_links_free(&out->links);
    free(out->lines);
    return ok;
}

static bool write_massif(const mp_request *request, mp_document *document, mp_error *error)
{
    return mp_sites_write(request, document, FRAMES, error, write_snapshots);
}

static const mp_heap_arguments defaults;

static const mp_argument arguments[] = {
    MP_SHARES("selection", MP_HEAPS),
    MP_SHARES_READING,
};

const mp_exporter mp_exporter_massif = {
    .name = "massif",
    .endings = "massif.out",
    .report = {.name = MP_EXPORT_TO("massif"),
               .summary = "stacks over time, for ms_print and massif-visualizer",
               MP_ARGUMENTS(arguments, defaults),
               .variants = {MP_HEAP_VARIANTS(write_massif)}},
};
