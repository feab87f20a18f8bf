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
    uint32_t line;  /* line of creation */
    mp_group group; /* group of the site, without a label */
    const mp_site_verdict *verdict;
    int64_t leaking_bytes; /* that leak by the verdict; 0: it does not leak */
} mp_leak;

typedef struct mp_leaks {
    mp_leak *items;
    uint32_t count;
    uint32_t leaking;     /* number of the first ones, which leak by the verdict */
    uint32_t left;        /* number of those that left objects of the window behind */
    const mp_leak *worst; /* the first one, if it leaks; NULL: nothing does */
    bool has_scope;       /* objects have owners: kept bytes mean something */
    int64_t objects, bytes;
    void *private;
} mp_leaks;

/* "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155", in the arena. */
const char *mp_leak_text(mp_arena *arena, const mp_model *model, const mp_leak *leak);

/* Return whether most of a leak is the growth of objects that are older than the window. */
bool mp_leak_is_growth(const mp_leak *leak);
/* Return the bytes of a leak: those that it left behind, or that growth. */
int64_t mp_leak_bytes(const mp_leak *leak);
/* Return the number of objects with these bytes. */
int64_t mp_leak_objects(const mp_leak *leak);

/* Name the worst leak, "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155"; of dumps,
 * the type. `bytes`: how much of it leaks. In the arena; NULL: nothing leaks. */
const char *mp_worst_leak_text(mp_arena *arena, const mp_window *window, int64_t *bytes);

/* Say that dumps may not be in the order of time; NULL: nothing speaks against it. In the arena. */
const char *mp_dump_order_text(mp_arena *arena, const mp_model *model);

/* Return the sites that left objects behind, or whose older objects leak as they grow: by the bytes
 * that leak by the verdict, descending, then by bytes, objects, type, stack, line. */
const mp_leaks *mp_window_leak_sites(const mp_window *window);

#endif
