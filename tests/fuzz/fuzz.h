/* Fuzz targets, one for each kind of input, in one table (fuzz.c). A target processes bytes as the
 * program does and checks its output; a failed check ends the process. The same targets replay
 * recorded inputs as a normal test (replay.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/slice.h"
#include "compare/digest.h"
#include "document/document.h"
#include "export/exporter.h"
#include "model/model.h"
#include "render/renderer.h"
#include "reports/report.h"
#include "session/question.h"

struct mp_reader;

typedef struct fuzz_target {
    const char *name;
    void (*run)(const struct fuzz_target *target, mp_slice input);
    const struct mp_reader *reader; /* reader that the target runs, if its inputs are recordings */
    bool lines;   /* inputs are lines of fields, and are mutated by line and field */
    unsigned mib; /* memory limit in MiB for any input; 0 = the default */
} fuzz_target;

/* All targets; the array ends with a NULL name. */
extern const fuzz_target fuzz_targets[];
/* Return the target of this name; NULL if there is none. */
const fuzz_target *fuzz_target_find(const char *name);
/* Initialise; call it once, before the first input. */
void fuzz_begin(void);
/* Run the target, and check that it stays within its limits of memory and time. */
void fuzz_run(const fuzz_target *target, const void *bytes, size_t length);

/* --- choices derived from an input, always the same for the same input --- */

typedef struct fuzz_choice {
    uint64_t state;
} fuzz_choice;
fuzz_choice fuzz_choose_by(mp_slice input);
/* Return a number from 0 to `count` - 1. */
unsigned fuzz_choose(fuzz_choice *choice, unsigned count);

/* --- values made of the bytes of an input, in their order; 0 and "" after its end --- */

typedef struct fuzz_bytes {
    mp_slice left;
    mp_arena arena; /* memory of the texts; the caller releases it */
} fuzz_bytes;
unsigned fuzz_take(fuzz_bytes *bytes,
                   unsigned count);          /* a number below `count`, which is at most 256 */
int64_t fuzz_take_number(fuzz_bytes *bytes); /* small, large and extreme numbers */
double fuzz_take_real(fuzz_bytes *bytes);
mp_slice fuzz_take_bytes(fuzz_bytes *bytes);   /* any bytes, followed by a NUL */
const char *fuzz_take_text(fuzz_bytes *bytes); /* UTF-8 */

/* --- checks --- */

/* Check a condition. If it is false, end the process and print the sentence and, if there is one,
 * the text that was checked. */
void fuzz_hold(bool holds, const char *sentence, mp_slice text);
/* Check for UTF-8 without control characters except line ends. */
void fuzz_check_text(const char *name, mp_slice text);
void fuzz_check_json(const char *name, mp_slice text);
/* Check that each row has as many fields as the first. */
void fuzz_check_csv(const char *name, mp_slice text);
/* Check for known elements, escaped text, and valid JSON in data for scripts. */
void fuzz_check_html(const char *subject, mp_slice text);
/* Check for UTF-8, nested elements, and escaped text. */
void fuzz_check_xml(const char *subject, mp_slice text);
/* Check the texts of an error. */
void fuzz_check_error(const mp_error *error);
/* Check that a digest stays the same when it is written as a baseline and read again. */
void fuzz_check_baseline(const mp_digest *digest, mp_dictionary *dictionary);
/* Print the document with this renderer, in a chosen style, and check the output. Return the text;
 * NULL if the document lacks the data that the renderer shows. Release with free(). */
char *fuzz_render(const mp_document *document, const mp_diagnostics *diagnostics,
                  const mp_renderer *renderer, fuzz_choice *choice);

/* --- recordings --- */

/* A recording: bytes that were read into a new model, with chosen options. Release with
 * fuzz_forget. */
typedef struct fuzz_recording {
    mp_model *model;
    mp_diagnostics *diagnostics;
    bool keeps_objects; /* model->objects was kept while the recording was read */
} fuzz_recording;
fuzz_recording fuzz_read(const struct mp_reader *reader, mp_slice input, size_t window,
                         fuzz_choice choice);
void fuzz_forget(fuzz_recording *recording);
/* Return a complete small recording: a memory recording, a profile, or a heap dump. Do not release
 * it. */
const fuzz_recording *fuzz_small_recording(fuzz_choice *choice);
const fuzz_recording *fuzz_small_heap(void);

/* Return the diagnostics as lines. Release with free(). */
char *fuzz_complaints(const mp_diagnostics *diagnostics);

/* Inputs of a report that are not chosen arguments. Zero-initialise. */
typedef struct fuzz_asked {
    struct mp_policy
        *policy; /* a policy without errors, which fuzz_ask releases; NULL = a default policy */
    const struct mp_suppressions *suppressions; /* NULL = none */
    const mp_digest *base;                      /* NULL = the recording itself */
    mp_dictionary *dictionary;                  /* dictionary of the base */
} fuzz_asked;
/* Run the report with chosen arguments. Print its answer in a chosen format and in JSON. Return all
 * that was printed, or the reason why there is no answer. Release with free(). */
char *fuzz_ask(const fuzz_recording *recording, const mp_report *report, fuzz_asked asked,
               fuzz_choice *choice);

/* Set chosen arguments of the question to chosen values. */
void fuzz_set_some(mp_question *question, fuzz_choice *choice);
/* Export the recording with chosen arguments, and check the output. Return the output, or the
 * reason why there is none. Return NULL if the model did not keep data that the export needs.
 * Release with free(). */
char *fuzz_export(const fuzz_recording *recording, const mp_exporter *exporter,
                  fuzz_choice *choice);

/* Add figures made from the bytes. */
void fuzz_make_figures(fuzz_bytes *bytes, mp_document *document);

/* --- targets --- */

void fuzz_reader(const fuzz_target *target, mp_slice input); /* any reader */
void fuzz_packed(const fuzz_target *target, mp_slice input);
void fuzz_decoded(const fuzz_target *target, mp_slice input); /* text that is not in UTF-8 */
void fuzz_rows(const fuzz_target *target, mp_slice input);    /* rows of a database */
void fuzz_policy(const fuzz_target *target, mp_slice input);
void fuzz_suppressions(const fuzz_target *target, mp_slice input);
void fuzz_baseline(const fuzz_target *target, mp_slice input);
void fuzz_substitution(const fuzz_target *target, mp_slice input);
void fuzz_pattern(const fuzz_target *target, mp_slice input);
void fuzz_document(const fuzz_target *target, mp_slice input);
void fuzz_command(const fuzz_target *target, mp_slice input);
