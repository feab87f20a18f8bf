/* Ranks of stacks, by doubling. Stacks are ranked by the innermost frame, then by the first two
 * frames, by the first four, and so on. The rank of a stack combines the ranks of its two halves;
 * the outer half is the stack of an ancestor. A node in a deep recursion therefore costs the
 * logarithm of its depth. */
#include "query/stack_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"

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
    free(next);
    free(rest);
    free(by_rest);
    free(order);
    free(places);
    return ranks;
}
