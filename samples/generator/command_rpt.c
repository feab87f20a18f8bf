#include "commands.h"
#include "options.h"
#include "prf_table.h"
#include "rpt.h"
#include "writer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPORTED_VERSION = 4, // of the execution profile that is reported
};

typedef struct RptCommand {
    bool old_layout;
    bool decimal_comma;
    const char *output;
} RptCommand;

static const struct option long_options[] = {
    {"layout", required_argument, NULL, 'l'},
    {"decimal-comma", no_argument, NULL, 'd'},
    {"output", required_argument, NULL, 'o'},
    {NULL, 0, NULL, 0},
};

static bool parse_option(RptCommand *command, int letter)
{
    switch (letter) {
    case 'l':
        command->old_layout = !strcmp(optarg, "old");
        if (!command->old_layout && strcmp(optarg, "new")) {
            fprintf(stderr, "memprof-generate: --layout wants old or new, not '%s'\n", optarg);
            return false;
        }
        return true;
    case 'd':
        command->decimal_comma = true;
        return true;
    case 'o':
        command->output = optarg;
        return true;
    default:
        return false;
    }
}

int command_rpt(int count, char **arguments)
{
    RptCommand command = {0};
    int letter;
    while ((letter = getopt_long(count, arguments, "o:", long_options, NULL)) != -1) {
        if (!parse_option(&command, letter)) {
            return EXIT_USAGE;
        }
    }
    if (!options_no_more(count, arguments)) {
        return EXIT_USAGE;
    }
    Writer writer;
    if (!writer_open(&writer, command.output)) {
        return options_cannot_write(command.output);
    }
    PrfTable table;
    prf_table_init(&table, REPORTED_VERSION);
    rpt_write(&table, !command.old_layout, command.decimal_comma, &writer);
    return writer_close(&writer) ? EXIT_SUCCESS : options_cannot_write(command.output);
}
