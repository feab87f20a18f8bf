/* Stack crawls and types. Millions of lines repeat a few thousand distinct crawls. So the crawl of
 * each line is hashed to 128 bits, and only distinct crawls are split into frames. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "readers/taligent.h"

void taligent_names_free(taligent_names *names)
{
    mp_arena_free(&names->texts);
    mp_hash_index_free(&names->type_index);
    mp_id_index_free(&names->symbol_index);
    mp_hash_index_free(&names->crawl_index);
    mp_id_index_free(&names->node_index);
    free(names->first_nodes);
    free(names->crawls);
    free(names->types);
    *names = (taligent_names){0};
}

static mp_symbol_id symbol_of(taligent_names *names, mp_slice frame)
{
    mp_model *model = names->model;
    const mp_string_id name = mp_model_intern(model, frame);
    uint32_t *found = mp_id_index_put(&names->symbol_index, name.i);
    if (!*found) {
        mp_symbol *symbol = MP_ADD(&model->symbols);
        symbol->name = name;
        symbol->allocator = mp_is_allocator(names->options, mp_model_text(model, name));
        *found = model->symbols.count - 1;
    }
    return (mp_symbol_id){*found};
}

static mp_node_id node_of(taligent_names *names, mp_node_id parent, mp_slice frame)
{
    mp_model *model = names->model;
    mp_symbol_id symbol = symbol_of(names, frame);
    MP_EXTEND(names->first_nodes, names->symbol_count, names->symbol_capacity, symbol.i + 1u);
    uint32_t *place = &names->first_nodes[symbol.i];
    if (*place && model->nodes.items[*place].parent.i != parent.i)
        place = mp_id_index_put(&names->node_index, (uint64_t)parent.i << 32 | symbol.i);
    if (!*place) {
        mp_node *node = MP_ADD(&model->nodes);
        *node = (mp_node){.parent = parent, .symbol = symbol, .line = MP_NO_LINE, .defined = true};
        *place = model->nodes.count - 1;
    }
    return (mp_node_id){*place};
}

static bool ends_in_operator(mp_slice frame)
{
    static const char word[] = "operator";
    size_t length = sizeof word - 1;
    if (frame.length < length || memcmp(frame.start + frame.length - length, word, length) != 0)
        return false;
    if (frame.length == length)
        return true;
    char before = frame.start[frame.length - length - 1];
    return !(before == '_' || (before >= '0' && before <= '9') ||
             ((before | 32) >= 'a' && (before | 32) <= 'z'));
}

/* Return the number of bars after `operator` that belong to its name. If arguments follow, all of
 * them do: operator|(int), operator||(int), operator|=(int). Otherwise the last one of several bars
 * separates two frames. */
static size_t bars_of_operator(const char *cursor, const char *end)
{
    size_t bars = 0;
    while (cursor + bars < end && cursor[bars] == '|')
        bars++;
    bool closes = cursor + bars == end || cursor[bars] == '(' || cursor[bars] == '=';
    return closes ? bars : bars - 1;
}

/* The frames of a crawl, in order. */
typedef struct frame_list {
    mp_slice *items;
    size_t count, capacity;
} frame_list;

static void split(mp_slice crawl, frame_list *frames)
{
    const char *start = crawl.start, *end = crawl.start + crawl.length;
    for (const char *cursor = start; cursor <= end; cursor++) {
        if (cursor < end && *cursor != '|')
            continue;
        mp_slice frame = {start, (size_t)(cursor - start)};
        if (cursor < end && ends_in_operator(frame)) {
            size_t bars = bars_of_operator(cursor, end);
            if (bars) {
                cursor += bars - 1;
                continue;
            }
        }
        frame = mp_slice_trim(frame);
        start = cursor + 1;
        if (!frame.length)
            continue;
        *MP_APPEND(frames->items, frames->count, frames->capacity) = frame;
    }
}

static mp_node_id add_crawl(taligent_names *names, mp_slice crawl)
{
    frame_list frames = {0};
    mp_node_id node = {0};
    split(crawl, &frames);
    while (frames.count) /* the last frame is the outermost */
        node = node_of(names, node, frames.items[--frames.count]);
    free(frames.items);
    return node;
}

typedef struct crawl_probe {
    const taligent_names *names;
    mp_fingerprint print;
} crawl_probe;

static bool same_crawl(const void *opaque, uint32_t value)
{
    const crawl_probe *probe = opaque;
    const mp_fingerprint *print = &probe->names->crawls[value].print;
    return print->low == probe->print.low && print->high == probe->print.high;
}

mp_node_id taligent_crawl(taligent_names *names, mp_slice crawl, bool allocates)
{
    if (!crawl.length)
        return (mp_node_id){0};
    crawl_probe probe = {names, mp_fingerprint_of(crawl.start, crawl.length)};
    uint32_t *found =
        mp_hash_index_put(&names->crawl_index, mp_hash64(probe.print.low), same_crawl, &probe);
    if (!*found) {
        *found = (uint32_t)++names->crawl_count;
        mp_grow(&names->crawls, &names->crawl_capacity, *found + 1u, sizeof *names->crawls);
        names->crawls[*found] =
            (taligent_distinct_crawl){.print = probe.print, .node = add_crawl(names, crawl)};
    }
    taligent_distinct_crawl *known = &names->crawls[*found];
    names->allocating += allocates && !known->allocates;
    known->allocates |= allocates;
    return known->node;
}

typedef struct text_probe {
    const taligent_names *names;
    mp_slice text;
} text_probe;

static bool same_type(const void *opaque, uint32_t value)
{
    const text_probe *probe = opaque;
    return mp_slice_equal(probe->names->types[value].text, probe->text);
}

mp_type_id taligent_type(taligent_names *names, mp_slice type)
{
    if (!type.length)
        return (mp_type_id){0};
    text_probe probe = {names, type};
    uint64_t hash = mp_hash_bytes(type.start, type.length);
    uint32_t *found = mp_hash_index_put(&names->type_index, hash, same_type, &probe);
    if (!*found) {
        taligent_distinct_type entry = {
            .text = {mp_arena_copy(&names->texts, type.start, type.length), type.length},
            /* different bytes may become the same text in UTF-8 */
            .type = mp_model_type_named(names->model, mp_model_intern(names->model, type))};
        *found = (uint32_t)++names->type_count;
        mp_grow(&names->types, &names->type_capacity, *found + 1u, sizeof *names->types);
        names->types[*found] = entry;
    }
    return names->types[*found].type;
}
