#include "cli/fits.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/chart.h"

bool cli_is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
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
    size_t count = base && strcmp(base, "-") == 0;
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

/* Whether what is no file stands where a file should, and the other way round. False after a
 * message. */
static bool check_places(const cli_options *options)
{
    const cli_command *command = &options->command;
    const char *operand = options->operand, *path = options->path_count ? options->paths[0] : "-";
    bool last = command->operand_last;
    bool named = last || (command->report && command->report->operand == MP_OPERAND_OBJECT);
    if (!operand || !named || options->path_count != 1 || strcmp(path, "-") == 0 ||
        cli_is_there(path) || strchr(path, '@') || !cli_is_there(operand))
        return true;
    return cli_refuse(options, "%s is no file, and %s is one: memprof %s %s %s", path, operand,
                      command->name, last ? operand : path, last ? path : operand);
}

static bool format_fits(const cli_options *options)
{
    const cli_command *command = &options->command;
    const mp_renderer *renderer = options->renderer;
    if (renderer->command && !cli_command_writes(command, renderer))
        return cli_refuse(options, "--format %s shows the answer of %s, not of %s", renderer->name,
                          renderer->command, command->name);
    if (command->scope & CLI_EXPORTS && !cli_command_writes(command, renderer))
        return cli_refuse(options, "%s tells what it wrote, and --format %s shows none of it",
                          command->name, renderer->name);
    if (command->scope & CLI_WATCHES && !cli_command_writes(command, renderer))
        return cli_refuse(options, "%s prints a line for each snapshot, which %s cannot",
                          command->name, renderer->name);
    if (cli_to_is_format(options) && cli_is_given(options, "format"))
        return cli_refuse(options, "--to and --format both say what is written: give one of them");
    for (const char *const *name = renderer->unused; name && *name; name++)
        if (cli_is_given(options, *name))
            return cli_refuse(options, "%s has all there is, and no use for --%s", renderer->name,
                              *name);
    if (options->brief && !renderer->can_be_brief)
        return cli_refuse(options, "--brief goes with --format text or json, not with %s",
                          renderer->name);
    return true;
}

/* What stands on the command line beside options. */
static bool operands_fit(const cli_options *options)
{
    const cli_command *command = &options->command;
    bool before = command->operand && !command->operand_last;
    if (cli_compares(command) && options->path_count != 1)
        return cli_refuse(options, "%s compares BASE with one other recording", command->name);
    const char *behind = command->operand_last ? command->operand : NULL;
    bool optional = behind && *behind == '[';
    if (behind && !optional && !options->operand)
        return cli_refuse(options,
                          "%s needs a file to read (\"-\" is standard input) and, behind it, %s",
                          command->name, behind);
    if (optional && options->path_count > 1)
        return cli_refuse(options, "%s takes one file and, behind it, one name", command->name);
    bool misses = before && !cli_is_given(options, "policy");
    if (command->scope & CLI_READS && options->path_count == 0)
        return cli_refuse(options, "%s needs %s%sa file to read (\"-\" is standard input)%s",
                          command->name, misses ? command->operand : "", misses ? " and " : "",
                          mp_argument_find(command->arguments, "object")
                              ? "; --type GLOB may stand for OBJECT"
                              : "");
    if (reads_stdin_twice(options))
        return cli_refuse(options, "standard input (\"-\") can be read once");
    if (!(command->scope & CLI_READS) && options->path_count)
        return cli_refuse(options, "%s takes no file, and got %s", command->name,
                          options->paths[0]);
    return true;
}

bool cli_fits(const cli_options *options)
{
    return format_fits(options) && check_places(options) && operands_fit(options) &&
           cli_chart_fits(options);
}
