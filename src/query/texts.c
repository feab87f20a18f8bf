#include "query/texts.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = 1 << 16,
    MOST_BYTES = 8 << 20, /* maximum size of indexed texts; the index takes four times as much */
};

static uint32_t bucket_of(const char *cursor)
{
    const unsigned char *byte = (const unsigned char *)cursor;
    return ((uint32_t)byte[0] * 961 + (uint32_t)byte[1] * 31 + byte[2]) % BUCKETS;
}

void mp_texts_add(mp_texts *texts, const char *text, uint32_t id)
{
    mp_grow(&texts->items, &texts->capacity, texts->count + 1, sizeof *texts->items);
    mp_grow(&texts->owners, &texts->of_capacity, texts->count + 1, sizeof *texts->owners);
    texts->items[texts->count] = text;
    texts->owners[texts->count++] = id;
    texts->bytes += strlen(text);
}

/* Build the index: count the entries of each bucket, then store them. */
static void post_all(mp_texts *texts)
{
    size_t posts = 0;
    texts->first = mp_alloc_zero(BUCKETS + 2, sizeof *texts->first);
    for (size_t i = 0; i < texts->count; i++)
        for (const char *position = texts->items[i]; position[0] && position[1] && position[2];
             position++, posts++)
            texts->first[bucket_of(position) + 2]++;
    for (size_t i = 2; i < BUCKETS + 2; i++)
        texts->first[i] += texts->first[i - 1];
    texts->posted = mp_alloc((posts + 1) * sizeof *texts->posted);
    for (size_t i = 0; i < texts->count; i++)
        for (const char *cursor = texts->items[i]; cursor[0] && cursor[1] && cursor[2]; cursor++)
            texts->posted[texts->first[bucket_of(cursor) + 1]++] = (uint32_t)i;
}

mp_some_texts mp_texts_with(mp_texts *texts, mp_slice core)
{
    mp_some_texts fewest = {NULL, texts->count};
    if (texts->asked++ && core.length >= 3 && !texts->first && texts->bytes <= MOST_BYTES)
        post_all(texts);
    for (size_t i = 0; texts->first && i + 3 <= core.length; i++) {
        const uint32_t *first = texts->first + bucket_of(core.start + i);
        if (!fewest.items || first[1] - first[0] < fewest.count)
            fewest = (mp_some_texts){texts->posted + first[0], first[1] - first[0]};
    }
    return fewest;
}

void mp_texts_free(mp_texts *texts)
{
    MP_FREE(texts->items, texts->owners, texts->first, texts->posted);
}
