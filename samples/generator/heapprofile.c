/* A sampled heap profile of V8, one of four moments of a Node server, and its known answer.
 *
 * Source: HeapProfiler.SamplingHeapProfile of the Chrome DevTools Protocol. */
#include "gen.h"

enum { NODES = 9 };

/* Nodes of the tree, in the order of a walk from its root. */
static const struct hp_node {
    int caller;                     /* -1: the root */
    const char *name, *url, *known; /* known answer: the name in reports */
    int line;                       /* line, from 1; 0: none */
    int64_t bytes, grows; /* number at the first moment, and number that each later moment adds */
} nodes[NODES] = {
    {-1, "(root)", "", NULL, 0, 0, 0},
    {0, "(BYTECODE_COMPILER)", "", "(BYTECODE_COMPILER)", 0, 1296, 0},
    {0, "", "file:///srv/shop/app.js", "(anonymous app.js)", 1, 512, 0},
    {2, "handle", "file:///srv/shop/app.js", "handle", 61, 0, 0},
    {3, "placeOrder", "file:///srv/shop/order.js", "placeOrder", 150, 2048, 20480},
    {4, "fillPrices", "file:///srv/shop/prices.js", "fillPrices", 50, 28800, 0},
    {4, "push", "", "push", 0, 640, 1024},
    {3, "parse", "file:///srv/shop/parse.js", "parse", 30, 192, 0},
    {2, "placeOrder", "file:///srv/shop/order.js", "placeOrder", 150, 64, 0},
};

static int64_t bytes_of(int node, int64_t moment)
{
    return nodes[node].bytes + nodes[node].grows * (moment - 1);
}

/* --- the profile --- */

static int next_child(int parent, int node)
{
    while (++node < NODES && nodes[node].caller != parent)
        continue;
    return node;
}

static void write_node(gen_writer *writer, int node, int64_t moment)
{
    const struct hp_node *one = &nodes[node];
    gen_print(writer,
              "{\"callFrame\":{\"functionName\":\"%s\",\"scriptId\":\"%d\",\"url\":\"%s\","
              "\"lineNumber\":%d,\"columnNumber\":%d},\"selfSize\":%lld,\"id\":%d,\"children\":[",
              one->name, *one->url ? node : 0, one->url, one->line - 1, one->line ? 9 : -1,
              (long long)bytes_of(node, moment), node + 1);
    bool first = true;
    for (int child = next_child(node, node); child < NODES; child = next_child(node, child)) {
        gen_text(writer, first ? "" : ",");
        write_node(writer, child, moment);
        first = false;
    }
    gen_text(writer, "]}");
}

void gen_heapprofile(const gen_options *options, gen_writer *writer)
{
    gen_text(writer, "{\"head\":");
    write_node(writer, 0, options->dump);
    gen_text(writer, ",\"samples\":[");
    for (int node = 1; node < NODES; node++)
        gen_print(writer, "%s{\"size\":512,\"nodeId\":%d,\"ordinal\":%d}", node > 1 ? "," : "",
                  node + 1, node);
    gen_text(writer, "]}");
}

/* --- known answer: of this profile and all before it, as a series --- */

void gen_heapprofile_answer(const gen_options *options, gen_json *json)
{
    const int64_t moment = options->dump;
    int64_t live = 0;
    gen_json_open(json, "sites", '[');
    for (int node = 1; node < NODES; node++) {
        const int64_t bytes = bytes_of(node, moment);
        live += bytes;
        if (!bytes)
            continue;
        gen_json_open(json, NULL, '{');
        gen_json_number(json, "bytes", bytes);
        gen_json_number(json, "grown_bytes", bytes - bytes_of(node, 1));
        gen_json_open(json, "stack", '[');
        for (int frame = node; frame > 0; frame = nodes[frame].caller)
            gen_json_text(json, NULL, nodes[frame].known);
        gen_json_close(json);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_number(json, "live_bytes", live);
}
