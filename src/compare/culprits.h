/* What is behind a rule that fails, and how entries are named and selected by rules. */
#ifndef MP_COMPARE_CULPRITS_H
#define MP_COMPARE_CULPRITS_H

#include "compare/decide.h"

/* Find them, if the rule fails. */
void mp_evaluation_find_culprits(mp_evaluation *evaluation);

/* What a selector's pattern is held against. */
const char *mp_evaluation_label(mp_evaluation *evaluation, mp_select_by by,
                                const mp_entry_key *key);
/* Whether the rule takes an entry of this label. A method may be named without its program. */
bool mp_evaluation_selects(mp_evaluation *evaluation, const mp_entry_key *key, const char *label);
/* The list that a rule measures. */
mp_level mp_rule_level(const mp_rule *rule);
/* Whether a measure of what is new counts it. */
bool mp_measure_is_new(mp_measure measure, const mp_difference *difference);

#endif
