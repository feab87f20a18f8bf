/* Selections: criteria for the objects of a recording that count.
 *
 * A selection is a list of criteria. At least one criterion of each subject must match, and no
 * negated criterion may match. Filters apply selections (filter.h). */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"

typedef enum mp_subject {
    MP_SUBJECT_TYPE,    /* glob: type of the object */
    MP_SUBJECT_NAME,    /* glob: name of the object; in profiles, the method */
    MP_SUBJECT_SOURCE,  /* glob: source or function that created it; in profiles, the program */
    MP_SUBJECT_STACK,   /* extended regular expression: matches a part of some frame "name:line" */
    MP_SUBJECT_THREAD,  /* glob: thread that created the object */
    MP_SUBJECT_TAG,     /* glob: tag of the snapshot in which the object first appears */
    MP_SUBJECT_REQUEST, /* glob: request that created the object */
    MP_SUBJECT_API,     /* glob: API that this request called */
    MP_SUBJECTS,
} mp_subject;

/* Return the name of the option: "type". */
const char *mp_subject_name(mp_subject subject);

typedef struct mp_criterion {
    mp_subject subject;
    bool negated;
    const char *pattern;
} mp_criterion;

typedef struct mp_selection {
    const mp_criterion *criteria;
    size_t count;
    /* Selected times. They apply to the creation times of objects if the model was read with this
     * range (model->within is equal), otherwise to the times of the snapshots in which objects
     * first appear. */
    mp_time_range within;
    bool keeps_profiler; /* include the profiler's own code in profiles */
} mp_selection;

static inline bool mp_selects(const mp_selection *selection)
{
    return selection->count || selection->within.since.given || selection->within.until.given;
}

/* Return true if the pattern is valid; otherwise return false with an error. Only regular
 * expressions can be invalid. */
bool mp_criterion_check(const mp_criterion *criterion, mp_error *error);

typedef enum mp_things {
    MP_THINGS_CONTEXTS,  /* contexts: types, names, sources, stacks, threads */
    MP_THINGS_SNAPSHOTS, /* snapshots: tags and requests, for objects created by their request */
    MP_THINGS_BETWEEN,   /* snapshots: tags and requests, for objects created before that request */
    MP_THINGS_TYPES,     /* types of an object graph */
    MP_THINGS_MODULES,   /* modules of a profile (the model must have one): names, sources */
    MP_THINGS_ENTITIES,  /* entities of a profile's coverage: names, sources */
} mp_things;

/* Return a flag for each thing, by id: true if it matches all criteria about subjects that these
 * things have. Other criteria are ignored. Set the flags in `matched`, by criterion, for those that
 * something matches (NULL: not wanted). The patterns must be valid. Release with free(). */
bool *mp_matching(const mp_model *model, mp_things things, const mp_criterion *criteria,
                  size_t count, bool *matched);

/* Matcher for many questions. It prepares the data of the model once. Not thread-safe. Release with
 * mp_matcher_free. */
typedef struct mp_matcher mp_matcher;
mp_matcher *mp_matcher_new(const mp_model *model, mp_things things);
bool *mp_matcher_ask(mp_matcher *matcher, const mp_criterion *criteria, size_t count,
                     bool *matched);
void mp_matcher_free(mp_matcher *matcher);

/* Patterns of a selection that nothing matches, as bits by criterion; the last bit is for all
 * further ones. A negated criterion needs no match. */
typedef uint64_t mp_unmatched;
/* Return the patterns whose flag in `matched` is false. */
mp_unmatched mp_unmatched_of(const mp_selection *selection, const bool *matched);
/* Return a text in UTF-8 that names the first of these patterns; NULL: there is none. */
const char *mp_unmatched_text(mp_arena *arena, const mp_selection *selection,
                              mp_unmatched unmatched);

/* Return the kinds of recordings that an option such as "not-thread" or "since" applies to, as bits
 * 1 << mp_kind. */
unsigned mp_selection_kinds(const char *argument);
/* Return true if the model has the data that the selection needs; otherwise return false with an
 * error. */
bool mp_can_select(const mp_model *model, const mp_selection *selection, mp_error *error);
