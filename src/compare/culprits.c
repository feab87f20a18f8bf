/* Culprits: the entries that make a rule fail. They are looked up in the list by which the rule was
 * judged. For heaps, they are looked up in the list of sites, because the rule names the type that
 * grew, but not the line that creates it. */
#include "base/text.h"
#include "compare/decide.h"

#include <stdlib.h>
#include <string.h>

#include "compare/choice.h"
#include "query/accumulation.h"
#include "query/coverage.h"
#include "query/labels.h"
#include "query/verdict.h"

enum { TELLING = 64 }; /* cost of formatting a culprit; the unit is the comparison of two names */

typedef struct ranked {
    mp_culprit culprit;
    bool as_bad;         /* the entry did not get worse; sorted after entries that did */
    int64_t leaking;     /* bytes that leak steadily; sorted before other leftover objects */
    int64_t rank;        /* larger is worse */
    mp_left_behind left; /* objects left behind; at equal ranks, the entry that left more comes
                     first, as in `leaks` */
    size_t place;        /* position at which the entry was found */
} ranked;

typedef struct found {
    ranked *items;
    size_t count, capacity;
    bool lower; /* the rule failed because the value is too low */
} found;

static void put(found *state, mp_culprit culprit, int64_t rank)
{
    mp_grow(&state->items, &state->capacity, state->count + 1, sizeof *state->items);
    state->items[state->count] = (ranked){.culprit = culprit, .rank = rank, .place = state->count};
    state->count++;
}

static bool fails_for_too_little(const mp_evaluation *evaluation)
{
    const mp_rule_result *result = evaluation->result;
    mp_comparison comparison = evaluation->rule->comparison;
    return comparison == MP_AT_LEAST || comparison == MP_MORE ||
           (comparison == MP_EQUAL && result->measured < result->limit);
}

/* Return true if the label made the rule fail. A rule on each label may fail for some labels and
 * pass for others. */
static bool is_to_blame(const mp_evaluation *evaluation, const char *label)
{
    return !evaluation->rule->each || (evaluation->failed_count &&
                                       bsearch(&label, evaluation->failed, evaluation->failed_count,
                                               sizeof *evaluation->failed, mp_text_order));
}

/* --- culprits in digests --- */

/* Return the list to search. For a rule on types it is the list of sites, because sites have a line
 * of creation. In event logs it is the list of types, because the types of sites are only
 * inferred. */
static mp_level level_of(const mp_evaluation *evaluation)
{
    mp_level level = mp_rule_level(evaluation->rule);
    bool retained = evaluation->rule->measure == MP_MEASURE_RETAINED;
    bool infers = evaluation->context->now->holds & MP_HOLDS_EVENTS;
    return level == MP_LEVEL_TYPE && !retained && !infers &&
                   !mp_measure_rows[evaluation->rule->measure].is_new
               ? MP_LEVEL_SITE
               : level;
}

/* Return "name:line" of the innermost frame of the stack that is not an allocator. */
static const char *site_of(mp_evaluation *evaluation, const mp_entry_key *key)
{
    const mp_dictionary *dictionary = evaluation->context->dictionary;
    mp_stack_frame site = mp_dictionary_site(dictionary, (mp_stack_frame){key->frame, key->line});
    if (!key->frame)
        return "(session)";
    const char *name =
        mp_dictionary_text(dictionary, mp_dictionary_frame_at(dictionary, site.place)->name);
    bool starts = evaluation->context->now->holds & MP_HOLDS_STARTS;
    return site.line == MP_NO_LINE
               ? name
               : mp_arena_format(evaluation->arena, starts ? "%s (from %d)" : "%s:%d", name,
                                 (int)(int32_t)site.line);
}

static const char *what_of(mp_evaluation *evaluation, mp_level level, const mp_entry_key *key)
{
    const mp_dictionary *dictionary = evaluation->context->dictionary;
    const char *name = mp_dictionary_text(dictionary, key->name);
    if (level == MP_LEVEL_MODULE || (level == MP_LEVEL_METHOD && !*name))
        return mp_dictionary_text(dictionary, key->program);
    if (level == MP_LEVEL_METHOD)
        return mp_arena_format(evaluation->arena, key->start ? "%s %s (from %u)" : "%s %s", name,
                               mp_dictionary_text(dictionary, key->program), key->start);
    return mp_arena_format(evaluation->arena, "%s%s%s", mp_dictionary_text(dictionary, key->type),
                           *name ? " " : "", name);
}

/* Return a digest that has only those entries of a list that the rule selects. */
static mp_digest selected_of(mp_evaluation *evaluation, const mp_digest *digest, mp_level level)
{
    mp_digest selected = {.kind = digest->kind, .holds = digest->holds};
    if (!digest->lists[level].count)
        return selected;
    mp_choice chosen = mp_choose_entries(evaluation, &digest->lists[level]);
    for (size_t i = 0; i < chosen.count; i++) {
        const mp_entry *entry = &digest->lists[level].items[chosen.items[i]];
        if (is_to_blame(evaluation, chosen.labels[chosen.items[i]]))
            mp_entry_for(&selected.lists[level], entry->key)->amounts = entry->amounts;
    }
    evaluation->choices->looked += TELLING * selected.lists[level].count;
    free(chosen.items);
    return selected;
}

static void put_difference(mp_evaluation *evaluation, found *state, mp_level level,
                           const mp_difference *difference, bool worse)
{
    mp_measure measure = evaluation->result->culprit_measure;
    int64_t base = mp_measure_of(measure, &difference->base),
            now = mp_measure_of(measure, &difference->now);
    mp_culprit culprit = {.what = what_of(evaluation, level, &difference->key),
                          .number = now,
                          .change = now,
                          .has_base = evaluation->context->base != NULL};
    bool dump = mp_holds_dumps(evaluation->context->now->holds);
    if (level == MP_LEVEL_SITE && !dump)
        culprit.site = site_of(evaluation, &difference->key);
    if (culprit.has_base) {
        culprit.base = base;
        culprit.change = now - base;
        culprit.status = mp_change_name(!base         ? MP_CHANGE_NEW
                                        : !now        ? MP_CHANGE_GONE
                                        : now > base  ? MP_CHANGE_GROWN
                                        : now == base ? MP_CHANGE_NONE
                                                      : MP_CHANGE_SHRUNK);
    }
    put(state, culprit, worse ? llabs(culprit.change) : now);
    state->items[state->count - 1].as_bad = !worse;
    if (mp_measure_is_of_left(evaluation->rule->measure))
        state->items[state->count - 1].leaking =
            mp_leaking_change(&difference->base, &difference->now);
}

/* Return true if the entry got worse than in the base. Without a base, any amount is worse than
 * none. */
static bool is_worse(const mp_evaluation *evaluation, const found *so_far,
                     const mp_difference *difference)
{
    mp_measure measure = evaluation->result->culprit_measure;
    int64_t change =
        mp_measure_of(measure, &difference->now) - mp_measure_of(measure, &difference->base);
    if (mp_measure_rows[evaluation->rule->measure].is_new)
        return mp_measure_is_new(evaluation->rule->measure, difference);
    return so_far->lower ? change < 0 : change > 0;
}

static void find_in_digests(mp_evaluation *evaluation, found *state)
{
    const mp_rule_context *context = evaluation->context;
    mp_level level = level_of(evaluation);
    const mp_digest nothing = {.kind = context->now->kind, .holds = context->now->holds};
    const mp_digest *before = context->base ? context->base : &nothing;
    bool is_new = mp_measure_rows[evaluation->rule->measure].is_new;
    mp_digest base = {0}, now = {0};
    mp_differences selected = {0};
    mp_choice chosen = {0};
    if (is_new) {
        chosen = mp_choose_news(evaluation, level);
        evaluation->choices->looked += TELLING * chosen.count;
    } else {
        base = selected_of(evaluation, before, level);
        now = selected_of(evaluation, context->now, level);
        selected = mp_differences_of(context->dictionary, &base, &now, level);
    }
    const mp_difference *difference =
        is_new ? mp_news_of(evaluation, level)->items : selected.items;
    const size_t count = is_new ? chosen.count : selected.count;
    /* Also include entries that did not get worse. Exception: the limit refers to the base, and
     * some entries got worse. */
    bool of_base = is_new || evaluation->rule->bound.reference == MP_OF_BASE;
    for (int worse = 1; worse >= 0 && (worse || !of_base || !state->count); worse--)
        for (size_t i = 0; i < count; i++) {
            const mp_difference *self = &difference[is_new ? chosen.items[i] : i];
            bool is_there = mp_measure_of(evaluation->result->culprit_measure, &self->now) > 0;
            bool got_worse = is_worse(evaluation, state, self);
            if (worse ? got_worse : !got_worse && is_there && !state->lower)
                put_difference(evaluation, state, level, self, worse);
        }
    free(chosen.items);
    free(selected.items);
    mp_entries_free(&base.lists[level]);
    mp_entries_free(&now.lists[level]);
}

/* --- culprits in a window --- */

static void find_in_window(mp_evaluation *evaluation, const mp_window *window, found *state)
{
    const mp_model *model = evaluation->context->model;
    bool sites = mp_dimension_fits(mp_dimension_find("site"), model);
    const char *by = evaluation->rule->by == MP_BY_NAME ? "name" : sites ? "site" : "type";
    const mp_grouping *grouping = mp_window_groups(window, mp_dimension_find(by), 0);
    bool leaks = evaluation->rule->measure == MP_MEASURE_TREND || *evaluation->result->warning;
    int64_t *leaking = leaks ? mp_verdict_of_groups(window, grouping) : NULL;
    int64_t *held = mp_held_of_groups(window, grouping); /* without suppressed leaks */
    for (uint32_t i = 0; i < grouping->count; i++) {
        const mp_group *group = &grouping->groups[i];
        const char *label = mp_rule_group_label(evaluation, group);
        int64_t change = leaking ? leaking[i] : held[i] - group->from_bytes;
        if (!(state->lower ? change < 0 : change > 0) ||
            !mp_rule_matches(evaluation->rule, label) || !is_to_blame(evaluation, label))
            continue;
        put(state,
            (mp_culprit){.what =
                             mp_arena_copy(evaluation->arena, group->label, strlen(group->label)),
                         .has_base = true,
                         .base = group->from_bytes,
                         .number = held[i],
                         .change = change},
            llabs(change));
        state->items[state->count - 1].left = group->leaked;
    }
    free(held);
    free(leaking);
}

/* For a rule on all objects of dumps, find the objects that hold most of the growth. They are
 * listed before the types. */
static void find_holders(const mp_evaluation *evaluation, const mp_window *window, found *state)
{
    enum { MOST_HOLDERS = 10 };
    size_t count;
    if (window != evaluation->context->window || evaluation->rule->by || state->lower)
        return;
    const mp_growing_holder *holders =
        mp_growing_holders(evaluation->arena, window, MOST_HOLDERS, &count);
    for (size_t i = 0; i < count; i++) {
        const mp_growing_holder *holder = &holders[i];
        put(state,
            (mp_culprit){.what = holder->text,
                         .has_base = true,
                         .base = holder->from_bytes,
                         .number = holder->bytes,
                         .change = holder->bytes - holder->from_bytes},
            INT64_MAX - (int64_t)i);
    }
}

static void find_areas(mp_evaluation *evaluation, const mp_window *window, found *state)
{
    const mp_model *model = evaluation->context->model;
    bool growth = mp_measure_is_growth(evaluation->rule->measure);
    mp_platform_span *spans = mp_platform_spans_of(window);
    for (uint32_t i = 0; i < model->platforms.count; i++) {
        const char *label = mp_platform_label(model, i);
        int64_t from = spans[i].from_bytes, number = spans[i].to_bytes;
        int64_t change = growth ? number - from : number;
        if (spans[i].told && (state->lower ? change < 0 : change > 0) &&
            mp_rule_matches(evaluation->rule, label) && is_to_blame(evaluation, label))
            put(state,
                (mp_culprit){.what = label,
                             .has_base = growth,
                             .base = from,
                             .number = number,
                             .change = change},
                llabs(change));
    }
    free(spans);
}

static void find_growers(mp_evaluation *evaluation, found *state)
{
    const mp_rule_context *context = evaluation->context;
    mp_error unheard = {0};
    mp_window window;
    bool owned = evaluation->rule->after && mp_rule_window(evaluation, &window, &unheard);
    const mp_window *span = owned ? &window : context->window;
    if (mp_measure_is_platform(evaluation->rule->measure)) {
        find_areas(evaluation, span, state);
    } else {
        find_holders(evaluation, span, state);
        find_in_window(evaluation, span, state);
    }
    if (owned)
        mp_window_free(&window);
}

/* --- lines that were not executed --- */

static void find_uncovered(mp_evaluation *evaluation, found *state)
{
    const mp_coverage *coverage = evaluation->context->coverage;
    const mp_model *model = evaluation->context->model;
    for (uint32_t i = 0; i < coverage->method_count; i++) {
        const mp_covered_method *method = &coverage->methods[i];
        const char *name = mp_model_text(model, method->name);
        const char *program = mp_model_text(model, coverage->sources[method->source].program);
        const char *both =
            mp_arena_format(evaluation->arena, "%s%s%s", name, *name ? " " : "", program);
        const char *label = evaluation->rule->by == MP_BY_METHOD ? both : program;
        bool selected = mp_rule_matches(evaluation->rule, label) ||
                        (evaluation->rule->by == MP_BY_METHOD && *name &&
                         mp_rule_matches(evaluation->rule, name));
        if (method->executed < method->lines && selected && is_to_blame(evaluation, label))
            put(state,
                (mp_culprit){.what = both,
                             .change = (int64_t)method->executed - method->lines,
                             .told =
                                 mp_arena_format(evaluation->arena, "%u of %u lines not executed",
                                                 method->lines - method->executed, method->lines)},
                (int64_t)method->lines - method->executed);
    }
}

/* --- all culprits --- */

static int by_rank(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    int order = a->as_bad - b->as_bad;
    order = order ? order : MP_COMPARE(b->leaking, a->leaking);
    order = order ? order : MP_COMPARE(b->rank, a->rank);
    order = order ? order : MP_COMPARE(b->left.bytes, a->left.bytes);
    order = order ? order : MP_COMPARE(b->left.objects, a->left.objects);
    return order ? order : MP_COMPARE(a->place, b->place);
}

void mp_evaluation_find_culprits(mp_evaluation *evaluation)
{
    mp_rule_result *result = evaluation->result;
    mp_measure measure = evaluation->rule->measure;
    bool peak = measure == MP_MEASURE_PEAK || measure == MP_MEASURE_PEAK_OBJECTS;
    if (result->verdict != MP_VERDICT_FAIL || peak) /* a peak has no entries */
        return;
    found state = {.lower = fails_for_too_little(evaluation)};
    result->culprit_measure = mp_measure_weight(measure);
    if (measure == MP_MEASURE_COVERAGE)
        find_uncovered(evaluation, &state);
    else if (mp_measure_is_growth(measure) || mp_measure_is_platform(measure))
        find_growers(evaluation, &state);
    else
        find_in_digests(evaluation, &state);
    if (state.count)
        qsort(state.items, state.count, sizeof *state.items, by_rank);
    size_t most = evaluation->context->culprits;
    result->culprit_count = most && most < state.count ? most : state.count;
    result->culprits_left_out = state.count - result->culprit_count;
    result->culprits =
        mp_arena_alloc(evaluation->arena, (result->culprit_count + 1) * sizeof *result->culprits);
    for (size_t i = 0; i < result->culprit_count; i++)
        result->culprits[i] = state.items[i].culprit;
    free(state.items);
}
