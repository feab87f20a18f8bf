/* Stacks as texts of a document: as much of them as it lists, and frames that they have in common
 * once. */
#ifndef MP_REPORTS_STACKS_H
#define MP_REPORTS_STACKS_H

#include "compare/dictionary.h"
#include "document/document.h"
#include "query/folding.h"
#include "query/group.h"
#include "query/labels.h"

/* A stack as "name:line", innermost frame first. */
mp_texts mp_stack_texts(mp_document *document, const mp_model *model, mp_frame frame);
/* That of a group of sites, as sites of one line differ by their stack; of other groups none. */
mp_texts mp_group_stack(mp_document *document, const mp_model *model, const mp_group *group,
                        const mp_dimension *dimension);
/* The last frame of a turn, with how much comes again. */
const char *mp_again_text(mp_document *document, const char *frame, mp_turn turn);
/* A stack for people, at most so many lines: what repeats stands in it once. Without `folding`
 * nothing is looked for. */
mp_texts mp_folded_stack(mp_document *document, const mp_model *model, const mp_folding *folding,
                         mp_frame frame, size_t lines);
/* A stack of a digest; `starts`: lines are those at which functions begin. All stacks of a
 * document are of one dictionary, or of one model. */
mp_texts mp_digest_stack_texts(mp_document *document, const mp_dictionary *dictionary,
                               mp_stack_frame frame, bool starts);
/* "name:line" of one frame of it. */
const char *mp_digest_frame_text(mp_document *document, const mp_dictionary *dictionary,
                                 mp_stack_frame frame, bool starts);

#endif
