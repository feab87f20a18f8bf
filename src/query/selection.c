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

/* What a context has of a subject, as an id that its label can be asked for. */
static uint32_t id_of(const mp_model *model, const mp_context *context, mp_subject subject)
{
    if (subject == MP_SUBJECT_TYPE)
        return mp_context_type(model, context).i;
    if (subject == MP_SUBJECT_NAME)
        return context->name.i;
    if (subject == MP_SUBJECT_THREAD)
        return context->thread.i;
    return mp_frame_naming(model, (mp_frame){model->tree_of[context->node.i], context->line}).node;
}

/* Labels are few and contexts many: each label is looked at once. */
static void match_labels(const mp_model *model, const mp_criterion *criterion, bool *fits)
{
    enum { NOT_SEEN, FITS, FITS_NOT };
    static label_function *const labels[MP_SUBJECTS] = {
        [MP_SUBJECT_TYPE] = type_label,
        [MP_SUBJECT_NAME] = name_label,
        [MP_SUBJECT_SOURCE] = mp_tree_label,
        [MP_SUBJECT_THREAD] = text_label,
    };
    char *seen = NULL;
    size_t capacity = 0, count = 0;
    label_room room = {0};
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        uint32_t id = id_of(model, &model->contexts.at[i], criterion->subject);
        if (id >= count) {
            mp_grow(&seen, &capacity, (size_t)id + 1, 1);
            memset(seen + count, NOT_SEEN, capacity - count);
            count = capacity;
        }
        if (seen[id] == NOT_SEEN)
            seen[id] = label_fits(model, labels[criterion->subject], id, &room, criterion->pattern)
                           ? FITS
                           : FITS_NOT;
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

/* --- all criteria of contexts --- */

static bool is_of_context(mp_subject subject)
{
    return subject != MP_SUBJECT_TAG && subject != MP_SUBJECT_REQUEST;
}

/* Of criteria on one subject any may hold: what fits none of them falls out. */
static void keep_fitting(bool *kept, const bool *fits, size_t count, bool negated)
{
    for (size_t i = 0; i < count; i++)
        kept[i] &= fits[i] != negated;
}

/* Fold what one criterion says into what the others of its subject said. */
typedef void match_function(const void *of, const mp_criterion *criterion, bool *fits);

static void match_subject(const void *of, const mp_criterion *criteria, size_t count,
                          mp_subject subject, match_function *match, bool *kept, size_t things)
{
    bool *any = mp_alloc_zero(things, sizeof *any), *fits = mp_alloc_zero(things, sizeof *fits);
    bool wanted = false;
    for (size_t i = 0; i < count; i++) {
        if (criteria[i].subject != subject)
            continue;
        match(of, &criteria[i], fits);
        if (criteria[i].negated) {
            keep_fitting(kept, fits, things, true);
            continue;
        }
        wanted = true;
        for (size_t k = 0; k < things; k++)
            any[k] |= fits[k];
    }
    if (wanted)
        keep_fitting(kept, any, things, false);
    free(any);
    free(fits);
}

static void match_contexts(const void *of, const mp_criterion *criterion, bool *fits)
{
    if (criterion->subject == MP_SUBJECT_STACK)
        match_stacks(of, criterion, fits);
    else
        match_labels(of, criterion, fits);
}

static bool *all_of(size_t count)
{
    bool *all = mp_alloc(count * sizeof *all + 1);
    memset(all, true, count * sizeof *all);
    return all;
}

bool *mp_contexts_matching(const mp_model *model, const mp_criterion *criteria, size_t count)
{
    bool *kept = all_of(model->contexts.count);
    for (int subject = 0; subject < MP_SUBJECTS; subject++)
        if (is_of_context((mp_subject)subject))
            match_subject(model, criteria, count, (mp_subject)subject, match_contexts, kept,
                          model->contexts.count);
    return kept;
}

/* --- snapshots --- */

static void match_snapshots(const void *of, const mp_criterion *criterion, bool *fits)
{
    const mp_model *model = of;
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        const mp_snapshot *snapshot = &model->snapshots.at[i];
        mp_string_id text =
            criterion->subject == MP_SUBJECT_TAG ? snapshot->tag : snapshot->request;
        fits[i] = fnmatch(criterion->pattern, mp_model_text(model, text), 0) == 0;
    }
}

bool *mp_snapshots_matching(const mp_model *model, const mp_selection *selection)
{
    bool *kept = all_of(model->snapshots.count);
    for (int subject = 0; subject < MP_SUBJECTS; subject++)
        if (!is_of_context((mp_subject)subject))
            match_subject(model, selection->criteria, selection->count, (mp_subject)subject,
                          match_snapshots, kept, model->snapshots.count);
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        int64_t time_us = model->snapshots.at[i].time_us;
        kept[i] &= (!selection->has_since || time_us >= selection->since_us) &&
                   (!selection->has_until || time_us <= selection->until_us);
    }
    return kept;
}

/* --- types, for object graphs --- */

static void match_types(const void *of, const mp_criterion *criterion, bool *fits)
{
    const mp_model *model = of;
    label_room room = {0};
    for (uint32_t i = 0; i < model->types.count; i++)
        fits[i] = label_fits(model, type_label, i, &room, criterion->pattern);
    free(room.text);
}

bool *mp_types_matching(const mp_model *model, const mp_selection *selection)
{
    bool *kept = all_of(model->types.count);
    match_subject(model, selection->criteria, selection->count, MP_SUBJECT_TYPE, match_types, kept,
                  model->types.count);
    return kept;
}

/* --- execution profiles --- */

static void match_modules(const void *of, const mp_criterion *criterion, bool *fits)
{
    const mp_model *model = of;
    for (uint32_t i = 1; i < model->profile->modules.count; i++) {
        const mp_module *module = &model->profile->modules.at[i];
        mp_string_id text =
            criterion->subject == MP_SUBJECT_NAME ? module->method : module->program;
        fits[i] = fnmatch(criterion->pattern, mp_model_text(model, text), 0) == 0;
    }
}

bool *mp_modules_matching(const mp_model *model, const mp_selection *selection)
{
    if (!model->profile)
        return NULL;
    size_t modules = model->profile->modules.count;
    bool *kept = all_of(modules);
    for (int subject = 0; subject < MP_SUBJECTS; subject++)
        match_subject(model, selection->criteria, selection->count, (mp_subject)subject,
                      match_modules, kept, modules);
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
