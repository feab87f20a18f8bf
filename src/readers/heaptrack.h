/* The heaptrack reader: strings, code and allocations that the events of a file refer to. */
#pragma once

#include "readers/reader.h"
#include "readers/replay.h"
#include "readers/stack_builder.h"

/* Maximum number of frames in a stack, and of inlined functions at an address. */
enum { HEAPTRACK_FRAMES = 4096, HEAPTRACK_INLINED = 64 };

/* A frame: a function, and the line that is executed in it; MP_NO_LINE: unknown. */
typedef struct heaptrack_frame {
    mp_symbol_id symbol;
    uint32_t line;
} heaptrack_frame;

/* An address of code: a range of frames, innermost first. */
typedef struct heaptrack_address {
    uint32_t first, count;
} heaptrack_address;

/* A stack: the node and line of its innermost frame. */
typedef struct heaptrack_stack {
    mp_node_id node;
    uint32_t line, depth;
    bool allocates; /* an allocation refers to it */
} heaptrack_stack;

/* A kind of blocks: blocks of one size that one stack allocates. */
typedef struct heaptrack_kind {
    int64_t bytes; /* -1: the line is damaged */
    uint32_t stack;
    uint32_t alive; /* number of its blocks that are alive */
} heaptrack_kind;

/* The tables of a file, numbered as in the file: kinds from 0, all others from 1. */
typedef struct heaptrack_tables {
    mp_string_id *strings;
    heaptrack_frame *frames;
    heaptrack_address *addresses;
    heaptrack_stack *stacks;
    heaptrack_kind *kinds;
    size_t string_count, frame_count, address_count, stack_count, kind_count;
    size_t string_capacity, frame_capacity, address_capacity, stack_capacity, kind_capacity;
    mp_stack_builder code; /* symbols, and frames with the numbers of the file */
    uint32_t allocating;   /* number of stacks that allocate */
    uint64_t cut_stacks;
} heaptrack_tables;

/* The state of one pass over one file. */
typedef struct heaptrack_pass {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    const char *path;
    mp_input *input;
    mp_replay replay;
    heaptrack_tables tables;
    uint64_t version;
    int64_t time_us;
    bool ended; /* the line that must end the file was read */
} heaptrack_pass;

/* Report a problem of the current line. */
void heaptrack_say(heaptrack_pass *pass, mp_diagnostic_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the entry that a line defines; `text` is the line without its first letter and blank. A
 * damaged line also adds an entry, so that entries after it keep their numbers. */
void heaptrack_add_string(heaptrack_pass *pass, mp_slice text);
void heaptrack_add_address(heaptrack_pass *pass, mp_slice text);
void heaptrack_add_stack(heaptrack_pass *pass, mp_slice text);
void heaptrack_add_kind(heaptrack_pass *pass, mp_slice text);
void heaptrack_tables_free(heaptrack_tables *tables);
