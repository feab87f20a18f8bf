/* The code of weighed stacks as other tools have it: texts, functions and places in them by number.
 *
 * Numbers begin at 1 and follow the order in which they are asked for, so that the same recording
 * gives the same file. Texts do nothing to whoever prints them: hidden characters are escaped. */
#ifndef MP_EXPORT_CODE_H
#define MP_EXPORT_CODE_H

#include "base/index.h"
#include "compare/dictionary.h"
#include "query/weights.h"

typedef struct mp_code_function {
    uint32_t name, source, module; /* texts; 0: not known */
    uint32_t start_line;           /* 0: not known */
} mp_code_function;

typedef struct mp_code_place {
    uint32_t function;
    uint32_t line; /* MP_NO_LINE: not known */
} mp_code_place;

/* Zero-initialise all but `weights`; release with mp_code_free. */
typedef struct mp_code {
    const mp_weights *weights;
    mp_dictionary *texts;
    mp_arena scratch;
    mp_code_function *functions; /* from 1 */
    size_t function_count, function_capacity;
    mp_hash_index function_index;
    mp_code_place *places; /* from 1 */
    size_t place_count, place_capacity;
    mp_id_index place_index;
    uint32_t *function_of; /* by frame; 0: nobody asked */
} mp_code;

mp_code mp_code_of(const mp_weights *weights);
void mp_code_free(mp_code *code);

/* The number of a text; 0 for NULL or "". */
uint32_t mp_code_text_id(mp_code *code, const char *text);
/* The function of a frame. */
uint32_t mp_code_function_of(mp_code *code, uint32_t frame);
/* The line that a frame is at where it calls `callee`, a frame below it, or, where that is 0, of
 * what it does itself. MP_NO_LINE: not known. */
uint32_t mp_code_line(const mp_code *code, uint32_t frame, uint32_t callee);
/* The place of both. */
uint32_t mp_code_place_of(mp_code *code, uint32_t frame, uint32_t callee);

#endif
