/* The command line: one table of options drives parsing, refusals and help. */
#ifndef MP_CLI_OPTIONS_H
#define MP_CLI_OPTIONS_H

#include "cli/console.h"

struct cli_options;

/* Exit statuses, and what they mean. */
enum { CLI_OK = 0, CLI_EXCEEDED = 1, CLI_USAGE = 2, CLI_UNREADABLE = 3, CLI_STATUSES };
extern const char *const cli_status_meanings[CLI_STATUSES];

/* Options that are no arguments of a report, by who takes them: a bit each. */
typedef enum cli_scope {
    CLI_READS = 1,   /* commands that read recordings */
    CLI_PRINTS = 2,  /* those whose document is what they are for */
    CLI_STORES = 4,  /* the command baseline */
    CLI_EXPORTS = 8, /* the command export */
    CLI_ALWAYS = 16,
    CLI_LOADS = 32,     /* those that read recordings as they are, perhaps several as one */
    CLI_WATCHES = 64,   /* the command watch */
    CLI_BROWSES = 128,  /* the command browse */
    CLI_DECLARES = 256, /* the command schema */
} cli_scope;

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *example;
    const char *details;
    const char *operand;     /* operand before the files; NULL: none */
    const mp_report *report; /* that is asked; NULL: none */
    const mp_argument_table *arguments;
    unsigned scope; /* scope of its options, beside its arguments */
    unsigned kinds; /* kinds of recordings, without a report: a bit for each; 0: all */
    int (*run)(struct cli_options *options); /* gives the exit status */
} cli_command;

/* An option that was given, without its dashes, and its argument or "". */
typedef struct cli_pair {
    const char *name, *text;
    const char *origin; /* a default that was set there; NULL: the command line */
} cli_pair;

typedef struct cli_options {
    cli_command command;         /* without a name: none is known yet */
    bool command_named;          /* not the default one */
    const cli_command *commands; /* that it is one of */
    size_t command_count;
    const char *operand; /* argument before the files; NULL: none */
    const char **paths;  /* points into argv */
    size_t path_count;
    cli_pair *pairs; /* all options */
    size_t pair_count, pair_capacity;
    mp_arena config; /* texts of defaults */
    mp_question question;

    mp_reading reading;
    bool quiet, verbose;

    /* How the answer is printed. */
    const mp_renderer *renderer;
    bool format_named;  /* by export --to */
    const char *output; /* NULL: standard output */
    const char *chart;  /* path of the answer's picture, beside it; NULL: none */
    cli_colour colour;
    bool no_pager, brief, no_config;
    int64_t width;      /* width of a line of text; 0: any; below 0: not asked for */
    size_t merged_rows; /* maximum rows of an ordered table in merged answers; 0: no limit */

    int64_t max_memory; /* bytes; 0: three quarters of what there is */
    int64_t max_time;   /* microseconds; 0: any */

    bool help, help_all, version, no_sandbox;
    bool sandbox; /* this is a process of its own: it may be kept from what it does not need */

    /* Options of commands that the command line answers itself. */
    bool until_exit;
    mp_ceiling max_growth, max_leaked;
    int64_t look_us, quiet_us; /* 0: not asked for */
    const char *command_on_limit, *watch_policy;
    const char *store, *baseline_name;
    const mp_exporter *exporter;
    const char *export_path; /* NULL: standard output */
    mp_argument_texts source_folders;
    const char *cluster, *dialect, *inserted; /* NULL: not asked for */
} cli_options;

/* How an option's argument is taken. */
typedef enum cli_kind {
    CLI_ASKS,     /* the question takes it */
    CLI_READS_AS, /* the reading takes it (session/reading.h) */
    CLI_FLAG,     /* bool */
    CLI_NAME,     /* const char *, not "" */
    CLI_FOLDERS,  /* mp_argument_texts: each that is given, a folder that exists */
    CLI_SIZE,     /* int64_t, in bytes, above 0 */
    CLI_SPAN,     /* as CLI_TIME, a limit */
    CLI_RENDERER,
    CLI_OWN_RENDERER, /* renderer of the command's answer alone */
    CLI_EXPORTER,
    CLI_COLOURING,
    CLI_WIDTH,
    CLI_FILE_NAME, /* const char *, a name without a folder */
    CLI_TIME,      /* int64_t, microseconds, more than 0; the unit is said */
    CLI_CEILING,   /* mp_ceiling: a size */
    CLI_GROWTH,    /* the same, or a percentage */
} cli_kind;

/* Section of an option in the help. */
typedef enum cli_section {
    CLI_WHAT,    /* subject of the question */
    CLI_PART,    /* part of the recording */
    CLI_LOOKS,   /* how the answer looks */
    CLI_LIMITS,  /* limits on the answer */
    CLI_READING, /* how recordings of some kinds are read */
    CLI_GENERAL, /* options of all commands */
    CLI_SECTIONS,
} cli_section;

typedef struct cli_option {
    const char *name;
    const char *argument; /* NULL: none */
    const char *help;
    const char *takes; /* texts that it accepts, for a refusal; NULL: a renderer's name */
    cli_kind kind;
    mp_argument_kind value; /* kind of a report's own argument, with CLI_ASKS */
    uint32_t offset;        /* in cli_options, for kinds that name a type */
    unsigned scope;         /* who takes it; 0: commands that have the argument */
    const char *part_of;    /* the argument that it is part of; NULL: it is one, of its own name */
    cli_section section;
    char letter;  /* "-n"; 0: none */
    bool repeats; /* may be given several times */
    /* Makes the program write a file, run another or guard itself less, or means nothing as a
     * default: no configuration, which may have come with what was checked out, may say it. */
    bool by_hand;
    /* Does not change what limits and rules judge: they heed it in a .memprof (see below). */
    bool harmless;
} cli_option;

extern const cli_option cli_option_table[];
extern const size_t cli_option_count; /* at most CLI_MOST_OPTIONS */
enum { CLI_MOST_OPTIONS = 128, CLI_MOST_COMMANDS = 64 };
/* Return the command's option of this name; NULL: it has none. */
const cli_option *cli_option_of(const cli_command *command, const char *name);

/* "Analysis", "Filters", ... */
const char *cli_section_name(cli_section section);
/* The words that the option of the command takes into `words`, which has MP_MOST_WORDS; 0: it takes
 * other texts. */
size_t cli_option_words(const cli_command *command, const cli_option *option, const char **words);
/* Return true if limits and rules heed the option where a .memprof sets it: it changes how the
 * answer looks, adds a limit, or is harmless. They ignore any other. */
bool cli_option_is_heeded(const cli_option *option);
/* The kinds of recordings of which the command honours the option, of which it has an answer at
 * all: a bit for each mp_kind (mp_kinds_text tells them); 0: it reads none. */
unsigned cli_option_kinds(const cli_command *command, const cli_option *option);
unsigned cli_command_kinds(const cli_command *command);
/* " (default 20)" where the option takes a number that the command has without it, else "":
 * `text` is where it is put. */
const char *cli_option_default(const cli_command *command, const cli_option *option, char *text,
                               size_t size);
/* Return true if the command has the data that this format shows. */
bool cli_command_writes(const cli_command *command, const mp_renderer *renderer);

/* Say why the command line is wrong, and which help tells the right one; returns false. */
bool cli_refuse(const cli_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The name of the argument that it is, or is part of. */
const char *cli_option_argument(const cli_option *option);
/* Return true if two recordings are compared, the first of which is the operand. */
bool cli_compares(const cli_command *command);
/* The name of the command that was probably meant; NULL: it is like none of them. */
const char *cli_command_nearest(const cli_command *commands, size_t count, const char *name);

/* `commands`: `count` of them, the default first. False after a message on standard error: wrong
 * usage. Release with cli_options_free. */
bool cli_parse(int argc, char **argv, const cli_command *commands, size_t count,
               cli_options *options);
void cli_options_free(cli_options *options);
/* A question about what was read by these options, which may be another than theirs. */
void cli_settle_question(mp_question *question, const cli_options *options);

/* Return true if people read the answer as it is printed. */
bool cli_is_for_people(const cli_options *options);

#endif
