/* Stacks as texts of a document, cut to the length that the document lists. Frames that several
 * stacks share are stored once. */
#pragma once

#include "compare/dictionary.h"
#include "document/document.h"
#include "query/folding.h"
#include "query/group.h"
#include "query/labels.h"

/* Return a stack as "name:line", innermost frame first. */
mp_texts mp_stack_texts(mp_document *document, const mp_model *model, mp_frame frame);
/* Return the stack of a group if groups are sites, because sites at the same line differ only in
 * their stacks. For other groups, return an empty list. */
mp_texts mp_group_stack(mp_document *document, const mp_model *model, const mp_group *group,
                        const mp_dimension *dimension);
/* Return the last frame of a turn of recursion, with the number of repeated frames. */
const char *mp_again_text(mp_document *document, const char *frame, mp_turn turn);
/* Return a stack for people, with at most `lines` lines, that shows repeated recursion once. If
 * `folding` is NULL, recursion is not looked for. */
mp_texts mp_folded_stack(mp_document *document, const mp_model *model, const mp_folding *folding,
                         mp_frame frame, size_t lines);
/* Return a stack of a digest. With `starts`, lines are the first lines of functions. All stacks of
 * a document must be from one dictionary, or from one model. */
mp_texts mp_digest_stack_texts(mp_document *document, const mp_dictionary *dictionary,
                               mp_stack_frame frame, bool starts);
/* Return "name:line" of one frame of a digest. */
const char *mp_digest_frame_text(mp_document *document, const mp_dictionary *dictionary,
                                 mp_stack_frame frame, bool starts);
