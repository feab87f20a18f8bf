/* The command line. One table of options is used for parsing, error messages and help. */
#pragma once

#include "cli/console.h"

struct cli_options;

/* Exit statuses, and their descriptions. */
enum { CLI_OK = 0, CLI_EXCEEDED = 1, CLI_USAGE = 2, CLI_UNREADABLE = 3, CLI_STATUSES };
extern const char *const cli_status_meanings[CLI_STATUSES];

/* Groups of commands, as bits, for options that are not arguments of a report. */
typedef enum cli_scope {
    CLI_READS = 1,   /* commands that read recordings */
    CLI_PRINTS = 2,  /* commands that print a document */
    CLI_STORES = 4,  /* the command baseline */
    CLI_EXPORTS = 8, /* the command export */
    CLI_ALWAYS = 16,
    CLI_LOADS = 32, /* commands that read recordings separately or together, as the user chooses */
    CLI_WATCHES = 64,   /* the command watch */
    CLI_BROWSES = 128,  /* the command browse */
    CLI_DECLARES = 256, /* the command schema */
    CLI_SPOOLS = 512,   /* the command spool */
    CLI_SERVES = 1024,  /* the command mcp */
} cli_scope;

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *example;
    const char *details;
    const char *operand;     /* operand before the files; NULL = none */
    const mp_report *report; /* report that gives the answer; NULL = none */
    const mp_argument_table *arguments;
    /* groups of options that the command has, in addition to its report's arguments */
    unsigned scope;
    unsigned kinds; /* kinds of recordings for a command without a report, as bits; 0 = all */
    int (*run)(struct cli_options *options); /* runs the command; returns the exit status */
} cli_command;

/* An option that was given, without its dashes, and its argument. The argument may be "". */
typedef struct cli_pair {
    const char *name, *text;
    const char *typed;  /* another name of the option, as it was typed; NULL = `name` */
    const char *origin; /* file and line of a default; NULL = the option is on the command line */
} cli_pair;

typedef struct cli_options {
    cli_command command;         /* the command; its name is NULL until the command is known */
    bool command_named;          /* the user named a command; if false, it is the default command */
    bool prompts;                /* the operand is missing, and the terminal asks for it */
    const cli_command *commands; /* table of commands */
    size_t command_count;
    const char *operand; /* operand before the files; NULL = none */
    const char **paths;  /* points into argv */
    size_t path_count;
    cli_pair *pairs; /* all options that were given */
    size_t pair_count, pair_capacity;
    mp_arena config; /* texts of defaults */
    mp_question question;

    mp_reading reading;
    bool quiet, verbose;

    /* How the answer is printed. */
    const mp_renderer *renderer;
    bool format_named;  /* export --to has set the format */
    const char *output; /* NULL = standard output */
    /* path for a picture of the answer, which is written in addition; NULL = none */
    const char *chart;
    cli_colour colour;
    bool no_pager, brief, no_config;
    int64_t width;      /* columns of a line of text; 0 = unlimited; below 0 = the user gave none */
    size_t merged_rows; /* maximum rows of an ordered table in merged answers; 0 = all */

    int64_t max_memory; /* bytes; 0 = three quarters of the available memory */
    int64_t max_time;   /* microseconds; 0 = unlimited */

    bool help, help_all, version, no_sandbox;
    bool sandbox; /* enter the sandbox; false in tests, which share a process */

    /* Options of commands without a report. */
    bool until_exit;
    mp_ceiling max_growth, max_leaked, max_live, max_trend;
    int64_t look_us, quiet_us; /* microseconds; 0 = not given */
    const char *command_on_limit, *watch_policy;
    const char *store, *baseline_name;
    const mp_exporter *exporter;
    const char *export_path; /* NULL = standard output */
    mp_argument_texts source_folders;
    const char *cluster, *dialect, *inserted; /* NULL = not given */
    const char *row_command, *row_folder, *archive, *keep;
    mp_argument_texts labels; /* NAME=VALUE */
    bool once;
    int64_t settle_us; /* 0 = not given */
} cli_options;

/* What an option sets. */
typedef enum cli_kind {
    CLI_ASKS,     /* an argument of the report */
    CLI_READS_AS, /* a reading option (session/reading.h) */
    CLI_SETS,     /* a member of cli_options */
    CLI_RENDERER,
    CLI_OWN_RENDERER, /* a renderer that only the command of the option has */
    CLI_EXPORTER,
    CLI_COLOURING,
    CLI_WIDTH,
} cli_kind;

/* Section of an option in the help. */
typedef enum cli_section {
    CLI_WHAT,    /* subject of the analysis */
    CLI_PART,    /* which part of the recording */
    CLI_LOOKS,   /* appearance of the answer */
    CLI_LIMITS,  /* limits on the answer */
    CLI_READING, /* how recordings of some kinds are read */
    CLI_GENERAL, /* options of all commands */
    CLI_SECTIONS,
} cli_section;

typedef struct cli_option {
    const char *name;
    const char *argument; /* name of its argument; NULL = none */
    const char *help;
    /* Description of the accepted texts, for error messages; NULL = names of renderers. */
    const char *takes;
    cli_kind kind;
    mp_argument_kind value; /* kind of its text, for CLI_SETS and the report's own arguments */
    uint32_t offset;        /* offset in cli_options, for CLI_SETS */
    /* Groups of commands that have the option. 0 = commands whose report has the argument. */
    unsigned scope;
    /* Argument of which the option is a part; NULL = the argument has the name of the option. */
    const char *part_of;
    cli_section section;
    char letter;  /* 'n' for "-n"; 0 = none */
    bool repeats; /* the option may be given several times */
    /* The option is not allowed in configuration files, because they may be part of the code that
     * is checked. It writes a file, runs a program, weakens protections, or is useless as a
     * default. */
    bool by_hand;
    /* The option does not change the result of limits and rules, so it may be set in a .memprof
     * (see cli_option_is_heeded). */
    bool harmless;
    /* The option is not an argument of the tools of mcp. It is about text output, or about a folder
     * or file that tools may not read. */
    bool no_tool;
} cli_option;

extern const cli_option cli_option_table[];
extern const size_t cli_option_count; /* at most CLI_MOST_OPTIONS */
enum { CLI_MOST_OPTIONS = 128, CLI_MOST_COMMANDS = 64 };
/* Return the command's option of this name; NULL if it has none. */
const cli_option *cli_option_of(const cli_command *command, const char *name);

/* Return the heading of a section: "Analysis", "Filters", ... */
const char *cli_section_name(cli_section section);
/* Set `words` (room for MP_MOST_WORDS) to the words that the option accepts for this command.
 * Return their number; 0 = the option accepts other texts. */
size_t cli_option_words(const cli_command *command, const cli_option *option, const char **words);
/* Return true if an option in a .memprof also applies when limits and rules are checked. It applies
 * if it only changes the appearance of the answer, adds a limit, or is harmless. All other options
 * are ignored then. */
bool cli_option_is_heeded(const cli_option *option);
/* Return the kinds of recordings for which the command uses the option. If it uses it for all,
 * return all kinds that the command supports. There is a bit for each mp_kind (mp_kinds_text
 * formats them); 0 = the command reads no recordings. */
unsigned cli_option_kinds(const cli_command *command, const cli_option *option);
unsigned cli_command_kinds(const cli_command *command);
/* Write the option's numeric default to `text`, as in " (default 20)". Write "" if it has none.
 * Return `text`. */
const char *cli_option_default(const cli_command *command, const cli_option *option, char *text,
                               size_t size);
/* Return true if the command produces the data that this format shows. */
bool cli_command_writes(const cli_command *command, const mp_renderer *renderer);

/* Print what is wrong with the command line, and which help to read. Always return false. */
bool cli_refuse(const cli_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Set the option to the text of the pair. Return false after a message, which says which texts the
 * option accepts. */
bool cli_take(cli_options *options, const cli_option *option, const cli_pair *pair);
/* Print the message that cli_take would print, and do not set the option. Always return false. */
bool cli_refuse_argument(const cli_options *options, const cli_option *option,
                         const cli_pair *pair);

/* Return the name of the option's argument. If the option is a part of another argument, return the
 * name of that. */
const char *cli_option_argument(const cli_option *option);
/* Return true if the command compares two recordings. The first is the operand. */
bool cli_compares(const cli_command *command);
/* Return the name of the command that the user probably meant; NULL if none is similar. */
const char *cli_command_nearest(const cli_options *options, const char *name);
/* Return the command of this name, of which `length` characters count; NULL if there is none. */
const cli_command *cli_command_find(const cli_options *options, const char *name, size_t length);

/* Parse a command line. `commands` has `count` commands; the first is the default. Return false
 * after a message on standard error. Release with cli_options_free. */
bool cli_parse(int argc, char **argv, const cli_command *commands, size_t count,
               cli_options *options);
void cli_options_free(cli_options *options);
/* Complete `question` for the inputs of these options. It may be another question than that of the
 * options. */
void cli_settle_question(mp_question *question, const cli_options *options);

/* Return true if the answer is printed for people; false if for programs. */
bool cli_is_for_people(const cli_options *options);
