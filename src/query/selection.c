/* Selecting: which contexts, snapshots, types and modules fit. */
#include "query/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "model/events.h"
#include "model/profile.h"
#include "query/labels.h"

enum {
    RECORDINGS = 1 << MP_KIND_RECORDING,
    EVENTS = 1 << MP_KIND_EVENTS,
    DATABASES = 1 << MP_KIND_DATABASE,
    DUMPS = 1 << MP_KIND_DUMP,
    PROFILES = 1 << MP_KIND_PROFILE,
};

static const struct {
    const char *negated; /* "not-" and the argument's name */
    unsigned kinds;      /* of recordings that have it */
} subjects[MP_SUBJECTS] = {
    [MP_SUBJECT_TYPE] = {"not-type", RECORDINGS | EVENTS | DATABASES | DUMPS},
    [MP_SUBJECT_NAME] = {"not-name", RECORDINGS | PROFILES},
    [MP_SUBJECT_SOURCE] = {"not-source", RECORDINGS | EVENTS | DATABASES | PROFILES},
    [MP_SUBJECT_STACK] = {"not-stack", RECORDINGS | EVENTS | DATABASES},
    [MP_SUBJECT_THREAD] = {"not-thread", EVENTS | DATABASES},
    [MP_SUBJECT_TAG] = {"not-tag", RECORDINGS | DATABASES},
    [MP_SUBJECT_REQUEST] = {"not-request", RECORDINGS},
    [MP_SUBJECT_API] = {"not-api", RECORDINGS},
};

const char *mp_subject_name(mp_subject subject)
{
    return subjects[subject].negated + strlen("not-");
}

/* --- one criterion --- */

static const char *label_of(mp_arena *arena, const mp_model *model, mp_things things,
                            mp_subject subject, uint32_t id)
{
    bool has_text = things == MP_THINGS_SNAPSHOTS || things == MP_THINGS_BETWEEN ||
                    things == MP_THINGS_MODULES || things == MP_THINGS_ENTITIES;
    if (has_text || subject == MP_SUBJECT_THREAD)
        return mp_model_text(model, (mp_string_id){id});
    if (subject == MP_SUBJECT_TYPE)
        return mp_type_label(arena, model, (mp_type_id){id});
    if (subject == MP_SUBJECT_NAME)
        return id ? mp_symbol_label(arena, model, (mp_symbol_id){id}) : "";
    return mp_tree_label(arena, model, id);
}

/* What a thing has of a subject, as an id that its label can be asked for. */
static uint32_t id_of(const mp_model *model, mp_things things, uint32_t i, mp_subject subject)
{
    if (things == MP_THINGS_TYPES)
        return i;
    if (things == MP_THINGS_SNAPSHOTS || things == MP_THINGS_BETWEEN) {
        const mp_snapshot *snapshot = &model->snapshots.at[i];
        if (subject == MP_SUBJECT_TAG)
            return snapshot->tag.i;
        if (things == MP_THINGS_BETWEEN || !snapshot->request.i)
            return 0;
        return subject == MP_SUBJECT_API ? snapshot->request_api.i : snapshot->request.i;
    }
    if (things == MP_THINGS_MODULES) {
        const mp_module *module = &model->profile->modules.at[i];
        return subject == MP_SUBJECT_NAME ? module->method.i : module->program.i;
    }
    if (things == MP_THINGS_ENTITIES) {
        const mp_profile_coverage *entity = &model->profile->coverage.at[i];
        return subject == MP_SUBJECT_NAME ? entity->entity.i
                                          : model->profile->modules.at[entity->module.i].program.i;
    }
    const mp_context *context = &model->contexts.at[i];
    if (subject == MP_SUBJECT_TYPE)
        return mp_context_type(model, context).i;
    if (subject == MP_SUBJECT_NAME)
        return context->name.i;
    if (subject == MP_SUBJECT_THREAD)
        return context->thread.i;
    return mp_frame_naming(model, (mp_frame){model->tree_of[context->node.i], context->line}).node;
}

/* Labels are few and things many: each label is looked at once. */
static void match_labels(const mp_model *model, mp_things things, uint32_t count,
                         const mp_criterion *criterion, bool *fits)
{
    enum { NOT_SEEN, FITS, FITS_NOT };
    char *seen = NULL;
    size_t capacity = 0, known = 0;
    mp_arena scratch = {0};
    for (uint32_t i = things != MP_THINGS_TYPES; i < count; i++) {
        uint32_t id = id_of(model, things, i, criterion->subject);
        if (id >= known) {
            mp_grow(&seen, &capacity, (size_t)id + 1, 1);
            memset(seen + known, NOT_SEEN, capacity - known);
            known = capacity;
        }
        if (seen[id] == NOT_SEEN) {
            const char *label = label_of(&scratch, model, things, criterion->subject, id);
            bool is_it = mp_glob_fits(criterion->pattern, label, 0);
            if (!is_it && criterion->subject == MP_SUBJECT_SOURCE && things == MP_THINGS_CONTEXTS)
                is_it = mp_glob_fits(criterion->pattern, mp_tree_told(&scratch, model, id), 0);
            seen[id] = is_it ? FITS : FITS_NOT;
        }
        fits[i] = seen[id] == FITS;
    }
    mp_arena_free(&scratch);
    free(seen);
}

/* --- stacks --- */

static bool frame_fits(const mp_model *model, mp_frame frame, mp_pattern *pattern)
{
    mp_arena scratch = {0};
    bool fits = mp_pattern_fits(pattern, mp_frame_label(&scratch, model, frame), 0);
    mp_arena_free(&scratch);
    return fits;
}

/* The frames above a node are the same for all that it creates: each is looked at once. */
static void match_stacks(const mp_model *model, const mp_criterion *criterion, bool *fits)
{
    bool *above = mp_alloc_zero(model->tree.count, sizeof *above);
    char reason[8];
    mp_pattern *pattern = mp_pattern_new(criterion->pattern, reason, sizeof reason);
    if (!pattern)
        abort(); /* mp_criterion_check let it through */
    for (uint32_t i = 1; i < model->tree.count; i++) {
        const mp_tree_node *node = &model->tree.at[i];
        mp_frame caller = {node->parent, node->line};
        above[i] = node->parent && (above[node->parent] || frame_fits(model, caller, pattern));
    }
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        const mp_context *context = &model->contexts.at[i];
        mp_frame frame = {model->tree_of[context->node.i], context->line};
        fits[i] = above[frame.node] || frame_fits(model, frame, pattern);
    }
    mp_pattern_free(pattern);
    free(above);
}

bool mp_criterion_check(const mp_criterion *criterion, mp_error *error)
{
    enum { SHOWN = 100 };
    char reason[256];
    const char *pattern = criterion->pattern;
    if (criterion->subject != MP_SUBJECT_STACK)
        return true;
    mp_pattern *parsed = mp_pattern_new(pattern, reason, sizeof reason);
    mp_pattern_free(parsed);
    if (parsed)
        return true;
    size_t length = strlen(pattern), shown = length > SHOWN ? SHOWN : length;
    while (shown < length && ((unsigned char)pattern[shown] & 0xc0) == 0x80)
        shown++; /* not within a UTF-8 character */
    mp_fail(error, MP_ERROR_ARGUMENT, "\"%.*s%s\" is no extended regular expression: %s",
            (int)shown, pattern, shown < length ? "..." : "", reason);
    return false;
}

/* --- all criteria --- */

enum { OF_SNAPSHOTS = 1 << MP_SUBJECT_TAG | 1 << MP_SUBJECT_REQUEST | 1 << MP_SUBJECT_API };

static const unsigned subjects_of[] = {
    [MP_THINGS_CONTEXTS] = 1 << MP_SUBJECT_TYPE | 1 << MP_SUBJECT_NAME | 1 << MP_SUBJECT_SOURCE |
                           1 << MP_SUBJECT_STACK | 1 << MP_SUBJECT_THREAD,
    [MP_THINGS_SNAPSHOTS] = OF_SNAPSHOTS,
    [MP_THINGS_BETWEEN] = OF_SNAPSHOTS,
    [MP_THINGS_TYPES] = 1 << MP_SUBJECT_TYPE,
    [MP_THINGS_MODULES] = 1 << MP_SUBJECT_NAME | 1 << MP_SUBJECT_SOURCE,
    [MP_THINGS_ENTITIES] = 1 << MP_SUBJECT_NAME | 1 << MP_SUBJECT_SOURCE,
};

static uint32_t count_of(const mp_model *model, mp_things things)
{
    switch (things) {
    case MP_THINGS_CONTEXTS:
        return model->contexts.count;
    case MP_THINGS_SNAPSHOTS:
    case MP_THINGS_BETWEEN:
        return model->snapshots.count;
    case MP_THINGS_TYPES:
        return model->types.count;
    case MP_THINGS_MODULES:
        return model->profile->modules.count;
    default:
        return model->profile->coverage.count;
    }
}

bool *mp_matching(const mp_model *model, mp_things things, const mp_criterion *criteria,
                  size_t count)
{
    uint32_t all = count_of(model, things);
    bool *kept = mp_alloc(all), *any = mp_alloc(all), *fits = mp_alloc_zero(all, 1);
    memset(kept, true, all);
    for (unsigned subject = 0; subject < MP_SUBJECTS; subject++) {
        bool wanted = false;
        memset(any, false, all);
        for (size_t i = 0; i < count; i++) {
            if (criteria[i].subject != subject || !(subjects_of[things] & 1u << subject))
                continue;
            if (subject == MP_SUBJECT_STACK)
                match_stacks(model, &criteria[i], fits);
            else
                match_labels(model, things, all, &criteria[i], fits);
            wanted |= !criteria[i].negated;
            for (uint32_t k = 0; k < all; k++)
                if (criteria[i].negated)
                    kept[k] &= !fits[k];
                else
                    any[k] |= fits[k];
        }
        for (uint32_t k = 0; wanted && k < all; k++)
            kept[k] &= any[k];
    }
    free(any);
    free(fits);
    return kept;
}

/* --- what recordings tell --- */

enum { TIMED = RECORDINGS | EVENTS };

unsigned mp_selection_kinds(const char *argument)
{
    for (mp_subject subject = 0; subject < MP_SUBJECTS; subject++)
        if (strcmp(argument, mp_subject_name(subject)) == 0 ||
            strcmp(argument, subjects[subject].negated) == 0)
            return subjects[subject].kinds;
    return TIMED; /* since, until */
}

bool mp_can_select(const mp_model *model, const mp_selection *selection, mp_error *error)
{
    for (size_t i = 0; i < selection->count; i++) {
        const mp_criterion *criterion = &selection->criteria[i];
        if (subjects[criterion->subject].kinds & 1u << model->kind)
            continue;
        return mp_fail_argument(error,
                                criterion->negated ? subjects[criterion->subject].negated
                                                   : mp_subject_name(criterion->subject),
                                criterion->pattern, "%s does not tell that",
                                mp_kind_name(model->kind));
    }
    bool timed = TIMED & 1u << model->kind;
    const mp_moment *since = &selection->within.since, *until = &selection->within.until;
    if (!timed && (since->given || until->given))
        return mp_fail_argument(error, since->given ? "since" : "until", NULL,
                                "%s does not tell when objects were created",
                                mp_kind_name(model->kind));
    for (uint32_t i = 1; i < model->sessions.count; i++)
        if (!model->sessions.at[i].start_us && (since->absolute || until->absolute))
            return mp_fail_argument(error, since->absolute ? "since" : "until", NULL,
                                    "%s does not tell when it began: give a time from its start",
                                    mp_kind_name(model->kind));
    /* Of one by the clock and one from the start, sessions may differ. */
    if (since->given && until->given && since->absolute == until->absolute && since->us > until->us)
        return mp_fail_argument(error, "since", NULL, "it is later than " MP_DASHES "until");
    return true;
}
