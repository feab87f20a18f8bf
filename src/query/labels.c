/* Labels of types, symbols and frames. */
#include "query/labels.h"
#include "base/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *mp_symbol_label(mp_arena *arena, const mp_model *model, mp_symbol_id id)
{
    const mp_symbol *symbol = &model->symbols.items[id.i];
    return symbol->name.i ? mp_model_text(model, symbol->name)
                          : mp_arena_format(arena, "<name %" PRIu64 ">", symbol->number);
}

size_t mp_namespace_length(const char *name)
{
    size_t end = strcspn(name, "<[`,");
    for (; end; end--) {
        if (name[end - 1] == '.')
            return end - 1;
        if (end > 1 && name[end - 1] == ':' && name[end - 2] == ':')
            return end - 2;
    }
    return 0;
}

const char *mp_type_label(mp_arena *arena, const mp_model *model, mp_type_id id)
{
    const mp_type *type = &model->types.items[id.i];
    if (!id.i)
        return "(unknown)";
    return type->name.i ? mp_model_text(model, type->name)
                        : mp_arena_format(arena, "<type %" PRIu64 ">", type->number);
}

const char *mp_tree_label(mp_arena *arena, const mp_model *model, uint32_t node)
{
    const mp_tree_node *tree_node = &model->tree.items[node];
    if (node == 0)
        return "(session)";
    if (tree_node->symbol.i)
        return mp_symbol_label(arena, model, tree_node->symbol);
    return mp_arena_format(arena, "<node %" PRIu64 ">",
                           model->nodes.items[tree_node->node.i].number);
}

uint32_t mp_tree_overload(const mp_model *model, uint32_t node)
{
    const mp_symbol *symbol = &model->symbols.items[model->tree.items[node].symbol.i];
    return symbol->overloaded ? symbol->start_line : 0;
}

const char *mp_tree_told(mp_arena *arena, const mp_model *model, uint32_t node)
{
    const char *name = mp_tree_label(arena, model, node);
    uint32_t start = mp_tree_overload(model, node);
    return start ? mp_arena_format(arena, "%s (from %" PRIu32 ")", name, start) : name;
}

const char *mp_frame_label(mp_arena *arena, const mp_model *model, mp_frame frame)
{
    const char *name = mp_tree_label(arena, model, frame.node);
    if (!frame.node && !frame.line)
        return name; /* neither code nor a line is known */
    if (frame.line != MP_NO_LINE)
        return mp_arena_format(arena, "%s:%" PRId32, name, (int32_t)frame.line);
    uint32_t start_line = model->symbols.items[model->tree.items[frame.node].symbol.i].start_line;
    return start_line ? mp_arena_format(arena, "%s (from %" PRIu32 ")", name, start_line) : name;
}

/* Blocks that are older than the log have no inference. */
const mp_inference *mp_context_inference(const mp_model *model, const mp_context *context)
{
    bool inferred = model->events && model->events->inference && !context->old;
    return inferred ? &model->events->inference[context->node.i] : NULL;
}

mp_type_id mp_context_type(const mp_model *model, const mp_context *context)
{
    return context->type.i ? context->type : mp_site_type(model, context);
}

mp_type_id mp_site_type(const mp_model *model, const mp_context *context)
{
    const mp_inference *inference = mp_context_inference(model, context);
    return inference ? inference->type : context->type;
}

mp_frame mp_frame_naming(const mp_model *model, mp_frame frame)
{
    const mp_tree_node *last = &model->tree.items[model->tree.items[frame.node].allocators];
    return last->parent ? (mp_frame){last->parent, last->line} : frame;
}

/* Return the start of the arguments in a function's name; the end of the name if there are none.
 * Template arguments and the parentheses of operator() do not count. */
static const char *arguments_of(const char *name)
{
    int open = 0;
    for (const char *cursor = name; *cursor; cursor++) {
        if (strncmp(cursor, "operator", 8) == 0) {
            cursor += 8 + strspn(cursor + 8, "<>|=-+*/%^&!~,");
            cursor += strncmp(cursor, "()", 2) == 0 ? 2 : 0;
            if (!*cursor)
                return cursor;
        }
        if (*cursor == '(' && open == 0)
            return cursor;
        open += (*cursor == '<') - (*cursor == '>');
    }
    return name + strlen(name);
}

/* Return the length of the class name, which ends before the last "::" outside angle brackets. */
static size_t class_length(const char *name)
{
    const char *end = arguments_of(name);
    int open = 0;
    size_t length = 0;
    for (const char *cursor = name; cursor + 1 < end; cursor++) {
        if (strncmp(cursor, "operator", 8) == 0)
            break;
        open += (*cursor == '<') - (*cursor == '>');
        if (open == 0 && cursor[0] == ':' && cursor[1] == ':' && cursor > name)
            length = (size_t)(cursor - name);
    }
    return length;
}

const char *mp_class_label(mp_arena *arena, const mp_model *model, mp_frame frame)
{
    frame = mp_frame_naming(model, frame);
    do {
        const mp_symbol *symbol = &model->symbols.items[model->tree.items[frame.node].symbol.i];
        const char *name = mp_model_text(model, symbol->owner.i ? symbol->owner : symbol->name);
        size_t length = symbol->owner.i ? strlen(name) : class_length(name);
        if (length)
            return mp_arena_copy(arena, name, length);
    } while (mp_frame_caller(model, &frame));
    return NULL;
}

bool mp_frame_caller(const mp_model *model, mp_frame *frame)
{
    const mp_tree_node *tree_node = &model->tree.items[frame->node];
    if (frame->node == 0 || tree_node->parent == 0)
        return false;
    *frame = (mp_frame){tree_node->parent, tree_node->line};
    return true;
}

/* --- order of stacks ---
 *
 * Stacks are ranked by doubling: by the innermost frame, then by the first two frames, by the first
 * four, and so on. The rank of a stack combines the ranks of its two halves; the outer half is the
 * stack of an ancestor. A node in a deep recursion therefore costs the logarithm of its depth. */

/* Frame of a caller. Many nodes share it. */
typedef struct caller {
    const char *label;
    uint32_t number;
} caller;

static int by_label(const void *left, const void *right)
{
    return strcmp(((const caller *)left)->label, ((const caller *)right)->label);
}

/* Return the ranks of all nodes by their innermost caller; 0: no caller. */
static uint32_t *first_ranks(const mp_model *model)
{
    const mp_tree_node *nodes = model->tree.items;
    const uint32_t count = model->tree.count;
    const uint64_t nameless = (uint64_t)1 << 63;
    uint32_t *ranks = mp_alloc_zero(count, sizeof *ranks);
    mp_id_index numbers = {0};
    mp_arena labels = {0};
    caller *callers = NULL;
    size_t caller_count = 0, capacity = 0;
    for (uint32_t i = 1; i < count; i++) {
        const mp_tree_node *parent = &nodes[nodes[i].parent];
        if (!nodes[i].parent)
            continue;
        uint64_t who = parent->symbol.i ? (uint64_t)parent->symbol.i << 32
                                        : nameless | (uint64_t)nodes[i].parent << 32;
        uint32_t *number = mp_id_index_put(&numbers, who | nodes[i].line);
        if (!*number) {
            *number = (uint32_t)caller_count + 1;
            mp_grow(&callers, &capacity, caller_count + 1, sizeof *callers);
            mp_frame frame = {nodes[i].parent, nodes[i].line};
            callers[caller_count++] = (caller){mp_frame_label(&labels, model, frame), *number};
        }
        ranks[i] = *number;
    }
    uint32_t *rank_of = mp_alloc_zero(caller_count + 1, sizeof *rank_of);
    if (caller_count)
        qsort(callers, caller_count, sizeof *callers, by_label);
    for (size_t i = 0; i < caller_count; i++) {
        bool same = i && strcmp(callers[i - 1].label, callers[i].label) == 0;
        rank_of[callers[i].number] = same ? rank_of[callers[i - 1].number] : (uint32_t)i + 1;
    }
    for (uint32_t i = 1; i < count; i++)
        ranks[i] = rank_of[ranks[i]];
    free(rank_of);
    free(callers);
    mp_arena_free(&labels);
    mp_id_index_free(&numbers);
    return ranks;
}

/* Sort nodes by key into `to` with a stable counting sort. `from` has the nodes (NULL: all nodes,
 * by number). The key of a node is key_of[node] or, if `by` is given, key_of[by[node]]; keys are
 * less than `count`. */
static void order_by(const uint32_t *from, uint32_t *to, const uint32_t *key_of, const uint32_t *by,
                     uint32_t *places, uint32_t count)
{
    memset(places, 0, ((size_t)count + 1) * sizeof *places);
    for (uint32_t i = 0; i < count; i++)
        places[key_of[by ? by[i] : i] + 1]++;
    for (uint32_t i = 1; i <= count; i++)
        places[i] += places[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = from ? from[i] : i;
        to[places[key_of[by ? by[node] : node]]++] = node;
    }
}

uint32_t *mp_stack_ranks(const mp_model *model)
{
    const uint32_t count = model->tree.count;
    uint32_t *ranks = first_ranks(model), *next = mp_alloc(count * sizeof *next);
    /* start of the second half of each node's stack */
    uint32_t *rest = mp_alloc(count * sizeof *rest);
    uint32_t *by_rest = mp_alloc(count * sizeof *by_rest), *order = mp_alloc(count * sizeof *order);
    uint32_t *places = mp_alloc(((size_t)count + 1) * sizeof *places);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        rest[i] = model->tree.items[i].parent;
        longest = model->tree.items[i].depth > longest ? model->tree.items[i].depth : longest;
    }
    for (uint32_t frames = 1; frames < longest; frames *= 2) {
        order_by(NULL, by_rest, ranks, rest, places, count);
        order_by(by_rest, order, ranks, NULL, places, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index = order[i], before = i ? order[i - 1] : index;
            bool same = ranks[index] == ranks[before] && ranks[rest[index]] == ranks[rest[before]];
            next[index] = i && !same ? i : i ? next[before] : 0;
        }
        uint32_t *swap = ranks;
        ranks = next;
        next = swap;
        for (uint32_t i = count;
             i-- > 0;) /* from the leaves up, so that ancestors still have the previous value */
            rest[i] = rest[rest[i]];
    }
    MP_FREE(next, rest, by_rest, order, places);
    return ranks;
}
