/* A heap profile in text, one of several moments of a program, and its known answer.
 *
 * Source: "Gperftools Heap Profiler"; man jemalloc; go doc runtime/pprof. */
#include "gen.h"

enum { GT_GPERFTOOLS, GT_JEMALLOC, GT_GO };
enum { GT_FRAMES = 4, GT_MINUTE = 60 };
#define GT_START INT64_C(1772435730) /* 2026-03-02T07:15:30Z */

/* --- the plan --- */

typedef struct gt_site {
    const char *kind;
    uint64_t addresses[GT_FRAMES]; /* places to which calls return, innermost first; the list ends
                                      with 0 */
    int functions[GT_FRAMES];      /* name in the Go program; -1: no name */
    int64_t size, alive, grows,
        made; /* bytes of an object; number of objects alive at first, and of further ones at each
                 moment; number of objects made at each moment */
} gt_site;

static const struct {
    const char *name, *file;
    int line;
} functions[] = {{"main.placeOrder", "/src/shop/order.go", 155},
                 {"main.(*Server).handle", "/src/shop/server.go", 61},
                 {"main.main", "/src/shop/main.go", 12},
                 {"main.fillPrices", "/src/shop/prices.go", 55},
                 {"main.parse", "/src/shop/parse.go", 33}};

static const gt_site sites[] = {
    {"leak", {0x401a31, 0x401b45, 0x401c01}, {0, 1, 2}, 512, 0, 20, 20},
    {"filled", {0x401a41, 0x401b45, 0x401c01}, {3, 1, 2}, 96, 300, 0, 0},
    {"bounded", {0x401a51, 0x401c01}, {4, 2}, 64, 3, 0, 1000},
    {"bounded", {0x7f0000002235, 0x401c01}, {-1, 2}, 4096, 1, 0, 1},
};
enum { SITES = sizeof sites / sizeof *sites };

static const struct {
    uint64_t start, end, offset;
    const char *path;
} mappings[] = {{0x400000, 0x600000, 0, "/opt/shop/shop"},
                {0x7f0000001000, 0x7f0000009000, 0x1000, "/opt/shop/libshop.so"},
                {0x7f1000000000, 0x7f1000100000, 0x9000, "/usr/lib/libjemalloc.so.2"}};
enum { MAPPINGS = sizeof mappings / sizeof *mappings };

static gen_sum alive_of(const gt_site *site, int64_t moment)
{
    const int64_t objects = site->alive + site->grows * moment;
    return (gen_sum){objects, objects * site->size};
}

static gen_sum made_of(const gt_site *site, int64_t moment)
{
    const int64_t objects = site->made ? site->made * moment : site->alive;
    return (gen_sum){objects, objects * site->size};
}

static void sum_up(int64_t moment, gen_sum *alive, gen_sum *made)
{
    for (int i = 0; i < SITES; i++) {
        const gen_sum in_use = alive_of(&sites[i], moment), gross = made_of(&sites[i], moment);
        gen_add(alive, in_use.objects, in_use.bytes);
        gen_add(made, gross.objects, gross.bytes);
    }
}

/* --- the profile --- */

static void write_sums(gen_writer *writer, int64_t layout, gen_sum alive, gen_sum made)
{
    gen_print(writer, layout == GT_GPERFTOOLS ? "%6ld: %8ld [%6ld: %8ld]" : "%ld: %ld [%ld: %ld]",
              (long)alive.objects, (long)alive.bytes, (long)made.objects, (long)made.bytes);
}

static void write_header(gen_writer *writer, int64_t layout, int64_t moment)
{
    gen_sum alive = {0, 0}, made = {0, 0};
    sum_up(moment, &alive, &made);
    gen_text(writer, layout == GT_JEMALLOC ? "heap_v2/1\n  t*: " : "heap profile: ");
    write_sums(writer, layout, alive, made);
    gen_text(writer, layout == GT_GO           ? " @ heap/2\n"
                     : layout == GT_GPERFTOOLS ? " @ heapprofile\n"
                                               : "\n");
}

static void write_addresses(gen_writer *writer, const gt_site *site, int64_t layout)
{
    gen_char(writer, '@');
    if (layout == GT_JEMALLOC)
        gen_text(writer, " 0x7f1000000501");
    for (int i = 0; site->addresses[i]; i++)
        gen_print(writer, " %#lx", (unsigned long)site->addresses[i]);
    gen_text(writer, "\n");
}

/* Write the frames of a stack with their names, in Go's format. */
static void write_frames(gen_writer *writer, const gt_site *site)
{
    for (int i = 0; site->addresses[i]; i++) {
        const unsigned long address = (unsigned long)site->addresses[i] - 1;
        const int function = site->functions[i];
        if (function < 0)
            gen_print(writer, "#\t%#lx\n", address);
        else
            gen_print(writer, "#\t%#lx\t%s+0x30\t\t%s:%d\n", address, functions[function].name,
                      functions[function].file, functions[function].line);
    }
    gen_text(writer, "\n");
}

static void write_record(gen_writer *writer, const gt_site *site, int64_t layout, gen_sum alive,
                         gen_sum made)
{
    if (layout == GT_JEMALLOC) {
        write_addresses(writer, site, layout);
        for (int thread = -1; thread < 1; thread++) {
            gen_text(writer, thread < 0 ? "  t*: " : "  t0: ");
            write_sums(writer, layout, alive, made);
            gen_text(writer, "\n");
        }
        return;
    }
    write_sums(writer, layout, alive, made);
    gen_char(writer, ' ');
    write_addresses(writer, site, layout);
    if (layout == GT_GO)
        write_frames(writer, site);
}

static void write_mappings(gen_writer *writer)
{
    gen_text(writer, "\nMAPPED_LIBRARIES:\n");
    for (int i = 0; i < MAPPINGS; i++)
        gen_print(writer, "%08lx-%08lx r-xp %08lx fe:00 %d   %s\n",
                  (unsigned long)mappings[i].start, (unsigned long)mappings[i].end,
                  (unsigned long)mappings[i].offset, 1200 + i, mappings[i].path);
    gen_text(writer, "7ffc31118000-7ffc31139000 rw-p 00000000 00:00 0          [stack]\n");
}

void gen_gperftools(const gen_options *options, gen_writer *writer)
{
    const int64_t moment = options->dump, layout = options->layout;
    write_header(writer, layout, moment);
    for (int i = 0; i < SITES; i++)
        write_record(writer, &sites[i], layout, alive_of(&sites[i], moment),
                     made_of(&sites[i], moment));
    if (layout == GT_GO)
        gen_print(writer, "\n# runtime.MemStats\n# Alloc = 7851872\n# LastGC = %ld000000000\n",
                  (long)(GT_START + moment * GT_MINUTE));
    else
        write_mappings(writer);
}

/* --- known answer: of this profile and all before it, as a series --- */

/* Write the name of a frame: its function, or the offset of the call in its file. */
static void write_name(gen_json *json, int64_t layout, uint64_t address, int function)
{
    const int file = address >= mappings[1].start;
    const unsigned long call = (unsigned long)address - 1;
    if (layout == GT_GO && function >= 0)
        gen_json_text(json, NULL,
                      gen_keep("%s:%d", functions[function].name, functions[function].line));
    else if (layout == GT_GO)
        gen_json_text(json, NULL, gen_keep("%#lx", call));
    else
        gen_json_text(json, NULL,
                      gen_keep("%s+%#lx", file ? "libshop.so" : "shop",
                               call - (unsigned long)mappings[file].start +
                                   (unsigned long)mappings[file].offset));
}

void gen_gperftools_answer(const gen_options *options, gen_json *json)
{
    const int64_t moment = options->dump, layout = options->layout;
    gen_sum live = {0, 0}, made = {0, 0};
    sum_up(moment, &live, &made);
    gen_json_open(json, "totals", '{');
    gen_json_sum(json, "live", live);
    gen_json_sum(json, "created", made);
    gen_json_number(json, "deleted_objects", made.objects - live.objects);
    gen_json_close(json);
    gen_json_open(json, "sites", '[');
    for (int i = 0; i < SITES; i++) {
        const gen_sum alive = alive_of(&sites[i], moment);
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "kind", sites[i].kind);
        gen_json_sum(json, NULL, alive);
        gen_json_number(json, "grown_objects", sites[i].grows * (moment - 1));
        gen_json_open(json, "stack", '[');
        for (int frame = 0; sites[i].addresses[frame]; frame++)
            write_name(json, layout, sites[i].addresses[frame], sites[i].functions[frame]);
        gen_json_close(json);
        gen_json_close(json);
    }
    gen_json_close(json);
}
