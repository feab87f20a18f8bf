/* The dictionary of texts and frames that digests share. */
#include <stdlib.h>
#include <string.h>

#include "compare/meanings.h"
#include "support/index.h"
#include "support/memory.h"

struct mp_meanings {
    mp_arena arena;
    const char **texts; /* from 1 */
    size_t text_count, text_capacity;
    mp_meant_frame *frames; /* from 1; callers stand before those they call */
    size_t frame_count, frame_capacity;
    mp_hash_index text_index, frame_index;
};

mp_meanings *mp_meanings_new(void)
{
    mp_meanings *meanings = mp_alloc_zero(1, sizeof *meanings);
    mp_grow(&meanings->texts, &meanings->text_capacity, 1, sizeof *meanings->texts);
    mp_grow(&meanings->frames, &meanings->frame_capacity, 1, sizeof *meanings->frames);
    meanings->texts[0] = "";
    meanings->frames[0] = (mp_meant_frame){0};
    meanings->text_count = meanings->frame_count = 1;
    return meanings;
}

void mp_meanings_free(mp_meanings *meanings)
{
    if (!meanings)
        return;
    mp_arena_free(&meanings->arena);
    free(meanings->texts);
    free(meanings->frames);
    mp_hash_index_free(&meanings->text_index);
    mp_hash_index_free(&meanings->frame_index);
    free(meanings);
}

typedef struct text_probe {
    const mp_meanings *meanings;
    const char *text;
} text_probe;

static bool same_text(const void *context, uint32_t value)
{
    const text_probe *probe = context;
    return strcmp(probe->meanings->texts[value], probe->text) == 0;
}

uint32_t mp_meaning_of(mp_meanings *meanings, const char *text)
{
    if (!text || !*text)
        return 0;
    size_t length = strlen(text), place;
    uint64_t hash = mp_hash_bytes(text, length);
    text_probe probe = {meanings, text};
    uint32_t found = mp_hash_index_find(&meanings->text_index, hash, same_text, &probe, &place);
    if (found)
        return found;
    mp_grow(&meanings->texts, &meanings->text_capacity, meanings->text_count + 1,
            sizeof *meanings->texts);
    meanings->texts[meanings->text_count] = mp_arena_copy(&meanings->arena, text, length);
    found = (uint32_t)meanings->text_count++;
    mp_hash_index_set(&meanings->text_index, place, hash, found);
    return found;
}

const char *mp_meaning_text(const mp_meanings *meanings, uint32_t text)
{
    return meanings->texts[text];
}

typedef struct frame_probe {
    const mp_meanings *meanings;
    mp_meant_frame frame;
} frame_probe;

static bool same_frame(const void *context, uint32_t value)
{
    const frame_probe *probe = context;
    const mp_meant_frame *a = &probe->meanings->frames[value], *b = &probe->frame;
    return a->caller == b->caller && a->name == b->name && a->line == b->line;
}

uint32_t mp_meaning_frame(mp_meanings *meanings, mp_meant_frame frame)
{
    uint64_t hash = mp_hash64(((uint64_t)frame.caller << 32 | frame.name) + mp_hash64(frame.line));
    frame_probe probe = {meanings, frame};
    size_t place;
    uint32_t found = mp_hash_index_find(&meanings->frame_index, hash, same_frame, &probe, &place);
    if (found)
        return found;
    mp_grow(&meanings->frames, &meanings->frame_capacity, meanings->frame_count + 1,
            sizeof *meanings->frames);
    meanings->frames[meanings->frame_count] = frame;
    found = (uint32_t)meanings->frame_count++;
    mp_hash_index_set(&meanings->frame_index, place, hash, found);
    return found;
}

const mp_meant_frame *mp_meaning_frame_at(const mp_meanings *meanings, uint32_t frame)
{
    return &meanings->frames[frame];
}

/* Callers have smaller numbers, so one walk from the front does. */
uint32_t *mp_meaning_families(const mp_meanings *meanings)
{
    uint32_t *families = mp_alloc_zero(meanings->frame_count, sizeof *families);
    mp_id_index index = {0};
    for (uint32_t i = 1; i < meanings->frame_count; i++) {
        const mp_meant_frame *frame = &meanings->frames[i];
        uint64_t key = (uint64_t)families[frame->caller] << 32 | frame->name;
        uint32_t *place = mp_id_index_put(&index, key);
        if (!*place)
            *place = i;
        families[i] = *place;
    }
    mp_id_index_free(&index);
    return families;
}
