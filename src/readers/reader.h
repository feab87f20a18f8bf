/* Readers: one const struct a format, one line in src/readers/readers.def.
 *
 * A run opens the readers that its inputs need, lets each read its inputs into one model, and
 * closes them. A reader keeps state between inputs, because one recording may come in several
 * files. */
#ifndef MP_READERS_READER_H
#define MP_READERS_READER_H

#include "input/input.h"
#include "input/load_options.h"
#include "model/model.h"

/* Result of probing an input. It is an error if two readers claim the same input. */
typedef enum mp_bid {
    MP_NOT_MINE,
    MP_MINE,
} mp_bid;

/* Place of an input among others of the same reader. */
typedef struct mp_place {
    char group[80]; /* inputs of one group are one recording */
    uint64_t sequence;
    /* For dumps: a hash of the application's name, and the time of the dump by a 32-bit clock
     * that wraps. */
    uint64_t application;
    bool stamped;
    uint32_t stamp;
} mp_place;

typedef struct mp_reader {
    const char *name;
    const char *summary;
    const char *endings; /* endings of the files' usual names */
    const char *versions;
    mp_kind kind; /* inputs of different kinds are not read together */
    /* Look at the first bytes of an input; no I/O, no state. */
    mp_bid (*probe)(mp_slice head);
    /* False: it is no part of a group. NULL: inputs are read in the order given. */
    bool (*place)(mp_slice head, mp_place *place);
    /* How much of a path, from its start, names the process (an agent) that files of this format
     * are sessions of; 0: it is no such path. NULL: formats without such names. */
    size_t (*process)(const char *path);
    /* Return true if a file that begins like this may still be written and already has
     * snapshots. NULL: never. */
    bool (*grows)(mp_slice head);
    /* Open the reader's state, which belongs to the reader until close. */
    void *(*open)(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options);
    /* Read one input to its end. `summary` has its path; the reader fills in the rest. False if
     * nothing in it could be used, after a diagnostic of severity error. */
    bool (*read)(void *state, mp_input *input, uint32_t summary);
    /* All inputs are read: say what is still missing. */
    void (*close)(void *state);
} mp_reader;

/* All readers, in the order of the table. */
const mp_reader *const *mp_readers(size_t *count);
const mp_reader *mp_reader_find(const char *name);
/* Evidence that a file's name gives of its format. */
typedef enum mp_naming {
    MP_NAMED_OTHERWISE,
    MP_NAMED_PERHAPS,   /* with an ending of a format that other files have, too: .log, .db */
    MP_NAMED_RECORDING, /* with one that they hardly have: .oemp */
} mp_naming;
/* Return what the name of a file, compressed or not, says about it. */
mp_naming mp_reader_naming(const char *path);

/* The reader that claims an input by its first bytes; NULL: none. *second: another reader that
 * claims it too (ambiguous), else NULL. */
const mp_reader *mp_reader_claiming(mp_slice head, const mp_reader **second);

/* The reader of an input that begins so: the one that `format` names, or, where that is NULL, the
 * one that claims it. NULL after a diagnostic. */
const mp_reader *mp_reader_of(mp_slice head, const char *path, const char *format,
                              mp_diagnostics *diagnostics);

/* mp_reader.process by all readers: of the first that recognises the path; else 0. */
size_t mp_process_of(const char *path);

/* Return the kind of file ("a gzip file") of an input that no reader accepts; static, with
 * MP_DASHES before names of arguments. */
const char *mp_foreign_kind(mp_slice head);

/* Inputs of one reader on their way into a model, one after the other, as they come. */
typedef struct mp_loading {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    const mp_reader *reader;
    void *state; /* NULL: nothing was read */
} mp_loading;

/* Read an input, which was looked at and is still open, to its end. False if nothing in it could be
 * used, after a diagnostic. */
bool mp_loading_read(mp_loading *loading, mp_input *input);
/* There are no more: the reader says what is missing. The model has no call tree yet. */
void mp_loading_end(mp_loading *loading);

/* For readers: a text was not UTF-8. */
void mp_reader_tell_converted(mp_diagnostics *diagnostics, const char *path);
/* For readers: return true if the function of this name is an allocator's own, which says nothing
 * about who wanted the memory. The user's globs stand in place of the usual allocators. */
bool mp_is_allocator(const mp_load_options *options, const char *frame);

#endif
