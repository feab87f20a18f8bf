/* A CPU profile of V8, of a Node server, and its known answer.
 *
 * Source: Profiler.Profile of the Chrome DevTools Protocol. */
#include <string.h>

#include "gen.h"

enum { NODES = 9, MOST_LINES = 2, PERIOD = 1000 /* microseconds between samples */, BEFORE = 500 };
#define START INT64_C(2799804905) /* times of a clock that starts with the machine */

/* Nodes of the tree, each after its caller; placeOrder calls itself. */
static const struct cp_node {
    int caller; /* -1: the root */
    const char *name, *url, *known;
    int line, samples;
    struct cp_ticks {
        int line, samples;
    } ticks[MOST_LINES]; /* samples in each line; 0: no more */
} nodes[NODES] = {
    {-1, "(root)", "", NULL, 0, 0, {{0, 0}}},
    {0, "(program)", "", "(program)", 0, 6, {{0, 0}}},
    {0, "(garbage collector)", "", "(garbage collector)", 0, 4, {{0, 0}}},
    {0, "", "file:///srv/shop/app.js", "(anonymous app.js)", 1, 0, {{0, 0}}},
    {3, "handle", "file:///srv/shop/app.js", "handle", 61, 0, {{0, 0}}},
    {4, "placeOrder", "file:///srv/shop/order.js", "placeOrder", 150, 40, {{152, 10}, {155, 30}}},
    {5, "fillPrices", "file:///srv/shop/prices.js", "fillPrices", 50, 25, {{55, 25}}},
    {5, "placeOrder", "file:///srv/shop/order.js", "placeOrder", 150, 5, {{155, 5}}},
    {4, "parse", "file:///srv/shop/parse.js", "parse", 30, 20, {{33, 20}}},
};

void gen_cpuprofile(const gen_options *options, gen_writer *writer)
{
    (void)options;
    int count = 0;
    gen_text(writer, "{\"nodes\":[");
    for (int node = 0; node < NODES; node++) {
        const struct cp_node *one = &nodes[node];
        gen_print(writer,
                  "%s{\"id\":%d,\"callFrame\":{\"functionName\":\"%s\",\"scriptId\":\"%d\","
                  "\"url\":\"%s\",\"lineNumber\":%d,\"columnNumber\":%d},\"hitCount\":%d",
                  node ? "," : "", node + 1, one->name, *one->url ? node : 0, one->url,
                  one->line - 1, one->line ? 9 : -1, one->samples);
        bool first = true;
        for (int child = node + 1; child < NODES; child++)
            if (nodes[child].caller == node) {
                gen_print(writer, "%s%d", first ? ",\"children\":[" : ",", child + 1);
                first = false;
            }
        gen_text(writer, first ? "" : "]");
        for (int i = 0; i < MOST_LINES && one->ticks[i].samples; i++)
            gen_print(writer, "%s{\"line\":%d,\"ticks\":%d}", i ? "," : ",\"positionTicks\":[",
                      one->ticks[i].line, one->ticks[i].samples);
        gen_text(writer, one->ticks[0].samples ? "]}" : "}");
    }
    gen_print(writer, "],\"startTime\":%lld", (long long)START);
    for (int node = 0; node < NODES; node++)
        count += nodes[node].samples;
    gen_print(writer, ",\"endTime\":%lld,\"samples\":[",
              (long long)(START + BEFORE + (int64_t)count * PERIOD));
    bool first = true;
    for (int node = 0; node < NODES; node++)
        for (int i = 0; i < nodes[node].samples; i++) {
            gen_print(writer, "%s%d", first ? "" : ",", node + 1);
            first = false;
        }
    gen_text(writer, "],\"timeDeltas\":[");
    for (int i = 0; i < count; i++)
        gen_print(writer, "%s%d", i ? "," : "", i ? PERIOD : BEFORE);
    gen_text(writer, "]}");
}

/* --- known answer --- */

/* Return true if a function with this name calls the node, directly or through others. */
static bool is_below(int node, const char *name)
{
    for (; node > 0; node = nodes[node].caller)
        if (strcmp(nodes[node].known, name) == 0)
            return true;
    return false;
}

void gen_cpuprofile_answer(const gen_options *options, gen_json *json)
{
    (void)options;
    int64_t total = 0;
    gen_json_open(json, "methods", '[');
    for (int node = 1; node < NODES; node++) {
        int64_t exclusive = 0, inclusive = 0;
        bool known = false;
        for (int other = 1; other < node; other++)
            known |= strcmp(nodes[other].known, nodes[node].known) == 0;
        if (known)
            continue;
        for (int other = 1; other < NODES; other++) {
            if (strcmp(nodes[other].known, nodes[node].known) == 0)
                exclusive += nodes[other].samples;
            inclusive += is_below(other, nodes[node].known) ? nodes[other].samples : 0;
        }
        total += exclusive;
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "method", nodes[node].known);
        if (*nodes[node].url)
            gen_json_text(json, "program", nodes[node].url);
        if (nodes[node].line)
            gen_json_number(json, "start_line", nodes[node].line);
        gen_json_number(json, "microseconds", exclusive * PERIOD);
        gen_json_number(json, "inclusive_microseconds", inclusive * PERIOD);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_number(json, "microseconds", total * PERIOD);
    gen_json_open(json, "lines", '[');
    for (int node = 1; node < NODES; node++)
        for (int i = 0; i < MOST_LINES && nodes[node].ticks[i].samples; i++) {
            gen_json_open(json, NULL, '{');
            gen_json_text(json, "method", nodes[node].known);
            gen_json_number(json, "line", nodes[node].ticks[i].line);
            gen_json_number(json, "microseconds", (int64_t)nodes[node].ticks[i].samples * PERIOD);
            gen_json_close(json);
        }
    gen_json_close(json);
}
