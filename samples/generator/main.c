// memprof-generate: writes recordings of a made-up shop application whose every number is known.
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Command commands[] = {
    {"oemp",
     "[--version 1|2] [--objects N] [--snapshots N] [--session AS-n] [--uuid U]\n"
     "       [--first-sequence N] [--last-sequence N] [--reusable] [--no-exit]\n"
     "       [--crlf] [--latin1] [--answer FILE] [-o FILE]",
     command_oemp},
    {"prf", "[--version 1|2|3|4] [--old-modules] [--crlf] [--answer FILE] [-o FILE]", command_prf},
    {"rpt", "[--layout old|new] [--decimal-comma] [-o FILE]", command_rpt},
    {"dbg", "[-o FILE]", command_dbg},
    {"taligent",
     "[--events N] [--frames F] [--threads T] [--seed S] [--blanks] [--crlf]\n"
     "       [--no-title] [--analysis] [--damaged] [--answer FILE] [-o FILE]",
     command_taligent},
    {"rpm",
     "[--objects N] [--references R] [--shape shop|chain|star] [--dump K] [--domains D]\n"
     "       [--crlf] [--no-stamps] [--torn] [--types-last] [--seed S] [--answer FILE] [-o FILE]",
     command_rpm},
    {"aqtime", "[--answer FILE] [-o FILE]", command_aqtime},
};
enum {
    COMMAND_COUNT = sizeof commands / sizeof commands[0],
};

static void print_usage(FILE *file)
{
    fputs("Writes recordings of a made-up shop application whose every number is known.\n\n"
          "usage:\n",
          file);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(file, "  memprof-generate %s %s\n", commands[i].name, commands[i].usage);
    }
    fputs("\n"
          "  oemp  a memory-profiler recording; --snapshots counts the last two, _PreCleanUp and\n"
          "        _Exit, which --no-exit leaves out; --first-sequence and --last-sequence write\n"
          "        a part of the snapshots\n"
          "  prf   an execution profile; --old-modules writes module rows with four columns\n"
          "  rpt   a ProTop report of that execution profile\n"
          "  dbg   the debug listing of shop/placeOrder.p\n"
          "  taligent\n"
          "        a heap-monitoring log of the shop as a C++ program; --analysis writes the\n"
          "        same session as a heap analysis file, --damaged what monitoring gaps do;\n"
          "        --threads spreads the events over 1 to 65536 threads (3 by default): a thread\n"
          "        deletes what it allocated, but for requests and callbacks\n"
          "  rpm   a garbage-collector heap dump; --dump 1 to 3 are moments of one application;\n"
          "        with --objects it is large, an object has R references on average\n"
          "  aqtime\n"
          "        SQL text that sqlite3 turns into an AQTime database\n\n"
          "Output goes to -o FILE or standard output, the known answer to --answer FILE as JSON.\n",
          file);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h")) {
        print_usage(stdout);
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(arguments[1], commands[i].name)) {
            continue;
        }
        for (int j = 2; j < count; j++) {
            if (!strcmp(arguments[j], "--help")) {
                print_usage(stdout);
                return EXIT_SUCCESS;
            }
        }
        arguments[1] = arguments[0]; // what getopt puts before its complaints
        return commands[i].run(count - 1, arguments + 1);
    }
    fprintf(stderr, "memprof-generate: no command '%s' (see --help)\n", arguments[1]);
    return EXIT_USAGE;
}
