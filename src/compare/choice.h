/* Entries that the rules of a policy select. Labels and indexes are computed once for all rules,
 * and the work of all rules is limited. */
#pragma once

#include "compare/decide.h"

enum {
    MP_RULES_ANYHOW = 50,      /* number of rules that are always judged, whatever they cost */
    MP_MOST_LOOKED = 50000000, /* all other rules are judged until this cost is reached */
};

/* Labels and choices cached for all rules of a policy. Zero-initialise; release with
 * mp_choices_free. The digests and the dictionary must outlive it. */
typedef struct mp_choices {
    mp_arena arena;
    struct labelled *lists; /* labels of the lists that rules have used, by selector */
    size_t count, capacity;
    mp_differences news[MP_LEVELS]; /* differences from the base, by level; valid if `has_news` */
    bool has_news[MP_LEVELS];
    uint64_t looked; /* cost of all rules so far; the unit is the comparison of two names */
} mp_choices;

void mp_choices_free(mp_choices *choices);

/* Return the text with which the pattern of a selector is compared. Rules may also name a method
 * without its program. */
const char *mp_evaluation_label(mp_evaluation *evaluation, mp_select_by by,
                                const mp_entry_key *key);

/* Elements of a list that a rule selects: their indexes, ascending, and the labels of the whole
 * list. The labels belong to the mp_choices. Release `items` with free(). */
typedef struct mp_choice {
    uint32_t *items;
    size_t count;
    const char *const *labels;
} mp_choice;

/* Return the entries that the rule selects, in the order of the list. */
mp_choice mp_choose_entries(mp_evaluation *evaluation, const mp_entries *entries);

/* Return the differences from the base at a level. They belong to the choices. */
const mp_differences *mp_news_of(mp_evaluation *evaluation, mp_level level);
mp_choice mp_choose_news(mp_evaluation *evaluation, mp_level level);
