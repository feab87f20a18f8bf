#include "compare/decide.h"

#include <stdlib.h>

#include "compare/choice.h"
#include "query/coverage.h"

typedef struct subjects {
    mp_rule_subject *items;
    size_t count;
} subjects;

static void put(subjects *found, const char *label, uint64_t executed, uint64_t lines)
{
    found->items[found->count++] = (mp_rule_subject){label, (int64_t)executed, (int64_t)lines, 0};
}

static void gather(mp_evaluation *evaluation, subjects *found)
{
    const mp_coverage *coverage = evaluation->context->coverage;
    const mp_model *model = evaluation->context->model;
    const mp_rule *rule = evaluation->rule;
    for (uint32_t i = 0; rule->by == MP_BY_MODULE && i < coverage->source_count; i++) {
        const mp_covered_source *source = &coverage->sources[i];
        const char *program = mp_model_text(model, source->program);
        if (mp_rule_matches(rule, program))
            put(found, program, source->executed, source->lines);
    }
    for (uint32_t i = 0; rule->by == MP_BY_METHOD && i < coverage->method_count; i++) {
        const mp_covered_method *method = &coverage->methods[i];
        const char *name = mp_model_text(model, method->name);
        const char *program = mp_model_text(model, coverage->sources[method->source].program);
        const char *label =
            *name ? mp_arena_format(evaluation->scratch, "%s %s", name, program) : program;
        if (mp_rule_matches(rule, label) || (*name && mp_rule_matches(rule, name)))
            put(found, label, method->executed, method->lines);
    }
    if (rule->by == MP_BY_NOTHING)
        put(found, "", coverage->executed, coverage->executable);
}

/* Append the program that has most lines that were not executed. */
static void add_most(mp_evaluation *evaluation)
{
    const mp_coverage *coverage = evaluation->context->coverage;
    const mp_covered_source *worst = mp_coverage_worst(coverage);
    mp_evaluation_add(evaluation,
                      mp_arena_format(evaluation->scratch, "; most missing: %u of %s",
                                      worst->lines - worst->executed,
                                      mp_model_text(evaluation->context->model, worst->program)));
}

void mp_evaluation_of_coverage(mp_evaluation *evaluation)
{
    const mp_coverage *coverage = evaluation->context->coverage;
    if (!coverage || coverage->executable == 0) {
        MP_DISMISS(evaluation, "the execution profile does not record executable lines");
        return;
    }
    size_t most = (size_t)coverage->source_count + coverage->method_count + 1;
    subjects found = {mp_alloc(most * sizeof *found.items), 0};
    enum { TELLING = 4 }; /* cost of an entry; the unit is the comparison of two names */
    evaluation->choices->looked += TELLING * most;
    gather(evaluation, &found);
    if (found.count)
        mp_evaluation_decide(evaluation, found.items, found.count);
    else
        mp_evaluation_find_nothing(evaluation);
    if (!evaluation->rule->by)
        add_most(evaluation);
    free(found.items);
}
