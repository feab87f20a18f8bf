/* Figures: what a report draws, as plain data, before anybody decides with what and how large.
 *
 * A report adds figures to a document whose `draws` is set, beside its tables; a renderer that
 * draws shows them, all others pass them by. A figure holds exact numbers and names: its sums are
 * those of the tables. Texts and arrays live as long as the document (mp_document_text, its arena).
 */
#ifndef MP_DOCUMENT_FIGURE_H
#define MP_DOCUMENT_FIGURE_H

#include "document/document.h"

typedef enum mp_figure_kind {
    MP_FIGURE_STACKS,  /* a tree: frames above their callers, as wide as what they cost */
    MP_FIGURE_MAP,     /* a tree: areas in areas, as large as what they hold */
    MP_FIGURE_LINES,   /* amounts over time */
    MP_FIGURE_SPANS,   /* spans of time, each caller above its callees */
    MP_FIGURE_HISTORY, /* amounts alive of each group at each moment: any two can be compared */
} mp_figure_kind;

/* Kinds of places in a tree; a picture may colour them differently. */
typedef enum mp_place_kind {
    MP_PLACE_CODE,  /* a frame */
    MP_PLACE_TYPE,  /* a type of objects, innermost */
    MP_PLACE_GROUP, /* a name space, a source, a thread, a kind of roots */
    MP_PLACE_NONE,  /* nothing is known there, and the label says so */
    MP_PLACE_REST,  /* parts that are too small to be shown separately */
} mp_place_kind;

/* A place in a tree. `self` and `total` are of the figure's unit; `total` is `self` and the
 * children's `total`, exactly. Of a difference both stand twice, and a child may have more than its
 * parent's balance. */
typedef struct mp_place {
    uint32_t parent; /* below its own place; of the root, which is place 0 and stands for all, 0 */
    mp_place_kind kind;
    const char *label;  /* "placeOrder shop.OrderService:155" */
    const char *source; /* the file it is in; NULL: not known */
    int64_t line;       /* in it; MP_UNKNOWN */
    int64_t self, total;
    int64_t own_count, all_count;           /* number of objects, or of calls */
    int64_t base_own, base_all;             /* amounts of the base, in a comparison */
    int64_t base_own_count, base_all_count; /* likewise */
} mp_place;

typedef struct mp_tree_figure {
    mp_place *items; /* each behind its parent; siblings by `total` (of a difference, by the larger
                     of both) descending, then by label */
    uint32_t count;
    mp_unit unit;         /* MP_BYTES, MP_SECONDS (in microseconds), MP_COUNT */
    const char *measure;  /* "leaked", "alive", "created", ... */
    const char *count_of; /* "objects", "calls"; NULL: counts are not known */
    bool has_base;
    bool roots_last; /* below place 0 stand innermost frames, their callers above them */
} mp_tree_figure;

/* Amounts at moments that all lines share. */
typedef struct mp_line_figure {
    size_t moments;
    const int64_t *times;     /* position of each moment, rising */
    mp_unit moment_unit;      /* MP_TIME, or MP_NUMBER where only their order is known */
    const char *moment_of;    /* kind of the moments: "snapshot", "dump" */
    const char *const *names; /* name of each moment, "7 (_PreCleanUp)"; an element may be NULL */
    struct mp_line_of {
        const char *name;      /* stable: "live_bytes" */
        const char *title;     /* "alive" */
        const char *panel;     /* heading of lines that belong together; or NULL */
        mp_unit unit;          /* lines of one unit and one panel share an axis */
        const int64_t *values; /* by moment; MP_UNKNOWN: there is none */
    } * lines;
    size_t line_count;
    struct mp_mark {
        int64_t start;    /* as a moment */
        int64_t until;    /* MP_UNKNOWN: it is one moment */
        int64_t amount;   /* amount of the first line there, if it is a peak; MP_UNKNOWN */
        const char *kind; /* stable: "window", "request", "tag", "peak" */
        const char *label;
    } * marks; /* by `start` */
    size_t mark_count;
} mp_line_figure;

/* Spans of time. */
typedef struct mp_span_figure {
    struct mp_span {
        int64_t from_us, to_us;
        uint32_t depth; /* 0: called by nobody */
        const char *label;
    } * items; /* by from_us, then depth */
    size_t count;
} mp_span_figure;

/* How much more there is of a row at a moment than at the one before, of what was born at the
 * moment `born`: of what is no leak, and where births are not told, at moment 0. */
typedef struct mp_history_change {
    uint32_t row, moment, born;
    int64_t objects, bytes;
} mp_history_change;

/* All rows of a group add up to what was alive, exactly: the last one is all that is not told
 * apart. */
typedef struct mp_history_group {
    const char *name;           /* stable, as `growth` groups: "type", "site" */
    const char **labels;        /* by row, as `growth` calls it */
    const char **types;         /* by row, where it is not all of the label; or NULL */
    const char **names;         /* by row, what all of its objects are named, or ""; or NULL */
    const uint32_t *places;     /* by row, of `stacks`; NULL: rows have none */
    uint32_t rows;              /* with the last one */
    uint64_t others;            /* groups that are in the last one */
    bool births;                /* are told: what leaked between two moments is known */
    mp_history_change *changes; /* by row, then moment, then birth; none of 0 and 0 */
    size_t change_count;
} mp_history_group;

/* Snapshots of one session. */
typedef struct mp_history_figure {
    const char *session; /* "session 2 of 3 (AS1)"; NULL: there is one */
    const char *graph;   /* the figure of lines that is about the same; NULL: there is none */
    size_t moments;
    const char *const *names; /* name of each moment, "snapshot 7 (_PreCleanUp)" */
    const int64_t *numbers;   /* number of each moment, as the user names it */
    size_t from, to;          /* that the rest of the document is about */
    const char *leaks_note;   /* note about leaks for people; NULL: none */
    mp_history_group groups[2];
    size_t group_count;
    mp_place *stacks; /* frames above their callers: labels and parents alone */
    uint32_t stack_count;
} mp_history_figure;

typedef struct mp_figure {
    mp_figure_kind kind;
    const char *name;  /* stable, once in a document: "leaked_stacks" */
    const char *title; /* a sentence for people that says what it shows, and of what */
    const char *file;  /* that it is about, of several; NULL: all that was read */
    /* Parts left out to keep the figure readable; NULL: none. */
    const char *note;
    union {
        mp_tree_figure tree;
        mp_line_figure lines;
        mp_span_figure spans;
        mp_history_figure history;
    };
} mp_figure;

/* A new figure, zeroed but for its kind and name; valid until the next one is added. */
mp_figure *mp_document_figure(mp_document *document, mp_figure_kind kind, const char *name);

/* A walk through a tree: each place before those below it, the first of siblings first. Nothing of
 * it depends on how deep the tree is but `path`. */
typedef struct mp_tree_walk {
    const mp_tree_figure *tree;
    uint32_t *first; /* first place below each place; 0: there is none */
    uint32_t *path;  /* the places from place 0 to the one at hand, `depth` of them below place 0 */
    uint32_t place, depth;
    size_t path_capacity;
} mp_tree_walk;
/* At place 0. Release with mp_tree_walk_free. */
mp_tree_walk mp_tree_walk_begin(const mp_tree_figure *tree);
/* Go on, first to what is below the place at hand where `descend`; false: that was all. */
bool mp_tree_walk_next(mp_tree_walk *walk, bool descend);
void mp_tree_walk_free(mp_tree_walk *walk);

/* How wide each place is drawn: with all that is below, of a difference the larger of both sides,
 * stack by stack. Release with free(). */
int64_t *mp_tree_widths(const mp_tree_figure *tree);

/* The tree with its widest places, `most` of them and no deeper than `deepest`, and what is left
 * out below a place as one more; in the arena, but for texts. */
mp_tree_figure mp_tree_cut(struct mp_arena *arena, const mp_tree_figure *tree, uint32_t most,
                           uint32_t deepest);

/* The first of this kind, or NULL. */
const mp_figure *mp_document_figure_of(const mp_document *document, mp_figure_kind kind);

#endif
