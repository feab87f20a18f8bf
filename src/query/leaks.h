/* Leaks: what was created in a window and is alive at its end, by allocation site. */
#ifndef MP_QUERY_LEAKS_H
#define MP_QUERY_LEAKS_H

#include "query/verdict.h"

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
    const mp_site_verdict *verdict;
} mp_leak;

typedef struct mp_leaks {
    mp_leak *at;
    uint32_t count;
    uint32_t leaking; /* the first of them, by the verdict */
    /* The largest that leaks by the verdict, of `at` or objects that are older than the window and
     * grow; NULL: nothing does. */
    const mp_leak *worst;
    bool has_scope; /* objects have owners: kept bytes mean something */
    int64_t objects, bytes;
    void *private;
} mp_leaks;

/* "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155", in the arena. */
const char *mp_leak_text(mp_arena *arena, const mp_model *model, const mp_leak *leak);

/* Return the bytes by which a leak stands among others: those of its row; of older objects that
 * grow, of their growth. */
int64_t mp_leak_bytes(const mp_leak *leak);

/* Name the worst leak, "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155"; of dumps,
 * the type. `bytes`: how much of it leaks. In the arena; NULL: nothing leaks. */
const char *mp_worst_leak_text(mp_arena *arena, const mp_window *window, int64_t *bytes);

/* Say that dumps may not be in the order of time; NULL: nothing speaks against it. In the arena. */
const char *mp_dump_order_text(mp_arena *arena, const mp_model *model);

/* Return the leaks, those that leak by the verdict first; then by bytes descending, objects
 * descending, type, stack, line. */
const mp_leaks *mp_window_leak_sites(const mp_window *window);

#endif
