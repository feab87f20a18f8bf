/* A profile of valgrind's DHAT and its known answer.
 *
 * Source: "DHAT: a dynamic heap analysis tool", valgrind's manual; the output of valgrind 3.19. */
#include "gen.h"

enum { DEPTH = 4, FRAMES = 10 };

/* --- the plan --- */

/* The table of frames, and how memprof prints them. */
static const char *const frames[FRAMES][2] = {
    {"[root]", ""},
    {"0x4841F2F: operator new(unsigned long) (in "
     "/usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)",
     "operator new(unsigned long)"},
    {"0x109100: shop::placeOrder(int) (order.cpp:155)", "shop::placeOrder(int):155"},
    {"0x109200: shop::serve(int) (server.cpp:61)", "shop::serve(int):61"},
    {"0x109300: main (main.cpp:12)", "main:12"},
    {"0x109400: shop::fillPrices() (prices.cpp:55)", "shop::fillPrices():55"},
    {"0x109301: main (main.cpp:10)", "main:10"},
    {"0x109500: shop::report(int) (report.cpp:9)", "shop::report(int):9"},
    {"0x109600: ??? (in /opt/shop/libshop.so)", "[libshop.so]"},
    {"0x109101: shop::placeOrder(int) (order.cpp:155)", "shop::placeOrder(int):155"},
};

typedef struct dh_site {
    int64_t size, made, peak, end; /* bytes of a block, and number of blocks */
    int stack[DEPTH];              /* frames, innermost first; 0: none */
} dh_site;

/* The last site differs from the first only in an address. */
static const dh_site sites[] = {
    {48, 1000, 60, 128, {1, 2, 3, 4}}, {96, 300, 300, 300, {1, 5, 6}},
    {1000000, 2, 1, 0, {1, 7, 4}},     {64, 5000, 0, 0, {1, 8, 4}},
    {1000, 3, 3, 3, {1, 8, 6}},        {48, 24, 4, 12, {1, 9, 3, 4}},
};
enum { SITES = sizeof sites / sizeof *sites, COMBINED = 5 };

/* --- the profile --- */

void gen_dhat(const gen_options *options, gen_writer *writer)
{
    (void)options;
    gen_text(writer, "{\"dhatFileVersion\":2\n,\"mode\":\"heap\",\"verb\":\"Allocated\"\n"
                     ",\"bklt\":true,\"bkacc\":true\n,\"tu\":\"instrs\",\"Mtu\":\"Minstr\"\n"
                     ",\"tuth\":500\n,\"cmd\":\"./bin/shop --orders\"\n,\"pid\":4711\n"
                     ",\"te\":2727402\n,\"tg\":2004518\n,\"pps\":\n");
    for (int i = 0; i < SITES; i++) {
        const dh_site *site = &sites[i];
        const long long size = site->size, made = site->made, peak = site->peak, end = site->end;
        gen_print(writer, " %c{\"tb\":%lld,\"tbk\":%lld\n  ,\"tl\":%lld\n", i ? ',' : '[',
                  made * size, made, made * 700);
        gen_print(writer,
                  "  ,\"mb\":%lld,\"mbk\":%lld\n  ,\"gb\":%lld,\"gbk\":%lld\n"
                  "  ,\"eb\":%lld,\"ebk\":%lld\n  ,\"rb\":0,\"wb\":%lld\n",
                  (peak > end ? peak : end) * size, peak > end ? peak : end, peak * size, peak,
                  end * size, end, made * size);
        if (size < 100)
            gen_print(writer, "  ,\"acc\":[-%lld,%lld]\n", size, made);
        gen_text(writer, "  ,\"fs\":");
        for (int frame = 0; frame < DEPTH && site->stack[frame]; frame++)
            gen_print(writer, "%c%d", frame ? ',' : '[', site->stack[frame]);
        gen_text(writer, "]\n  }\n");
    }
    gen_text(writer, " ]\n,\"ftbl\":\n");
    for (int i = 0; i < FRAMES; i++)
        gen_print(writer, " %c\"%s\"\n", i ? ',' : '[', frames[i][0]);
    gen_text(writer, " ]\n}\n");
}

/* --- known answer --- */

static void put_amounts(gen_json *json, const char *blocks, const char *bytes, int64_t count,
                        int64_t size)
{
    gen_json_number(json, blocks, count);
    gen_json_number(json, bytes, count * size);
}

void gen_dhat_answer(const gen_options *options, gen_json *json)
{
    (void)options;
    int64_t made = 0, made_bytes = 0, peak = 0, peak_bytes = 0, end = 0, end_bytes = 0;
    gen_json_open(json, "sites", '[');
    for (int i = 0; i < SITES; i++) {
        dh_site site = sites[i];
        made += site.made;
        made_bytes += site.made * site.size;
        peak += site.peak;
        peak_bytes += site.peak * site.size;
        end += site.end;
        end_bytes += site.end * site.size;
        if (i == COMBINED)
            continue;
        if (!i) {
            site.made += sites[COMBINED].made;
            site.peak += sites[COMBINED].peak;
            site.end += sites[COMBINED].end;
        }
        gen_json_open(json, NULL, '{');
        put_amounts(json, "created", "created_bytes", site.made, site.size);
        put_amounts(json, "peak_objects", "peak_bytes", site.peak, site.size);
        put_amounts(json, "live_objects", "live_bytes", site.end, site.size);
        gen_json_open(json, "stack", '[');
        for (int frame = 0; frame < DEPTH && site.stack[frame]; frame++)
            gen_json_text(json, NULL, frames[site.stack[frame]][1]);
        gen_json_close(json);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_open(json, "totals", '{');
    gen_json_number(json, "created_objects", made);
    gen_json_number(json, "created_bytes", made_bytes);
    gen_json_number(json, "deleted_objects", made - end);
    gen_json_number(json, "live_objects", end);
    gen_json_number(json, "live_bytes", end_bytes);
    gen_json_close(json);
    gen_json_open(json, "peak", '{');
    gen_json_number(json, "live_objects", peak);
    gen_json_number(json, "live_bytes", peak_bytes);
    gen_json_close(json);
}
