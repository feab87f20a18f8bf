/* Stacks of a recording that names the frames of each stack. Each symbol and each call-tree node is
 * created once. */
#pragma once

#include "base/index.h"
#include "model/build.h"
#include "readers/reader.h"

/* The innermost frame of a stack. Zero it to get the caller of all. */
typedef struct mp_stack_frame {
    mp_node_id node;
    uint32_t line; /* line that runs in this frame; MP_NO_LINE: unknown */
} mp_stack_frame;

/* Set `model` and `options`, and zero all other members. Release with mp_stack_builder_free. */
typedef struct mp_stack_builder {
    mp_model *model;
    const mp_load_options *options;
    mp_id_index symbols; /* maps the hash of a name, source, start line and module to the symbol */
    mp_id_index nodes;   /* maps the hash of a parent, symbol and line to the node */
} mp_stack_builder;

/* Return the name of code without debug information, which is its file: "[libstdc++.so.6]".
 * Addresses would differ from run to run. Module 0: unknown. */
mp_string_id mp_stack_module_name(const mp_stack_builder *builder, mp_string_id module);
/* Return the symbol with this name, source, start line and module. Create it when it is first
 * used. */
mp_symbol_id mp_stack_symbol(mp_stack_builder *builder, mp_symbol wanted);
/* Return the symbol of code that has only an address. It is named after the offset in its module,
 * which is the same in every run, or after the address if the offset is unknown. */
mp_symbol_id mp_stack_address(mp_stack_builder *builder, mp_string_id module, bool has_offset,
                              uint64_t address);
/* Replace *frame by a function that it calls. `line` is the line that this function runs. */
void mp_stack_call(mp_stack_builder *builder, mp_stack_frame *frame, mp_symbol_id symbol,
                   uint32_t line);
void mp_stack_builder_free(mp_stack_builder *builder);
