/* Sorting of events by time. A thread first determines the time of its event and later writes the
 * line, so lines of later events may precede it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "readers/taligent.h"

enum { DEFAULT_MOST = 10000, FIRST_PLACES = 1024 };

/* Return the capacity of the queue for `wanted` events. It never needs more places than the maximum
 * number of waiting events plus the one that makes the first event leave. */
static size_t places_for(const taligent_order *order, size_t wanted)
{
    return wanted < order->most + 1 ? wanted : order->most + 1;
}

void taligent_order_open(taligent_order *order, int64_t asked)
{
    *order = (taligent_order){.most = asked > 0 ? (size_t)asked : asked < 0 ? 0 : DEFAULT_MOST};
    order->places = places_for(order, FIRST_PLACES);
    order->queue = mp_alloc(order->places * sizeof *order->queue);
}

void taligent_order_close(taligent_order *order)
{
    free(order->queue);
    free(order->late);
}

/* Compare events by time, then by line. */
static bool is_before(const mp_event *a, const mp_event *b)
{
    return a->time_us < b->time_us || (a->time_us == b->time_us && a->line < b->line);
}

static void enter_late(taligent_order *order, const mp_event *event)
{
    mp_grow(&order->late, &order->late_capacity, order->late_count + 1, sizeof *order->late);
    size_t index = order->late_count++;
    for (; index && is_before(event, &order->late[(index - 1) / 2]); index = (index - 1) / 2)
        order->late[index] = order->late[(index - 1) / 2];
    order->late[index] = *event;
    order->moved++;
}

static const mp_event *take_late(taligent_order *order)
{
    order->taken = order->late[0];
    const mp_event *last = &order->late[--order->late_count];
    size_t index = 0;
    for (size_t below = 1; below < order->late_count; below = index * 2 + 1) {
        below += below + 1 < order->late_count &&
                 is_before(&order->late[below + 1], &order->late[below]);
        if (!is_before(&order->late[below], last))
            break;
        order->late[index] = order->late[below];
        index = below;
    }
    order->late[index] = *last;
    return &order->taken;
}

static void make_room(taligent_order *order)
{
    size_t places = places_for(order, order->places * 2), tail = order->places - order->first;
    mp_event *larger = mp_alloc(places * sizeof *larger);
    memcpy(larger, order->queue + order->first, tail * sizeof *larger);
    memcpy(larger + tail, order->queue, order->first * sizeof *larger);
    free(order->queue);
    order->queue = larger;
    order->places = places;
    order->first = 0;
}

mp_event *taligent_order_place(taligent_order *order)
{
    if (order->queued == order->places)
        make_room(order);
    size_t index = order->first + order->queued;
    return &order->queue[index < order->places ? index : index - order->places];
}

static void enter(taligent_order *order, mp_event *event)
{
    bool timed = event->kind != MP_EVENT_OLD; /* old blocks keep their place in the order */
    if (timed && event->time_us < order->highest_us) {
        enter_late(order, event);
        return;
    }
    order->queued++;
    if (timed)
        order->highest_us = event->time_us;
    else
        event->time_us = order->highest_us;
}

static bool late_goes_first(const taligent_order *order)
{
    return order->late_count &&
           (!order->queued || is_before(order->late, &order->queue[order->first]));
}

static const mp_event *take(taligent_order *order)
{
    if (late_goes_first(order))
        return take_late(order);
    const mp_event *head = &order->queue[order->first];
    order->first = order->first + 1 < order->places ? order->first + 1 : 0;
    order->queued--;
    return head;
}

const mp_event *taligent_order_next(taligent_order *order, bool more)
{
    if (more)
        enter(order, taligent_order_place(order));
    return order->queued + order->late_count <= (more ? order->most : 0) ? NULL : take(order);
}

const mp_event *taligent_order_due(taligent_order *order)
{
    if (!order->within_us || order->queued + order->late_count == 0)
        return NULL;
    const mp_event *first = late_goes_first(order) ? order->late : &order->queue[order->first];
    return order->highest_us - first->time_us > order->within_us ? take(order) : NULL;
}
