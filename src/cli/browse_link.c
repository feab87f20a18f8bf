#include "cli/browse_link.h"

#include <stdlib.h>
#include <string.h>

/* --- other views of a row's subject --- */

enum {
    MEMORY = 1 << MP_KIND_RECORDING | 1 << MP_KIND_EVENTS | 1 << MP_KIND_DATABASE,
    DUMP = 1 << MP_KIND_DUMP,
    GRAPHS = DUMP | 1 << MP_KIND_DATABASE,
    PROFILE = 1 << MP_KIND_PROFILE,
};

/* How a value becomes a part of the command line. */
typedef enum link_how {
    AS_WORD,  /* unchanged: it is an id or a name */
    AS_GLOB,  /* as a glob that matches only this name */
    AS_REGEX, /* as a regular expression that matches only this frame */
} link_how;

typedef enum link_subject {
    CELL = 1, /* it is the cell of the row in this column */
    KEY = 2,  /* it is the cell in "key", if the table is grouped by this */
    ANY = CELL | KEY,
} link_subject;

typedef struct link_rule {
    link_subject subject;
    const char *column; /* "": a frame */
    const char *label, *command;
    const char *words; /* options before the value */
    link_how how;
    unsigned kinds; /* kinds of recordings, as bits */
} link_rule;

static const link_rule rules[] = {
    {CELL, "", "leaks below this frame", "leaks", "--stack", AS_REGEX, MEMORY},
    {CELL, "", "sites below this frame", "top", "--by site --stack", AS_REGEX, MEMORY},
    {CELL, "", "its callers and what it calls", "calls", "", AS_WORD, MEMORY | PROFILE},
    {CELL, "object", "this object: what refers to it, what it keeps", "object", "", AS_WORD,
     GRAPHS},
    {CELL, "object", "the path from a root to this object", "path", "", AS_WORD, GRAPHS},
    {CELL, "accumulation", "the object where they accumulate", "object", "", AS_WORD, GRAPHS},
    {CELL, "holder", "the object that holds them", "object", "", AS_WORD, GRAPHS},
    {CELL, "largest", "the largest of them", "object", "", AS_WORD, GRAPHS},
    {CELL, "dominator", "its dominator", "object", "", AS_WORD, GRAPHS},
    {ANY, "type", "leaks of this type", "leaks", "--type", AS_GLOB, MEMORY},
    {ANY, "type", "sites of this type", "top", "--by site --type", AS_GLOB, MEMORY},
    {ANY, "type", "call tree of this type", "tree", "--type", AS_GLOB, MEMORY},
    {ANY, "type", "growth of this type by site", "growth", "--by site --type", AS_GLOB, MEMORY},
    {ANY, "type", "objects of this type by what they retain", "retained", "--type", AS_GLOB, DUMP},
    {ANY, "type", "what refers to objects of this type", "object", "--type", AS_GLOB, DUMP},
    {ANY, "type", "paths from roots to objects of this type", "path", "--type", AS_GLOB, DUMP},
    {CELL, "held_type", "paths from roots to what is held", "path", "--type", AS_GLOB, DUMP},
    {ANY, "request", "leaks of this request", "leaks", "--request", AS_GLOB, MEMORY},
    {ANY, "api", "leaks of this API", "leaks", "--api", AS_GLOB, MEMORY},
    {CELL, "sequence", "types alive at this snapshot", "top", "--to", AS_WORD, MEMORY},
    {CELL, "sequence", "leaks up to this snapshot", "leaks", "--to", AS_WORD, MEMORY},
    {CELL, "sequence", "growth from this snapshot", "growth", "--from", AS_WORD, MEMORY},
    {CELL, "name", "its callers and what it calls", "calls", "", AS_WORD, PROFILE},
    {CELL, "caller", "callers and callees of the caller", "calls", "", AS_WORD, MEMORY | PROFILE},
    {CELL, "callee", "callers and callees of the callee", "calls", "", AS_WORD, MEMORY | PROFILE},
    {KEY, "site", "leaks at this site", "leaks", "--stack", AS_REGEX, MEMORY},
    {CELL, "stack", "call tree to this site", "tree", "--stack", AS_REGEX, MEMORY},
    {KEY, "site", "its callers and what it calls", "calls", "", AS_WORD, MEMORY},
    {KEY, "name", "sites of this name", "top", "--by site --name", AS_GLOB, MEMORY},
    {KEY, "source", "sites in this source", "top", "--by site --source", AS_GLOB, MEMORY},
    {KEY, "thread", "sites of this thread", "top", "--by site --thread", AS_GLOB, MEMORY},
    {KEY, "tree", "its callers and what it calls", "calls", "", AS_WORD, MEMORY | PROFILE},
};

static const char *escaped(mp_arena *arena, const char *text, const char *special)
{
    char *out = mp_arena_alloc(arena, 2 * strlen(text) + 1), *target = out;
    for (; *text; *target++ = *text++)
        if (strchr(special, *text))
            *target++ = '\\';
    *target = '\0';
    return out;
}

static const char *value_of(mp_arena *arena, const char *text, link_how how)
{
    if (how == AS_GLOB)
        return escaped(arena, text, "*?[\\");
    if (how == AS_REGEX)
        return mp_arena_format(arena, "^%s$", escaped(arena, text, ".[{()\\*+?|^$"));
    return text;
}

typedef struct linking {
    mp_arena *arena;
    unsigned kind; /* kind of the recording, as a bit */
    browse_link *links;
    size_t count;
} linking;

static void add(linking *state, const link_rule *rule, const char *text)
{
    mp_text_buffer line = {0};
    if (!(rule->kinds & state->kind) || state->count == BROWSE_MOST_LINKS)
        return;
    mp_text_put(&line, rule->words, strlen(rule->words));
    browse_put_word(&line, value_of(state->arena, text, rule->how));
    state->links[state->count++] = (browse_link){
        rule->label, rule->command, mp_arena_copy(state->arena, line.text, line.length)};
    free(line.text);
}

/* Return the grouping of the page. It is the argument "by" or, if that was not given, the command's
 * default. */
static const char *grouped_by(const cli_options *asked)
{
    const char *by = strcmp(asked->command.name, "tree") == 0 ? "tree" : "type";
    for (size_t i = 0; i < asked->pair_count; i++)
        if (strcmp(asked->pairs[i].name, "by") == 0)
            by = asked->pairs[i].text;
    return by;
}

/* Return the code of a profile's row, as an argument of `calls`; NULL if it has none. */
static const char *code_of(mp_arena *arena, const browse_page *page)
{
    const char *program = browse_page_cell(arena, page, "program");
    const char *method = browse_page_cell(arena, page, "method");
    if (!program || browse_page_cell(arena, page, "name"))
        return NULL;
    return method ? mp_arena_format(arena, "%s %s", method, program) : program;
}

/* Return the innermost frame of a site's row; NULL if it has none. */
static const char *site_of(mp_arena *arena, const browse_page *page)
{
    const char *stack = browse_page_cell(arena, page, "stack");
    const char *end = stack ? strstr(stack, " < ") : NULL;
    return end               ? mp_arena_copy(arena, stack, (size_t)(end - stack))
           : stack && *stack ? stack
                             : NULL;
}

size_t browse_links(mp_arena *arena, const browse_source *source, const cli_options *asked,
                    const browse_page *page, browse_link *links)
{
    linking state = {arena, mp_session_kind(source->session), links, 0};
    const browse_line *line = browse_page_at(page);
    const mp_cell stack = browse_page_stack(page);
    const char *key = browse_page_cell(arena, page, "key");
    const char *by = key ? grouped_by(asked) : "";
    if (!line)
        return 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const char *column = rules[i].column;
        const bool of_cell = *column && rules[i].subject & CELL;
        const char *cell = of_cell ? browse_page_cell(arena, page, column) : NULL;
        if (cell && strcmp(column, "stack") == 0)
            cell = site_of(arena, page);
        if (!cell && key && rules[i].subject & KEY && strcmp(column, by) == 0)
            cell = strcmp(by, "site") != 0 ? key : site_of(arena, page);
        if (!*column && line->frame && line->frame < stack.count)
            add(&state, &rules[i], stack.list[line->frame]);
        else if (cell && !line->frame)
            add(&state, &rules[i], cell);
    }
    const char *code = code_of(arena, page);
    if (code)
        add(&state,
            &(link_rule){CELL, "", "its callers and what it calls", "calls", "", AS_WORD, PROFILE},
            code);
    const char *program = browse_page_cell(arena, page, "program");
    if (program && source->options->source_folders.count)
        add(&state,
            &(link_rule){CELL, "", "the source with the cost of each line", "annotate", "", AS_WORD,
                         ~0u},
            program);
    return state.count;
}

bool browse_way_to(mp_arena *arena, const browse_source *source, const cli_options *asked,
                   const browse_page *page, browse_link *link)
{
    browse_link links[BROWSE_MOST_LINKS];
    const size_t count = browse_links(arena, source, asked, page, links);
    *link = (browse_link){.command = NULL};
    for (size_t i = 0; i < count; i++) {
        const bool is_tree = strcmp(links[i].command, "tree") == 0;
        if (is_tree || (!link->command && (strcmp(links[i].command, "calls") == 0 ||
                                           strcmp(links[i].command, "path") == 0)))
            *link = links[i]; /* the tree of a site comes after that of its type */
    }
    return link->command;
}

/* --- the source line --- */

/* Split "name:12", "name:12 (from 10)" or "name (from 10)". Return the length of the name, and set
 * the line; 0 = it has none. */
static size_t split_frame(const char *frame, int64_t *line)
{
    const char *from = strstr(frame, " (from "), *end = from ? from : frame + strlen(frame);
    const char *digits = end;
    *line = from ? strtoll(from + 7, NULL, 10) : 0;
    while (digits > frame && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (digits < end && digits - frame > 1 && digits[-1] == ':') {
        *line = strtoll(digits, NULL, 10);
        end = digits - 1;
    }
    return (size_t)(end - frame);
}

/* Return the name of the code under the cursor, and set its line; NULL if there is none. */
static const char *code_at(mp_arena *arena, const browse_page *page, int64_t *line)
{
    const browse_line *state = browse_page_at(page);
    const mp_cell stack = browse_page_stack(page);
    const char *number = browse_page_cell(arena, page, "line");
    const char *program = browse_page_cell(arena, page, "program"), *key, *frame = NULL;
    if (state && state->frame < stack.count)
        frame = stack.list[state->frame];
    static const char *const named[] = {"key", "caller", "name"};
    for (size_t i = 0; !program && !frame && i < sizeof named / sizeof *named; i++)
        if ((key = browse_page_cell(arena, page, named[i])))
            frame = key;
    *line = 0;
    if (program && !(state && state->frame)) {
        frame = program;
        *line = number ? strtoll(number, NULL, 10) : 0;
    } else if (frame) {
        frame = mp_arena_copy(arena, frame, split_frame(frame, line));
        *line = !*line && number ? strtoll(number, NULL, 10) : *line;
    }
    return frame;
}

bool browse_source_line(mp_arena *arena, const browse_source *source, const browse_page *page,
                        const char **path, int64_t *line, char *why, size_t size)
{
    const mp_sources sources = {source->options->source_folders, source->options->reading.load};
    const char *code = code_at(arena, page, line);
    mp_source_text text;
    mp_error error = {0};
    bool found =
        code && sources.folders.count && mp_code_read(&sources, code, arena, &text, &error);
    if (found)
        *path = text.path;
    else if (!code)
        snprintf(why, size, "this row has no place in a source");
    else if (!sources.folders.count)
        snprintf(why, size, "no source folder; use memprof browse --sources DIR");
    else if (error.code == MP_ERROR_INPUT)
        snprintf(why, size, "no source of %s in the folders of --sources", code);
    else
        mp_error_line(&error, "--", why, size);
    return found;
}
