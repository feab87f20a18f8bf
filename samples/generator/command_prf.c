#include "commands.h"
#include "options.h"
#include "prf.h"
#include "writer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct PrfCommand {
    int version;
    bool old_modules;
    bool crlf;
    const char *answer;
    const char *output;
} PrfCommand;

static const struct option long_options[] = {
    {"version", required_argument, NULL, 'v'}, {"old-modules", no_argument, NULL, 'm'},
    {"crlf", no_argument, NULL, 'c'},          {"answer", required_argument, NULL, 'a'},
    {"output", required_argument, NULL, 'o'},  {NULL, 0, NULL, 0},
};

static bool parse_option(PrfCommand *command, int letter)
{
    switch (letter) {
    case 'v':
        return options_int("version", optarg, 1, 4, &command->version);
    case 'm':
        command->old_modules = true;
        return true;
    case 'c':
        command->crlf = true;
        return true;
    case 'a':
        command->answer = optarg;
        return true;
    case 'o':
        command->output = optarg;
        return true;
    default:
        return false;
    }
}

static bool parse(PrfCommand *command, int count, char **arguments)
{
    int letter;
    while ((letter = getopt_long(count, arguments, "o:", long_options, NULL)) != -1) {
        if (!parse_option(command, letter)) {
            return false;
        }
    }
    if (command->old_modules && command->version != 1) {
        fputs("memprof-generate: --old-modules is for version 1\n", stderr);
        return false;
    }
    return options_no_more(count, arguments);
}

int command_prf(int count, char **arguments)
{
    PrfCommand command = {.version = 4};
    if (!parse(&command, count, arguments)) {
        return EXIT_USAGE;
    }
    Writer writer;
    if (!writer_open(&writer, command.output)) {
        return options_cannot_write(command.output);
    }
    writer.crlf = command.crlf;
    PrfTable table;
    prf_table_init(&table, command.version);
    prf_write(&table, command.old_modules, &writer);
    if (!writer_close(&writer)) {
        return options_cannot_write(command.output);
    }
    if (command.answer && !prf_answer(&table, command.old_modules, command.answer)) {
        return options_cannot_write(command.answer);
    }
    return EXIT_SUCCESS;
}
