/* Exports of many recordings as tables. They contain all relations, with the recording as the first
 * column of every row. Each format stores the tables in its own way. */
#pragma once

#include "export/exporter.h"
#include "relation/relation.h"

typedef struct mp_fleet mp_fleet;

/* Format that stores the tables. Each function returns false with fleet->error if it fails. */
typedef struct mp_fleet_format {
    bool adds; /* whether an export adds to the recordings of earlier exports */
    /* Make the tables; if they exist, check them. Called before the first recording. */
    bool (*open)(mp_fleet *fleet);
    /* Set `known` to true if fleet->recording was already in the tables. */
    bool (*find)(mp_fleet *fleet, bool *known);
    /* Write all rows of the cursor to a table, and count them. The number is the table's index in
     * mp_relations. */
    bool (*put_rows)(mp_fleet *fleet, size_t table, mp_cursor *cursor, int64_t *count);
} mp_fleet_format;

/* State of an export: the first member of the struct of each format. */
struct mp_fleet {
    const mp_fleet_format *format;
    const char *path; /* borrowed */
    mp_error *error;
    const char *recording; /* name of the recording that is being added */
    bool is_open;
    size_t added, known; /* number of recordings added, and number of recordings that were in the
                            tables before */
    int64_t *rows;       /* rows added, by table; MP_UNKNOWN: no recording has the relation */
    mp_written_totals totals; /* sums of the recordings added */
    bool uncounted;           /* an added recording does not count objects */
};

/* Initialise the state. All members that this does not set must be zero. Release with
 * mp_fleet_free. */
void mp_fleet_init(mp_fleet *fleet, const mp_fleet_format *format, const char *path);
void mp_fleet_free(mp_fleet *fleet);

/* Add the recording of a request. The sink of the request is the state. This is the `run` of a
 * report's variants. */
bool mp_fleet_add(const mp_request *request, mp_document *document, mp_error *error);
/* Describe in the document what was added. */
void mp_fleet_describe(const mp_fleet *fleet, mp_document *document);

/* Arguments and members for the report of each format. Arguments that select a part are missing:
 * rows of a part would be mistaken for rows of the whole recording. */
enum { MP_FLEET_LOGS = 1, MP_FLEET_ARGUMENTS = 2 };
extern const mp_argument mp_fleet_arguments[MP_FLEET_ARGUMENTS];
extern const mp_heap_arguments mp_fleet_defaults;

#define MP_FLEET_REPORT                                                                            \
    .separates = true, .separates_dumps = true, .wants_traces = true, .wants_objects = true,       \
    .wants_checksums = true, MP_ARGUMENTS(mp_fleet_arguments, mp_fleet_defaults),                  \
    .variants = {MP_HEAP_VARIANTS(mp_fleet_add),                                                   \
                 {.needs = MP_HOLDS_LEDGER, .run = mp_fleet_add},                                  \
                 {.needs = MP_HOLDS_PROFILE, .run = mp_fleet_add}}
