#include "compare/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"

/* Keys at a fixed distance from each other, as members of an array of structs. */
typedef struct key_list {
    const char *first;
    size_t step, count;
} key_list;

/* Labels of a list of entries by one selector. The index numbers texts: 2 * i is the label of entry
 * i, 2 * i + 1 the shorter name that rules may use instead of it. */
struct labelled {
    const void *items;
    mp_select_by by;
    size_t count;
    const char **labels, **names; /* names: NULL, or NULL for some entries */
    mp_hash_index index; /* maps a text to 1 + the number of its first entry; built for the first
                          * rule without wildcards */
    uint32_t *next;      /* 1 + the number of the next equal text */
};

const char *mp_evaluation_label(mp_evaluation *evaluation, mp_select_by by, const mp_entry_key *key)
{
    const mp_dictionary *dictionary = evaluation->context->dictionary;
    const char *type = mp_dictionary_text(dictionary, key->type);
    const char *name = mp_dictionary_text(dictionary, key->name);
    const char *program = mp_dictionary_text(dictionary, key->program);
    const char *source = *program ? program : "(session)";
    switch (by) {
    case MP_BY_TYPE:
        return type;
    case MP_BY_SOURCE:
        return source;
    case MP_BY_NAME:
        return *name ? name : "(unnamed)";
    case MP_BY_SITE:
        return evaluation->context->now->holds & MP_HOLDS_SITES
                   ? mp_arena_format(evaluation->scratch, "%s at %s", type, source)
                   : type;
    case MP_BY_METHOD: /* the main block of a program has the name of the program */
        return *name && *program ? mp_arena_format(evaluation->scratch, "%s %s", name, program)
               : *name           ? name
                                 : program;
    case MP_BY_MODULE:
        return program;
    case MP_BY_AREA: /* areas are not entries of a digest */
    case MP_BY_NOTHING:
        break;
    }
    return "";
}

static const mp_entry_key *key_at(const key_list *keys, size_t i)
{
    return (const mp_entry_key *)(const void *)(keys->first + i * keys->step);
}

static void label_all(mp_evaluation *evaluation, struct labelled *list, const key_list *keys)
{
    mp_choices *choices = evaluation->choices;
    mp_evaluation lasting = *evaluation;
    lasting.scratch = &choices->arena;
    list->labels = mp_arena_alloc(&choices->arena, (keys->count + 1) * sizeof *list->labels);
    if (list->by == MP_BY_METHOD)
        list->names = mp_arena_alloc(&choices->arena, (keys->count + 1) * sizeof *list->names);
    for (size_t i = 0; i < keys->count; i++) {
        const mp_entry_key *key = key_at(keys, i);
        list->labels[i] = mp_evaluation_label(&lasting, list->by, key);
        if (list->names)
            list->names[i] =
                key->name ? mp_dictionary_text(evaluation->context->dictionary, key->name) : NULL;
    }
    choices->looked += keys->count;
}

static struct labelled *labelled_of(mp_evaluation *evaluation, const void *name,
                                    const key_list *keys)
{
    mp_choices *choices = evaluation->choices;
    const mp_select_by by = evaluation->rule->by;
    for (size_t i = 0; i < choices->count; i++)
        if (choices->lists[i].items == name && choices->lists[i].by == by)
            return &choices->lists[i];
    struct labelled *list = MP_APPEND(choices->lists, choices->count, choices->capacity);
    *list = (struct labelled){.items = name, .by = by, .count = keys->count};
    label_all(evaluation, list, keys);
    return list;
}

/* --- a name --- */

typedef struct text_probe {
    const struct labelled *list;
    const char *text;
} text_probe;

static const char *text_at(const struct labelled *list, uint32_t spot)
{
    const char **texts = spot % 2 ? list->names : list->labels;
    return texts ? texts[spot / 2] : NULL;
}

static bool same_text(const void *opaque, uint32_t value)
{
    const text_probe *probe = opaque;
    return strcmp(text_at(probe->list, value - 1), probe->text) == 0;
}

/* Index all texts, from the last to the first, so that equal texts are found in ascending order. */
static void index_texts(mp_choices *choices, struct labelled *list)
{
    list->next = mp_arena_alloc(&choices->arena, 2 * list->count * sizeof *list->next);
    for (uint32_t spot = (uint32_t)(2 * list->count); spot-- > 0;) {
        const text_probe probe = {list, text_at(list, spot)};
        if (!probe.text)
            continue;
        uint32_t *first = mp_hash_index_put(
            &list->index, mp_hash_bytes(probe.text, strlen(probe.text)), same_text, &probe);
        list->next[spot] = *first;
        *first = spot + 1;
    }
}

static void choose_text(mp_choices *choices, struct labelled *list, const char *text,
                        mp_choice *choice)
{
    const text_probe probe = {list, text};
    if (!list->next && list->count)
        index_texts(choices, list);
    uint32_t spot =
        mp_hash_index_get(&list->index, mp_hash_bytes(text, strlen(text)), same_text, &probe);
    for (; spot; spot = list->next[spot - 1]) {
        const uint32_t place = (spot - 1) / 2;
        if (!choice->count || choice->items[choice->count - 1] != place)
            choice->items[choice->count++] = place;
    }
}

/* --- a pattern --- */

static bool takes(const mp_rule *rule, const char *core, const char *label)
{
    return (!*core || strstr(label, core)) && mp_rule_matches(rule, label);
}

static void choose_pattern(mp_evaluation *evaluation, const struct labelled *list,
                           mp_choice *choice)
{
    const mp_rule *rule = evaluation->rule;
    const mp_slice part = rule->pattern ? mp_glob_core(rule->pattern) : (mp_slice){"", 0};
    const char *core = mp_arena_copy(evaluation->scratch, part.start, part.length);
    for (uint32_t i = 0; i < list->count; i++)
        if (takes(rule, core, list->labels[i]) ||
            (list->names && list->names[i] && takes(rule, core, list->names[i])))
            choice->items[choice->count++] = i;
    evaluation->choices->looked += list->count;
}

static mp_choice choose(mp_evaluation *evaluation, const void *name, const key_list *keys)
{
    struct labelled *list = labelled_of(evaluation, name, keys);
    const char *pattern = evaluation->rule->pattern;
    mp_choice choice = {mp_alloc((keys->count + 1) * sizeof *choice.items), 0, list->labels};
    if (pattern && mp_glob_core(pattern).length == strlen(pattern))
        choose_text(evaluation->choices, list, pattern, &choice);
    else
        choose_pattern(evaluation, list, &choice);
    enum {
        TELLING = 8
    }; /* cost of processing a chosen entry; the unit is the comparison of two names */
    evaluation->choices->looked += TELLING * choice.count;
    return choice;
}

mp_choice mp_choose_entries(mp_evaluation *evaluation, const mp_entries *entries)
{
    const key_list keys = {entries->count ? (const char *)&entries->items->key : NULL,
                           sizeof *entries->items, entries->count};
    return choose(evaluation, entries, &keys);
}

const mp_differences *mp_news_of(mp_evaluation *evaluation, mp_level level)
{
    mp_choices *choices = evaluation->choices;
    const mp_rule_context *context = evaluation->context;
    if (!choices->has_news[level])
        choices->news[level] =
            mp_differences_of(context->dictionary, evaluation->known, context->now, level);
    choices->has_news[level] = true;
    return &choices->news[level];
}

mp_choice mp_choose_news(mp_evaluation *evaluation, mp_level level)
{
    const mp_differences *news = mp_news_of(evaluation, level);
    const key_list keys = {news->count ? (const char *)&news->items->key : NULL,
                           sizeof *news->items, news->count};
    return choose(evaluation, news, &keys);
}

void mp_choices_free(mp_choices *choices)
{
    for (size_t i = 0; i < choices->count; i++)
        mp_hash_index_free(&choices->lists[i].index);
    for (size_t i = 0; i < MP_LEVELS; i++)
        free(choices->news[i].items);
    free(choices->lists);
    mp_arena_free(&choices->arena);
}
