/* Heaps over time for tools of Valgrind: stacks of creation, the innermost place first, and what
 * happened to the objects of each from one snapshot to the next. */
#ifndef MP_EXPORT_SITES_H
#define MP_EXPORT_SITES_H

#include "export/code.h"
#include "query/window.h"

/* A place with all that is further in; node 0 is above all. Parents stand before their children. */
typedef struct mp_site_node {
    uint32_t parent, place;
} mp_site_node;

typedef struct mp_sites {
    const mp_window *window;
    mp_weights weights;
    mp_code code;
    mp_site_node *nodes;
    uint32_t count; /* with node 0 */
    size_t capacity;
    uint32_t *end_of;    /* of each context the node that its stack ends at; 0: it does not count */
    int64_t cut;         /* stacks that have more frames */
    uint32_t *snapshots; /* the whole ones of the session, rising */
    size_t snapshot_count, to; /* the place of the window's end among them */
    bool has_times;
    uint32_t next_delta;
} mp_sites;

/* Of the only session; its innermost `frames` of each stack. False with a message where there are
 * several, or none; else release with mp_sites_free. */
bool mp_sites_of(const mp_window *window, uint32_t frames, mp_sites *sites, mp_error *error);
void mp_sites_free(mp_sites *sites);

/* The next of what happened up to this snapshot; snapshots come in order. False: that was all. */
bool mp_sites_next(mp_sites *sites, uint32_t snapshot, uint32_t *node, const mp_cost **cost);

/* "0x1F: placeOrder shop.OrderService (shop/OrderService.cls:155)", the number being the place's;
 * in the arena. */
const char *mp_sites_label(const mp_sites *sites, uint32_t place, mp_arena *arena);
/* What was recorded: the application, or the file. */
const char *mp_sites_command(const mp_sites *sites, mp_arena *arena);

#endif
