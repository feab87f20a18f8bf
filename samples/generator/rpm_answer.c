#include "rpm.h"

#include "json.h"
#include "rpm_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_strong_root(const void *data, int64_t object)
{
    const RpmPlan *plan = data;
    RpmRoot root;
    for (int i = 0; rpm_plan_root(plan, object, i, &root); i++) {
        if (!(root.flags & RPM_WEAK)) {
            return true;
        }
    }
    return false;
}

static int64_t size_of(const void *data, int64_t object)
{
    return rpm_plan_object(data, object).size;
}

static int64_t reference_count(const void *data, int64_t object)
{
    return rpm_plan_reference_count(data, object);
}

static int64_t reference(const void *data, int64_t object, int64_t number)
{
    return rpm_plan_reference(data, object, number);
}

typedef struct Sum {
    int64_t objects;
    int64_t bytes;
} Sum;

typedef struct Counts {
    Sum live;
    Sum reachable;
    int64_t references;
    int64_t dangling;
    int64_t duplicates;
    int64_t roots;
    int64_t without_object;
    int64_t kind_roots[RPM_KINDS];
    int64_t kind_objects[RPM_KINDS];
} Counts;

static void count_roots(const RpmPlan *plan, int64_t object, Counts *counts)
{
    RpmRoot root;
    bool seen[RPM_KINDS] = {false};
    for (int i = 0; rpm_plan_root(plan, object, i, &root); i++) {
        counts->roots++;
        counts->kind_roots[root.kind]++;
        counts->without_object += object < 0;
        counts->kind_objects[root.kind] += object >= 0 && !seen[root.kind];
        seen[root.kind] = true;
    }
}

static void count_all(const RpmPlan *plan, const Graph *graph, Counts *counts)
{
    *counts = (Counts){0};
    count_roots(plan, RPM_DANGLING, counts);
    for (int64_t i = 0; i < plan->count; i++) {
        RpmObject object = rpm_plan_object(plan, i);
        if (object.duplicate) {
            counts->duplicates++;
            continue;
        }
        count_roots(plan, i, counts);
        counts->live.objects++;
        counts->live.bytes += object.size;
        counts->reachable.objects += graph->reached[i];
        counts->reachable.bytes += graph->reached[i] ? object.size : 0;
        int64_t references = rpm_plan_reference_count(plan, i);
        counts->references += references;
        for (int64_t j = 0; j < references; j++) {
            counts->dangling += rpm_plan_reference(plan, i, j) < 0;
        }
    }
}

static void write_totals(Json *json, const RpmPlan *plan, const Counts *counts)
{
    int64_t types = 0;
    for (int i = 0; i < plan->type_count; i++) {
        types += plan->types[i].name != NULL; // one in two sections is one
    }
    json_open(json, "totals", '{');
    json_number(json, "live_objects", counts->live.objects);
    json_number(json, "live_bytes", counts->live.bytes);
    json_number(json, "roots", counts->roots);
    json_number(json, "roots_without_object", counts->without_object);
    json_number(json, "references", counts->references);
    json_number(json, "dangling_references", counts->dangling);
    json_number(json, "reachable_objects", counts->reachable.objects);
    json_number(json, "reachable_bytes", counts->reachable.bytes);
    json_number(json, "unreachable_objects", counts->live.objects - counts->reachable.objects);
    json_number(json, "unreachable_bytes", counts->live.bytes - counts->reachable.bytes);
    json_number(json, "types", types);
    json_number(json, "duplicate_objects", counts->duplicates);
    json_number(json, "app_domains", plan->options.domains);
    json_close(json, '}');
}

static void kind_name(int kind, char name[16])
{
    static const char *const names[] = {"internal", "local",  "finalizer",
                                        "handle",   "static", "runtime"};
    if (kind <= RPM_RUNTIME) {
        snprintf(name, 16, "%s", names[kind]);
    } else {
        snprintf(name, 16, "kind %x", (unsigned)kind);
    }
}

static void write_kinds(Json *json, const Counts *counts)
{
    json_open(json, "roots", '[');
    for (int i = 0; i < RPM_KINDS; i++) {
        if (!counts->kind_roots[i]) {
            continue;
        }
        char name[16];
        kind_name(i, name);
        json_open(json, NULL, '{');
        json->flat = true;
        json_text(json, "kind", name);
        json_number(json, "roots", counts->kind_roots[i]);
        json_number(json, "objects", counts->kind_objects[i]);
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

typedef struct TypeRow {
    char name[128];
    Sum live;
    int64_t retained;
} TypeRow;

static int by_bytes(const void *left, const void *right)
{
    const TypeRow *a = left;
    const TypeRow *b = right;
    if (a->live.bytes != b->live.bytes) {
        return a->live.bytes > b->live.bytes ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

// Whether no other object of its type dominates it.
static bool is_top_of_type(const RpmPlan *plan, const Graph *graph, int64_t object)
{
    for (int above = graph->dominators[object]; above >= 0; above = graph->dominators[above]) {
        if (rpm_plan_object(plan, above).type == rpm_plan_object(plan, object).type) {
            return false;
        }
    }
    return true;
}

static void write_top(Json *json, const RpmPlan *plan, const Graph *graph)
{
    TypeRow rows[64] = {0};
    for (int i = 0; i < plan->type_count; i++) {
        rpm_plan_type_name(plan, 0, i, rows[i].name);
    }
    for (int64_t i = 0; i < plan->count; i++) {
        RpmObject object = rpm_plan_object(plan, i);
        if (object.duplicate) {
            continue;
        }
        TypeRow *row = &rows[object.type];
        row->live.objects++;
        row->live.bytes += object.size;
        if (graph->retained && graph->reached[i] && is_top_of_type(plan, graph, i)) {
            row->retained += graph->retained[i];
        }
    }
    qsort(rows, (size_t)plan->type_count, sizeof rows[0], by_bytes);
    json_open(json, "top", '[');
    for (int i = 0; i < plan->type_count && rows[i].live.objects; i++) {
        json_open(json, NULL, '{');
        json->flat = true;
        json_number(json, "rank", i + 1);
        json_text(json, "key", rows[i].name);
        json_number(json, "objects", rows[i].live.objects);
        json_number(json, "bytes", rows[i].live.bytes);
        if (graph->retained) {
            json_number(json, "retained_bytes", rows[i].retained);
        }
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

typedef struct RetainedRow {
    int64_t object;
    uint64_t id;
    int64_t retained;
} RetainedRow;

static int by_retained(const void *left, const void *right)
{
    const RetainedRow *a = left;
    const RetainedRow *b = right;
    if (a->retained != b->retained) {
        return a->retained > b->retained ? -1 : 1;
    }
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return a->object < b->object ? -1 : a->object > b->object;
}

// The kinds of an object's own roots, in order of number. False: it is no root.
static bool join_kinds(const RpmPlan *plan, int64_t object, char text[256])
{
    bool kinds[RPM_KINDS] = {false};
    RpmRoot root;
    for (int i = 0; rpm_plan_root(plan, object, i, &root); i++) {
        kinds[root.kind] = true;
    }
    text[0] = '\0';
    for (int i = 0; i < RPM_KINDS; i++) {
        char name[16];
        kind_name(i, name);
        if (kinds[i]) {
            size_t length = strlen(text);
            snprintf(text + length, 256 - length, "%s%s", length ? "+" : "", name);
        }
    }
    return text[0] != '\0';
}

static void write_retained_row(Json *json, const RpmPlan *plan, const Graph *graph,
                               const RetainedRow *row, int64_t rank)
{
    RpmObject object = rpm_plan_object(plan, row->object);
    char text[256];
    json_open(json, NULL, '{');
    json->flat = true;
    json_number(json, "rank", rank);
    snprintf(text, sizeof text, "%" PRIx64, object.id);
    json_text(json, "object", text);
    rpm_plan_type_name(plan, object.domain, object.type, text);
    json_text(json, "type", text);
    json_number(json, "self_bytes", object.size);
    json_number(json, "retained_bytes", row->retained);
    int dominator = graph->dominators[row->object];
    if (dominator < 0) {
        json_null(json, "dominator");
    } else {
        snprintf(text, sizeof text, "%" PRIx64, rpm_plan_object(plan, dominator).id);
        json_text(json, "dominator", text);
    }
    if (join_kinds(plan, row->object, text)) {
        json_text(json, "root_kind", text);
    }
    json_close(json, '}');
    json->flat = false;
}

static bool write_retained(Json *json, const RpmPlan *plan, const Graph *graph)
{
    if (!graph->retained) {
        return true;
    }
    RetainedRow *rows = malloc((size_t)plan->count * sizeof *rows);
    if (!rows) {
        return false;
    }
    size_t count = 0;
    for (int64_t i = 0; i < plan->count; i++) {
        if (graph->reached[i]) {
            rows[count++] = (RetainedRow){i, rpm_plan_object(plan, i).id, graph->retained[i]};
        }
    }
    qsort(rows, count, sizeof *rows, by_retained);
    json_open(json, "retained", '[');
    for (size_t i = 0; i < count; i++) {
        write_retained_row(json, plan, graph, &rows[i], (int64_t)i + 1);
    }
    json_close(json, ']');
    free(rows);
    return true;
}

bool rpm_answer(const RpmPlan *plan, const char *path)
{
    GraphView view = {plan, plan->count, is_strong_root, size_of, reference_count, reference};
    Graph graph;
    Writer writer;
    bool done = graph_init(&graph, &view);
    if (done && writer_open(&writer, path)) {
        Counts counts;
        count_all(plan, &graph, &counts);
        Json json = {.writer = &writer};
        json_open(&json, NULL, '{');
        write_totals(&json, plan, &counts);
        write_kinds(&json, &counts);
        write_top(&json, plan, &graph);
        done = write_retained(&json, plan, &graph);
        json_close(&json, '}');
        done = writer_close(&writer) && done;
    } else {
        done = false;
    }
    graph_free(&graph);
    return done;
}
