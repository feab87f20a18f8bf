/* Functions in profiles of V8: call frames of the Chrome DevTools Protocol, in JSON. */
#pragma once

#include "input/json_cursor.h"
#include "readers/stack_builder.h"

/* Set `stacks`, and zero all other members. The user releases `stacks`. */
typedef struct v8_code {
    mp_stack_builder stacks;
    const char *wrong; /* what is malformed; NULL: nothing in particular */
} v8_code;

/* Note what is wrong, and return false. The text must be static. */
bool v8_refuse(v8_code *code, const char *wrong);
/* Read {"functionName":"serve","url":"file:///app.js","lineNumber":9, ...} and set *symbol to the
 * function. Return false if it is malformed. */
bool v8_call_frame(v8_code *code, mp_json_cursor *json, mp_symbol_id *symbol);
/* Report that a file could not be read to its end, and the reason. */
void v8_tell_malformed(const v8_code *code, mp_json_cursor *json, mp_diagnostics *diagnostics,
                       const char *path);
