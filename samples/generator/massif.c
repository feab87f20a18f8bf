/* A massif profile of a program, and its known answer. It has 24 snapshots, of which some have
 * trees.
 *
 * Source: "Massif: a heap profiler", valgrind's manual; the output of valgrind 3.19. */
#include <string.h>

#include "gen.h"

enum { SNAPSHOTS = 24, EVERY = 4, PEAK = 10, TICK_MS = 250, PER_CENT = 100 };

/* --- the plan --- */

typedef struct ms_site {
    const char *kind;
    const char *frames[5]; /* frames, innermost first, in the form in which massif prints them after
                              the address */
    const char *stack[5];  /* the same in the form of memprof */
    int64_t first, grows;  /* bytes at snapshot 1, and bytes that each later snapshot adds */
    int64_t peak;          /* bytes at the peak; at all other snapshots there are none */
} ms_site;

/* Sites with the same innermost function are next to each other. */
static const ms_site sites[] = {
    {"leak",
     {"shop::copy(char const*) (text.cpp:7)", "shop::placeOrder(int) (order.cpp:155)",
      "shop::serve(int) (server.cpp:61)", "main (main.cpp:12)"},
     {"shop::copy(char const*):7", "shop::placeOrder(int):155", "shop::serve(int):61", "main:12"},
     10240,
     10240,
     0},
    {"filled",
     {"shop::copy(char const*) (text.cpp:7)", "shop::fillPrices() (prices.cpp:55)",
      "main (main.cpp:10)"},
     {"shop::copy(char const*):7", "shop::fillPrices():55", "main:10"},
     28800,
     0,
     0},
    {"filled",
     {"??? (in /opt/shop/libshop.so)", "main (main.cpp:9)"},
     {"[libshop.so]", "main:9"},
     4096,
     0,
     0},
    {"peak",
     {"shop::report(int) (report.cpp:9)", "main (main.cpp:14)"},
     {"shop::report(int):9", "main:14"},
     0,
     0,
     1000000},
    /* From the seventh snapshot on, it is below the threshold of 1 %. */
    {"filled",
     {"shop::parse(char const*) (parse.cpp:33)", "shop::serve(int) (server.cpp:60)",
      "main (main.cpp:12)"},
     {"shop::parse(char const*):33", "shop::serve(int):60", "main:12"},
     800,
     0,
     0},
};
enum { SITES = sizeof sites / sizeof *sites };

static int64_t bytes_of(const ms_site *site, int snapshot)
{
    if (!snapshot)
        return 0;
    return (site->first ? site->first + site->grows * (snapshot - 1) : 0) +
           (snapshot == PEAK ? site->peak : 0);
}

static int64_t total_of(int snapshot)
{
    int64_t total = 0;
    for (int i = 0; i < SITES; i++)
        total += bytes_of(&sites[i], snapshot);
    return total;
}

static const char *tree_of(int snapshot)
{
    return snapshot == PEAK                                            ? "peak"
           : snapshot % EVERY == EVERY - 1 && snapshot < SNAPSHOTS - 1 ? "detailed"
                                                                       : "empty";
}

/* --- the profile --- */

static int address_of(const char *frame)
{
    int sum = 0;
    for (; *frame; frame++)
        sum = (sum * 31 + *frame) % 0xffff;
    return 0x400000 + sum;
}

static void put_line(gen_writer *writer, int depth, int below, int64_t bytes, const char *frame)
{
    gen_print(writer, "%*sn%d: %lld 0x%X: %s\n", depth, "", below, (long long)bytes,
              (unsigned)address_of(frame), frame);
}

/* Write the callers of a function at `depth` on the stack of one site. */
static void put_callers(gen_writer *writer, const ms_site *site, int depth, int64_t bytes)
{
    for (; site->frames[depth]; depth++)
        put_line(writer, depth + 1, site->frames[depth + 1] != NULL, bytes, site->frames[depth]);
}

static void put_tree(gen_writer *writer, int snapshot)
{
    const int64_t least = total_of(snapshot) / PER_CENT;
    int64_t small = 0;
    int lines = 0, combined = 0;
    for (int i = 0; i < SITES; i++) {
        const int64_t bytes = bytes_of(&sites[i], snapshot);
        combined += bytes < least;
        small += bytes < least ? bytes : 0;
    }
    lines = SITES - combined - 1 + (combined > 0); /* the first two sites are one line */
    gen_print(writer, "n%d: %lld (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n",
              lines, (long long)total_of(snapshot));
    const int64_t leak = bytes_of(&sites[0], snapshot), prices = bytes_of(&sites[1], snapshot);
    put_line(writer, 1, 2, leak + prices, sites[0].frames[0]);
    put_callers(writer, &sites[0], 1, leak);
    put_callers(writer, &sites[1], 1, prices);
    for (int i = 2; i < SITES; i++)
        if (bytes_of(&sites[i], snapshot) >= least)
            put_callers(writer, &sites[i], 0, bytes_of(&sites[i], snapshot));
    if (combined)
        gen_print(writer, " n0: %lld in %d place%s, %s below massif's threshold (1.00%%)\n",
                  (long long)small, combined, combined == 1 ? "" : "s", combined == 1 ? "" : "all");
}

void gen_massif(const gen_options *options, gen_writer *writer)
{
    (void)options;
    gen_text(writer, "desc: --time-unit=ms\ncmd: ./bin/shop --orders\ntime_unit: ms\n");
    for (int i = 0; i < SNAPSHOTS; i++) {
        gen_print(writer,
                  "#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=%lld\n"
                  "mem_heap_extra_B=%lld\nmem_stacks_B=0\nheap_tree=%s\n",
                  i, i * TICK_MS, (long long)total_of(i), (long long)(total_of(i) / 64 * 8),
                  tree_of(i));
        if (strcmp(tree_of(i), "empty") != 0)
            put_tree(writer, i);
    }
}

/* --- known answer: at the last tree --- */

void gen_massif_answer(const gen_options *options, gen_json *json)
{
    (void)options;
    int last = SNAPSHOTS - 1;
    while (strcmp(tree_of(last), "empty") == 0)
        last--;
    gen_json_open(json, "totals", '{');
    gen_json_number(json, "live_bytes", total_of(last));
    gen_json_number(json, "leaked_bytes", total_of(last));
    gen_json_number(json, "peak_bytes", total_of(PEAK));
    gen_json_close(json);
    gen_json_open(json, "snapshots", '[');
    for (int i = 0; i < SNAPSHOTS; i++) {
        gen_json_row(json);
        gen_json_number(json, "sequence", i);
        gen_json_text(json, "tag", tree_of(i));
        gen_json_number(json, "time_us", (int64_t)i * TICK_MS * 1000);
        gen_json_number(json, "live_bytes", total_of(i));
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_open(json, "sites", '[');
    for (int i = 0; i < SITES; i++) {
        if (!bytes_of(&sites[i], last))
            continue;
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "kind", sites[i].kind);
        gen_json_number(json, "bytes", bytes_of(&sites[i], last));
        gen_json_open(json, "stack", '[');
        for (int frame = 0; sites[i].stack[frame]; frame++)
            gen_json_text(json, NULL, sites[i].stack[frame]);
        gen_json_close(json);
        gen_json_close(json);
    }
    gen_json_close(json);
}
