/* Compiled regular expressions: instructions of a machine that is in many places at once. Jumps
 * are relative, so a repetition can be copied. */
#ifndef MP_BASE_PROGRAM_H
#define MP_BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mp_step {
    MP_STEP_CHARACTER, /* `x` */
    MP_STEP_ANY,
    MP_STEP_SET,    /* that begins at `x` in the text */
    MP_STEP_CLASS,  /* `x`: 'w', 'W', 's', 'S' */
    MP_STEP_ASSERT, /* `x`: '^', '$', 'b', 'B', '<', '>' */
    MP_STEP_SAVE,   /* the place as number `x`: 2 a group, where it begins and ends */
    MP_STEP_JUMP,   /* by `x` */
    MP_STEP_SPLIT,  /* by `x`, and by `y` */
    MP_STEP_MATCH,
} mp_step;

typedef struct mp_instruction {
    mp_step step;
    int32_t x, y;
} mp_instruction;

typedef struct mp_program {
    mp_instruction *items;
    size_t count, capacity;
    const char *text; /* text of the expression, borrowed */
    unsigned groups;
} mp_program;

/* False with a reason. Release with free(program->at), in either case. */
bool mp_program_compile(mp_program *program, const char *text, char *reason, size_t size);

#endif
