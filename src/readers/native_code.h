/* Code of native programs as tools of memory print it: functions with their source lines or their
 * modules, and stacks of them. Equal symbols and equal stacks are added to the model once. */
#ifndef MP_READERS_NATIVE_CODE_H
#define MP_READERS_NATIVE_CODE_H

#include "base/index.h"
#include "base/memory.h"
#include "model/build.h"
#include "readers/reader.h"

typedef struct native_code {
    mp_model *model;
    const mp_load_options *options;
    mp_hash_index symbols; /* by name, source and module */
    mp_id_index nodes;     /* by caller, symbol and line of the call */
    mp_arena scratch;
    bool converted; /* a text was not valid UTF-8 */
} native_code;

/* A function, and the line at which it is executed; MP_NO_LINE: unknown. */
typedef struct native_frame {
    mp_symbol_id symbol;
    uint32_t line;
} native_frame;

/* A frame with its callers; node 0: no frame. */
typedef struct native_stack {
    mp_node_id node;
    uint32_t line;
} native_stack;

/* Return the symbol of a function. Without a name ("" or "???") it is named after its module,
 * "[libc.so.6]", because addresses differ from run to run. Slices of length 0: unknown. */
mp_symbol_id native_symbol(native_code *code, mp_slice name, mp_slice source, mp_slice module);
/* Return the frame that valgrind prints as "0x1098D5: Cache::fill() (leak.cpp:8)", or
 * "0x48FB7B9: ??? (in /usr/lib/libstdc++.so.6)". */
native_frame native_frame_of_label(native_code *code, mp_slice label);
/* Return the stack of a frame that is called by a stack. */
native_stack native_called(native_code *code, native_stack caller, native_frame frame);
void native_code_free(native_code *code);

/* Read a decimal number of at most 63 bits from the start of a text, and cut it off. Commas between
 * digits are skipped. Return false if there is none, or it is too large. */
bool native_take_number(mp_slice *text, int64_t *number);

#endif
