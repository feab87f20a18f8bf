/* The parser of a rule: one token at a time, the first fault ends it. */
#ifndef MP_COMPARE_PARSER_H
#define MP_COMPARE_PARSER_H

#include "compare/rule.h"

typedef struct mp_parser {
    mp_arena *arena;
    mp_slice line;
    mp_token now, last; /* the next to be taken; the last that was */
    mp_rule *rule;
    mp_rule_fault *fault;
} mp_parser;

void mp_parser_advance(mp_parser *parser);
/* Whether this word or sign stands here; then it is taken. */
bool mp_parser_take(mp_parser *parser, const char *text);
/* The token behind `now`. */
mp_token mp_parser_next(const mp_parser *parser);

/* Both give false. What stands here is not `what`. */
bool mp_parser_expected(mp_parser *parser, const char *what);
bool mp_parser_fault(mp_parser *parser, mp_token token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
