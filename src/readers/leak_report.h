/* Reports of leak checkers: the blocks that are left when a program ends. They are a census with
 * two snapshots: the start, at which nothing is allocated, and the end. */
#pragma once

#include "model/census.h"
#include "readers/native_code.h"

enum { LEAK_FRAMES = 1024 }; /* maximum number of frames kept of a stack, the innermost ones */

/* Classes of blocks that are left at the end. */
typedef enum leak_class {
    LEAK_DEFINITE, /* nothing refers to them */
    LEAK_INDIRECT, /* only other lost blocks refer to them */
    LEAK_POSSIBLE,
    LEAK_REACHABLE,
    LEAK_CLASSES
} leak_class;

/* Sum over the records that have the same context. */
typedef struct leak_row {
    uint32_t context;
    mp_census_share left;
    int64_t indirect; /* bytes in other blocks to which only these blocks refer */
} leak_row;

typedef struct leak_report {
    mp_model *model;
    mp_diagnostics *diagnostics;
    native_code code;
    mp_type_id types[LEAK_CLASSES]; /* types by class; 0: not used yet */
    /* The current file: */
    mp_input *input;
    uint32_t summary;
    mp_session_id session;
    mp_census census;
    MP_LIST(leak_row) rows; /* row 0 is reserved for none */
    mp_id_index row_index;  /* maps a context to its row */
    mp_census_share sum;
    uint64_t records, indirect_records, cut_stacks;
    /* The current record: */
    native_frame frames[LEAK_FRAMES]; /* innermost first */
    size_t depth;
    bool cut; /* the stack has more frames */
} leak_report;

/* Report a problem of the current line. */
void leak_say(leak_report *report, mp_diagnostic_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Allocate a report. Release with leak_report_close. */
leak_report *leak_report_open(mp_model *model, mp_diagnostics *diagnostics,
                              const mp_load_options *options);
void leak_report_close(leak_report *report);

/* Begin a file, with a session of its own. */
void leak_report_begin(leak_report *report, mp_input *input, uint32_t summary);
/* Add the next outer frame to the current record. */
void leak_add_frame(leak_report *report, native_frame frame);
/* Drop the frames of the current record. */
void leak_drop_frames(leak_report *report);
/* End the current record. `indirect` is the number of bytes that it loses in other blocks. They
 * count for it if the file has no records of these blocks. */
void leak_end_record(leak_report *report, leak_class class, mp_census_share left, int64_t indirect);
/* End the file. If it is usable, add both snapshots. `whole`: the file is not truncated. */
void leak_report_end(leak_report *report, bool usable, bool whole);
