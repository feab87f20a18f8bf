#include "reports/stacks.h"

#include <inttypes.h>

#include "base/text.h"
#include "reports/sections.h"

/* Allocate a list for a stack of `whole` frames. It has at most as many frames as the document
 * lists. */
static mp_texts room_for(mp_document *document, size_t whole, const char ***frames)
{
    size_t count = document->frames && document->frames < whole ? document->frames : whole;
    *frames = mp_arena_alloc(document->arena, count * sizeof **frames);
    return (mp_texts){
        .items = *frames, .count = count, .whole = count < whole ? whole : 0, .kept = true};
}

/* Return the text of a caller's frame. It is made once, and all frames below the call share it. */
static const char *caller_text(mp_document *document, const mp_model *model, uint32_t called)
{
    const mp_tree_node *tree_node = &model->tree.items[called];
    const char **kept = mp_document_kept(document, called);
    if (!*kept)
        *kept = mp_utf8_copy(
            document->arena,
            mp_frame_text(document, model, (mp_frame){tree_node->parent, tree_node->line}));
    return *kept;
}

mp_texts mp_stack_texts(mp_document *document, const mp_model *model, mp_frame frame)
{
    const char **frames;
    if (!frame.node) /* people read that no code created the objects; programs get an empty stack */
        return (mp_texts){.empty = "(session)"};
    mp_texts stack = room_for(document, model->tree.items[frame.node].depth, &frames);
    frames[0] = mp_utf8_copy(document->arena, mp_frame_text(document, model, frame));
    for (size_t i = 1; i < stack.count; i++) {
        frames[i] = caller_text(document, model, frame.node);
        frame.node = model->tree.items[frame.node].parent;
    }
    return stack;
}

mp_texts mp_group_stack(mp_document *document, const mp_model *model, const mp_group *group,
                        const mp_dimension *dimension)
{
    const mp_context *context =
        &model->contexts.items[model->generations.items[group->example.i].context.i];
    return dimension == mp_dimension_find("site")
               ? mp_stack_texts(document, model, (mp_frame){group->node, context->line})
               : (mp_texts){.items = NULL};
}

const char *mp_again_text(mp_document *document, const char *frame, mp_turn turn)
{
    const char *again = mp_count_text(document, turn.again);
    return turn.frames == 1
               ? mp_document_text(document, "%s \u2026 %s more of the same", frame, again)
               : mp_document_text(document, "%s \u2026 %s more of the same %" PRIu32 " in turn",
                                  frame, again, turn.frames);
}

mp_texts mp_folded_stack(mp_document *document, const mp_model *model, const mp_folding *folding,
                         mp_frame frame, size_t lines)
{
    if (!frame.node)
        return (mp_texts){.empty = "(session)"};
    const mp_tree_node *nodes = model->tree.items;
    const char **frames = mp_arena_alloc(document->arena, lines * sizeof *frames);
    uint32_t node = frame.node, left = 0; /* left: frames still to print of the current turn */
    mp_turn turn = {0};
    size_t count = 1;
    frames[0] = mp_utf8_copy(document->arena, mp_frame_text(document, model, frame));
    while (count < lines && nodes[node].parent) {
        if (!left && folding) {
            turn = mp_turn_of(folding, node);
            left = turn.frames;
        }
        const char *text = caller_text(document, model, node);
        node = nodes[node].parent;
        if (left && !--left) { /* end of a turn */
            text = mp_again_text(document, text, turn);
            node = turn.end;
        }
        frames[count++] = text;
    }
    const size_t rest = nodes[node].depth - 1;
    return (mp_texts){
        .items = frames, .count = count, .whole = rest ? count + rest : 0, .kept = true};
}

const char *mp_digest_frame_text(mp_document *document, const mp_dictionary *dictionary,
                                 mp_stack_frame frame, bool starts)
{
    const char *name =
        mp_dictionary_text(dictionary, mp_dictionary_frame_at(dictionary, frame.place)->name);
    return frame.line == MP_NO_LINE ? mp_utf8_copy(document->arena, name)
                                    : mp_document_text(document, starts ? "%s (from %d)" : "%s:%d",
                                                       name, (int)(int32_t)frame.line);
}

mp_texts mp_digest_stack_texts(mp_document *document, const mp_dictionary *dictionary,
                               mp_stack_frame frame, bool starts)
{
    const char **frames;
    if (!frame.place)
        return (mp_texts){.empty = "(session)"};
    mp_texts stack =
        room_for(document, mp_dictionary_facts(dictionary, frame.place)->depth, &frames);
    frames[0] = mp_digest_frame_text(document, dictionary, frame, starts);
    for (size_t i = 1; i < stack.count; i++) {
        const mp_frame_key *called = mp_dictionary_frame_at(dictionary, frame.place);
        const char **kept = mp_document_kept(document, frame.place);
        frame = (mp_stack_frame){called->caller, called->line};
        if (!*kept)
            *kept = mp_digest_frame_text(document, dictionary, frame, starts);
        frames[i] = *kept;
    }
    return stack;
}
