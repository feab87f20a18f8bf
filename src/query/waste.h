/* Waste: memory of a heap dump that holds nothing, or the same as other memory.
 *
 * Only objects that strong roots reach count. Each object is in at most one kind of waste, so the
 * kinds add up. */
#pragma once

#include "model/contents.h"
#include "query/graph_query.h"

typedef enum mp_waste_kind {
    /* Strings with the same characters as an earlier string, and their arrays. If strings share an
     * array, only the strings are saved. An array also stays if something other than a string
     * refers to it. */
    MP_WASTE_STRINGS,
    /* Collections without elements, according to their size and their arrays, with those arrays of
     * references that only they keep alive. */
    MP_WASTE_COLLECTIONS,
    MP_WASTE_BOXED, /* boxed numbers with the same type and value as an earlier one */
    /* Null elements of arrays of references, if more than half of the elements are null. Arrays of
     * empty collections are not included. */
    MP_WASTE_NULLS,
    MP_WASTE_ZEROS, /* arrays of numbers that are all 0; arrays of strings are not included */
    MP_WASTE_KINDS
} mp_waste_kind;

/* Objects of a kind. */
typedef struct mp_waste_sum {
    int64_t objects, bytes;       /* objects that waste memory; bytes that could be saved */
    int64_t of_objects, of_bytes; /* number and own size of all objects that are compared */
    int64_t unknown;              /* number of others, whose contents are not in the dump */
} mp_waste_sum;

/* Waste of one kind in objects of one type. */
typedef struct mp_waste_type {
    mp_waste_kind kind;
    uint32_t type;
    int64_t objects, bytes;
    uint32_t holder_type; /* type whose objects dominate most of the objects; 0: there is none */
    int64_t held;         /* number of objects that objects of this type dominate */
    uint32_t largest;     /* object that wastes most; if several are equal, the first */
    int64_t largest_bytes;
} mp_waste_type;

/* Equal strings. */
typedef struct mp_equal_strings {
    uint32_t first, array;  /* first string of the group; object that has its characters, which may
                               be the string itself */
    int64_t objects, bytes; /* number of strings; bytes that could be saved */
    uint32_t holder_type;   /* type whose objects dominate most of the strings; 0: there is none */
    int64_t held;           /* number of strings that objects of this type dominate */
} mp_equal_strings;

typedef struct mp_waste {
    mp_waste_sum kinds[MP_WASTE_KINDS];
    bool lacks[MP_WASTE_KINDS]; /* the format does not have what the kind needs */
    mp_waste_type *types;       /* most bytes first, then by kind and type */
    size_t type_count;
    mp_equal_strings *strings; /* groups of two or more; most bytes first, then by first object */
    size_t string_count;
} mp_waste;

/* Find the waste of a view's graph. Takes up to 9 bytes per object, and 16 per string and boxed
 * number. Release with mp_waste_free. */
mp_waste mp_waste_of(const mp_graph_view *view, const mp_contents *contents);
void mp_waste_free(mp_waste *waste);

/* Read the contents of all objects. Return false, with the reason in `why` (static), if the input
 * is gone or changed. The graph must have contents. Release with mp_contents_free. */
bool mp_contents_read(const mp_graph *graph, mp_contents *contents, const char **why);
void mp_contents_free(mp_contents *contents);
/* Read the beginnings of the texts of `count` groups of strings into `texts`; NULL: the text is not
 * known. The texts belong to the arena. Return false in the same cases as mp_contents_read. */
bool mp_waste_texts(const mp_contents *contents, const mp_equal_strings *strings, size_t count,
                    mp_arena *arena, const char **texts, const char **why);
