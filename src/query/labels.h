/* Labels of things in the model, and walks along stacks. Labels are texts of the model, or are
 * written into the arena. */
#ifndef MP_QUERY_LABELS_H
#define MP_QUERY_LABELS_H

#include "base/memory.h"
#include "model/events.h"
#include "model/model.h"

/* The type of a context's objects: of living blocks of an event log, the one that is inferred; and
 * the one type by which an allocation site is called. None: not known. */
mp_type_id mp_context_type(const mp_model *model, const mp_context *context);
mp_type_id mp_site_type(const mp_model *model, const mp_context *context);
/* How sure the latter is; NULL: the recording tells it. The model's own. */
const mp_inference *mp_context_inference(const mp_model *model, const mp_context *context);

/* The source of a tree node, "(session)" for 0, "<node 7>" if nothing is known of it. */
const char *mp_tree_label(mp_arena *arena, const mp_model *model, uint32_t node);
/* The same, with the line that it begins at where the name is that of several: "save X (from
 * 20)". */
const char *mp_tree_told(mp_arena *arena, const mp_model *model, uint32_t node);
/* The name for people of code that profiles name with two classes, the one that defines it and the
 * one it ran for, which mostly are one: "save shop.Order" of "save shop.Order shop.Order". */
const char *mp_name_told(mp_arena *arena, const char *name);
/* The line of which that speaks, or 0. */
uint32_t mp_tree_overload(const mp_model *model, uint32_t node);
/* The name of a symbol; "<name 12>" if it was never defined. */
const char *mp_symbol_label(mp_arena *arena, const mp_model *model, mp_symbol_id symbol);
const char *mp_type_label(mp_arena *arena, const mp_model *model, mp_type_id type);
/* The length of the namespace in a type's name: up to the last "." or "::" before any of < [ ` and
 * , 0: it has none. */
size_t mp_namespace_length(const char *name);

/* A walk along a stack, innermost frame first: start with the node and line of creation. */
typedef struct mp_frame {
    uint32_t node;
    uint32_t line;
} mp_frame;
/* Callers of an innermost frame that JSON and CSV have where nobody asks for more or fewer: more
 * than code that people write calls, and so few that a recursion with an object on each level is
 * told in about the size of its recording. */
enum { MP_PROGRAM_CALLERS = 64 };
/* "name:line" of the frame; "name (from line)" where the file tells no more than the line at which
 * a function begins; "name" where it does not tell that. */
const char *mp_frame_label(mp_arena *arena, const mp_model *model, mp_frame frame);
/* The caller's frame; false at the root. */
bool mp_frame_caller(const mp_model *model, mp_frame *frame);
/* The innermost frame that is not an allocator's own; the frame itself where all are. */
mp_frame mp_frame_naming(const mp_model *model, mp_frame frame);
/* The class of the innermost member function ("TList<int>" of "TList<int>::Add(int)") on the stack
 * above `frame`; NULL: none is. */
const char *mp_class_label(mp_arena *arena, const mp_model *model, mp_frame frame);

#endif
