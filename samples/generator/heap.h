// The objects of a recording that are alive: what the recording must remember of each.
#ifndef GENERATOR_HEAP_H
#define GENERATOR_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct HeapObject {
    uint64_t id;
    uint64_t owner; // id, 0 if it is scoped to nothing
    int64_t time;   // of creation
    int32_t table;  // number in the temp-table database
    int16_t site;
    int16_t born; // snapshot
    int8_t life;
} HeapObject;

typedef struct HeapList {
    HeapObject *items;
    size_t count;
    size_t room;
} HeapList;

// False: out of memory.
bool heap_append(HeapList *list, const HeapObject *object);

void heap_free(HeapList *list);

// Swaps neighbours here and there, so that the list is almost, but not quite, in order.
void heap_disturb(HeapList *list);

#endif
