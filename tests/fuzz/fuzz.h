/* Fuzz targets, one for each kind of input, in one table (fuzz.c). A target processes bytes as
 * the program does and checks its output; a failed check ends the process. The same targets
 * replay recorded inputs as a normal test (replay.c). */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

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
    const struct mp_reader *reader; /* reader that it runs, if it reads recordings */
    bool lines;                     /* its inputs are lines of fields: they are mutated as such */
    unsigned mib;                   /* limit of memory for any input; 0: the usual */
} fuzz_target;

/* NULL ends the table. */
extern const fuzz_target fuzz_targets[];
/* NULL: there is none of this name. */
const fuzz_target *fuzz_target_find(const char *name);
/* Once, before the first input. */
void fuzz_begin(void);
/* Run the target and hold it to its budget of memory and time. */
void fuzz_run(const fuzz_target *target, const void *bytes, size_t length);

/* --- a choice made of an input, always the same for the same input --- */

typedef struct fuzz_choice {
    uint64_t state;
} fuzz_choice;
fuzz_choice fuzz_choose_by(mp_slice input);
/* From 0 to below `count`. */
unsigned fuzz_choose(fuzz_choice *choice, unsigned count);

/* --- values made of the bytes of an input, in their order; of none that are left, 0 and "" --- */

typedef struct fuzz_bytes {
    mp_slice left;
    mp_arena arena; /* has the texts; released by who made it */
} fuzz_bytes;
unsigned fuzz_take(fuzz_bytes *bytes, unsigned count); /* below `count`, at most 256 */
int64_t fuzz_take_number(fuzz_bytes *bytes);           /* small ones, large ones, the edges */
double fuzz_take_real(fuzz_bytes *bytes);
mp_slice fuzz_take_bytes(fuzz_bytes *bytes);   /* any, but a 0 at their end */
const char *fuzz_take_text(fuzz_bytes *bytes); /* UTF-8 */

/* --- what must hold --- */

/* Else the process ends with the sentence, and the text that it is about, if any. */
void fuzz_hold(bool holds, const char *sentence, mp_slice text);
/* UTF-8 without control characters but ends of lines. */
void fuzz_check_text(const char *name, mp_slice text);
void fuzz_check_json(const char *name, mp_slice text);
/* Each row has as many fields as the first. */
void fuzz_check_csv(const char *name, mp_slice text);
/* Known elements, nothing raw that must be escaped; data for scripts are JSON. */
void fuzz_check_html(const char *subject, mp_slice text);
/* UTF-8, elements closed in their order, nothing raw that must be escaped. */
void fuzz_check_xml(const char *subject, mp_slice text);
/* Check the texts of an error. */
void fuzz_check_error(const mp_error *error);
/* A digest says the same when it was written as a baseline and read again. */
void fuzz_check_baseline(const mp_digest *digest, mp_dictionary *dictionary);
/* Print the document by this renderer, at a width and in other ways chosen, and check what comes;
 * gives its text, NULL where the renderer has nothing to show. Release with free(). */
char *fuzz_render(const mp_document *document, const mp_diagnostics *diagnostics,
                  const mp_renderer *renderer, fuzz_choice *choice);

/* --- recordings --- */

/* Read the bytes, so many at a time, into a new model, as one file or two, in a way chosen. Release
 * both with fuzz_forget. */
typedef struct fuzz_recording {
    mp_model *model;
    mp_diagnostics *diagnostics;
    bool keeps_objects; /* model->objects was kept while it was read */
} fuzz_recording;
fuzz_recording fuzz_read(const struct mp_reader *reader, mp_slice input, size_t window,
                         fuzz_choice choice);
void fuzz_forget(fuzz_recording *recording);
/* A whole small recording: of memory, of costs, of a heap's dump. Not to be released. */
const fuzz_recording *fuzz_small_recording(fuzz_choice *choice);
const fuzz_recording *fuzz_small_heap(void);

/* The diagnostics as lines. Release with free(). */
char *fuzz_complaints(const mp_diagnostics *diagnostics);

/* Input besides the chosen arguments; zero-initialise. */
typedef struct fuzz_asked {
    struct mp_policy *policy;                   /* without faults, taken; NULL: a usual one */
    const struct mp_suppressions *suppressions; /* NULL: none */
    const mp_digest *base;                      /* NULL: the recording itself */
    mp_dictionary *dictionary;                  /* dictionary of the base */
} fuzz_asked;
/* Ask the report, with arguments chosen, and print its answer in a format chosen, and in JSON.
 * Gives all of it, or why there is none. Release with free(). */
char *fuzz_ask(const fuzz_recording *recording, const mp_report *report, fuzz_asked asked,
               fuzz_choice *choice);

/* Set arguments of the question, those and to what chosen. */
void fuzz_set_some(mp_question *question, fuzz_choice *choice);
/* Let the exporter write the recording, with arguments chosen, and check what it writes. Gives all
 * of it, or why there is none; NULL: what it needs was not kept. Release with free(). */
char *fuzz_export(const fuzz_recording *recording, const mp_exporter *exporter,
                  fuzz_choice *choice);

/* Add figures that are made of the bytes. */
void fuzz_make_figures(fuzz_bytes *bytes, mp_document *document);

/* --- targets, each in a file of its kind --- */

void fuzz_reader(const fuzz_target *target, mp_slice input); /* any reader */
void fuzz_packed(const fuzz_target *target, mp_slice input);
void fuzz_decoded(const fuzz_target *target, mp_slice input); /* text that is not UTF-8 */
void fuzz_rows(const fuzz_target *target, mp_slice input);    /* rows of a database */
void fuzz_policy(const fuzz_target *target, mp_slice input);
void fuzz_suppressions(const fuzz_target *target, mp_slice input);
void fuzz_baseline(const fuzz_target *target, mp_slice input);
void fuzz_substitution(const fuzz_target *target, mp_slice input);
void fuzz_pattern(const fuzz_target *target, mp_slice input);
void fuzz_document(const fuzz_target *target, mp_slice input);
void fuzz_command(const fuzz_target *target, mp_slice input);

#endif
