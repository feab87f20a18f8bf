#include "aqtime_plan.h"

#include "json.h"
#include "rpm_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sum {
    int64_t objects;
    int64_t bytes;
} Sum;

static void add(Sum *sum, int64_t bytes)
{
    sum->objects++;
    sum->bytes += bytes;
}

// A bounds violation is listed as an object, and is none.
static bool counts(const AqObject *object, int set)
{
    return object->class_index != AQ_OVERWRITE && aqtime_alive(object, set);
}

static void type_name(const AqPlan *plan, int class_index, char name[128])
{
    const AqClass *words = &plan->classes[class_index];
    bool full = !words->space[0] || !strncmp(words->name, words->space, strlen(words->space));
    snprintf(name, 128, "%s%s%s", full ? "" : words->space, full ? "" : ".", words->name);
}

static void frame_label(const AqPlan *plan, int routine, char label[128])
{
    const AqRoutine *words = &plan->routines[routine];
    size_t length = strlen(words->class_name);
    bool full = !length || !strncmp(words->name, words->class_name, length);
    char line[16] = "";
    if (words->line) {
        snprintf(line, sizeof line, ":%d", words->line);
    }
    snprintf(label, 128, "%s%s%s%s", full ? "" : words->class_name, full ? "" : ".", words->name,
             line);
}

static Sum live_at(const AqPlan *plan, int set)
{
    Sum sum = {0, 0};
    for (int i = 0; i < plan->object_count; i++) {
        if (counts(&plan->objects[i], set)) {
            add(&sum, plan->objects[i].size);
        }
    }
    return sum;
}

static bool is_root(const void *data, int64_t object)
{
    const AqPlan *plan = data;
    return plan->objects[object].root;
}

static int64_t size_of(const void *data, int64_t object)
{
    const AqPlan *plan = data;
    return plan->objects[object].size;
}

// In the last result set, where all that refers or is referred to is alive.
static int64_t reference_count(const void *data, int64_t object)
{
    const AqPlan *plan = data;
    int64_t count = 0;
    for (int i = 0; i < plan->reference_count; i++) {
        count += plan->references[i].from == object;
    }
    return count;
}

static int64_t reference(const void *data, int64_t object, int64_t number)
{
    const AqPlan *plan = data;
    int i = 0;
    for (; plan->references[i].from != object || number; i++) {
        number -= plan->references[i].from == object;
    }
    return plan->references[i].to;
}

static void write_graph_totals(Json *json, const AqPlan *plan, const Graph *graph, const Sum *live)
{
    int64_t roots = 0;
    int64_t dangling = 0;
    Sum reachable = {0, 0};
    for (int i = 0; i < plan->object_count; i++) {
        roots += plan->objects[i].root;
        if (graph->reached[i]) {
            add(&reachable, plan->objects[i].size);
        }
    }
    for (int i = 0; i < plan->reference_count; i++) {
        dangling += plan->references[i].to == AQ_NOTHING;
    }
    json_number(json, "roots", roots);
    json_number(json, "references", plan->reference_count);
    json_number(json, "dangling_references", dangling);
    json_number(json, "reachable_objects", reachable.objects);
    json_number(json, "reachable_bytes", reachable.bytes);
    json_number(json, "unreachable_objects", live->objects - reachable.objects);
    json_number(json, "unreachable_bytes", live->bytes - reachable.bytes);
}

static void write_totals(Json *json, const AqPlan *plan, const Graph *graph)
{
    Sum live = live_at(plan, AQ_SETS);
    Sum created = {0, 0};
    Sum peak = {0, 0};
    for (int i = 0; i < plan->object_count; i++) {
        if (plan->objects[i].class_index != AQ_OVERWRITE) {
            add(&created, plan->objects[i].size);
        }
    }
    for (int set = 1; set <= AQ_SETS; set++) {
        Sum now = live_at(plan, set);
        peak.objects = now.objects > peak.objects ? now.objects : peak.objects;
        peak.bytes = now.bytes > peak.bytes ? now.bytes : peak.bytes;
    }
    json_open(json, "totals", '{');
    json_number(json, "live_objects", live.objects);
    json_number(json, "live_bytes", live.bytes);
    json_number(json, "created_objects", created.objects);
    json_number(json, "created_bytes", created.bytes);
    json_number(json, "deleted_objects", created.objects - live.objects);
    json_number(json, "peak_objects", peak.objects);
    json_number(json, "peak_bytes", peak.bytes);
    write_graph_totals(json, plan, graph, &live);
    json_close(json, '}');
}

static void write_snapshots(Json *json, const AqPlan *plan)
{
    json_open(json, "snapshots", '[');
    for (int set = 1; set <= AQ_SETS; set++) {
        char tag[32];
        snprintf(tag, sizeof tag, "Get Results %d", set);
        int64_t created = 0;
        int64_t deleted = 0;
        for (int i = 0; i < plan->object_count; i++) {
            const AqObject *object = &plan->objects[i];
            created += object->first == set && counts(object, set);
            deleted += object->last == set - 1 && counts(object, set - 1);
        }
        Sum live = live_at(plan, set);
        json_open(json, NULL, '{');
        json->flat = true;
        json_number(json, "sequence", set);
        json_text(json, "tag", tag);
        json_number(json, "created_objects", created);
        json_number(json, "deleted_objects", deleted);
        json_number(json, "live_objects", live.objects);
        json_number(json, "live_bytes", live.bytes);
        if (set > 1) {
            json_number(json, "delta_bytes", live.bytes - live_at(plan, set - 1).bytes);
        }
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

typedef struct Row {
    char key[128];
    char labels[AQ_STACK_FRAMES][128];
    int frames;
    Sum now;
    Sum before;
} Row;

static int compare_stacks(const Row *a, const Row *b)
{
    for (int i = 0; i < a->frames && i < b->frames; i++) {
        int order = strcmp(a->labels[i], b->labels[i]);
        if (order) {
            return order;
        }
    }
    return a->frames - b->frames;
}

static int by_bytes(const void *left, const void *right)
{
    const Row *a = left;
    const Row *b = right;
    if (a->now.bytes != b->now.bytes) {
        return a->now.bytes > b->now.bytes ? -1 : 1;
    }
    bool leaks = a->frames || b->frames; // other rows have no stack, and their key decides
    if (leaks && a->now.objects != b->now.objects) {
        return a->now.objects > b->now.objects ? -1 : 1;
    }
    int order = strcmp(a->key, b->key);
    return order ? order : compare_stacks(a, b);
}

static int by_change(const void *left, const void *right)
{
    const Row *a = left;
    const Row *b = right;
    int64_t change = llabs(a->now.bytes - a->before.bytes);
    int64_t other = llabs(b->now.bytes - b->before.bytes);
    if (change != other) {
        return change > other ? -1 : 1;
    }
    return strcmp(a->key, b->key);
}

// Born after the first result set and alive at the last, by class and stack.
static void write_leaks(Json *json, const AqPlan *plan)
{
    Row rows[AQ_CLASSES * AQ_STACKS] = {0};
    for (int i = 0; i < plan->object_count; i++) {
        const AqObject *object = &plan->objects[i];
        Row *row = &rows[object->class_index * AQ_STACKS + object->stack];
        if (!counts(object, AQ_SETS) || object->first == 1) {
            continue;
        }
        type_name(plan, object->class_index, row->key);
        add(&row->now, object->size);
        const int *stack = plan->stacks[object->stack];
        for (row->frames = 0; row->frames < AQ_STACK_FRAMES && stack[row->frames] >= 0;) {
            frame_label(plan, stack[row->frames], row->labels[row->frames]);
            row->frames++;
        }
    }
    qsort(rows, sizeof rows / sizeof rows[0], sizeof rows[0], by_bytes);
    json_open(json, "leaks", '[');
    for (int i = 0; rows[i].now.objects; i++) {
        json_open(json, NULL, '{');
        json_number(json, "rank", i + 1);
        json_text(json, "type", rows[i].key);
        json_number(json, "objects", rows[i].now.objects);
        json_number(json, "bytes", rows[i].now.bytes);
        json_open(json, "stack", '[');
        for (int j = 0; j < rows[i].frames; j++) {
            json_text(json, NULL, rows[i].labels[j]);
        }
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void sum_types(const AqPlan *plan, Row rows[AQ_CLASSES])
{
    memset(rows, 0, AQ_CLASSES * sizeof rows[0]);
    for (int i = 0; i < AQ_CLASSES; i++) {
        type_name(plan, i, rows[i].key);
    }
    for (int i = 0; i < plan->object_count; i++) {
        const AqObject *object = &plan->objects[i];
        if (counts(object, 1)) {
            add(&rows[object->class_index].before, object->size);
        }
        if (counts(object, AQ_SETS)) {
            add(&rows[object->class_index].now, object->size);
        }
    }
}

static void write_top(Json *json, const AqPlan *plan)
{
    Row rows[AQ_CLASSES];
    sum_types(plan, rows);
    qsort(rows, AQ_CLASSES, sizeof rows[0], by_bytes);
    json_open(json, "top", '[');
    for (int i = 0; i < AQ_CLASSES && rows[i].now.objects; i++) {
        json_open(json, NULL, '{');
        json->flat = true;
        json_number(json, "rank", i + 1);
        json_text(json, "key", rows[i].key);
        json_number(json, "objects", rows[i].now.objects);
        json_number(json, "bytes", rows[i].now.bytes);
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

// From the first result set to the last; what did not change is left out.
static void write_growth(Json *json, const AqPlan *plan)
{
    Row rows[AQ_CLASSES];
    sum_types(plan, rows);
    qsort(rows, AQ_CLASSES, sizeof rows[0], by_change);
    json_open(json, "growth", '[');
    for (int i = 0; i < AQ_CLASSES; i++) {
        const Row *row = &rows[i];
        if (row->now.objects == row->before.objects && row->now.bytes == row->before.bytes) {
            continue;
        }
        json_open(json, NULL, '{');
        json->flat = true;
        json_text(json, "key", row->key);
        json_number(json, "from_objects", row->before.objects);
        json_number(json, "to_objects", row->now.objects);
        json_number(json, "delta_objects", row->now.objects - row->before.objects);
        json_number(json, "from_bytes", row->before.bytes);
        json_number(json, "to_bytes", row->now.bytes);
        json_number(json, "delta_bytes", row->now.bytes - row->before.bytes);
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

static void write_object(Json *json, const AqPlan *plan, const Graph *graph, int object, int rank)
{
    char text[128];
    json_open(json, NULL, '{');
    json->flat = true;
    json_number(json, "rank", rank);
    snprintf(text, sizeof text, "%x", (unsigned)aqtime_object_record(plan, AQ_SETS, object));
    json_text(json, "object", text);
    type_name(plan, plan->objects[object].class_index, text);
    json_text(json, "type", text);
    json_number(json, "self_bytes", plan->objects[object].size);
    json_number(json, "retained_bytes", graph->retained[object]);
    int dominator = graph->dominators[object];
    if (dominator < 0) {
        json_null(json, "dominator");
    } else {
        snprintf(text, sizeof text, "%x", (unsigned)aqtime_object_record(plan, AQ_SETS, dominator));
        json_text(json, "dominator", text);
    }
    json_close(json, '}');
    json->flat = false;
}

// The largest first, then by record: one after the other is picked.
static void write_retained(Json *json, const AqPlan *plan, const Graph *graph)
{
    bool written[AQ_MAX_OBJECTS] = {false};
    json_open(json, "retained", '[');
    for (int rank = 1;; rank++) {
        int best = -1;
        for (int i = 0; i < plan->object_count; i++) {
            if (!graph->reached[i] || written[i]) {
                continue;
            }
            bool ahead = best < 0 || graph->retained[i] > graph->retained[best];
            ahead = ahead || (graph->retained[i] == graph->retained[best] &&
                              aqtime_object_record(plan, AQ_SETS, i) <
                                  aqtime_object_record(plan, AQ_SETS, best));
            best = ahead ? i : best;
        }
        if (best < 0) {
            break;
        }
        written[best] = true;
        write_object(json, plan, graph, best, rank);
    }
    json_close(json, ']');
}

bool aqtime_answer(const AqPlan *plan, const char *path)
{
    GraphView view = {plan, plan->object_count, is_root, size_of, reference_count, reference};
    Graph graph;
    Writer writer;
    bool done = graph_init(&graph, &view);
    if (done && writer_open(&writer, path)) {
        Json json = {.writer = &writer};
        json_open(&json, NULL, '{');
        write_totals(&json, plan, &graph);
        write_snapshots(&json, plan);
        write_leaks(&json, plan);
        write_top(&json, plan);
        write_growth(&json, plan);
        write_retained(&json, plan, &graph);
        json_close(&json, '}');
        done = writer_close(&writer);
    } else {
        done = false;
    }
    graph_free(&graph);
    return done;
}
