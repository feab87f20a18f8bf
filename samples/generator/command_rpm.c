#include "commands.h"
#include "options.h"
#include "rpm.h"
#include "writer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_OBJECTS = 1000, // of the shapes that have no readable form
    MOST_OBJECTS = 200000000,
};

typedef struct RpmCommand {
    RpmOptions options;
    RpmLayout layout;
    bool crlf;
    const char *answer;
    const char *output;
} RpmCommand;

static const struct option long_options[] = {
    {"objects", required_argument, NULL, 'n'},
    {"references", required_argument, NULL, 'r'},
    {"shape", required_argument, NULL, 'h'},
    {"dump", required_argument, NULL, 'k'},
    {"domains", required_argument, NULL, 'd'},
    {"seed", required_argument, NULL, 's'},
    {"crlf", no_argument, NULL, 'c'},
    {"no-stamps", no_argument, NULL, 'p'},
    {"torn", no_argument, NULL, 't'},
    {"types-last", no_argument, NULL, 'y'},
    {"answer", required_argument, NULL, 'a'},
    {"output", required_argument, NULL, 'o'},
    {NULL, 0, NULL, 0},
};

static bool parse_shape(RpmOptions *options)
{
    static const struct {
        const char *name;
        RpmShape shape;
    } shapes[] = {{"shop", RPM_SHOP}, {"chain", RPM_CHAIN}, {"star", RPM_STAR}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (!strcmp(optarg, shapes[i].name)) {
            options->shape = shapes[i].shape;
            return true;
        }
    }
    fprintf(stderr, "memprof-generate: --shape wants shop, chain or star, not '%s'\n", optarg);
    return false;
}

static bool parse_number(RpmOptions *options, int letter)
{
    uint64_t number = 0;
    switch (letter) {
    case 'n':
        if (!options_number("objects", optarg, 1, MOST_OBJECTS, &number)) {
            return false;
        }
        options->objects = (int64_t)number;
        return true;
    case 'r':
        return options_int("references", optarg, 1, 100, &options->references);
    case 'h':
        return parse_shape(options);
    case 'k':
        return options_int("dump", optarg, 1, 3, &options->dump);
    case 'd':
        return options_int("domains", optarg, 1, RPM_MAX_DOMAINS, &options->domains);
    case 's':
        return options_number("seed", optarg, 0, UINT32_MAX, &options->seed);
    default:
        return false;
    }
}

static bool parse_option(RpmCommand *command, int letter)
{
    switch (letter) {
    case 'c':
        command->crlf = true;
        return true;
    case 'p':
        command->layout.no_stamps = true;
        return true;
    case 't':
        command->layout.torn = true;
        return true;
    case 'y':
        command->layout.types_last = true;
        return true;
    case 'a':
        command->answer = optarg;
        return true;
    case 'o':
        command->output = optarg;
        return true;
    default:
        return parse_number(&command->options, letter);
    }
}

static bool parse(RpmCommand *command, int count, char **arguments)
{
    int letter;
    while ((letter = getopt_long(count, arguments, "o:", long_options, NULL)) != -1) {
        if (!parse_option(command, letter)) {
            return false;
        }
    }
    RpmOptions *options = &command->options;
    if (options->shape == RPM_SHOP && options->objects) {
        options->shape = RPM_BULK;
    }
    options->objects = options->objects ? options->objects : DEFAULT_OBJECTS;
    if (options->shape != RPM_SHOP && options->domains > 1) {
        fputs("memprof-generate: --domains is for the readable shop\n", stderr);
        return false;
    }
    return options_no_more(count, arguments);
}

static int write_all(const RpmCommand *command, const RpmPlan *plan)
{
    Writer writer;
    if (!writer_open(&writer, command->output)) {
        return options_cannot_write(command->output);
    }
    writer.crlf = command->crlf;
    rpm_write(plan, &command->layout, &writer);
    if (!writer_close(&writer)) {
        return options_cannot_write(command->output);
    }
    if (command->answer && !rpm_answer(plan, command->answer)) {
        return options_cannot_write(command->answer);
    }
    return EXIT_SUCCESS;
}

int command_rpm(int count, char **arguments)
{
    static RpmPlan plan;
    RpmCommand command = {.options = {.references = 4, .dump = 1, .domains = 1, .seed = 1}};
    if (!parse(&command, count, arguments)) {
        return EXIT_USAGE;
    }
    int status = rpm_plan_init(&plan, &command.options) ? write_all(&command, &plan)
                                                        : options_cannot_write(command.output);
    rpm_plan_free(&plan);
    return status;
}
