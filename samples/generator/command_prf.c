#include "commands.h"
#include "options.h"
#include "prf.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct PrfCommand {
    int version;
    bool old_modules;
    bool crlf;
    const char *answer;
    const char *output;
} PrfCommand;

static bool parse(PrfCommand *command, int count, char **arguments)
{
    const Option options[] = {
        {"version", .integer = &command->version, .least = 1, .most = 4},
        {"old-modules", .flag = &command->old_modules},
        {"crlf", .flag = &command->crlf},
        {"answer", .text = &command->answer},
        {"output", .text = &command->output},
    };
    if (!options_parse(options, sizeof options / sizeof options[0], count, arguments)) {
        return false;
    }
    if (command->old_modules && command->version != 1) {
        fputs("memprof-generate: --old-modules is for version 1\n", stderr);
        return false;
    }
    return true;
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
