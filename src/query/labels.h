/* What things of the model are called, and walks along stacks.
 *
 * Labels return their whole length and write what fits, as snprintf does; NULL and 0 ask for the
 * length. */
#ifndef MP_QUERY_LABELS_H
#define MP_QUERY_LABELS_H

#include "model/events.h"
#include "model/model.h"

/* To go on behind `used` characters. */
char *mp_label_rest(char *text, size_t size, int used);
size_t mp_label_room(size_t size, int used);

/* The type of a context's objects: of living blocks of an event log, the one that is inferred; and
 * the one type by which an allocation site is called. None: not known. */
mp_type_id mp_context_type(const mp_model *model, const mp_context *context);
mp_type_id mp_site_type(const mp_model *model, const mp_context *context);
/* How sure the latter is; NULL: the recording tells it. The model's own. */
const mp_inference *mp_context_inference(const mp_model *model, const mp_context *context);

/* The source of a tree node, "(session)" for 0, "<node 7>" if nothing is known of it. */
int mp_tree_label(const mp_model *model, uint32_t node, char *text, size_t size);
/* The name of a symbol; "<name 12>" if it was never defined. */
int mp_symbol_label(const mp_model *model, mp_symbol_id symbol, char *text, size_t size);
int mp_type_label(const mp_model *model, mp_type_id type, char *text, size_t size);

/* A walk along a stack, innermost frame first: start with the node and line of creation. */
typedef struct mp_frame {
    uint32_t node;
    uint32_t line;
} mp_frame;
/* "name:line" of the frame. */
int mp_frame_label(const mp_model *model, mp_frame frame, char *text, size_t size);
/* The caller's frame; false at the root. */
bool mp_frame_caller(const mp_model *model, mp_frame *frame);
/* The innermost frame that is not an allocator's own; the frame itself where all are. */
mp_frame mp_frame_naming(const mp_model *model, mp_frame frame);
/* The class of the innermost member function ("TList<int>" of "TList<int>::Add(int)") on the stack
 * above `frame`; 0: none is. */
int mp_class_label(const mp_model *model, mp_frame frame, char *text, size_t size);

#endif
