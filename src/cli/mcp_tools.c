#include "cli/mcp_tools.h"

#include <stdlib.h>
#include <string.h>

enum { TOOLS_PER_PAGE = 16, LONGEST_TEXT = 4096 };

static const char introduction[] =
    "Answers about recordings of memory and execution profilers. The tool recordings lists the "
    "files; analyze is an overview of one, leaks, top, growth and others answer single questions, "
    "and sql any other. Answers are JSON, with sizes in bytes and times in microseconds, and have "
    "the first rows only: call a tool again with the same arguments and its cursor for all rows. "
    "Many tools have these arguments; not-type and so on exclude what matches:";

/* Return true if an option means something to a client: it is about the question, or about how its
 * recordings are read. Folders of sources and listings are left out, because the recording says
 * which files in them to read; the statement has an argument of its own. */
static bool is_offered(const cli_command *command, const cli_option *option)
{
    const mp_report *report = command->report;
    return cli_option_of(command, option->name) == option &&
           (option->kind == CLI_ASKS || option->kind == CLI_READS_AS) &&
           !(option->section == CLI_GENERAL && option->harmless) &&
           !mp_text_is(option->argument ? option->argument : "", "DIR") &&
           !mp_text_is(option->name, "all-tables") && !mp_text_is(option->name, "file") &&
           !mp_text_is(option->name, mp_operand_argument(report->operand));
}

static bool names_file(const cli_option *option)
{
    return option->argument && strcmp(option->argument, "FILE") == 0;
}

/* --- descriptions --- */

static json_t *text_of(const char *text)
{
    char spelled[LONGEST_TEXT];
    return json_string(mp_spell(spelled, sizeof spelled, text, ""));
}

/* Return true if the argument takes several words, separated by commas. */
static bool takes_several(const mp_report *report, const char *argument)
{
    for (const mp_choice *choice = report->choices; choice && choice->argument; choice++)
        if (choice->several && mp_text_is(choice->argument, argument))
            return true;
    return false;
}

static json_t *words_of(const cli_command *command, const cli_option *option)
{
    const char *words[MP_MOST_WORDS];
    const size_t count = cli_option_words(command, option, words);
    json_t *list = count ? json_array() : NULL;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

/* Return true if many tools have the option; its help is in the instructions only. */
static bool is_shared(const cli_option *option)
{
    return option->kind == CLI_READS_AS ||
           (option->part_of && strcmp(option->part_of, "selection") == 0);
}

static json_t *type_of(const cli_option *option)
{
    const bool plain = option->kind == CLI_ASKS && !option->part_of;
    const char *type = !option->argument                               ? "boolean"
                       : plain && option->value == MP_ARGUMENT_COUNT   ? "integer"
                       : plain && option->value == MP_ARGUMENT_PERCENT ? "number"
                                                                       : "string";
    return json_pack("{s:s}", "type", type);
}

/* Return the schema of an option's value. */
static json_t *describe_option(const cli_command *command, const cli_option *option)
{
    json_t *value = type_of(option), *words = is_shared(option) ? NULL : words_of(command, option);
    json_t *help = is_shared(option) ? NULL : text_of(option->help);
    if (words && takes_several(command->report, option->name)) {
        char *list = json_dumps(words, JSON_COMPACT);
        json_t *more = json_sprintf("%s: %s", json_string_value(help), list);
        free(list);
        json_decref(help);
        json_decref(words);
        help = more;
    } else if (words) {
        json_object_set_new(value, "enum", words);
    }
    if (option->repeats)
        value = json_pack("{s:s, s:o}", "type", "array", "items", value);
    if (help)
        json_object_set_new(value, "description", help);
    return value;
}

json_t *mcp_instructions(void)
{
    mp_text_buffer text = {0};
    char help[LONGEST_TEXT], line[LONGEST_TEXT];
    mp_text_put(&text, introduction, sizeof introduction - 1);
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (!is_shared(option) || (option->section == CLI_GENERAL && option->harmless) ||
            strncmp(option->name, "not-", 4) == 0)
            continue;
        const int length = snprintf(line, sizeof line, "\n%s: %s", option->name,
                                    mp_spell(help, sizeof help, option->help, ""));
        mp_text_put(&text, line, (size_t)length);
    }
    json_t *string = json_stringn(text.text, text.length);
    free(text.text);
    return string;
}

static json_t *describe_operand(const cli_command *command)
{
    static const char *const meanings[] = {
        [MP_OPERAND_OBJECT] = "id of the object",
        [MP_OPERAND_BASE] = "recording or baseline to compare with",
        [MP_OPERAND_POLICY] = "policy file with the rules",
        [MP_OPERAND_CODE] = "name of the code",
        [MP_OPERAND_PROGRAM] = "name of the program",
        [MP_OPERAND_STATEMENT] = "one SELECT of SQLite; the argument schema lists the tables",
    };
    return json_pack("{s:s, s:s}", "type", "string", "description",
                     meanings[command->report->operand]);
}

static json_t *describe(const cli_command *command)
{
    const mp_report *report = command->report;
    json_t *properties =
        json_pack("{s:{s:s, s:{s:s}, s:i, s:s}, s:{s:s, s:s}}", "files", "type", "array", "items",
                  "type", "string", "minItems", 1, "description",
                  "recordings, or folders of them; FILE@SNAPSHOT: up to that snapshot", "cursor",
                  "type", "string", "description", "cursor of an answer, for the next rows");
    json_t *required = json_pack("[s]", "files");
    if (report->operand != MP_OPERAND_NONE) {
        const char *name = mp_operand_argument(report->operand);
        json_object_set_new(properties, name, describe_operand(command));
        if (report->operand == MP_OPERAND_BASE || report->operand == MP_OPERAND_POLICY ||
            report->operand == MP_OPERAND_PROGRAM)
            json_array_append_new(required, json_string(name));
    }
    for (size_t i = 0; i < cli_option_count; i++)
        if (is_offered(command, &cli_option_table[i]))
            json_object_set_new(properties, cli_option_table[i].name,
                                describe_option(command, &cli_option_table[i]));
    char text[LONGEST_TEXT];
    snprintf(text, sizeof text, "%s%s%s", command->summary, command->details ? ". " : "",
             command->details ? command->details : "");
    return json_pack("{s:s, s:o, s:{s:s, s:o, s:o, s:b}, s:{s:b, s:b}}", "name", command->name,
                     "description", text_of(text), "inputSchema", "type", "object", "properties",
                     properties, "required", required, "additionalProperties", false, "annotations",
                     "readOnlyHint", true, "openWorldHint", false);
}

static json_t *describe_listing(void)
{
    return json_pack("{s:s, s:s, s:{s:s, s:{s:{s:s, s:s}}, s:b}, s:{s:b, s:b}}", "name",
                     "recordings", "description", "list the files that can be read", "inputSchema",
                     "type", "object", "properties", "cursor", "type", "string", "description",
                     "cursor of an answer, to get the next files", "additionalProperties", false,
                     "annotations", "readOnlyHint", true, "openWorldHint", false);
}

/* Return true if the command is a report, and so a tool. */
static bool is_tool(const cli_command *command)
{
    return command->report && !(command->scope & (CLI_STORES | CLI_EXPORTS));
}

json_t *mcp_tools_list(const cli_options *options, size_t first)
{
    size_t place = 0;
    json_t *tools = json_array();
    if (first == place++)
        json_array_append_new(tools, describe_listing());
    for (size_t i = 0; i < options->command_count; i++)
        if (is_tool(&options->commands[i]) && place++ >= first && place <= first + TOOLS_PER_PAGE)
            json_array_append_new(tools, describe(&options->commands[i]));
    const bool any = json_array_size(tools) > 0;
    json_t *page = json_pack("{s:o}", "tools", tools);
    if (place > first + TOOLS_PER_PAGE)
        json_object_set_new(page, "nextCursor", json_sprintf("%zu", first + TOOLS_PER_PAGE));
    if (any)
        return page;
    json_decref(page);
    return NULL;
}

const cli_command *mcp_tool_command(const cli_options *options, const char *name)
{
    for (size_t i = 0; i < options->command_count; i++)
        if (is_tool(&options->commands[i]) && strcmp(options->commands[i].name, name) == 0)
            return &options->commands[i];
    return NULL;
}

/* --- calls --- */

static void add(mcp_call *call, const char *word)
{
    mp_grow(&call->words, &call->capacity, call->count + 2, sizeof *call->words);
    call->words[call->count++] = word;
    call->words[call->count] = NULL;
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
            add(call, mp_arena_format(&call->texts, "--%s", option->name));
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
    add(call, word);
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
        if (!value || !is_offered(command, option))
            continue;
        if (!option->repeats || !json_is_array(value))
            wrong = add_option(call, folders, option, value);
        for (size_t j = 0; option->repeats && !wrong && j < json_array_size(value); j++)
            wrong = add_option(call, folders, option, json_array_get(value, j));
    }
    return wrong;
}

/* Add the text before the recordings, if there is one. */
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
        add(call, text);
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
        add(call, path);
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
        if (is_offered(command, &cli_option_table[i]))
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
    add(call, "memprof");
    add(call, command->name);
    add(call, "--no-config");
    add(call, "--format=json");
    if (!cursor)
        add(call, "--brief");
    wrong = add_options(call, folders, command, arguments);
    if (wrong)
        return wrong;
    add(call, "--"); /* so that no text is an option */
    wrong = add_operand(call, folders, command->report->operand, arguments);
    return wrong ? wrong : add_files(call, folders, json_object_get(arguments, "files"));
}

void mcp_call_free(mcp_call *call)
{
    free(call->words);
    mp_arena_free(&call->texts);
}
