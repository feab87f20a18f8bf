#include "cli/fits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/chart.h"

bool cli_is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool cli_is_input(const char *operand)
{
    size_t length = strcspn(operand, "@:");
    char *path = mp_copy(operand, length);
    bool is = strcmp(operand, "-") == 0 || cli_is_there(operand) || cli_is_there(path);
    free(path);
    return is;
}

bool cli_given_once(const cli_options *options)
{
    for (size_t i = 0; i < options->pair_count; i++) {
        const cli_pair *pair = &options->pairs[i];
        const cli_option *option = cli_option_of(&options->command, pair->name);
        for (size_t j = 0; option && option->argument && !option->repeats && j < i; j++)
            if (options->pairs[j].name == pair->name && !options->pairs[j].origin && !pair->origin)
                return cli_refuse(options, "--%s is given twice, as %s and as %s", pair->name,
                                  options->pairs[j].text, pair->text);
    }
    return true;
}

static bool reads_stdin_twice(const cli_options *options)
{
    const char *base = options->question.base;
    const char *statement = options->question.statement_path;
    size_t count = base && strcmp(base, "-") == 0;
    count += statement && strcmp(statement, "-") == 0;
    for (size_t i = 0; i < options->path_count; i++)
        count += strcmp(options->paths[i], "-") == 0;
    return count > 1;
}

bool cli_is_given(const cli_options *options, const char *name)
{
    bool is = false;
    for (size_t i = 0; i < options->pair_count; i++)
        is |= !options->pairs[i].origin && strcmp(options->pairs[i].name, name) == 0;
    return is;
}

bool cli_to_is_format(const cli_options *options)
{
    const cli_option *to = cli_option_of(&options->command, "to");
    return to && to->kind == CLI_OWN_RENDERER && cli_is_given(options, "to");
}

static bool format_fits(const cli_options *options)
{
    const cli_command *command = &options->command;
    const mp_renderer *renderer = options->renderer;
    if (renderer->command && !cli_command_writes(command, renderer))
        return cli_refuse(options, "--format %s is for %s, not for %s", renderer->name,
                          renderer->command, command->name);
    if (command->scope & CLI_EXPORTS && !cli_command_writes(command, renderer))
        return cli_refuse(options, "the summary that %s prints cannot be --format %s",
                          command->name, renderer->name);
    if (command->scope & CLI_WATCHES && !cli_command_writes(command, renderer))
        return cli_refuse(options, "%s prints one line per snapshot, which %s does not support",
                          command->name, renderer->name);
    if (cli_to_is_format(options) && cli_is_given(options, "format"))
        return cli_refuse(options, "--to and --format both set the output format; use only one");
    for (const char *const *name = renderer->unused; name && *name; name++)
        if (cli_is_given(options, *name))
            return cli_refuse(options, "%s always contains everything; --%s has no effect on it",
                              renderer->name, *name);
    if (options->brief && !renderer->can_be_brief)
        return cli_refuse(options, "--brief supports --format text or json, not %s",
                          renderer->name);
    return true;
}

/* Check the number of files, and the argument before them. */
static bool operands_fit(const cli_options *options)
{
    const cli_command *command = &options->command;
    const char *operand = command->operand ? command->operand : "";
    bool optional = *operand == '[';
    if (cli_compares(command) && options->path_count != 1)
        return cli_refuse(options, "%s compares two files: BASE FILE", command->name);
    if (optional && options->path_count > 1)
        return cli_refuse(options, "%s takes one name and one file", command->name);
    bool misses = *operand && !optional && !cli_is_given(options, "policy");
    if (command->scope & CLI_READS && options->path_count == 0)
        return cli_refuse(options, "%s needs %s%sa file to read (\"-\" is standard input)%s",
                          command->name, misses ? operand : "", misses ? " and " : "",
                          mp_argument_find(command->arguments, "object")
                              ? "; --type GLOB can replace OBJECT"
                              : "");
    if (reads_stdin_twice(options))
        return cli_refuse(options, "standard input (\"-\") can be read only once");
    if (!(command->scope & CLI_READS) && options->path_count)
        return cli_refuse(options, "%s takes no file, but got %s", command->name,
                          options->paths[0]);
    return true;
}

bool cli_fits(const cli_options *options)
{
    return format_fits(options) && operands_fit(options) && cli_chart_fits(options);
}
