/* Answers: a question put to each group of files, as many at once as there are processors. What
 * groups that are read apart say is merged in the order of the groups. */
#ifndef MP_SESSION_ANSWER_H
#define MP_SESSION_ANSWER_H

#include "compare/builds.h"
#include "document/merge.h"
#include "session/digests.h"

/* How far reading a group came, the worst last. */
typedef enum mp_outcome {
    MP_GROUP_READ,
    MP_GROUP_REFUSED, /* no part of it fits the question */
    MP_GROUP_UNREAD,  /* a part could not be read, or all */
} mp_outcome;

/* Result for a group. */
typedef struct mp_group_answer {
    mp_error *error;  /* why there is no answer; NULL: diagnostics say it, or there is one */
    bool passed_over; /* it was found in a folder and has no answer to such a question */
    bool of_file;     /* `error` is about a file that is read, and names it */
    mp_outcome outcome;
    /* Until it is settled. */
    mp_diagnostics *diagnostics;
    mp_document *document;
    bool done;
} mp_group_answer;

/* How a merged answer is made. */
typedef struct mp_merge_style {
    size_t rows;     /* maximum rows of a table with an order; 0: no limit */
    bool for_people; /* nobody reads the tables for programs */
    bool packed;     /* nor the structs that one format is printed by */
    bool single;     /* it is none: one group at most is asked */
} mp_merge_style;

typedef struct mp_answers {
    mp_document *document;   /* NULL: there is none */
    bool merged;             /* even one is one of several */
    mp_group_answer *groups; /* in their order */
    size_t count;
    /* Data that the document refers to. */
    mp_pile pile;
    mp_builds builds;
} mp_answers;

/* A recording that stays in memory from one question to the next. */
typedef struct mp_held {
    mp_model *model;             /* NULL: none is read yet */
    mp_diagnostics *diagnostics; /* diagnostics of reading it */
    mp_load_options read_with;   /* options it was read with: they limit the questions */
    bool loaded;                 /* all of it could be read */
} mp_held;

/* Ask the question about each group; there is at least one. `held` is the result for a question
 * about a single group. Problems are added to `diagnostics`, which must outlive the answers.
 * Release with mp_answers_free, before the groups. */
void mp_groups_answer(const mp_file_groups *groups, const mp_question *question,
                      const mp_reading *reading, const mp_merge_style *style, mp_held *held,
                      mp_diagnostics *diagnostics, mp_answers *answers);
void mp_answers_free(mp_answers *answers);
/* Take the document, which refers to the answers, out of them: the caller frees it. */
mp_document *mp_answers_take(mp_answers *answers);

/* Read a group into `held`, unless that was done before, and add what was wrong to `diagnostics`.
 */
void mp_held_read(mp_held *held, const mp_file_group *group, const mp_reading *reading,
                  mp_diagnostics *diagnostics);
void mp_held_free(mp_held *held);

/* Put a question about many recordings, or baselines, to the groups one after the other: no two are
 * in memory together. As mp_groups_answer. */
void mp_groups_compare(const mp_file_groups *groups, const mp_question *question,
                       const mp_reading *reading, mp_diagnostics *diagnostics, mp_answers *answers);

#endif
