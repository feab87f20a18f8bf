/* Leaks: what was created in a window and is alive at its end, by allocation site. */
#ifndef MP_QUERY_LEAKS_H
#define MP_QUERY_LEAKS_H

#include "query/group.h"

typedef struct mp_leak {
    uint32_t rank; /* from 1, its place */
    const char *type;
    const char *name; /* NULL: none, or not the same for all */
    bool names_differ;
    mp_type_class class;
    /* How sure the type is: of so many, so many have it. Blocks that died since state their own,
     * the others have that of their crawl. NULL: the recording tells the type. */
    const mp_inference *inference;
    uint32_t node;  /* place in model->tree; 0: outside the program's code */
    uint32_t line;  /* of creation */
    mp_group group; /* of the site, without a label */
} mp_leak;

typedef struct mp_leaks {
    mp_leak *at;
    uint32_t count;
    bool has_scope; /* objects have owners: kept bytes mean something */
    int64_t objects, bytes;
    void *private;
} mp_leaks;

/* "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155", in the arena. */
const char *mp_leak_text(mp_arena *arena, const mp_model *model, const mp_leak *leak);

/* Bytes descending, then objects descending, type, stack, line. */
const mp_leaks *mp_window_leak_sites(const mp_window *window);

#endif
