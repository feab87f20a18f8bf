/* Load the files of a group into a model: detect their formats, order them, read them. */
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/encoding.h"
#include "base/index.h"
#include "base/memory.h"
#include "input/stream.h"
#include "model/build.h"
#include "query/holdings.h"
#include "readers/reader.h"
#include "session/groups.h"

/* --- names and contents of a dump, read from its input again when an answer needs them --- */

typedef struct source {
    const mp_reader *reader;
    mp_load_options options;
    char *path;
    const char *name;   /* path for messages; owned by the model */
    struct stat origin; /* status of the file when it was read */
    mp_input *stream;   /* input that cannot be opened again; NULL: a file */
    bool complete;      /* the input was read to its end */
} source;

static void release(void *opaque)
{
    source *self = opaque;
    mp_input_close(self->stream);
    free(self->path);
    free(self);
}

/* Return the input at its start. If it is gone or changed, return NULL, with the reason in
 * `why`. */
static mp_input *open_again(const source *self, mp_diagnostics *unheard, const char **why)
{
    if (self->stream) {
        mp_input_diagnose_to(self->stream, unheard);
        *why = "it cannot be read again";
        return mp_input_rewind(self->stream) ? self->stream : NULL;
    }
    mp_input *input = mp_input_look(self->path, unheard, &self->options);
    *why = "it cannot be opened again";
    if (!input || mp_file_is_same(mp_input_origin(input), &self->origin))
        return input;
    *why = "it was changed after it was read";
    mp_input_close(input);
    return NULL;
}

static bool read_contents(void *opaque, mp_contents *contents, const char **why)
{
    const source *self = opaque;
    /* faults of the input were reported when it was first read */
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_input *input = open_again(self, unheard, why);
    const bool whole = input && self->reader->read_contents(input, contents);
    if (input && !whole)
        *why = "it could not be read to its end again";
    if (input && input != self->stream)
        mp_input_close(input);
    mp_diagnostics_free(unheard);
    return input && (whole || !self->complete);
}

static bool read_names(void *opaque, mp_named_reference *references, size_t count, mp_arena *texts,
                       mp_diagnostics *diagnostics)
{
    const source *self = opaque;
    /* faults of the input were reported when it was first read */
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    const char *why = NULL;
    size_t missing = 0;
    mp_input *input = open_again(self, unheard, &why);
    if (input) {
        why = self->complete ? "several objects have one id" : "it ends before their names";
        self->reader->name_references(input, references, count, texts);
    }
    for (size_t i = 0; i < count; i++)
        missing += !references[i].name;
    if (input && input != self->stream)
        mp_input_close(input);
    mp_diagnostics_free(unheard);
    if (missing)
        mp_diagnose(diagnostics, MP_DIAG_NAMELESS_REFERENCES, self->name, 0,
                    "%s, so %zu of %zu references are shown without their names", why, missing,
                    count);
    return !missing;
}

/* Let the model's graph read names and contents from this input. This is possible if the graph was
 * made from the input, and the input's format has names (mp_graph.names). `input` was read last, to
 * its end. A file is opened again by its path; a stream is kept open. Return true if the model now
 * owns the input. Everything to which `options` points must outlive the model. */
static bool open_references(mp_model *model, const mp_reader *reader, mp_input *input,
                            const mp_load_options *options)
{
    const uint32_t summary = model->inputs.count - 1;
    mp_graph *graph = model->graph;
    if (!reader->name_references || !graph || graph->names.read ||
        model->snapshots.items[graph->snapshot.i].input != summary)
        return false;
    const char *path = mp_input_path(input);
    const bool is_stream = !mp_input_can_reopen(input);
    source *self = mp_alloc_zero(1, sizeof *self);
    *self = (source){.reader = reader,
                     .options = *options,
                     .path = mp_copy(path, strlen(path)),
                     .name = model->inputs.items[summary].path,
                     .origin = *mp_input_origin(input),
                     .stream = is_stream ? input : NULL,
                     .complete = model->inputs.items[summary].complete};
    graph->names = (mp_reference_source){read_names, reader->read_contents ? read_contents : NULL,
                                         release, self};
    return is_stream;
}

/* --- loading --- */

/* A file to load, before it is read. */
typedef struct load_entry {
    mp_file file;
    mp_input *input; /* open only while the format is detected or the file is read; a pipe is always
                        open */
    size_t turn;     /* index of the file on the command line */
    size_t given;    /* index of the first file of the same recording */
} load_entry;

/* A group that is being loaded into a model. */
typedef struct group_load {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    load_entry *entries;
    size_t count;
} group_load;

/* Detect the format of an open file. Return false, after a diagnostic, if no reader accepts it. */
static bool look_at_bytes(const group_load *load, load_entry *entry)
{
    mp_slice head = mp_input_look_ahead(entry->input);
    const char *path = mp_input_path(entry->input);
    if (head.length == 0 && !mp_input_is_whole(entry->input))
        mp_diagnose(load->diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "none of it could be read, expected a recording");
    else if (head.length == 0)
        mp_diagnose(load->diagnostics, MP_DIAG_EMPTY_FILE, path, 0,
                    "is empty, expected a recording (OpenEdge 12.2.3 writes empty profiler files: "
                    "use 12.2.4 or later)");
    else
        entry->file.reader = mp_reader_of(head, path, load->options->format, load->diagnostics);
    const mp_reader *reader = entry->file.reader;
    if (reader && reader->place)
        reader->place(head, &entry->file.place);
    return reader != NULL;
}

/* Find the reader of a file: open the file and detect its format, unless the search knows the
 * reader already. A pipe stays open; a file stays open if it is the only one. */
static bool look_at(const group_load *load, load_entry *entry)
{
    if (entry->file.reader && !entry->file.reader->settle)
        return true;
    entry->input = mp_input_open(entry->file.path, load->diagnostics, load->options);
    bool ok = entry->input && (entry->file.reader || look_at_bytes(load, entry));
    if (!entry->input)
        entry->file.reader = NULL; /* it is not read either */
    if (ok)
        entry->file.reader = mp_reader_settle(entry->file.reader, entry->input);
    if (entry->input && load->count > 1 && mp_input_can_reopen(entry->input)) {
        mp_input_close(entry->input);
        entry->input = NULL;
    }
    return ok;
}

/* Compare files by the position of their recording on the command line, then by their sequence in
 * the recording. */
static int by_place(const void *left, const void *right)
{
    const load_entry *a = left, *b = right;
    int order = MP_COMPARE(a->given, b->given);
    order = order ? order : MP_COMPARE(a->file.place.sequence, b->file.place.sequence);
    return order ? order : MP_COMPARE(a->turn, b->turn);
}

/* Sort dumps by time stamp instead of by position, if all dumps have a stamp and the stamps differ.
 * Return true if they were sorted. Stamps are 32-bit counters that may have wrapped around between
 * dumps. */
static bool order_dumps(load_entry *entries, size_t count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        const mp_place *place = &entries[i].file.place;
        if (entries[i].file.reader && !place->stamped)
            return false;
        least = place->stamped && place->stamp < least ? place->stamp : least;
        most = place->stamped && place->stamp > most ? place->stamp : most;
    }
    bool again = most > least && most - least > INT32_MAX;
    for (size_t i = 0; most > least && i < count; i++) {
        uint32_t stamp = entries[i].file.place.stamp;
        entries[i].given = 0;
        entries[i].file.place.sequence = stamp + ((uint64_t)(again && stamp <= INT32_MAX) << 32);
    }
    return most > least;
}

/* Report that dumps are not read in the order in which they were given or named. The order matters,
 * because growth is measured from the first to the last. */
static void tell_order(const load_entry *entries, size_t count, mp_diagnostics *diagnostics)
{
    for (size_t i = 1; i < count; i++)
        if (entries[i].file.place.stamped && entries[i].turn < entries[i - 1].turn) {
            mp_diagnose(diagnostics, MP_DIAG_DUMP_ORDER, entries[i].file.path, 0,
                        "comes before %s on the command line or by name, but has a later time "
                        "stamp; dumps are read in the order of their stamps",
                        entries[i - 1].file.path);
            return;
        }
}

static void order(const group_load *load)
{
    load_entry *entries = load->entries;
    mp_key_index recordings = {0};
    for (size_t i = 0; i < load->count; i++) {
        if (!*entries[i].file.place.group)
            continue;
        uint32_t *place = mp_recording_of(&recordings, &entries[i].file);
        *place = *place ? *place : (uint32_t)i + 1;
        entries[i].given = entries[*place - 1].given;
    }
    mp_key_index_free(&recordings);
    load->model->dumps_by_stamp = order_dumps(entries, load->count);
    if (load->count)
        qsort(entries, load->count, sizeof *entries, by_place);
    tell_order(entries, load->count, load->diagnostics);
}

/* Record, in the sessions from number `session` on, that they are read only up to the file's
 * snapshot. */
static void name_snapshot(mp_model *model, uint32_t session, const mp_file *file)
{
    mp_string_id snapshot = mp_model_intern_text(model, file->snapshot);
    for (; session < model->sessions.count; session++) {
        model->sessions.items[session].snapshot = snapshot;
        model->sessions.items[session].file = mp_model_intern_text(model, file->path);
    }
}

static bool read_entry(const group_load *load, load_entry *entry, mp_loading *loading)
{
    mp_model *model = load->model;
    if (!entry->input)
        entry->input = mp_input_open(entry->file.path, load->diagnostics, load->options);
    if (!entry->input)
        return false;
    mp_input_look_ahead(entry->input); /* the reader gets the same first bytes as the detection */
    uint32_t session = model->sessions.count;
    bool ok = mp_loading_read(loading, entry->input);
    if (session == model->sessions.count && session > 1)
        session--; /* the file continues the previous session */
    if (entry->file.snapshot)
        name_snapshot(model, session, &entry->file);
    if (!open_references(model, entry->file.reader, entry->input, load->options))
        mp_input_close(entry->input);
    entry->input = NULL;
    return ok && mp_diagnostics_count(load->diagnostics, MP_DIAG_CANNOT_READ) == 0 &&
           mp_diagnostics_count(load->diagnostics, MP_DIAG_LIMIT) == 0;
}

/* Read all files of one format, in order. */
static bool read_all(const group_load *load, const mp_reader *const reader)
{
    bool ok = true;
    mp_loading loading = {load->model, load->diagnostics, load->options, reader, NULL};
    for (size_t i = 0; i < load->count; i++)
        if (load->entries[i].file.reader == reader)
            ok &= read_entry(load, &load->entries[i], &loading);
    mp_loading_end(&loading);
    return ok;
}

/* Set the model's kind. Return false, after a diagnostic, if the files are of several kinds. */
static bool one_kind(const group_load *load)
{
    const mp_file *first = NULL;
    for (size_t i = 0; i < load->count; i++) {
        const mp_file *file = &load->entries[i].file;
        if (!file->reader)
            continue;
        if (first && (first->reader->kind != file->reader->kind ||
                      first->reader->holds != file->reader->holds)) {
            mp_diagnose(load->diagnostics, MP_DIAG_MIXED_INPUTS, file->path, 0,
                        "%s data together with %s data, expected inputs of one kind; run memprof "
                        "once for each",
                        file->reader->name, first->reader->name);
            return false;
        }
        first = first ? first : file;
    }
    load->model->kind = first ? first->reader->kind : MP_KIND_NONE;
    return true;
}

/* Check that FILE@SNAPSHOT is not used with a format without snapshots. Return false after a
 * diagnostic. */
static bool has_snapshots(const group_load *load)
{
    mp_kind kind = load->model->kind;
    for (size_t i = 0; (kind == MP_KIND_PROFILE || kind == MP_KIND_DUMP) && i < load->count; i++) {
        const mp_file *file = &load->entries[i].file;
        if (file->snapshot) {
            mp_diagnose(load->diagnostics, MP_DIAG_NO_SNAPSHOT, file->path, 0,
                        "no snapshot \"%s\": %s has none", file->snapshot, mp_kind_name(kind));
            return false;
        }
    }
    return true;
}

static bool knows_encoding(const char *name, mp_diagnostics *diagnostics)
{
    const char *why;
    mp_encoding *encoding = name ? mp_encoding_open(name, &why) : NULL;
    if (name && !encoding)
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_READ, NULL, 0, "unknown encoding \"%.60s\": %s",
                    name, why);
    mp_encoding_close(encoding);
    return !name || encoding;
}

bool mp_file_group_load(const mp_file_group *group, const mp_load_options *options, mp_model *model,
                        mp_diagnostics *diagnostics)
{
    if (!knows_encoding(options->encoding, diagnostics))
        return false;
    load_entry *entries = mp_alloc_zero(group->count + 1, sizeof *entries);
    const group_load load = {model, diagnostics, options, entries, group->count};
    bool ok = true;
    model->leave = options->dumps_apart ? NULL : mp_leave_holdings;
    model->longest_name = options->limits.name;
    model->within = options->within;
    for (size_t i = 0; i < load.count; i++) {
        entries[i] = (load_entry){.file = group->files[i], .turn = i, .given = i};
        ok &= look_at(&load, &entries[i]);
    }
    bool readable = one_kind(&load) && has_snapshots(&load);
    order(&load);
    size_t readers;
    const mp_reader *const *table = mp_readers(&readers);
    for (size_t i = 0; readable && i < readers; i++)
        ok &= read_all(&load, table[i]);
    for (size_t i = 0; i < load.count; i++)
        mp_input_close(entries[i].input);
    free(entries);
    mp_model_build_tree(model, diagnostics);
    return mp_filter_check_ends(model, diagnostics) && ok && readable;
}
