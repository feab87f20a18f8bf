#include "commands.h"
#include "oemp.h"
#include "oemp_answer.h"
#include "options.h"
#include "plan.h"
#include "writer.h"

#include <getopt.h>
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

static const struct option long_options[] = {
    {"version", required_argument, NULL, 'v'},
    {"objects", required_argument, NULL, 'n'},
    {"snapshots", required_argument, NULL, 's'},
    {"session", required_argument, NULL, 'S'},
    {"uuid", required_argument, NULL, 'u'},
    {"first-sequence", required_argument, NULL, 'f'},
    {"last-sequence", required_argument, NULL, 'l'},
    {"reusable", no_argument, NULL, 'r'},
    {"crlf", no_argument, NULL, 'c'},
    {"latin1", no_argument, NULL, 'L'},
    {"no-exit", no_argument, NULL, 'x'},
    {"answer", required_argument, NULL, 'a'},
    {"output", required_argument, NULL, 'o'},
    {NULL, 0, NULL, 0},
};

static bool parse_session(const char *text, int *session)
{
    if (strncmp(text, "AS-", 3)) {
        fprintf(stderr, "memprof-generate: --session wants AS-n, not '%s'\n", text);
        return false;
    }
    return options_int("session", text + 3, 1, 9999, session);
}

static bool parse_number(OempCommand *command, int letter)
{
    switch (letter) {
    case 'v':
        return options_int("version", optarg, 1, 2, &command->recording.version);
    case 'n':
        return options_number("objects", optarg, 1, MOST_OBJECTS, &command->objects);
    case 's':
        return options_int("snapshots", optarg, PLAN_MIN_SNAPSHOTS, PLAN_MAX_SNAPSHOTS,
                           &command->snapshots);
    case 'S':
        return parse_session(optarg, &command->session);
    case 'f':
        return options_int("first-sequence", optarg, 1, INT_MAX,
                           &command->recording.first_sequence);
    case 'l':
        return options_int("last-sequence", optarg, 1, INT_MAX, &command->recording.last_sequence);
    default:
        return false;
    }
}

static bool parse_option(OempCommand *command, int letter)
{
    switch (letter) {
    case 'u':
        command->recording.uuid = optarg;
        return true;
    case 'r':
        command->reusable = true;
        return true;
    case 'c':
        command->crlf = true;
        return true;
    case 'L':
        command->latin1 = true;
        return true;
    case 'x':
        command->no_exit = true;
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

static bool parse(OempCommand *command, int count, char **arguments)
{
    int letter;
    while ((letter = getopt_long(count, arguments, "o:", long_options, NULL)) != -1) {
        if (!parse_option(command, letter)) {
            return false;
        }
    }
    return options_no_more(count, arguments);
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
