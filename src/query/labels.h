/* Labels of types, symbols and frames, and walks along stacks. Labels belong to the model or to the
 * arena. */
#pragma once

#include "base/memory.h"
#include "model/events.h"
#include "model/model.h"

/* Return the type of a context's objects, which is inferred for live blocks of an event log
 * (mp_context_type), or the type that names their allocation site (mp_site_type). 0: unknown. */
mp_type_id mp_context_type(const mp_model *model, const mp_context *context);
mp_type_id mp_site_type(const mp_model *model, const mp_context *context);
/* Return how the type of the site was inferred; NULL: it is recorded. Belongs to the model. */
const mp_inference *mp_context_inference(const mp_model *model, const mp_context *context);

/* Return the name of the source or function of a tree node; "(session)" for node 0, "<node 7>" if
 * it is unknown. */
const char *mp_tree_label(mp_arena *arena, const mp_model *model, uint32_t node);
/* Return the same name, with the first line of the function if several functions have this name:
 * "save X (from 20)". */
const char *mp_tree_told(mp_arena *arena, const mp_model *model, uint32_t node);
/* Return the first line of a node's function if other functions have the same name; otherwise 0. */
uint32_t mp_tree_overload(const mp_model *model, uint32_t node);
/* Return the name of a symbol; "<name 12>" if it was never defined. */
const char *mp_symbol_label(mp_arena *arena, const mp_model *model, mp_symbol_id symbol);
const char *mp_type_label(mp_arena *arena, const mp_model *model, mp_type_id type);
/* Return the length of the namespace in a type's name, which ends at the last "." or "::" before
 * the first of the characters <, [, ` and comma; 0: none. */
size_t mp_namespace_length(const char *name);

/* Position on a stack. A walk begins at the innermost frame, with the node and line of creation. */
typedef struct mp_frame {
    uint32_t node;
    uint32_t line;
} mp_frame;
/* Default maximum of callers of a frame in JSON and CSV. Ordinary code has fewer, and deep
 * recursion cannot make the output much larger than the recording. */
enum { MP_PROGRAM_CALLERS = 64 };
/* Return the label of a frame: "name:line"; "name (from line)" if only the first line of the
 * function is known; "name" if no line is known. */
const char *mp_frame_label(mp_arena *arena, const mp_model *model, mp_frame frame);
/* Move to the frame of the caller. Return false at the outermost frame. */
bool mp_frame_caller(const mp_model *model, mp_frame *frame);
/* Return the first frame, from this one outwards, that is not an allocator; if all are allocators,
 * return this frame. */
mp_frame mp_frame_naming(const mp_model *model, mp_frame frame);
/* Return the class of the innermost member function on the stack from `frame` outwards, such as
 * "TList<int>" of "TList<int>::Add(int)"; NULL: none. */
const char *mp_class_label(mp_arena *arena, const mp_model *model, mp_frame frame);

/* --- order of stacks --- */

/* Return, for each node of the call tree, the rank of its stack of callers among all nodes; equal
 * stacks have equal ranks. Release with free(). */
uint32_t *mp_stack_ranks(const mp_model *model);
