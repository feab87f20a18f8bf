/* Baselines: a digest as text, one entry a line, in an order that does not depend on its figures:
 * a change of one site is a change of one line, which version control shows well. */
#include "compare/baseline.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const char first_words[] = "{\"memprof-baseline\":";

static const char *const kinds[] = {"", "recording", "profile", "events", "dump", "database"};
enum { VERSION = 1, KINDS = sizeof kinds / sizeof *kinds };

bool mp_is_baseline(const char *text, size_t length)
{
    size_t words = sizeof first_words - 1;
    return length >= words && memcmp(text, first_words, words) == 0;
}

/* --- writing --- */

static void put_line(mp_text_buffer *buffer, struct json_object *object)
{
    const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE);
    mp_text_put(buffer, text, strlen(text));
    mp_text_put(buffer, "\n", 1);
    json_object_put(object);
}

static void add_amounts(struct json_object *object, const mp_amounts *of)
{
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        if (of->at[i])
            json_object_object_add(object, mp_amount_fields[i].name,
                                   json_object_new_int64(of->at[i]));
}

static void add_text(struct json_object *object, const char *name, const char *text)
{
    if (*text)
        json_object_object_add(object, name, json_object_new_string(text));
}

static struct json_object *frame_value(const mp_dictionary *dictionary, const mp_frame_key *frame,
                                       uint32_t line)
{
    struct json_object *value = json_object_new_array();
    json_object_array_add(value,
                          json_object_new_string(mp_dictionary_text(dictionary, frame->name)));
    if (line != MP_NO_LINE || frame->allocator)
        json_object_array_add(value,
                              line == MP_NO_LINE ? NULL : json_object_new_int((int32_t)line));
    if (frame->allocator)
        json_object_array_add(value, json_object_new_boolean(true));
    return value;
}

static void add_stack(struct json_object *object, const mp_dictionary *dictionary,
                      const mp_entry_key *key)
{
    struct json_object *stack = json_object_new_array();
    uint32_t line = key->line;
    for (uint32_t at = key->frame; at;) {
        const mp_frame_key *frame = mp_dictionary_frame_at(dictionary, at);
        json_object_array_add(stack, frame_value(dictionary, frame, line));
        line = frame->line;
        at = frame->caller;
    }
    json_object_object_add(object, "stack", stack);
}

static void put_entry(mp_text_buffer *buffer, const mp_dictionary *dictionary, mp_level level,
                      const mp_entry *entry)
{
    const mp_entry_key *key = &entry->key;
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "of", json_object_new_string(mp_level_name(level)));
    add_text(object, "type", mp_dictionary_text(dictionary, key->type));
    add_text(object, "name", mp_dictionary_text(dictionary, key->name));
    if (key->frame)
        add_stack(object, dictionary, key);
    else
        add_text(object, "program", mp_dictionary_text(dictionary, key->program));
    if (!key->frame && key->line != MP_NO_LINE)
        json_object_object_add(object, "line", json_object_new_int((int32_t)key->line));
    if (key->start)
        json_object_object_add(object, "start", json_object_new_int64(key->start));
    if (key->overload)
        json_object_object_add(object, "overload", json_object_new_int64(key->overload));
    add_amounts(object, &entry->amounts);
    put_line(buffer, object);
}

static int by_key(const void *left, const void *right, void *dictionary)
{
    const mp_entry *a = left, *b = right;
    return mp_key_compare(dictionary, &a->key, &b->key);
}

static void put_list(mp_text_buffer *buffer, const mp_dictionary *dictionary, mp_level level,
                     const mp_entries *list)
{
    mp_entry *entries = mp_alloc(list->count * sizeof *entries + 1);
    if (list->count) {
        memcpy(entries, list->at, list->count * sizeof *entries);
        qsort_r(entries, list->count, sizeof *entries, by_key, (void *)(uintptr_t)dictionary);
    }
    for (size_t i = 0; i < list->count; i++)
        put_entry(buffer, dictionary, level, &entries[i]);
    free(entries);
}

/* Of all lists that are kept. */
static uint64_t entry_count(const mp_digest *digest)
{
    uint64_t count = 0;
    for (int level = 0; level < MP_LEVELS; level++)
        count += mp_level_name((mp_level)level) ? digest->lists[level].count : 0;
    return count;
}

char *mp_baseline_text(const mp_digest *digest, const mp_dictionary *dictionary, size_t *length)
{
    mp_text_buffer buffer = {0};
    struct json_object *head = json_object_new_object(), *totals = json_object_new_object();
    json_object_object_add(head, "memprof-baseline", json_object_new_int(VERSION));
    json_object_object_add(head, "kind", json_object_new_string(kinds[digest->kind]));
    json_object_object_add(head, "knows", json_object_new_int((int)digest->has));
    json_object_object_add(head, "complete", json_object_new_boolean(digest->complete));
    add_text(head, "options", digest->conditions);
    put_line(&buffer, head);
    json_object_object_add(totals, "of", json_object_new_string("totals"));
    json_object_object_add(totals, "peak_objects", json_object_new_int64(digest->peak_objects));
    json_object_object_add(totals, "peak_bytes", json_object_new_int64(digest->peak_bytes));
    json_object_object_add(totals, "modules", json_object_new_int64((int64_t)digest->modules));
    json_object_object_add(totals, "entries", json_object_new_int64((int64_t)entry_count(digest)));
    add_amounts(totals, &digest->totals);
    put_line(&buffer, totals);
    for (int level = 0; level < MP_LEVELS; level++)
        if (mp_level_name((mp_level)level))
            put_list(&buffer, dictionary, (mp_level)level, &digest->lists[level]);
    *length = buffer.length;
    return buffer.at;
}

/* --- reading --- */

/* What a line says, of whichever kind it is. */
typedef struct line_values {
    int64_t version, knows, complete;       /* of the head */
    const char *kind, *options;             /* likewise */
    int64_t peak_objects, peak_bytes;       /* of the totals */
    int64_t modules, entries;               /* likewise; entries -1: not told */
    const char *of, *type, *name, *program; /* of an entry; `of`: of the totals too */
    int64_t line, start, overload;          /* of an entry */
    struct json_object *stack;              /* likewise; NULL: none */
    mp_amounts amounts;
} line_values;

static const struct {
    const char *name;
    enum json_type type;
    size_t offset;
} members[] = {
    {"memprof-baseline", json_type_int, offsetof(line_values, version)},
    {"kind", json_type_string, offsetof(line_values, kind)},
    {"knows", json_type_int, offsetof(line_values, knows)},
    {"complete", json_type_boolean, offsetof(line_values, complete)},
    {"options", json_type_string, offsetof(line_values, options)},
    {"of", json_type_string, offsetof(line_values, of)},
    {"peak_objects", json_type_int, offsetof(line_values, peak_objects)},
    {"peak_bytes", json_type_int, offsetof(line_values, peak_bytes)},
    {"modules", json_type_int, offsetof(line_values, modules)},
    {"entries", json_type_int, offsetof(line_values, entries)},
    {"type", json_type_string, offsetof(line_values, type)},
    {"name", json_type_string, offsetof(line_values, name)},
    {"program", json_type_string, offsetof(line_values, program)},
    {"line", json_type_int, offsetof(line_values, line)},
    {"start", json_type_int, offsetof(line_values, start)},
    {"overload", json_type_int, offsetof(line_values, overload)},
};
enum { MEMBERS = sizeof members / sizeof *members };

typedef struct loader {
    const char *path;
    uint32_t line; /* at hand, from 1 */
    mp_digest *digest;
    mp_dictionary *dictionary;
    mp_amounts sums[MP_LEVELS]; /* of the entries */
    int64_t entries;            /* that the totals tell of; -1: they do not */
    bool totalled;
    mp_error *error;
} loader;

#define FAIL(load, ...) mp_fail_file((load)->error, (load)->path, (load)->line, 0, __VA_ARGS__)

/* Twice as much is still a number. */
#define MOST (INT64_MAX / 2)

static bool check_figure(loader *load, struct json_object *value, int64_t least)
{
    int64_t figure = json_object_get_int64(value);
    return (json_object_is_type(value, json_type_int) && figure >= least && figure <= MOST) ||
           FAIL(load, "the line has a figure that is none, expected a whole number that is not "
                      "negative");
}

static bool read_member(loader *load, line_values *values, const char *name,
                        struct json_object *value)
{
    for (size_t i = 0; i < MP_AMOUNTS; i++) {
        if (strcmp(mp_amount_fields[i].name, name) != 0)
            continue;
        values->amounts.at[i] = json_object_get_int64(value);
        /* Clocks are set back while a program runs: times may be negative. */
        return check_figure(load, value, strcmp(name, "exclusive_us") == 0 ? -MOST : 0);
    }
    if (strcmp(name, "stack") == 0) {
        values->stack = value;
        return true; /* read_stack looks at it */
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        void *place = (char *)values + members[i].offset;
        if (strcmp(members[i].name, name) != 0)
            continue;
        if (members[i].type == json_type_string)
            *(const char **)place = json_object_get_string(value);
        else
            *(int64_t *)place = json_object_get_int64(value);
        if (!json_object_is_type(value, members[i].type))
            return FAIL(load, "the line has a name with a value of another kind, expected one as "
                              "it was saved");
        bool line = strcmp(name, "line") == 0; /* a number of 32 bits, as programs state them */
        return members[i].type != json_type_int || line || check_figure(load, value, 0);
    }
    return FAIL(load, "the line has a name that no baseline has, expected those that were saved");
}

/* Names and values of a line: one that was changed must not pass for one that says less. All are
 * read; false with the error of the first that is wrong. */
static bool read_members(loader *load, struct json_object *object, line_values *values)
{
    bool ok = true;
    mp_error first;
    *values = (line_values){.complete = 1,
                            .entries = -1,
                            .line = (int32_t)MP_NO_LINE,
                            .kind = "",
                            .options = "",
                            .of = "",
                            .type = "",
                            .name = "",
                            .program = ""};
    json_object_object_foreach(object, name, value)
    {
        if (!read_member(load, values, name, value) && ok) {
            first = *load->error;
            ok = false;
        }
    }
    if (!ok)
        *load->error = first;
    return ok;
}

/* [name], [name, line], [name, line or null, true]: of an allocator. */
static bool is_frame(struct json_object *frame)
{
    if (!json_object_is_type(frame, json_type_array))
        return false;
    size_t length = json_object_array_length(frame);
    struct json_object *line = json_object_array_get_idx(frame, 1);
    return length >= 1 && length <= 3 &&
           json_object_is_type(json_object_array_get_idx(frame, 0), json_type_string) &&
           (!line || json_object_is_type(line, json_type_int)) &&
           (length < 3 ||
            json_object_is_type(json_object_array_get_idx(frame, 2), json_type_boolean));
}

/* From the outermost frame inwards. False if it is no stack. */
static bool read_stack(mp_dictionary *dictionary, struct json_object *stack, mp_entry_key *key)
{
    uint32_t named = 0;
    if (!stack)
        return true;
    if (!json_object_is_type(stack, json_type_array))
        return false;
    key->line = MP_NO_LINE;
    for (size_t i = json_object_array_length(stack); i-- > 0;) {
        struct json_object *at = json_object_array_get_idx(stack, i);
        if (!is_frame(at))
            return false;
        const char *name = json_object_get_string(json_object_array_get_idx(at, 0));
        struct json_object *line = json_object_array_get_idx(at, 1);
        mp_frame_key frame = {.caller = key->frame,
                              .name = mp_dictionary_id(dictionary, name),
                              .line = key->line,
                              .allocator =
                                  json_object_get_boolean(json_object_array_get_idx(at, 2))};
        key->frame = mp_dictionary_frame(dictionary, frame);
        key->line = line ? (uint32_t)json_object_get_int(line) : MP_NO_LINE;
        if (!frame.allocator)
            named = frame.name;
        key->program = named ? named : frame.name;
    }
    return true;
}

static bool read_head(loader *load, const line_values *values)
{
    mp_digest *digest = load->digest;
    if (values->version != VERSION)
        return FAIL(load, "the line is of another version, expected a baseline of version 1: save "
                          "it again");
    for (int i = 1; i < KINDS; i++)
        if (strcmp(kinds[i], values->kind) == 0)
            digest->kind = (mp_kind)i;
    digest->has = (unsigned)values->knows;
    digest->complete = values->complete != 0;
    digest->format = "baseline";
    digest->kept = true;
    digest->conditions =
        mp_dictionary_text(load->dictionary, mp_dictionary_id(load->dictionary, values->options));
    return digest->kind ||
           FAIL(load, "the line does not say what kind of recording it was made of");
}

static bool read_totals(loader *load, const line_values *values)
{
    mp_digest *digest = load->digest;
    if (load->totalled)
        return FAIL(load, "the line has the totals a second time, expected them once");
    load->totalled = true;
    load->entries = values->entries;
    digest->totals = values->amounts;
    digest->peak_objects = values->peak_objects;
    digest->peak_bytes = values->peak_bytes;
    digest->modules = (uint64_t)values->modules;
    return true;
}

static bool read_entry(loader *load, const line_values *values)
{
    mp_dictionary *dictionary = load->dictionary;
    int level = 0;
    while (level < MP_LEVEL_GROUP && strcmp(mp_level_name((mp_level)level), values->of) != 0)
        level++;
    if (level == MP_LEVEL_GROUP)
        return FAIL(load, "the line does not say what it is of, expected \"of\" with totals, site, "
                          "type, line, method or module");
    mp_entry_key key = {.type = mp_dictionary_id(dictionary, values->type),
                        .name = mp_dictionary_id(dictionary, values->name),
                        .program = mp_dictionary_id(dictionary, values->program),
                        .line = (uint32_t)values->line,
                        .start = (uint32_t)values->start,
                        .overload = (uint32_t)values->overload};
    if (!read_stack(dictionary, values->stack, &key))
        return FAIL(load, "the line has a stack that is none, expected a list of [name, line]");
    mp_entries *entries = &load->digest->lists[level];
    mp_amounts *sums = &load->sums[level];
    size_t before = entries->count;
    mp_entry *entry = mp_entry_for(entries, key);
    if (entries->count == before)
        return FAIL(load, "the line is of the same as a line before it, expected each once");
    entry->amounts = values->amounts;
    mp_amounts own = values->amounts;
    own.scoped_bytes = 0; /* does not add up */
    *sums = mp_amounts_add(*sums, own);
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        if (sums->at[i] > MOST || sums->at[i] < -MOST)
            return FAIL(load, "the line makes a sum that 63 bits do not hold, expected figures of "
                              "a recording");
    return true;
}

/* The object that a line is, and nothing behind it but a carriage return. NULL: it is none. */
static struct json_object *object_in(const char *line, size_t length)
{
    struct json_tokener *tokener = json_tokener_new();
    length -= length && line[length - 1] == '\r';
    struct json_object *object = json_tokener_parse_ex(tokener, line, (int)length);
    bool whole = json_object_is_type(object, json_type_object) &&
                 json_tokener_get_parse_end(tokener) == length;
    json_tokener_free(tokener);
    if (whole)
        return object;
    json_object_put(object);
    return NULL;
}

static bool read_line(loader *load, const char *line, size_t length)
{
    line_values values;
    if (length > INT32_MAX)
        return FAIL(load, "the line is too long");
    if (!mp_utf8_valid((mp_slice){line, length}))
        return FAIL(load, "the line is no UTF-8");
    struct json_object *object = object_in(line, length);
    if (!object)
        return FAIL(load, "the line is no JSON object");
    bool ok = read_members(load, object, &values);
    if (load->line == 1) /* in another version, other names are right */
        ok = read_head(load, &values) && ok;
    else if (ok)
        ok = strcmp(values.of, "totals") == 0 ? read_totals(load, &values)
                                              : read_entry(load, &values);
    json_object_put(object);
    return ok;
}

/* Whether all is there that was saved. The totals of heaps were made of their sites. */
static bool is_whole(loader *load)
{
    const mp_digest *digest = load->digest;
    unsigned long long found = entry_count(digest);
    if (!load->totalled || load->entries < 0)
        return FAIL(load,
                    "the line ends a baseline without totals, expected them behind the first");
    if ((unsigned long long)load->entries != found)
        return FAIL(load,
                    "the line ends a baseline of %llu entries, expected %lld as its totals tell: "
                    "save it again",
                    found, (long long)load->entries);
    if (digest->kind != MP_KIND_PROFILE &&
        memcmp(&load->sums[MP_LEVEL_SITE], &digest->totals, sizeof digest->totals) != 0)
        return FAIL(load, "the line ends a baseline whose sites do not add up to its totals, "
                          "expected them as they were saved: save it again");
    return true;
}

mp_digest *mp_baseline_parse(const char *path, const char *text, size_t length,
                             mp_dictionary *dictionary, mp_error *error)
{
    mp_digest *digest = mp_alloc_zero(1, sizeof *digest);
    loader load = {.path = path, .digest = digest, .dictionary = dictionary, .error = error};
    const char *at = text, *end = text + length;
    bool ok = true;
    digest->path = mp_dictionary_text(dictionary, mp_dictionary_id(dictionary, path));
    digest->bytes = length;
    while (at < end && ok) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        load.line++;
        ok = stop == at || read_line(&load, at, (size_t)(stop - at));
        at = newline ? newline + 1 : end;
    }
    digest->records = load.line;
    ok = ok && is_whole(&load);
    if (ok)
        return digest;
    mp_digest_free(digest);
    return NULL;
}
