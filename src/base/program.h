/* Compiled regular expressions: instructions for a virtual machine that follows all alternatives at
 * once. Jumps are relative, so a repetition is compiled by copying its code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mp_step {
    MP_STEP_CHARACTER, /* match the character `x` */
    MP_STEP_ANY,
    MP_STEP_SET,    /* match the bracket expression at offset `x` of the text */
    MP_STEP_CLASS,  /* match a character class; `x`: 'w', 'W', 's', 'S' */
    MP_STEP_ASSERT, /* test the position; `x`: '^', '$', 'b', 'B', '<', '>' */
    MP_STEP_SAVE,   /* save the position in slot `x`: 2n is the start, 2n + 1 the end of group n */
    MP_STEP_JUMP,   /* continue `x` instructions further on */
    MP_STEP_SPLIT,  /* continue at both `x` and `y` */
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

/* Compile an expression. Return false and write a reason of at most `size` bytes if it is malformed
 * or too large. Release with free(program->items) in either case. */
bool mp_program_compile(mp_program *program, const char *text, char *reason, size_t size);
