/* Readers: one const struct per format, listed in src/readers/readers.def.
 *
 * A run opens the readers that its inputs need, lets each read its inputs into one model, and
 * closes them. A reader keeps state between inputs, because a recording may consist of several
 * files. */
#pragma once

#include "input/input.h"
#include "input/load_options.h"
#include "model/contents.h"

/* Result of probing an input. The highest claim wins; two equal ones are an error. */
typedef enum mp_bid {
    MP_NOT_MINE,
    MP_IF_CHOSEN,    /* the input belongs to another reader, unless the user chooses this one */
    MP_PERHAPS_MINE, /* the input looks like the format, but the format has no signature */
    MP_MINE,
} mp_bid;

/* Order of an input among others of the same reader. */
typedef struct mp_place {
    char group[80]; /* inputs with the same group are one recording */
    uint64_t sequence;
    /* For dumps and for reports of one moment: a hash of the application's name (0: none), and the
     * time of the dump by a 32-bit clock that wraps around. */
    uint64_t application;
    bool stamped;
    uint32_t stamp;
} mp_place;

typedef struct mp_reader {
    const char *name;
    const char *summary;
    const char *endings; /* usual file name suffixes, separated by blanks */
    const char *versions;
    const char *noun; /* what reports call a recording: "a massif profile"; NULL: they use the name
                         of its kind */
    mp_kind kind;     /* inputs of different kinds cannot be read together */
    unsigned holds;   /* MP_HOLDS_... of all its inputs; all inputs of a model must agree in them */
    /* Decide by the first bytes of an input. It does no I/O and keeps no state. */
    mp_bid (*probe)(mp_slice head);
    /* Return the reader for the contents of the input, after reading as much of it as needed. If
     * that cannot be determined, return this reader, which will report why. The input must be kept;
     * the caller rewinds it. NULL: the first bytes decide. */
    const struct mp_reader *(*settle)(mp_input *input);
    /* Set the group and sequence of an input. Return false if it belongs to no group. NULL: inputs
     * are read in the given order. */
    bool (*place)(mp_slice head, mp_place *place);
    /* If the path names a session of a process (an agent), return the length of the part that names
     * the process; otherwise 0. NULL: the format has no such names. */
    size_t (*process)(const char *path);
    /* Return true if a file with this beginning may still be written and already has snapshots.
     * NULL: never. */
    bool (*grows)(mp_slice head);
    /* Open the reader, and return its state. The state belongs to the reader until `close`. */
    void *(*open)(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options);
    /* Read one input to its end. Its summary has the path already; the reader sets all other
     * members. Return false, after a diagnostic of severity error, if nothing in the input is
     * usable. */
    bool (*read)(void *state, mp_input *input, uint32_t summary);
    /* After all inputs, report what is missing, and release the state. */
    void (*close)(void *state);
    /* Set names of references, by one pass over an input that was read before, is at its start, and
     * is unchanged (mp_reference_source.read). `read` has reported its problems already. NULL:
     * references of the format have no names. */
    void (*name_references)(mp_input *input, mp_named_reference *references, size_t count,
                            mp_arena *texts);
    /* Set contents of objects, by one pass over the same kind of input. Return false if the input
     * ended too early. NULL: the format has no contents. Models have MP_HOLDS_CONTENTS exactly if
     * this is not NULL. */
    bool (*read_contents)(mp_input *input, mp_contents *contents);
} mp_reader;

/* Return all readers, in the order of readers.def. */
const mp_reader *const *mp_readers(size_t *count);
const mp_reader *mp_reader_find(const char *name);
/* Evidence of a format in a file name. */
typedef enum mp_naming {
    MP_NAMED_OTHERWISE,
    MP_NAMED_PERHAPS,   /* a suffix that other files use too: .log, .db */
    MP_NAMED_RECORDING, /* a suffix that hardly any other file uses: .oemp */
} mp_naming;
/* Return the evidence in the name of a file. Compression suffixes are ignored. */
mp_naming mp_reader_naming(const char *path);

/* Return the reader that claims an input by its first bytes; NULL: no reader does. If a second
 * reader claims it too, set *second to that reader, otherwise to NULL. */
const mp_reader *mp_reader_claiming(mp_slice head, const mp_reader **second);

/* Return the reader for an input with this beginning. It is the reader named `format` or, if
 * `format` is NULL, the one that claims the input. Return NULL after a diagnostic. */
const mp_reader *mp_reader_of(mp_slice head, const char *path, const char *format,
                              mp_diagnostics *diagnostics);

/* Return the reader for the contents of the input, out of the readers for one format
 * (mp_reader.settle). Nothing of the input may be consumed before; nothing is consumed
 * afterwards. */
const mp_reader *mp_reader_settle(const mp_reader *reader, mp_input *input);

/* Call mp_reader.process of all readers. Return the first result that is not 0; if all are 0,
 * return 0. */
size_t mp_process_of(const char *path);

/* Return a description ("a gzip file") of an input that no reader claims. The text is static. It
 * has MP_DASHES before names of options. */
const char *mp_foreign_kind(mp_slice head);

/* Inputs of one reader that are being read into a model, one by one. */
typedef struct mp_loading {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    const mp_reader *reader;
    void *state; /* state of the reader; NULL: nothing was read yet */
} mp_loading;

/* Read to its end an input that is open and was already probed. Return false, after a diagnostic,
 * if nothing in it is usable. */
bool mp_loading_read(mp_loading *loading, mp_input *input);
/* End the loading. The reader reports what is missing. The call tree is not built yet. */
void mp_loading_end(mp_loading *loading);

struct mp_heap;
/* Let a heap keep and mark what the user asked for. The start of its session must be set. */
void mp_heap_set_options(struct mp_heap *heap, const mp_load_options *options);

/* Return the name of a reference for people, as valid UTF-8: the name, between two texts. A long
 * name is cut. */
const char *mp_reference_text(mp_arena *texts, const char *before, mp_slice name,
                              const char *after);
/* Return true if the function is part of an allocator, and therefore not the code that requested
 * the memory. Globs of the user replace the built-in list of allocators. */
bool mp_is_allocator(const mp_load_options *options, const char *frame);
