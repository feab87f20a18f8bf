#include "session/side_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/diagnose.h"
#include "base/source_name.h"
#include "base/sqlite.h"
#include "base/text.h"
#include "compare/baseline.h"
#include "input/libarchive.h"
#include "input/unpack.h"
#include "model/profile.h"
#include "readers/reader.h"

/* Report that a file cannot be read. Always return false. */
static bool unreadable(const char *path, const char *why, mp_error *error)
{
    mp_fail_file(error, path, 0, 0, "%s", why);
    error->code = MP_ERROR_INPUT;
    return false;
}

static const char *first_of(const mp_diagnostics *diagnostics)
{
    const mp_diagnostic *kept;
    return mp_diagnostics_kept(diagnostics, &kept) ? kept[0].message : "cannot be read";
}

static bool read_file(const char *path, const mp_load_options *options, char **text, size_t *length,
                      mp_error *error)
{
    *text = NULL;
    *length = 0;
    if (mp_is_folder(path))
        return unreadable(path, "is a directory, expected a file", error);
    mp_diagnostics *diagnostics = mp_diagnostics_new(1);
    mp_diagnostics_spell(diagnostics, MP_DASHES); /* mp_error_line expands it */
    mp_input *input = mp_input_open(path, diagnostics, options);
    bool ok = input != NULL;
    if (ok && mp_input_is_archive(input)) {
        ok = unreadable(path, "is an archive, expected a file, or ARCHIVE:MEMBER", error);
    } else if (ok) {
        *text = mp_input_whole(input, length);
        ok = mp_input_is_whole(input) || unreadable(path, first_of(diagnostics), error);
    } else {
        unreadable(path, first_of(diagnostics), error);
    }
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    return ok;
}

/* Return the options for reading a file that is not a recording: inputs and limits, without
 * progress. */
static mp_load_options plainly(const mp_load_options *how)
{
    return how ? (mp_load_options){.inputs = how->inputs, .limits = how->limits}
               : (mp_load_options){.inputs = NULL};
}

bool mp_file_read(const char *path, const mp_load_options *how, char **text, size_t *length,
                  mp_error *error)
{
    const mp_load_options options = plainly(how);
    return read_file(path, &options, text, length, error);
}

bool mp_file_is_stream(const char *path)
{
    struct stat status;
    return strcmp(path, "-") == 0 ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

/* Find the libraries that reading the file may need: all of them if it is packed or unknown. */
static void foresee_file(const char *path, bool *archive, bool *database)
{
    static const char title[] = "SQLite format 3";
    char head[MP_PEEK];
    struct stat status;
    bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = is_file ? fopen(path, "rb") : NULL;
    size_t length = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    const bool unknown = !file || mp_packing_of((mp_slice){head, length}) != MP_UNPACKED;
    *archive |= unknown;
    *database |= unknown || (length >= sizeof title && memcmp(head, title, sizeof title) == 0);
}

void mp_files_foresee(const mp_report *report, const char *base, const char *const *paths,
                      size_t count)
{
    enum { A_FEW = 16 };
    bool archive = count > A_FEW, database = archive || !report;
    if (base)
        foresee_file(base, &archive, &database);
    for (size_t i = 0; i < count && !archive; i++)
        foresee_file(paths[i], &archive, &database);
    if (archive)
        mp_libarchive_load();
    if (database)
        mp_sqlite_load();
    if (report && report->loads)
        report->loads();
}

bool mp_is_no_recording(const char *path, mp_slice text, const char *expected, mp_error *error)
{
    const mp_reader *second, *reader = mp_reader_claiming(text, &second);
    return !reader || mp_fail_file(error, path, 0, 0, "is a recording (%s), expected %s",
                                   reader->name, expected);
}

/* Return true unless the first line that is not a comment begins with a bracket, as suppressions do
 * and policies never do. */
bool mp_is_no_suppressions(const char *path, mp_slice text, const char *expected, mp_error *error)
{
    mp_slice rest = mp_slice_without_mark(text), line = {NULL, 0};
    while (mp_slice_take_line(&rest, &line)) {
        line = mp_slice_trim(line);
        if (line.length && *line.start != '#')
            break;
    }
    return !line.length || *line.start != '[' ||
           mp_fail_file(error, path, 0, 0, "is a file of suppressions, expected %s", expected);
}

/* Return true if the text has no rule; lines of suppressions are never valid rules. */
static bool is_no_policy(const char *path, mp_slice text, const char *expected, mp_error *error)
{
    mp_policy *policy = mp_policy_parse(path, text.start, text.length);
    bool has_rules = policy->rule_count > 0;
    mp_policy_free(policy);
    return !has_rules || mp_fail_file(error, path, 0, 0, "is a policy, expected %s", expected);
}

/* Return the beginning of a file, without diagnostics; release with free(). Return NULL if the file
 * cannot be read, or is a stream, because bytes read from a stream would be missing later. */
static char *beginning_of(const char *path, const mp_load_options *how, size_t *length)
{
    const mp_load_options options = plainly(how);
    char *beginning = NULL;
    if (mp_file_is_stream(path) || mp_is_folder(path))
        return NULL;
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_input *input = mp_input_open(path, unheard, &options);
    if (input && !mp_input_is_archive(input)) {
        const mp_slice head = mp_input_look_ahead(input);
        *length = head.length;
        beginning = mp_copy(head.length ? head.start : "", head.length);
    }
    mp_input_close(input);
    mp_diagnostics_free(unheard);
    return beginning;
}

bool mp_file_is_baseline(const char *path, const mp_load_options *how)
{
    size_t length;
    char *beginning = beginning_of(path, how, &length);
    bool is = beginning && mp_is_baseline(beginning, length);
    free(beginning);
    return is;
}

mp_likeness mp_file_policy_likeness(const char *path, const mp_load_options *how)
{
    mp_error unheard = {0};
    size_t length;
    char *beginning = beginning_of(path, how, &length);
    mp_likeness likeness = mp_is_folder(path) ? MP_IS_NOT : MP_MAY_BE;
    if (beginning && !mp_is_no_recording(path, (mp_slice){beginning, length}, "", &unheard))
        likeness = MP_IS_NOT;
    else if (beginning && !is_no_policy(path, (mp_slice){beginning, length}, "", &unheard))
        likeness = MP_IS;
    free(beginning);
    return likeness;
}

/* Return true if the input path is the file with this status. The path may be FILE@SNAPSHOT or
 * ARCHIVE:MEMBER. */
static bool is_file(mp_inputs *inputs, const char *path, const struct stat *file)
{
    struct stat status;
    const char *cursor = strrchr(path, '@');
    size_t archive = mp_input_archive_of(inputs, path);
    char *whole = archive                              ? mp_copy(path, archive)
                  : cursor && stat(path, &status) != 0 ? mp_copy(path, (size_t)(cursor - path))
                                                       : NULL;
    bool is = stat(whole ? whole : path, &status) == 0 && status.st_dev == file->st_dev &&
              status.st_ino == file->st_ino;
    free(whole);
    return is;
}

bool mp_output_spares(mp_inputs *inputs, const char *output, const char *const *paths, size_t count,
                      mp_error *error)
{
    struct stat file;
    const mp_read_state state = output && inputs ? mp_inputs_state(inputs, output) : MP_NOT_READ;
    bool is_input = state == MP_READ;
    if (output && stat(output, &file) == 0 && S_ISREG(file.st_mode))
        for (size_t i = 0; i < count; i++)
            is_input |= paths[i] && is_file(inputs, paths[i], &file);
    if (!is_input && state == MP_NOT_READ)
        return true;
    mp_fail_file(error, output, 0, 0, "%s, expected another file",
                 is_input ? "is an input and would be overwritten"
                          : "has a name that the input database may use for its changes");
    error->code = MP_ERROR_ARGUMENT;
    return false;
}

bool mp_source_read(const void *sources, const mp_slice *names, size_t count, mp_arena *arena,
                    mp_source_text *text, mp_error *error)
{
    const mp_sources *state = sources;
    const mp_argument_texts *below = &state->folders;
    mp_load_options options = plainly(&state->how);
    options.encoding = state->how.encoding;
    struct stat status;
    for (size_t i = 0; i < below->count; i++)
        for (size_t k = 0; k < count; k++) {
            char *bytes;
            size_t length;
            const char *path = mp_arena_format(arena, "%s/%.*s", below->items[i],
                                               (int)names[k].length, names[k].start);
            if (!names[k].length || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
                continue;
            bool ok = read_file(path, &options, &bytes, &length, error), converted;
            if (ok) {
                mp_slice kept = {mp_arena_copy(arena, bytes, length), length};
                text->path = path;
                text->text = mp_utf8_from_bytes(arena, kept, &converted);
            }
            free(bytes);
            return ok;
        }
    mp_fail(error, MP_ERROR_INPUT, "there is no %.*s in %s%s", (int)names[0].length, names[0].start,
            below->items[0], below->count > 1 ? " and the other folders of sources" : "");
    return false;
}

bool mp_code_read(const mp_sources *sources, const char *code, mp_arena *arena,
                  mp_source_text *text, mp_error *error)
{
    enum { MOST = 16 };
    mp_slice names[MOST * MP_SOURCE_NAMES];
    size_t count = 0;
    /* Try the text after each blank, because a method may precede its source, and source names may
     * contain blanks. */
    for (const char *word = code; word && count < MOST; count++) {
        mp_source_names(arena, word, NULL, names + count * MP_SOURCE_NAMES);
        word = strchr(word, ' ');
        word = word ? word + 1 : NULL;
    }
    return mp_source_read(sources, names, count * MP_SOURCE_NAMES, arena, text, error);
}

mp_digest *mp_baseline_read(const char *path, const mp_load_options *how, mp_dictionary *dictionary,
                            mp_diagnostics *diagnostics, mp_error *error)
{
    char *text;
    size_t length;
    mp_digest *digest = NULL;
    if (mp_file_read(path, how, &text, &length, error))
        digest = mp_baseline_parse(path, text, length, dictionary, error);
    if (!digest && text)
        mp_is_no_recording(path, (mp_slice){text, length}, "a baseline", error);
    if (digest && digest->torn && diagnostics)
        mp_diagnose(diagnostics, MP_DIAG_TORN, path, 0,
                    "the baseline was made from a truncated recording");
    free(text);
    return digest;
}

bool mp_suppressions_read(mp_suppressions *suppressions, const char *path,
                          const mp_load_options *how, mp_error *error)
{
    char *text;
    size_t length;
    bool ok = mp_file_read(path, how, &text, &length, error);
    if (ok && !mp_suppressions_parse(suppressions, path, (mp_slice){text, length}, error)) {
        const char *expected = "a file of suppressions";
        const mp_slice whole = {text, length};
        if (mp_is_no_recording(path, whole, expected, error))
            is_no_policy(path, whole, expected,
                         error); /* otherwise keep the error that the parser reported */
        ok = false;
    }
    free(text);
    return ok;
}

int32_t mp_today(void)
{
    time_t now = time(NULL);
    struct tm tm = {0};
    localtime_r(&now, &tm);
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}

bool mp_model_is_usable(const mp_model *model)
{
    mp_filter *filter = mp_filter_of(model, NULL, NULL);
    bool any =
        filter->sessions.first[model->sessions.count] > 0 ||
        (model->profile && (model->profile->lines.count > 1 || model->profile->coverage.count > 1));
    mp_filter_free(filter);
    return any;
}

bool mp_model_is_whole(const mp_model *model, const mp_diagnostics *diagnostics)
{
    for (uint32_t i = 1; i < model->inputs.count; i++)
        if (!model->inputs.items[i].complete)
            return false;
    return mp_diagnostics_severity_count(diagnostics, MP_WARNING) == 0;
}
