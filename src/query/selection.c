/* Selection: find the contexts, snapshots, types and modules that match. */
#include "query/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/text.h"
#include "model/profile.h"
#include "query/labels.h"
#include "query/texts.h"

enum {
    RECORDINGS = 1 << MP_KIND_RECORDING,
    EVENTS = 1 << MP_KIND_EVENTS,
    DATABASES = 1 << MP_KIND_DATABASE,
    DUMPS = 1 << MP_KIND_DUMP,
    PROFILES = 1 << MP_KIND_PROFILE,
};

static const struct {
    const char *negated; /* "not-" and the name of the option */
    unsigned kinds;      /* kinds of recordings that have the subject */
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

static uint32_t id_of(const mp_model *model, mp_things things, uint32_t i, mp_subject subject)
{
    if (things == MP_THINGS_TYPES)
        return i;
    if (things == MP_THINGS_SNAPSHOTS || things == MP_THINGS_BETWEEN) {
        const mp_snapshot *snapshot = &model->snapshots.items[i];
        if (subject == MP_SUBJECT_TAG)
            return snapshot->tag.i;
        if (things == MP_THINGS_BETWEEN || !snapshot->request.i)
            return 0;
        return subject == MP_SUBJECT_API ? snapshot->request_api.i : snapshot->request.i;
    }
    if (things == MP_THINGS_MODULES) {
        const mp_module *module = &model->profile->modules.items[i];
        return subject == MP_SUBJECT_NAME ? module->method.i : module->program.i;
    }
    if (things == MP_THINGS_ENTITIES) {
        const mp_profile_coverage *entity = &model->profile->coverage.items[i];
        return subject == MP_SUBJECT_NAME
                   ? entity->entity.i
                   : model->profile->modules.items[entity->module.i].program.i;
    }
    const mp_context *context = &model->contexts.items[i];
    if (subject == MP_SUBJECT_TYPE)
        return mp_context_type(model, context).i;
    if (subject == MP_SUBJECT_NAME)
        return context->name.i;
    if (subject == MP_SUBJECT_THREAD)
        return context->thread.i;
    return mp_frame_naming(model, (mp_frame){model->tree_of[context->node.i], context->line}).node;
}

/* Labels for one subject. There are few labels and many things, so each label is made once, and
 * matched once per pattern. */
typedef struct label_set {
    uint32_t *id_of;   /* label id of each thing; NULL: not made yet */
    uint32_t id_count; /* number above all ids */
    mp_texts texts;    /* label of each id; for sources also the longer text of mp_tree_told */
} label_set;

/* Distinct texts of all frames. */
typedef struct frame_set {
    bool made, too_long; /* too_long: the texts are too large to store, and are made again for each
                            match */
    uint32_t *of_node,
        *of_context; /* index of the text of each node's caller, and of each context's frame */
    mp_texts texts;
    mp_key_index index;
} frame_set;

struct mp_matcher {
    const mp_model *model;
    mp_things things;
    uint32_t count;
    mp_arena arena;
    label_set labels[MP_SUBJECTS];
    frame_set frames;
};

static void make_labels(mp_matcher *matcher, mp_subject subject, label_set *made)
{
    const mp_model *model = matcher->model;
    const mp_things things = matcher->things;
    bool *seen = NULL;
    size_t capacity = 0, known = 0;
    made->id_of = mp_alloc_zero((size_t)matcher->count + 1, sizeof *made->id_of);
    for (uint32_t i = things != MP_THINGS_TYPES; i < matcher->count; i++) {
        uint32_t id = made->id_of[i] = id_of(model, things, i, subject);
        if (id >= known) {
            mp_grow(&seen, &capacity, (size_t)id + 1, 1);
            memset(seen + known, false, capacity - known);
            known = capacity;
            made->id_count = (uint32_t)known;
        }
        if (seen[id])
            continue;
        seen[id] = true;
        const char *label = label_of(&matcher->arena, model, things, subject, id);
        mp_texts_add(&made->texts, label, id);
        if (subject != MP_SUBJECT_SOURCE || things != MP_THINGS_CONTEXTS)
            continue;
        const char *told = mp_tree_told(&matcher->arena, model, id);
        if (strcmp(told, label) != 0)
            mp_texts_add(&made->texts, told, id);
    }
    free(seen);
}

/* Set `fits` for the things that match a criterion. Return false if nothing matches. */
static bool match_labels(mp_matcher *matcher, const mp_criterion *criterion, bool *fits)
{
    label_set *labels = &matcher->labels[criterion->subject];
    if (!labels->id_of)
        make_labels(matcher, criterion->subject, labels);
    const mp_some_texts some = mp_texts_with(&labels->texts, mp_glob_core(criterion->pattern));
    bool *taken = NULL;
    for (size_t i = 0; i < some.count; i++) {
        const size_t index = some.items ? some.items[i] : i;
        if (!mp_glob_fits(criterion->pattern, labels->texts.items[index], 0))
            continue;
        if (!taken)
            taken = mp_alloc_zero(labels->id_count, sizeof *taken);
        taken[labels->texts.owners[index]] = true;
    }
    for (uint32_t i = matcher->things != MP_THINGS_TYPES; taken && i < matcher->count; i++)
        fits[i] = taken[labels->id_of[i]];
    free(taken);
    return taken != NULL;
}

/* --- stacks --- */

/* Return the index of a frame's text; add it if it is new. The total size of the texts is
 * limited. */
static uint32_t place_of_frame(mp_matcher *matcher, mp_frame frame, size_t *bytes)
{
    enum { MOST_BYTES = 32 << 20 };
    frame_set *frames = &matcher->frames;
    mp_arena scratch = {0};
    const char *text = mp_frame_label(&scratch, matcher->model, frame);
    const size_t length = strlen(text);
    uint32_t *place = mp_key_index_put(&frames->index, text, length + 1);
    if (!*place) {
        *bytes += length;
        frames->too_long = *bytes > MOST_BYTES;
        mp_texts_add(&frames->texts, mp_key_index_copy(&frames->index, text, length + 1), 0);
        *place = (uint32_t)frames->texts.count;
    }
    mp_arena_free(&scratch);
    return *place - 1;
}

static mp_frame caller_of(const mp_model *model, uint32_t node)
{
    return (mp_frame){model->tree.items[node].parent, model->tree.items[node].line};
}

static mp_frame frame_of(const mp_model *model, uint32_t context)
{
    const mp_context *state = &model->contexts.items[context];
    return (mp_frame){model->tree_of[state->node.i], state->line};
}

static void make_frames(mp_matcher *matcher)
{
    const mp_model *model = matcher->model;
    frame_set *frames = &matcher->frames;
    size_t bytes = 0;
    frames->made = true;
    frames->of_node = mp_alloc_zero(model->tree.count, sizeof *frames->of_node);
    frames->of_context = mp_alloc_zero(model->contexts.count, sizeof *frames->of_context);
    for (uint32_t i = 1; i < model->tree.count && !frames->too_long; i++)
        if (model->tree.items[i].parent)
            frames->of_node[i] = place_of_frame(matcher, caller_of(model, i), &bytes);
    for (uint32_t i = 1; i < model->contexts.count && !frames->too_long; i++)
        frames->of_context[i] = place_of_frame(matcher, frame_of(model, i), &bytes);
}

/* Return a flag for each text of a frame: true if it matches; NULL: none does. */
static bool *frames_that_fit(frame_set *frames, mp_slice core, mp_pattern *pattern)
{
    const mp_some_texts some = mp_texts_with(&frames->texts, core);
    bool *taken = NULL;
    for (size_t i = 0; i < some.count; i++) {
        const size_t index = some.items ? some.items[i] : i;
        if (!mp_pattern_fits(pattern, frames->texts.items[index], 0))
            continue;
        if (!taken)
            taken = mp_alloc_zero(frames->texts.count, sizeof *taken);
        taken[index] = true;
    }
    return taken;
}

static bool frame_fits(const mp_model *model, mp_frame frame, mp_pattern *pattern)
{
    mp_arena scratch = {0};
    bool fits = mp_pattern_fits(pattern, mp_frame_label(&scratch, model, frame), 0);
    mp_arena_free(&scratch);
    return fits;
}

/* Set `fits` for the contexts with a matching frame. Each node is matched once, because all objects
 * that were created below it share the frames above it. */
static void match_frames(const mp_matcher *matcher, const bool *taken, mp_pattern *pattern,
                         bool *fits)
{
    const mp_model *model = matcher->model;
    const frame_set *frames = &matcher->frames;
    bool *above = mp_alloc_zero(model->tree.count, sizeof *above);
    for (uint32_t i = 1; i < model->tree.count; i++) {
        const uint32_t parent = model->tree.items[i].parent;
        above[i] =
            parent && (above[parent] || (taken ? taken[frames->of_node[i]]
                                               : frame_fits(model, caller_of(model, i), pattern)));
    }
    for (uint32_t i = 1; i < model->contexts.count; i++)
        fits[i] =
            above[frame_of(model, i).node] ||
            (taken ? taken[frames->of_context[i]] : frame_fits(model, frame_of(model, i), pattern));
    free(above);
}

/* Set `fits` for the contexts whose stack matches. Return false if no stack matches. */
static bool match_stacks(mp_matcher *matcher, const mp_criterion *criterion, bool *fits)
{
    frame_set *frames = &matcher->frames;
    const mp_slice core = mp_pattern_core(criterion->pattern);
    char reason[8];
    if (!frames->made)
        make_frames(matcher);
    if (!frames->too_long && !mp_texts_with(&frames->texts, core).count)
        return false;
    mp_pattern *pattern = mp_pattern_new(criterion->pattern, reason, sizeof reason);
    if (!pattern)
        abort(); /* mp_criterion_check has accepted it */
    bool *taken = frames->too_long ? NULL : frames_that_fit(frames, core, pattern);
    const bool any = taken || frames->too_long;
    if (any)
        match_frames(matcher, taken, pattern, fits);
    mp_pattern_free(pattern);
    free(taken);
    return any;
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
        shown++; /* do not split a UTF-8 character */
    mp_fail(error, MP_ERROR_ARGUMENT, "\"%.*s%s\" is not an extended regular expression: %s",
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

mp_matcher *mp_matcher_new(const mp_model *model, mp_things things)
{
    mp_matcher *matcher = mp_alloc_zero(1, sizeof *matcher);
    matcher->model = model;
    matcher->things = things;
    matcher->count = count_of(model, things);
    return matcher;
}

void mp_matcher_free(mp_matcher *matcher)
{
    for (size_t i = 0; i < MP_SUBJECTS; i++) {
        free(matcher->labels[i].id_of);
        mp_texts_free(&matcher->labels[i].texts);
    }
    free(matcher->frames.of_node);
    free(matcher->frames.of_context);
    mp_texts_free(&matcher->frames.texts);
    mp_key_index_free(&matcher->frames.index);
    mp_arena_free(&matcher->arena);
    free(matcher);
}

/* Add the things that match a criterion to `any`. If the criterion is negated, remove them from
 * `kept` instead. Return false if nothing matches. */
static bool match_one(mp_matcher *matcher, const mp_criterion *criterion, bool *kept, bool *any)
{
    const uint32_t total = matcher->count;
    bool *fits = mp_alloc_zero(total, 1);
    bool some = criterion->subject == MP_SUBJECT_STACK ? match_stacks(matcher, criterion, fits)
                                                       : match_labels(matcher, criterion, fits);
    for (uint32_t k = 0; some && k < total; k++)
        if (criterion->negated)
            kept[k] &= !fits[k];
        else
            any[k] |= fits[k];
    free(fits);
    return some;
}

bool *mp_matcher_ask(mp_matcher *matcher, const mp_criterion *criteria, size_t count, bool *matched)
{
    uint32_t total = matcher->count;
    bool *kept = mp_alloc(total), *any = mp_alloc(total);
    memset(kept, true, total);
    for (unsigned subject = 0; subject < MP_SUBJECTS; subject++) {
        bool wanted = false;
        for (size_t i = 0; i < count; i++) {
            if (criteria[i].subject != subject || !(subjects_of[matcher->things] & 1u << subject))
                continue;
            if (!wanted)
                memset(any, false, total);
            if (match_one(matcher, &criteria[i], kept, any) && matched)
                matched[i] = true;
            wanted |= !criteria[i].negated;
        }
        for (uint32_t k = 0; wanted && k < total; k++)
            kept[k] &= any[k];
    }
    free(any);
    return kept;
}

bool *mp_matching(const mp_model *model, mp_things things, const mp_criterion *criteria,
                  size_t count, bool *matched)
{
    mp_matcher *matcher = mp_matcher_new(model, things);
    bool *kept = mp_matcher_ask(matcher, criteria, count, matched);
    mp_matcher_free(matcher);
    return kept;
}

enum { FURTHER = 63 }; /* bit of all further criteria */

mp_unmatched mp_unmatched_of(const mp_selection *selection, const bool *matched)
{
    mp_unmatched unmatched = 0;
    for (size_t i = 0; i < selection->count; i++)
        if (!selection->criteria[i].negated && !matched[i])
            unmatched |= (mp_unmatched)1 << (i < FURTHER ? i : FURTHER);
    return unmatched;
}

const char *mp_unmatched_text(mp_arena *arena, const mp_selection *selection,
                              mp_unmatched unmatched)
{
    if (!unmatched)
        return NULL;
    for (size_t i = 0; i < FURTHER && i < selection->count; i++)
        if (unmatched >> i & 1)
            return mp_arena_format(arena, "no %s matches \"%s\"; is it misspelled?",
                                   mp_subject_name(selection->criteria[i].subject),
                                   mp_utf8_copy(arena, selection->criteria[i].pattern));
    return "nothing matches one of the last patterns; is it misspelled?";
}

/* --- kinds of recordings --- */

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
                                criterion->pattern, "%s does not have that", mp_model_name(model));
    }
    bool timed = TIMED & 1u << model->kind;
    const mp_moment *since = &selection->within.since, *until = &selection->within.until;
    if (!timed && (since->given || until->given))
        return mp_fail_argument(error, since->given ? "since" : "until", NULL,
                                "%s does not record when objects were created",
                                mp_model_name(model));
    for (uint32_t i = 1; i < model->sessions.count; i++)
        if (!model->sessions.items[i].start_us && (since->absolute || until->absolute))
            return mp_fail_argument(error, since->absolute ? "since" : "until", NULL,
                                    "%s does not record its start; give a time from its start",
                                    mp_model_name(model));
    /* A time by the clock cannot be compared with a time from the start, because sessions start at
     * different times. */
    if (since->given && until->given && since->absolute == until->absolute && since->us > until->us)
        return mp_fail_argument(error, "since", NULL, "it is later than " MP_DASHES "until");
    return true;
}
