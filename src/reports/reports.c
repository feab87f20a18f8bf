#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "model/profile.h"
#include "query/annotation.h"
#include "query/group.h"
#include "reports/report.h"
#include "reports/sections.h"

#define MP_REPORT(name) extern const mp_report mp_report_##name;
#include "reports/reports.def"
#undef MP_REPORT

static const mp_report *const table[] = {
#define MP_REPORT(name) &mp_report_##name,
#include "reports/reports.def"
#undef MP_REPORT
};

const mp_report *const *mp_reports(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

const mp_report *mp_report_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (mp_text_is(table[i]->name, name))
            return table[i];
    return NULL;
}

const char *mp_operand_argument(mp_operand operand)
{
    static const char *const names[] = {"",     "object",  "base",     "policy",
                                        "code", "program", "statement"};
    return names[operand];
}

static const mp_variant *variant_for(const mp_report *report, unsigned holds)
{
    for (size_t i = 0; i < MP_VARIANTS && report->variants[i].run; i++)
        if ((report->variants[i].needs & ~holds) == 0 && !(report->variants[i].lacks & holds))
            return &report->variants[i];
    return NULL;
}

/* --- kinds of recordings --- */

bool mp_report_suits(const mp_report *report, unsigned holds)
{
    return variant_for(report, holds) != NULL;
}

unsigned mp_report_kinds(const mp_report *report, unsigned variants)
{
    unsigned kinds = 0;
    for (mp_kind kind = MP_KIND_NONE + 1; kind <= MP_KIND_DATABASE; kind++) {
        const mp_variant *variant = variant_for(report, mp_kind_holds(kind));
        if (variant && variants & 1u << (variant - report->variants))
            kinds |= 1u << kind;
    }
    return kinds;
}

static const char *kinds_text(unsigned kinds, bool brief, char *text, size_t size)
{
    static const struct {
        unsigned kinds;
        const char *name;
    } names[] = {
        {1u << MP_KIND_RECORDING | 1u << MP_KIND_EVENTS | 1u << MP_KIND_DATABASE, "memory"},
        {1u << MP_KIND_RECORDING, "memory recordings"},
        {1u << MP_KIND_EVENTS, "heap logs"},
        {1u << MP_KIND_DATABASE, "databases"},
        {1u << MP_KIND_DUMP, "heap dumps"},
        {1u << MP_KIND_PROFILE, "execution profiles"},
    };
    const char *words[sizeof names / sizeof *names];
    size_t count = 0;
    for (size_t i = brief ? 0 : 1; i < sizeof names / sizeof *names; i++)
        if ((names[i].kinds & kinds) == names[i].kinds) {
            words[count++] = names[i].name;
            kinds &= ~names[i].kinds;
        }
    return mp_text_list(words, count, "and", text, size);
}

const char *mp_kinds_text(unsigned kinds, char *text, size_t size)
{
    return kinds_text(kinds, true, text, size);
}

/* --- words that arguments accept --- */

static size_t add_word(const char *word, const char **words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return count;
    assert(count < MP_MOST_WORDS);
    words[count] = word;
    return count + 1;
}

size_t mp_choice_words(const mp_choice *choice, unsigned kinds, const char **words, size_t count)
{
    size_t dimension_count;
    const mp_dimension *dimensions = mp_dimensions(&dimension_count);
    for (size_t i = 0; i < choice->count; i++)
        count = add_word(*(const char *const *)((const char *)choice->words + i * choice->size),
                         words, count);
    for (size_t i = 0; !choice->words && i < dimension_count; i++)
        if ((!dimensions[i].kinds || dimensions[i].kinds & kinds) &&
            !(choice->apart && dimensions[i].of_frames))
            count = add_word(dimensions[i].name, words, count);
    return count;
}

unsigned mp_choice_kinds(const mp_choice *choice, const char *word, unsigned kinds)
{
    const mp_dimension *dimension = choice->words ? NULL : mp_dimension_find(word);
    return dimension && dimension->kinds ? kinds & dimension->kinds : kinds;
}

const char *mp_group_summary(const char *word)
{
    const mp_dimension *dimension = mp_dimension_find(word);
    return dimension ? dimension->summary : NULL;
}

unsigned mp_report_selects(const mp_report *report, const char *name, unsigned kinds)
{
    unsigned can = mp_selection_kinds(name);
    /* Reports on graphs accept the criteria of dumps. */
    bool of_graph = report && report->variants[0].needs & MP_HOLDS_GRAPH;
    return of_graph && !(can & 1u << MP_KIND_DUMP) ? 0 : kinds & can;
}

size_t mp_report_words(const mp_report *report, const char *argument, unsigned variants,
                       unsigned kinds, const char **words)
{
    size_t count = 0;
    for (const mp_choice *choice = report->choices; choice && choice->argument; choice++)
        if (strcmp(choice->argument, argument) == 0 && choice->variants & variants)
            count = mp_choice_words(choice, kinds & mp_report_kinds(report, choice->variants),
                                    words, count);
    return count;
}

/* Return true if the text is one of the words or, if several are allowed, a list of them. */
static bool is_of_words(const char *text, bool several, const char **words, size_t count)
{
    for (;;) {
        size_t length = several ? strcspn(text, ",") : strlen(text), i = 0;
        while (i < count && (strlen(words[i]) != length || memcmp(words[i], text, length) != 0))
            i++;
        if (i == count)
            return false;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

bool mp_report_takes(const mp_report *report, const mp_given *given, unsigned variants,
                     unsigned kinds, const char *recording, mp_error *error)
{
    const char *words[MP_MOST_WORDS];
    size_t count = mp_report_words(report, given->argument, variants, kinds, words);
    bool several = false;
    for (const mp_choice *choice = report->choices; choice && choice->argument; choice++)
        several |= choice->several && strcmp(choice->argument, given->argument) == 0;
    if (!count || (given->text && is_of_words(given->text, several, words, count)))
        return true;
    char list[512];
    mp_text_list(words, count, "or", list, sizeof list);
    if (recording)
        mp_fail_argument(error, given->spelled, given->text, "for %s, expected %s", recording,
                         list);
    else
        mp_fail_argument(error, given->spelled, given->text, "expected %s", list);
    const char *nearest = mp_text_nearest(given->text, words, count);
    if (nearest)
        snprintf(error->advice, sizeof error->advice, "did you mean '%s'?", nearest);
    return false;
}

/* --- answering --- */

/* Return the optional facts (MP_TELLS_...) that the model has. */
static unsigned tells(const mp_filter *filter)
{
    const mp_profile *profile = filter->model->profile;
    mp_arena arena = {0};
    size_t sources;
    free(mp_annotation_sources(&arena, filter, &sources));
    mp_arena_free(&arena);
    unsigned has = sources ? MP_TELLS_LINES : 0;
    if (!profile)
        return has | MP_TELLS_TREE | MP_TELLS_CALLS;
    bool tree = profile->nodes.count > 1;
    return (profile->from_report ? 0 : has) | (tree ? MP_TELLS_TREE : 0) |
           (tree || profile->calls.count > 1 ? MP_TELLS_CALLS : 0) |
           (profile->coverage_lines.count > 1 ? MP_TELLS_COVERAGE : 0) |
           (profile->trace_rows ? MP_TELLS_TRACE : 0);
}

/* Set the advice of an error about a recording that the report cannot answer: the kinds of
 * recordings for which the report is meant, and the reports that can answer. Reports for all kinds
 * are not named. */
static void advise_others(const mp_report *report, const mp_filter *whole, mp_error *error)
{
    const char *names[sizeof table / sizeof *table] = {"analyze"};
    char kinds[96], list[144], aim[112] = "";
    size_t count = 1;
    const unsigned told = tells(whole), suited = mp_report_kinds(report, ~0u);
    if (!(suited & 1u << whole->model->kind))
        snprintf(aim, sizeof aim, "it is for %s; ", kinds_text(suited, false, kinds, sizeof kinds));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (variant_for(table[i], whole->holds) && !(table[i]->wants & ~told) &&
            mp_report_kinds(table[i], ~0u) != MP_ALL_KINDS)
            names[count++] = table[i]->name;
    snprintf(error->advice, sizeof error->advice, "%stry %s", aim,
             mp_text_list(names, count, "or", list, sizeof list));
}

static bool is_limit(const char *argument)
{
    return strncmp(argument, "max-", 4) == 0;
}

/* Complete the advice of an error about a limit: name the limits that do apply to such a recording,
 * taken from the first report that has any. */
static void advise_limits(const mp_filter *whole, const char *kind, mp_error *error)
{
    enum { MOST = 8 };
    char words[MOST][32], list[MOST * 32];
    const char *limits[MOST];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const mp_variant *variant = variant_for(table[i], whole->holds);
        const mp_argument_table *rows = &table[i]->arguments;
        const size_t length = strlen(error->advice);
        size_t count = 0;
        for (size_t k = 0; variant && k < rows->count && count < MOST; k++)
            if (is_limit(rows->items[k].name) &&
                rows->items[k].variants & 1u << (variant - table[i]->variants)) {
                snprintf(words[count], sizeof *words, MP_DASHES "%s", rows->items[k].name);
                limits[count] = words[count];
                count++;
            }
        if (!count)
            continue;
        snprintf(error->advice + length, sizeof error->advice - length, "; %s judges %s by %s",
                 table[i]->name, kind, mp_text_list(limits, count, "or", list, sizeof list));
        return;
    }
}

/* Set the advice of an error: the kinds of recordings that accept the argument, and the option that
 * selects snapshots instead of moments. */
static void advise(const mp_report *report, unsigned bit, const mp_argument *row,
                   const mp_given *given, mp_error *error)
{
    char text[160];
    const mp_argument *argument = mp_argument_find(&report->arguments, "to");
    if (!row)
        return;
    unsigned kinds = mp_report_kinds(report, row->variants);
    if (strcmp(row->name, "selection") == 0)
        kinds &= mp_selection_kinds(given->spelled);
    kinds_text(kinds, false, text, sizeof text);
    bool snapshots = strcmp(row->name, "at") == 0 && argument && argument->variants & bit;
    snprintf(error->advice, sizeof error->advice, "it is for %s%s", text,
             snapshots ? ", and " MP_DASHES "to for snapshots, as in " MP_DASHES "to peak"
             : strcmp(row->name, "stack-depth") == 0 ? "; for callers in a profile, try calls"
                                                     : "");
}

/* Return the variant that answers. Return NULL with an error if there is none. */
static const mp_variant *choose(const mp_report *report, const mp_request *request,
                                const mp_filter *whole, mp_error *error)
{
    const char *kind = mp_model_name(request->model);
    const mp_variant *variant = variant_for(report, whole->holds);
    if (!variant && request->path) {
        mp_fail(error, MP_ERROR_NO_ANSWER, "%s cannot be written from %s", report->name, kind);
        return NULL;
    }
    if (!variant) {
        const bool of_kind = mp_report_kinds(report, ~0u) & 1u << whole->model->kind;
        mp_fail(error, MP_ERROR_NO_ANSWER, "%s does not support %s%s", report->name, kind,
                variant_for(report, whole->holds | MP_HOLDS_CONTENTS)
                    ? " without the contents of objects"
                : of_kind && variant_for(report, whole->holds | MP_HOLDS_GRAPH)
                    ? " (it has no references between objects)"
                    : "");
        advise_others(report, whole, error);
        return NULL;
    }
    unsigned bit = 1u << (variant - report->variants);
    for (size_t i = request->given_count; i-- > 0;) {
        const mp_given *given = &request->given[i];
        const mp_argument *row = mp_argument_find(&report->arguments, given->argument);
        if (!given->by_default && (!row || !(row->variants & bit))) {
            mp_fail_unused(error, report->name, given->spelled, kind);
            advise(report, bit, row, given, error);
            if (row && is_limit(row->name))
                advise_limits(whole, kind, error);
            return NULL;
        }
        if (!mp_report_takes(report, given, bit, 1u << request->model->kind, kind, error))
            return NULL;
    }
    return variant;
}

bool mp_report_answers(const mp_report *report, const mp_request *request, mp_error *error)
{
    mp_filter *whole = mp_filter_of(request->model, NULL, error);
    bool ok = choose(report, request, whole, error) &&
              mp_can_select(request->model, &request->selection, error);
    mp_filter_free(whole);
    return ok;
}

size_t mp_report_rows(const mp_report *report)
{
    return report->overview ? MP_DEFAULT_ROWS : MP_REPORT_ROWS;
}

/* Fill a request with its filters, which `release` frees in each case, and return the variant
 * that answers; NULL with an error. */
static const mp_variant *add_filters(const mp_report *report, mp_request *request, mp_error *error)
{
    const mp_selection whole = {.keeps_profiler = request->selection.keeps_profiler};
    request->report = report;
    request->opened = mp_alloc_zero(1, sizeof *request->opened);
    request->filter = NULL;
    request->whole = mp_filter_of(request->model, &whole, error);
    const mp_variant *variant = choose(report, request, request->whole, error);
    if (variant)
        request->filter = mp_filter_of(request->model, &request->selection, error);
    return request->filter ? variant : NULL;
}

static void release(const mp_request *request)
{
    mp_request_close(request);
    mp_filter_free((mp_filter *)request->filter);
    mp_filter_free((mp_filter *)request->whole);
}

bool mp_report_run(const mp_report *report, const mp_request *request, mp_document *document,
                   mp_error *error)
{
    mp_request filtered = *request;
    const mp_variant *variant = add_filters(report, &filtered, error);
    document->frames = mp_request_frames(&filtered);
    mp_document_costs(document, request->model->holds);
    const bool ok = variant && variant->run(&filtered, document, error);
    release(&filtered);
    return ok;
}

bool mp_report_run_together(const mp_report *report, const mp_request *requests, size_t count,
                            mp_document *document, size_t *wrong, mp_error *error)
{
    mp_request *filtered = mp_alloc_zero(count, sizeof *filtered);
    size_t ready = 0;
    bool ok = true;
    while (ok && ready < count) {
        filtered[ready] = requests[ready];
        *wrong = ready;
        ok = add_filters(report, &filtered[ready++], error);
    }
    if (ok) {
        *wrong = count;
        document->frames = mp_request_frames(filtered);
        ok = report->together(filtered, count, document, wrong, error);
    }
    while (ready)
        release(&filtered[--ready]);
    free(filtered);
    return ok;
}
