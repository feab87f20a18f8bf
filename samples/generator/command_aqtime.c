#include "aqtime.h"
#include "commands.h"
#include "options.h"
#include "writer.h"

#include <getopt.h>
#include <stdlib.h>

static const struct option long_options[] = {
    {"answer", required_argument, NULL, 'a'},
    {"output", required_argument, NULL, 'o'},
    {NULL, 0, NULL, 0},
};

int command_aqtime(int count, char **arguments)
{
    const char *answer = NULL;
    const char *output = NULL;
    int letter;
    while ((letter = getopt_long(count, arguments, "o:", long_options, NULL)) != -1) {
        if (letter == 'a') {
            answer = optarg;
        } else if (letter == 'o') {
            output = optarg;
        } else {
            return EXIT_USAGE;
        }
    }
    if (!options_no_more(count, arguments)) {
        return EXIT_USAGE;
    }
    AqPlan plan;
    aqtime_plan_init(&plan);
    Writer writer;
    if (!writer_open(&writer, output)) {
        return options_cannot_write(output);
    }
    aqtime_write(&plan, &writer);
    if (!writer_close(&writer)) {
        return options_cannot_write(output);
    }
    return !answer || aqtime_answer(&plan, answer) ? EXIT_SUCCESS : options_cannot_write(answer);
}
