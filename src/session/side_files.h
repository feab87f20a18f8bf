/* Files that are not recordings: baselines, policies, suppressions, sources. */
#pragma once

#include "base/error.h"
#include "compare/digest.h"
#include "input/load_options.h"
#include "model/model.h"
#include "query/suppression.h"
#include "reports/report.h"

/* Read a whole file into memory; release *text with free() even on failure. Return false with an
 * error. `how` may be NULL; here and below only its inputs and limits are used. */
bool mp_file_read(const char *path, const mp_load_options *how, char **text, size_t *length,
                  mp_error *error);
/* Return true if the text, the beginning of a file, is not a recording. Otherwise return false with
 * an error that names the `expected` file type ("a policy"). */
bool mp_is_no_recording(const char *path, mp_slice text, const char *expected, mp_error *error);
/* Return true if the text is not a file of suppressions. Otherwise return false with an error. */
bool mp_is_no_suppressions(const char *path, mp_slice text, const char *expected, mp_error *error);
/* Return true if the file can be read only once: a pipe or standard input. */
bool mp_file_is_stream(const char *path);
/* Return true if the file is a baseline. A stream is not tested, because bytes read from it
 * would be missing when it is read as a recording. */
bool mp_file_is_baseline(const char *path, const mp_load_options *how);

/* Load the libraries that these files and this report may need, before the process gives up the
 * right to open them: libarchive and SQLite. A few regular files that are neither packed nor
 * databases need none. `report`: NULL means any; `base`: another file, or NULL. */
void mp_files_foresee(const mp_report *report, const char *base, const char *const *paths,
                      size_t count);

/* Likeness of a file to a kind of file, in ascending order. */
typedef enum mp_likeness {
    MP_IS_NOT,
    MP_MAY_BE, /* it is not known, for example for streams and files that do not exist */
    MP_IS,
} mp_likeness;
/* Return the likeness of a file to a policy. A text with a rule is a policy; a recording is not. */
mp_likeness mp_file_policy_likeness(const char *path, const mp_load_options *how);

/* Check that an output would not overwrite an input. `output` may be NULL. Inputs are all files
 * that were read, the files that SQLite may create for a database that was read, and `count` paths:
 * FILE, FILE@SNAPSHOT, ARCHIVE:MEMBER or NULL. Return false with an error. */
bool mp_output_spares(mp_inputs *inputs, const char *output, const char *const *paths, size_t count,
                      mp_error *error);

/* Folders of source texts, and their encoding. */
typedef struct mp_sources {
    mp_argument_texts folders;
    mp_load_options how; /* options for reading; inputs, encoding and limits are used */
} mp_sources;
/* Read the first of these names that exists as a file in one of the folders of `sources`, an
 * mp_sources. The text is converted to UTF-8 in the arena. Return false with an error. */
bool mp_source_read(const void *sources, const mp_slice *names, size_t count, mp_arena *arena,
                    mp_source_text *text, mp_error *error);

/* Read the source of a piece of code, such as "orders.p" or "placeOrder orders.p". Like
 * mp_source_read. */
bool mp_code_read(const mp_sources *sources, const char *code, mp_arena *arena,
                  mp_source_text *text, mp_error *error);

/* Read a baseline. Its texts and frames are numbers in `dictionary`; release with mp_digest_free.
 * Return NULL with an error. If the baseline was made from a truncated recording, report that to
 * `diagnostics`, unless that is NULL. */
mp_digest *mp_baseline_read(const char *path, const mp_load_options *how, mp_dictionary *dictionary,
                            mp_diagnostics *diagnostics, mp_error *error);
/* Add the suppressions in a file. Return false with an error; its code is MP_ERROR_INPUT if the
 * file could not be read. */
bool mp_suppressions_read(mp_suppressions *suppressions, const char *path,
                          const mp_load_options *how, mp_error *error);
/* Return the current local date, as mp_parse_date does. Suppressions expire after their date. */
int32_t mp_today(void);

/* Return true if the model has any data to report. */
bool mp_model_is_usable(const mp_model *model);
/* Return true if nothing was truncated, skipped or doubtful. */
bool mp_model_is_whole(const mp_model *model, const mp_diagnostics *diagnostics);
