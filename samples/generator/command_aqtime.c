#include "aqtime.h"
#include "commands.h"
#include "options.h"
#include "writer.h"

#include <stdlib.h>

int command_aqtime(int count, char **arguments)
{
    const char *answer = NULL;
    const char *output = NULL;
    const Option options[] = {{"answer", .text = &answer}, {"output", .text = &output}};
    if (!options_parse(options, sizeof options / sizeof options[0], count, arguments)) {
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
