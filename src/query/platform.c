/* Memory of the runtime itself, by area. */
#include "query/platform.h"

#include <stdlib.h>

#include "base/index.h"

const char *mp_platform_label(const mp_model *model, uint32_t platform)
{
    const char *name = mp_model_text(model, model->platforms.items[platform]);
    return *name ? name : "(not in the catalogue)";
}

/* An area in one session. Samples of a session are in the order of its snapshots. */
typedef struct session_area {
    uint32_t platform;
    int64_t first, last, peak, blocks, pool;
} session_area;

static void add_sample(session_area *area, const mp_platform_sample *sample, bool is_first)
{
    area->platform = sample->platform.i;
    if (is_first)
        area->first = sample->bytes;
    if (sample->bytes > area->peak)
        area->peak = sample->bytes;
    area->last = sample->bytes;
    area->blocks = sample->block_bytes;
    area->pool = sample->pool_bytes;
}

mp_platform_area *mp_platform_areas_of(const mp_filter *filter)
{
    const mp_model *model = filter->model;
    mp_platform_area *areas = mp_alloc_zero(model->platforms.count, sizeof *areas);
    mp_id_index index = {0}; /* 1 + the index in `each`, by session and platform */
    size_t count = 0, capacity = 1;
    session_area *each = mp_alloc(capacity * sizeof *each);
    for (uint32_t i = 1; i < model->platform_samples.count; i++) {
        const mp_platform_sample *sample = &model->platform_samples.items[i];
        const mp_snapshot *snapshot = &filter->snapshots[sample->snapshot.i];
        if (!snapshot->whole)
            continue;
        uint32_t *place =
            mp_id_index_put(&index, (uint64_t)snapshot->session.i << 32 | sample->platform.i);
        bool is_first = !*place;
        if (is_first) {
            *MP_APPEND(each, count, capacity) = (session_area){0};
            *place = (uint32_t)count;
        }
        add_sample(&each[*place - 1], sample, is_first);
    }
    for (size_t i = 0; i < count; i++) {
        mp_platform_area *area = &areas[each[i].platform];
        area->first_bytes += each[i].first;
        area->last_bytes += each[i].last;
        area->peak_bytes += each[i].peak;
        area->block_bytes += each[i].blocks;
        area->pool_bytes += each[i].pool;
    }
    for (uint32_t i = 0; i < model->platforms.count; i++)
        areas[i].platform.i = i;
    mp_id_index_free(&index);
    free(each);
    return areas;
}

mp_platform_span *mp_platform_spans_of(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_platform_span *spans = mp_alloc_zero(model->platforms.count, sizeof *spans);
    for (uint32_t i = 1; i < model->platform_samples.count; i++) {
        const mp_platform_sample *sample = &model->platform_samples.items[i];
        const mp_range *range =
            &window->ranges[model->snapshots.items[sample->snapshot.i].session.i];
        mp_platform_span *span = &spans[sample->platform.i];
        span->told |= mp_window_snapshot(window, sample->snapshot.i)->whole;
        if (sample->snapshot.i == range->to.i)
            span->to_bytes += sample->bytes;
        if (sample->snapshot.i == range->from.i)
            span->from_bytes += sample->bytes;
    }
    return spans;
}

mp_platform_span mp_platform_span_of_all(const mp_window *window)
{
    mp_platform_span platform_span = {.told = false};
    for (uint32_t i = 1; i < window->model->sessions.count; i++) {
        const mp_snapshot *from = mp_window_snapshot(window, window->ranges[i].from.i);
        const mp_snapshot *to = mp_window_snapshot(window, window->ranges[i].to.i);
        platform_span.told |= to->has_platform;
        platform_span.from_bytes += from->platform_bytes;
        platform_span.to_bytes += to->platform_bytes;
    }
    return platform_span;
}

mp_platform_id mp_platform_growing(const mp_window *window, int64_t *growth)
{
    mp_platform_span *spans = mp_platform_spans_of(window);
    mp_platform_id most = {0};
    *growth = 0;
    for (uint32_t i = 1; i < window->model->platforms.count; i++)
        if (spans[i].to_bytes - spans[i].from_bytes > *growth) {
            *growth = spans[i].to_bytes - spans[i].from_bytes;
            most.i = i;
        }
    free(spans);
    return most;
}
