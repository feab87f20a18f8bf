#include "commands.h"
#include "options.h"
#include "taligent.h"
#include "taligent_answer.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    DEFAULT_EVENTS = 300,
};

typedef struct TalCommand {
    TalOptions options;
    TalLayout layout;
    bool crlf;
    bool analysis;
    const char *answer;
    const char *output;
} TalCommand;

static bool parse(TalCommand *command, int count, char **arguments)
{
    uint64_t events = DEFAULT_EVENTS;
    const Option options[] = {
        {"events", .number = &events, .least = 100, .most = 1000000000},
        {"frames", .integer = &command->options.frames, .most = TAL_MAX_FRAMES},
        {"threads", .integer = &command->options.threads, .least = 1, .most = TAL_MAX_THREADS},
        {"seed", .number = &command->options.seed, .most = UINT32_MAX},
        {"blanks", .flag = &command->layout.blanks},
        {"crlf", .flag = &command->crlf},
        {"no-title", .flag = &command->layout.no_title},
        {"analysis", .flag = &command->analysis},
        {"damaged", .flag = &command->options.damaged},
        {"answer", .text = &command->answer},
        {"output", .text = &command->output},
    };
    if (!options_parse(options, sizeof options / sizeof options[0], count, arguments)) {
        return false;
    }
    command->options.events = (int64_t)events;
    if (command->analysis && command->options.damaged) {
        fputs("memprof-generate: --damaged is for logs, not for --analysis\n", stderr);
        return false;
    }
    return true;
}

int command_taligent(int count, char **arguments)
{
    TalCommand command = {.options = {.threads = 3, .seed = 1}};
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
