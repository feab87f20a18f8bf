/* Files read besides recordings: baselines, policies, suppressions. */
#ifndef MP_SESSION_SIDE_FILES_H
#define MP_SESSION_SIDE_FILES_H

#include "base/error.h"
#include "compare/digest.h"
#include "input/load_options.h"
#include "model/model.h"
#include "query/suppression.h"
#include "reports/report.h"

/* A whole file in memory, to be released with free() in each case. False with an error. `how`, here
 * and below: of it, the inputs and the limits count; it may be NULL. */
bool mp_file_read(const char *path, const mp_load_options *how, char **text, size_t *length,
                  mp_error *error);
/* Return true if no reader accepts the text, or the beginning, of a file. False with an error
 * that says what it should be: `expected` ("a policy"). */
bool mp_is_no_recording(const char *path, mp_slice text, const char *expected, mp_error *error);
/* The same of a file of suppressions. */
bool mp_is_no_suppressions(const char *path, mp_slice text, const char *expected, mp_error *error);
/* Return true if the file can be read only once: a pipe or standard input. */
bool mp_file_is_stream(const char *path);
/* Return true if the file is a baseline. A stream is not tested, because bytes read from it
 * would be missing when it is read as a recording. */
bool mp_file_is_baseline(const char *path, const mp_load_options *how);

bool mp_is_folder(const char *path);

/* Check that an output, NULL for none, is none of the files that were read, none that may stand
 * beside a database that was read, and none of `count` inputs, FILE, FILE@SNAPSHOT or
 * ARCHIVE:MEMBER, some of which may be NULL. False with an error. */
bool mp_output_spares(mp_inputs *inputs, const char *output, const char *const *paths, size_t count,
                      mp_error *error);

/* Folders and encoding of source texts. */
typedef struct mp_sources {
    mp_argument_texts folders;
    mp_load_options how; /* options: the inputs, the encoding and the limits count */
} mp_sources;
/* Read the first of these names that is a file below one of the folders of mp_sources: as UTF-8,
 * into the arena. False with an error. */
bool mp_source_read(const void *sources, const mp_slice *names, size_t count, mp_arena *arena,
                    mp_source_text *text, mp_error *error);

/* The same of the source of a piece of code: "orders.p", "placeOrder orders.p". */
bool mp_code_read(const mp_sources *sources, const char *code, mp_arena *arena,
                  mp_source_text *text, mp_error *error);

/* A baseline, whose texts and frames are numbers of `dictionary`; release with mp_digest_free. NULL
 * with an error. One that was made of what breaks off is told as that itself would be; no
 * diagnostics (NULL): whoever asks judges nothing by it. */
mp_digest *mp_baseline_read(const char *path, const mp_load_options *how, mp_dictionary *dictionary,
                            mp_diagnostics *diagnostics, mp_error *error);
/* Add the suppressions of a file. False with an error, of the code MP_ERROR_INPUT where it could
 * not be read. */
bool mp_suppressions_read(mp_suppressions *suppressions, const char *path,
                          const mp_load_options *how, mp_error *error);
/* The day where the user is, as by mp_parse_date: a suppression ends with it. */
int32_t mp_today(void);

/* Return true if the model has anything to report. */
bool mp_model_is_usable(const mp_model *model);
/* Return true if nothing was truncated, skipped or doubtful. */
bool mp_model_is_whole(const mp_model *model, const mp_diagnostics *diagnostics);

#endif
