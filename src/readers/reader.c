/* The table of readers: selection of a reader, and reading of inputs one by one. */
#include <string.h>
#include <strings.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/text.h"
#include "model/build.h"
#include "model/heap.h"
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

mp_naming mp_reader_naming(const char *path)
{
    const size_t length = mp_input_name_length(path, strlen(path));
    mp_naming naming = MP_NAMED_OTHERWISE;
    for (size_t i = 0; i < READERS; i++) {
        /* Other programs use these suffixes, and the others of a reader, too. */
        const bool other = table[i]->kind == MP_KIND_DATABASE;
        const int ending = mp_text_ending(path, length, table[i]->endings);
        if (ending == 0 && !other)
            return MP_NAMED_RECORDING;
        if (ending >= 0)
            naming = MP_NAMED_PERHAPS;
    }
    return naming;
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

/* Return true for a database that memprof wrote: its application_id (bytes 68 to 71 of an SQLite
 * file) is "mprf". */
static bool is_own_database(mp_slice head)
{
    enum { PLACE = 68, LENGTH = 4 };
    return mp_slice_starts(head, "SQLite format 3") && head.length >= PLACE + LENGTH &&
           memcmp(head.start + PLACE, "mprf", LENGTH) == 0;
}

/* Return the reader for the input. Return NULL after a diagnostic if no reader claims it. */
static const mp_reader *choose(mp_slice head, const char *path, mp_diagnostics *diagnostics)
{
    char kind[128];
    const char *dashes = mp_diagnostics_dashes(diagnostics);
    const mp_reader *second, *best = mp_reader_claiming(head, &second);
    if (second)
        mp_diagnose(diagnostics, MP_DIAG_AMBIGUOUS_FORMAT, path, 1,
                    "could be %s or %s; choose one with %sinput-format", best->name, second->name,
                    dashes);
    else if (!best && is_own_database(head))
        mp_diagnose(
            diagnostics, MP_DIAG_FOREIGN_FILE, path, 1,
            "is a database of export %sto sqlite, expected the recordings from which it was made; "
            "sqlite3 '%s' \"SELECT * FROM leaks\" queries it",
            dashes, *path == '(' ? "FILE" : path);
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

const mp_reader *mp_reader_settle(const mp_reader *reader, mp_input *input)
{
    if (!reader->settle)
        return reader;
    /* All problems are reported later, when the input is read. */
    mp_diagnostics *unheard = mp_diagnostics_new(1), *usual = mp_input_diagnose_to(input, unheard);
    if (mp_input_keep(input)) {
        reader = reader->settle(input);
        mp_input_rewind(input);
    }
    mp_input_diagnose_to(input, usual);
    mp_diagnostics_free(unheard);
    return reader;
}

/* Report that the last input has text that is not UTF-8. */
static void tell_converted(const mp_loading *loading)
{
    const mp_model *model = loading->model;
    if (model->converted)
        mp_diagnose(
            loading->diagnostics, MP_DIAG_NOT_UTF8,
            model->inputs.items[model->inputs.count - 1].path, 0,
            "has text that is not UTF-8; read as ISO 8859-1 (%sencoding names another encoding)",
            mp_diagnostics_dashes(loading->diagnostics));
}

bool mp_loading_read(mp_loading *loading, mp_input *input)
{
    mp_model *model = loading->model;
    model->holds |=
        loading->reader->holds | (loading->reader->read_contents ? MP_HOLDS_CONTENTS : 0);
    if (!loading->state)
        loading->state = loading->reader->open(model, loading->diagnostics, loading->options);
    mp_input_summary *summary = MP_ADD(&model->inputs);
    summary->format = loading->reader->name;
    summary->noun = loading->reader->noun;
    mp_arena arena = {0};
    const char *path = mp_diagnostics_name(loading->diagnostics, &arena, mp_input_path(input));
    summary->path = mp_model_text(model, mp_model_intern_text(model, path));
    mp_arena_free(&arena);
    char packed[128];
    if (*mp_input_packing(input, packed, sizeof packed))
        summary->packed = mp_model_text(model, mp_model_intern_text(model, packed));
    if (*mp_input_encoding(input))
        summary->encoding =
            mp_model_text(model, mp_model_intern_text(model, mp_input_encoding(input)));
    if (loading->options->checksums)
        summary->checksum = mp_input_checksum(input);
    uint32_t index = model->inputs.count - 1;
    model->cut_names = model->converted = false;
    const uint64_t faults = mp_diagnostics_faults(loading->diagnostics);
    bool ok = loading->reader->read(loading->state, input, index);
    if (model->cut_names)
        mp_diagnose(loading->diagnostics, MP_DIAG_LONG_NAME, model->inputs.items[index].path, 0,
                    "has names longer than the limit of %smax-name; truncated",
                    mp_diagnostics_dashes(loading->diagnostics));
    tell_converted(loading);
    model->inputs.items[index].bytes = mp_input_bytes(input);
    model->inputs.items[index].complete &= mp_input_is_whole(input);
    model->inputs.items[index].damaged = mp_diagnostics_faults(loading->diagnostics) > faults;
    return ok;
}

void mp_loading_end(mp_loading *loading)
{
    if (!loading->state)
        return;
    loading->model->converted = false;
    loading->reader->close(loading->state);
    tell_converted(loading);
    loading->state = NULL;
}

/* --- functions for readers --- */

const char *mp_reference_text(mp_arena *texts, const char *before, mp_slice name, const char *after)
{
    enum { MOST = 80, ROOM = 256 };
    char start[ROOM];
    bool converted;
    const bool is_long = name.length > ROOM;
    size_t length = is_long ? ROOM : name.length;
    while (is_long && length > ROOM - 4 && (name.start[length] & 0xc0) == 0x80)
        length--;
    for (size_t i = 0; i < length; i++)
        start[i] = name.start[i] ? name.start[i] : ' ';
    mp_slice text = mp_utf8_from_bytes(texts, (mp_slice){start, length}, &converted);
    const bool is_cut = is_long || text.length > MOST;
    if (text.length > MOST)
        for (text.length = MOST; (text.start[text.length] & 0xc0) == 0x80;)
            text.length--;
    return mp_arena_format(texts, "%s%.*s%s%s", before, (int)text.length, text.start,
                           is_cut ? "..." : "", after);
}

static const char *const usual_skips[] = {
    "operator new*",
    "::operator new*",
    "operator delete*",
    "::operator delete*",
    "__builtin_new*",
    "__builtin_vec_new*",
    "malloc",
    "malloc(*",
    "calloc",
    "calloc(*",
    "realloc",
    "realloc(*",
    "std::allocator<*>::allocate*",
    "__gnu_cxx::new_allocator<*>::allocate*",
    "libjemalloc.so*+0x*",
    "libtcmalloc*.so*+0x*",
};

bool mp_is_allocator(const mp_load_options *options, const char *frame)
{
    bool usual = !options->skip_count && !options->no_skips;
    const char *const *globs = usual ? usual_skips : options->skips;
    size_t count = usual ? sizeof usual_skips / sizeof *usual_skips : options->skip_count;
    for (size_t i = 0; i < count; i++)
        if (mp_glob_fits(globs[i], frame, 0))
            return true;
    return false;
}

void mp_heap_set_options(mp_heap *heap, const mp_load_options *options)
{
    const mp_time_range *within = &heap->model->within;
    const int64_t start_us = heap->model->sessions.items[heap->session.i].start_us;
    if (options->keep_objects)
        mp_heap_keep_objects(heap);
    if (options->keep_ages)
        mp_heap_keep_ages(heap);
    if (options->request_peaks)
        mp_heap_watch_requests(heap);
    if (within->since.given)
        heap->since_us = mp_moment_us(&within->since, start_us);
    if (within->until.given)
        heap->until_us = mp_moment_us(&within->until, start_us);
}
