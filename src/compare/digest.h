/* Digests: what a recording says by names and stacks, never by ids, so that another recording can
 * be held against it.
 *
 * Ids of objects, nodes and modules mean nothing beyond their file; names and call stacks do. A
 * digest lists what was alive, leaked, kept alive or spent at each site, type, line or method, all
 * of it said in texts and frames of a dictionary that the digests to be compared share: there,
 * equal numbers are equal texts. A digest is small, and outlives the model that it was made of. */
#ifndef MP_COMPARE_DIGEST_H
#define MP_COMPARE_DIGEST_H

#include "compare/dictionary.h"
#include "model/model.h"
#include "query/query.h"
#include "query/weights.h"

/* The lists of a digest. */
typedef enum mp_level {
    MP_LEVEL_SITE,   /* heaps: by type, name, stack and line; of dumps, by type */
    MP_LEVEL_TYPE,   /* heaps: by type; with what the type retains where there is a graph */
    MP_LEVEL_LINE,   /* profiles: by program, method and line */
    MP_LEVEL_METHOD, /* profiles: by program and method */
    MP_LEVEL_MODULE, /* profiles: by program */
    MP_LEVEL_GROUP,  /* by the dimension that was asked for */
    /* Dumps: the dominator tree, if it was asked for: nodes by their paths of types. `frame` is the
     * path, the root outermost; 0: what no root reaches. Their own objects and bytes are the
     * totals'; what they retain does not add up, as it contains what is below. */
    MP_LEVEL_DOMINATOR,
    /* Profiles: paths of calls, if they were asked for. `frame` is the path, without lines; what
     * its innermost frame costs itself adds up to the totals. A frame's `line` says what it is:
     * mp_path_kind, mp_path_overload. */
    MP_LEVEL_PATH,
    MP_LEVELS,
} mp_level;

/* Return the kind of a frame in a path. Its overload number counts methods of one name from 1,
 * in the order of their lines; 0: there is only one. */
static inline mp_weight_kind mp_path_kind(uint32_t line)
{
    return (mp_weight_kind)(line >> 24);
}
static inline uint32_t mp_path_overload(uint32_t line)
{
    return line & 0xffffff;
}

/* "site", "type", "line", "method", "module"; NULL of those that no baseline keeps. */
const char *mp_level_name(mp_level level);

typedef struct mp_digest {
    mp_kind kind;
    unsigned holds;            /* capabilities of the recording: MP_HOLDS_... */
    const char *path, *format; /* first input's path, in the dictionary, and format, static */
    uint32_t format_version;
    uint64_t bytes, records;   /* totals of all inputs */
    bool complete, open_ended; /* as of an input */
    bool torn;                 /* baseline made from truncated or damaged input, as allowed */
    bool in_use;    /* its window ends before its process or log does: that counts as leaked */
    bool late;      /* its window ends where nothing tells any more what leaked */
    bool of_moment; /* a snapshot of it was named: whether it is complete says nothing of that */
    bool partial;   /* the hottest lines of a profile alone */
    bool tells_no_part; /* old baseline, which does not tell if it is partial */
    bool has_paths;     /* a profile with a call tree, of which MP_LEVEL_PATH was asked for */
    bool kept;          /* read from a baseline, which has levels with a name alone */
    /* The options that say what of the recording it is about, as "--type X --from 2"; "" for none.
     * Two digests can be compared if theirs are the same. Of the dictionary. */
    const char *conditions;
    int64_t start_us; /* when the first session began, since 1970, UTC; 0: not known */
    bool has_stamp;   /* dump with a clock, whose 32 bits tell no date */
    uint32_t stamp_ms;
    /* For a baseline of several runs: one digest per run; this one is the middle one (runs.h).
     * NULL and 0: a single run. */
    struct mp_digest **runs;
    size_t run_count;
    mp_checksum *checksums; /* checksums of the inputs, as far as they are known */
    size_t checksum_count;
    unsigned has; /* MP_HAS_... */
    mp_amounts totals;
    int64_t peak_objects, peak_bytes;
    int64_t unreachable_bytes; /* unreachable part of the totals; set with MP_HAS_GARBAGE */
    uint64_t modules;
    mp_entries lists[MP_LEVELS]; /* those that the kind has; no two entries of one key */
} mp_digest;

/* How names are read. */
typedef struct mp_digest_options {
    bool ignore_lines;                /* all lines are one */
    const char *const *substitutions; /* "s/REGEX/TEXT/", applied to all texts in this order */
    size_t substitution_count;
    const mp_dimension *dimension; /* fills MP_LEVEL_GROUP; NULL: none */
    bool without_retained;         /* retained sizes of types, which take long, are left out */
    bool dominators;               /* fills MP_LEVEL_DOMINATOR, of a whole dump */
    bool paths;                    /* fills MP_LEVEL_PATH */
} mp_digest_options;

/* Make the digest of a window, or of an execution profile (`window` NULL). Release with
 * mp_digest_free. NULL with a message: a substitution cannot be done. */
mp_digest *mp_digest_of(const mp_filter *filter, const mp_window *window, mp_dictionary *dictionary,
                        const mp_digest_options *options, mp_error *error);
void mp_digest_free(mp_digest *digest);
void mp_digest_add_checksum(mp_digest *digest, mp_checksum checksum);

/* Why figures of both are those of different things, as of a run that came to its end and of one
 * that still runs; NULL: they are not. `cut_too`: that one of them is cut short is what was asked
 * for. In the arena. */
const char *mp_incomparable(mp_arena *arena, const mp_digest *base, const mp_digest *now,
                            bool cut_too);

/* Return true if the first is later than the second, by their own times. */
bool mp_is_later(const mp_digest *first, const mp_digest *second);

/* --- differences --- */

typedef enum mp_match {
    MP_MATCH_EXACT,    /* same key, lines included */
    MP_MATCH_STACK,    /* same type and stack, other lines */
    MP_MATCH_FUNCTION, /* same type and innermost function */
    MP_MATCH_NONE,     /* it is in one of the two alone */
} mp_match;

/* "exact", "stack", "type-and-function"; NULL for none. */
const char *mp_match_name(mp_match match);

typedef enum mp_change {
    MP_CHANGE_NONE,
    MP_CHANGE_NEW,
    MP_CHANGE_GONE,
    MP_CHANGE_GROWN,
    MP_CHANGE_SHRUNK,
} mp_change;

/* "new", "gone", "grown", "shrunk", "unchanged". */
const char *mp_change_name(mp_change change);

/* One thing in two recordings. Where several entries could only be matched together, their sum. */
typedef struct mp_difference {
    mp_change change;
    mp_match match;
    mp_entry_key key; /* key of the new entry, or of the base's if it is gone */
    size_t entries;   /* that it is the sum of, of the side that has more */
    mp_amounts base, now;
} mp_difference;

typedef struct mp_differences {
    mp_difference *items;
    size_t count;
} mp_differences;

/* Match the entries of one list in steps, as mp_match names them. All of them, also the unchanged:
 * what changed first, largest change of bytes (or of microseconds) first, then of objects (calls),
 * then by key. Nodes of dominator trees are matched by the same path alone: of what changed, what
 * retains more comes first, the largest change first, and of equal changes the outer node.
 * Differences of mp_differences_of(a, b) are those of (b, a) mirrored, and their
 * sums are the difference of the sums of the lists. Release with free(result.at). */
mp_differences mp_differences_of(const mp_dictionary *dictionary, const mp_digest *base,
                                 const mp_digest *now, mp_level level);

#endif
