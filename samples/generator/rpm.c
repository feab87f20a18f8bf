/* Garbage-collector heap dumps: the file and its known answer. */
#include "rpm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    START_STAMP = 0x444d20df,
    DUMP_INTERVAL = 60000, /* milliseconds */
    DUMP_TIME = 541,
    UNKNOWN_ID = 0xdead0,
    ROOT_WITHOUT_OBJECT = 0x7ff018
};

/* Return the plan. The file and the answer share it, because a large plan takes long to make. */
static const rpm_plan *plan_of(const gen_options *options)
{
    static rpm_plan plan;
    if (!plan.count)
        rpm_plan_init(&plan, options);
    return &plan;
}

/* --- log --- */

static void hex_word(gen_writer *writer, uint64_t number)
{
    gen_char(writer, ' ');
    gen_hex(writer, number);
}

static void write_domain(gen_writer *writer, const rpm_plan *plan, int domain, bool stamps,
                         bool end)
{
    static const char *const names[RPM_DOMAINS] = {"Shop.exe", "Shop Updater.exe",
                                                   "Shop Printer.exe", "Shop 4.exe"};
    gen_print(writer, "%s %s", end ? "c" : "a 2", names[domain]);
    if (stamps)
        hex_word(writer,
                 (uint64_t)(START_STAMP + plan->dump * DUMP_INTERVAL + (end ? DUMP_TIME : 0)));
    gen_end_line(writer);
}

static void write_type(gen_writer *writer, const rpm_plan *plan, int domain, int type)
{
    if (plan->types[type])
        gen_print(writer, "t %" PRIx64 " %s\n", rpm_type_id(plan, domain, type), plan->types[type]);
}

static void write_root(gen_writer *writer, const rpm_plan *plan, const rpm_root *root)
{
    gen_char(writer, 'r');
    hex_word(writer, root->object >= 0 ? rpm_id_of(plan, root->object) : ROOT_WITHOUT_OBJECT);
    hex_word(writer, (uint64_t)root->kind);
    hex_word(writer, root->flags);
    if (root->container >= 0)
        hex_word(writer, rpm_type_id(plan, root->domain, root->container));
    gen_end_line(writer);
}

static void write_object(gen_writer *writer, const rpm_plan *plan, int64_t number,
                         const rpm_object *object)
{
    rpm_root root;
    gen_char(writer, 'o');
    hex_word(writer, object->id);
    hex_word(writer, rpm_type_id(plan, object->domain, object->type));
    hex_word(writer, (uint64_t)object->size);
    int64_t count = rpm_reference_count(plan, number);
    for (int64_t i = 0; i < count; i++) {
        int64_t target = rpm_reference_of(plan, number, i);
        hex_word(writer, target >= 0 ? rpm_id_of(plan, target) : UNKNOWN_ID);
    }
    gen_end_line(writer);
    for (int i = 0; rpm_root_of(plan, number, i, &root); i++)
        if (!root.early && root.domain == object->domain)
            write_root(writer, plan, &root);
}

/* Write the roots without an object, and the roots whose objects are in other sections. `early`:
 * write the roots that come before all objects. */
static void write_other_roots(gen_writer *writer, const rpm_plan *plan, int domain, bool early)
{
    for (int i = 0; i < plan->root_count; i++) {
        const rpm_root *root = &plan->roots[i];
        bool apart = root->object < 0 || plan->objects[root->object].domain != root->domain;
        if (root->domain == domain && (early ? root->early : apart))
            write_root(writer, plan, root);
    }
}

/* Write a section. Types in `late` are declared after all objects, others before their first
 * object. */
static void write_section(gen_writer *writer, const rpm_plan *plan, const gen_options *options,
                          int domain)
{
    uint64_t declared = 0, late = options->types_last ? UINT64_MAX : plan->late;
    write_domain(writer, plan, domain, !options->no_stamps, false);
    write_other_roots(writer, plan, domain, true);
    for (int64_t i = 0; i < plan->count; i++) {
        rpm_object object = rpm_object_of(plan, i);
        if (object.domain != domain)
            continue;
        if (!((declared | late) >> object.type & 1)) {
            declared |= 1ull << object.type;
            write_type(writer, plan, domain, object.type);
        }
        write_object(writer, plan, i, &object);
    }
    write_other_roots(writer, plan, domain, false);
    gen_end_line(writer); /* blank lines are allowed */
    for (int i = 0; i < plan->type_count; i++)
        if (!(declared >> i & 1))
            write_type(writer, plan, domain, i);
    if (options->torn && domain + 1 == plan->domains)
        gen_text(writer, "o 1c");
    else
        write_domain(writer, plan, domain, !options->no_stamps, true);
}

void gen_rpm(const gen_options *options, gen_writer *writer)
{
    const rpm_plan *plan = plan_of(options);
    for (int i = 0; i < plan->domains; i++)
        write_section(writer, plan, options, i);
}

/* --- known answer --- */

static const char *type_name(const rpm_plan *plan, int domain, int type)
{
    return plan->types[type] ? plan->types[type]
                             : gen_keep("<type %" PRIx64 ">", rpm_type_id(plan, domain, type));
}

static const char *kind_name(int kind)
{
    static const char *const names[] = {"internal", "local",  "finalizer",
                                        "handle",   "static", "runtime"};
    return kind <= RPM_RUNTIME ? names[kind] : gen_keep("kind %x", (unsigned)kind);
}

static gen_object object_of(const void *data, int64_t number)
{
    const rpm_plan *plan = data;
    rpm_object object = rpm_object_of(plan, number);
    gen_object found = {
        .size = object.size, .id = object.id, .type = type_name(plan, object.domain, object.type)};
    rpm_root root;
    for (int i = 0; rpm_root_of(plan, number, i, &root); i++) {
        found.strong_root = found.strong_root || !(root.flags & RPM_WEAK);
        *(root.flags & RPM_WEAK ? &found.weak_root_kinds : &found.root_kinds) |= 1u << root.kind;
    }
    return found;
}

typedef struct rpm_counts {
    gen_sum live, reachable;
    int64_t references, dangling, duplicates, without_object;
    int64_t roots, kind_roots[RPM_KINDS], kind_objects[RPM_KINDS];
} rpm_counts;

static void count_roots(const rpm_plan *plan, int64_t object, rpm_counts *counts)
{
    rpm_root root;
    unsigned seen = 0;
    for (int i = 0; rpm_root_of(plan, object, i, &root); i++) {
        counts->roots++;
        counts->kind_roots[root.kind]++;
        counts->without_object += object < 0;
        counts->kind_objects[root.kind] += object >= 0 && !(seen >> root.kind & 1);
        seen |= 1u << root.kind;
    }
}

static rpm_counts count_all(const rpm_plan *plan, const gen_graph *graph, gen_row *types)
{
    rpm_counts counts = {.roots = 0};
    count_roots(plan, RPM_NOTHING, &counts);
    for (int64_t i = 0; i < plan->count; i++) {
        rpm_object object = rpm_object_of(plan, i);
        if (object.duplicate) {
            counts.duplicates++;
            continue;
        }
        count_roots(plan, i, &counts);
        gen_add(&counts.live, 1, object.size);
        gen_add(&types[object.type].live, 1, object.size);
        if (graph->reached[i])
            gen_add(&counts.reachable, 1, object.size);
        int64_t references = rpm_reference_count(plan, i);
        counts.references += references;
        for (int64_t j = 0; j < references; j++)
            counts.dangling += rpm_reference_of(plan, i, j) < 0;
    }
    return counts;
}

static void answer_roots(gen_json *json, const rpm_counts *counts)
{
    gen_json_open(json, "roots", '[');
    for (int i = 0; i < RPM_KINDS; i++) {
        if (!counts->kind_roots[i])
            continue;
        gen_json_row(json);
        gen_json_text(json, "kind", kind_name(i));
        gen_json_number(json, "roots", counts->kind_roots[i]);
        gen_json_number(json, "objects", counts->kind_objects[i]);
        gen_json_close(json);
    }
    gen_json_close(json);
}

void gen_rpm_answer(const gen_options *options, gen_json *json)
{
    const rpm_plan *plan = plan_of(options);
    gen_graph_view view = {.plan = plan,
                           .count = plan->count,
                           .object = object_of,
                           .reference_count = rpm_reference_count,
                           .reference = rpm_reference_of,
                           .root_kind = kind_name};
    gen_row types[RPM_MOST_TYPES] = {{0}};
    int64_t declared = 0; /* count a type that is in two sections only once */
    gen_graph graph;
    gen_graph_build(&graph, &view);
    for (int i = 0; i < plan->type_count; i++) {
        types[i].key = type_name(plan, 0, i);
        declared += plan->types[i] != NULL;
        types[i].retained = graph.retained ? gen_graph_held(&graph, &view, types[i].key) : 0;
    }
    rpm_counts counts = count_all(plan, &graph, types);
    gen_sum live = counts.live, reachable = counts.reachable;
    gen_json_open(json, "totals", '{');
    gen_json_sum(json, "live", live);
    gen_json_number(json, "roots", counts.roots);
    gen_json_number(json, "roots_without_object", counts.without_object);
    gen_json_number(json, "references", counts.references);
    gen_json_number(json, "dangling_references", counts.dangling);
    gen_json_sum(json, "reachable", reachable);
    gen_json_sum(json, "unreachable", gen_minus(live, reachable));
    gen_json_number(json, "types", declared);
    gen_json_number(json, "duplicate_objects", counts.duplicates);
    gen_json_number(json, "app_domains", plan->domains);
    gen_json_close(json);
    answer_roots(json, &counts);
    gen_answer_top(json, types, (size_t)plan->type_count, true, graph.retained != NULL);
    if (graph.retained)
        gen_answer_retained(json, &graph, &view);
    gen_graph_free(&graph);
}
