/* Figures: drawings of a report as plain data, independent of format and size.
 *
 * A report adds figures to a document whose `draws` is set, in addition to its tables. Renderers
 * that cannot draw ignore them. A figure has exact numbers and names; its sums equal those of the
 * tables. Texts and arrays live as long as the document (mp_document_text, its arena). */
#pragma once

#include "document/document.h"

typedef enum mp_figure_kind {
    MP_FIGURE_STACKS, /* a tree of frames, whose widths are costs */
    MP_FIGURE_MAP,    /* a tree of nested areas, whose sizes are amounts */
    MP_FIGURE_LINES,  /* amounts over time */
    MP_FIGURE_SPANS,  /* spans of time, with callees below their callers */
    /* Live amounts of groups at each moment, so that any two moments can be compared. */
    MP_FIGURE_HISTORY,
} mp_figure_kind;

/* Kinds of places in a tree; a picture may colour them differently. */
typedef enum mp_place_kind {
    MP_PLACE_CODE,  /* a frame */
    MP_PLACE_TYPE,  /* a type of objects, innermost */
    MP_PLACE_GROUP, /* a namespace, a source, a thread, a kind of roots */
    MP_PLACE_NONE,  /* nothing is known; the label says so */
    MP_PLACE_REST,  /* sum of parts that are too small to be shown separately */
} mp_place_kind;

/* A place in a tree. `self` and `total` are in the figure's unit; `total` is exactly `self` plus
 * the `total` of each child. In a comparison there are base values too, and the change of a child
 * may exceed the change of its parent. */
typedef struct mp_place {
    /* Index of the parent, which is lower than the index of the place. Place 0 is the root; its
     * parent is 0, and its total is the total of the tree. */
    uint32_t parent;
    mp_place_kind kind;
    const char *label;  /* text for people, "placeOrder shop.OrderService:155" */
    const char *source; /* source file; NULL = unknown */
    int64_t line;       /* line of the source, or MP_UNKNOWN */
    int64_t self, total;
    int64_t own_count, all_count;           /* number of objects, or of calls */
    int64_t base_own, base_all;             /* amounts of the base, in a comparison */
    int64_t base_own_count, base_all_count; /* numbers of objects, or of calls, in the base */
} mp_place;

typedef struct mp_tree_figure {
    /* Parents come before children. Siblings are sorted by `total`, descending, then by label. In a
     * comparison they are sorted by the larger total of both. */
    mp_place *items;
    uint32_t count;
    mp_unit unit;         /* MP_BYTES, MP_SECONDS (in microseconds), MP_COUNT */
    const char *measure;  /* name of the metric: "leaked", "alive", "created", ... */
    const char *count_of; /* noun of the counts: "objects", "calls"; NULL = counts are unknown */
    bool has_base;
} mp_tree_figure;

/* Amounts at moments that all lines share. */
typedef struct mp_line_figure {
    size_t moments;
    const int64_t *times;     /* position of each moment, ascending */
    mp_unit moment_unit;      /* MP_TIME; MP_NUMBER if only the order is known */
    const char *moment_of;    /* kind of the moments: "snapshot", "dump" */
    const char *const *names; /* name of each moment, "7 (_PreCleanUp)"; an element may be NULL */
    struct mp_line_of {
        const char *name;      /* identifier that never changes: "live_bytes" */
        const char *title;     /* title for people, such as "alive" */
        const char *panel;     /* heading shared by a group of lines; NULL = none */
        mp_unit unit;          /* lines of one unit and one panel share an axis */
        const int64_t *values; /* value at each moment; MP_UNKNOWN = no value */
    } * lines;
    size_t line_count;
    struct mp_mark {
        int64_t start;    /* position on the axis of moments */
        int64_t until;    /* end position; MP_UNKNOWN = a single moment */
        int64_t amount;   /* for a peak, the value of the first line at this position; otherwise
                           * MP_UNKNOWN */
        const char *kind; /* identifier that never changes: "window", "request", "tag", "peak" */
        const char *label;
    } * marks; /* sorted by `start` */
    size_t mark_count;
} mp_line_figure;

/* Spans of time. */
typedef struct mp_span_figure {
    struct mp_span {
        int64_t from_us, to_us;
        uint32_t depth; /* depth of calls; 0 = there is no caller */
        const char *label;
    } * items; /* sorted by from_us, then by depth */
    size_t count;
} mp_span_figure;

/* Change of a row from the previous moment to this one, by objects born at the moment `born`.
 * `born` is 0 for objects that are no leak, and for recordings without births. */
typedef struct mp_history_change {
    uint32_t row, moment, born;
    int64_t objects, bytes;
} mp_history_change;

/* Rows of a group. They add up exactly to the live amounts; the last row is the sum of the groups
 * that have no row. */
typedef struct mp_history_group {
    const char *name;       /* dimension of `growth` (it never changes): "type", "site" */
    const char **labels;    /* label of each row, in the form that labels of `growth` have */
    const char **types;     /* type by row, if the label is more than the type; NULL = none */
    const char **names;     /* common name of the objects by row, or ""; NULL = no row has one */
    const uint32_t *places; /* index in `stacks` by row; NULL = rows have no stacks */
    uint32_t rows;          /* number of rows, including the last one */
    uint64_t others;        /* number of groups in the last row */
    bool births;            /* births are known, so leaks between two moments are known too */
    /* Sorted by row, moment and birth; without changes of 0 objects and 0 bytes. */
    mp_history_change *changes;
    size_t change_count;
} mp_history_group;

/* Live amounts at the snapshots of one session. */
typedef struct mp_history_figure {
    const char *session; /* name of the session, "session 2 of 3 (AS1)"; NULL = there is only one */
    const char *graph;   /* name of the figure of lines about the same session; NULL = none */
    size_t moments;
    const char *const *names; /* name of each moment, "snapshot 7 (_PreCleanUp)" */
    const int64_t *numbers;   /* number of each moment, as used in options */
    size_t from,
        to; /* ends of the window of all other parts of the document, as indexes of moments */
    const char *leaks_note; /* note about leaks for people; NULL = none */
    mp_history_group groups[2];
    size_t group_count;
    mp_place *stacks; /* frames below their callers; only `parent` and `label` are set */
    uint32_t stack_count;
} mp_history_figure;

typedef struct mp_figure {
    mp_figure_kind kind;
    const char *name;  /* unique in the document, and never changes: "leaked_stacks" */
    const char *title; /* sentence for people: the metric and the input */
    const char *file;  /* source file, in merged answers; NULL = all inputs */
    /* Parts left out to keep the figure readable; NULL = none. */
    const char *note;
    union {
        mp_tree_figure tree;
        mp_line_figure lines;
        mp_span_figure spans;
        mp_history_figure history;
    };
} mp_figure;

/* Add a figure, zeroed except for its kind and name; valid until the next one is added. */
mp_figure *mp_document_figure(mp_document *document, mp_figure_kind kind, const char *name);

/* A walk through a tree in pre-order. Only the size of `path` depends on the tree's depth. */
typedef struct mp_tree_walk {
    const mp_tree_figure *tree;
    uint32_t *first; /* first child of each place; 0 = none */
    uint32_t *path;  /* places from place 0 to the current one, which is `depth` levels below */
    uint32_t place, depth;
    size_t path_capacity;
} mp_tree_walk;
/* Begin at place 0. Release with mp_tree_walk_free. */
mp_tree_walk mp_tree_walk_begin(const mp_tree_figure *tree);
/* Go to the next place; to the first child only if `descend` is true. Return false at the end. */
bool mp_tree_walk_next(mp_tree_walk *walk, bool descend);
void mp_tree_walk_free(mp_tree_walk *walk);

/* Return the width of each place. It is the place's total, which includes all places below; in a
 * comparison it is the sum of the larger side of each of its stacks. Release with free(). */
int64_t *mp_tree_widths(const mp_tree_figure *tree);

/* Return the tree cut to its `most` widest places, at no more than `deepest` levels. Below each
 * kept place, one place is the sum of the places that were cut. Allocated in the arena; texts are
 * borrowed. */
mp_tree_figure mp_tree_cut(struct mp_arena *arena, const mp_tree_figure *tree, uint32_t most,
                           uint32_t deepest);

/* Return the first figure of this kind; NULL if there is none. */
const mp_figure *mp_document_figure_of(const mp_document *document, mp_figure_kind kind);
