#include "readers/profile_series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "model/build.h"
#include "readers/dumps.h"

enum { PER_MICROSECOND = 1000 };

void mp_profile_series_open(mp_profile_series *series, mp_model *model, mp_diagnostics *diagnostics)
{
    *series = (mp_profile_series){.model = model, .diagnostics = diagnostics};
    (void)MP_ADD(&series->rows);
}

/* --- one profile --- */

void mp_profile_series_begin(mp_profile_series *series)
{
    series->first = series->rows.count;
    mp_id_index_free(&series->row_index);
    if (series->session.i)
        return;
    series->session = mp_model_add_session(series->model);
    mp_census_open(&series->census, series->model, series->session);
}

static mp_census_share sum_of(mp_census_share a, mp_census_share b)
{
    return (mp_census_share){a.objects + b.objects, a.bytes + b.bytes};
}

void mp_profile_series_add(mp_profile_series *series, const mp_context *context,
                           mp_census_share alive, mp_census_share made)
{
    mp_context key = *context;
    key.session = series->session;
    const mp_context_id id = mp_model_context(series->model, &key);
    uint32_t *place = mp_id_index_put(&series->row_index, id.i);
    if (!*place) {
        MP_ADD(&series->rows)->context = id.i;
        *place = series->rows.count - 1;
    }
    mp_profile_amounts *row = &series->rows.items[*place];
    row->alive = sum_of(row->alive, alive);
    row->made = sum_of(row->made, made);
}

void mp_profile_series_end(mp_profile_series *series, uint32_t input, int64_t time_ns,
                           bool has_made)
{
    mp_profile_moment *profile = MP_ADD(&series->profiles);
    *profile = (mp_profile_moment){.input = input,
                                   .time_ns = time_ns,
                                   .first = series->first,
                                   .end = series->rows.count,
                                   .has_made = has_made};
    for (uint32_t i = profile->first; i < profile->end; i++)
        profile->made = sum_of(profile->made, series->rows.items[i].made);
}

/* --- the series --- */

static int by_time(const void *left, const void *right)
{
    const mp_profile_moment *a = left, *b = right;
    const int order = MP_COMPARE(a->time_ns, b->time_ns);
    return order ? order : MP_COMPARE(a->input, b->input);
}

/* Sort the profiles by time if each has a time. Otherwise they keep the order of the inputs. */
static void order(mp_profile_series *series)
{
    mp_profile_moment *profiles = series->profiles.items;
    for (uint32_t i = 0; i < series->profiles.count; i++)
        if (!profiles[i].time_ns)
            return;
    qsort(profiles, series->profiles.count, sizeof *profiles, by_time);
    for (uint32_t i = 1; i < series->profiles.count; i++) {
        const mp_input_summary *inputs = series->model->inputs.items;
        if (profiles[i].input > profiles[i - 1].input)
            continue;
        mp_diagnose(series->diagnostics, MP_DIAG_DUMP_ORDER, inputs[profiles[i].input].path, 0,
                    "comes before %s on the command line or by name, but was recorded later; "
                    "profiles are read in the order of their times",
                    inputs[profiles[i - 1].input].path);
        return;
    }
}

/* Report a profile that has fewer allocations than the previous one. A process counts its
 * allocations from its start, so the profiles are not from one process. */
static void check_process(const mp_profile_series *series, const mp_profile_moment *before,
                          const mp_profile_moment *profile)
{
    if (before->has_made && profile->has_made && profile->made.objects < before->made.objects)
        mp_diagnose(series->diagnostics, MP_DIAG_OTHER_PROCESS,
                    series->model->inputs.items[profile->input].path, 0,
                    "has %" PRId64 " allocated objects, fewer than the profile before it, %" PRId64
                    ": profiles of several processes, or differences, do not form a series",
                    profile->made.objects, before->made.objects);
}

static mp_census_share alive_of(const mp_profile_series *series, const mp_profile_moment *profile)
{
    mp_census_share alive = {0};
    for (uint32_t i = profile->first; i < profile->end; i++)
        alive = sum_of(alive, series->rows.items[i].alive);
    return alive;
}

/* Report a profile that is the previous one again: the same file, or a copy that has the same time
 * and figures. */
static void check_repeated(const mp_profile_series *series, const mp_profile_moment *before,
                           const mp_profile_moment *profile)
{
    const mp_input_summary *inputs = series->model->inputs.items;
    const mp_census_share alive = alive_of(series, profile), was = alive_of(series, before);
    const bool same_file = strcmp(inputs[profile->input].path, inputs[before->input].path) == 0;
    const bool same_time = profile->time_ns && profile->time_ns == before->time_ns;
    if (same_file || (same_time && alive.objects == was.objects && alive.bytes == was.bytes))
        mp_dump_tell_repeated(series->diagnostics, inputs[profile->input].path, "profile");
}

static void check_pair(const mp_profile_series *series, const mp_profile_moment *before,
                       const mp_profile_moment *profile)
{
    check_process(series, before, profile);
    check_repeated(series, before, profile);
}

static void describe(const mp_profile_series *series, const mp_profile_moment *profile,
                     mp_snapshot *snapshot)
{
    const int64_t start_us = series->profiles.items[0].time_ns / PER_MICROSECOND;
    const char *path = series->model->inputs.items[profile->input].path,
               *slash = strrchr(path, '/');
    snapshot->sequence = (uint64_t)(profile - series->profiles.items) + 1;
    snapshot->tag = mp_model_intern_text(series->model, slash ? slash + 1 : path);
    snapshot->input = profile->input;
    const int64_t time_us = profile->time_ns / PER_MICROSECOND;
    snapshot->time_us = start_us && time_us > start_us ? time_us - start_us : 0;
}

static void add_snapshot(mp_profile_series *series, const mp_profile_moment *profile)
{
    mp_snapshot *begun = mp_model_begin_snapshot(series->model, series->session);
    const mp_snapshot_id snapshot = {series->model->snapshots.count - 1};
    describe(series, profile, begun);
    for (uint32_t i = profile->first; i < profile->end; i++) {
        const mp_profile_amounts *row = &series->rows.items[i];
        const mp_context context = series->model->contexts.items[row->context];
        mp_census_stock(&series->census, &context, snapshot, row->alive,
                        profile->has_made ? &row->made : NULL);
    }
    mp_census_count(&series->census, snapshot);
    mp_census_end(&series->census, snapshot);
}

/* Set the start of the session to the time of the first profile. */
static void describe_session(mp_profile_series *series)
{
    char start[MP_UNIT_TEXT];
    const int64_t start_us = series->profiles.items[0].time_ns / PER_MICROSECOND;
    mp_recorded_session *session = &series->model->sessions.items[series->session.i];
    session->start_us = start_us;
    if (start_us && mp_format_utc(start, start_us))
        session->start_time = mp_model_intern_text(series->model, start);
}

void mp_profile_series_close(mp_profile_series *series)
{
    if (series->profiles.count) {
        order(series);
        describe_session(series);
    }
    for (uint32_t i = 0; i < series->profiles.count; i++) {
        if (i)
            check_pair(series, &series->profiles.items[i - 1], &series->profiles.items[i]);
        add_snapshot(series, &series->profiles.items[i]);
    }
    mp_census_close(&series->census);
    mp_id_index_free(&series->row_index);
    free(series->profiles.items);
    free(series->rows.items);
}
