/* The pprof reader: its parts and their shared state.
 *
 * Source: profile.proto of github.com/google/pprof. A profile is one Protocol Buffers message.
 * Samples usually come first, and the names of their units last. So a profile is read twice: first
 * its tables, then its samples. */
#pragma once

#include "base/diagnose.h"
#include "base/index.h"
#include "base/memory.h"
#include "readers/pprof_wire.h"
#include "readers/profile_series.h"
#include "readers/reader.h"
#include "readers/stack_profile.h"

enum {
    PP_MOST_VALUES = 64,      /* maximum number of sample types */
    PP_MOST_FRAMES = 4096,    /* maximum number of frames of a stack, and of a location */
    PP_MOST_STEPS = 1 << 19,  /* maximum number of distinct frames in the stacks of a profile */
    PP_LONGEST_TEXT = 1 << 20 /* maximum number of bytes of a text that are read */
};

/* Field numbers of a profile. */
enum {
    PP_SAMPLE_TYPE = 1,
    PP_SAMPLE,
    PP_MAPPING,
    PP_LOCATION,
    PP_FUNCTION,
    PP_TEXT,
    PP_DROP_FRAMES,
    PP_KEEP_FRAMES,
    PP_TIME,
    PP_DURATION,
    PP_PERIOD_TYPE,
    PP_PERIOD,
    PP_USUAL_TYPE = 14,
    PP_LAST_FIELD = 15
};

/* Words for a unit, in the singular, separated by blanks, and the number of smallest units in this
 * unit. */
typedef struct pp_unit {
    const char *words;
    int64_t factor;
} pp_unit;

typedef struct pp_value_type {
    uint64_t type, unit; /* indexes in the table of strings */
} pp_value_type;

/* Contents of a profile. Each kind has its own reader. */
typedef enum pp_kind {
    PP_HEAP,    /* objects; reader pprof */
    PP_TIMES,   /* costs in time; reader pprof-time */
    PP_SAMPLES, /* costs as counts; reader pprof-samples */
    PP_UNKNOWN, /* none of these */
} pp_kind;

/* What the innermost functions of a profile do. */
enum { PP_MUTEX = 1, PP_BLOCK = 2, PP_OTHER_WAIT = 4 };

/* Amounts that a sample of a heap profile may state. */
typedef enum pp_role {
    PP_ALIVE_OBJECTS,
    PP_ALIVE_BYTES,
    PP_MADE_OBJECTS,
    PP_MADE_BYTES,
    PP_ROLES
} pp_role;

/* Ids are arbitrary numbers. Functions, locations and mappings are kept in the order of their first
 * mention. */
typedef struct pp_function {
    uint64_t id, name, source;
    int64_t start_line;
    bool defined;
    mp_symbol_id symbol; /* none: not created yet */
} pp_function;

typedef struct pp_line {
    uint32_t function; /* index in `functions` */
    uint32_t line;     /* MP_NO_LINE: unknown */
} pp_line;

typedef struct pp_location {
    uint64_t id, mapping, address;
    uint32_t first, count; /* range of its lines, innermost first */
    bool defined;
    mp_symbol_id symbol; /* symbol of a location without lines; none: not created yet */
} pp_location;

typedef struct pp_mapping {
    uint64_t id, start, offset, file;
    mp_string_id name; /* name of the module */
    bool defined;
} pp_mapping;

typedef struct pp_state {
    mp_model *model;
    mp_diagnostics *diagnostics;

    /* Shared by all profiles: */
    mp_stack_builder stacks;
    pp_kind kind;
    mp_profile_series series; /* series of heap profiles */
    mp_stack_profile costs;   /* costs of all other profiles */
    mp_string_id measure;     /* name of the costs, such as "cpu", in which all profiles agree */

    /* The current profile: */
    const char *path;
    pb_wire wire;
    bool torn;
    uint64_t samples, cut_stacks;
    uint64_t older; /* samples with more objects in use than allocated */
    int64_t time_ns, duration_ns, period;
    pp_value_type period_type;
    uint64_t drop_frames,
        usual_type; /* indexes in `texts` of drop_frames and default_sample_type */
    pp_value_type values[PP_MOST_VALUES + 1];
    size_t value_count;
    int roles[PP_ROLES];         /* index among the values of each amount; -1: not stated */
    int64_t units[PP_ROLES];     /* number of objects or bytes in a unit of each amount */
    bool states_made;            /* the amounts allocated are stated */
    mp_string_id cost_name;      /* name of the cost in the profile */
    unsigned waits;              /* PP_MUTEX and others; 0 unless the cost is named "delay" */
    bool looks;                  /* samples are only looked at, for `waits` */
    size_t cost;                 /* index of the cost among the values */
    int64_t cost_unit;           /* number of nanoseconds or samples in a unit of the cost */
    int64_t rest_ns;             /* remainder of the times so far that is not a whole microsecond */
    MP_LIST(mp_string_id) texts; /* as in the file, from element 0 on */
    MP_LIST(pp_function) functions;
    MP_LIST(pp_line) lines;
    MP_LIST(pp_location) locations;
    MP_LIST(pp_mapping) mappings;
    mp_id_index function_index, location_index, mapping_index;
    /* Frames with all of their callers; step 0 is the caller of all. Stacks with the same outer
     * frames share steps. */
    MP_LIST(mp_stack_frame) steps;
    mp_id_index step_index; /* step of the caller and location, to step */
    uint32_t *stack;        /* locations of a sample, innermost first */
} pp_state;

/* Report a problem of the current profile. */
#define pp_say(state, id, ...)                                                                     \
    mp_diagnose((state)->diagnostics, (id), (state)->path, 0, __VA_ARGS__)

/* --- tables: pprof_tables.c --- */

/* Read the two indexes of a sample type that ends at offset `end`. Missing ones keep their value.
 */
void pp_read_value_type(pb_wire *wire, uint64_t end, pp_value_type *type);
/* Read the tables, and count the samples. Return false after a diagnostic. */
bool pp_read_tables(pp_state *state);
/* Report that a message which ends at `end` is damaged, and continue after the message. */
void pp_resume(pp_state *state, const char *what, uint64_t end);
void pp_free_tables(pp_state *state);
/* Return a string by its index in the table of strings; "" if the table is shorter. */
const char *pp_text(pp_state *state, uint64_t place);
/* Return the index of the location with this id, even if it is not defined. */
uint32_t pp_location_of(pp_state *state, uint64_t id);
/* Return the step for a location called from the step `caller`. */
uint32_t pp_step_of(pp_state *state, uint32_t caller, uint32_t location);

/* --- samples: pprof_samples.c --- */

/* Find the value of each amount in a sample, or the value that is the cost. Return false after a
 * diagnostic. */
bool pp_find_values(pp_state *state);
/* Read the samples. Add their amounts to the rows of their contexts, or their costs to the
 * profile. */
void pp_read_samples(pp_state *state);
/* Return true if an amount of a heap profile has this name. */
bool pp_is_amount(const char *name);

/* --- units and costs: pprof_costs.c --- */

extern const pp_unit pp_byte_units[], pp_count_units[], pp_time_units[];
/* Return the number of bytes, counts or nanoseconds in a unit, spelled in any way that pprof
 * accepts; 0: it is not one of `units`. The last of these has a NULL name. */
int64_t pp_unit_of(const char *name, const pp_unit *units);

/* Read a profile to its end, and return what it contains. */
pp_kind pp_kind_of(mp_input *input);
/* Find the value that is the cost. Return false after a diagnostic. */
bool pp_find_cost(pp_state *state);
/* Note the innermost function of a sample of `delay`. */
void pp_note_wait(pp_state *state, mp_slice name);
/* Set what the profile measures. Return false, after a diagnostic, if the profiles that were read
 * before measure something else, because times of different kinds must not be added up. */
bool pp_check_measure(pp_state *state);
/* Return a value of the cost in microseconds or samples; -1 if it is negative or impossibly large.
 * Times are rounded, but the rounding errors of all returned values together stay below a
 * microsecond. */
int64_t pp_cost_of(pp_state *state, int64_t value);
