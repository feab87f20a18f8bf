/* Stacks for exporters: numbers for texts, functions and places, stacks with weights, and stacks of
 * a heap over time. Also the functions that run the exporters of stacks. */
#pragma once

#include "base/index.h"
#include "compare/dictionary.h"
#include "export/exporter.h"
#include "query/weights.h"
#include "query/window.h"

/* --- code ---
 *
 * Numbers begin at 1 and follow the order of first use, so the same recording always gives the same
 * file. Hidden characters are escaped, so texts can be printed. */

typedef struct mp_code_function {
    uint32_t name, source, module; /* texts; 0 = unknown */
    uint32_t start_line;           /* 0 = unknown */
} mp_code_function;

typedef struct mp_code_place {
    uint32_t function;
    uint32_t line; /* MP_NO_LINE = unknown */
} mp_code_place;

/* Numbers of texts, functions and places. Initialise with mp_code_of; release with mp_code_free. */
typedef struct mp_code {
    const mp_weights *weights;
    mp_dictionary *texts;
    mp_arena scratch;
    mp_code_function *functions; /* elements from 1 */
    size_t function_count, function_capacity;
    mp_key_index function_index;
    mp_code_place *places; /* elements from 1 */
    size_t place_count, place_capacity;
    mp_id_index place_index;
    uint32_t *function_of; /* indexed by frame; 0 = not numbered yet */
} mp_code;

/* Return the code of the weights, which are borrowed. Nothing has a number yet. Release with
 * mp_code_free. */
mp_code mp_code_of(const mp_weights *weights);
void mp_code_free(mp_code *code);

/* Return the number of a text; 0 for NULL or "". */
uint32_t mp_code_text_id(mp_code *code, const char *text);
/* Return the number of a frame's function. */
uint32_t mp_code_function_of(mp_code *code, uint32_t frame);
/* Return the line where a frame calls `callee`, which must be a frame below it. If `callee` is 0,
 * return the line of the frame's own cost. MP_NO_LINE if unknown. */
uint32_t mp_code_line(const mp_code *code, uint32_t frame, uint32_t callee);
/* Return the number of the frame's function at that line. */
uint32_t mp_code_place_of(mp_code *code, uint32_t frame, uint32_t callee);

/* --- weighted stacks --- */

/* Compute the weights and pass them to `write`. They are bytes created, alive and leaked of a heap,
 * retained bytes of a dump, or times of a profile. `apart`: separate weights for each thread and
 * request of a heap. If there are no weights, do not call `write`; return false with a message. */
bool mp_stacks_weigh(const mp_request *request, mp_document *document, bool apart, mp_error *error,
                     void (*write)(const mp_weights *weights, const mp_request *request,
                                   mp_document *document));
/* Arguments of exporters that call this function. */
enum { MP_STACKS_ARGUMENTS = 10 };
extern const mp_argument mp_stacks_arguments[MP_STACKS_ARGUMENTS];
extern const mp_heap_arguments mp_stacks_defaults;

/* Return true if the frame has a weight of its own in any column. */
bool mp_stacks_end_at(const mp_weights *weights, uint32_t frame);

/* Children of each node of a tree. With them, the tree can be walked without recursion. */
typedef struct mp_links {
    uint32_t *below, *beside; /* first child of each node, and next sibling; 0 = none */
} mp_links;

/* Link `count` structs of `size` bytes, which begin with the number of their parent. Parents come
 * before their children, and number 0 is the root. Release with mp_links_free. */
mp_links mp_links_of(const void *nodes, size_t size, uint32_t count);
void mp_links_free(mp_links *links);

/* --- a heap over time ---
 *
 * Allocation stacks, innermost place first, and how their objects change from one snapshot to the
 * next. */

/* A node of a tree: a place on a stack. Its parent is the place that it called. Node 0 is the root.
 * Parents come before their children. */
typedef struct mp_site_node {
    uint32_t parent, place;
} mp_site_node;

typedef struct mp_sites {
    const mp_window *window;
    mp_weights weights;
    mp_code code;
    mp_site_node *nodes;
    uint32_t count; /* including node 0 */
    size_t capacity;
    /* node where the stack of each context ends; 0 = the context is not selected */
    uint32_t *end_of;
    int64_t cut;                /* number of stacks that were cut */
    uint32_t *snapshots;        /* complete snapshots of the session, ascending */
    size_t snapshot_count, end; /* index of the window's end in `snapshots` */
    bool has_times;
    uint32_t next_delta;
} mp_sites;

/* Cut the stacks of the only session to their innermost `frames`, pass them to `write`, and return
 * its result. If the number of sessions is not 1, return false with a message. */
bool mp_sites_write(const mp_request *request, mp_document *document, uint32_t frames,
                    mp_error *error,
                    bool (*write)(mp_sites *sites, const mp_request *request, mp_document *document,
                                  mp_error *error));

/* Return the index of the snapshot with the most live bytes, among those up to `last`; if several
 * are equal, the first. */
size_t mp_sites_peak(const mp_sites *sites, size_t last);
/* Get the next change that happened up to this snapshot. Return false if there is none. Snapshots
 * must come in order. */
bool mp_sites_next(mp_sites *sites, uint32_t snapshot, uint32_t *node, const mp_cost **cost);

/* Return the label of a place, which begins with its number: "0x1F: placeOrder shop.OrderService
 * (shop/OrderService.cls:155)". It belongs to the arena. */
const char *mp_sites_label(const mp_sites *sites, uint32_t place, mp_arena *arena);
/* Return the name of the application or, if it is unknown, of the file. It belongs to the arena. */
const char *mp_sites_command(const mp_sites *sites, mp_arena *arena);
