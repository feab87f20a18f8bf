#include "commands.h"
#include "options.h"
#include "taligent.h"
#include "taligent_answer.h"
#include "writer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct TalCommand {
    TalOptions options;
    TalLayout layout;
    bool crlf;
    bool analysis;
    const char *answer;
    const char *output;
} TalCommand;

static const struct option long_options[] = {
    {"events", required_argument, NULL, 'e'},  {"frames", required_argument, NULL, 'f'},
    {"threads", required_argument, NULL, 't'}, {"seed", required_argument, NULL, 's'},
    {"blanks", no_argument, NULL, 'b'},        {"crlf", no_argument, NULL, 'c'},
    {"no-title", no_argument, NULL, 'n'},      {"analysis", no_argument, NULL, 'y'},
    {"damaged", no_argument, NULL, 'd'},       {"answer", required_argument, NULL, 'a'},
    {"output", required_argument, NULL, 'o'},  {NULL, 0, NULL, 0},
};

static bool parse_number(TalCommand *command, int letter)
{
    uint64_t number = 0;
    switch (letter) {
    case 'e':
        if (!options_number("events", optarg, 100, 1000000000, &number)) {
            return false;
        }
        command->options.events = (int64_t)number;
        return true;
    case 'f':
        return options_int("frames", optarg, 0, TAL_MAX_FRAMES, &command->options.frames);
    case 't':
        return options_int("threads", optarg, 1, TAL_MAX_THREADS, &command->options.threads);
    case 's':
        return options_number("seed", optarg, 0, UINT32_MAX, &command->options.seed);
    default:
        return false;
    }
}

static bool parse_option(TalCommand *command, int letter)
{
    switch (letter) {
    case 'b':
        command->layout.blanks = true;
        return true;
    case 'c':
        command->crlf = true;
        return true;
    case 'n':
        command->layout.no_title = true;
        return true;
    case 'y':
        command->analysis = true;
        return true;
    case 'd':
        command->options.damaged = true;
        return true;
    case 'a':
        command->answer = optarg;
        return true;
    case 'o':
        command->output = optarg;
        return true;
    default:
        return parse_number(command, letter);
    }
}

static bool parse(TalCommand *command, int count, char **arguments)
{
    int letter;
    while ((letter = getopt_long(count, arguments, "o:", long_options, NULL)) != -1) {
        if (!parse_option(command, letter)) {
            return false;
        }
    }
    if (command->analysis && command->options.damaged) {
        fputs("memprof-generate: --damaged is for logs, not for --analysis\n", stderr);
        return false;
    }
    return options_no_more(count, arguments);
}

int command_taligent(int count, char **arguments)
{
    TalCommand command = {.options = {.events = 300, .threads = 3, .seed = 1}};
    if (!parse(&command, count, arguments)) {
        return EXIT_USAGE;
    }
    Writer writer;
    if (!writer_open(&writer, command.output)) {
        return options_cannot_write(command.output);
    }
    writer.crlf = command.crlf;
    bool done = command.analysis
                    ? taligent_write_analysis(&command.options, &command.layout, &writer)
                    : taligent_write_log(&command.options, &command.layout, &writer);
    if (!writer_close(&writer) || !done) {
        return options_cannot_write(command.output);
    }
    if (command.answer && !taligent_answer(&command.options, command.answer)) {
        return options_cannot_write(command.answer);
    }
    return EXIT_SUCCESS;
}
