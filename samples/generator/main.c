/* memprof-generate: write recordings of a fictitious shop application. Every number in them is
 * known. */
#include "gen.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 20, FIRST_VALUE = 256 /* FIRST_VALUE: greater than all letters */ };

/* An option. Exactly one of its targets is set. A flag has no argument. A number has a default and
 * bounds. A word is stored as its index in `words`. */
typedef struct gen_option {
    const char *name;
    bool *flag;
    const char **text;
    int64_t *number;
    int64_t initial, least, most;
    const char *prefix; /* text that the argument must have before the number */
    const char *const *words;
} gen_option;

typedef struct gen_command {
    const char *name, *usage;
    gen_recorder *record;
    gen_answerer *answer;
    const gen_option *options;
} gen_command;

static gen_options asked;
static const char *const layouts[] = {"old", "new", NULL};
static const char *const pprof_layouts[] = {"heap", "cpu", NULL};
static const char *const heap_layouts[] = {"gperftools", "jemalloc", "go", NULL};
static const char *const log_layouts[] = {"agent", "client", NULL};
static const char *const object_layouts[] = {"tracking", "leakcheck", NULL};
static const char *const shapes[] = {"shop", "chain", "star", NULL};

static const gen_option oemp_options[] = {
    {"version", .number = &asked.version, .initial = 2, .least = 1, .most = 2},
    {"objects", .number = &asked.objects, .initial = 300, .least = 1, .most = 1000000000},
    {"snapshots", .number = &asked.snapshots, .initial = 8, .least = 4, .most = 10000},
    {"session", .number = &asked.session, .least = 1, .most = 9999, .prefix = "AS-"},
    {"uuid", .text = &asked.uuid},
    {"first-sequence", .number = &asked.first_sequence, .initial = 1, .least = 1, .most = INT_MAX},
    {"last-sequence", .number = &asked.last_sequence, .initial = INT_MAX, .least = 1,
     .most = INT_MAX},
    {"reusable", .flag = &asked.reusable},
    {"requests", .flag = &asked.requests},
    {"day", .number = &asked.day, .most = 3650},
    {"fixed", .flag = &asked.fixed},
    {"extra-leak", .flag = &asked.extra_leak},
    {"crlf", .flag = &asked.crlf},
    {"latin1", .flag = &asked.latin1},
    {"no-exit", .flag = &asked.no_exit},
    {.name = NULL},
};
static const gen_option prf_options[] = {
    {"version", .number = &asked.version, .initial = 4, .least = 1, .most = 4},
    {"old-modules", .flag = &asked.old_modules},
    {"crlf", .flag = &asked.crlf},
    {.name = NULL},
};
static const gen_option rpt_options[] = {
    {"layout", .number = &asked.layout, .initial = 1, .words = layouts},
    {"decimal-comma", .flag = &asked.decimal_comma},
    {.name = NULL},
};
static const gen_option taligent_options[] = {
    {"events", .number = &asked.events, .initial = 300, .least = 100, .most = 1000000000},
    {"frames", .number = &asked.frames, .most = 64},
    {"threads", .number = &asked.threads, .initial = 3, .least = 1, .most = 65536},
    {"seed", .number = &asked.seed, .initial = 1, .most = UINT32_MAX},
    {"blanks", .flag = &asked.blanks},
    {"crlf", .flag = &asked.crlf},
    {"no-title", .flag = &asked.no_title},
    {"analysis", .flag = &asked.analysis},
    {"damaged", .flag = &asked.damaged},
    {.name = NULL},
};
static const gen_option heaptrack_options[] = {
    {"events", .number = &asked.events, .initial = 300, .least = 100, .most = 1000000000},
    {"frames", .number = &asked.frames, .most = 64},
    {"threads", .number = &asked.threads, .initial = 3, .least = 1, .most = 65536},
    {"seed", .number = &asked.seed, .initial = 1, .most = UINT32_MAX},
    {.name = NULL},
};
static const gen_option rpm_options[] = {
    {"objects", .number = &asked.objects, .least = 1, .most = 200000000},
    {"references", .number = &asked.references, .initial = 4, .least = 1, .most = 100},
    {"shape", .number = &asked.shape, .words = shapes},
    {"dump", .number = &asked.dump, .initial = 1, .least = 1, .most = 3},
    {"domains", .number = &asked.domains, .initial = 1, .least = 1, .most = 4},
    {"seed", .number = &asked.seed, .initial = 1, .most = UINT32_MAX},
    {"crlf", .flag = &asked.crlf},
    {"no-stamps", .flag = &asked.no_stamps},
    {"torn", .flag = &asked.torn},
    {"types-last", .flag = &asked.types_last},
    {.name = NULL},
};
static const gen_option series_options[] = {
    {"dump", .number = &asked.dump, .initial = 1, .least = 1, .most = 3},
    {.name = NULL},
};
static const gen_option dynobjects_options[] = {
    {"layout", .number = &asked.layout, .words = log_layouts},
    {"requests", .number = &asked.events, .initial = 30, .least = 1, .most = 100000000},
    {"sessions", .number = &asked.threads, .initial = 2, .least = 1, .most = 9999},
    {"part", .number = &asked.dump, .least = 1, .most = 2},
    {"trace", .flag = &asked.traced},
    {"crlf", .flag = &asked.crlf},
    {.name = NULL},
};
static const gen_option ablobjects_options[] = {
    {"layout", .number = &asked.layout, .words = object_layouts},
    {"dump", .number = &asked.dump, .initial = 1, .least = 1, .most = 100000},
    {.name = NULL},
};
static const gen_option pprof_options[] = {
    {"layout", .number = &asked.layout, .words = pprof_layouts},
    {"dump", .number = &asked.dump, .initial = 1, .least = 1, .most = 1000},
    {.name = NULL},
};
static const gen_option moment_options[] = {
    {"dump", .number = &asked.dump, .initial = 1, .least = 1, .most = 1000},
    {.name = NULL},
};
static const gen_option gperftools_options[] = {
    {"layout", .number = &asked.layout, .words = heap_layouts},
    {"dump", .number = &asked.dump, .initial = 1, .least = 1, .most = 1000},
    {.name = NULL},
};
static const gen_option no_options[] = {{.name = NULL}};
static const gen_option answer_option = {"answer", .text = &asked.answer};
static const gen_option output_option = {"output", .text = &asked.output};

static const gen_command commands[] = {
    {"oemp",
     "[--version 1|2] [--objects N] [--snapshots N] [--session AS-n] [--uuid U]\n"
     "       [--first-sequence N] [--last-sequence N] [--reusable] [--no-exit]\n"
     "       [--requests] [--day N] [--fixed] [--extra-leak] [--crlf] [--latin1]\n"
     "       [--answer FILE] [-o FILE]",
     gen_oemp, gen_oemp_answer, oemp_options},
    {"prf", "[--version 1|2|3|4] [--old-modules] [--crlf] [--answer FILE] [-o FILE]", gen_prf,
     gen_prf_answer, prf_options},
    {"rpt", "[--layout old|new] [--decimal-comma] [-o FILE]", gen_rpt, NULL, rpt_options},
    {"dbg", "[-o FILE]", gen_dbg, NULL, no_options},
    {"taligent",
     "[--events N] [--frames F] [--threads T] [--seed S] [--blanks] [--crlf]\n"
     "       [--no-title] [--analysis] [--damaged] [--answer FILE] [-o FILE]",
     gen_taligent, gen_taligent_answer, taligent_options},
    {"heaptrack", "[--events N] [--frames F] [--threads T] [--seed S] [--answer FILE] [-o FILE]",
     gen_heaptrack, gen_heaptrack_answer, heaptrack_options},
    {"massif", "[--answer FILE] [-o FILE]", gen_massif, gen_massif_answer, no_options},
    {"dhat", "[--answer FILE] [-o FILE]", gen_dhat, gen_dhat_answer, no_options},
    {"folded", "[--answer FILE] [-o FILE]", gen_folded, gen_folded_answer, no_options},
    {"memcheck", "[--answer FILE] [-o FILE]", gen_memcheck, gen_memcheck_answer, no_options},
    {"lsan", "[--answer FILE] [-o FILE]", gen_lsan, gen_lsan_answer, no_options},
    {"rpm",
     "[--objects N] [--references R] [--shape shop|chain|star] [--dump K] [--domains D]\n"
     "       [--crlf] [--no-stamps] [--torn] [--types-last] [--seed S] [--answer FILE] [-o FILE]",
     gen_rpm, gen_rpm_answer, rpm_options},
    {"heapsnapshot", "[--dump N] [--answer FILE] [-o FILE]", gen_heapsnapshot,
     gen_heapsnapshot_answer, series_options},
    {"heapprofile", "[--dump N] [--answer FILE] [-o FILE]", gen_heapprofile, gen_heapprofile_answer,
     moment_options},
    {"cpuprofile", "[--answer FILE] [-o FILE]", gen_cpuprofile, gen_cpuprofile_answer, no_options},
    {"hprof", "[--dump N] [--answer FILE] [-o FILE]", gen_hprof, gen_hprof_answer, series_options},
    {"aqtime", "[--answer FILE] [-o FILE]", gen_aqtime, gen_aqtime_answer, no_options},
    {"dynobjects",
     "[--layout agent|client] [--requests N] [--sessions S] [--trace] [--part 1|2]\n"
     "       [--crlf] [--answer FILE] [-o FILE]",
     gen_dynobjects, gen_dynobjects_answer, dynobjects_options},
    {"ablobjects", "[--layout tracking|leakcheck] [--dump N] [--answer FILE] [-o FILE]",
     gen_ablobjects, gen_ablobjects_answer, ablobjects_options},
    {"pprof", "[--layout heap|cpu] [--dump N] [--answer FILE] [-o FILE]", gen_pprof,
     gen_pprof_answer, pprof_options},
    {"gperftools", "[--layout gperftools|jemalloc|go] [--dump N] [--answer FILE] [-o FILE]",
     gen_gperftools, gen_gperftools_answer, gperftools_options},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *file)
{
    fputs("Writes recordings of a made-up shop application whose every number is known.\n\n"
          "usage:\n",
          file);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(file, "  memprof-generate %s %s\n", commands[i].name, commands[i].usage);
    fputs(
        "\n"
        "  oemp  a memory-profiler recording; --snapshots counts the last two, _PreCleanUp and\n"
        "        _Exit, which --no-exit leaves out; --first-sequence and --last-sequence write\n"
        "        a part of the snapshots; --day starts N days later, --fixed leaves out the leak\n"
        "        of order events, --extra-leak adds one of print jobs\n"
        "  prf   an execution profile; --old-modules writes module rows with four columns\n"
        "  rpt   a ProTop report of that execution profile\n"
        "  dbg   the debug listing of shop/placeOrder.p\n"
        "  taligent\n"
        "        a heap-monitoring log of the shop as a C++ program; --analysis writes the\n"
        "        same session as a heap analysis file, --damaged what monitoring gaps do;\n"
        "        --threads spreads the events over 1 to 65536 threads (3 by default): a thread\n"
        "        deletes what it allocated, but for requests and callbacks\n"
        "  heaptrack\n"
        "        an interpreted recording of heaptrack, of the same program without old blocks\n"
        "  massif\n"
        "        a massif profile of valgrind\n"
        "  dhat  a heap profile of valgrind's DHAT\n"
        "  folded  folded stacks of samples\n"
        "  memcheck, lsan\n"
        "        a leak report of valgrind as XML, of LeakSanitizer as text, of the same program\n"
        "  rpm   a garbage-collector heap dump; --dump 1 to 3 are moments of one application;\n"
        "        with --objects it is large, an object has R references on average\n"
        "  heapprofile, cpuprofile\n"
        "        a sampled heap profile of V8, --dump 1, 2, 3... are moments of one program; a\n"
        "        CPU profile\n"
        "  heapsnapshot, hprof\n"
        "        a heap snapshot of V8, a heap dump of Java; --dump 1 to 3 are moments of one\n"
        "        program\n"
        "  aqtime\n"
        "        SQL text that sqlite3 turns into an AQTime database\n"
        "  dynobjects\n"
        "        a log of dynamic objects of an OpenEdge agent or client; --trace adds calls;\n"
        "        --part writes one half of its lines, as if the log had been rotated there\n"
        "  ablobjects\n"
        "        a report of tracked objects of an OpenEdge agent, or of LeakCheck; --dump 1, 2,\n"
        "        3... are moments of one agent\n"
        "  pprof\n"
        "        a heap profile for pprof; --dump 1, 2, 3... are moments of one program; or a\n"
        "        profile of its CPU time\n"
        "  gperftools\n"
        "        a heap profile in text, of gperftools, jemalloc or Go; --dump as for pprof\n\n"
        "Output goes to -o FILE or standard output, the known answer to --answer FILE as JSON.\n",
        file);
}

static bool take_word(const gen_option *option, const char *text)
{
    for (int i = 0; option->words[i]; i++)
        if (!strcmp(text, option->words[i])) {
            *option->number = i;
            return true;
        }
    fprintf(stderr, "memprof-generate: --%s wants %s", option->name, option->words[0]);
    for (int i = 1; option->words[i]; i++)
        fprintf(stderr, "%s%s", option->words[i + 1] ? ", " : " or ", option->words[i]);
    fprintf(stderr, ", not '%s'\n", text);
    return false;
}

static bool take_number(const gen_option *option, const char *text)
{
    size_t skipped = option->prefix ? strlen(option->prefix) : 0;
    if (skipped && strncmp(text, option->prefix, skipped)) {
        fprintf(stderr, "memprof-generate: --%s wants %sn, not '%s'\n", option->name,
                option->prefix, text);
        return false;
    }
    text += skipped;
    char *end = NULL;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value < (uint64_t)option->least ||
        value > (uint64_t)option->most) {
        fprintf(stderr,
                "memprof-generate: --%s wants a number from %" PRId64 " to %" PRId64 ", not '%s'\n",
                option->name, option->least, option->most, text);
        return false;
    }
    *option->number = (int64_t)value;
    return true;
}

static bool take(const gen_option *option, const char *text)
{
    if (option->flag)
        return *option->flag = true;
    if (option->text) {
        *option->text = text;
        return true;
    }
    return option->words ? take_word(option, text) : take_number(option, text);
}

/* Return a message if two options exclude each other; otherwise NULL. */
static const char *conflict(void)
{
    if (asked.old_modules && asked.version != 1)
        return "--old-modules is for version 1";
    if (asked.analysis && asked.damaged)
        return "--damaged is for logs, not for --analysis";
    if (asked.domains > 1 && (asked.shape || asked.objects))
        return "--domains is for the readable shop";
    return NULL;
}

/* Parse the arguments after the command. "-o" is "--output". Return false after a message. */
static bool parse(const gen_command *command, int count, char **arguments)
{
    const gen_option *known[MOST_OPTIONS];
    struct option names[MOST_OPTIONS + 1] = {{0}};
    int known_count = 0, value;
    for (const gen_option *option = command->options; option->name; option++) {
        if (option->number)
            *option->number = option->initial;
        known[known_count++] = option;
    }
    if (command->answer)
        known[known_count++] = &answer_option;
    known[known_count++] = &output_option;
    for (int i = 0; i < known_count; i++)
        names[i] = (struct option){known[i]->name, known[i]->flag ? no_argument : required_argument,
                                   NULL, FIRST_VALUE + i};
    while ((value = getopt_long(count, arguments, "o:", names, NULL)) != -1) {
        const gen_option *option = value == 'o'           ? &output_option
                                   : value >= FIRST_VALUE ? known[value - FIRST_VALUE]
                                                          : NULL;
        if (!option || !take(option, optarg))
            return false; /* getopt_long has printed a message about an unknown option */
    }
    if (optind < count) {
        fprintf(stderr, "memprof-generate: unexpected argument '%s'\n", arguments[optind]);
        return false;
    }
    if (conflict())
        fprintf(stderr, "memprof-generate: %s\n", conflict());
    return !conflict();
}

static void run(const gen_command *command)
{
    gen_writer writer;
    gen_open(&writer, asked.output);
    writer.crlf = asked.crlf;
    writer.latin1 = asked.latin1;
    command->record(&asked, &writer);
    gen_close(&writer);
    if (asked.answer) {
        gen_open(&writer, asked.answer);
        gen_json json = {.writer = &writer};
        gen_json_open(&json, NULL, '{');
        command->answer(&asked, &json);
        gen_json_close(&json);
        gen_close(&writer);
    }
}

int main(int count, char **arguments)
{
    if (count < 2) {
        print_usage(stderr);
        return GEN_USAGE_STATUS;
    }
    bool help = !strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h");
    const gen_command *command = NULL;
    for (size_t i = 0; i < COMMANDS && !help; i++)
        if (!strcmp(arguments[1], commands[i].name))
            command = &commands[i];
    for (int i = 2; i < count && command; i++)
        help = help || !strcmp(arguments[i], "--help");
    if (help) {
        print_usage(stdout);
        return EXIT_SUCCESS;
    }
    if (!command) {
        fprintf(stderr, "memprof-generate: no command '%s' (see --help)\n", arguments[1]);
        return GEN_USAGE_STATUS;
    }
    arguments[1] = arguments[0]; /* messages of getopt begin with this name */
    if (!parse(command, count - 1, arguments + 1))
        return GEN_USAGE_STATUS;
    run(command);
    return EXIT_SUCCESS;
}
