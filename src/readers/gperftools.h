/* The reader of heap profiles in text: its parts and their shared state.
 *
 * Addresses are named by the mappings at the end of a file. So a file is read twice: first its
 * mappings, then its records. docs/formats/gperftools.md names the sources. */
#pragma once

#include "base/diagnose.h"
#include "base/index.h"
#include "base/text.h"
#include "input/input.h"
#include "readers/profile_series.h"
#include "readers/stack_builder.h"

enum { GT_MOST_FRAMES = 4096 /* maximum number of frames of a stack */ };

/* Numbers of a record or of a header. */
typedef struct gt_counts {
    mp_census_share alive, made;
} gt_counts;

/* Range of addresses at which a file is mapped. */
typedef struct gt_mapping {
    uint64_t start, end, offset;
    uint32_t place;    /* order in the file */
    mp_string_id name; /* name of the file, without folders */
} gt_mapping;

typedef struct gt_frame {
    mp_symbol_id symbol;
    uint32_t line; /* MP_NO_LINE: unknown */
} gt_frame;

typedef struct gt_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    mp_stack_builder stacks;
    mp_profile_series series;
    const char *series_kind; /* kind of the first profile */

    /* The current profile: */
    mp_input *input;
    const char *path;
    bool in_mappings, ended, has_made;
    bool by_thread;  /* a profile of jemalloc: the amounts follow the stack, for each thread */
    double rate;     /* mean bytes between samples; at most 1: not sampled */
    bool has_stated; /* the totals of the header are known */
    gt_counts stated, sum; /* totals of the header and of the records, not scaled */
    int64_t time_ns;
    uint64_t records, skipped, cut_stacks;
    MP_LIST(gt_mapping) mappings; /* sorted; element 0 is used too */
    mp_id_index symbols;          /* maps an address to its symbol */

    /* The current record: */
    bool has_stack, has_counts;
    gt_counts counts;
    uint32_t address_count, frame_count;
    uint64_t addresses[GT_MOST_FRAMES];
    gt_frame frames[GT_MOST_FRAMES]; /* innermost first; frames are used instead of addresses */
} gt_state;

/* Report a problem of the current line. */
#define gt_say(state, id, ...)                                                                     \
    mp_diagnose((state)->diagnostics, (id), (state)->path, mp_input_line_number((state)->input),   \
                __VA_ARGS__)

/* --- code: gperftools_code.c --- */

/* Return true if the line begins the mappings, which continue to the end of the file. */
bool gt_begins_mappings(mp_slice line);
/* Read all mappings of an input that is kept, and rewind it. Return false after a diagnostic. */
bool gt_read_mappings(gt_state *state);
/* Check a line of the mappings; the mappings are already read. */
void gt_check_mapping(gt_state *state, mp_slice line);
/* Read the addresses of a stack. Return false if the line is damaged. */
bool gt_read_addresses(gt_state *state, mp_slice text);
/* Read a frame of the current stack in the form that Go writes: "#", address, function+offset,
 * file:line. */
void gt_read_frame(gt_state *state, mp_slice line);
/* Return the innermost frame of the current stack. */
mp_stack_frame gt_stack(gt_state *state);
