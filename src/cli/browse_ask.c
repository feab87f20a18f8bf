#include "cli/browse_ask.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command_line.h"
#include "cli/fits.h"

/* --- views --- */

enum {
    MEMORY = 1 << MP_KIND_RECORDING | 1 << MP_KIND_EVENTS | 1 << MP_KIND_DATABASE,
    PROFILE = 1 << MP_KIND_PROFILE,
};

static const struct {
    browse_view view;
    unsigned kinds; /* kinds of recordings for which the view exists, as bits; 0 = all that the
                       report supports */
} all_views[] = {
    {{"overview", "analyze", ""}, 0},
    {{"leaks", "leaks", ""}, 0},
    {{"types", "top", ""}, ~(unsigned)PROFILE},
    {{"lines", "top", ""}, PROFILE},
    {{"sites", "top", "--by site"}, MEMORY},
    {{"tree", "tree", ""}, 0},
    {{"snapshots", "snapshots", ""}, 0},
    {{"growth", "growth", ""}, 0},
    {{"stacks", "flame", ""}, 0},
    {{"dominators", "dominators", ""}, 0},
    {{"retained", "retained", ""}, 0},
    {{"calls", "calls", ""}, 0},
    {{"timeline", "timeline", ""}, 0},
    {{"requests", "requests", ""}, 1 << MP_KIND_RECORDING},
    {{"lifetimes", "lifetimes", ""}, 0},
    {{"contents", "info", ""}, 0},
};
enum { VIEWS = sizeof all_views / sizeof *all_views };

size_t browse_views(unsigned kind, const browse_view **views)
{
    size_t count = 0;
    for (size_t i = 0; i < VIEWS; i++) {
        unsigned kinds = mp_report_kinds(mp_report_find(all_views[i].view.command), ~0u);
        kinds &= all_views[i].kinds ? all_views[i].kinds : ~0u;
        if (kinds & kind)
            views[count++] = &all_views[i].view;
    }
    return count;
}

bool browse_has_view(const char *command)
{
    for (size_t i = 0; i < VIEWS; i++)
        if (strcmp(all_views[i].view.command, command) == 0)
            return true;
    return false;
}

/* --- words --- */

void browse_put_word(mp_text_buffer *line, const char *word)
{
    bool plain = *word && !strpbrk(word, " \t'\"\\");
    if (line->length)
        mp_text_put(line, " ", 1);
    if (plain) {
        mp_text_put(line, word, strlen(word));
        return;
    }
    mp_text_put(line, "'", 1);
    for (; *word; word++)
        mp_text_put(line, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    mp_text_put(line, "'", 1);
}

size_t browse_words(mp_arena *arena, const char *line, const char ***words)
{
    size_t count = 0, length = strlen(line);
    char *out = mp_arena_alloc(arena, length + 1);
    *words = mp_arena_alloc(arena, (length / 2 + 2) * sizeof **words);
    for (const char *p = line; *(p += strspn(p, " \t"));) {
        (*words)[count++] = out;
        for (char quote = 0; *p && (quote || !strchr(" \t", *p)); p++) {
            if (quote ? *p == quote : *p == '\'' || *p == '"')
                quote = quote ? '\0' : *p;
            else if (*p == '\\' && quote != '\'' && p[1])
                *out++ = *++p;
            else
                *out++ = *p;
        }
        *out++ = '\0';
        if (!*p)
            break;
    }
    return count;
}

/* --- a command line --- */

typedef struct line_words {
    mp_argument_texts list;
    mp_arena *arena;
    const char **given; /* words of the line that the user typed */
    size_t given_count;
} line_words;

/* Add the paths in a form that cannot be mistaken for an option. */
static void add_paths(line_words *words, mp_arena *arena, const cli_options *options)
{
    for (size_t i = 0; i < options->path_count; i++) {
        const char *path = options->paths[i];
        bool dash = *path == '-' && path[1];
        mp_argument_texts_add(&words->list, dash ? mp_arena_format(arena, "./%s", path) : path);
    }
}

static bool has_option(const char *const *words, size_t count, const cli_option *option)
{
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        if (word[0] != '-')
            continue;
        size_t length = strcspn(word, "=") - (word[1] == '-' ? 2 : 0);
        if (word[1] == '-' && length && strncmp(option->name, word + 2, length) == 0)
            return true;
        if (word[1] != '-' && option->letter && word[1] == option->letter)
            return true;
    }
    return false;
}

/* Add the browser's default for an option that the user did not give, if the command's own default
 * is lower. */
static void add_usual(line_words *words, const cli_command *command, unsigned kind,
                      const char *name, const char *text)
{
    const cli_option *option = cli_option_of(command, name);
    char usual[64] = "";
    if (option && !command->report->overview && cli_option_kinds(command, option) & kind &&
        !has_option(words->given, words->given_count, option))
        cli_option_default(command, option, usual, sizeof usual);
    if (!*usual)
        return;
    mp_argument_texts_add(&words->list, mp_arena_format(words->arena, "--%s", name));
    mp_argument_texts_add(&words->list, text);
}

/* Return the words of a command line: the command, the options with which the browser was started,
 * and the typed line. */
static line_words spell(const browse_source *source, const cli_command *command, mp_arena *arena,
                        const char *line)
{
    line_words words = {.arena = arena};
    words.given_count = browse_words(arena, line, &words.given);
    const mp_argument_texts *folders = &source->options->source_folders;
    mp_argument_texts_add(&words.list, "memprof");
    mp_argument_texts_add(&words.list, command->name);
    mp_argument_texts_add(&words.list, "--no-config");
    /* Defaults: more rows than anyone reads, and complete stacks for opened rows. */
    const unsigned kind = mp_session_kind(source->session);
    add_usual(&words, command, kind, "limit", "500");
    add_usual(&words, command, kind, "stack-depth", "64");
    for (size_t i = 0; i < folders->count && mp_argument_find(command->arguments, "sources"); i++) {
        mp_argument_texts_add(&words.list, "--sources");
        mp_argument_texts_add(&words.list, folders->items[i]);
    }
    if (source->options->reading.exact_bytes)
        mp_argument_texts_add(&words.list, "--bytes");
    for (size_t i = 0; i < words.given_count; i++)
        mp_argument_texts_add(&words.list, words.given[i]);
    add_paths(&words, arena, source->options);
    return words;
}

static bool say(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return false;
}

/* Copy the first line of the parser's message, without the program's name. */
static bool say_first(char *why, size_t size, const char *said)
{
    static const char text[] = "memprof: ";
    said += strncmp(said, text, sizeof text - 1) == 0 ? sizeof text - 1 : 0;
    snprintf(why, size, "%.*s", (int)strcspn(said, "\n"), said);
    return false;
}

static bool parse(const browse_source *source, const line_words *words, browse_answer *answer,
                  char *why, size_t size)
{
    char *said = NULL;
    size_t length = 0;
    FILE *heard = mp_memory_open(&said, &length);
    cli_console_catch(heard);
    bool ok =
        cli_parse((int)words->list.count, (char **)words->list.items, source->options->commands,
                  source->options->command_count, &answer->options);
    answer->parsed = true;
    cli_console_catch(NULL);
    mp_memory_close(heard);
    if (!ok)
        say_first(why, size, said);
    free(said);
    return ok;
}

/* Refuse options that cannot apply to a recording that is already loaded, or to a screen. */
static bool check(const cli_options *options, size_t paths, char *why, size_t size)
{
    for (size_t i = 0; i < options->pair_count; i++) {
        const cli_option *option = cli_option_of(&options->command, options->pairs[i].name);
        bool reads = option && option->kind == CLI_READS_AS && !mp_text_is(option->name, "bytes");
        if (reads || (option && option->scope & CLI_LOADS)) {
            snprintf(why, size, "--%s changes how the recording is read; pass it to memprof browse",
                     option->name);
            return false;
        }
    }
    if (options->help || options->version)
        return say(why, size,
                   "? lists the keys; memprof COMMAND --help lists the options of a command");
    if (!options->command.report || options->command.report->many || options->question.base ||
        options->question.policy_path || options->command.scope & CLI_STORES)
        return say(why, size, "browse shows one recording; compare recordings on the command line");
    return options->path_count == paths ||
           say(why, size, "too many words; options come after the command");
}

static bool ask(const browse_source *source, browse_answer *answer, char *why, size_t size)
{
    mp_question *question = &answer->options.question;
    mp_error error = {0};
    char line[1024];
    cli_settle_question(question, source->options);
    if (!mp_question_read(question, &error))
        return say(why, size, mp_error_line(&error, "--", line, sizeof line));
    answer->document = mp_session_answer_one(source->session, question, &error);
    if (!answer->document)
        return say(why, size, mp_error_line(&error, "--", line, sizeof line));
    answer->document->exact_bytes = answer->options.reading.exact_bytes;
    return true;
}

bool browse_ask(const browse_source *source, const char *command, const char *line,
                browse_answer *answer, char *why, size_t size)
{
    const cli_command *known = cli_command_find(source->options, command, strlen(command));
    *answer = (browse_answer){.document = NULL};
    if (!known || !known->report) {
        snprintf(why, size, "%s is not a command for one recording", command);
        return false;
    }
    line_words words = spell(source, known, &answer->arena, line);
    bool ok = parse(source, &words, answer, why, size) &&
              check(&answer->options, source->options->path_count, why, size) &&
              ask(source, answer, why, size);
    free(words.list.items);
    return ok;
}

void browse_answer_free(browse_answer *answer)
{
    mp_document_free(answer->document);
    if (answer->parsed)
        cli_options_free(&answer->options);
    mp_arena_free(&answer->arena);
    *answer = (browse_answer){.document = NULL};
}

/* --- the browser from other commands --- */

char *cli_browse_instead(const cli_options *options)
{
#ifdef MEMPROF_BROWSE
    const bool built = true;
#else
    const bool built = false;
#endif
    struct stat status;
    const char *kind = getenv("TERM"), *path = options->path_count == 1 ? options->paths[0] : "-";
    bool shows = cli_is_interactive() && kind && *kind && strcmp(kind, "dumb") != 0;
    if (!built || !shows || !cli_is_for_people(options) || options->brief ||
        cli_is_given(options, "limit") || !browse_has_view(options->command.name) ||
        stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    cli_options browser = *options;
    browser.operand = NULL;
    for (size_t i = 0; i < options->command_count; i++)
        if (options->commands[i].scope & CLI_BROWSES)
            browser.command = options->commands[i];
    return cli_command_line(&browser);
}
