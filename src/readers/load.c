/* From paths to a complete model: find each input's reader, order the inputs, read them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diagnose.h"
#include "base/encoding.h"
#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/reader.h"

#define MP_READER(name) extern const mp_reader mp_reader_##name;
#include "readers/readers.def"
#undef MP_READER

static const mp_reader *const table[] = {
#define MP_READER(name) &mp_reader_##name,
#include "readers/readers.def"
#undef MP_READER
};

enum { READERS = sizeof table / sizeof *table };

const mp_reader *const *mp_readers(size_t *count)
{
    *count = READERS;
    return table;
}

bool mp_reader_named(const char *path)
{
    const size_t length = strlen(path);
    size_t count;
    const mp_reader *const *readers = mp_readers(&count);
    for (size_t i = 0; i < count; i++) {
        const size_t ending = strcspn(readers[i]->endings, " "); /* the first is its own */
        if (readers[i]->kind != MP_KIND_DATABASE && length > ending &&
            strncasecmp(path + length - ending, readers[i]->endings, ending) == 0)
            return true;
    }
    return false;
}

const mp_reader *mp_reader_find(const char *name)
{
    for (size_t i = 0; i < READERS; i++)
        if (mp_text_is(table[i]->name, name))
            return table[i];
    return NULL;
}

size_t mp_process_of(const char *path)
{
    size_t length = 0;
    for (size_t i = 0; i < READERS && !length; i++)
        if (table[i]->process)
            length = table[i]->process(path);
    return length;
}

void mp_reader_tell_converted(mp_diagnostics *diagnostics, const char *path)
{
    mp_diagnose(diagnostics, MP_DIAG_NOT_UTF8, path, 0,
                "has text that is not UTF-8: read as ISO 8859-1 (of others, say which: "
                "%sencoding)",
                mp_diagnostics_dashes(diagnostics));
}

/* One input on its way: found, ordered, read. */
typedef struct load_entry {
    const char *path;
    mp_input *input; /* open only while it is looked at or read; a pipe stays open */
    const mp_reader *reader;
    mp_place place;
    size_t turn;  /* as which of all paths it was given */
    size_t given; /* as which the first of its recording was */
    mp_string_id snapshot;
} load_entry;

/* FILE@SNAPSHOT, unless there is a file of that whole name. */
static void split_snapshot(load_entry *entry, mp_model *model)
{
    const char *at = strrchr(entry->path, '@');
    if (!at || at == entry->path || !at[1] || mp_input_exists(entry->path))
        return;
    mp_slice file = {entry->path, (size_t)(at - entry->path)};
    bool converted = false;
    const char *path = mp_model_text(model, mp_model_intern(model, file, &converted));
    if (mp_input_exists(path)) {
        entry->path = path;
        entry->snapshot = mp_model_intern_text(model, at + 1);
    }
}

const mp_reader *mp_reader_claiming(mp_slice head, const mp_reader **second)
{
    const mp_reader *best = NULL;
    mp_bid best_bid = MP_NOT_MINE;
    *second = NULL;
    for (size_t i = 0; i < READERS; i++) {
        mp_bid bid = table[i]->probe(head);
        if (bid > best_bid) {
            best = table[i];
            best_bid = bid;
            *second = NULL;
        } else if (bid == best_bid && bid != MP_NOT_MINE) {
            *second = table[i];
        }
    }
    return best;
}

/* The surest reader. NULL after a diagnostic. */
static const mp_reader *choose(mp_slice head, const char *path, mp_diagnostics *diagnostics)
{
    char kind[128];
    const char *dashes = mp_diagnostics_dashes(diagnostics);
    const mp_reader *second, *best = mp_reader_claiming(head, &second);
    if (second)
        mp_diagnose(diagnostics, MP_DIAG_AMBIGUOUS_FORMAT, path, 1,
                    "could be %s or %s, expected one of them to be sure: say which with "
                    "%sinput-format",
                    best->name, second->name, dashes);
    else if (!best)
        mp_diagnose(diagnostics, MP_DIAG_FOREIGN_FILE, path, 1,
                    "looks like %s, expected a recording that memprof reads (see memprof formats)",
                    mp_spell(kind, sizeof kind, mp_foreign_kind(head), dashes));
    return second ? NULL : best;
}

const mp_reader *mp_reader_of(mp_slice head, const char *path, const char *format,
                              mp_diagnostics *diagnostics)
{
    return format ? mp_reader_find(format) : choose(head, path, diagnostics);
}

static bool look_at_bytes(load_entry *entry, mp_diagnostics *diagnostics,
                          const mp_load_options *options)
{
    mp_slice head = mp_input_look_ahead(entry->input);
    const char *path = mp_input_path(entry->input);
    if (head.length == 0 && !mp_input_is_whole(entry->input))
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "nothing of it could be read, expected a recording");
    else if (head.length == 0)
        mp_diagnose(diagnostics, MP_DIAG_EMPTY_FILE, path, 0,
                    "is empty, expected a recording (OpenEdge 12.2.3 writes empty profiler files: "
                    "use 12.2.4 or later)");
    else
        entry->reader = mp_reader_of(head, path, options->format, diagnostics);
    if (entry->reader && entry->reader->place)
        entry->reader->place(head, &entry->place);
    return entry->reader != NULL;
}

/* All entries, and what they are found by. */
typedef struct load_list {
    load_entry *at;
    size_t count, capacity;
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    size_t passed_over; /* members of this archive */
    mp_string_id snapshot;
    bool ok;
} load_list;

static load_entry *add_entry(load_list *list, const char *path)
{
    mp_grow(&list->at, &list->capacity, list->count + 1, sizeof *list->at);
    list->at[list->count] = (load_entry){.path = path, .turn = list->count, .given = list->count};
    return &list->at[list->count++];
}

/* What no reader knows is passed over, as in a folder. */
static void look_at_member(void *opaque, mp_input *member)
{
    load_list *list = opaque;
    const mp_reader *second, *reader = NULL;
    mp_slice head = mp_input_look_ahead(member);
    if (head.length)
        reader = mp_reader_claiming(head, &second);
    if (head.length && list->options->format) {
        reader = mp_reader_find(list->options->format);
        reader = reader->probe(head) == MP_MINE ? reader : NULL;
    }
    if (!reader) {
        list->ok &= mp_input_is_whole(member);
        list->passed_over += mp_input_is_whole(member);
        return;
    }
    const char *path =
        mp_model_text(list->model, mp_model_intern_text(list->model, mp_input_path(member)));
    load_entry *entry = add_entry(list, path);
    entry->reader = reader;
    entry->snapshot = list->snapshot;
    if (reader->place)
        reader->place(head, &entry->place);
}

static int by_path(const void *left, const void *right)
{
    const load_entry *a = left, *b = right;
    int paths = strverscmp(a->path, b->path);
    return paths ? paths : (a->given > b->given) - (a->given < b->given);
}

/* In the order of their names, numbers in which are numbers; of those of one name the last one, as
 * if it had been unpacked. */
static void look_at_archive(load_list *list, load_entry archive)
{
    size_t first = --list->count, kept = first;
    bool ok = list->ok;
    list->ok = true;
    list->passed_over = 0;
    list->snapshot = archive.snapshot;
    bool whole = mp_input_members(archive.input, list->options, look_at_member, list);
    if (list->count > first)
        qsort(list->at + first, list->count - first, sizeof *list->at, by_path);
    for (size_t i = first; i < list->count; i++)
        if (i + 1 == list->count || strcmp(list->at[i].path, list->at[i + 1].path) != 0) {
            list->at[kept] = list->at[i];
            list->at[kept].turn = list->at[kept].given = kept;
            kept++;
        }
    list->count = kept;
    if (kept == first && whole && list->ok)
        mp_diagnose(list->diagnostics, MP_DIAG_NO_RECORDINGS, mp_input_path(archive.input), 0,
                    "has no recordings, expected at least one");
    else if (list->passed_over && kept > first)
        mp_diagnose(list->diagnostics, MP_DIAG_PASSED_OVER, mp_input_path(archive.input), 0,
                    "%zu file%s passed over that no format knows", list->passed_over,
                    list->passed_over == 1 ? "" : "s");
    list->ok = ok && list->ok && whole && kept > first;
    mp_input_close(archive.input);
}

static void look_at(load_list *list, const char *path)
{
    load_entry *entry = add_entry(list, path);
    split_snapshot(entry, list->model);
    entry->input = mp_input_open(entry->path, list->diagnostics, list->options);
    if (!entry->input)
        list->ok = false;
    else if (mp_input_is_archive(entry->input))
        look_at_archive(list, *entry);
    else
        list->ok &= look_at_bytes(entry, list->diagnostics, list->options);
}

/* Inputs of one recording stand where its first one was given, in the order of their sequence. */
static int by_place(const void *left, const void *right)
{
    const load_entry *a = left, *b = right;
    if (a->given != b->given)
        return a->given < b->given ? -1 : 1;
    if (a->place.sequence != b->place.sequence)
        return a->place.sequence < b->place.sequence ? -1 : 1;
    return a->turn < b->turn ? -1 : a->turn > b->turn;
}

typedef struct entry_probe {
    const load_entry *entries, *entry;
} entry_probe;

static bool is_same_recording(const void *opaque, uint32_t value)
{
    const entry_probe *probe = opaque;
    const load_entry *a = probe->entry, *b = &probe->entries[value - 1];
    return a->reader == b->reader && strcmp(a->place.group, b->place.group) == 0;
}

/* Dumps that all tell when they were made, and not all the same, stand in that order wherever they
 * were given. Their clock may have started again meanwhile. */
static bool order_dumps(load_entry *entries, size_t count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        const mp_place *place = &entries[i].place;
        if (entries[i].reader && !place->stamped)
            return false;
        least = place->stamped && place->stamp < least ? place->stamp : least;
        most = place->stamped && place->stamp > most ? place->stamp : most;
    }
    bool again = most > least && most - least > INT32_MAX;
    for (size_t i = 0; most > least && i < count; i++) {
        uint32_t stamp = entries[i].place.stamp;
        entries[i].given = 0;
        entries[i].place.sequence = stamp + ((uint64_t)(again && stamp <= INT32_MAX) << 32);
    }
    return most > least;
}

/* Whoever gave or named them otherwise sees other ends of what grew than he thinks. */
static void tell_order(const load_entry *entries, size_t count, mp_diagnostics *diagnostics)
{
    for (size_t i = 1; i < count; i++)
        if (entries[i].place.stamped && entries[i].turn < entries[i - 1].turn) {
            mp_diagnose(diagnostics, MP_DIAG_DUMP_ORDER, entries[i].path, 0,
                        "comes before %s as given or by its name, and is later by its stamp: dumps "
                        "are read "
                        "in the order of their stamps",
                        entries[i - 1].path);
            return;
        }
}

static void order(load_entry *entries, size_t count, mp_model *model, mp_diagnostics *diagnostics)
{
    mp_hash_index recordings = {0};
    for (size_t i = 0; i < count; i++) {
        const char *group = entries[i].place.group;
        const entry_probe probe = {entries, &entries[i]};
        if (!*group)
            continue;
        uint32_t *place = mp_hash_index_put(&recordings, mp_hash_bytes(group, strlen(group)),
                                            is_same_recording, &probe);
        *place = *place ? *place : (uint32_t)i + 1;
        entries[i].given = entries[*place - 1].given;
    }
    mp_hash_index_free(&recordings);
    model->dumps_by_stamp = order_dumps(entries, count);
    if (count)
        qsort(entries, count, sizeof *entries, by_place);
    tell_order(entries, count, diagnostics);
}

static void name_snapshot(mp_model *model, uint32_t session, const load_entry *entry)
{
    model->sessions.at[session].snapshot = entry->snapshot;
    model->sessions.at[session].file = mp_model_intern_text(model, entry->path);
}

bool mp_loading_read(mp_loading *loading, mp_input *input)
{
    mp_model *model = loading->model;
    if (!loading->state)
        loading->state = loading->reader->open(model, loading->diagnostics, loading->options);
    mp_input_summary *summary = MP_ADD(&model->inputs);
    summary->format = loading->reader->name;
    summary->path = mp_model_text(model, mp_model_intern_text(model, mp_input_path(input)));
    char packed[128];
    if (*mp_input_packing(input, packed, sizeof packed))
        summary->packed = mp_model_text(model, mp_model_intern_text(model, packed));
    if (*mp_input_encoding(input))
        summary->encoding =
            mp_model_text(model, mp_model_intern_text(model, mp_input_encoding(input)));
    if (loading->options->checksums)
        summary->checksum = mp_input_checksum(input);
    uint32_t at = model->inputs.count - 1;
    model->cut_names = false;
    bool ok = loading->reader->read(loading->state, input, at);
    if (model->cut_names)
        mp_diagnose(loading->diagnostics, MP_DIAG_LONG_NAME, model->inputs.at[at].path, 0,
                    "has names of more than the limit of %smax-name: cut",
                    mp_diagnostics_dashes(loading->diagnostics));
    model->inputs.at[at].bytes = mp_input_bytes(input);
    model->inputs.at[at].complete &= mp_input_is_whole(input);
    return ok;
}

void mp_loading_end(mp_loading *loading)
{
    if (loading->state)
        loading->reader->close(loading->state);
    loading->state = NULL;
}

static bool read_entry(load_entry *entry, mp_loading *loading)
{
    mp_model *model = loading->model;
    if (!entry->input)
        entry->input = mp_input_open(entry->path, loading->diagnostics, loading->options);
    if (!entry->input)
        return false;
    mp_input_look_ahead(entry->input); /* the same start as when it was looked at */
    uint32_t session = model->sessions.count;
    bool ok = mp_loading_read(loading, entry->input);
    if (session == model->sessions.count && session > 1)
        session--; /* a further part of it */
    for (; entry->snapshot.i && session < model->sessions.count; session++)
        name_snapshot(model, session, entry);
    mp_input_close(entry->input);
    entry->input = NULL;
    return ok && mp_diagnostics_count(loading->diagnostics, MP_DIAG_CANNOT_READ) == 0 &&
           mp_diagnostics_count(loading->diagnostics, MP_DIAG_LIMIT) == 0;
}

/* All entries of one reader, in order. */
static bool read_all(const mp_reader *const reader, load_entry *entries, size_t count,
                     mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    bool ok = true;
    mp_loading loading = {model, diagnostics, options, reader, NULL};
    for (size_t i = 0; i < count; i++)
        if (entries[i].reader && entries[i].reader == reader)
            ok &= read_entry(&entries[i], &loading);
    mp_loading_end(&loading);
    return ok;
}

/* Also sets the model's kind. */
static bool one_kind(const load_entry *entries, size_t count, mp_model *model,
                     mp_diagnostics *diagnostics)
{
    const load_entry *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!entries[i].reader)
            continue;
        if (first && first->reader->kind != entries[i].reader->kind) {
            mp_diagnose(diagnostics, MP_DIAG_MIXED_INPUTS, entries[i].path, 0,
                        "%s data beside %s data, expected inputs of one kind: run memprof once for "
                        "each",
                        entries[i].reader->name, first->reader->name);
            return false;
        }
        first = first ? first : &entries[i];
    }
    model->kind = first ? first->reader->kind : MP_KIND_NONE;
    return true;
}

/* A snapshot that is named where there can be none is not passed over in silence. */
static bool has_snapshots(const load_entry *entries, size_t count, const mp_model *model,
                          mp_diagnostics *diagnostics)
{
    bool single = model->kind == MP_KIND_PROFILE || model->kind == MP_KIND_DUMP;
    for (size_t i = 0; single && i < count; i++)
        if (entries[i].snapshot.i) {
            mp_diagnose(diagnostics, MP_DIAG_NO_SNAPSHOT, entries[i].path, 0,
                        "no snapshot \"%s\": %s has none",
                        mp_model_text(model, entries[i].snapshot), mp_kind_name(model->kind));
            return false;
        }
    return true;
}

static bool knows_encoding(const char *name, mp_diagnostics *diagnostics)
{
    const char *why;
    mp_encoding *encoding = name ? mp_encoding_open(name, &why) : NULL;
    if (name && !encoding)
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_READ, NULL, 0, "there is no encoding \"%.60s\": %s",
                    name, why);
    mp_encoding_close(encoding);
    return !name || encoding;
}

bool mp_load(mp_model *model, mp_diagnostics *diagnostics, const char *const *paths, size_t count,
             const mp_load_options *options)
{
    load_list list = {.model = model, .diagnostics = diagnostics, .options = options, .ok = true};
    if (!knows_encoding(options->encoding, diagnostics))
        return false;
    model->longest_name = options->limits.name;
    if (options->since && !mp_parse_moment(options->since, &model->within.since))
        model->within.since.given = false;
    if (options->until && !mp_parse_moment(options->until, &model->within.until))
        model->within.until.given = false;
    for (size_t i = 0; i < count; i++) {
        look_at(&list, paths[i]);
        load_entry *last = list.count ? &list.at[list.count - 1] : NULL;
        if (last && last->input && count > 1 && mp_input_can_reopen(last->input)) {
            mp_input_close(last->input);
            last->input = NULL;
        }
    }
    load_entry *entries = list.at;
    assert(entries || !list.count);
    bool readable = one_kind(entries, list.count, model, diagnostics) &&
                    has_snapshots(entries, list.count, model, diagnostics);
    order(entries, list.count, model, diagnostics);
    for (size_t i = 0; readable && i < READERS; i++)
        list.ok &= read_all(table[i], entries, list.count, model, diagnostics, options);
    for (size_t i = 0; i < list.count; i++)
        mp_input_close(entries[i].input);
    free(entries);
    mp_model_build_tree(model, diagnostics);
    return list.ok && readable;
}
