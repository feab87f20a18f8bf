#include "cli/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/option_table.h"
#include "cli/run.h"
#include "compare/digest.h"

/* Whether an option was given. */
typedef struct cli_given {
    bool given;
    const char *misfit; /* the argument, where it is none for this row */
} cli_given;

static bool refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool refuse(const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cli_put_message(message);
    fputs("Try: memprof --help\n", stderr);
    return false;
}

/* "text, json or csv" */
static void list_renderers(char *text, size_t size)
{
    size_t count, used = 0;
    const mp_renderer *const *renderers = mp_renderers(&count);
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " or ",
                                 renderers[i]->name);
}

static bool refuse_argument(const cli_option *option, const char *argument)
{
    char renderers[512];
    list_renderers(renderers, sizeof renderers);
    return refuse("--%s takes %s, not \"%s\"", option->name,
                  option->takes ? option->takes : renderers, argument);
}

/* The row of an option's name that these commands honour; NULL: none. One name may mean one thing
 * to a report and another to an exporter. */
static const cli_option *row_of(const cli_option *option, unsigned honours)
{
    for (size_t i = 0; i < cli_option_count; i++)
        if ((cli_option_table[i].honoured_with & honours) &&
            strcmp(cli_option_table[i].name, option->name) == 0)
            return &cli_option_table[i];
    return NULL;
}

/* getopt's view of the table: each name once. */
static void long_options(struct option *options)
{
    int count = 0;
    for (size_t i = 0; i < cli_option_count; i++)
        if (row_of(&cli_option_table[i], ~0u) == &cli_option_table[i])
            options[count++] = (struct option){
                cli_option_table[i].name,
                cli_option_table[i].argument ? required_argument : no_argument, NULL, 256 + (int)i};
    options[count] = (struct option){0};
}

/* The command, if the first operand names one; else the default with all operands as files. */
static bool take_command(cli_options *options, char **operands, int count)
{
    bool named = count > 0 && cli_command_find(operands[0], &options->command);
    options->command_named = named;
    if (!named) {
        size_t reports;
        const char *path = count > 0 ? operands[0] : "";
        struct stat status;
        cli_command_find(mp_reports(&reports)[0]->name, &options->command);
        if (count > 0 && !strpbrk(path, "./") && strcmp(path, "-") != 0 && stat(path, &status) != 0)
            return refuse("%s is neither a command nor a file", path);
    }
    bool takes_type =
        options->view.object_type && options->command.honours & MP_HONOURS_OBJECT_TYPE;
    operands += named;
    count -= named;
    if (options->command.operand && !takes_type && count > 0) {
        options->view.object = *operands++;
        options->pairs[options->pair_count++] = (cli_pair){"object", options->view.object};
        count--;
    }
    options->path_count = (size_t)count;
    options->paths = mp_alloc((options->path_count + 1) * sizeof *options->paths);
    for (size_t i = 0; i < options->path_count; i++)
        options->paths[i] = operands[i];
    return true;
}

/* Set it in every key that its name has, and remember where the argument did not fit. False if
 * it fits nowhere. */
static bool set_all(const cli_option *option, cli_options *options, const char *argument,
                    cli_given *given)
{
    bool fits = false;
    for (size_t i = 0; i < cli_option_count; i++) {
        if (strcmp(cli_option_table[i].name, option->name) != 0)
            continue;
        bool set = cli_option_table[i].set(options, argument);
        given[i] = (cli_given){true, set ? NULL : argument};
        fits |= set;
    }
    return fits;
}

static bool parse_options(int argc, char **argv, cli_options *options, cli_given *given)
{
    struct option known[CLI_OPTIONS_MOST + 1];
    int found;
    long_options(known);
    opterr = 0;
    while ((found = getopt_long(argc, argv, ":ho:", known, NULL)) != -1) {
        if (found == 'h' || found == 'o') {
            if (found == 'h')
                options->help = true;
            else if (optarg && *optarg)
                options->output = optarg;
            else
                return refuse("-o takes a path");
            continue;
        }
        if (found == ':')
            return refuse("%s needs an argument", argv[optind - 1]);
        char letter[] = {'-', (char)optopt, '\0'}; /* one of several behind a dash, such as -xyz */
        if (found < 256 && optopt && optopt < 256)
            return refuse("%s is not an option of memprof",
                          optopt > 0 ? letter : "a dash with no ASCII letter behind it");
        if (found < 256)
            return refuse("%s is not an option of memprof, stands for several, or takes no "
                          "argument",
                          argv[optind - 1]);
        const cli_option *option = &cli_option_table[found - 256];
        options->pairs[options->pair_count++] = (cli_pair){option->name, optarg ? optarg : ""};
        if (!set_all(option, options, optarg ? optarg : "", given))
            return refuse_argument(option, optarg);
    }
    return true;
}

/* A program that asks for a table wants all of it, unless that may be a dump's every object. */
static void choose_limit(cli_options *options)
{
    const mp_report *report = options->command.report;
    if (options->view.limit < 0 && options->renderer->for_programs && report && !report->overview)
        options->view.limit = report->program_rows;
}

/* Before anything is read or written. */
static bool check_renderer(const cli_options *options)
{
    const char *only = options->renderer->command;
    if (!only || strcmp(only, options->command.name) == 0)
        return true;
    return refuse("--format %s shows the answer of %s, not of %s", options->renderer->name, only,
                  options->command.name);
}

/* Whether the command honours what was given, and what it takes there. */
static bool check_given(cli_options *options, const cli_given *given)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        if (!given[i].given)
            continue;
        const cli_option *row = row_of(&cli_option_table[i], options->command.honours);
        if (!row)
            return refuse("%s does not use --%s", options->command.name, cli_option_table[i].name);
        if (row == &cli_option_table[i] && given[i].misfit)
            return refuse_argument(row, given[i].misfit);
        if (row == &cli_option_table[i] && row->honoured_with < 1u << MP_HONOURS_COUNT)
            options->given_arguments[options->given_count++] =
                (mp_given){cli_option_argument(row), row->name};
        for (size_t bit = 0; row == &cli_option_table[i] && bit < MP_HONOURS_COUNT; bit++)
            if (row->honoured_with & 1u << bit)
                options->given[bit] = row->name;
    }
    return true;
}

/* Fill the report's own struct. What does not fit was refused before. */
static void fill_arguments(cli_options *options)
{
    const mp_report *report = options->command.report;
    mp_error error = {0};
    options->arguments = report ? mp_arguments_new(report) : NULL;
    for (size_t i = 0; options->arguments && i < options->pair_count; i++)
        mp_arguments_set(report, options->arguments, options->pairs[i].name, options->pairs[i].text,
                         &error);
    const mp_argument *limit = options->arguments ? mp_argument_find(report, "limit") : NULL;
    if (limit && options->view.limit >= 0)
        *(int64_t *)((char *)options->arguments + limit->offset) = options->view.limit;
}

/* A check is a gate: its base is in the store. */
static void check_baseline(cli_options *options)
{
    options->base_path = cli_baseline_path(options);
    options->base = options->base_path;
    options->command.report = mp_report_find("gate");
    options->view.object = options->policy;
}

/* Room for as many of each repeatable option as there are arguments. */
static void begin(cli_options *options, int argc)
{
    size_t renderers;
    *options =
        (cli_options){.view = {.limit = -1, .stack_depth = -1, .depth = -1, .min_percent = -1}};
    options->renderer = mp_renderers(&renderers)[0];
    options->source_folders = mp_alloc((size_t)argc * sizeof *options->source_folders);
    options->skips = mp_alloc((size_t)argc * sizeof *options->skips);
    options->suppress_paths = mp_alloc((size_t)argc * sizeof *options->suppress_paths);
    options->load.source_folders = options->source_folders;
    options->load.skips = options->skips;
    options->pairs = mp_alloc(((size_t)argc + 1) * sizeof *options->pairs);
    options->given_arguments = mp_alloc((CLI_OPTIONS_MOST + 1) * sizeof *options->given_arguments);
    options->criteria = mp_alloc((size_t)argc * sizeof *options->criteria);
    options->selection.criteria = options->criteria;
    options->substitutions = mp_alloc((size_t)argc * sizeof *options->substitutions);
    options->view.substitutions = options->substitutions;
}

static bool reads_stdin_twice(const cli_options *options)
{
    size_t count = 0;
    for (size_t i = 0; i < options->path_count; i++)
        count += strcmp(options->paths[i], "-") == 0;
    const char *base =
        options->command.honours & MP_HONOURS_COMPARE ? options->view.object : options->base;
    return count + (base && strcmp(base, "-") == 0) > 1;
}

/* Whether there is as much to read as the command takes. */
static bool check_operands(const cli_options *options)
{
    const cli_command *command = &options->command;
    if (command->honours & MP_HONOURS_COMPARE && options->path_count != 1)
        return refuse("%s compares BASE with one other recording", command->name);
    if (command->reads && options->path_count == 0)
        return refuse("%s needs %s%sa file to read (\"-\" is standard input)", command->name,
                      command->operand ? command->operand : "", command->operand ? " and " : "");
    if (reads_stdin_twice(options))
        return refuse("standard input (\"-\") can be read once");
    if (!command->reads && options->path_count)
        return refuse("%s takes no file, and got %s", command->name, options->paths[0]);
    if (command->honours & EXPORTS && (!options->exporter || !options->output))
        return refuse("%s needs --to %s", command->name,
                      options->exporter ? "FORMAT and --output FILE, and has no --output"
                                        : "FORMAT and --output FILE, and has no --to");
    if (command->honours & EXPORTS && strcmp(options->output, "-") == 0)
        return refuse("%s writes a file, not standard output%s", command->name, "");
    return true;
}

static bool check_store(cli_options *options)
{
    const char *action = options->view.object ? options->view.object : "";
    bool checks = strcmp(action, "check") == 0;
    if (!checks && strcmp(action, "save") != 0)
        return refuse("%s saves or checks: memprof baseline save|check FILE --store DIR",
                      options->command.name);
    if (!options->store)
        return refuse("%s needs --store DIR", options->command.name);
    if (options->path_count != 1)
        return refuse("%s is of one recording", options->command.name);
    if (checks)
        check_baseline(options);
    return true;
}

bool cli_parse(int argc, char **argv, cli_options *options)
{
    cli_given given[CLI_OPTIONS_MOST] = {{false, NULL}};
    begin(options, argc);
    if (!parse_options(argc, argv, options, given) ||
        !take_command(options, argv + optind, argc - optind))
        return false;
    if (options->help || options->version)
        return true;
    if (!check_given(options, given) || !check_renderer(options) || !check_operands(options))
        return false;
    if (options->output && strcmp(options->output, "-") == 0)
        options->output = NULL;
    choose_limit(options);
    if (options->command.honours & MP_HONOURS_COMPARE)
        options->base = options->view.object;
    if (options->command.honours & STORES && !check_store(options))
        return false;
    fill_arguments(options);
    /* One name may mean several things: what this command does not mean is nothing to it. */
    if (!(options->command.honours & MP_HONOURS_SELECT))
        options->selection = (mp_selection){.criteria = options->criteria};
    if (options->load.source_folder_count && !options->given[MP_BIT_SOURCES]) {
        options->given[MP_BIT_SOURCES] = "source";
        options->given_arguments[options->given_count++] = (mp_given){"listings", "source"};
    }
    return true;
}

void cli_options_free(cli_options *options)
{
    free(options->paths);
    free(options->source_folders);
    free(options->skips);
    free(options->criteria);
    free(options->substitutions);
    free(options->base_path);
    free(options->suppress_paths);
    if (options->command.report)
        mp_arguments_free(options->command.report, options->arguments);
    free(options->pairs);
    free(options->given_arguments);
}
