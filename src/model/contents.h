/* Contents of the objects of a graph that questions compare: the characters of strings, sizes of
 * collections, values of boxed numbers, elements of arrays.
 *
 * They are not kept while a dump is read. An answer that needs them reads them from the input, in
 * one more pass (mp_graph.names). They take 17 bytes per object. */
#pragma once

#include "base/memory.h"
#include "model/graph.h"

/* Kinds of objects with contents. The comment of each kind says what its mp_content has. */
typedef enum mp_content_kind {
    MP_CONTENT_NONE,       /* no contents that matter: nothing */
    MP_CONTENT_MISSING,    /* an array of numbers whose elements are not in the dump: nothing */
    MP_CONTENT_TEXT,       /* a string with its characters. low: equal for equal texts; high: 0 */
    MP_CONTENT_STRING,     /* its own facts about its characters. The characters are in the array of
                              numbers to which it refers, so two strings are equal if both their
                              contents and their arrays are equal */
    MP_CONTENT_COLLECTION, /* low: number of elements */
    MP_CONTENT_BOXED,      /* low: bits of the number; high: 0 */
    MP_CONTENT_REFERENCES, /* low: number of elements; high: number of elements that are not null */
    MP_CONTENT_NUMBERS,    /* an array of numbers: fingerprint of its type and its elements */
    MP_CONTENT_ZEROS,      /* an array of at least one number, all 0: the same fingerprint */
    /* A string, a collection or a boxed number whose contents are not in the dump: nothing. */
    MP_CONTENT_LOST_TEXT,
    MP_CONTENT_LOST_COLLECTION,
    MP_CONTENT_LOST_BOXED,
} mp_content_kind;

typedef struct mp_content {
    uint64_t low, high;
} mp_content;

/* A string whose text an answer shows. */
typedef struct mp_wanted_text {
    uint64_t array;     /* id of the array or string that has its characters */
    mp_content content; /* contents of the string */
    const char *text;   /* beginning of the text in quotation marks, valid UTF-8; NULL: not found */
} mp_wanted_text;

/* Contents of all objects or, if `texts` is not NULL, only the texts of some. */
typedef struct mp_contents {
    const mp_graph *graph;
    uint8_t *kinds;    /* mp_content_kind by object; count + 1 elements */
    mp_content *items; /* by object; count + 1 elements */
    /* kinds, as bits, that the format does not tell from others; set by the reader */
    unsigned lacks;
    uint32_t next;         /* object that the pass over the input expects next, from 1 */
    mp_wanted_text *texts; /* sorted by `array` */
    size_t text_count;
    mp_arena *arena; /* arena of the texts */
} mp_contents;

/* Return the number of the object that comes next in the input; objects are in the order of the
 * input. 0: an earlier object has the same id, so this one is not in the graph. */
static inline uint32_t mp_contents_next(mp_contents *contents, uint64_t id)
{
    const mp_graph *graph = contents->graph;
    const bool is_there = contents->next <= graph->count && graph->ids[contents->next] == id;
    return is_there ? contents->next++ : 0;
}

/* Set the contents of an object; number 0 is ignored. */
static inline void mp_contents_set(mp_contents *contents, uint32_t object, mp_content_kind kind,
                                   mp_content content)
{
    if (object && contents->kinds) {
        contents->kinds[object] = (uint8_t)kind;
        contents->items[object] = content;
    }
}
