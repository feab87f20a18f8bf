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

/* Return true if an option of a command is also an argument of its tool. */
static bool may_offer(const cli_option *option)
{
    return (option->kind == CLI_ASKS || option->kind == CLI_READS_AS) && !option->no_tool &&
           !(option->section == CLI_GENERAL && option->harmless);
}

bool mcp_is_offered(const cli_command *command, const cli_option *option)
{
    return may_offer(option) && cli_option_of(command, option->name) == option &&
           cli_option_kinds(command, option) &&
           !mp_text_is(option->name, mp_operand_argument(command->report->operand));
}

/* --- descriptions --- */

static json_t *text_of(const char *text)
{
    char spelled[LONGEST_TEXT];
    return json_string(mp_spell(spelled, sizeof spelled, text, ""));
}

/* Return true if the argument accepts several words, separated by commas. */
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

/* Return true if many tools have the option. Then only the instructions explain it. */
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
        if (!is_shared(option) || !may_offer(option) || mp_option_excludes(option->name))
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
        if (report->operand == MP_OPERAND_BASE || report->operand == MP_OPERAND_POLICY)
            json_array_append_new(required, json_string(name));
    }
    for (size_t i = 0; i < cli_option_count; i++)
        if (mcp_is_offered(command, &cli_option_table[i]))
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

/* Return true if the command is a tool. All reports are tools, except a report about source files:
 * it has no answer without the folder of the sources, for which tools have no argument. */
static bool is_tool(const cli_command *command)
{
    return command->report && !(command->scope & (CLI_STORES | CLI_EXPORTS)) &&
           command->report->operand != MP_OPERAND_PROGRAM;
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
    const cli_command *command = cli_command_find(options, name, strlen(name));
    return command && is_tool(command) ? command : NULL;
}
