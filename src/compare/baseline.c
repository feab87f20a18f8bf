/* Baselines: a digest as text, one entry a line, in an order that does not depend on its figures:
 * a change of one site is a change of one line, which version control shows well. */
#include "compare/baseline.h"
#include "base/error.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/dictionary.h"
#include "compare/dictionary.h"

static const char first_words[] = "{\"memprof-baseline\":";

static const char *const kinds[] = {"", "recording", "profile", "events", "dump", "database"};
enum { VERSION = 1, KINDS = sizeof kinds / sizeof *kinds };

static const struct {
    const char *name;
    size_t offset;
} amounts[] = {
    {"objects", offsetof(mp_amounts, objects)},
    {"bytes", offsetof(mp_amounts, bytes)},
    {"created_objects", offsetof(mp_amounts, created)},
    {"created_bytes", offsetof(mp_amounts, created_bytes)},
    {"deleted_objects", offsetof(mp_amounts, deleted)},
    {"leaked_objects", offsetof(mp_amounts, leaked_objects)},
    {"leaked_bytes", offsetof(mp_amounts, leaked_bytes)},
    {"retained_bytes", offsetof(mp_amounts, retained_bytes)},
    {"exclusive_us", offsetof(mp_amounts, exclusive_us)},
    {"calls", offsetof(mp_amounts, calls)},
};
enum { AMOUNTS = sizeof amounts / sizeof *amounts };

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
    for (size_t i = 0; i < AMOUNTS; i++) {
        int64_t amount;
        memcpy(&amount, (const char *)of + amounts[i].offset, sizeof amount);
        if (amount)
            json_object_object_add(object, amounts[i].name, json_object_new_int64(amount));
    }
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

/* What a name of a line must stand for. */
static const struct {
    const char *name;
    enum json_type type;
} members[] = {
    {"memprof-baseline", json_type_int}, {"kind", json_type_string},    {"knows", json_type_int},
    {"complete", json_type_boolean},     {"options", json_type_string}, {"of", json_type_string},
    {"peak_objects", json_type_int},     {"peak_bytes", json_type_int}, {"modules", json_type_int},
    {"entries", json_type_int},          {"type", json_type_string},    {"name", json_type_string},
    {"program", json_type_string},       {"line", json_type_int},       {"overload", json_type_int},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* Twice as much is still a number. */
#define MOST (INT64_MAX / 2)

static const char not_a_figure[] =
    "has a figure that is none, expected a whole number that is not negative";

static bool is_figure(struct json_object *value, int64_t least)
{
    return json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= least &&
           json_object_get_int64(value) <= MOST;
}

static const char *check_member(const char *name, struct json_object *value)
{
    for (size_t i = 0; i < AMOUNTS; i++)
        if (strcmp(amounts[i].name, name) == 0)
            /* Clocks are set back while a program runs: times may be negative. */
            return is_figure(value, strcmp(name, "exclusive_us") == 0 ? -MOST : 0) ? NULL
                                                                                   : not_a_figure;
    if (strcmp(name, "stack") == 0)
        return NULL; /* read_stack looks at it */
    for (size_t i = 0; i < MEMBERS; i++) {
        if (strcmp(members[i].name, name) != 0)
            continue;
        if (!json_object_is_type(value, members[i].type))
            return "has a name with a value of another kind, expected one as it was saved";
        bool line = strcmp(name, "line") == 0; /* a number of 32 bits, as programs state them */
        return members[i].type != json_type_int || line || is_figure(value, 0) ? NULL
                                                                               : not_a_figure;
    }
    return "has a name that no baseline has, expected those that were saved";
}

/* What is wrong with the names and values of a line; NULL: nothing. A line that was changed must
 * not pass for one that says less. */
static const char *check_members(struct json_object *object)
{
    const char *wrong = NULL;
    json_object_object_foreach(object, name, value)
    {
        if (!wrong)
            wrong = check_member(name, value);
    }
    return wrong;
}

static const char *text_of(struct json_object *object, const char *name)
{
    struct json_object *value;
    return json_object_object_get_ex(object, name, &value) ? json_object_get_string(value) : "";
}

static int64_t number_of(struct json_object *object, const char *name, int64_t none)
{
    struct json_object *value;
    return json_object_object_get_ex(object, name, &value) ? json_object_get_int64(value) : none;
}

static mp_amounts amounts_of(struct json_object *object)
{
    mp_amounts result = {0};
    for (size_t i = 0; i < AMOUNTS; i++) {
        int64_t amount = number_of(object, amounts[i].name, 0);
        memcpy((char *)&result + amounts[i].offset, &amount, sizeof amount);
    }
    return result;
}

/* [name], [name, line], [name, line or null, true]: of a allocator. */
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

static uint32_t frame_line(struct json_object *frame)
{
    struct json_object *line = json_object_array_get_idx(frame, 1);
    return line ? (uint32_t)json_object_get_int(line) : MP_NO_LINE;
}

/* From the outermost frame inwards. False if it is no stack. */
static bool read_stack(struct json_object *object, mp_dictionary *dictionary, mp_entry_key *key)
{
    struct json_object *stack;
    uint32_t caller = 0, line = MP_NO_LINE, named = 0;
    if (!json_object_object_get_ex(object, "stack", &stack))
        return true;
    if (!json_object_is_type(stack, json_type_array))
        return false;
    for (size_t i = json_object_array_length(stack); i-- > 0;) {
        struct json_object *at = json_object_array_get_idx(stack, i);
        if (!is_frame(at))
            return false;
        const char *name = json_object_get_string(json_object_array_get_idx(at, 0));
        mp_frame_key frame = {.caller = caller,
                              .name = mp_dictionary_id(dictionary, name),
                              .line = line,
                              .allocator =
                                  json_object_get_boolean(json_object_array_get_idx(at, 2))};
        caller = mp_dictionary_frame(dictionary, frame);
        line = frame_line(at);
        if (!frame.allocator)
            named = frame.name;
        key->program = named ? named : frame.name;
    }
    key->frame = caller;
    key->line = line;
    return true;
}

static int level_named(const char *name)
{
    for (int level = 0; level < MP_LEVELS; level++) {
        const char *known = mp_level_name((mp_level)level);
        if (known && strcmp(known, name) == 0)
            return level;
    }
    return -1;
}

typedef struct loader {
    mp_digest *digest;
    mp_dictionary *dictionary;
    mp_hash_index index[MP_LEVELS];
    mp_amounts sums[MP_LEVELS]; /* of the entries */
    int64_t entries;            /* that the totals tell of */
    bool totalled;
} loader;

static const char *read_totals(loader *load, struct json_object *object)
{
    mp_digest *digest = load->digest;
    if (load->totalled)
        return "has the totals a second time, expected them once";
    load->totalled = true;
    load->entries = number_of(object, "entries", -1);
    digest->totals = amounts_of(object);
    digest->peak_objects = number_of(object, "peak_objects", 0);
    digest->peak_bytes = number_of(object, "peak_bytes", 0);
    digest->modules = (uint64_t)number_of(object, "modules", 0);
    return NULL;
}

static bool is_within(const mp_amounts *sums)
{
    for (size_t i = 0; i < AMOUNTS; i++) {
        int64_t amount;
        memcpy(&amount, (const char *)sums + amounts[i].offset, sizeof amount);
        if (amount > MOST || amount < -MOST)
            return false;
    }
    return true;
}

/* What is wrong with the line; NULL: nothing. */
static const char *read_entry(loader *load, struct json_object *object)
{
    const char *of = text_of(object, "of");
    int level = level_named(of);
    mp_entry_key key = {0};
    if (strcmp(of, "totals") == 0)
        return read_totals(load, object);
    if (level < 0)
        return "does not say what it is of, expected \"of\" with totals, site, type, line, method "
               "or module";
    key.type = mp_dictionary_id(load->dictionary, text_of(object, "type"));
    key.name = mp_dictionary_id(load->dictionary, text_of(object, "name"));
    key.program = mp_dictionary_id(load->dictionary, text_of(object, "program"));
    key.line = (uint32_t)number_of(object, "line", (int32_t)MP_NO_LINE);
    key.overload = (uint32_t)number_of(object, "overload", 0);
    if (!read_stack(object, load->dictionary, &key))
        return "has a stack that is none, expected a list of [name, line]";
    mp_entries *entries = &load->digest->lists[level];
    size_t before = entries->count, place = mp_entry_for(entries, &load->index[level], key);
    if (entries->count == before)
        return "is of the same as a line before it, expected each once";
    entries->at[place].amounts = amounts_of(object);
    load->sums[level] = mp_amounts_add(load->sums[level], entries->at[place].amounts);
    return is_within(&load->sums[level])
               ? NULL
               : "makes a sum that 63 bits do not hold, expected figures of a recording";
}

static const char *read_head(mp_digest *digest, mp_dictionary *dictionary,
                             struct json_object *object)
{
    const char *kind = text_of(object, "kind");
    if (number_of(object, "memprof-baseline", 0) != VERSION)
        return "is of another version, expected a baseline of version 1: save it again";
    for (int i = 1; i < KINDS; i++)
        if (strcmp(kinds[i], kind) == 0)
            digest->kind = (mp_kind)i;
    digest->has = (unsigned)number_of(object, "knows", 0);
    digest->complete = number_of(object, "complete", 1) != 0;
    digest->format = "baseline";
    digest->kept = true;
    digest->conditions =
        mp_dictionary_text(dictionary, mp_dictionary_id(dictionary, text_of(object, "options")));
    return digest->kind ? NULL : "does not say what kind of recording it was made of";
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

static const char *read_line(loader *load, const char *line, size_t length, uint64_t number)
{
    if (length > INT32_MAX)
        return "is too long";
    if (!mp_utf8_valid((mp_slice){line, length}))
        return "is no UTF-8";
    struct json_object *object = object_in(line, length);
    if (!object)
        return "is no JSON object";
    const char *wrong = number == 1 ? read_head(load->digest, load->dictionary, object) : NULL;
    wrong = wrong ? wrong : check_members(object);
    if (!wrong && number > 1)
        wrong = read_entry(load, object);
    json_object_put(object);
    return wrong;
}

/* Whether all is there that was saved; else what is wrong with the last line. The totals of heaps
 * were made of their sites. */
static bool is_whole(const loader *load, char *wrong, size_t size)
{
    const mp_digest *digest = load->digest;
    unsigned long long found = entry_count(digest);
    if (!load->totalled || load->entries < 0)
        snprintf(wrong, size, "ends a baseline without totals, expected them behind the first");
    else if ((unsigned long long)load->entries != found)
        snprintf(wrong, size,
                 "ends a baseline of %llu entries, expected %lld as its totals tell: save it again",
                 found, (long long)load->entries);
    else if (digest->kind != MP_KIND_PROFILE &&
             memcmp(&load->sums[MP_LEVEL_SITE], &digest->totals, sizeof digest->totals) != 0)
        snprintf(wrong, size,
                 "ends a baseline whose sites do not add up to its totals, expected them as they "
                 "were saved: save it again");
    else
        return true;
    return false;
}

mp_digest *mp_baseline_parse(const char *path, const char *text, size_t length,
                             mp_dictionary *dictionary, mp_error *error)
{
    loader load = {.digest = mp_alloc_zero(1, sizeof *load.digest), .dictionary = dictionary};
    const char *at = text, *end = text + length, *wrong = NULL;
    char torn[160];
    load.digest->path = mp_dictionary_text(dictionary, mp_dictionary_id(dictionary, path));
    load.digest->bytes = length;
    for (; at < end && !wrong; load.digest->records++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (stop > at)
            wrong = read_line(&load, at, (size_t)(stop - at), load.digest->records + 1);
        at = newline ? newline + 1 : end;
    }
    if (!wrong && !is_whole(&load, torn, sizeof torn))
        wrong = torn;
    for (int level = 0; level < MP_LEVELS; level++)
        mp_hash_index_free(&load.index[level]);
    if (!wrong)
        return load.digest;
    mp_fail_file(error, path, (uint32_t)load.digest->records, 0, "the line %s", wrong);
    mp_digest_free(load.digest);
    return NULL;
}
