/* Events of a heap log. One thread parses the lines, and another one replays the events. */
#include "readers/taligent.h"

/* Return a key for the name of a thread. It is a 1 followed by four bits per character, which are
 * enough for digits and the hyphen. For a longer name, the key is the id of the text in the
 * model. */
static uint64_t thread_key(taligent_pass *pass, mp_slice name)
{
    if (name.length > 15)
        return UINT64_C(2) << 60 | mp_model_intern(pass->model, name).i;
    uint64_t key = 1;
    for (size_t i = 0; i < name.length; i++)
        key = key << 4 | (name.start[i] & 15);
    return key;
}

/* Return the number of the thread. The last thread is not cached, because threads alternate at
 * random. */
static uint32_t thread_of(taligent_pass *pass, mp_slice name)
{
    taligent_threads *threads = &pass->threads;
    uint32_t *found = mp_id_index_put(&threads->index, thread_key(pass, name));
    if (!*found) {
        *found = (uint32_t)++threads->count;
        mp_grow(&threads->names, &threads->capacity, threads->count + 1, sizeof *threads->names);
        threads->names[*found] = mp_model_intern(pass->model, name);
    }
    return *found;
}

void taligent_begin(taligent_pass *pass, int64_t first_us, int64_t last_us)
{
    pass->begun = true;
    pass->first_us = first_us;
    pass->replay.last_us = last_us > first_us ? last_us - first_us : 0;
}

static void replay_next(taligent_pass *pass, const mp_event *event)
{
    bool timed = event->kind != MP_EVENT_OLD;
    if (timed && !pass->begun)
        taligent_begin(pass, event->time_us, pass->last_us);
    mp_replay_event(&pass->replay, event, timed ? event->time_us - pass->first_us : 0);
}

void taligent_end(taligent_pass *pass)
{
    for (const mp_event *event; (event = taligent_order_next(&pass->order, false));)
        replay_next(pass, event);
    mp_replay_end(&pass->replay, 0);
}

void taligent_event(taligent_pass *pass, const taligent_line *line, uint64_t offset)
{
    mp_event *event = taligent_order_place(&pass->order);
    *event = (mp_event){.address = line->address,
                        .bytes = line->bytes,
                        .source_line = MP_NO_LINE,
                        .line = offset,
                        .kind = line->kind};
    if (line->kind != MP_EVENT_ALLOCATION)
        event->type = taligent_type(pass->names, line->type);
    if (line->kind != MP_EVENT_OLD) {
        event->time_us = line->time_us;
        event->thread = thread_of(pass, line->thread);
        event->thread_name = pass->threads.names[event->thread];
        bool allocates = line->kind == MP_EVENT_ALLOCATION;
        event->node = taligent_crawl(pass->names, line->crawl, allocates);
        if (allocates)
            event->site = mp_blocks_site(&pass->replay.blocks, event->node, event->thread);
    }
    const mp_event *next = taligent_order_next(&pass->order, true);
    if (next)
        replay_next(pass, next);
    while ((next = taligent_order_due(&pass->order)))
        replay_next(pass, next);
}
