/* The command "mcp": a server of the Model Context Protocol on standard input and output. Its
 * messages are JSON-RPC 2.0, one message per line. A tool gives the answer of the command with the
 * same name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/mcp_input.h"
#include "cli/mcp_pages.h"
#include "cli/mcp_recordings.h"
#include "cli/mcp_tools.h"
#include "cli/sandbox.h"

const mp_argument_table cli_mcp_arguments = {.count = 0};

/* Errors of JSON-RPC. */
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
};

enum { LONGEST_CANCELLATION = 4096, FILES_PER_PAGE = 100 };

/* Supported versions of the protocol, the newest first. 2025-03-26 is missing, because it requires
 * batches. */
static const char *const versions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};

typedef struct mcp_server {
    const cli_options *options;
    mcp_folders folders;
    mcp_input input;
    mcp_recordings recordings;
    bool begun;       /* the client has sent "initialize" */
    const json_t *id; /* id of the request that is being answered */
    bool cancelled;   /* the client has cancelled this request */
    /* The last complete answer, and the call to which it belongs. */
    json_t *answer;
    char *question;
} mcp_server;

/* --- messages --- */

static bool put(json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(message);
    puts(text);
    free(text);
    return fflush(stdout) == 0;
}

static bool put_result(const json_t *id, json_t *result)
{
    return put(json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

static bool put_failure(const json_t *id, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_t *text = json_vsprintf(format, arguments);
    va_end(arguments);
    return put(json_pack("{s:s, s:O?, s:{s:i, s:o}}", "jsonrpc", "2.0", "id", id, "error", "code",
                         code, "message", text ? text : json_string("invalid text")));
}

/* --- cancelling --- */

/* Return true if the line cancels the request that is being answered. */
static bool cancels(const mcp_server *server, mp_slice line)
{
    if (line.length > LONGEST_CANCELLATION)
        return false;
    json_t *message = json_loadb(line.start, line.length, 0, NULL);
    const char *method = json_string_value(json_object_get(message, "method"));
    const json_t *params = json_object_get(message, "params");
    const bool is = method && strcmp(method, "notifications/cancelled") == 0 &&
                    json_equal(json_object_get(params, "requestId"), server->id);
    json_decref(message);
    return is;
}

/* Look for a cancellation while a recording is read (mp_session_watch). */
static bool advance(void *opaque, const char *path, uint64_t done, uint64_t total)
{
    mcp_server *server = opaque;
    mp_slice line;
    (void)path, (void)done, (void)total;
    mcp_input_poll(&server->input);
    while (!server->cancelled && mcp_input_peek(&server->input, &line))
        server->cancelled = cancels(server, line);
    return !server->cancelled;
}

/* --- tools --- */

/* Return the result of a tool: its answer, the program's messages, and the cursor for the rows that
 * follow ("": there are none). */
static json_t *result_of(json_t *text, const char *messages, const char *next)
{
    static const char more[] = "More rows: the same arguments, with \"cursor\": ";
    json_t *content = json_array(), *result = json_pack("{s:o}", "content", content);
    if (text)
        json_array_append_new(content, json_pack("{s:s, s:o}", "type", "text", "text", text));
    if (*messages)
        json_array_append_new(content, json_pack("{s:s, s:s}", "type", "text", "text", messages));
    if (*next) {
        json_array_append_new(content, json_pack("{s:s, s:o}", "type", "text", "text",
                                                 json_sprintf("%s\"%s\"", more, next)));
        json_object_set_new(result, "_meta", json_pack("{s:s}", "nextCursor", next));
    }
    json_object_set_new(result, "isError", json_boolean(!text));
    return result;
}

static json_t *dump(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_t *string = json_string(text);
    free(text);
    return string;
}

static json_t *list_recordings(const mcp_server *server, const json_t *arguments)
{
    const char *cursor = json_string_value(json_object_get(arguments, "cursor"));
    char next[MCP_CURSOR] = "";
    int64_t first = 0;
    size_t total;
    if (cursor && !mp_parse_count(cursor, &first))
        return result_of(NULL, "unknown cursor", "");
    json_t *files = mcp_folders_list(&server->folders, &total), *shown = json_array();
    for (size_t i = 0; i < FILES_PER_PAGE; i++)
        json_array_append(shown, json_array_get(files, (size_t)first + i));
    if ((size_t)first + FILES_PER_PAGE < json_array_size(files))
        snprintf(next, sizeof next, "%zu", (size_t)first + FILES_PER_PAGE);
    json_t *answer = json_pack("{s:o, s:I}", "files", shown, "total", (json_int_t)total);
    json_t *text = dump(answer);
    json_decref(answer);
    json_decref(files);
    return result_of(text, "", next);
}

/* Return the messages of the command line as UTF-8, without the advice to read the help. */
static const char *clean(mp_arena *arena, char *messages)
{
    char *advice = strncmp(messages, "Try: ", 5) == 0 ? messages : strstr(messages, "\nTry: ");
    if (advice)
        *advice = '\0';
    return mp_utf8_copy(arena, messages);
}

static void keep_answer(mcp_server *server, json_t *answer, char *question)
{
    json_decref(server->answer);
    free(server->question);
    server->answer = answer;
    server->question = question;
}

/* Return the words of a call as one text; release with free(). */
static char *question_of(const mcp_call *call)
{
    mp_text_buffer text = {0};
    for (size_t i = 0; i < call->words.count; i++)
        mp_text_put(&text, call->words.items[i], strlen(call->words.items[i]) + 1);
    for (size_t i = 0; i < text.length; i++)
        text.text[i] = text.text[i] ? text.text[i] : '\n';
    return text.text;
}

/* Return the result for a page of the stored answer. */
static json_t *put_page(const mcp_server *server, const char *cursor, const char *messages)
{
    char next[MCP_CURSOR];
    json_t *page = mcp_page(server->answer, cursor, next);
    if (!page)
        return result_of(NULL, "unknown cursor", "");
    json_t *result = result_of(dump(page), messages, next);
    json_decref(page);
    return result;
}

static json_t *put_answer(mcp_server *server, const char *cursor, char *question,
                          const char *answer, size_t length, const char *messages)
{
    if (!cursor) {
        const bool left = length && mcp_pages_left(answer, length);
        return result_of(length ? json_stringn(answer, length) : NULL, messages, left ? "0:0" : "");
    }
    json_t *whole = length <= MCP_LARGEST_ANSWER ? json_loadb(answer, length, 0, NULL) : NULL;
    keep_answer(server, whole, mp_copy(question, strlen(question)));
    if (whole)
        return put_page(server, cursor, messages);
    return result_of(NULL, length ? "the answer is too large: set limit, or select less" : messages,
                     "");
}

static json_t *call_report(mcp_server *server, const cli_command *command, const json_t *arguments)
{
    mcp_call call;
    mp_arena arena = {0};
    char *answer = NULL, *messages = NULL, *question = NULL;
    size_t length = 0, message_length = 0;
    json_t *result;
    const char *wrong = mcp_call_begin(&call, &server->folders, command, arguments);
    const char *cursor = call.cursor ? mp_arena_format(&arena, "%s", call.cursor) : NULL;
    question = wrong ? NULL : question_of(&call);
    if (wrong) {
        result = result_of(NULL, wrong, "");
    } else if (cursor && server->answer && strcmp(question, server->question) == 0) {
        result = put_page(server, cursor, "");
    } else {
        FILE *printed = mp_memory_open(&answer, &length);
        FILE *said = mp_memory_open(&messages, &message_length);
        const int status =
            mcp_recordings_ask(&server->recordings, server->options, &call, printed, said);
        mp_memory_close(printed);
        mp_memory_close(said);
        result = put_answer(server, cursor, question, answer, length,
                            status == CLI_OK ? "" : clean(&arena, messages));
    }
    mcp_call_free(&call);
    mp_arena_free(&arena);
    MP_FREE(answer, messages, question);
    return result;
}

static bool call_tool(mcp_server *server, const json_t *id, const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    const json_t *given = json_object_get(params, "arguments");
    if (!name || (given && !json_is_object(given)))
        return put_failure(id, INVALID_PARAMS, "expected a name and an object of arguments");
    json_t *none = json_object(), *result = NULL;
    const json_t *arguments = given ? given : none;
    const cli_command *command = mcp_tool_command(server->options, name);
    server->id = id;
    server->cancelled = false;
    if (command)
        result = call_report(server, command, arguments);
    else if (strcmp(name, "recordings") == 0)
        result = list_recordings(server, arguments);
    json_decref(none);
    if (!result)
        return put_failure(id, INVALID_PARAMS, "unknown tool: %.100s", name);
    if (!server->cancelled)
        return put_result(id, result);
    json_decref(result); /* the client does not wait for an answer */
    return true;
}

static bool list_tools(mcp_server *server, const json_t *id, const json_t *params)
{
    const json_t *given = json_object_get(params, "cursor");
    const char *cursor = given ? json_string_value(given) : "0";
    int64_t first;
    json_t *page = cursor && mp_parse_count(cursor, &first)
                       ? mcp_tools_list(server->options, (size_t)first)
                       : NULL;
    return page ? put_result(id, page) : put_failure(id, INVALID_PARAMS, "unknown cursor");
}

/* --- the session --- */

static bool initialize(mcp_server *server, const json_t *id, const json_t *params)
{
    const char *wanted = json_string_value(json_object_get(params, "protocolVersion"));
    const char *version = versions[0];
    if (!wanted)
        return put_failure(id, INVALID_PARAMS, "expected a protocolVersion");
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        version = strcmp(versions[i], wanted) == 0 ? versions[i] : version;
    server->begun = true;
    return put_result(id,
                      json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}, s:o}", "protocolVersion", version,
                                "capabilities", "tools", "serverInfo", "name", "memprof", "version",
                                mp_version(), "instructions", mcp_instructions()));
}

static bool ping(mcp_server *server, const json_t *id, const json_t *params)
{
    (void)server, (void)params;
    return put_result(id, json_object());
}

static const struct {
    const char *name;
    bool (*answer)(mcp_server *server, const json_t *id, const json_t *params);
    bool early; /* allowed before "initialize" */
} methods[] = {
    {"initialize", initialize, true},
    {"ping", ping, true},
    {"tools/list", list_tools, false},
    {"tools/call", call_tool, false},
};

static bool answer_request(mcp_server *server, const json_t *id, const char *method,
                           const json_t *params)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].name, method) != 0)
            continue;
        if (!server->begun && !methods[i].early)
            return put_failure(id, INVALID_REQUEST, "the first request must be initialize");
        if (params && !json_is_object(params))
            return put_failure(id, INVALID_PARAMS, "expected an object of parameters");
        return methods[i].answer(server, id, params);
    }
    return put_failure(id, METHOD_NOT_FOUND, "unknown method: %.100s", method);
}

/* Answer a message. Notifications and responses get no answer. A cancellation that arrives here is
 * too late, because its request was already answered. Return false if the answer cannot be
 * written. */
static bool answer_message(mcp_server *server, mp_slice line)
{
    json_error_t error;
    json_t *message = json_loadb(line.start, line.length, JSON_REJECT_DUPLICATES, &error);
    const json_t *id = json_object_get(message, "id");
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));
    const char *method = json_string_value(json_object_get(message, "method"));
    const bool answers = json_object_get(message, "result") || json_object_get(message, "error");
    bool ok = true;
    if (!message)
        ok = put_failure(NULL, PARSE_ERROR, "not JSON: %s", error.text);
    else if (!json_is_object(message))
        ok = put_failure(NULL, INVALID_REQUEST, "expected one object; batches are not supported");
    else if (id && !json_is_string(id) && !json_is_integer(id))
        ok = put_failure(NULL, INVALID_REQUEST, "expected an id that is a text or a whole number");
    else if (!version || strcmp(version, "2.0") != 0 || (!method && !answers))
        ok = put_failure(id, INVALID_REQUEST, "expected a request of JSON-RPC 2.0");
    else if (id && method)
        ok = answer_request(server, id, method, json_object_get(message, "params"));
    json_decref(message);
    return ok;
}

static int serve(mcp_server *server)
{
    mp_slice line;
    for (mcp_line_kind kind; (kind = mcp_input_take(&server->input, &line)) != MCP_NO_LINE;) {
        const bool blank = kind == MCP_LINE && !mp_slice_trim(line).length;
        errno = 0;
        if (blank || (kind == MCP_LINE ? answer_message(server, line)
                                       : put_failure(NULL, INVALID_REQUEST,
                                                     "a message may have 1 MiB, this has more")))
            continue;
        cli_put_fault("(standard output)", "cannot write: %s", strerror(errno));
        return CLI_UNREADABLE;
    }
    return CLI_OK;
}

int cli_mcp(cli_options *options)
{
    mcp_server server = {.options = options};
    server.recordings = (mcp_recordings){.advance = advance, .opaque = &server};
    options->no_pager = true;
    mp_json_begin();
    int status = CLI_USAGE;
    if (mcp_folders_begin(&server.folders, options)) {
        cli_sandbox_enter(options);
        status = serve(&server);
    }
    keep_answer(&server, NULL, NULL);
    mcp_recordings_free(&server.recordings);
    mcp_folders_free(&server.folders);
    free(server.input.bytes);
    mp_json_end();
    return status;
}
