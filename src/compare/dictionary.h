/* The dictionary of texts and frames that digests share, keys made of them, and lists of amounts by
 * key. */
#ifndef MP_COMPARE_DICTIONARY_H
#define MP_COMPARE_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"

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
/* How many there are. */
uint32_t mp_dictionary_frame_count(const mp_dictionary *dictionary);
/* Valid until the next mp_dictionary_frame. */
const mp_frame_key *mp_dictionary_frame_at(const mp_dictionary *dictionary, uint32_t frame);

/* Facts about a frame with all its callers. */
typedef struct mp_frame_facts {
    uint32_t depth;      /* how many frames they are */
    uint32_t allocators; /* the outermost of those of allocators that go on from here; 0: none */
    int64_t lines;       /* the sum of the lines at which they were called */
} mp_frame_facts;
/* Valid until the next mp_dictionary_frame; of 0 all is 0. */
const mp_frame_facts *mp_dictionary_facts(const mp_dictionary *dictionary, uint32_t frame);

/* A frame with the line at which it is. */
typedef struct mp_stack_frame {
    uint32_t place, line;
} mp_stack_frame;
/* The innermost one from there that is no allocator's own; the frame itself where all are. */
mp_stack_frame mp_dictionary_site(const mp_dictionary *dictionary, mp_stack_frame frame);

/* Parts of mp_amounts that a recording has. */
enum {
    MP_HAS_LIVE = 1,
    MP_HAS_HISTORY = 2,
    MP_HAS_RETAINED = 4,
    MP_HAS_COSTS = 8,
    MP_HAS_SCOPED = 16,
    MP_HAS_GARBAGE = 32, /* a whole dump: what no root reaches */
};

/* `scoped_bytes` of a sum: what is scoped to one of its parts may be another one's own, or be
 * scoped to both. Less than 0, and small enough to be subtracted. */
enum { MP_SCOPED_UNKNOWN = -1 };

/* Objects, bytes, microseconds: by name, and as mp_amount_fields lists them. `objects` and `bytes`
 * are alive at the digest's `to`, and so are `scoped_bytes`: of what an entry does not have itself
 * but is scoped to it, directly or through other owners. Sites that differ in the names of their
 * objects alone tell those of all of them, as they are compared as one. */
enum { MP_AMOUNTS = 14 };
typedef union mp_amounts {
    struct {
        int64_t objects, bytes;
        int64_t created, created_bytes, deleted;
        int64_t leaked_objects, leaked_bytes;
        int64_t retained_bytes;
        int64_t exclusive_us, calls;
        int64_t scoped_bytes;
        int64_t accepted_objects,
            accepted_bytes;    /* objects and bytes of leaks that suppressions accept */
        int64_t leaking_bytes; /* that leak steadily; 0 in baselines, which do not keep them */
    };
    int64_t values[MP_AMOUNTS];
} mp_amounts;

typedef struct mp_amount_field {
    const char *name; /* in baselines; NULL: they do not keep it */
    unsigned has;     /* the bit that says whether it is known */
} mp_amount_field;
extern const mp_amount_field mp_amount_fields[MP_AMOUNTS];

/* Field by field; of what is scoped, the sum is unknown where it may count something twice. Amounts
 * of a recording, or of all lines of a baseline, never overflow. */
mp_amounts mp_amounts_add(mp_amounts a, mp_amounts b);
mp_amounts mp_amounts_subtract(mp_amounts a, mp_amounts b);
/* Return whether both are alike in all that baselines keep. */
bool mp_amounts_equal(const mp_amounts *a, const mp_amounts *b);

/* Return by how many bytes more of something leak steadily than in a base; 0: it does not leak, or
 * leaks no more than there. A base that is a baseline says only what was left behind. */
int64_t mp_leaking_change(const mp_amounts *base, const mp_amounts *now);

/* Identity of an entry. Heap: type and stack; `frame` and `line` are where objects were created
 * (frame 0: outside the program's code). Profile: the method, as `program` and `name`. Group:
 * `name`. */
typedef struct mp_entry_key {
    uint32_t type;     /* text; of an inherited method: the class that ran it, or none */
    uint32_t name;     /* text: of the object, of the method, of the group */
    uint32_t program;  /* text: where it is: the innermost function or source that is no allocator's
                          own; the program of a method */
    uint32_t frame;    /* innermost */
    uint32_t line;     /* in it; MP_NO_LINE: not told */
    uint32_t start;    /* line that a method begins at: of overloads; 0: not known */
    uint32_t overload; /* number among methods of one name and start, from 0 */
} mp_entry_key;

typedef struct mp_entry {
    mp_entry_key key;
    mp_amounts amounts;
} mp_entry;

typedef struct mp_entries {
    mp_entry *items;
    size_t count, capacity;
    mp_hash_index index; /* index of the keys */
} mp_entries;

/* The key's entry, made without amounts if it is new. Valid until the next one. */
mp_entry *mp_entry_for(mp_entries *entries, mp_entry_key key);
void mp_entries_free(mp_entries *entries);

/* Return the family of each frame: frames of one family have equal names up to the root,
 * whatever their lines. Release with free(). */
uint32_t *mp_key_families(const mp_dictionary *dictionary);

/* By type, program, name, then stack: the outermost frame that differs decides, by its name, then
 * by its line. Total. */
int mp_key_compare(const mp_dictionary *dictionary, const mp_entry_key *a, const mp_entry_key *b);

#endif
