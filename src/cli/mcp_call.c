#include "cli/mcp_call.h"

#include <stdlib.h>
#include <string.h>

#include "cli/mcp_tools.h"

static bool names_file(const cli_option *option)
{
    return option->argument && strcmp(option->argument, "FILE") == 0;
}

/* Return a single value as text, in the arena; NULL if it has no text. */
static const char *value_text(mp_arena *arena, const json_t *value)
{
    if (json_is_string(value))
        return mp_arena_copy(arena, json_string_value(value), json_string_length(value));
    if (json_is_integer(value))
        return mp_arena_format(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value))
        return mp_arena_format(arena, "%.15g", json_real_value(value));
    return NULL;
}

static const char *add_option(mcp_call *call, const mcp_folders *folders, const cli_option *option,
                              const json_t *value)
{
    const char *why = NULL, *text = value_text(&call->texts, value);
    if (!option->argument && !json_is_boolean(value))
        return mp_arena_format(&call->texts, "%s is a switch, expected true or false",
                               option->name);
    if (!option->argument) {
        if (json_is_true(value))
            mp_argument_texts_add(&call->words,
                                  mp_arena_format(&call->texts, "--%s", option->name));
        return NULL;
    }
    if (!text)
        return mp_arena_format(&call->texts, "the value of %s is not valid, expected %s",
                               option->name, option->takes ? option->takes : "a text");
    if (names_file(option)) {
        text = mcp_folders_resolve(folders, &call->texts, text, &why);
        if (!text)
            return why;
    }
    const char *word = mp_arena_format(&call->texts, "--%s=%s", option->name, text);
    mp_argument_texts_add(&call->words, word);
    if (option->kind == CLI_READS_AS)
        call->reading = mp_arena_format(&call->texts, "%s %s", call->reading, word);
    return NULL;
}

static const char *add_options(mcp_call *call, const mcp_folders *folders,
                               const cli_command *command, const json_t *arguments)
{
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        const json_t *value = json_object_get(arguments, option->name);
        if (!value || !mcp_is_offered(command, option))
            continue;
        if (!option->repeats || !json_is_array(value))
            wrong = add_option(call, folders, option, value);
        for (size_t j = 0; option->repeats && !wrong && j < json_array_size(value); j++)
            wrong = add_option(call, folders, option, json_array_get(value, j));
    }
    return wrong;
}

/* Add the operand that comes before the recordings, if there is one. */
static const char *add_operand(mcp_call *call, const mcp_folders *folders, mp_operand operand,
                               const json_t *arguments)
{
    const char *name = operand != MP_OPERAND_NONE ? mp_operand_argument(operand) : NULL;
    const json_t *value = name ? json_object_get(arguments, name) : NULL;
    const char *why = NULL, *text = value ? value_text(&call->texts, value) : NULL;
    if (!value)
        return NULL;
    if (!text || !*text || strcmp(text, "-") == 0)
        return mp_arena_format(&call->texts, "%s is not valid, expected a text", name);
    if (operand == MP_OPERAND_BASE || operand == MP_OPERAND_POLICY)
        text = mcp_folders_resolve(folders, &call->texts, text, &why);
    if (text)
        mp_argument_texts_add(&call->words, text);
    return why;
}

static const char *add_files(mcp_call *call, const mcp_folders *folders, const json_t *files)
{
    const size_t count = json_is_string(files) ? 1 : json_array_size(files);
    const char *why = NULL;
    if (!count)
        return "files is missing, expected an array of paths";
    call->paths = mp_arena_alloc(&call->texts, count * sizeof *call->paths);
    for (size_t i = 0; i < count; i++) {
        const json_t *file = json_is_string(files) ? files : json_array_get(files, i);
        if (!json_is_string(file))
            return "files is not valid, expected an array of paths";
        const char *path =
            mcp_folders_resolve(folders, &call->texts, json_string_value(file), &why);
        if (!path)
            return why;
        call->paths[call->path_count++] = path;
        mp_argument_texts_add(&call->words, path);
    }
    return NULL;
}

/* Refuse arguments that the tool does not have. */
static const char *check_names(mcp_call *call, const cli_command *command, json_t *arguments)
{
    const char *names[CLI_MOST_OPTIONS + 3] = {"files", "cursor"}, *name;
    size_t count = 2;
    json_t *value;
    if (command->report->operand != MP_OPERAND_NONE)
        names[count++] = mp_operand_argument(command->report->operand);
    for (size_t i = 0; i < cli_option_count; i++)
        if (mcp_is_offered(command, &cli_option_table[i]))
            names[count++] = cli_option_table[i].name;
    json_object_foreach(arguments, name, value)
    {
        size_t i = 0;
        while (i < count && strcmp(names[i], name) != 0)
            i++;
        const char *nearest = i < count ? NULL : mp_text_nearest(name, names, count);
        if (i == count)
            return mp_arena_format(&call->texts, "%s has no argument '%.100s'%s%s%s", command->name,
                                   name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                                   nearest ? "'?" : "");
    }
    return NULL;
}

const char *mcp_call_begin(mcp_call *call, const mcp_folders *folders, const cli_command *command,
                           const json_t *arguments)
{
    const json_t *cursor = json_object_get(arguments, "cursor");
    *call = (mcp_call){.reading = ""};
    const char *wrong = check_names(call, command, (json_t *)arguments);
    if (!wrong && cursor && !json_is_string(cursor))
        wrong = "cursor is not valid, expected the cursor of an answer";
    if (wrong)
        return wrong;
    call->cursor = cursor ? value_text(&call->texts, cursor) : NULL;
    mp_argument_texts_add(&call->words, "memprof");
    mp_argument_texts_add(&call->words, command->name);
    mp_argument_texts_add(&call->words, "--no-config");
    mp_argument_texts_add(&call->words, "--format=json");
    if (!cursor)
        mp_argument_texts_add(&call->words, "--brief");
    wrong = add_options(call, folders, command, arguments);
    if (wrong)
        return wrong;
    /* End the options, so that no text is interpreted as an option. */
    mp_argument_texts_add(&call->words, "--");
    wrong = add_operand(call, folders, command->report->operand, arguments);
    return wrong ? wrong : add_files(call, folders, json_object_get(arguments, "files"));
}

void mcp_call_free(mcp_call *call)
{
    free(call->words.items);
    mp_arena_free(&call->texts);
}
