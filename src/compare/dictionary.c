/* Dictionary of texts and frames that digests share, and keys made of them. */
#include "compare/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

/* Ranks of the frames in the order of their stacks. They are computed at first use, and again after
 * frames were added. */
typedef struct frame_order {
    uint32_t *ranks; /* rank by frame */
    size_t count;    /* number of frames, including frame 0 */
} frame_order;

struct mp_dictionary {
    mp_arena arena;
    const char **texts; /* numbered from 1 */
    size_t text_count, text_capacity;
    mp_frame_key *frames; /* numbered from 1; callers precede their callees */
    mp_frame_facts *facts;
    size_t frame_count, frame_capacity, fact_capacity;
    mp_hash_index text_index, frame_index;
    frame_order *order;
};

mp_dictionary *mp_dictionary_new(void)
{
    mp_dictionary *dictionary = mp_alloc_zero(1, sizeof *dictionary);
    mp_grow(&dictionary->texts, &dictionary->text_capacity, 1, sizeof *dictionary->texts);
    mp_grow(&dictionary->frames, &dictionary->frame_capacity, 1, sizeof *dictionary->frames);
    mp_grow(&dictionary->facts, &dictionary->fact_capacity, 1, sizeof *dictionary->facts);
    dictionary->order = mp_alloc_zero(1, sizeof *dictionary->order);
    dictionary->texts[0] = "";
    dictionary->frames[0] = (mp_frame_key){0};
    dictionary->facts[0] = (mp_frame_facts){0};
    dictionary->text_count = dictionary->frame_count = 1;
    return dictionary;
}

static void *copy_of(const void *items, size_t count, size_t size)
{
    void *copy = mp_alloc((count ? count : 1) * size);
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

mp_dictionary *mp_dictionary_copy(const mp_dictionary *dictionary)
{
    const size_t texts = dictionary->text_count, frames = dictionary->frame_count;
    mp_dictionary *copy = mp_alloc(sizeof *copy);
    *copy = (mp_dictionary){
        .texts = copy_of(dictionary->texts, texts, sizeof *copy->texts),
        .frames = copy_of(dictionary->frames, frames, sizeof *copy->frames),
        .facts = copy_of(dictionary->facts, frames, sizeof *copy->facts),
        .text_count = texts,
        .text_capacity = texts,
        .frame_count = frames,
        .frame_capacity = frames,
        .fact_capacity = frames,
        .text_index = mp_hash_index_copy(&dictionary->text_index),
        .frame_index = mp_hash_index_copy(&dictionary->frame_index),
        .order = mp_alloc_zero(1, sizeof *copy->order),
    };
    return copy;
}

void mp_dictionary_free(mp_dictionary *dictionary)
{
    if (!dictionary)
        return;
    mp_arena_free(&dictionary->arena);
    MP_FREE(dictionary->texts, dictionary->frames, dictionary->facts, dictionary->order->ranks,
            dictionary->order);
    mp_hash_index_free(&dictionary->text_index);
    mp_hash_index_free(&dictionary->frame_index);
    free(dictionary);
}

typedef struct text_probe {
    const mp_dictionary *dictionary;
    const char *text;
} text_probe;

static bool same_text(const void *opaque, uint32_t value)
{
    const text_probe *probe = opaque;
    return strcmp(probe->dictionary->texts[value], probe->text) == 0;
}

uint32_t mp_dictionary_id(mp_dictionary *dictionary, const char *text)
{
    if (!text || !*text)
        return 0;
    size_t length = strlen(text);
    uint64_t hash = mp_hash_bytes(text, length);
    text_probe probe = {dictionary, text};
    uint32_t *found = mp_hash_index_put(&dictionary->text_index, hash, same_text, &probe);
    const uint32_t known = *found;
    if (known)
        return known;
    mp_grow(&dictionary->texts, &dictionary->text_capacity, dictionary->text_count + 1,
            sizeof *dictionary->texts);
    dictionary->texts[dictionary->text_count] = mp_arena_copy(&dictionary->arena, text, length);
    return *found = (uint32_t)dictionary->text_count++;
}

const char *mp_dictionary_text(const mp_dictionary *dictionary, uint32_t text)
{
    return dictionary->texts[text];
}

typedef struct frame_probe {
    const mp_dictionary *dictionary;
    mp_frame_key frame;
} frame_probe;

static bool same_frame(const void *opaque, uint32_t value)
{
    const frame_probe *probe = opaque;
    const mp_frame_key *a = &probe->dictionary->frames[value], *b = &probe->frame;
    return a->caller == b->caller && a->name == b->name && a->line == b->line;
}

static mp_frame_facts facts_of(const mp_dictionary *dictionary, const mp_frame_key *frame)
{
    mp_frame_facts frame_facts = dictionary->facts[frame->caller];
    frame_facts.depth++;
    frame_facts.lines += (int32_t)frame->line;
    if (!frame->allocator)
        frame_facts.allocators = 0;
    else if (!frame_facts.allocators)
        frame_facts.allocators = (uint32_t)dictionary->frame_count;
    return frame_facts;
}

uint32_t mp_dictionary_frame(mp_dictionary *dictionary, mp_frame_key frame)
{
    uint64_t hash = mp_hash_pair(mp_joined(frame.caller, frame.name), frame.line);
    frame_probe probe = {dictionary, frame};
    uint32_t *found = mp_hash_index_put(&dictionary->frame_index, hash, same_frame, &probe);
    const uint32_t known = *found;
    if (known)
        return known;
    mp_grow(&dictionary->frames, &dictionary->frame_capacity, dictionary->frame_count + 1,
            sizeof *dictionary->frames);
    mp_grow(&dictionary->facts, &dictionary->fact_capacity, dictionary->frame_count + 1,
            sizeof *dictionary->facts);
    dictionary->frames[dictionary->frame_count] = frame;
    dictionary->facts[dictionary->frame_count] = facts_of(dictionary, &frame);
    return *found = (uint32_t)dictionary->frame_count++;
}

uint32_t mp_dictionary_frame_count(const mp_dictionary *dictionary)
{
    return (uint32_t)dictionary->frame_count - 1;
}

const mp_frame_key *mp_dictionary_frame_at(const mp_dictionary *dictionary, uint32_t frame)
{
    return &dictionary->frames[frame];
}

const mp_frame_facts *mp_dictionary_facts(const mp_dictionary *dictionary, uint32_t frame)
{
    return &dictionary->facts[frame];
}

mp_stack_frame mp_dictionary_site(const mp_dictionary *dictionary, mp_stack_frame frame)
{
    const mp_frame_key *last = &dictionary->frames[dictionary->facts[frame.place].allocators];
    return last->caller ? (mp_stack_frame){last->caller, last->line} : frame;
}

/* Find the families in one pass: callers have smaller numbers than their callees. */
uint32_t *mp_key_families(const mp_dictionary *dictionary)
{
    uint32_t *families = mp_alloc_zero(dictionary->frame_count, sizeof *families);
    mp_id_index index = {0};
    for (uint32_t i = 1; i < dictionary->frame_count; i++) {
        const mp_frame_key *frame = &dictionary->frames[i];
        uint64_t key = (uint64_t)families[frame->caller] << 32 | frame->name;
        uint32_t *place = mp_id_index_put(&index, key);
        if (!*place)
            *place = i;
        families[i] = *place;
    }
    mp_id_index_free(&index);
    return families;
}

/* --- amounts --- */

const mp_amount_field mp_amount_fields[MP_AMOUNTS] = {
    {"objects", MP_HAS_LIVE},
    {"bytes", MP_HAS_LIVE},
    {"created_objects", MP_HAS_HISTORY},
    {"created_bytes", MP_HAS_HISTORY},
    {"deleted_objects", MP_HAS_HISTORY},
    {"leaked_objects", MP_HAS_HISTORY},
    {"leaked_bytes", MP_HAS_HISTORY},
    {"retained_bytes", MP_HAS_RETAINED},
    {"exclusive_us", MP_HAS_COSTS | MP_HAS_SAMPLES | MP_HAS_TIMES},
    {"calls", MP_HAS_COSTS},
    {"scoped_bytes", MP_HAS_SCOPED},
    {"accepted_objects", MP_HAS_HISTORY},
    {"accepted_bytes", MP_HAS_HISTORY},
    {NULL, MP_HAS_HISTORY},
};

const char *mp_amount_name(size_t field, unsigned has)
{
    const bool cost = field == offsetof(mp_amounts, exclusive_us) / sizeof(int64_t);
    return cost && has & MP_HAS_SAMPLES ? "samples" : mp_amount_fields[field].name;
}

static bool has_bytes(const mp_amounts *amounts)
{
    return amounts->bytes || amounts->scoped_bytes;
}

mp_amounts mp_amounts_add(mp_amounts a, mp_amounts b)
{
    bool mixed = (a.scoped_bytes || b.scoped_bytes) && has_bytes(&a) && has_bytes(&b);
    if (mixed) {
        a.scoped_bytes = MP_SCOPED_UNKNOWN;
        b.scoped_bytes = 0;
    }
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        a.values[i] += b.values[i];
    return a;
}

bool mp_amounts_equal(const mp_amounts *a, const mp_amounts *b)
{
    bool same = true;
    for (size_t i = 0; i < MP_AMOUNTS && mp_amount_fields[i].name; i++)
        same &= a->values[i] == b->values[i];
    return same;
}

int64_t mp_leaking_change(const mp_amounts *base, const mp_amounts *now)
{
    const int64_t left = now->leaked_bytes - base->leaked_bytes;
    int64_t change = now->leaking_bytes - base->leaking_bytes;
    if (!base->leaking_bytes &&
        base->leaked_bytes) /* the base is a baseline or has no steady leak */
        change = left < change ? left : change;
    return change > 0 ? change : 0;
}

mp_amounts mp_amounts_subtract(mp_amounts a, mp_amounts b)
{
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        a.values[i] -= b.values[i];
    return a;
}

/* --- keys --- */

typedef struct key_probe {
    const mp_entries *entries;
    const mp_entry_key *key;
} key_probe;

/* Keys have no padding, so they can be hashed as bytes. */
_Static_assert(sizeof(mp_entry_key) == 7 * sizeof(uint32_t), "keys are hashed as bytes");

static bool same_key(const void *opaque, uint32_t value)
{
    const key_probe *probe = opaque;
    return memcmp(&probe->entries->items[value - 1].key, probe->key, sizeof *probe->key) == 0;
}

mp_entry *mp_entry_for(mp_entries *entries, mp_entry_key key)
{
    uint64_t hash = mp_hash_bytes(&key, sizeof key);
    key_probe probe = {entries, &key};
    uint32_t *found = mp_hash_index_put(&entries->index, hash, same_key, &probe);
    if (!*found) {
        *MP_APPEND(entries->items, entries->count, entries->capacity) = (mp_entry){.key = key};
        *found = (uint32_t)entries->count;
    }
    return &entries->items[*found - 1];
}

void mp_entries_free(mp_entries *entries)
{
    free(entries->items);
    mp_hash_index_free(&entries->index);
}

static int compare_texts(const mp_dictionary *dictionary, uint32_t a, uint32_t b)
{
    return a == b ? 0 : strcmp(dictionary->texts[a], dictionary->texts[b]);
}

static int compare_lines(uint32_t a, uint32_t b)
{
    return MP_COMPARE((int32_t)a, (int32_t)b);
}

/* Compare two frames of equal depth: first by the rank of their callers, then by name, then by
 * line. */
static int by_rank(const void *left, const void *right, void *opaque)
{
    const mp_dictionary *dictionary = opaque;
    const mp_frame_key *a = &dictionary->frames[*(const uint32_t *)left];
    const mp_frame_key *b = &dictionary->frames[*(const uint32_t *)right];
    uint32_t x = dictionary->order->ranks[a->caller], y = dictionary->order->ranks[b->caller];
    int order = MP_COMPARE(x, y);
    order = order ? order : compare_texts(dictionary, a->name, b->name);
    return order ? order : compare_lines(a->line, b->line);
}

/* Return the ranks of all frames. Shorter stacks come before longer stacks. Stacks of equal depth
 * are ordered by the outermost frame that differs. The order at each depth follows from the order
 * at the depth above. */
static const uint32_t *ranks_of(const mp_dictionary *dictionary)
{
    frame_order *order = dictionary->order;
    const size_t count = dictionary->frame_count;
    if (order->count == count)
        return order->ranks;
    free(order->ranks);
    *order = (frame_order){mp_alloc_zero(count, sizeof *order->ranks), count};
    uint32_t *frames = mp_alloc(count * sizeof *frames); /* frames sorted by depth */
    size_t *first = mp_alloc_zero(count + 2, sizeof *first);
    for (size_t i = 0; i < count; i++)
        first[dictionary->facts[i].depth + 2]++;
    for (size_t depth = 2; depth < count + 2; depth++)
        first[depth] += first[depth - 1];
    for (size_t i = 0; i < count; i++)
        frames[first[dictionary->facts[i].depth + 1]++] = (uint32_t)i;
    for (size_t depth = 1; depth < count && first[depth] < count; depth++) {
        qsort_r(frames + first[depth], first[depth + 1] - first[depth], sizeof *frames, by_rank,
                (void *)(uintptr_t)dictionary);
        for (size_t i = first[depth]; i < first[depth + 1]; i++)
            order->ranks[frames[i]] = (uint32_t)i;
    }
    free(first);
    free(frames);
    return order->ranks;
}

/* Compare two stacks. The outermost name that differs decides; if all names are equal, the
 * outermost line that differs. If the stacks share their callers after a few frames, they are
 * compared without ranks. */
static int compare_stacks(const mp_dictionary *dictionary, const mp_entry_key *a,
                          const mp_entry_key *b)
{
    enum { FEW = 64 };
    uint32_t x = a->frame, y = b->frame;
    int order = compare_lines(a->line, b->line);
    for (int i = 0; x != y; i++) {
        if (i == FEW) {
            const uint32_t *ranks = ranks_of(dictionary);
            return ranks[a->frame] < ranks[b->frame] ? -1 : 1;
        }
        const mp_frame_key *left = &dictionary->frames[x], *right = &dictionary->frames[y];
        if (!x || !y)
            return x ? 1 : -1;
        int lines = compare_lines(left->line, right->line);
        int names = compare_texts(dictionary, left->name, right->name);
        order = names ? names : lines ? lines : order;
        x = left->caller;
        y = right->caller;
    }
    return order;
}

int mp_key_compare(const mp_dictionary *dictionary, const mp_entry_key *a, const mp_entry_key *b)
{
    int order = compare_texts(dictionary, a->type, b->type);
    order = order ? order : compare_texts(dictionary, a->program, b->program);
    order = order ? order : compare_texts(dictionary, a->name, b->name);
    order = order ? order : MP_COMPARE(a->start, b->start);
    order = order ? order : MP_COMPARE(a->overload, b->overload);
    return order ? order : compare_stacks(dictionary, a, b);
}
