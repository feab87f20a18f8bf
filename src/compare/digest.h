/* Digests: the figures of a recording by name and stack, without ids, for comparison with other
 * recordings.
 *
 * Ids of objects, nodes and modules are valid in one file only; names and call stacks are valid in
 * all. A digest lists what was alive, leaked, retained or spent at each site, type, line or method.
 * Texts and frames are numbers in a dictionary that the compared digests share, so equal numbers
 * are equal texts. A digest is small. Except for `largest`, it does not depend on the model. */
#pragma once

#include "base/index.h"
#include "compare/dictionary.h"
#include "model/model.h"
#include "query/query.h"
#include "query/weights.h"

/* Lists of a digest. */
typedef enum mp_level {
    MP_LEVEL_SITE,   /* heaps: by type, name, stack and line; dumps: by type */
    MP_LEVEL_TYPE,   /* heaps: by type; with retained size if there is a graph */
    MP_LEVEL_LINE,   /* profiles: by program, method and line */
    MP_LEVEL_METHOD, /* profiles: by program and method */
    MP_LEVEL_MODULE, /* profiles: by program */
    MP_LEVEL_GROUP,  /* groups by options->dimension */
    /* Dumps: the dominator tree, if requested. A node is identified by the path of types from
     * the root to it, which is its `frame`; frame 0 has all unreachable objects. Objects and
     * bytes of the nodes add up to the totals. Retained sizes do not, because each includes the
     * nodes below. */
    MP_LEVEL_DOMINATOR,
    /* Profiles: call paths, if requested. `frame` is the path, without lines; exclusive times add
     * up to the totals. The `line` of a frame encodes its kind and overload: see mp_path_kind and
     * mp_path_overload. */
    MP_LEVEL_PATH,
    MP_LEVELS,
} mp_level;

/* mp_path_kind returns the kind of a frame in a path. mp_path_overload returns the overload number
 * of a method: its number, from 1, among the methods with its name in the order of their lines, or
 * 0 if there is no other. */
static inline mp_weight_kind mp_path_kind(uint32_t line)
{
    return (mp_weight_kind)(line >> 24);
}
static inline uint32_t mp_path_overload(uint32_t line)
{
    return line & 0xffffff;
}

/* Return "site", "type", "line", "method" or "module"; NULL for lists that are not stored in
 * baselines. */
const char *mp_level_name(mp_level level);

/* The largest object of a node, as its number in the graph from which the digest was made, and the
 * bytes that all other objects of the node retain. */
typedef struct mp_largest_object {
    uint32_t object;
    int64_t other_bytes;
} mp_largest_object;

typedef struct mp_digest {
    mp_kind kind;
    unsigned holds; /* capabilities of the recording: MP_HOLDS_... */
    /* Name of the measured cost of a profile, as in mp_profile; "" for other kinds. Noun for
     * messages: "a profile of sampled time (cpu)". Digests can be compared only if their nouns are
     * equal. Texts of the dictionary. */
    const char *measure, *noun;
    const char *path,
        *format; /* path of the first input, in the dictionary; name of its format, static */
    uint32_t format_version;
    uint64_t bytes, records;            /* totals of all inputs */
    bool complete, open_ended, damaged; /* as in mp_input_summary */
    bool torn;   /* baseline made from truncated or damaged input, as allowed by an option */
    bool in_use; /* the window ends before the process or the log ends, so objects in use count as
                    left behind */
    bool late;   /* the window ends after the clean-up, when leaks are no longer visible */
    bool leaks_unknown;     /* too few snapshots to tell whether all sites leak */
    bool of_moment;         /* the user selected a snapshot, so `complete` does not matter */
    bool partial;           /* a profile that has only its hottest lines */
    bool tells_no_part;     /* an old baseline that does not say whether it is partial */
    bool has_paths;         /* profile with a call tree, and MP_LEVEL_PATH was requested */
    mp_unmatched unmatched; /* patterns of the selection that nothing matched */
    bool kept; /* the digest was read from a baseline, which stores only levels with a name */
    /* Options that select a part of the recording, such as "--type X --from 2"; "" for none.
     * Digests can be compared only if these are equal. Text of the dictionary. */
    const char *conditions;
    int64_t start_us; /* start of the first session, microseconds since 1970, UTC; 0: unknown */
    bool has_stamp;   /* a dump with a clock; its 32 bits do not give a date */
    uint32_t stamp_ms;
    /* For a baseline of several runs: one digest per run. This digest is then the middle one
     * (runs.h). NULL and 0 for a single run. */
    struct mp_digest **runs;
    size_t run_count;
    mp_checksum *checksums; /* known checksums of the inputs */
    size_t checksum_count;
    unsigned has; /* amounts that are known: MP_HAS_... */
    mp_amounts totals;
    int64_t peak_objects, peak_bytes;
    int64_t unreachable_bytes; /* unreachable part of the totals; valid with MP_HAS_GARBAGE */
    uint64_t modules;
    mp_entries lists[MP_LEVELS]; /* lists that the kind of recording has; keys are unique */
    /* For nodes of MP_LEVEL_DOMINATOR: an object that retains most (over 70 %) of the bytes that
     * the node retains, and its place by frame, from 1. Nodes without such an object are left out.
     * If names were rewritten, or references of the format have no names, all nodes are left
     * out. */
    MP_LIST(mp_largest_object) largest;
    mp_id_index largest_by_frame;
} mp_digest;

/* Options for making a digest. */
typedef struct mp_digest_options {
    bool ignore_lines;                /* treat all lines as equal */
    const char *const *substitutions; /* "s/REGEX/TEXT/"; applied to all texts in this order */
    size_t substitution_count;
    const mp_dimension *dimension; /* grouping for MP_LEVEL_GROUP; NULL: none */
    bool without_retained; /* leave out the retained sizes of types, which take long to compute */
    bool dominators;       /* fill MP_LEVEL_DOMINATOR; needs a complete dump */
    bool paths;            /* fill MP_LEVEL_PATH */
} mp_digest_options;

/* Make the digest of a window or, if `window` is NULL, of an execution profile. Release with
 * mp_digest_free. Return NULL with an error if a substitution fails. */
mp_digest *mp_digest_of(const mp_filter *filter, const mp_window *window, mp_dictionary *dictionary,
                        const mp_digest_options *options, mp_error *error);
void mp_digest_free(mp_digest *digest);
/* Set the measure and the noun of a digest, by its kind and capabilities. */
void mp_digest_name(mp_digest *digest, const char *measure, mp_dictionary *dictionary);
void mp_digest_add_checksum(mp_digest *digest, mp_checksum checksum);

/* Return the reason why the figures of two digests cannot be compared, for example because one run
 * is complete and the other is not; NULL if they can be compared. `cut_too`: accept an incomplete
 * digest. The text belongs to the arena. */
const char *mp_incomparable(mp_arena *arena, const mp_digest *base, const mp_digest *now,
                            bool cut_too);

/* Return true if `first` is later than `second`, by the times in the recordings. */
bool mp_is_later(const mp_digest *first, const mp_digest *second);

/* --- differences --- */

typedef enum mp_match {
    MP_MATCH_EXACT,    /* same key, lines included */
    MP_MATCH_STACK,    /* same type and stack, different lines */
    MP_MATCH_FUNCTION, /* same type and innermost function */
    MP_MATCH_NONE,     /* only in one of the digests */
} mp_match;

/* Return "exact", "stack" or "type-and-function" for a match; NULL for MP_MATCH_NONE. */
const char *mp_match_name(mp_match match);

typedef enum mp_change {
    MP_CHANGE_NONE,
    MP_CHANGE_NEW,
    MP_CHANGE_GONE,
    MP_CHANGE_GROWN,
    MP_CHANGE_SHRUNK,
} mp_change;

/* Return "new", "gone", "grown", "shrunk" or "unchanged". */
const char *mp_change_name(mp_change change);

/* An entry of two recordings, or the sum of several entries that could only be matched together. */
typedef struct mp_difference {
    mp_change change;
    mp_match match;
    mp_entry_key key; /* key in `now`; if the entry is gone, its key in the base */
    size_t entries;   /* number of summed entries on the side with more of them */
    mp_amounts base, now;
} mp_difference;

typedef struct mp_differences {
    mp_difference *items;
    size_t count;
} mp_differences;

/* Match the entries of one list, in the steps that mp_match names. Release the result's `items`
 * with free().
 *
 * The result also has the entries that did not change. Changed entries come first, sorted by the
 * change of bytes (or microseconds), then by the change of objects (or calls), largest first, then
 * by key. Nodes of dominator trees are matched by equal paths only and sorted differently: first
 * nodes that retain more than in the base, then the others; each by size of the change, outer nodes
 * before inner ones.
 *
 * The differences of (a, b) mirror those of (b, a). Their sums are the difference of the sums of
 * both lists. */
mp_differences mp_differences_of(const mp_dictionary *dictionary, const mp_digest *base,
                                 const mp_digest *now, mp_level level);
