#include "commands.h"
#include "oemp.h"
#include "oemp_answer.h"
#include "options.h"
#include "plan.h"
#include "writer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t DEFAULT_OBJECTS = 300;
static const uint64_t MOST_OBJECTS = 1000000000;
enum {
    DEFAULT_SNAPSHOTS = 8,
};

typedef struct OempCommand {
    OempOptions recording;
    uint64_t objects;
    int snapshots;
    int session;
    bool no_exit;
    bool reusable;
    bool crlf;
    bool latin1;
    const char *answer;
    const char *output;
} OempCommand;

static bool parse_session(const char *text, void *session)
{
    uint64_t number = 0;
    if (strncmp(text, "AS-", 3)) {
        fprintf(stderr, "memprof-generate: --session wants AS-n, not '%s'\n", text);
        return false;
    }
    if (!options_number("session", text + 3, 1, 9999, &number)) {
        return false;
    }
    *(int *)session = (int)number;
    return true;
}

static bool parse(OempCommand *command, int count, char **arguments)
{
    OempOptions *recording = &command->recording;
    const Option options[] = {
        {"version", .integer = &recording->version, .least = 1, .most = 2},
        {"objects", .number = &command->objects, .least = 1, .most = MOST_OBJECTS},
        {"snapshots", .integer = &command->snapshots, .least = PLAN_MIN_SNAPSHOTS,
         .most = PLAN_MAX_SNAPSHOTS},
        {"session", .parse = parse_session, .target = &command->session},
        {"uuid", .text = &recording->uuid},
        {"first-sequence", .integer = &recording->first_sequence, .least = 1, .most = INT_MAX},
        {"last-sequence", .integer = &recording->last_sequence, .least = 1, .most = INT_MAX},
        {"reusable", .flag = &command->reusable},
        {"crlf", .flag = &command->crlf},
        {"latin1", .flag = &command->latin1},
        {"no-exit", .flag = &command->no_exit},
        {"answer", .text = &command->answer},
        {"output", .text = &command->output},
    };
    return options_parse(options, sizeof options / sizeof options[0], count, arguments);
}

static int generate(const OempCommand *command, const Plan *plan)
{
    Writer writer;
    if (!writer_open(&writer, command->output)) {
        return options_cannot_write(command->output);
    }
    writer.crlf = command->crlf;
    writer.latin1 = command->latin1;
    bool enough = oemp_write(plan, &command->recording, &writer);
    if (!writer_close(&writer)) {
        return options_cannot_write(command->output);
    }
    if (!enough) {
        fputs("memprof-generate: out of memory\n", stderr);
        return EXIT_OUTPUT;
    }
    if (command->answer && !oemp_answer(plan, command->answer)) {
        return options_cannot_write(command->answer);
    }
    return EXIT_SUCCESS;
}

int command_oemp(int count, char **arguments)
{
    OempCommand command = {
        .recording = {.version = 2, .first_sequence = 1, .last_sequence = INT_MAX},
        .objects = DEFAULT_OBJECTS,
        .snapshots = DEFAULT_SNAPSHOTS,
    };
    if (!parse(&command, count, arguments)) {
        return EXIT_USAGE;
    }
    char uuid[64];
    snprintf(uuid, sizeof uuid, "6f1d2c84-93b5-4e0a-8a57-%012d", command.session);
    if (!command.recording.uuid) {
        command.recording.uuid = uuid;
    }
    Plan *plan = malloc(sizeof *plan);
    if (!plan) {
        fputs("memprof-generate: out of memory\n", stderr);
        return EXIT_OUTPUT;
    }
    plan_init(plan, command.objects, command.snapshots, !command.no_exit, command.reusable,
              command.session);
    plan->reusable_apart = command.recording.version > 1;
    int status = generate(&command, plan);
    free(plan);
    return status;
}
