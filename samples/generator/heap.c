#include "heap.h"

#include <stdlib.h>

bool heap_append(HeapList *list, const HeapObject *object)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        HeapObject *items = realloc(list->items, room * sizeof *items);
        if (!items) {
            return false;
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = *object;
    return true;
}

void heap_free(HeapList *list)
{
    free(list->items);
    *list = (HeapList){0};
}

void heap_disturb(HeapList *list)
{
    for (size_t i = 0; i + 1 < list->count; i += 5) {
        size_t distance = 1 + i % 7;
        size_t other = i + distance < list->count ? i + distance : i + 1;
        HeapObject object = list->items[i];
        list->items[i] = list->items[other];
        list->items[other] = object;
    }
}
