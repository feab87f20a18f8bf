#include "cli/operands.h"

#include <string.h>

#include "cli/fits.h"

/* Return true if the command's argument is a file, which only its contents distinguish from a
 * recording. */
static bool takes_file(const cli_command *command)
{
    bool gates = command->report && command->report->operand == MP_OPERAND_POLICY &&
                 !(command->scope & CLI_STORES);
    return gates || cli_compares(command);
}

/* Judge by the name whether a word is the argument of the command, and not a recording. A statement
 * may come from standard input. */
static mp_likeness name_likeness(const cli_command *command, const char *word)
{
    if (takes_file(command))
        return MP_MAY_BE;
    bool is_statement = mp_argument_find(command->arguments, "statement") && strcmp(word, "-") == 0;
    return is_statement || !cli_is_input(word) ? MP_IS : MP_IS_NOT;
}

/* Judge by the contents whether a file is the argument of the command. */
static mp_likeness content_likeness(const cli_options *options, const char *word)
{
    const mp_load_options *how = &options->reading.load;
    if (cli_compares(&options->command))
        return mp_file_is_baseline(word, how) ? MP_IS : MP_IS_NOT;
    return mp_file_policy_likeness(word, how);
}

/* Return true if all operands are inputs, and the command's statement can be typed on the terminal
 * instead. */
static bool lacks_statement(const cli_command *command, const char *const *operands, size_t count)
{
    bool lacks =
        count > 0 && mp_argument_find(command->arguments, "statement") && cli_is_interactive();
    for (size_t i = 0; i < count; i++)
        lacks &= cli_is_input(operands[i]) && strcmp(operands[i], "-") != 0;
    return lacks;
}

/* Return true if the option is on the command line. */
static bool is_given(const cli_options *options, const char *argument, const char *option)
{
    return mp_argument_find(options->command.arguments, argument) && cli_is_given(options, option);
}

void cli_operands_place(cli_options *options, const char *const *operands, size_t count)
{
    const cli_command *command = &options->command;
    /* Options that can be given in place of the argument. */
    bool replaced = is_given(options, "object", "type") || is_given(options, "policy", "policy") ||
                    is_given(options, "statement", "file") ||
                    is_given(options, "statement", "schema");
    bool optional = command->operand && *command->operand == '[';
    options->prompts = !replaced && lacks_statement(command, operands, count);
    bool given = command->operand && !replaced && !options->prompts && count > optional;
    size_t place = 0;
    for (size_t i = 0; given && i < count; i++)
        if (name_likeness(command, operands[i]) > name_likeness(command, operands[place]))
            place = i;
    if (given && optional)
        given = name_likeness(command, operands[place]) == MP_IS;
    options->operand = given ? operands[place] : NULL;
    options->paths = mp_alloc((count + 1) * sizeof *options->paths);
    for (size_t i = 0; i < count; i++)
        if (!given || i != place)
            options->paths[options->path_count++] = operands[i];
}

/* Exchange the argument for a file. The files before this file move up. */
static void exchange(cli_options *options, size_t place)
{
    const char *named = options->paths[place];
    mp_error unheard = {0};
    memmove(options->paths + 1, options->paths, place * sizeof *options->paths);
    options->paths[0] = options->operand;
    options->operand = named;
    mp_question_set(&options->question, mp_operand_argument(options->command.report->operand),
                    named, &unheard);
}

bool cli_operands_order(cli_options *options)
{
    const char *argument = options->operand ? options->operand : options->question.policy_path;
    if (!argument || !takes_file(&options->command))
        return true;
    mp_likeness likeness = options->operand ? content_likeness(options, argument) : MP_IS;
    size_t place = options->path_count;
    for (size_t i = 0; i < options->path_count; i++) {
        const mp_likeness other = content_likeness(options, options->paths[i]);
        if (other == MP_IS && likeness == MP_IS && !cli_compares(&options->command))
            return cli_refuse(options, "%s takes one policy, but %s and %s are policies",
                              options->command.name, argument, options->paths[i]);
        if (other > likeness) {
            place = i;
            argument = options->paths[i];
            likeness = other;
        }
    }
    if (place < options->path_count)
        exchange(options, place);
    return true;
}
