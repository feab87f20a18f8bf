/* Construction of the call tree: the nodes of all files are merged into one tree without
 * duplicates.
 *
 * Files number nodes in any order, and refer to nodes before they define them. Several recordings
 * of one program have the same stacks. Two nodes are equal if they have equal parents and call
 * lines, and their symbols have equal names and start lines. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/diagnose.h"
#include "model/build.h"

typedef struct tree_probe {
    const mp_model *model;
    mp_tree_node node;
} tree_probe;

static bool same_symbol(const mp_model *model, mp_symbol_id a, mp_symbol_id b)
{
    const mp_symbol *x = &model->symbols.items[a.i], *y = &model->symbols.items[b.i];
    if (a.i == b.i)
        return true;
    return x->name.i && x->name.i == y->name.i && x->start_line == y->start_line;
}

static bool same_node(const void *opaque, uint32_t value)
{
    const tree_probe *probe = opaque;
    const mp_tree_node *a = &probe->model->tree.items[value], *b = &probe->node;
    if (!a->symbol.i && a->node.i != b->node.i)
        return false; /* undefined nodes have no properties to compare */
    return a->parent == b->parent && a->line == b->line &&
           same_symbol(probe->model, a->symbol, b->symbol);
}

static inline uint64_t hash_of(const mp_model *model, const mp_tree_node *node)
{
    const mp_symbol *symbol = &model->symbols.items[node->symbol.i];
    /* Identify nodes without a name by their own numbers, as the comparison above does. */
    uint64_t id = symbol->name.i   ? mp_joined(symbol->name.i, symbol->start_line)
                  : node->symbol.i ? node->symbol.i
                                   : mp_joined(node->node.i, 0);
    return mp_hash_pair(id, mp_joined(node->parent, node->line));
}

static uint32_t tree_put(mp_model *model, mp_hash_index *index, mp_tree_node node)
{
    const mp_symbol *symbol = &model->symbols.items[node.symbol.i];
    uint64_t hash = hash_of(model, &node);
    tree_probe probe = {model, node};
    uint32_t *found = mp_hash_index_put(index, hash, same_node, &probe);
    if (!*found) {
        assert(node.parent < model->tree.count); /* parents come before their children */
        const mp_tree_node *parent = &model->tree.items[node.parent];
        node.depth = parent->depth + 1;
        if (symbol->allocator)
            node.allocators = parent->allocators ? parent->allocators : model->tree.count;
        *MP_ADD(&model->tree) = node;
        *found = model->tree.count - 1;
    }
    return *found;
}

static void mark_overloads(mp_model *model)
{
    mp_id_index first_of = {0};          /* first symbol of each name */
    for (int pass = 0; pass < 2; pass++) /* the second pass marks earlier symbols */
        for (uint32_t i = 1; i < model->symbols.count; i++) {
            mp_symbol *symbol = &model->symbols.items[i];
            if (!symbol->name.i)
                continue;
            uint32_t *first = mp_id_index_put(&first_of, symbol->name.i);
            *first = *first ? *first : i;
            mp_symbol *other = &model->symbols.items[*first];
            other->overloaded |= other->start_line != symbol->start_line;
            symbol->overloaded |= other->overloaded;
        }
    mp_id_index_free(&first_of);
}

/* Mark methods that objects of several classes ran. */
static void mark_inherited(const mp_profile *profile)
{
    mp_key_index first_of = {0};         /* first module of each method */
    for (int pass = 0; pass < 2; pass++) /* the second pass marks earlier modules */
        for (uint32_t i = 1; i < profile->modules.count; i++) {
            mp_module *module = &profile->modules.items[i];
            if (module->number == 0)
                continue;
            const uint32_t method[] = {module->program.i, module->method.i, module->start_line};
            uint32_t *first = mp_key_index_put(&first_of, method, sizeof method);
            *first = *first ? *first : i;
            mp_module *other = &profile->modules.items[*first];
            other->run_by_several |= other->runtime.i != module->runtime.i;
            module->run_by_several |= other->run_by_several;
        }
    mp_key_index_free(&first_of);
}

/* Return the node of the tree for a node of a file, below this parent. */
static mp_tree_node tree_node(const mp_model *model, uint32_t id, uint32_t parent)
{
    const mp_node *node = &model->nodes.items[id];
    return (mp_tree_node){
        .parent = parent, .symbol = node->symbol, .line = node->line, .node = {id}};
}

/* Prefetch what is needed to put a node into the tree. Most files name a node's parent first. It is
 * always inline, because a compiler may drop calls of a function that only prefetches. */
__attribute__((always_inline)) static inline void fetch(const mp_model *model,
                                                        const mp_hash_index *index, uint32_t id)
{
    const mp_tree_node node = tree_node(model, id, model->tree_of[model->nodes.items[id].parent.i]);
    __builtin_prefetch(mp_hash_index_home(index, hash_of(model, &node)), 1);
}

void mp_model_build_tree(mp_model *model, mp_diagnostics *diagnostics)
{
    enum { AHEAD = 16 };
    const uint32_t on_the_way = UINT32_MAX;
    mp_hash_index index = {0};
    uint32_t nodes = model->nodes.count;
    uint32_t *way = mp_alloc_zero((size_t)nodes + 1, sizeof *way);
    model->tree_of = mp_alloc_zero((size_t)nodes + 1, sizeof *model->tree_of);
    mp_hash_index_reserve(&index, nodes);
    mark_overloads(model);
    if (model->profile)
        mark_inherited(model->profile);
    for (uint32_t first = 1; first < nodes; first++) {
        size_t length = 0;
        uint32_t position = first;
        if (nodes - first > AHEAD)
            fetch(model, &index, first + AHEAD);
        while (position && !model->tree_of[position]) {
            model->tree_of[position] = on_the_way;
            way[length++] = position;
            position = model->nodes.items[position].parent.i;
        }
        uint32_t parent = model->tree_of[position];
        if (parent == on_the_way) {
            mp_diagnose(diagnostics, MP_DIAG_NODE_CYCLE, NULL, 0,
                        "call-tree node %" PRIu64 " is its own caller; the stack ends there",
                        model->nodes.items[position].number);
            parent = 0;
        }
        while (length) {
            uint32_t id = way[--length];
            parent = tree_put(model, &index, tree_node(model, id, parent));
            model->tree_of[id] = parent;
        }
    }
    mp_hash_index_free(&index);
    free(way);
}

void mp_model_drop_tree(mp_model *model)
{
    free(model->tree_of);
    model->tree_of = NULL;
    model->tree.count = 1;
}
