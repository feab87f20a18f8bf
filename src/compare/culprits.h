/* Causes of a failed rule. */
#ifndef MP_COMPARE_CULPRITS_H
#define MP_COMPARE_CULPRITS_H

#include "compare/decide.h"

/* Find them, if the rule fails. */
void mp_evaluation_find_culprits(mp_evaluation *evaluation);

/* The list that a rule measures. */
mp_level mp_rule_level(const mp_rule *rule);
/* Return true if a measure of new entries counts the difference. */
bool mp_measure_is_new(mp_measure measure, const mp_difference *difference);

#endif
