/* Leak reports of one program, by memcheck as XML and by LeakSanitizer as text, and their known
 * answers.
 *
 * Sources: "Memcheck: a memory error detector", valgrind's manual; docs/internals/xml-output*.txt
 * of valgrind; the output of valgrind 3.19 and of GCC 12's libsanitizer. */
#include <string.h>

#include "gen.h"

enum { DEPTH = 4 };

/* --- the plan --- */

typedef struct lk_frame {
    const char *name, *module, *directory,
        *file; /* name NULL: it is not known; file NULL: there is no line */
    int line;
    const char *printed; /* in memprof's form */
} lk_frame;

typedef struct lk_site {
    const char *type, *kind;
    const char *state; /* memcheck's name for the kind */
    bool direct, reported_by_lsan;
    int64_t blocks, size;
    int64_t indirect;       /* bytes that its blocks lose in other blocks */
    lk_frame frames[DEPTH]; /* innermost first, without the allocator */
} lk_site;

#define SHOP(name, file, line)                                                                     \
    {                                                                                              \
        name, "/opt/shop/bin/shop", "/src/shop", file, line, name ":" #line                        \
    }
#define MAIN(line) SHOP("main", "main.cpp", line)

static const lk_site sites[] = {
    {"definitely lost",
     "lost",
     "Leak_DefinitelyLost",
     true,
     true,
     128,
     48,
     25600,
     {SHOP("shop::placeOrder(int)", "order.cpp", 155), SHOP("shop::serve(int)", "server.cpp", 61),
      MAIN(12)}},
    {"indirectly lost",
     "lost",
     "Leak_IndirectlyLost",
     false,
     true,
     128,
     200,
     0,
     {SHOP("shop::add(std::vector<shop::Line>&, int)", "cart.cpp", 33),
      SHOP("shop::placeOrder(int)", "order.cpp", 156), SHOP("shop::serve(int)", "server.cpp", 61),
      MAIN(12)}},
    {"definitely lost",
     "lost",
     "Leak_DefinitelyLost",
     true,
     true,
     40,
     64,
     0,
     {SHOP("shop::copy(char const*)", "text.cpp", 7),
      SHOP("shop::parse(char const*)", "parse.cpp", 33), MAIN(14)}},
    {"definitely lost",
     "lost",
     "Leak_DefinitelyLost",
     true,
     true,
     3,
     1000,
     0,
     {{NULL, "/opt/shop/lib/libshop.so", NULL, NULL, 0, "[libshop.so]"}, MAIN(9)}},
    {"possibly lost",
     "lost",
     "Leak_PossiblyLost",
     true,
     false,
     1,
     4096,
     0,
     {SHOP("shop::openPool()", "pool.cpp", 21), MAIN(8)}},
    {"still reachable",
     "reachable",
     "Leak_StillReachable",
     true,
     false,
     300,
     96,
     0,
     {SHOP("shop::fillPrices()", "prices.cpp", 55), MAIN(10)}},
};
enum { SITES = sizeof sites / sizeof *sites };

static int64_t bytes_of(const lk_site *site)
{
    return site->blocks * site->size;
}

/* --- memcheck --- */

static void put_escaped(gen_writer *writer, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            gen_text(writer, "&lt;");
        else if (*text == '>')
            gen_text(writer, "&gt;");
        else if (*text == '&')
            gen_text(writer, "&amp;");
        else
            gen_char(writer, *text);
}

static void put_element(gen_writer *writer, const char *name, const char *text)
{
    gen_print(writer, "      <%s>", name);
    put_escaped(writer, text);
    gen_print(writer, "</%s>\n", name);
}

static void put_frame(gen_writer *writer, const lk_frame *frame, int address)
{
    gen_print(writer, "    <frame>\n      <ip>0x%X</ip>\n", (unsigned)address);
    put_element(writer, "obj", frame->module);
    if (frame->name)
        put_element(writer, "fn", frame->name);
    if (frame->file) {
        put_element(writer, "dir", frame->directory);
        put_element(writer, "file", frame->file);
        gen_print(writer, "      <line>%d</line>\n", frame->line);
    }
    gen_text(writer, "    </frame>\n");
}

static void put_error(gen_writer *writer, int number, const lk_site *site)
{
    static const lk_frame allocator = {"operator new(unsigned long)",
                                       "/usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so",
                                       NULL,
                                       NULL,
                                       0,
                                       NULL};
    const long long direct = (long long)bytes_of(site), sum = direct + (long long)site->indirect;
    gen_print(writer, "<error>\n  <unique>0x%x</unique>\n  <tid>1</tid>\n  <kind>%s</kind>\n",
              (unsigned)number, site->state);
    gen_text(writer, "  <xwhat>\n    <text>");
    if (site->indirect)
        gen_print(writer, "%lld (%lld direct, %lld indirect)", sum, direct,
                  (long long)site->indirect);
    else
        gen_print(writer, "%lld", direct);
    gen_print(writer, " bytes in %lld blocks are %s in loss record %d of %d</text>\n",
              (long long)site->blocks, site->type, number, SITES);
    gen_print(writer,
              "    <leakedbytes>%lld</leakedbytes>\n    <leakedblocks>%lld</leakedblocks>\n", sum,
              (long long)site->blocks);
    gen_text(writer, "  </xwhat>\n  <stack>\n");
    put_frame(writer, &allocator, 0x4841F2F);
    for (int i = 0; i < DEPTH && site->frames[i].module; i++)
        put_frame(writer, &site->frames[i], 0x109000 + number * 256 + i);
    gen_text(writer, "  </stack>\n</error>\n\n");
}

void gen_memcheck(const gen_options *options, gen_writer *writer)
{
    (void)options;
    gen_text(writer,
             "<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n\n<protocolversion>4</protocolversion>\n"
             "<protocoltool>memcheck</protocoltool>\n\n<pid>4711</pid>\n<ppid>4700</ppid>\n"
             "<tool>memcheck</tool>\n\n<args>\n  <vargv>\n    <exe>/usr/bin/valgrind.bin</exe>\n"
             "    <arg>--leak-check=full</arg>\n    <arg>--show-leak-kinds=all</arg>\n"
             "    <arg>--xml=yes</arg>\n    <arg>--xml-file=shop.memcheck</arg>\n  </vargv>\n"
             "  <argv>\n    <exe>./bin/shop</exe>\n    <arg>--orders</arg>\n  </argv>\n</args>\n\n"
             "<status>\n  <state>RUNNING</state>\n  <time>00:00:00:00.043 </time>\n</status>\n\n"
             "<error>\n  <unique>0x0</unique>\n  <tid>1</tid>\n  <kind>InvalidRead</kind>\n"
             "  <what>Invalid read of size 4</what>\n  <stack>\n");
    put_frame(writer, &sites[2].frames[1], 0x109400);
    gen_text(writer, "  </stack>\n</error>\n\n<status>\n  <state>FINISHED</state>\n"
                     "  <time>00:00:00:00.498 </time>\n</status>\n\n");
    for (int i = 0; i < SITES; i++)
        put_error(writer, i + 1, &sites[i]);
    gen_text(writer, "<errorcounts>\n  <pair>\n    <count>1</count>\n    <unique>0x0</unique>\n"
                     "  </pair>\n</errorcounts>\n\n<suppcounts>\n</suppcounts>\n\n"
                     "</valgrindoutput>\n\n");
}

/* --- LeakSanitizer --- */

static void put_record(gen_writer *writer, const lk_site *site)
{
    gen_print(writer, "%s leak of %lld byte(s) in %lld object(s) allocated from:\n",
              site->direct ? "Direct" : "Indirect", (long long)bytes_of(site),
              (long long)site->blocks);
    gen_text(writer, "    #0 0x7f291f6b94c8 in operator new(unsigned long) "
                     "../../../../src/libsanitizer/asan/asan_new_delete.cpp:95\n");
    for (int i = 0; i < DEPTH && site->frames[i].module; i++) {
        const lk_frame *frame = &site->frames[i];
        gen_print(writer, "    #%d 0x5560c0de%04d ", i + 1, i);
        if (!frame->name)
            gen_print(writer, "(%s+0x1a2f) (BuildId: 53cb4e352b57859f)\n", frame->module);
        else
            gen_print(writer, "in %s %s/%s:%d\n", frame->name, frame->directory, frame->file,
                      frame->line);
    }
    gen_char(writer, '\n');
}

void gen_lsan(const gen_options *options, gen_writer *writer)
{
    int64_t bytes = 0, blocks = 0;
    (void)options;
    gen_text(writer, "shop: 128 orders placed\n\n"
                     "=================================================================\n"
                     "==4712==ERROR: LeakSanitizer: detected memory leaks\n\n");
    for (int indirect = 0; indirect < 2; indirect++)
        for (int i = 0; i < SITES; i++)
            if (sites[i].reported_by_lsan && sites[i].direct != indirect) {
                put_record(writer, &sites[i]);
                bytes += bytes_of(&sites[i]);
                blocks += sites[i].blocks;
            }
    gen_print(writer, "SUMMARY: AddressSanitizer: %lld byte(s) leaked in %lld allocation(s).\n",
              (long long)bytes, (long long)blocks);
}

/* --- known answers --- */

static void put_answer(gen_json *json, bool lsan)
{
    int64_t bytes = 0, blocks = 0;
    gen_json_open(json, "sites", '[');
    for (int i = 0; i < SITES; i++) {
        const lk_site *site = &sites[i];
        if (lsan && !site->reported_by_lsan)
            continue;
        bytes += bytes_of(site);
        blocks += site->blocks;
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "kind", site->kind);
        gen_json_text(json, "type", site->type);
        gen_json_number(json, "bytes", bytes_of(site));
        gen_json_number(json, "objects", site->blocks);
        gen_json_open(json, "stack", '[');
        for (int frame = 0; frame < DEPTH && site->frames[frame].module; frame++)
            gen_json_text(json, NULL, site->frames[frame].printed);
        gen_json_close(json);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_open(json, "totals", '{');
    gen_json_number(json, "live_bytes", bytes);
    gen_json_number(json, "live_objects", blocks);
    gen_json_number(json, "leaked_bytes", bytes);
    gen_json_number(json, "leaked_objects", blocks);
    gen_json_close(json);
}

void gen_memcheck_answer(const gen_options *options, gen_json *json)
{
    (void)options;
    put_answer(json, false);
}

void gen_lsan_answer(const gen_options *options, gen_json *json)
{
    (void)options;
    put_answer(json, true);
}
