/* The grammar of one rule. */
#ifndef MP_COMPARE_RULE_H
#define MP_COMPARE_RULE_H

#include "compare/policy.h"
#include "compare/tokens.h"

/* What is wrong with a rule, and where. */
typedef struct mp_rule_fault {
    const char *at;      /* in the line */
    const char *message; /* in the arena */
} mp_rule_fault;

/* Parse the rule in a line that has one. Texts of it are in the arena. False with a fault. */
bool mp_rule_parse(mp_arena *arena, mp_slice line, mp_rule *rule, mp_rule_fault *fault);

#endif
