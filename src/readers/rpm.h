/* GC heap dumps of RPM: state shared by the files of the reader. */
#pragma once

#include "base/index.h"
#include "input/fields.h"
#include "input/hex.h"
#include "model/graph_builder.h"
#include "readers/dumps.h"
#include "readers/reader.h"

enum { RPM_FEW_TYPES = 4096, RPM_MOST_NAMES = 20 };
#define RPM_NO_VERSION UINT64_MAX

/* Start and end of the dump of a section, in milliseconds of the device's clock; -1: unknown. */
typedef struct rpm_stamps {
    int64_t begin, end;
    mp_string_id name;
} rpm_stamps;

typedef struct rpm_state {
    mp_dumps dumps;
    mp_id_index types_by_name; /* first type of each name */
    mp_model *model;
    const mp_load_options *options;

    /* state of one file: */
    mp_graph_builder *graph;
    int64_t stamp;
    uint32_t first_type;          /* first type of the file in the model */
    MP_LIST(rpm_stamps) sections; /* sections that were read, from 1 */
    uint64_t version, records, objects;
    /* A section is open; the open section is skipped; a section was never closed. */
    bool open, skipped, unclosed;
    bool chosen;                          /* the requested domain was found */
    mp_string_id domains[RPM_MOST_NAMES]; /* domains of the file, for a message */
    size_t domain_count;
    uint32_t first_of_section;   /* first type of the current section in the model */
    uint32_t few[RPM_FEW_TYPES]; /* type id to type, for small ids; a smaller type than
                                    first_of_section is from an earlier section */
    mp_id_index many;
    bool oversized;       /* the current object has an impossible size */
    uint64_t *references; /* references of the current object */
    size_t reference_capacity;
} rpm_state;

/* Read the next word as a 64-bit hexadecimal number. This is the hot path. */
static inline bool rpm_take_hex(mp_fields *words, uint64_t *value)
{
    mp_fields_skip(words);
    return mp_hex_word(&words->cursor, words->end, value);
}

/* Read a name up to the end of the record; it may contain blanks. If its last word can be a time
 * stamp, set *stamp, and return the name without that word. */
mp_slice rpm_take_name(mp_fields *words, int64_t *stamp);

/* Read a record, which is a line that is not empty. Report it if it is malformed. */
void rpm_read_record(rpm_state *state, mp_slice line, uint64_t offset);
/* After all records of a file: replace the types of objects and roots by the first type of the same
 * name in all files. */
void rpm_unite_types(rpm_state *state);
