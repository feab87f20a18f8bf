/* Reading: how recordings are found, grouped and read. */
#pragma once

#include "base/encoding.h"
#include "input/load_options.h"
#include "reports/arguments.h"
#include "session/question.h"

/* Rules for reading files together. */
typedef enum mp_file_grouping {
    MP_GROUP_DEFAULT, /* if a folder is named, each file separately; otherwise all files together */
    MP_GROUP_FILE,
    MP_GROUP_AGENT,
    MP_GROUP_ALL,
} mp_file_grouping;

typedef struct mp_reading {
    mp_load_options load;
    mp_argument_texts listings, skips; /* lists that `load` points to */
    mp_encoding
        *encoding; /* open converter for `load.encoding`, because opening a converter is slow */
    mp_file_grouping grouping;
    int64_t jobs;     /* number of groups that are read in parallel; 0: as many as processors */
    bool recursive;   /* search subfolders */
    bool strict;      /* give no answer for an incomplete recording; fail if a limit hides a leak */
    bool allow_torn;  /* apply limits and rules to truncated recordings, too */
    bool judges;      /* limits or rules apply: check that archives are intact even if they are not
                         searched */
    bool exact_bytes; /* print sizes for people as exact bytes */
} mp_reading;

/* Initialise with default options. Release with mp_reading_free. */
void mp_reading_begin(mp_reading *reading);
void mp_reading_free(mp_reading *reading);

/* An option for reading recordings. */
typedef struct mp_reading_option {
    const char *name, *help;
    const char *takes; /* valid values, for error messages; NULL: a switch */
    int kind;          /* mp_argument_kind, or a kind of reading.c */
    size_t offset;     /* offset in mp_reading; 0: set by the kind */
} mp_reading_option;
/* Return the option with this name; NULL: no such option. */
const mp_reading_option *mp_reading_option_find(const char *name);
/* Return all options for reading. */
const mp_reading_option *mp_reading_options(size_t *count);
/* Store the valid words of the option in `words`, which must have room for MP_MOST_WORDS, and
 * return their number. Return 0 if the option takes other texts. */
size_t mp_reading_option_words(const mp_reading_option *option, const char **words);
/* Set an option from its text, which must outlive `reading`; the text of a switch is ignored.
 * Return false if the text is invalid. */
bool mp_reading_set(mp_reading *reading, const mp_reading_option *option, const char *text);

/* Set the load options so that the question has the data it needs, and no other data is kept. */
void mp_reading_suit(mp_load_options *load, const mp_question *question);
/* Return true if a recording that was read with the options `had` gives the answers of a recording
 * that was read with `wanted`. */
bool mp_reading_suits(const mp_load_options *had, const mp_load_options *wanted);
