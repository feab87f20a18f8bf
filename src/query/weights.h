/* Weights: the cost of a recording by stack, as a flat tree of frames.
 *
 * Charts and exports of stacks are made from this tree. It is an array in which callers precede
 * their callees. So a backward loop computes all sums, and deep trees need no recursion. The sums
 * of all frames equal the totals of reports exactly. */
#pragma once

#include "base/memory.h"
#include "query/filter.h"
#include "query/window.h"

/* Metric: bytes and objects, or, for profiles, microseconds and calls, or samples. */
typedef enum mp_weighing {
    MP_WEIGH_LEAKED,    /* leaked_bytes, leaked_objects */
    MP_WEIGH_ALIVE,     /* live_bytes, live_objects */
    MP_WEIGH_CREATED,   /* created_bytes (sizes at creation), created_objects */
    MP_WEIGH_TEMPORARY, /* temporary_bytes, temporary_objects */
    MP_WEIGH_SECONDS,   /* microseconds, calls */
    MP_WEIGH_CALLS,     /* calls only */
    MP_WEIGH_SAMPLES,   /* samples only */
    MP_WEIGH_RETAINED,  /* bytes and objects of a heap dump, by their dominators */
    MP_WEIGHINGS,
} mp_weighing;

/* Return the name of a metric: "leaked", "alive", "created", "temporary", "seconds", "calls",
 * "samples" or "retained". */
const char *mp_weighing_name(mp_weighing weighing);
/* Return true if the filtered model has the metric. */
bool mp_weighing_fits(const mp_filter *filter, mp_weighing weighing);
/* Return the default metric: seconds, samples, leaked, retained or alive, whichever is available
 * first. */
mp_weighing mp_weighing_usual(const mp_filter *filter);

typedef enum mp_weight_kind {
    MP_WEIGHT_ALL,   /* frame 0, the root */
    MP_WEIGHT_CODE,  /* a frame of the stack */
    MP_WEIGHT_TYPE,  /* type of objects; its parent is the code that created them or the type that
                      * retains them */
    MP_WEIGHT_GROUP, /* program, with its methods below */
    MP_WEIGHT_NONE,  /* placeholder such as "(session)" for unknown code */
} mp_weight_kind;

/* Name of the frame above the methods of a profile without a call tree. */
#define MP_CALLERS_NOT_KNOWN "(callers unknown)"

/* A frame, below its caller. Frames of one caller differ in kind, name, line or start line, except
 * for overloads that the recording does not distinguish. */
typedef struct mp_weight_frame {
    uint32_t parent; /* number of the caller's frame, smaller than its own */
    mp_weight_kind kind;
    const char *name;   /* name as recorded */
    const char *shown;  /* complete label, if it is not made of the other members; or NULL */
    const char *object; /* name that all objects of this type frame have; or NULL */
    const char *source; /* source file or program, if recorded separately; or NULL */
    const char *module; /* program or library; or NULL */
    const char *thread, *request; /* thread and request that created the objects, if each has its
                                     own frames; or NULL */
    uint32_t line;                /* line in this function that calls or creates; MP_NO_LINE:
                                   * unknown */
    uint32_t called_at;           /* line in the caller that calls this function; MP_NO_LINE:
                                   * unknown */
    uint32_t start_line;          /* first line of the function; 0: unknown */
    uint32_t overload; /* number, from 1, among frames with the same name and start line; or 0 */
    bool tells_start;  /* the label shows start_line, because the line is unknown or several
                        * functions have this name */
    bool allocator;    /* frame of an allocator, which never names a site */
} mp_weight_frame;

/* Weight of a frame, in bytes, microseconds, calls or samples: its own (`self`), and with all
 * frames below it (`total`). */
typedef struct mp_weight {
    int64_t self, total;
    int64_t own_count, all_count; /* number of objects or calls; 0 for samples */
} mp_weight;

enum { MP_MOST_WEIGHINGS = 4 };

typedef struct mp_weights {
    mp_weight_frame *frames;
    uint32_t count; /* number of frames, including frame 0; frames without weight in or below them
                       are left out */
    size_t columns;
    mp_weighing weighings[MP_MOST_WEIGHINGS]; /* metric of each column */
    mp_weight *items[MP_MOST_WEIGHINGS];      /* weights of each column, by frame */
    uint32_t left_out; /* number of frames with weight that were combined into "(smaller ones)" */
    mp_arena names;
} mp_weights;

/* Return the weights of the filtered model. For heaps and dumps, they are those up to the end of
 * the window; for profiles, `window` is NULL. The model must have all the metrics.
 * MP_WEIGH_RETAINED must be the only column. Metrics of profiles cannot be combined with metrics of
 * heaps. Names belong to the model or to `names`. Release with mp_weights_free. */
mp_weights mp_weights_of(const mp_filter *filter, const mp_window *window,
                         const mp_weighing *weighing, size_t columns);
/* Return the weights of a heap like mp_weights_of, but with separate frames of a type for each
 * thread and each request that created its objects. */
mp_weights mp_weights_apart(const mp_window *window, const mp_weighing *weighing, size_t columns);
/* Return the frames of all selected objects of a heap, whenever they were alive, without weights.
 * Set *frame_of to the frame of each context (0: none); release it with free(). */
mp_weights mp_weights_of_contexts(const mp_window *window, uint32_t **frame_of);
void mp_weights_free(mp_weights *weights);
/* Return one column, reduced to about the `most` heaviest frames. Omitted frames are combined into
 * one frame below each frame that is kept, so sums do not change. Names live as long as those of
 * `from`. */
mp_weights mp_weights_pruned(const mp_model *model, const mp_weights *from, size_t column,
                             uint32_t most);

/* Return the label of a frame: "name:line", or "name (from line)" if only the first line is known.
 * The text belongs to the arena. */
const char *mp_weight_label(mp_arena *arena, const mp_weight_frame *frame);

/* --- building a tree --- */

/* A tree that is being built. Callers must be added before their callees. */
typedef struct mp_weigher {
    const mp_model *model;
    mp_weights weights;
    size_t capacity;
    size_t room[MP_MOST_WEIGHINGS];
} mp_weigher;

/* Return a tree that has only the frame for everything. `columns` is the number of weighings, which
 * are copied. */
mp_weigher mp_weigher_of(const mp_model *model, const mp_weighing *weighing, size_t columns);
/* Add a frame, still without weight, and return its number. */
uint32_t mp_weigher_add(mp_weigher *weigher, mp_weight_frame frame);
/* Add to the weight of a frame itself. */
static inline void mp_weigh(mp_weigher *weigher, size_t column, uint32_t frame, int64_t self,
                            int64_t count)
{
    weigher->weights.items[column][frame].self += self;
    weigher->weights.items[column][frame].own_count += count;
}
/* Compute the totals of all frames, and return the finished weights. */
mp_weights mp_weigher_end(mp_weigher *from);

/* Return the weights of an execution profile (mp_weights_of_profile), or the weights of a heap
 * dump, which are made from its dominators (mp_weights_of_dump). */
mp_weights mp_weights_of_profile(const mp_filter *filter, const mp_weighing *weighing,
                                 size_t columns);
mp_weights mp_weights_of_dump(const mp_filter *filter);
