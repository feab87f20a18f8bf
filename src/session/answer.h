/* Answers: a question asked about each group of files, in parallel on all processors. Answers about
 * separate groups are merged in the order of the groups. */
#pragma once

#include "compare/builds.h"
#include "document/merge.h"
#include "session/digests.h"

/* Result of reading a group, from best to worst. */
typedef enum mp_outcome {
    MP_GROUP_READ,
    MP_GROUP_REFUSED, /* the question does not apply to the group */
    MP_GROUP_UNREAD,  /* at least a part of the group could not be read */
} mp_outcome;

/* Result for a group. */
typedef struct mp_group_answer {
    mp_error *error;  /* error; NULL: there is an answer, or diagnostics give the reason */
    bool passed_over; /* found in a folder, and the question does not apply to it */
    bool of_file;     /* `error` already names the file that it is about */
    mp_outcome outcome;
    /* Present until the answer is merged. */
    mp_diagnostics *diagnostics;
    mp_document *document;
    bool done;
} mp_group_answer;

/* Options for merging answers. */
typedef struct mp_merge_style {
    size_t rows;     /* maximum rows of a sorted table; 0: no limit */
    bool for_people; /* leave out tables for programs */
    bool packed;     /* also leave out structs that only one format prints */
    bool single;     /* do not merge: the question takes at most one group */
} mp_merge_style;

typedef struct mp_answers {
    mp_document *document;   /* NULL: no answer */
    bool merged;             /* the document is a merged one, although it may be about one group
                              * only */
    mp_group_answer *groups; /* results in the order of the groups */
    size_t count;
    /* Data that the document refers to. */
    mp_pile pile;
    mp_builds builds;
} mp_answers;

/* A recording that stays in memory from one question to the next. */
typedef struct mp_held {
    mp_model *model;             /* NULL: nothing read yet */
    mp_diagnostics *diagnostics; /* diagnostics from reading the recording */
    mp_load_options
        read_with; /* options that were used for reading; they limit the possible questions */
    bool loaded;   /* the whole recording could be read */
} mp_held;

/* Ask the question about each group; there must be at least one. `held` keeps the recording of a
 * question about a single group. Problems are added to `diagnostics`, which must outlive the
 * answers. Release with mp_answers_free, before the groups. */
void mp_groups_answer(const mp_file_groups *groups, const mp_question *question,
                      const mp_reading *reading, const mp_merge_style *style, mp_held *held,
                      mp_diagnostics *diagnostics, mp_answers *answers);
void mp_answers_free(mp_answers *answers);
/* Take the document out of the answers. The caller must free it before the answers, because it
 * refers to them. */
mp_document *mp_answers_take(mp_answers *answers);

/* Read a group into `held` unless that is already done, and add its problems to `diagnostics`. */
void mp_held_read(mp_held *held, const mp_file_group *group, const mp_reading *reading,
                  mp_diagnostics *diagnostics);
void mp_held_free(mp_held *held);

/* Return true if the group was found in a folder and the question does not apply to it. In this
 * case, also store the error in `answer`, and add a note that the group is skipped. */
bool mp_group_is_passed_over(const mp_file_group *group, const mp_request *request,
                             mp_diagnostics *diagnostics, mp_group_answer *answer);

/* Ask one question about all groups together, with a report that supports it. `held` keeps the
 * recording of each group. Otherwise like mp_groups_answer. */
void mp_groups_ask_together(const mp_file_groups *groups, const mp_question *question,
                            const mp_reading *reading, mp_held *held, mp_diagnostics *diagnostics,
                            mp_answers *answers);

/* Let the reading's progress function cancel the answer to a request, too. */
void mp_request_watch(mp_request *request, const mp_reading *reading);

/* Ask a question that compares recordings or baselines. The groups are read one after another, so
 * only one is in memory at a time. Otherwise like mp_groups_answer. */
void mp_groups_compare(const mp_file_groups *groups, const mp_question *question,
                       const mp_reading *reading, mp_diagnostics *diagnostics, mp_answers *answers);
