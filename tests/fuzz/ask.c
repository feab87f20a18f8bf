/* Recordings in memory, and runs of every report on them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "compare/baseline.h"
#include "export/formats.h"
#include "fuzz/fuzz.h"
#include "input/input.h"
#include "model/build.h"
#include "query/holdings.h"
#include "readers/reader.h"
#include "session/question.h"
#include "session/side_files.h"
#include "unit/small_heap.h"
#undef VERSION_1
#undef VERSION_2
#include "support/small_profile.h"

extern const mp_reader mp_reader_oemp, mp_reader_prf, mp_reader_rpm;

/* --- recordings --- */

/* Choose reading options. */
static mp_load_options choose_options(fuzz_choice *choice)
{
    mp_load_options options = {0};
    if (fuzz_choose(choice, 2))
        return options;
    options.moment = fuzz_choose(choice, 2) ? "peak" : "2ms";
    options.within.since = (mp_moment){.given = fuzz_choose(choice, 2), .us = 1000};
    options.within.until = (mp_moment){.given = fuzz_choose(choice, 2), .us = 9000000};
    options.domain = fuzz_choose(choice, 4) ? NULL : "shop.exe";
    options.temporary = fuzz_choose(choice, 3);
    options.temporary_is_time = fuzz_choose(choice, 2);
    options.reorder = (int64_t)fuzz_choose(choice, 3) - 1;
    options.slices = fuzz_choose(choice, 5);
    options.no_skips = fuzz_choose(choice, 2);
    options.keep_objects = fuzz_choose(choice, 2);
    options.keep_ages = fuzz_choose(choice, 2);
    options.request_peaks = fuzz_choose(choice, 2);
    options.threads_as_one = fuzz_choose(choice, 2);
    options.dumps_apart = fuzz_choose(choice, 2);
    options.traces_folded = fuzz_choose(choice, 2);
    return options;
}

/* Bytes from which names of references are read. */
typedef struct name_source {
    const mp_reader *reader;
    mp_slice bytes;
    size_t window;
} name_source;

static bool read_names(void *opaque, mp_named_reference *references, size_t count, mp_arena *texts,
                       mp_diagnostics *diagnostics)
{
    const name_source *source = opaque;
    mp_input *input = mp_input_from_memory("input", source->bytes.start, source->bytes.length,
                                           source->window, diagnostics);
    source->reader->name_references(input, references, count, texts);
    mp_input_close(input);
    return true;
}

static bool read_contents(void *opaque, mp_contents *contents, const char **why)
{
    const name_source *source = opaque;
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_input *input = mp_input_from_memory("input", source->bytes.start, source->bytes.length,
                                           source->window, unheard);
    (void)why;
    (void)source->reader->read_contents(input, contents);
    mp_input_close(input);
    mp_diagnostics_free(unheard);
    return true;
}

static void keep_names(const mp_reader *reader, const mp_model *model, mp_slice bytes,
                       size_t window)
{
    mp_graph *graph = model->graph;
    if (!reader->name_references || !graph || graph->names.read)
        return;
    name_source *source = mp_alloc(sizeof *source);
    *source = (name_source){reader, bytes, window};
    graph->names = (mp_reference_source){read_names, reader->read_contents ? read_contents : NULL,
                                         free, source};
}

/* Read another file of the recording. */
static void read_part(mp_loading *loading, mp_slice part, size_t window)
{
    mp_input *input =
        mp_input_from_memory("input", part.start, part.length, window, loading->diagnostics);
    if (!input) /* the input is compressed, in a target that does not decompress */
        return;
    mp_input_look_ahead(input);
    (void)mp_loading_read(loading, input);
    mp_input_close(input);
    keep_names(loading->reader, loading->model, part, window);
}

fuzz_recording fuzz_read(const mp_reader *reader, mp_slice input, size_t window, fuzz_choice choice)
{
    mp_load_options options = choose_options(&choice);
    fuzz_recording recording = {mp_model_new(), mp_diagnostics_new(50), options.keep_objects};
    mp_model *model = recording.model;
    size_t first =
        fuzz_choose(&choice, 4) ? input.length : fuzz_choose(&choice, (unsigned)input.length + 1);
    mp_diagnostics_spell(recording.diagnostics, "--");
    model->kind = reader->kind;
    model->leave = options.dumps_apart ? NULL : mp_leave_holdings;
    model->within = options.within;
    mp_loading loading = {model, recording.diagnostics, &options, reader, NULL};
    read_part(&loading, (mp_slice){input.start, first}, window);
    if (first < input.length)
        read_part(&loading, (mp_slice){input.start + first, input.length - first}, window);
    mp_loading_end(&loading);
    mp_model_build_tree(model, recording.diagnostics);
    mp_filter_check_ends(model, recording.diagnostics);
    return recording;
}

void fuzz_forget(fuzz_recording *recording)
{
    mp_model_free(recording->model);
    mp_diagnostics_free(recording->diagnostics);
}

#define DUMP                                                                                       \
    "a 2 Shop.exe 444e0b3f\nt 6 System.String\no 40030 6 c 40033 40042 40030 40030\n"              \
    "r 40030 4 0 8\nt 7 System.Object[]\no 40033 7 3c 4004e\no 40042 7 30 40042\n"                 \
    "t 5 System.EventHandler\no 4004e 5 18\nc Shop.exe 444e0d5c\n"

static const fuzz_recording *small(fuzz_recording *recording, const mp_reader *reader,
                                   const char *text)
{
    if (!recording->model)
        *recording = fuzz_read(reader, mp_slice_of(text), 1 << 16, (fuzz_choice){0});
    return recording;
}

const fuzz_recording *fuzz_small_heap(void)
{
    static fuzz_recording heap;
    return small(&heap, &mp_reader_oemp, HEAP);
}

const fuzz_recording *fuzz_small_recording(fuzz_choice *choice)
{
    static fuzz_recording profile, dump;
    switch (fuzz_choose(choice, 3)) {
    case 0:
        return small(&profile, &mp_reader_prf, VERSION_4);
    case 1:
        return small(&dump, &mp_reader_rpm, DUMP);
    default:
        return fuzz_small_heap();
    }
}

char *fuzz_complaints(const mp_diagnostics *diagnostics)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(diagnostics, &kept);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s:%" PRIu64 ": %s [%s]\n", kept[i].path, kept[i].line, kept[i].message,
                mp_diagnostic_code(kept[i].id));
    fclose(out);
    return text;
}

/* --- asking --- */

/* Arguments of reports. Each text is valid for some of the arguments. */
void fuzz_set_some(mp_question *question, fuzz_choice *choice)
{
    static const char *const settings[][2] = {
        {"from", "first"},    {"to", "peak"},
        {"from", "1"},        {"to", "2"},
        {"type", "*e*"},      {"not-type", "*Q*"},
        {"source", "*.p"},    {"name", "?*"},
        {"limit", "2"},       {"limit", "0"},
        {"since", "5us"},     {"until", "1s"},
        {"max-leaked", "1"},  {"max-live", "50%"},
        {"max-growth", "1%"}, {"min-percent", "10"},
        {"thread", "*"},      {"keep-profiler", "1"},
        {"ignore-lines", ""}, {"normalize", "s/[0-9]+/N/g"},
        {"inclusive", ""},    {"stack", "3"},
        {"depth", "2"},       {"changed", ""},
    };
    mp_error error = {0};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (fuzz_choose(choice, 12) == 0)
            mp_question_set(question, settings[i][0], settings[i][1], &error);
    for (const mp_choice *words = question->report->choices; words && words->argument; words++) {
        const char *cursor[MP_MOST_WORDS];
        size_t count =
            mp_report_words(question->report, words->argument, ~0u, MP_ALL_KINDS, cursor);
        if (count && fuzz_choose(choice, 2))
            mp_question_set(question, words->argument, cursor[fuzz_choose(choice, (unsigned)count)],
                            &error);
    }
}

static void set_operand(mp_question *question)
{
    static const char *const texts[] = {[MP_OPERAND_OBJECT] = "1",
                                        [MP_OPERAND_CODE] = "*",
                                        [MP_OPERAND_PROGRAM] = "main.p",
                                        [MP_OPERAND_POLICY] = "input"};
    mp_error error = {0};
    mp_operand operand = question->report->operand;
    if (operand < sizeof texts / sizeof *texts && texts[operand])
        mp_question_set(question, mp_operand_argument(operand), texts[operand], &error);
}

/* One rule of each kind. Each rule applies to some recordings. */
static const char rules[] = "leaked <= 100\nlive of type \"*\" <= 1 MiB\nno new leak site\n"
                            "no new type\nseconds <= 1.1 x base\ncalls <= 1.1 x base\n"
                            "live <= 1.1 x base + 64 KiB\ngrowth <= 5 %\n";

void fuzz_check_baseline(const mp_digest *digest, mp_dictionary *dictionary)
{
    mp_error error = {0};
    size_t length, again_length;
    char *text = mp_baseline_text(digest, dictionary, &length);
    mp_slice whole = {text, length};
    mp_dictionary *other = mp_dictionary_new();
    mp_digest *read = mp_baseline_parse("baseline", text, length, other, &error);
    fuzz_hold(read != NULL, error.text, whole);
    char *again = mp_baseline_text(read, other, &again_length);
    fuzz_hold(length == again_length && memcmp(text, again, length) == 0,
              "a baseline that is read and written is the same", whole);
    free(text);
    free(again);
    mp_digest_free(read);
    mp_dictionary_free(other);
}

static mp_digest *digest_of(const mp_request *request)
{
    mp_error error = {0};
    mp_digest *digest = mp_report_digest(request, &error);
    if (digest)
        fuzz_check_baseline(digest, request->dictionary);
    else
        fuzz_check_error(&error);
    return digest;
}

/* If memprof can read the format of the output, check that it can read the output. */
static void check_written(const mp_renderer *renderer, const char *text)
{
    mp_suppressions list = {.today = 1};
    mp_error error = {0};
    if (!mp_text_is(renderer->name, "suppressions"))
        return;
    if (!mp_suppressions_parse(&list, "written", mp_slice_of(text), &error)) {
        fprintf(stderr, "%s\n", error.text);
        fuzz_hold(false, "suppressions that are written are read", mp_slice_of(text));
    }
    mp_suppressions_free(&list);
}

static void print(const mp_document *document, const mp_diagnostics *diagnostics,
                  fuzz_choice *choice, FILE *file)
{
    size_t count;
    static const char *const drawn[] = {"svg", "html", "folded", "speedscope"};
    const mp_renderer *const *renderers = mp_renderers(&count);
    const mp_renderer *asked[] = {mp_renderer_find("json"),
                                  renderers[fuzz_choose(choice, (unsigned)count)],
                                  mp_renderer_find(drawn[fuzz_choose(choice, 4)])};
    for (size_t i = 0; i < 2 + (document->figure_count > 0); i++) {
        char *text = fuzz_render(document, diagnostics, asked[i], choice);
        fprintf(file, "--- %s\n%s", asked[i]->name, text ? text : "none");
        if (text)
            check_written(asked[i], text);
        free(text);
    }
}

char *fuzz_ask(const fuzz_recording *recording, const mp_report *report, fuzz_asked asked,
               fuzz_choice *choice)
{
    char *whole = NULL;
    size_t length;
    FILE *out = open_memstream(&whole, &length);
    mp_question question;
    mp_error error = {0};
    mp_question_begin(&question, report);
    set_operand(&question);
    fuzz_set_some(&question, choice);
    question.draws = fuzz_choose(choice, 2);
    if (report->operand == MP_OPERAND_POLICY && !asked.policy)
        asked.policy = mp_policy_parse("input", rules, sizeof rules - 1);
    question.policy = asked.policy;
    mp_dictionary *dictionary = asked.dictionary ? asked.dictionary : mp_dictionary_new();
    mp_request request = mp_question_request(&question, recording->model, recording->diagnostics,
                                             dictionary, asked.base);
    if (asked.suppressions)
        request.suppressions = asked.suppressions;
    mp_digest *digest = NULL;
    if (!asked.base && (report->operand == MP_OPERAND_BASE || asked.policy))
        request.base = digest = digest_of(&request);
    fprintf(out, "=== %s\n", report->name);
    mp_document *document = mp_document_new(report->name);
    document->draws = question.draws;
    if (report->operand == MP_OPERAND_BASE && !request.base) {
        fputs("nothing to hold it against\n", out);
    } else if (mp_report_run(report, &request, document, &error)) {
        print(document, recording->diagnostics, choice, out);
    } else {
        fuzz_check_error(&error);
        fprintf(out, "%s\n", error.text);
    }
    fclose(out);
    mp_document_free(document);
    mp_digest_free(digest);
    if (!asked.dictionary)
        mp_dictionary_free(dictionary);
    mp_question_free(&question);
    return whole;
}
