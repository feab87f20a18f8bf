/* Leaks: objects created in a window and alive at its end, by allocation site. */
#pragma once

#include "query/verdict.h"

typedef struct mp_leak {
    uint32_t rank;            /* position in the order of the leaks, from 1 */
    mp_generation_id example; /* the site's first generation */
    const char *type;
    const char *name; /* name of the objects; NULL: none, or different names */
    bool names_differ;
    mp_type_class class;
    /* Certainty of the type: the share of the blocks that have it. Deleted blocks have the type
     * that their deletion recorded; the type of others is inferred from their call stack. NULL: the
     * type is recorded. */
    const mp_inference *inference;
    uint32_t node; /* node of creation in model->tree; 0: not created by the program's code */
    uint32_t line; /* line of creation */
    const mp_grouping *sites; /* the sites of the window, for mp_leak_group */
    int64_t objects, bytes;   /* left behind: created in the window and alive at its end */
    int64_t kept_bytes;       /* `bytes`, and objects that they own or that are lost with them */
    const mp_site_verdict *verdict;
    int64_t leaking_bytes;  /* bytes that leak according to the verdict; 0: none */
    int64_t leaking_weight; /* like leaking_bytes, with indirect losses; objects if sizes are not
                               known */
} mp_leak;

typedef struct mp_leaks {
    mp_leak *items;
    uint32_t count;
    uint32_t leaking;     /* number of sites that leak according to the verdict; they come first */
    uint32_t left;        /* number of sites with objects of the window that are still alive */
    const mp_leak *worst; /* first site if it leaks; NULL: none leaks */
    bool unknown;   /* a site left objects, or its objects grew, in a session that is too short to
                       tell if it leaks */
    bool has_scope; /* objects have owners, so kept bytes are meaningful */
    int64_t objects, bytes;
    void *private;
} mp_leaks;

/* Return the figures of the site of a leak. They are shared by all leaks of the window, so that
 * millions of leaks do not take twice the memory. The address changes when sites are sorted. */
static inline const mp_group *mp_leak_group(const mp_leak *leak)
{
    return &leak->sites->groups[leak->sites->group_of[leak->example.i] - 1];
}

/* Return those that depend on owners. */
static inline mp_group_scope mp_leak_scope(const mp_leak *leak)
{
    return mp_group_scope_of(leak->sites, mp_leak_group(leak));
}

/* Return the leak as text: "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155", or only
 * its site if the type is not recorded. It belongs to the arena. */
const char *mp_leak_text(mp_arena *arena, const mp_model *model, const mp_leak *leak);

/* Return true if the type or the name of the objects is recorded or inferred. */
bool mp_leak_has_type(const mp_model *model, const mp_leak *leak);
/* Return true if most of a leak is growth of objects that are older than the window. */
bool mp_leak_is_growth(const mp_leak *leak);
/* Return the bytes of a leak: those of the objects that it left behind. If mp_leak_is_growth,
 * return those by which older objects grew. */
int64_t mp_leak_bytes(const mp_leak *leak);
/* Return the number of objects that make up mp_leak_bytes. */
int64_t mp_leak_objects(const mp_leak *leak);

/* Return the worst leak as text, "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155";
 * for dumps, the type. Set *bytes to its leaking bytes. Return NULL if nothing leaks. The text
 * belongs to the arena. */
const char *mp_worst_leak_text(mp_arena *arena, const mp_window *window, int64_t *bytes);

/* Return a warning that dumps may not be in order of time; NULL if there is no sign of that. It
 * belongs to the arena. */
const char *mp_dump_order_text(mp_arena *arena, const mp_model *model);

/* Return the sites that left objects behind, or whose older objects grow and leak. Sites that leak
 * come first, and at the end of these come sites whose objects are lost only indirectly. Each part
 * is sorted by leaking_weight, largest first, then by bytes, objects, type, stack, line. */
const mp_leaks *mp_window_leak_sites(const mp_window *window);
