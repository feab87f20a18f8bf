/* Weights: what a recording spends or holds, by stack, as one flat tree of frames.
 *
 * Whoever draws stacks or writes them for another tool begins here. The tree stands in an array,
 * callers before what they call: sums over it are one loop backwards, and nothing needs a stack of
 * its own however deep it is. The sums of all frames are the totals of reports, to the byte. */
#ifndef MP_QUERY_WEIGHTS_H
#define MP_QUERY_WEIGHTS_H

#include "base/memory.h"
#include "query/filter.h"
#include "query/window.h"

/* Metric: bytes and objects, or time; for profiles, microseconds and calls. */
typedef enum mp_weighing {
    MP_WEIGH_LEAKED,    /* leaked_bytes, leaked_objects */
    MP_WEIGH_ALIVE,     /* live_bytes, live_objects */
    MP_WEIGH_CREATED,   /* created_bytes (sizes at creation), created_objects */
    MP_WEIGH_TEMPORARY, /* temporary_bytes, temporary_objects */
    MP_WEIGH_SECONDS,   /* microseconds; counts are calls */
    MP_WEIGH_CALLS,     /* calls; no counts */
    MP_WEIGH_RETAINED,  /* bytes and objects of a heap dump, by what dominates them */
    MP_WEIGHINGS,
} mp_weighing;

/* "leaked", "alive", "created", "temporary", "seconds", "calls", "retained". */
const char *mp_weighing_name(mp_weighing weighing);
/* Return true if the filtered model has the metric. */
bool mp_weighing_fits(const mp_filter *filter, mp_weighing weighing);
/* Return the default metric: leaked, seconds, retained, or alive. */
mp_weighing mp_weighing_usual(const mp_filter *filter);

typedef enum mp_weight_kind {
    MP_WEIGHT_ALL,  /* frame 0, which stands above all others */
    MP_WEIGHT_CODE, /* a frame of the stack */
    MP_WEIGHT_TYPE, /* type of objects: innermost, below the code that created them; in dumps, below
                       the type that holds them */
    MP_WEIGHT_GROUP, /* a program, with its methods below */
    MP_WEIGHT_NONE,  /* nothing is known there, as the name says: "(session)" */
} mp_weight_kind;

/* Frame above the methods of a profile without a call tree. */
#define MP_CALLERS_NOT_KNOWN "(callers unknown)"

/* A frame, below its caller. Of one caller no two frames have all of kind, name, line and start
 * alike but for overloads that the recording itself does not tell apart. */
typedef struct mp_weight_frame {
    uint32_t parent; /* less than the frame's own number */
    mp_weight_kind kind;
    const char *name;   /* as the recording says it */
    const char *object; /* name that all objects of a type have here; or NULL */
    const char *source; /* file or program it is written in, where it is told apart; or NULL */
    const char *module; /* program or library; or NULL */
    const char *thread, *request; /* creators of a type's objects, if told apart; or NULL */
    uint32_t line;                /* in it, where it calls or creates; MP_NO_LINE: not told */
    uint32_t called_at;           /* line of its caller; MP_NO_LINE: not told */
    uint32_t start_line;          /* that it begins at; 0: not told */
    uint32_t overload; /* number, from 1, among frames with the same name and start line; or 0 */
    bool tells_start;  /* its label does: that tells it from others, or no line is known */
    bool allocator;    /* an allocator's own: does not name a site */
} mp_weight_frame;

/* `self` of what ends at the frame, `total` with all that is below: bytes, microseconds, calls. */
typedef struct mp_weight {
    int64_t self, total;
    int64_t own_count, all_count; /* objects, calls */
} mp_weight;

enum { MP_MOST_WEIGHINGS = 4 };

typedef struct mp_weights {
    mp_weight_frame *frames;
    uint32_t count; /* with frame 0; frames that nothing of any column is below are not there */
    size_t columns;
    mp_weighing weighings[MP_MOST_WEIGHINGS]; /* each column */
    mp_weight *items[MP_MOST_WEIGHINGS];      /* weights of each column, by frame */
    uint32_t left_out; /* number of frames with any weight that "(smaller ones)" replaces */
    mp_arena names;
} mp_weights;

/* Weigh what the filter lets count; of heaps and dumps up to the end of the window, which is NULL
 * of profiles. All columns must fit the filter; MP_WEIGH_RETAINED stands alone, and
 * MP_WEIGH_SECONDS and MP_WEIGH_CALLS stand with nothing of heaps. Names are the model's or in
 * `names`. Release with mp_weights_free. */
mp_weights mp_weights_of(const mp_filter *filter, const mp_window *window,
                         const mp_weighing *weighing, size_t columns);
/* The same of a heap, with a frame of a type for each thread and request that created it there. */
mp_weights mp_weights_apart(const mp_window *window, const mp_weighing *weighing, size_t columns);
/* The frames of all objects of a heap that count, whenever they were alive, without weights; by
 * context its frame, 0: none, which is released with free(). */
mp_weights mp_weights_of_contexts(const mp_window *window, uint32_t **frame_of);
void mp_weights_free(mp_weights *weights);
/* One column, of at most about `most` frames, the heaviest: what is left out is one frame below
 * each of them, so sums stay what they are. Its names live as long as those of `from`. */
mp_weights mp_weights_pruned(const mp_model *model, const mp_weights *from, size_t column,
                             uint32_t most);

/* "name:line" of a frame as stacks are told everywhere, "name (from line)" where only that is
 * known; in the arena. */
const char *mp_weight_label(mp_arena *arena, const mp_weight_frame *frame);

/* --- how they are put together --- */

/* A tree while it grows, each frame behind the one that calls it. */
typedef struct mp_weigher {
    const mp_model *model;
    mp_weights weights;
    size_t capacity;
    size_t room[MP_MOST_WEIGHINGS];
} mp_weigher;

mp_weigher mp_weigher_of(const mp_model *model, const mp_weighing *weighing, size_t columns);
/* A new frame, without weights. */
uint32_t mp_weigher_add(mp_weigher *weigher, mp_weight_frame frame);
/* Add to what a frame has itself. */
static inline void mp_weigh(mp_weigher *weigher, size_t column, uint32_t frame, int64_t self,
                            int64_t count)
{
    weigher->weights.items[column][frame].self += self;
    weigher->weights.items[column][frame].own_count += count;
}
/* Sum up what is below each frame. */
mp_weights mp_weigher_end(mp_weigher *from);

/* The tree of an execution profile, and of a heap dump by its dominators. */
mp_weights mp_weights_of_profile(const mp_filter *filter, const mp_weighing *weighing,
                                 size_t columns);
mp_weights mp_weights_of_dump(const mp_filter *filter);

#endif
