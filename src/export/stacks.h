/* Stacks for other tools: texts, functions and places in them by number, of all that was weighed or
 * of a heap over time, and the one way in which exporters of stacks are asked. */
#ifndef MP_EXPORT_STACKS_H
#define MP_EXPORT_STACKS_H

#include "base/index.h"
#include "compare/dictionary.h"
#include "export/exporter.h"
#include "query/weights.h"
#include "query/window.h"

/* --- code ---
 *
 * Numbers begin at 1 and follow the order in which they are asked for, so that the same recording
 * gives the same file. Texts do nothing to whoever prints them: hidden characters are escaped. */

typedef struct mp_code_function {
    uint32_t name, source, module; /* texts; 0: not known */
    uint32_t start_line;           /* 0: not known */
} mp_code_function;

typedef struct mp_code_place {
    uint32_t function;
    uint32_t line; /* MP_NO_LINE: not known */
} mp_code_place;

/* Zero-initialise all but `weights`; release with mp_code_free. */
typedef struct mp_code {
    const mp_weights *weights;
    mp_dictionary *texts;
    mp_arena scratch;
    mp_code_function *functions; /* from 1 */
    size_t function_count, function_capacity;
    mp_hash_index function_index;
    mp_code_place *places; /* from 1 */
    size_t place_count, place_capacity;
    mp_id_index place_index;
    uint32_t *function_of; /* by frame; 0: nobody asked */
} mp_code;

mp_code mp_code_of(const mp_weights *weights);
void mp_code_free(mp_code *code);

/* The number of a text; 0 for NULL or "". */
uint32_t mp_code_text_id(mp_code *code, const char *text);
/* The function of a frame. */
uint32_t mp_code_function_of(mp_code *code, uint32_t frame);
/* The line that a frame is at where it calls `callee`, a frame below it, or, where that is 0, of
 * what it does itself. MP_NO_LINE: not known. */
uint32_t mp_code_line(const mp_code *code, uint32_t frame, uint32_t callee);
/* The place of both. */
uint32_t mp_code_place_of(mp_code *code, uint32_t frame, uint32_t callee);

/* --- what was weighed --- */

/* Weigh what was asked for and hand it to `write`: of a heap what was created, is alive and leaked,
 * `apart` also by thread and request; of a dump what is retained, of a profile times. False with a
 * message, and nothing written. */
bool mp_stacks_weigh(const mp_request *request, mp_document *document, bool apart, mp_error *error,
                     void (*write)(const mp_weights *weights, const mp_request *request,
                                   mp_document *document));
/* Return true if anything of any column ends at the frame. */
bool mp_stacks_end_at(const mp_weights *weights, uint32_t frame);

/* Places in a tree by what is below and beside each, for walks without recursion. */
typedef struct mp_links {
    uint32_t *below, *beside; /* the first below each, and the next of the same parent; 0: none */
} mp_links;

/* Link `count` structs of `size` bytes that begin with the number of their parent, which comes
 * before them; 0 is the root. Release with mp_links_free. */
mp_links mp_links_of(const void *nodes, size_t size, uint32_t count);
void mp_links_free(mp_links *links);

/* --- a heap over time ---
 *
 * Stacks of creation, the innermost place first, and what happened to the objects of each from one
 * snapshot to the next. */

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
    uint32_t *end_of;           /* node at which each context's stack ends; 0: it does not count */
    int64_t cut;                /* stacks that have more frames */
    uint32_t *snapshots;        /* the whole ones of the session, rising */
    size_t snapshot_count, end; /* the place of the window's end among them */
    bool has_times;
    uint32_t next_delta;
} mp_sites;

/* Hand the only session's stacks, the innermost `frames` of each, to `write`, with what that gives.
 * False with a message also where there are several sessions, or none. */
bool mp_sites_write(const mp_request *request, mp_document *document, uint32_t frames,
                    mp_error *error,
                    bool (*write)(mp_sites *sites, const mp_request *request, mp_document *document,
                                  mp_error *error));

/* Place of the first of the snapshots up to `last` that has most bytes alive. */
size_t mp_sites_peak(const mp_sites *sites, size_t last);
/* The next of what happened up to this snapshot; snapshots come in order. False: that was all. */
bool mp_sites_next(mp_sites *sites, uint32_t snapshot, uint32_t *node, const mp_cost **cost);

/* "0x1F: placeOrder shop.OrderService (shop/OrderService.cls:155)", the number being the place's;
 * in the arena. */
const char *mp_sites_label(const mp_sites *sites, uint32_t place, mp_arena *arena);
/* Return the name of the application, or else of the file. In the arena. */
const char *mp_sites_command(const mp_sites *sites, mp_arena *arena);

#endif
