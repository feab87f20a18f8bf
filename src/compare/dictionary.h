/* Dictionary of texts and frames that digests share, keys made of them, and lists of amounts by
 * key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"

/* Dictionary of texts and frames, which are numbered from 1; 0 means none. */
typedef struct mp_dictionary mp_dictionary;

/* Create a dictionary. Digests that are compared must share one. It must not be used by several
 * threads at once. Release with mp_dictionary_free. */
mp_dictionary *mp_dictionary_new(void);
/* Copy a dictionary. Its digests can also be used with the copy. The texts are not copied, so the
 * copy must be freed first. */
mp_dictionary *mp_dictionary_copy(const mp_dictionary *dictionary);
/* Free the dictionary; digests that use it become invalid. NULL is allowed. */
void mp_dictionary_free(mp_dictionary *dictionary);

/* Return the number of a text. If the text is new, add it. Return 0 for NULL or "". */
uint32_t mp_dictionary_id(mp_dictionary *dictionary, const char *text);
/* Return the text of a number; "" for 0. It lives as long as the dictionary. */
const char *mp_dictionary_text(const mp_dictionary *dictionary, uint32_t text);

/* A frame of the call tree: `name` was called by frame `caller`, at line `line` of the caller. */
typedef struct mp_frame_key {
    uint32_t caller, name, line;
    bool allocator; /* frame of an allocator, which does not name a site */
} mp_frame_key;

/* Return the number of a frame. If the frame is new, add it. Its caller must be in the dictionary,
 * or 0 for the outermost frame. The number is larger than the number of the caller. */
uint32_t mp_dictionary_frame(mp_dictionary *dictionary, mp_frame_key frame);
/* Return the number of frames. */
uint32_t mp_dictionary_frame_count(const mp_dictionary *dictionary);
/* Return a frame by its number. Valid until the next mp_dictionary_frame. */
const mp_frame_key *mp_dictionary_frame_at(const mp_dictionary *dictionary, uint32_t frame);

/* Properties of a frame and its callers. */
typedef struct mp_frame_facts {
    uint32_t depth;      /* number of frames from the outermost to this one */
    uint32_t allocators; /* outermost of the consecutive allocators that end with this frame; 0: not
                            an allocator */
    int64_t lines;       /* sum of the lines of all calls */
} mp_frame_facts;
/* Return the properties of a frame; all are 0 for frame 0. Valid until the next
 * mp_dictionary_frame. */
const mp_frame_facts *mp_dictionary_facts(const mp_dictionary *dictionary, uint32_t frame);

/* A frame and the current line in it. */
typedef struct mp_stack_frame {
    uint32_t place, line;
} mp_stack_frame;
/* Return the innermost frame that is not an allocator, from this frame outwards. If all are
 * allocators, return this frame. */
mp_stack_frame mp_dictionary_site(const mp_dictionary *dictionary, mp_stack_frame frame);

/* Amounts that a recording has, as bits. */
enum {
    MP_HAS_LIVE = 1,
    MP_HAS_HISTORY = 2,
    MP_HAS_RETAINED = 4,
    MP_HAS_COSTS = 8,
    MP_HAS_SCOPED = 16,
    MP_HAS_GARBAGE = 32, /* unreachable objects of a complete dump */
    /* In place of MP_HAS_COSTS, for profiles without numbers of calls: */
    MP_HAS_SAMPLES = 64, /* costs are samples */
    MP_HAS_TIMES = 128,  /* costs are times */
    /* As MP_HOLDS_UNSIZED and MP_HOLDS_UNCOUNTED, for baselines: */
    MP_HAS_UNSIZED = 256,
    MP_HAS_UNCOUNTED = 512,
};

/* Value of `scoped_bytes` in a sum if its parts may count objects twice: an object that is scoped
 * to one part may belong to another part, or be scoped to both. The value is negative, and small
 * enough to be subtracted. */
enum { MP_SCOPED_UNKNOWN = -1 };

/* Amounts of an entry: objects, bytes and microseconds or samples, by name and in the order of
 * mp_amount_fields. `objects`, `bytes` and `scoped_bytes` are alive at the digest's `to`.
 * `scoped_bytes` counts objects of other entries that are scoped to objects of this entry, directly
 * or through other owners. Sites that differ only in the names of their objects are compared as
 * one, so each of them has the scoped bytes of all. */
enum { MP_AMOUNTS = 14 };
typedef union mp_amounts {
    struct {
        int64_t objects, bytes;
        int64_t created, created_bytes, deleted;
        int64_t leaked_objects, leaked_bytes;
        int64_t retained_bytes;
        int64_t exclusive_us, calls; /* exclusive_us: with MP_HAS_SAMPLES, samples */
        int64_t scoped_bytes;
        int64_t accepted_objects, accepted_bytes; /* leaks that suppressions accept */
        int64_t leaking_bytes; /* steady leaks; 0 in baselines, which do not store them */
    };
    int64_t values[MP_AMOUNTS];
} mp_amounts;

typedef struct mp_amount_field {
    const char *name; /* name in baselines; NULL: not stored */
    unsigned has;     /* MP_HAS_... bits; the amount is known if the recording has one of them */
} mp_amount_field;
extern const mp_amount_field mp_amount_fields[MP_AMOUNTS];
/* Return the name of an amount in baselines that have these MP_HAS_...: "samples" in place of
 * "exclusive_us" for samples. */
const char *mp_amount_name(size_t field, unsigned has);

/* Add or subtract two amounts field by field. The sum of scoped bytes is MP_SCOPED_UNKNOWN if it
 * may count objects twice. Amounts of a recording, and of all lines of a baseline, never
 * overflow. */
mp_amounts mp_amounts_add(mp_amounts a, mp_amounts b);
mp_amounts mp_amounts_subtract(mp_amounts a, mp_amounts b);
/* Return true if both are equal in all fields that baselines store. */
bool mp_amounts_equal(const mp_amounts *a, const mp_amounts *b);

/* Return the increase of steadily leaking bytes since the base; 0 if there is none. A baseline does
 * not store leaking bytes. For a baseline, the increase is therefore at most the increase of the
 * leaked bytes. */
int64_t mp_leaking_change(const mp_amounts *base, const mp_amounts *now);

/* Identity of an entry. Heaps: the type and the stack, where `frame` and `line` are the place of
 * creation (frame 0: not created by the program's code). Profiles: the method, as `program` and
 * `name`. Groups: `name`. Texts are numbers in the dictionary. */
typedef struct mp_entry_key {
    uint32_t type; /* type of the objects; for an inherited method, the class of the object, or 0 */
    uint32_t name; /* name of the object, the method or the group */
    uint32_t program;  /* program of a method; for heaps, the creating function or source */
    uint32_t frame;    /* innermost frame of the stack */
    uint32_t line;     /* line in `frame`; MP_NO_LINE: unknown */
    uint32_t start;    /* first line of a method, which distinguishes overloads; 0: unknown */
    uint32_t overload; /* number among methods with equal name and start, from 0 */
} mp_entry_key;

typedef struct mp_entry {
    mp_entry_key key;
    mp_amounts amounts;
} mp_entry;

typedef struct mp_entries {
    mp_entry *items;
    size_t count, capacity;
    mp_hash_index index; /* index of the entries by key */
} mp_entries;

/* Return the entry with this key; add it with zero amounts if it is new. Valid until the next
 * call. */
mp_entry *mp_entry_for(mp_entries *entries, mp_entry_key key);
void mp_entries_free(mp_entries *entries);

/* Return the family of each frame. Two frames belong to one family if they and all their callers
 * have equal names; lines do not matter. Release with free(). */
uint32_t *mp_key_families(const mp_dictionary *dictionary);

/* Compare two keys by type, program, name, then stack. For stacks, the outermost frame that differs
 * decides, by its name, then by its line. This is a total order. */
int mp_key_compare(const mp_dictionary *dictionary, const mp_entry_key *a, const mp_entry_key *b);
