/* The command line: one table of options drives parsing, refusals and help. */
#ifndef MP_CLI_OPTIONS_H
#define MP_CLI_OPTIONS_H

#include "export/formats.h"
#include "memprof/memprof.h"
#include "readers/reader.h"
#include "reports/report.h"

typedef enum cli_colour {
    CLI_COLOUR_AUTO,
    CLI_COLOUR_ALWAYS,
    CLI_COLOUR_NEVER,
} cli_colour;

/* Which files are read together. */
typedef enum cli_grouping {
    CLI_GROUP_DEFAULT, /* each on its own where a folder is named, else all */
    CLI_GROUP_FILE,
    CLI_GROUP_AGENT,
    CLI_GROUP_ALL,
} cli_grouping;

/* A command: a report, or one that the command line answers itself. */
typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *example;
    const char *details;
    const char *operand;     /* what stands before the files; NULL: nothing */
    const mp_report *report; /* NULL: the command line answers itself */
    bool reads;              /* files */
    unsigned honours;
} cli_command;

/* An option that was given, without its dashes, and its argument or "". */
typedef struct cli_pair {
    const char *name, *text;
} cli_pair;

typedef struct cli_options {
    cli_command command;
    bool command_named; /* not the default one */
    const char **paths; /* points into argv */
    size_t path_count;
    cli_grouping group;
    bool recursive;
    int64_t jobs; /* groups that are read at once; 0: one for each processor */
    mp_view view;
    const char *given[MP_HONOURS_COUNT]; /* see mp_request */
    void *arguments;                     /* of the report; NULL: it has no struct of its own */
    cli_pair *pairs;                     /* all options as they were given */
    size_t pair_count;
    mp_given *given_arguments; /* see mp_request */
    size_t given_count;
    const mp_renderer *renderer;
    const char *output;
    const mp_exporter *exporter; /* NULL: none was named */
    mp_load_options load;
    const char **source_folders, **skips; /* what `load` points to */
    const char *base;                     /* what the recording is held against; NULL: nothing */
    const char *policy;                   /* of baseline check; NULL: the usual */
    char *base_path;                      /* what `base` points to, where it is in a store */
    const char *store, *name;             /* of baselines; name NULL: the recording's */
    const char **substitutions;           /* what `view` points to */
    mp_selection selection;
    mp_criterion *criteria;      /* what `selection` points to */
    const char **suppress_paths; /* suppress_count of them */
    size_t suppress_count;
    int32_t today; /* as by mp_parse_date; 0: the clock tells */
    cli_colour colour;
    bool exact_bytes, strict, quiet, verbose;
    bool help, version;
} cli_options;

enum { CLI_OK = 0, CLI_EXCEEDED = 1, CLI_USAGE = 2, CLI_UNREADABLE = 3 };

/* False after a message on standard error: wrong usage. Release with cli_options_free. */
bool cli_parse(int argc, char **argv, cli_options *options);
void cli_options_free(cli_options *options);

bool cli_command_find(const char *name, cli_command *command);
/* The commands that the command line answers itself. */
const cli_command *cli_own_commands(size_t *count);

/* Help for the program, or for the command if the user named one. */
void cli_help(const cli_options *options);
/* Print an option's line for each that the command honours. */
void cli_help_options(const cli_command *command);

#endif
