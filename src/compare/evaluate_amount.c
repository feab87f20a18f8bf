/* Rules on amounts: measure the entries that a rule selects, or only those of them that are new. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/choice.h"
#include "compare/decide.h"
#include "compare/runs.h"
#include "query/graph_query.h"

/* Return the text for an entry in a message. It includes the name of the objects, if they have one,
 * and the first line of a method, because another method may have the same name. */
static const char *told_of(mp_evaluation *evaluation, mp_level level, const mp_entry_key *key)
{
    static const mp_select_by by_level[MP_LEVELS] = {[MP_LEVEL_SITE] = MP_BY_SITE,
                                                     [MP_LEVEL_TYPE] = MP_BY_TYPE,
                                                     [MP_LEVEL_METHOD] = MP_BY_METHOD,
                                                     [MP_LEVEL_MODULE] = MP_BY_MODULE};
    const mp_dictionary *dictionary = evaluation->context->dictionary;
    const char *label = mp_evaluation_label(evaluation, by_level[level], key);
    const char *type = mp_dictionary_text(dictionary, key->type);
    if (level == MP_LEVEL_METHOD && key->start)
        return mp_arena_format(evaluation->scratch, "%s (from %u)", label, key->start);
    if (level != MP_LEVEL_SITE || !key->name)
        return label;
    return mp_arena_format(evaluation->scratch, "%s %s%s", type,
                           mp_dictionary_text(dictionary, key->name), label + strlen(type));
}

/* --- sums --- */

mp_level mp_rule_level(const mp_rule *rule)
{
    const mp_measure_row *row = &mp_measure_rows[rule->measure];
    if (row->counts)
        return row->level;
    if (row->has & (MP_HAS_COSTS | MP_HAS_SAMPLES | MP_HAS_TIMES))
        return rule->by == MP_BY_MODULE ? MP_LEVEL_MODULE : MP_LEVEL_METHOD;
    return rule->by == MP_BY_TYPE ? MP_LEVEL_TYPE : MP_LEVEL_SITE;
}

/* Return a flag for each type: true if its retained size is unknown, because it has live objects
 * but no references were recorded for them, as for native objects in a database. Return NULL if all
 * sizes are known. */
static bool *untracked_types(const mp_evaluation *evaluation)
{
    const mp_window *window = evaluation->context->window;
    const mp_graph *graph = window ? window->filter->graph : NULL;
    if (evaluation->rule->measure != MP_MEASURE_RETAINED || !graph || !graph->untracked)
        return NULL;
    bool *types = mp_alloc_zero(window->model->types.count, sizeof *types);
    for (uint32_t object = 1; object <= graph->count; object++)
        types[graph->types[object]] = !mp_graph_tracks(graph, object);
    return types;
}

/* Entries of the recording and the base that the rule selects. */
typedef struct selection {
    bool *untracked;    /* types with unknown retained size, from untracked_types() */
    const char **names; /* sorted names of these types */
    size_t name_count;
    size_t unknown;     /* number of entries of these types */
    size_t here, there; /* number of all other entries, in the recording and in the base */
    mp_rule_subject *items;
    size_t count, capacity;
    mp_rule_subject sum;
    /* Entry that a message names: the entry with the largest number, or the entry that leaks
     * most. */
    mp_rule_subject most;
    int64_t largest;        /* largest number of any entry */
    int64_t most_leaking;   /* bytes of `most` that leak steadily */
    const char *most_label; /* label of `most` in the rule */
} selection;

/* Set the sorted names of the types with unknown retained size. */
static void name_untracked(mp_evaluation *evaluation, selection *found)
{
    const mp_model *model = evaluation->context->model;
    size_t capacity = 0;
    for (uint32_t i = 1; found->untracked && i < model->types.count; i++) {
        if (!found->untracked[i])
            continue;
        *MP_APPEND(found->names, found->name_count, capacity) =
            mp_type_text(evaluation->scratch, model, i);
    }
    if (found->name_count)
        qsort(found->names, found->name_count, sizeof *found->names, mp_text_order);
}

static bool is_untracked(const selection *found, const char *type)
{
    return found->name_count &&
           bsearch(&type, found->names, found->name_count, sizeof *found->names, mp_text_order);
}

/* Store an entry if a message should name it instead of the stored one. */
static void take_most(mp_evaluation *evaluation, selection *found, const mp_entry *entry,
                      int64_t amount, const char *label)
{
    const bool left = mp_measure_is_of_left(evaluation->rule->measure);
    const int64_t leaking = left ? entry->amounts.leaking_bytes : 0;
    found->largest = amount > found->largest ? amount : found->largest;
    if (found->most.label && (leaking != found->most_leaking ? leaking < found->most_leaking
                                                             : amount < found->most.number))
        return;
    const char *told = told_of(evaluation, mp_rule_level(evaluation->rule), &entry->key);
    if (found->most.label && leaking == found->most_leaking && amount == found->most.number &&
        strcmp(told, found->most.label) >= 0)
        return;
    found->most = (mp_rule_subject){told, amount, 0, 0};
    found->most_leaking = leaking;
    found->most_label = label;
}

static void gather(mp_evaluation *evaluation, selection *found, const mp_digest *digest)
{
    const mp_rule *rule = evaluation->rule;
    bool is_base = digest == evaluation->context->base;
    mp_level level = mp_rule_level(rule);
    const mp_entries *entries = &digest->lists[level];
    mp_choice chosen = mp_choose_entries(evaluation, entries);
    for (size_t i = 0; i < chosen.count; i++) {
        const mp_entry *entry = &entries->items[chosen.items[i]];
        const char *label = chosen.labels[chosen.items[i]];
        int64_t amount = mp_measure_of(rule->measure, &entry->amounts);
        if (is_untracked(found, label)) {
            found->unknown++;
            continue;
        }
        ++*(is_base ? &found->there : &found->here);
        *MP_APPEND(found->items, found->count, found->capacity) =
            (mp_rule_subject){label, is_base ? 0 : amount, is_base ? amount : 0, 0};
        *(is_base ? &found->sum.reference : &found->sum.number) += amount;
        if (!is_base && amount > 0)
            take_most(evaluation, found, entry, amount, label);
    }
    free(chosen.items);
}

/* Amount of a label in a run of the base. */
typedef struct run_share {
    const char *label;
    size_t run;
    int64_t amount;
} run_share;

static int by_label(const void *left, const void *right)
{
    return strcmp(((const run_share *)left)->label, ((const run_share *)right)->label);
}

/* Add centre and spread of the base's runs as subjects: for a rule on each label, one subject per
 * label; otherwise one subject for all selected entries. The value of a run is what the rule would
 * measure if that run were the base. */
static void gather_runs(mp_evaluation *evaluation, selection *found)
{
    const mp_rule *rule = evaluation->rule;
    const mp_digest *base = evaluation->context->base;
    mp_level level = mp_rule_level(rule);
    size_t count = 0, capacity = 0, end;
    run_share *shares = NULL;
    int64_t *values = mp_alloc(base->run_count * sizeof *values);
    for (size_t run = 0; run < base->run_count; run++) {
        const mp_entries *entries = &base->runs[run]->lists[level];
        mp_choice chosen = mp_choose_entries(evaluation, entries);
        size_t there = 0;
        for (size_t i = 0; i < chosen.count; i++) {
            const mp_entry *entry = &entries->items[chosen.items[i]];
            const char *label = chosen.labels[chosen.items[i]];
            if (is_untracked(found, label))
                continue;
            *MP_APPEND(shares, count, capacity) = (run_share){
                rule->each ? label : "", run, mp_measure_of(rule->measure, &entry->amounts)};
            there++;
        }
        free(chosen.items);
        found->there = there > found->there ? there : found->there;
    }
    if (count)
        qsort(shares, count, sizeof *shares, by_label);
    for (size_t i = 0; i < count; i = end) {
        memset(values, 0, base->run_count * sizeof *values);
        for (end = i; end < count && strcmp(shares[end].label, shares[i].label) == 0; end++)
            values[shares[end].run] += shares[end].amount;
        mp_centre centre = mp_centre_of(values, base->run_count);
        mp_rule_subject subject = {shares[i].label, 0, centre.median, centre.spread};
        *MP_APPEND(found->items, found->count, found->capacity) = subject;
        /* there is only one subject, unless rule->each is set */
        found->sum.reference += subject.reference;
        found->sum.spread += subject.spread;
    }
    free(values);
    free(shares);
}

/* Return the reason why the message names an entry: it is the largest, or it leaks although other
 * entries are larger. */
static const char *most_text(int64_t largest, int64_t number)
{
    return number < largest ? "leaks steadily" : "most";
}

/* Return true if a rule on each label fails for the label that leaks most, but its message names
 * another label. */
static bool hides_leak(const mp_evaluation *evaluation, const selection *found)
{
    size_t index = 0;
    while (index < evaluation->failed_count &&
           strcmp(evaluation->failed[index], found->most_label) != 0)
        index++;
    return index < evaluation->failed_count && strcmp(evaluation->worst, found->most_label) != 0;
}

/* Append the largest part of a sum to the message. If the rule is about the whole recording, it is
 * the worst site of the window; otherwise it is the largest entry. */
static void add_most(mp_evaluation *evaluation, const selection *found)
{
    const mp_rule *rule = evaluation->rule;
    const mp_rule_subject *most = &found->most;
    const mp_window *window = rule->by ? NULL : evaluation->context->window;
    const bool leaks = found->most_leaking > 0;
    bool upper = rule->comparison == MP_AT_MOST || rule->comparison == MP_LESS;
    if (evaluation->result->verdict != MP_VERDICT_FAIL || !upper ||
        (rule->each && !(leaks && hides_leak(evaluation, found))) ||
        mp_measure_rows[rule->measure].counts)
        return;
    const char *text = window ? mp_most_of_whole(evaluation, window) : NULL;
    if (!text && most->label)
        text = mp_arena_format(evaluation->scratch, "; %s: %s, %s",
                               most_text(found->largest, most->number),
                               mp_quantity_text(evaluation->scratch, rule->measure, most->number,
                                                evaluation->context->exact_bytes),
                               most->label);
    if (text)
        mp_evaluation_add(evaluation, text);
}

/* Return the total of the recording; `sum` is the sum of the counted entries. */
static int64_t total_of(const mp_rule *rule, const mp_digest *digest, int64_t sum)
{
    if (!digest)
        return 0;
    if (rule->measure == MP_MEASURE_PEAK)
        return digest->peak_bytes;
    if (rule->measure == MP_MEASURE_PEAK_OBJECTS)
        return digest->peak_objects;
    return mp_measure_rows[rule->measure].counts ? sum
                                                 : mp_measure_of(rule->measure, &digest->totals);
}

/* Return the bytes that all objects of the selected types retain together; -1 without a graph. The
 * sum over the types would be wrong: one type may keep another alive, and two types may together
 * retain objects that neither of them retains alone. */
static int64_t retained_together(mp_evaluation *evaluation, const selection *found)
{
    const mp_window *window = evaluation->context->window;
    const mp_model *model = evaluation->context->model;
    if (!window || !window->filter->graph)
        return -1;
    mp_graph_view view = mp_graph_view_of(window->filter);
    mp_groups groups = {.kind = MP_GROUPS_OF_TYPES, .count = 1, .members = model->types.count};
    groups.group_of = mp_alloc_zero(model->types.count, sizeof *groups.group_of);
    groups.items = mp_alloc_zero(1, sizeof *groups.items);
    for (uint32_t i = 1; i < model->types.count; i++)
        groups.group_of[i] =
            mp_graph_selects(&view, i) && !(found->untracked && found->untracked[i]) &&
            mp_rule_matches(evaluation->rule, mp_type_text(evaluation->scratch, model, i));
    mp_groups_settle(&view, &groups, NULL, 1, 0, 0);
    int64_t bytes = groups.items->bytes;
    mp_groups_free(&groups);
    mp_graph_view_free(&view);
    return bytes;
}

/* Replace several types that a rule measures together by one subject. If their common retained size
 * is unknown, dismiss the rule and return false. */
static bool join_retained(mp_evaluation *evaluation, selection *found)
{
    const mp_rule *rule = evaluation->rule;
    bool of_base = rule->bound.reference == MP_OF_BASE;
    if (rule->measure != MP_MEASURE_RETAINED || rule->each ||
        (found->here < 2 && (!of_base || found->there < 2)))
        return true;
    found->count = 1;
    found->items[0] = (mp_rule_subject){
        .label = "", .number = of_base ? -1 : retained_together(evaluation, found)};
    if (found->items[0].number >= 0)
        return true;
    MP_DISMISS(evaluation,
               "the retained size of several types %stogether is unknown; check each type (\"of "
               "each type\")",
               of_base ? "of a base " : "");
    return false;
}

/* Return centre and spread of the totals of the base's runs. If the measure counts entries,
 * `counted` is the result. */
static mp_centre total_of_runs(const mp_rule *rule, const mp_digest *base, mp_centre counted)
{
    if (mp_measure_rows[rule->measure].counts)
        return counted;
    int64_t *values = mp_alloc(base->run_count * sizeof *values);
    for (size_t i = 0; i < base->run_count; i++)
        values[i] = total_of(rule, base->runs[i], 0);
    mp_centre centre = mp_centre_of(values, base->run_count);
    free(values);
    return centre;
}

void mp_evaluation_of_amount(mp_evaluation *evaluation)
{
    const mp_rule_context *context = evaluation->context;
    const mp_rule *rule = evaluation->rule;
    selection found = {.sum.label = "", .untracked = untracked_types(evaluation)};
    bool has_runs = context->base && context->base->run_count;
    assert(context->now);
    name_untracked(evaluation, &found);
    if (mp_measure_rows[rule->measure].select_by) { /* peaks have no entries */
        gather(evaluation, &found, context->now);
        if (has_runs)
            gather_runs(evaluation, &found);
        else if (context->base)
            gather(evaluation, &found, context->base);
    }
    if (!rule->by) {
        found.sum.number = total_of(rule, context->now, found.sum.number);
        if (!has_runs) {
            found.sum.reference = total_of(rule, context->base, found.sum.reference);
        } else {
            mp_centre counted = {found.sum.reference, found.sum.spread};
            mp_centre centre = total_of_runs(rule, context->base, counted);
            found.sum.reference = centre.median;
            found.sum.spread = centre.spread;
        }
        mp_evaluation_decide(evaluation, &found.sum, 1);
    } else if (found.count) {
        if (join_retained(evaluation, &found))
            mp_evaluation_decide(evaluation, found.items, found.count);
    } else if (!found.unknown) {
        mp_evaluation_find_nothing(evaluation);
    }
    if (found.unknown && evaluation->result->verdict == MP_VERDICT_PASS)
        MP_DISMISS(evaluation, "the retained size of types whose references were not recorded is "
                               "unknown, as for native objects");
    add_most(evaluation, &found);
    MP_FREE(found.untracked, found.names, found.items);
}

/* --- new entries --- */

bool mp_measure_is_new(mp_measure measure, const mp_difference *difference)
{
    const mp_amounts *base = &difference->base, *now = &difference->now;
    if (measure != MP_MEASURE_NEW_LEAK_SITES)
        return difference->change == MP_CHANGE_NEW;
    return !base->leaked_objects && !base->leaked_bytes &&
           (now->leaked_objects > 0 || now->leaked_bytes > 0);
}

void mp_evaluation_of_new(mp_evaluation *evaluation)
{
    const mp_rule_context *context = evaluation->context;
    const mp_rule *rule = evaluation->rule;
    mp_measure weight = mp_measure_weight(rule->measure);
    mp_level level = mp_measure_rows[rule->measure].level;
    const mp_differences *differences = mp_news_of(evaluation, level);
    mp_choice chosen = mp_choose_news(evaluation, level);
    mp_rule_subject subject = {.label = ""};
    const mp_difference *most = NULL; /* largest new entry, or new entry that leaks most */
    int64_t most_weight = 0, most_leaking = 0, largest = 0;
    for (size_t i = 0; i < chosen.count; i++) {
        assert(differences->items); /* without differences, no entry is chosen */
        const mp_difference *difference = &differences->items[chosen.items[i]];
        if (!mp_measure_is_new(rule->measure, difference))
            continue;
        subject.number++;
        int64_t amount = mp_measure_of(weight, &difference->now);
        int64_t leaking = mp_measure_is_of_left(rule->measure) ? difference->now.leaking_bytes : 0;
        largest = amount > largest ? amount : largest;
        if (!most || leaking > most_leaking || (leaking == most_leaking && amount > most_weight)) {
            most = difference;
            most_weight = amount;
            most_leaking = leaking;
        }
    }
    const char *told = "";
    if (most)
        told = mp_arena_format(
            evaluation->scratch, "; %s%s%s, %s",
            subject.number > 1 ? most_text(largest, most_weight) : "",
            subject.number > 1 ? ": " : "",
            mp_quantity_text(evaluation->scratch, weight, most_weight, context->exact_bytes),
            told_of(evaluation, level, &most->key));
    if (!rule->by || chosen.count)
        mp_evaluation_decide(evaluation, &subject, 1);
    else
        mp_evaluation_find_nothing(evaluation);
    mp_evaluation_add(evaluation, told);
    free(chosen.items);
}
