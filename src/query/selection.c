/* Selecting: which contexts fit, and a model of their part of the ledger. */
#include "query/selection.h"
#include "base/error.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const char *name;
    unsigned kinds; /* of recordings that have it */
} subjects[MP_SUBJECTS] = {
    [MP_SUBJECT_TYPE] = {"type", RECORDINGS | EVENTS | DATABASES | DUMPS},
    [MP_SUBJECT_NAME] = {"name", RECORDINGS | PROFILES},
    [MP_SUBJECT_SOURCE] = {"source", RECORDINGS | EVENTS | DATABASES | PROFILES},
    [MP_SUBJECT_STACK] = {"stack", RECORDINGS | EVENTS | DATABASES},
    [MP_SUBJECT_THREAD] = {"thread", EVENTS | DATABASES},
    [MP_SUBJECT_TAG] = {"tag", RECORDINGS | DATABASES},
    [MP_SUBJECT_REQUEST] = {"request", RECORDINGS},
};

const char *mp_subject_name(mp_subject subject)
{
    return subjects[subject].name;
}

/* --- one criterion --- */

typedef int label_function(const mp_model *model, uint32_t id, char *text, size_t size);

static int type_label(const mp_model *model, uint32_t id, char *text, size_t size)
{
    return mp_type_label(model, (mp_type_id){id}, text, size);
}

static int name_label(const mp_model *model, uint32_t id, char *text, size_t size)
{
    return id ? mp_symbol_label(model, (mp_symbol_id){id}, text, size)
              : snprintf(text, size, "%s", "");
}

static int text_label(const mp_model *model, uint32_t id, char *text, size_t size)
{
    return snprintf(text, size, "%s", mp_model_text(model, (mp_string_id){id}));
}

/* Room for the label at hand. */
typedef struct label_room {
    char *text;
    size_t capacity;
} label_room;

static bool label_fits(const mp_model *model, label_function *label, uint32_t id, label_room *room,
                       const char *glob)
{
    size_t size = (size_t)label(model, id, NULL, 0) + 1;
    mp_grow(&room->text, &room->capacity, size, 1);
    label(model, id, room->text, size);
    return fnmatch(glob, room->text, 0) == 0;
}

/* What a thing has of a subject, as an id that its label can be asked for. */
static uint32_t id_of(const mp_model *model, mp_things things, uint32_t i, mp_subject subject)
{
    if (things == MP_THINGS_TYPES)
        return i;
    if (things == MP_THINGS_SNAPSHOTS) {
        const mp_snapshot *snapshot = &model->snapshots.at[i];
        return subject == MP_SUBJECT_TAG ? snapshot->tag.i : snapshot->request.i;
    }
    if (things == MP_THINGS_MODULES) {
        const mp_module *module = &model->profile->modules.at[i];
        return subject == MP_SUBJECT_NAME ? module->method.i : module->program.i;
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
    static label_function *const labels[MP_SUBJECTS] = {
        [MP_SUBJECT_TYPE] = type_label,
        [MP_SUBJECT_NAME] = name_label,
        [MP_SUBJECT_SOURCE] = mp_tree_label,
    };
    bool has_text = things == MP_THINGS_SNAPSHOTS || things == MP_THINGS_MODULES ||
                    criterion->subject == MP_SUBJECT_THREAD;
    label_function *label = has_text ? text_label : labels[criterion->subject];
    char *seen = NULL;
    size_t capacity = 0, known = 0;
    label_room room = {0};
    for (uint32_t i = things != MP_THINGS_TYPES; i < count; i++) {
        uint32_t id = id_of(model, things, i, criterion->subject);
        if (id >= known) {
            mp_grow(&seen, &capacity, (size_t)id + 1, 1);
            memset(seen + known, NOT_SEEN, capacity - known);
            known = capacity;
        }
        if (seen[id] == NOT_SEEN)
            seen[id] = label_fits(model, label, id, &room, criterion->pattern) ? FITS : FITS_NOT;
        fits[i] = seen[id] == FITS;
    }
    free(room.text);
    free(seen);
}

/* --- stacks --- */

static bool frame_fits(const mp_model *model, mp_frame frame, label_room *room,
                       const regex_t *regex)
{
    size_t size = (size_t)mp_frame_label(model, frame, NULL, 0) + 1;
    mp_grow(&room->text, &room->capacity, size, 1);
    mp_frame_label(model, frame, room->text, size);
    return regexec(regex, room->text, 0, NULL, 0) == 0;
}

/* The frames above a node are the same for all that it creates: each is looked at once. */
static void match_stacks(const mp_model *model, const mp_criterion *criterion, bool *fits)
{
    regex_t regex;
    label_room room = {0};
    bool *above = mp_alloc_zero(model->tree.count, sizeof *above);
    char reason[8];
    if (!mp_pattern_compile(&regex, criterion->pattern, REG_NOSUB, reason, sizeof reason))
        abort(); /* mp_criterion_check let it through */
    for (uint32_t i = 1; i < model->tree.count; i++) {
        const mp_tree_node *node = &model->tree.at[i];
        mp_frame caller = {node->parent, node->line};
        above[i] =
            node->parent && (above[node->parent] || frame_fits(model, caller, &room, &regex));
    }
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        const mp_context *context = &model->contexts.at[i];
        mp_frame frame = {model->tree_of[context->node.i], context->line};
        fits[i] = above[frame.node] || frame_fits(model, frame, &room, &regex);
    }
    regfree(&regex);
    free(above);
    free(room.text);
}

bool mp_criterion_check(const mp_criterion *criterion, mp_error *error)
{
    enum { SHOWN = 100 };
    regex_t regex;
    char reason[256];
    const char *pattern = criterion->pattern;
    if (criterion->subject != MP_SUBJECT_STACK)
        return true;
    if (mp_pattern_compile(&regex, pattern, REG_NOSUB, reason, sizeof reason)) {
        regfree(&regex);
        return true;
    }
    size_t length = strlen(pattern), shown = length > SHOWN ? SHOWN : length;
    while (shown < length && ((unsigned char)pattern[shown] & 0xc0) == 0x80)
        shown++; /* not within a UTF-8 character */
    mp_fail(error, MP_ERROR_ARGUMENT, "\"%.*s%s\" is no extended regular expression: %s",
            (int)shown, pattern, shown < length ? "..." : "", reason);
    return false;
}

/* --- all criteria --- */

static const unsigned subjects_of[] = {
    [MP_THINGS_CONTEXTS] = 1 << MP_SUBJECT_TYPE | 1 << MP_SUBJECT_NAME | 1 << MP_SUBJECT_SOURCE |
                           1 << MP_SUBJECT_STACK | 1 << MP_SUBJECT_THREAD,
    [MP_THINGS_SNAPSHOTS] = 1 << MP_SUBJECT_TAG | 1 << MP_SUBJECT_REQUEST,
    [MP_THINGS_TYPES] = 1 << MP_SUBJECT_TYPE,
    [MP_THINGS_MODULES] = 1 << MP_SUBJECT_NAME | 1 << MP_SUBJECT_SOURCE,
};

static uint32_t count_of(const mp_model *model, mp_things things)
{
    switch (things) {
    case MP_THINGS_CONTEXTS:
        return model->contexts.count;
    case MP_THINGS_SNAPSHOTS:
        return model->snapshots.count;
    case MP_THINGS_TYPES:
        return model->types.count;
    default:
        return model->profile->modules.count;
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

bool mp_can_select(const mp_model *model, const mp_selection *selection, mp_error *error)
{
    for (size_t i = 0; i < selection->count; i++) {
        const mp_criterion *criterion = &selection->criteria[i];
        if (subjects[criterion->subject].kinds & 1u << model->kind)
            continue;
        mp_fail(error, MP_ERROR_ARGUMENT, "--%s%s %s: %s does not tell that",
                criterion->negated ? "not-" : "", mp_subject_name(criterion->subject),
                criterion->pattern, mp_kind_name(model->kind));
        return false;
    }
    bool timed = model->kind == MP_KIND_RECORDING || model->kind == MP_KIND_EVENTS;
    if (!timed && (selection->has_since || selection->has_until)) {
        mp_fail(error, MP_ERROR_ARGUMENT, "--%s: %s does not tell when objects were created",
                selection->has_since ? "since" : "until", mp_kind_name(model->kind));
        return false;
    }
    return true;
}
