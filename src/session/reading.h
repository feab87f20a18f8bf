/* Reading: how recordings are found, grouped and read. */
#ifndef MP_SESSION_READING_H
#define MP_SESSION_READING_H

#include "base/encoding.h"
#include "input/load_options.h"
#include "reports/arguments.h"
#include "session/question.h"

/* Which files are read together. */
typedef enum mp_file_grouping {
    MP_GROUP_DEFAULT, /* each on its own where a folder is named, else all */
    MP_GROUP_FILE,
    MP_GROUP_AGENT,
    MP_GROUP_ALL,
} mp_file_grouping;

typedef struct mp_reading {
    mp_load_options load;
    mp_argument_texts listings, skips; /* lists that `load` points to */
    mp_encoding *encoding; /* the one that `load` names: open, as its tables are read but once */
    mp_file_grouping grouping;
    int64_t jobs;     /* groups that are read at once; 0: one for each processor */
    bool recursive;   /* folders in folders are searched, too */
    bool strict;      /* incomplete recordings get no answer; a limit that hides a leak fails */
    bool allow_torn;  /* truncated recordings are judged by what is there */
    bool judges;      /* results are judged: an archive that is not searched must be whole */
    bool exact_bytes; /* answers have sizes for people as bytes */
} mp_reading;

/* Set what is read as where nobody says more. Release with mp_reading_free. */
void mp_reading_begin(mp_reading *reading);
void mp_reading_free(mp_reading *reading);

/* An option that says how recordings are read. */
typedef struct mp_reading_option {
    const char *name, *help;
    const char *takes; /* texts that it accepts, for a refusal; NULL: it is a switch */
    int kind;          /* kind of text */
    size_t offset;     /* in mp_reading, of kinds that name a type */
} mp_reading_option;
/* The one of this name; NULL: there is none. */
const mp_reading_option *mp_reading_option_find(const char *name);
/* All of them. */
const mp_reading_option *mp_reading_options(size_t *count);
/* The words that it takes into `words`, which has room for MP_MOST_WORDS; 0: it takes other texts.
 */
size_t mp_reading_option_words(const mp_reading_option *option, const char **words);
/* Set it from its text, which must outlive `reading`; that of a switch does not matter. False where
 * the text is none that it takes. */
bool mp_reading_set(mp_reading *reading, const mp_reading_option *option, const char *text);

/* Have recordings read as the question needs them, and no more kept than that. */
void mp_reading_suit(mp_load_options *load, const mp_question *question);
/* Return whether what was read by `had` can be asked what needs `wanted`, and answers the same. */
bool mp_reading_suits(const mp_load_options *had, const mp_load_options *wanted);

#endif
