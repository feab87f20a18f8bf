#include "commands.h"
#include "options.h"
#include "rpm.h"
#include "writer.h"

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

static bool parse_shape(const char *text, void *shape)
{
    static const struct {
        const char *name;
        RpmShape shape;
    } shapes[] = {{"shop", RPM_SHOP}, {"chain", RPM_CHAIN}, {"star", RPM_STAR}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (!strcmp(text, shapes[i].name)) {
            *(RpmShape *)shape = shapes[i].shape;
            return true;
        }
    }
    fprintf(stderr, "memprof-generate: --shape wants shop, chain or star, not '%s'\n", text);
    return false;
}

static bool parse(RpmCommand *command, int count, char **arguments)
{
    RpmOptions *plan = &command->options;
    uint64_t objects = 0;
    const Option options[] = {
        {"objects", .number = &objects, .least = 1, .most = MOST_OBJECTS},
        {"references", .integer = &plan->references, .least = 1, .most = 100},
        {"shape", .parse = parse_shape, .target = &plan->shape},
        {"dump", .integer = &plan->dump, .least = 1, .most = 3},
        {"domains", .integer = &plan->domains, .least = 1, .most = RPM_MAX_DOMAINS},
        {"seed", .number = &plan->seed, .most = UINT32_MAX},
        {"crlf", .flag = &command->crlf},
        {"no-stamps", .flag = &command->layout.no_stamps},
        {"torn", .flag = &command->layout.torn},
        {"types-last", .flag = &command->layout.types_last},
        {"answer", .text = &command->answer},
        {"output", .text = &command->output},
    };
    if (!options_parse(options, sizeof options / sizeof options[0], count, arguments)) {
        return false;
    }
    if (plan->shape == RPM_SHOP && objects) {
        plan->shape = RPM_BULK;
    }
    plan->objects = objects ? (int64_t)objects : DEFAULT_OBJECTS;
    if (plan->shape != RPM_SHOP && plan->domains > 1) {
        fputs("memprof-generate: --domains is for the readable shop\n", stderr);
        return false;
    }
    return true;
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
