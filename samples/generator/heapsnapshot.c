/* Heap snapshots of V8: the shop as a Node server. Each snapshot has 40 more listeners, which were
 * registered for orders and never removed. */
#include <string.h>

#include "gen.h"

enum { MOST_NODES = 1024, MOST_EDGES = 4096, MOST_STRINGS = 128, LISTENERS = 40, PRICES = 12 };

/* Types of nodes and edges, in the order of node_types and edge_types. */
typedef enum v8_kind { HIDDEN, ARRAY, STRING, OBJECT, CLOSURE, NATIVE, SYNTHETIC } v8_kind;
typedef enum v8_edge_kind { CONTEXT, ELEMENT, PROPERTY, INTERNAL, SHORTCUT, WEAK } v8_edge_kind;

typedef struct v8_node {
    v8_kind kind;
    const char *name;
    int64_t id, size;
} v8_node;

typedef struct v8_edge {
    int from, to;
    v8_edge_kind kind;
    const char *name; /* NULL = a number */
    int64_t number;
    bool keeps; /* the target stays alive as long as the source */
} v8_edge;

/* Nodes that stand for roots. The other nodes are objects. */
enum { ROOT, GC_ROOTS, STRONG_ROOTS, HANDLES, STACK, FIRST_OBJECT };
/* The kinds of roots, in the order that answers have. */
static const char *const root_kinds[] = {"user", "Strong", "Global handles", "Stack"};
enum { ROOT_KINDS = sizeof root_kinds / sizeof root_kinds[0] };
static const int root_nodes[ROOT_KINDS] = {ROOT, STRONG_ROOTS, HANDLES, STACK};

typedef struct v8_plan {
    v8_node nodes[MOST_NODES];
    v8_edge edges[MOST_EDGES];
    const char *strings[MOST_STRINGS];
    int node_count, edge_count, string_count;
} v8_plan;

/* --- plan --- */

static int add(v8_plan *plan, v8_kind kind, const char *name, int64_t id, int64_t size)
{
    plan->nodes[plan->node_count] = (v8_node){kind, name, id, size};
    return plan->node_count++;
}

static v8_edge *refer(v8_plan *plan, int from, v8_edge_kind kind, const char *name, int to)
{
    v8_edge *edge = &plan->edges[plan->edge_count++];
    *edge = (v8_edge){from, to, kind, name, .keeps = kind != WEAK};
    return edge;
}

static v8_edge *element(v8_plan *plan, int from, int64_t number, int to)
{
    v8_edge *edge = refer(plan, from, ELEMENT, NULL, to);
    edge->number = number;
    return edge;
}

/* Add an array and the storage of its elements. Return the storage. */
static int array(v8_plan *plan, int owner, const char *property, int64_t id, int64_t length)
{
    const int object = add(plan, OBJECT, "Array", id, 16);
    const int storage = add(plan, ARRAY, "", id + 2, 16 + 8 * length);
    refer(plan, owner, PROPERTY, property, object);
    refer(plan, object, INTERNAL, "elements", storage);
    return storage;
}

static void add_roots(v8_plan *plan)
{
    add(plan, SYNTHETIC, "", 1, 0);
    add(plan, SYNTHETIC, "(GC roots)", 3, 0);
    add(plan, SYNTHETIC, "(Strong roots)", 5, 0);
    add(plan, SYNTHETIC, "(Global handles)", 7, 0);
    add(plan, SYNTHETIC, "(Stack roots)", 9, 0);
    element(plan, ROOT, 1, GC_ROOTS);
    for (int i = STRONG_ROOTS; i < FIRST_OBJECT; i++)
        element(plan, GC_ROOTS, i - GC_ROOTS, i);
}

/* Add the leak: listeners, each with the order for which it was registered. They keep their ids. */
static void add_listeners(v8_plan *plan, int server, int64_t count)
{
    const int listeners = array(plan, server, "listeners", 101, count);
    for (int64_t i = 0; i < count; i++) {
        const int64_t id = 1001 + 8 * i;
        const int closure = add(plan, CLOSURE, "onPrice", id, 32);
        const int context = add(plan, OBJECT, "system / Context", id + 2, 40);
        const int order = add(plan, OBJECT, "Order", id + 4, 48);
        element(plan, listeners, i, closure);
        refer(plan, closure, INTERNAL, "context", context);
        refer(plan, context, CONTEXT, "order", order);
        refer(plan, order, PROPERTY, "number",
              add(plan, STRING, i % 2 ? "17-b" : "17-a", id + 6, 24));
        if (!i)
            refer(plan, server, WEAK, "newest", order);
    }
}

/* Add a cache whose size stays the same, and requests, whose number goes up and down. */
static void add_others(v8_plan *plan, int server, int dump)
{
    static const int requests[] = {3, 9, 4};
    const int map = add(plan, OBJECT, "Map", 201, 32);
    const int table = add(plan, ARRAY, "", 203, 16 + 24 * PRICES);
    const int currency = add(plan, STRING, "EUR", 205, 16);
    refer(plan, server, PROPERTY, "prices", map);
    refer(plan, map, INTERNAL, "table", table);
    for (int i = 0; i < PRICES; i++) {
        const int price = add(plan, OBJECT, "Price", 211 + 2 * i, 40 + 8 * (i % 3));
        element(plan, table, i, price);
        refer(plan, price, PROPERTY, "currency", currency);
    }
    const int queue = array(plan, server, "queue", 301, 16);
    for (int i = 0; i < requests[dump - 1]; i++) {
        const int request = add(plan, OBJECT, "Request", 10001 + 1000 * dump + 2 * i, 56);
        element(plan, queue, i, request);
        if (!i)
            element(plan, STACK, 1, request)->keeps = false;
    }
}

static const v8_plan *plan_of(const gen_options *options)
{
    static v8_plan plan;
    if (plan.node_count)
        return &plan;
    add_roots(&plan);
    const int global = add(&plan, OBJECT, "global", 11, 40);
    refer(&plan, ROOT, SHORTCUT, NULL, global)->number = 2;
    const int server = add(&plan, OBJECT, "Server", 13, 56);
    refer(&plan, global, PROPERTY, "shop", server);
    /* Objects that the user's objects keep alive are not kept alive by other objects and roots as
     * well. */
    const int scripts = add(&plan, HIDDEN, "system / WeakFixedArray", 15, 80);
    refer(&plan, STRONG_ROOTS, INTERNAL, "scripts", scripts);
    refer(&plan, scripts, INTERNAL, "owner", server)->keeps = false;
    const int socket = add(&plan, OBJECT, "Socket", 17, 104);
    element(&plan, HANDLES, 1, socket);
    refer(&plan, socket, PROPERTY, "buffer",
          add(&plan, NATIVE, "system / JSArrayBufferData", 19, 4096));
    element(&plan, STACK, 2, add(&plan, OBJECT, "Timeout", 21, 72));
    add_listeners(&plan, server, LISTENERS * options->dump);
    add_others(&plan, server, (int)options->dump);
    return &plan;
}

/* --- file --- */

static int string_of(v8_plan *plan, const char *text)
{
    int place = 0;
    while (place < plan->string_count && strcmp(plan->strings[place], text) != 0)
        place++;
    if (place == plan->string_count)
        plan->strings[plan->string_count++] = text;
    return place;
}

/* Write a line of numbers. `first`: it is the first line of a section. */
static void put_line(gen_writer *writer, bool first, const int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        if (!first || i)
            gen_char(writer, ',');
        gen_number(writer, numbers[i]);
    }
    gen_char(writer, '\n');
}

enum { NODE_FIELDS = 6 };

static void put_nodes(gen_writer *writer, v8_plan *plan)
{
    gen_text(writer, "\"nodes\":[");
    for (int i = 0; i < plan->node_count; i++) {
        const v8_node *node = &plan->nodes[i];
        int64_t edges = 0;
        for (int j = 0; j < plan->edge_count; j++)
            edges += plan->edges[j].from == i;
        const int64_t line[NODE_FIELDS] = {
            node->kind, string_of(plan, node->name), node->id, node->size, edges, 0};
        put_line(writer, !i, line, NODE_FIELDS);
    }
}

static void put_edges(gen_writer *writer, v8_plan *plan)
{
    bool first = true;
    gen_text(writer, "],\n\"edges\":[");
    for (int i = 0; i < plan->node_count; i++)
        for (int j = 0; j < plan->edge_count; j++) {
            const v8_edge *edge = &plan->edges[j];
            if (edge->from != i)
                continue;
            const int64_t line[] = {edge->kind,
                                    edge->name ? string_of(plan, edge->name) : edge->number,
                                    (int64_t)edge->to * NODE_FIELDS};
            put_line(writer, first, line, 3);
            first = false;
        }
}

void gen_heapsnapshot(const gen_options *options, gen_writer *writer)
{
    v8_plan plan = *plan_of(options);
    gen_text(writer,
             "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
             "\"edge_count\",\"detachedness\"],\"node_types\":[[\"hidden\",\"array\",\"string\","
             "\"object\",\"closure\",\"native\",\"synthetic\"],\"string\",\"number\",\"number\","
             "\"number\",\"number\"],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
             "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"shortcut\","
             "\"weak\"],\"string_or_number\",\"node\"]},");
    gen_print(writer, "\"node_count\":%d,\"edge_count\":%d,\"trace_function_count\":0},\n",
              plan.node_count, plan.edge_count);
    put_nodes(writer, &plan);
    put_edges(writer, &plan);
    gen_text(writer, "],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n"
                     "\"locations\":[],\n\"strings\":[");
    for (int i = 0; i < plan.string_count; i++)
        gen_print(writer, "%s\"%s\"", i ? ",\n" : "", plan.strings[i]);
    gen_text(writer, "]}\n");
}

/* --- known answer --- */

static const char *root_kind(int kind)
{
    return root_kinds[kind];
}

static const char *type_of(const v8_node *node)
{
    return node->kind == CLOSURE  ? gen_keep("(closure) %s", node->name)
           : node->kind == STRING ? "(string)"
           : node->kind == ARRAY  ? "(array)"
                                  : node->name;
}

static bool has_root(const v8_plan *plan, int kind, int64_t object)
{
    bool found = false;
    for (int i = 0; i < plan->edge_count; i++)
        found |= plan->edges[i].keeps && plan->edges[i].from == root_nodes[kind] &&
                 plan->edges[i].to == FIRST_OBJECT + object;
    return found;
}

static gen_object object_of(const void *data, int64_t number)
{
    const v8_plan *plan = data;
    const v8_node *node = &plan->nodes[FIRST_OBJECT + number];
    gen_object found = {.size = node->size, .id = (uint64_t)node->id, .type = type_of(node)};
    for (int kind = 0; kind < ROOT_KINDS; kind++)
        found.root_kinds |= has_root(plan, kind, number) ? 1u << kind : 0;
    found.strong_root = found.root_kinds != 0;
    return found;
}

static int64_t reference_count(const void *data, int64_t number)
{
    const v8_plan *plan = data;
    int64_t count = 0;
    for (int i = 0; i < plan->edge_count; i++)
        count += plan->edges[i].keeps && plan->edges[i].from == FIRST_OBJECT + number;
    return count;
}

static int64_t reference_of(const void *data, int64_t number, int64_t which)
{
    const v8_plan *plan = data;
    int i = 0;
    while (!plan->edges[i].keeps || plan->edges[i].from != FIRST_OBJECT + number || which--)
        i++;
    return plan->edges[i].to - FIRST_OBJECT;
}

void gen_heapsnapshot_answer(const gen_options *options, gen_json *json)
{
    const v8_plan *plan = plan_of(options);
    const gen_graph_view view = {.plan = plan,
                                 .count = plan->node_count - FIRST_OBJECT,
                                 .object = object_of,
                                 .reference_count = reference_count,
                                 .reference = reference_of,
                                 .root_kind = root_kind,
                                 .decimal_ids = true};
    gen_answer_graph(json, &view, plan->edge_count, 0);
}
