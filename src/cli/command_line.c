#include "cli/command_line.h"

#include <string.h>

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("%+,-./:=@_", c));
}

/* Add a quoted word. Bytes that are not printable text are written as octal numbers in $'...'. */
static void put_quoted(mp_text_buffer *state, const char *text)
{
    mp_arena arena = {0};
    mp_slice whole = mp_slice_of(text);
    size_t length;
    bool plain = *text != '\0', strange = !mp_utf8_valid(whole);
    for (const char *cursor = text; *cursor; cursor++) {
        plain &= is_plain(*cursor);
        strange |= mp_text_hidden(cursor, text + whole.length, &length) != MP_SEEN;
    }
    if (plain) {
        mp_text_put(state, text, whole.length);
        return;
    }
    mp_text_put(state, strange ? "$'" : "'", strange ? 2 : 1);
    for (const char *position = text; *position; position++) {
        unsigned char byte = (unsigned char)*position;
        if (strange && (byte < 32 || byte >= 127 || byte == '\\' || byte == '\''))
            mp_text_put(state, mp_arena_format(&arena, "\\%03o", byte), 4);
        else if (byte == '\'')
            mp_text_put(state, "'\\''", 4);
        else
            mp_text_put(state, position, 1);
    }
    mp_text_put(state, "'", 1);
    mp_arena_free(&arena);
}

static void put_word(mp_text_buffer *state, const char *text)
{
    mp_text_put(state, " ", 1);
    put_quoted(state, text);
}

/* Return true if the option is part of the question. Options for the destination, the speed or the
 * export file are not part of it. */
static bool is_asked(const cli_option *option)
{
    static const char *const others[] = {"output",   "quiet",      "verbose",    "jobs",
                                         "no-pager", "no-sandbox", "max-memory", "max-time"};
    if (option && option->scope == CLI_EXPORTS)
        return true;
    bool asked = option && option->kind != CLI_RENDERER && option->kind != CLI_OWN_RENDERER &&
                 option->kind != CLI_COLOURING && option->kind != CLI_WIDTH;
    for (size_t i = 0; asked && i < sizeof others / sizeof *others; i++)
        asked = strcmp(option->name, others[i]) != 0;
    return asked;
}

char *cli_command_line(const cli_options *options)
{
    mp_text_buffer line = {0};
    const cli_command *command = &options->command;
    const char *operand = options->operand;
    bool dashes = operand && *operand == '-' && operand[1];
    mp_text_put(&line, "memprof", 7);
    put_word(&line, command->name);
    for (size_t i = 0; i < options->pair_count; i++) {
        const cli_pair *pair = &options->pairs[i];
        const cli_option *option = cli_option_of(command, pair->name);
        if (!is_asked(option))
            continue;
        mp_text_put(&line, " --", 3);
        mp_text_put(&line, pair->name, strlen(pair->name));
        if (option->argument)
            put_word(&line, pair->text);
    }
    for (size_t i = 0; i < options->path_count; i++)
        dashes |= options->paths[i][0] == '-' && options->paths[i][1];
    if (dashes)
        mp_text_put(&line, " --", 3);
    if (operand)
        put_word(&line, operand);
    for (size_t i = 0; i < options->path_count; i++)
        put_word(&line, options->paths[i]);
    return line.text;
}
