#include "session/save.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/text.h"
#include "compare/baseline.h"
#include "compare/runs.h"

_Static_assert((int)MP_MOST_SAVED_RUNS == (int)MP_MOST_RUNS, "both are the most runs of a spread");

void mp_runs_free(mp_runs *runs)
{
    while (runs->count)
        mp_digest_free(runs->items[--runs->count]);
    free(runs->items);
    free(runs->paths);
    mp_dictionary_free(runs->dictionary);
}

bool mp_runs_add(mp_runs *runs, const char *path, mp_digest *digest, const mp_question *question,
                 const mp_diagnostics *diagnostics, mp_error *error)
{
    const size_t place = runs->count++;
    mp_grow(&runs->items, &runs->capacity, runs->count, sizeof *runs->items);
    mp_grow(&runs->paths, &runs->path_capacity, runs->count, sizeof *runs->paths);
    runs->items[place] = digest;
    runs->paths[place] = path;
    if (!mp_question_keeps(question, diagnostics, digest, error))
        return false;
    return strcmp(digest->noun, runs->items[0]->noun) == 0 ||
           mp_fail_file(error, path, 0, 0, "is %s, and %s is %s: expected runs of one kind",
                        digest->noun, runs->paths[0], runs->items[0]->noun);
}

mp_outcome mp_runs_read(mp_runs *runs, const char *path, const mp_question *question,
                        const mp_reading *reading, mp_diagnostics *diagnostics, mp_error *error)
{
    runs->dictionary = runs->dictionary ? runs->dictionary : mp_dictionary_new();
    mp_digest *digest =
        mp_recording_digest(path, question, reading, runs->dictionary, diagnostics, error);
    if (!digest)
        return error->code && !error->path ? MP_GROUP_REFUSED : MP_GROUP_UNREAD;
    if (mp_runs_add(runs, path, digest, question, diagnostics, error))
        return MP_GROUP_READ;
    return strcmp(digest->noun, runs->items[0]->noun) == 0 ? MP_GROUP_UNREAD : MP_GROUP_REFUSED;
}

/* --- saving --- */

bool mp_runs_may_replace(const mp_runs *runs, const char *path, const mp_load_options *how,
                         mp_error *error)
{
    mp_error torn = {0};
    if (access(path, F_OK) != 0)
        return true;
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *there = mp_baseline_read(path, how, dictionary, NULL, &torn);
    bool may = there ? strcmp(there->noun, runs->items[0]->noun) == 0 : torn.code != MP_ERROR_INPUT;
    if (!may && there)
        mp_fail_file(error, path, 0, 0,
                     "is a baseline of %s, expected another name by " MP_DASHES "as", there->noun);
    else if (!may)
        *error = torn;
    mp_digest_free(there);
    mp_dictionary_free(dictionary);
    return may;
}

static mp_document *report(const mp_digest *digest, const char *path, size_t length)
{
    typedef struct saved_row {
        const char *path;
        int64_t runs, sites, types, lines, bytes;
    } saved_row;
    static const mp_column columns[] = {
        MP_COLUMN(saved_row, path, "Baseline", MP_TEXT, 0),
        MP_COLUMN(saved_row, runs, "Runs", MP_COUNT, 0),
        MP_COLUMN(saved_row, sites, "Sites", MP_COUNT, 0),
        MP_COLUMN(saved_row, types, "Types", MP_COUNT, 0),
        MP_COLUMN(saved_row, lines, "Lines", MP_COUNT, 0),
        MP_COLUMN(saved_row, bytes, "Size", MP_BYTES, 0),
    };
    mp_document *document = mp_document_new("baseline");
    mp_table *table = MP_TABLE(document, "baseline", "Saved", MP_RECORD, columns);
    table->main = true;
    mp_digest *any = digest->run_count ? mp_digest_of_any_run(digest) : NULL;
    const mp_entries *lists = any ? any->lists : digest->lists;
    saved_row row = {path, MP_UNKNOWN, MP_UNKNOWN, MP_UNKNOWN, MP_UNKNOWN, (int64_t)length};
    if (any)
        row.runs = (int64_t)digest->run_count;
    if (digest->kind == MP_KIND_PROFILE) {
        row.lines = (int64_t)lists[MP_LEVEL_LINE].count;
    } else {
        row.sites = (int64_t)lists[MP_LEVEL_SITE].count;
        row.types = (int64_t)lists[MP_LEVEL_TYPE].count;
    }
    mp_digest_free(any);
    mp_table_put(document, table, &row);
    if (digest->kind == MP_KIND_RECORDING && !digest->complete && !digest->of_moment)
        mp_document_say(document, MP_TONE_WARNING, "Not complete",
                        "objects in use count as left behind, so it cannot judge complete runs");
    return document;
}

mp_document *mp_runs_save(mp_runs *runs, const char *path, mp_error *error)
{
    mp_output output;
    size_t length;
    mp_digest *digest = mp_digest_of_runs(runs->items, runs->count);
    char *text = mp_baseline_text(digest, runs->dictionary, &length);
    runs->count = 0; /* the digest owns them now */
    bool ok = mp_output_open(&output, path, error);
    if (ok) {
        fwrite(text, 1, length, output.file);
        ok = mp_output_close(&output, true, error);
    }
    mp_document *document = ok ? report(digest, path, length) : NULL;
    free(text);
    mp_digest_free(digest);
    return document;
}

/* --- names in a store --- */

/* Return the length of a name without the extensions of its format and its compression. */
static size_t without_endings(const char *name, size_t length)
{
    length = mp_input_name_length(name, length);
    const char *dot = memrchr(name, '.', length);
    return dot && dot > name ? (size_t)(dot - name) : length;
}

/* Build DIR/NAME.baseline. NAME is "shop" for "folder/shop.oemp@last" and for
 * "shop.zip:folder/shop.oemp"; an @ may also be part of the file name. */
char *mp_store_path(mp_inputs *inputs, const char *store, const char *name, const char *recording)
{
    size_t length = name ? strlen(name) : 0;
    if (!name) {
        size_t archive = mp_input_archive_of(inputs, recording);
        name = mp_file_name(archive ? recording + archive + 1 : recording);
        const char *cursor = mp_input_exists(inputs, recording) ? NULL : strrchr(name, '@');
        length =
            without_endings(name, cursor && cursor > name ? (size_t)(cursor - name) : strlen(name));
    }
    size_t size = strlen(store) + length + sizeof "/" MP_BASELINE_ENDING;
    char *path = mp_alloc(size);
    snprintf(path, size, "%s/%.*s" MP_BASELINE_ENDING, store, (int)length, name);
    return path;
}

const char *mp_usual_rules(const char *path, const mp_load_options *how, mp_error *error)
{
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *digest = mp_baseline_read(path, how, dictionary, NULL, error);
    const char *rules = !digest                           ? NULL
                        : digest->has & MP_HAS_SAMPLES    ? "samples <= 1.1 x base\n"
                        : digest->has & MP_HAS_TIMES      ? "seconds <= 1.1 x base\n"
                        : digest->kind == MP_KIND_PROFILE ? "seconds <= 1.1 x base\n"
                                                            "calls <= 1.1 x base\n"
                        : digest->has & MP_HAS_HISTORY    ? "leaked <= 1.1 x base + 4 KiB\n"
                                                            "live <= 1.1 x base + 4 KiB\n"
                                                            "no new leak site\n"
                                                          : "live <= 1.1 x base + 4 KiB\n"
                                                            "no new type\n";
    mp_digest_free(digest);
    mp_dictionary_free(dictionary);
    return rules;
}
