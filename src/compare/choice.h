/* Which entries the rules of a policy select, with what all of them need made once; and how much
 * looking they may cost. */
#ifndef MP_COMPARE_CHOICE_H
#define MP_COMPARE_CHOICE_H

#include "compare/decide.h"

enum {
    MP_RULES_ANYHOW = 50,      /* so many rules are judged whatever they cost */
    MP_MOST_LOOKED = 50000000, /* others where those before them looked at no more */
};

/* Cached choices for all rules of a policy that is being judged; zero-initialise to start.
 * Everything it was asked about must outlive it; release with mp_choices_free. */
typedef struct mp_choices {
    mp_arena arena;
    struct labelled *lists; /* lists that rules asked for, with their selectors */
    size_t count, capacity;
    mp_differences news[MP_LEVELS]; /* from what is known of the base; made where `has_news` */
    bool has_news[MP_LEVELS];
    uint64_t looked; /* names, or as much work as of so many */
} mp_choices;

void mp_choices_free(mp_choices *choices);

/* Return the text that a selector's pattern is matched against. A method may also be named
 * without its program. */
const char *mp_evaluation_label(mp_evaluation *evaluation, mp_select_by by,
                                const mp_entry_key *key);

/* Elements of a list that a rule selects: their places, ascending, and the labels of the whole
 * list, which live as long as the choices. Release `items` with free(). */
typedef struct mp_choice {
    uint32_t *items;
    size_t count;
    const char *const *labels;
} mp_choice;

mp_choice mp_choose_entries(mp_evaluation *evaluation, const mp_entries *entries);

/* From what is known of the base; the choices' own. */
const mp_differences *mp_news_of(mp_evaluation *evaluation, mp_level level);
mp_choice mp_choose_news(mp_evaluation *evaluation, mp_level level);

#endif
