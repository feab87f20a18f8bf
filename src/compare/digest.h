/* Digests: what a recording says, by key alone, so that another recording can be held against
 * it.
 *
 * Ids of objects, nodes and modules mean nothing beyond their file; names and call stacks do. A
 * digest lists what was alive, leaked, kept alive or spent at each site, type, line or method, all
 * of it said in texts and frames of a dictionary that the digests to be compared share: there,
 * equal numbers are equal texts. A digest is small, and outlives the model that it was made of. */
#ifndef MP_COMPARE_DIGEST_H
#define MP_COMPARE_DIGEST_H

#include "base/error.h"
#include "base/index.h"
#include "model/model.h"
#include "query/query.h"

/* The dictionary. Texts and frames are numbered from 1; 0 is none. */
typedef struct mp_dictionary mp_dictionary;

/* One of its own for all digests that are to be compared; not for several threads at once. */
mp_dictionary *mp_dictionary_new(void);
/* Digests that were made with it are of no use then. NULL: nothing happens. */
void mp_dictionary_free(mp_dictionary *dictionary);

/* The number of a text; 0 for NULL or "". */
uint32_t mp_dictionary_id(mp_dictionary *dictionary, const char *text);
/* "" for 0. Lives as long as the dictionary. */
const char *mp_dictionary_text(const mp_dictionary *dictionary, uint32_t text);

/* Frames make a tree as in a model: `name` was called by frame `caller` at the caller's line
 * `line`. */
typedef struct mp_frame_key {
    uint32_t caller, name, line;
    bool allocator; /* an allocator's own: does not name a site */
} mp_frame_key;

/* The number of a frame; larger than its caller's, which must have one or be 0: the outermost. */
uint32_t mp_dictionary_frame(mp_dictionary *dictionary, mp_frame_key frame);
/* Valid until the next mp_dictionary_frame. */
const mp_frame_key *mp_dictionary_frame_at(const mp_dictionary *dictionary, uint32_t frame);

/* What of mp_amounts a recording knows. */
enum {
    MP_HAS_LIVE = 1,
    MP_HAS_HISTORY = 2,
    MP_HAS_RETAINED = 4,
    MP_HAS_COSTS = 8,
};

/* Objects, bytes, microseconds: by name, and as mp_amount_fields lists them. `objects` and `bytes`
 * are alive at the digest's `to`. */
enum { MP_AMOUNTS = 10 };
typedef union mp_amounts {
    struct {
        int64_t objects, bytes;
        int64_t created, created_bytes, deleted;
        int64_t leaked_objects, leaked_bytes;
        int64_t retained_bytes;
        int64_t exclusive_us, calls;
    };
    int64_t at[MP_AMOUNTS];
} mp_amounts;

typedef struct mp_amount_field {
    const char *name; /* in baselines */
    unsigned has;     /* the bit that says whether it is known */
} mp_amount_field;
extern const mp_amount_field mp_amount_fields[MP_AMOUNTS];

/* Field by field. Amounts of a recording, or of all lines of a baseline, never overflow. */
mp_amounts mp_amounts_add(mp_amounts a, mp_amounts b);
mp_amounts mp_amounts_subtract(mp_amounts a, mp_amounts b);

/* What an entry is about. Of a heap: type and stack; `frame` with `line` is where objects were
 * created (frame 0: outside the program's code). Of a profile: `program` and `method`. Of a group:
 * `name`. */
typedef struct mp_entry_key {
    uint32_t type;     /* text */
    uint32_t name;     /* text: of the object, of the method, of the group */
    uint32_t program;  /* text: where it is: the innermost function or source that is no allocator's
                          own; the program of a method */
    uint32_t frame;    /* innermost */
    uint32_t line;     /* in it; MP_NO_LINE: not told */
    uint32_t overload; /* of methods of one name, from 0 */
} mp_entry_key;

typedef struct mp_entry {
    mp_entry_key key;
    mp_amounts amounts;
} mp_entry;

/* The lists of a digest. */
typedef enum mp_level {
    MP_LEVEL_SITE,   /* heaps: by type, name, stack and line; of dumps, by type */
    MP_LEVEL_TYPE,   /* heaps: by type; with what the type retains where there is a graph */
    MP_LEVEL_LINE,   /* profiles: by program, method and line */
    MP_LEVEL_METHOD, /* profiles: by program and method */
    MP_LEVEL_MODULE, /* profiles: by program */
    MP_LEVEL_GROUP,  /* by the dimension that was asked for */
    MP_LEVELS,
} mp_level;

/* "site", "type", "line", "method", "module"; NULL of MP_LEVEL_GROUP, which has its dimension's. */
const char *mp_level_name(mp_level level);

typedef struct mp_entries {
    mp_entry *at;
    size_t count, capacity;
    mp_hash_index index; /* of the keys */
} mp_entries;

typedef struct mp_digest {
    mp_kind kind;
    const char *path, *format; /* of the first input; of the dictionary, static */
    uint32_t format_version;
    uint64_t bytes, records; /* of all inputs */
    bool complete;
    bool kept; /* read from a baseline, which has no MP_LEVEL_GROUP */
    /* The options that say what of the recording it is about, as "--type X --from 2"; "" for none.
     * Two digests can be compared if theirs are the same. Of the dictionary. */
    const char *conditions;
    unsigned has; /* MP_HAS_... */
    mp_amounts totals;
    int64_t peak_objects, peak_bytes;
    uint64_t modules;
    mp_entries lists[MP_LEVELS]; /* those that the kind has; no two entries of one key */
} mp_digest;

/* How names are read. */
typedef struct mp_digest_options {
    bool ignore_lines;                /* all lines are one */
    const char *const *substitutions; /* "s/REGEX/TEXT/", applied to all texts in this order */
    size_t substitution_count;
    const mp_dimension *dimension; /* fills MP_LEVEL_GROUP; NULL: none */
} mp_digest_options;

/* Whether it is "s/REGEX/TEXT/" or "s/REGEX/TEXT/g" in UTF-8, with any one ASCII character but
 * a backslash or the end of a line in place of the slashes; extended regular expressions, \1 to \9
 * and & in TEXT. False with a message. */
bool mp_substitution_check(const char *text, mp_error *error);

/* Make the digest of a window, or of an execution profile (`window` NULL). Release with
 * mp_digest_free. */
mp_digest *mp_digest_of(const mp_filter *filter, const mp_window *window, mp_dictionary *dictionary,
                        const mp_digest_options *options);
void mp_digest_free(mp_digest *digest);

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
    mp_entry_key key; /* of the new one, where there is one */
    size_t entries;   /* that it is the sum of, of the side that has more */
    mp_amounts base, now;
} mp_difference;

typedef struct mp_differences {
    mp_difference *at;
    size_t count;
} mp_differences;

/* Match the entries of one list in steps, as mp_match names them. All of them, also the unchanged:
 * what changed first, largest change of bytes (or of microseconds) first, then of objects (calls),
 * then by key. Differences of mp_differences_of(a, b) are those of (b, a) mirrored, and their
 * sums are the difference of the sums of the lists. Release with free(result.at). */
mp_differences mp_differences_of(const mp_dictionary *dictionary, const mp_digest *base,
                                 const mp_digest *now, mp_level level);

#endif
