#include "model/request_peak.h"

#include <stdlib.h>

#include "base/memory.h"

void mp_request_peak_begin(mp_request_peak *peak, mp_snapshot_id id, const mp_snapshot *snapshot)
{
    bool goes_on = peak->first.i && peak->request.i == snapshot->request.i &&
                   peak->start_us == snapshot->request_start_us;
    if (goes_on)
        return;
    peak->request = snapshot->request;
    peak->start_us = snapshot->request_start_us;
    peak->first = snapshot->request.i ? id : (mp_snapshot_id){0};
    peak->objects = peak->bytes = 0;
    peak->count = 0;
}

void mp_request_peak_add(mp_request_peak *peak, int64_t time_us, int32_t objects, int64_t bytes)
{
    *MP_APPEND(peak->events, peak->count, peak->capacity) =
        (mp_request_event){time_us, bytes, objects};
}

static int by_time(const void *left, const void *right)
{
    const mp_request_event *a = left, *b = right;
    int order = MP_COMPARE(a->time_us, b->time_us);
    order = order ? order : MP_COMPARE(b->objects, a->objects);
    return order ? order : MP_COMPARE(a->bytes, b->bytes);
}

void mp_request_peak_end(mp_request_peak *peak, mp_snapshot *snapshot)
{
    int64_t objects = peak->objects, bytes = peak->bytes;
    if (!peak->first.i || !peak->asked)
        return;
    snapshot->request_peak_objects = objects;
    snapshot->request_peak_bytes = bytes;
    if (peak->count)
        qsort(peak->events, peak->count, sizeof *peak->events, by_time);
    for (size_t i = 0; i < peak->count; i++) {
        objects += peak->events[i].objects;
        bytes += peak->events[i].bytes;
        if (objects > snapshot->request_peak_objects)
            snapshot->request_peak_objects = objects;
        if (bytes > snapshot->request_peak_bytes)
            snapshot->request_peak_bytes = bytes;
    }
    peak->objects = objects;
    peak->bytes = bytes;
    peak->count = 0;
}

void mp_request_peak_free(mp_request_peak *peak)
{
    free(peak->events);
    *peak = (mp_request_peak){0};
}
