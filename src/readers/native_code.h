/* Code of native programs in the output of their profilers and checkers: functions with their
 * source lines or their modules. */
#pragma once

#include "readers/stack_builder.h"

/* Set the model and the options of `stacks`, and zero everything else. The user releases
 * `stacks`. */
typedef struct native_code {
    mp_stack_builder stacks;
} native_code;

/* A function, and the line at which it is executed; MP_NO_LINE: unknown. */
typedef struct native_frame {
    mp_symbol_id symbol;
    uint32_t line;
} native_frame;

/* Return the symbol of a function. Without a name ("" or "???") it is named after its module,
 * "[libc.so.6]", because addresses differ from run to run. A slice of length 0 means that the text
 * is unknown. */
mp_symbol_id native_symbol(native_code *code, mp_slice name, mp_slice source, mp_slice module);
/* Return the frame that valgrind prints as "0x1098D5: Cache::fill() (leak.cpp:8)", or
 * "0x48FB7B9: ??? (in /usr/lib/libstdc++.so.6)". */
native_frame native_frame_of_label(native_code *code, mp_slice label);

/* Split "leak.cpp:8", or "leak.rs:8:3" with a column, into a file and a line. Line 0 becomes
 * MP_NO_LINE. Return false if there is no line. */
bool native_split_place(mp_slice place, mp_slice *file, uint32_t *line);
/* Read a decimal number of at most 63 bits from the start of a text, and remove it from the text.
 * Commas between digits are skipped. Return false if there is no number, or it is too large. */
bool native_take_number(mp_slice *text, int64_t *number);
