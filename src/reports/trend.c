/* The report trend: how each site grew from build to build. */
#include "reports/trend.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "document/sparkline.h"
#include "query/code_names.h"
#include "query/trend.h"
#include "reports/judging.h"
#include "reports/sections.h"
#include "reports/stacks.h"

enum {
    /* Minimum number of values for a slope. */
    FEWEST = MP_TREND_FEWEST,
    DRAWN = 16, /* columns of a sparkline */
};

typedef struct trend_arguments {
    const char *from, *to; /* NULL = the default window */
    const char *order;     /* "time", "name"; NULL = by time if all builds have a time */
    int64_t limit;         /* maximum rows; 0 = all */
    int64_t stack_depth;   /* callers per stack, for programs */
    int64_t min_bytes;     /* minimum change of a row */
    mp_ceiling max_slope;
    mp_argument_texts substitutions;
} trend_arguments;

/* A site with its figures. */
typedef struct grown {
    const mp_built_site *site;
    bool has_slope;
    int64_t slope, first, latest;
} grown;

/* --- builds --- */

typedef struct build_row {
    int64_t build;
    const char *path, *start_time;
    int64_t live_bytes, exclusive_us, sites, complete;
} build_row;

static const mp_column build_columns[] = {
    MP_COLUMN(build_row, build, "Build", MP_NUMBER, 0),
    MP_COLUMN(build_row, path, "", MP_TEXT, 0),
    MP_COLUMN(build_row, start_time, "Started", MP_TEXT, 0),
    MP_COLUMN(build_row, live_bytes, "Alive", MP_BYTES, 0),
    MP_COLUMN_OF(build_row, exclusive_us, "seconds", "Seconds", MP_SECONDS, 0),
    MP_COLUMN(build_row, sites, "Sites", MP_COUNT, 0),
    MP_COLUMN(build_row, complete, "", MP_FLAG, 0),
};

static const char *time_text(mp_document *document, int64_t us)
{
    char text[MP_UNIT_TEXT];
    return us && mp_format_utc(text, us) ? mp_document_text(document, "%s", text) : NULL;
}

static void section_builds(mp_document *document, const mp_builds *builds)
{
    bool profile = builds->holds & MP_HOLDS_PROFILE;
    mp_table *table = MP_TABLE(document, "builds", NULL, MP_ROWS, build_columns);
    table->flags = MP_FOR_PROGRAMS;
    for (size_t i = 0; i < builds->count; i++) {
        const mp_build *build = &builds->items[i];
        build_row row = {.build = (int64_t)i + 1,
                         .path = build->path,
                         .start_time = time_text(document, build->start_us),
                         .live_bytes = profile ? MP_UNKNOWN : build->amount,
                         .exclusive_us = profile ? build->amount : MP_UNKNOWN,
                         .sites = build->sites,
                         .complete = build->damaged                         ? 0
                                     : build->complete && build->open_ended ? MP_UNKNOWN
                                                                            : build->complete};
        mp_table_put(document, table, &row);
    }
}

/* --- sites --- */

typedef struct site_row {
    int64_t slope_bytes, slope_us, delta_bytes, delta_us, first_bytes, first_us, latest_bytes,
        latest_us;
    const char *drawing;
    int64_t first_build, builds;
    const char *first_path, *since, *type, *name, *program, *what, *site;
    mp_texts stack, note;
} site_row;

static const mp_column site_columns[] = {
    MP_RANK(0),
    MP_COLUMN(site_row, slope_bytes, "A build", MP_BYTES, MP_SIGNED | MP_IF_KNOWN),
    MP_COLUMN_OF(site_row, slope_us, "slope_seconds", "A build", MP_SECONDS,
                 MP_SIGNED | MP_IF_KNOWN),
    MP_COLUMN(site_row, delta_bytes, "Change", MP_BYTES, MP_SIGNED | MP_IF_KNOWN),
    MP_COLUMN_OF(site_row, delta_us, "delta_seconds", "Change", MP_SECONDS,
                 MP_SIGNED | MP_IF_KNOWN),
    MP_COLUMN(site_row, first_bytes, "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(site_row, first_us, "first_seconds", "", MP_SECONDS, MP_FOR_PROGRAMS),
    MP_COLUMN(site_row, latest_bytes, "Latest", MP_BYTES, MP_IF_KNOWN),
    MP_COLUMN_OF(site_row, latest_us, "latest_seconds", "Latest", MP_SECONDS, MP_IF_KNOWN),
    MP_COLUMN(site_row, drawing, "History", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(site_row, first_build, "Since", MP_NUMBER, 0),
    MP_COLUMN(site_row, builds, "", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(site_row, first_path, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(site_row, since, "First in", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN | MP_MINOR),
    MP_COLUMN(site_row, type, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(site_row, name, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(site_row, program, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(site_row, what, "What", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(site_row, site, "Allocation site", MP_TEXT, MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN(site_row, stack, "", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(site_row, note, "Note", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

static const char *text_of(const mp_builds *builds, uint32_t text)
{
    return mp_dictionary_text(builds->dictionary, text);
}

/* Return what a row is about: the type and name of objects, the method of a profile, or the type of
 * a dump. */
static const char *what_of(mp_document *document, const mp_builds *builds, const mp_entry_key *key)
{
    const char *type = text_of(builds, key->type), *name = text_of(builds, key->name);
    const char *program = text_of(builds, key->program);
    if (builds->holds & MP_HOLDS_PROFILE)
        return mp_code_label(
            document->arena,
            &(mp_code_place){.program = program, .method = name, .run_by = "", .line = MP_UNKNOWN});
    return mp_document_text(document, "%s%s%s", type, *name ? " " : "", name);
}

static bool has_sites(const mp_builds *builds)
{
    return builds->holds & MP_HOLDS_SITES;
}

/* Return the innermost function that is not an allocator; NULL if recordings have no sites. */
static const char *site_of(const mp_builds *builds, const mp_entry_key *key)
{
    return !has_sites(builds) ? NULL : key->program ? text_of(builds, key->program) : "(session)";
}

/* Return "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService". */
static const char *told_of(mp_document *document, const mp_builds *builds, const mp_entry_key *key)
{
    const char *site = site_of(builds, key), *what = what_of(document, builds, key);
    return site ? mp_document_text(document, "%s at %s", what, site) : what;
}

static uint32_t first_build(const mp_builds *builds, const mp_built_site *site)
{
    return builds->points[site->point].build;
}

static void put_site(mp_document *document, mp_table *table, const mp_builds *builds,
                     const grown *state, int64_t *amounts)
{
    const mp_entry_key *key = &state->site->key;
    bool profile = builds->holds & MP_HOLDS_PROFILE;
    uint32_t first = first_build(builds, state->site);
    char drawing[4 * DRAWN + 1];
    mp_builds_series(builds, state->site, amounts);
    mp_sparkline(amounts, builds->count, DRAWN, drawing, sizeof drawing);
    site_row row = {.slope_bytes = MP_UNKNOWN,
                    .slope_us = MP_UNKNOWN,
                    .delta_bytes = profile ? MP_UNKNOWN : state->latest - state->first,
                    .delta_us = profile ? state->latest - state->first : MP_UNKNOWN,
                    .first_bytes = profile ? MP_UNKNOWN : state->first,
                    .first_us = profile ? state->first : MP_UNKNOWN,
                    .latest_bytes = profile ? MP_UNKNOWN : state->latest,
                    .latest_us = profile ? state->latest : MP_UNKNOWN,
                    .drawing = drawing,
                    .first_build = first + 1,
                    .builds = state->site->count,
                    .first_path = builds->items[first].path,
                    .since = mp_file_name(builds->items[first].path),
                    .type = text_of(builds, key->type),
                    .name = text_of(builds, key->name),
                    .what = what_of(document, builds, key),
                    .site = site_of(builds, key)};
    if (state->has_slope)
        *(profile ? &row.slope_us : &row.slope_bytes) = state->slope;
    else if (builds->count > 1)
        row.note = mp_one_text(
            document,
            mp_document_text(document, "too new for a slope: %s, expected at least %d",
                             mp_counted_text(document, (int64_t)(builds->count - first), "build"),
                             FEWEST));
    if (profile)
        row.program = text_of(builds, key->program);
    if (has_sites(builds))
        row.stack = mp_digest_stack_texts(document, builds->dictionary,
                                          (mp_stack_frame){key->frame, MP_NO_LINE}, false);
    mp_table_put(document, table, &row);
}

/* Order by slope, the steepest first, then by change. Sites that are equal in both keep their
 * order. */
static int by_slope(const void *left, const void *right)
{
    const grown *a = left, *b = right;
    int order = MP_COMPARE(b->has_slope ? b->slope : 0, a->has_slope ? a->slope : 0);
    order = order ? order : MP_COMPARE(b->latest - b->first, a->latest - a->first);
    return order ? order : MP_COMPARE(b->latest, a->latest);
}

static int by_rank(const void *left, const void *right, void *dictionary)
{
    const grown *a = left, *b = right;
    int order = by_slope(a, b);
    return order ? order : mp_key_compare(dictionary, &a->site->key, &b->site->key);
}

/* Return all sites, the worst first. Release with free(). */
static grown *sites_of(const mp_builds *builds, int64_t *amounts)
{
    grown *sites = mp_alloc((builds->site_count + 1) * sizeof *sites);
    for (size_t i = 0; i < builds->site_count; i++) {
        const mp_built_site *site = &builds->sites[i];
        size_t first = first_build(builds, site), since = builds->count - first;
        bool has_slope = since >= 2 && (since >= FEWEST || since == builds->count);
        mp_builds_series(builds, site, amounts);
        sites[i] = (grown){.site = site,
                           .has_slope = has_slope,
                           .slope = has_slope ? mp_trend_whole_slope(amounts + first, since) : 0,
                           .first = amounts[0],
                           .latest = amounts[builds->count - 1]};
    }
    if (builds->site_count)
        qsort_r(sites, builds->site_count, sizeof *sites, by_rank, builds->dictionary);
    return sites;
}

static void section_sites(mp_document *document, const mp_builds *builds, const grown *sites,
                          const trend_arguments *asked, int64_t *amounts)
{
    mp_table *table =
        MP_TABLE(document, "site_trends", "From build to build", MP_ROWS, site_columns);
    table->main = true;
    table->empty = asked->min_bytes && builds->site_count
                       ? "no change is large enough for the filter"
                       : "nothing in any build";
    size_t count = 0, most = mp_shown_of(builds->site_count, (size_t)asked->limit);
    for (size_t i = 0; i < builds->site_count; i++) {
        if (llabs(sites[i].latest - sites[i].first) < asked->min_bytes)
            continue;
        if (count++ < most)
            put_site(document, table, builds, &sites[i], amounts);
    }
    mp_table_left_out(table, count);
}

/* --- the summary --- */

/* Return true if the order of the builds is that of their names too. */
static bool is_by_name(const mp_builds *builds)
{
    for (size_t i = 1; i < builds->count; i++)
        if (strverscmp(builds->items[i - 1].path, builds->items[i].path) > 0)
            return false;
    return true;
}

static void say(mp_document *document, const mp_builds *builds, const grown *sites,
                const int64_t *totals)
{
    const mp_unit unit = builds->holds & MP_HOLDS_PROFILE ? MP_SECONDS : MP_BYTES;
    size_t growing = 0, new = 0, last = builds->count - 1;
    const grown *newest = NULL; /* largest of the sites that are new */
    for (size_t i = 0; i < builds->site_count; i++) {
        const grown *state = &sites[i];
        growing += state->has_slope && state->slope > 0;
        if (state->has_slope || !last)
            continue;
        new ++;
        newest = newest && newest->latest >= state->latest ? newest : state;
    }
    const grown *worst = growing ? &sites[0] : NULL;
    if (worst) {
        uint32_t first = first_build(builds, worst->site);
        mp_document_say(document, MP_TONE_WORSE, "Steepest", "%s a build, %s, since build %u (%s)",
                        mp_measured_text(document, unit, worst->slope, true),
                        told_of(document, builds, &worst->site->key), first + 1,
                        mp_file_name(builds->items[first].path));
    }
    const mp_build *latest = &builds->items[last];
    const bool unsized = builds->holds & MP_HOLDS_UNSIZED;
    if (unsized)
        mp_document_say(
            document, MP_TONE_WARNING, "Sizes unknown",
            "most objects have no recorded size; only bytes that are known are compared");
    if (latest->leaking_bytes && has_sites(builds) && !unsized)
        mp_document_say(document, MP_TONE_WORSE, "Worst leak", "%s, %s, in build %zu (%s)",
                        mp_bytes_text(document, latest->leaking_bytes),
                        told_of(document, builds, &builds->sites[latest->worst].key), last + 1,
                        mp_file_name(latest->path));
    mp_document_say(document, MP_TONE_PLAIN, "Growing", "%zu of %zu %s", growing,
                    builds->site_count,
                    builds->holds & MP_HOLDS_PROFILE ? "methods"
                    : has_sites(builds)              ? "sites"
                                                     : "types");
    if (newest)
        mp_document_say(document, MP_TONE_WARNING, "New", "%zu since build %zu, most %s, %s", new,
                        last > FEWEST - 2 ? last - FEWEST + 3 : 2,
                        mp_measured_text(document, unit, newest->latest, false),
                        told_of(document, builds, &newest->site->key));
    mp_document_say(
        document, totals[last] > totals[0] ? MP_TONE_WORSE : MP_TONE_PLAIN,
        document->sampled                  ? "Samples"
        : builds->holds & MP_HOLDS_PROFILE ? "Seconds"
                                           : "Alive",
        "%s in build 1, %s in build %zu%s", mp_measured_text(document, unit, totals[0], false),
        mp_measured_text(document, unit, totals[last], false), last + 1,
        last ? mp_document_text(document, ", %s a build",
                                mp_measured_text(document, unit,
                                                 mp_trend_whole_slope(totals, builds->count), true))
             : "");
    for (size_t i = 0; i < builds->count; i++)
        if (!builds->items[i].complete) {
            mp_document_say(document, MP_TONE_WARNING, "Warning",
                            "%s is not complete: objects in use where it ends count as alive",
                            builds->items[i].path);
            break;
        }
}

/* --- the limit --- */

/* Return the first truncated build if other builds are not truncated; otherwise NULL. */
static const mp_build *cut_one(const mp_builds *builds)
{
    const mp_build *first = NULL;
    size_t cut = 0;
    for (size_t i = 0; i < builds->count; i++) {
        first = first || !builds->items[i].cut ? first : &builds->items[i];
        cut += builds->items[i].cut;
    }
    return cut < builds->count ? first : NULL;
}

/* Order builds so that copies are neighbours. */
static int by_run(const void *left, const void *right)
{
    const mp_build *a = *(const mp_build *const *)left, *b = *(const mp_build *const *)right;
    int order = MP_COMPARE(a->start_us, b->start_us);
    order = order ? order : MP_COMPARE(a->totals.bytes, b->totals.bytes);
    order = order ? order : MP_COMPARE(a->totals.objects, b->totals.objects);
    return order ? order : strcmp(a->path, b->path);
}

static bool is_same_run(const mp_build *a, const mp_build *b)
{
    const bool same = a->start_us ? a->start_us == b->start_us : strcmp(a->path, b->path) == 0;
    return same && mp_amounts_equal(&a->totals, &b->totals);
}

/* Return a text about a build that is another one again: the same file, or a copy that has the same
 * start and totals; NULL: none. Copies flatten the slopes. */
static const char *repeated_text(mp_document *document, const mp_builds *builds)
{
    const mp_build **sorted = mp_alloc((builds->count + 1) * sizeof *sorted);
    const char *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < builds->count; i++)
        if (!builds->items[i].of_moment)
            sorted[count++] = &builds->items[i];
    qsort(sorted, count, sizeof *sorted, by_run);
    for (size_t i = 1; i < count && !found; i++)
        if (is_same_run(sorted[i - 1], sorted[i]))
            found =
                mp_document_text(document, "%s is %s again: they have the same start and totals",
                                 sorted[i]->path, sorted[i - 1]->path);
    free(sorted);
    return found;
}

/* Return the reason why slopes cannot be judged; NULL if they can. */
static const char *refusal_of(mp_document *document, const mp_request *request,
                              const mp_builds *builds)
{
    const trend_arguments *asked = request->arguments;
    const mp_build *cut = asked->to || request->allow_torn ? NULL : cut_one(builds);
    if (request->torn)
        return mp_torn_text(document, request);
    if (builds->count < FEWEST)
        return mp_document_text(document,
                                "%zu build%s too few to compute a slope, expected at least %d",
                                builds->count, builds->count == 1 ? " is" : "s are", FEWEST);
    if (cut)
        return mp_document_text(
            document, "%s is not complete: objects in use where it ends count as alive", cut->path);
    if (!builds->site_count && *builds->conditions)
        return MP_FITS_NOTHING;
    return mp_unmatched_text(document->arena, &request->selection, builds->unmatched);
}

/* Return true if a site without a slope grew by more than `most` bytes a build since its first
 * build. */
static bool outgrows(const mp_builds *builds, const grown *site, int64_t most)
{
    const int64_t steps = (int64_t)builds->count - 1 - first_build(builds, site->site);
    const int64_t growth = site->latest - builds->points[site->site->point].amount;
    return steps > 0 && growth > 0 && (growth - 1) / steps >= most;
}

static void section_limit(mp_document *document, const mp_request *request, const mp_builds *builds,
                          const grown *sites)
{
    const trend_arguments *asked = request->arguments;
    const char *refusal = refusal_of(document, request, builds);
    mp_rule limit = mp_rule_of_limit("max-slope", MP_MEASURE_SLOPE, &asked->max_slope.bound);
    mp_rule_subject *slopes = mp_alloc((builds->site_count + 1) * sizeof *slopes);
    size_t count = 0, too_young = 0;
    bool exceeded = false;
    limit.each = true;
    limit.by = has_sites(builds) ? MP_BY_SITE : MP_BY_TYPE;
    for (size_t i = 0; i < builds->site_count && !refusal; i++)
        if (builds->count - first_build(builds, sites[i].site) >= FEWEST) {
            slopes[count++] = (mp_rule_subject){told_of(document, builds, &sites[i].site->key),
                                                sites[i].slope, 0, 0};
            exceeded |= sites[i].slope > limit.bound.number;
        } else {
            too_young += outgrows(builds, &sites[i], limit.bound.number);
        }
    if (too_young && !exceeded)
        refusal = mp_document_text(document,
                                   "%zu site%s by more, but in fewer than %d builds, too few to "
                                   "compute a slope",
                                   too_young, too_young == 1 ? " grew" : "s grew", FEWEST);
    if (!count && builds->site_count && !refusal)
        refusal = mp_document_text(document, "nothing was there for %d builds", FEWEST);
    if (builds->holds & MP_HOLDS_UNSIZED && !exceeded && !refusal)
        refusal = MP_NO_SIZES;
    if (!exceeded && !refusal)
        refusal = repeated_text(document, builds);
    mp_judge_figures(document, &limit, slopes, count, refusal);
    free(slopes);
}

/* --- the report --- */

static bool choose_order(const mp_builds *builds, const char *order, bool *by_time, mp_error *error)
{
    const mp_build *timeless = mp_builds_timeless(builds);
    if (order && strcmp(order, "time") != 0 && strcmp(order, "name") != 0)
        return mp_fail_argument(error, "order", order, "expected time or name");
    *by_time = !timeless && (!order || strcmp(order, "time") == 0);
    if (!timeless || !order || strcmp(order, "name") == 0)
        return true;
    return mp_fail(error, MP_ERROR_ARGUMENT, MP_DASHES "order time: %s has no start time",
                   timeless->path);
}

bool mp_trend_answer(const mp_request *request, mp_builds *builds, mp_document *document,
                     mp_error *error)
{
    const trend_arguments *asked = request->arguments;
    bool by_time = false;
    if (!choose_order(builds, asked->order, &by_time, error))
        return false;
    if (asked->max_slope.set && builds->holds & MP_HOLDS_PROFILE)
        return mp_fail_argument(error, "max-slope", asked->max_slope.bound.text,
                                "execution profiles have no sizes");
    document->frames = mp_request_frames(request);
    mp_document_costs(document, builds->holds);
    mp_builds_settle(builds, by_time);
    int64_t *amounts = mp_alloc_zero(builds->count, sizeof *amounts);
    int64_t *totals = mp_alloc_zero(builds->count, sizeof *totals);
    for (size_t i = 0; i < builds->count; i++)
        totals[i] = builds->items[i].amount;
    grown *sites = sites_of(builds, amounts);
    document->title = mp_document_text(document, "1 build: %s", builds->items[0].path);
    if (builds->count > 1)
        document->title =
            mp_document_text(document, "%zu builds in the order of their %s, from %s to %s",
                             builds->count, by_time ? "start" : "names", builds->items[0].path,
                             mp_file_name(builds->items[builds->count - 1].path));
    if (by_time && !asked->order && !is_by_name(builds))
        mp_document_say(document, MP_TONE_WARNING, "Order",
                        "by start, which is not the order of their names (%sorder name)",
                        mp_diagnostics_dashes(request->diagnostics));
    say(document, builds, sites, totals);
    section_builds(document, builds);
    section_sites(document, builds, sites, asked, amounts);
    if (asked->max_slope.set)
        section_limit(document, request, builds, sites);
    MP_FREE(sites, totals, amounts);
    return true;
}

/* Report on one recording as a single build. */
static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_builds builds = {.count = 0};
    mp_digest *digest = mp_report_digest(request, error);
    bool ok = digest && mp_builds_add(&builds, digest, request->dictionary, error) &&
              mp_trend_answer(request, &builds, document, error);
    mp_digest_free(digest);
    mp_builds_free(&builds);
    return ok;
}

enum { HEAPS = MP_HEAPS | MP_DUMP, ALL = HEAPS | MP_PROFILE };

static const trend_arguments usual = {.limit = MP_REPORT_ROWS, .stack_depth = MP_PROGRAM_CALLERS};
static const mp_argument arguments[] = {
    {"from", offsetof(trend_arguments, from), HEAPS},
    {"to", offsetof(trend_arguments, to), HEAPS},
    {"order", offsetof(trend_arguments, order), ALL},
    {"limit", offsetof(trend_arguments, limit), ALL},
    {"stack-depth", offsetof(trend_arguments, stack_depth), MP_HEAPS},
    {"min-size", offsetof(trend_arguments, min_bytes), HEAPS},
    {"max-slope", offsetof(trend_arguments, max_slope), HEAPS},
    {"normalize", offsetof(trend_arguments, substitutions), ALL},
    MP_SHARES("selection", ALL),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES_READING,
};

const mp_report mp_report_trend = {
    .name = "trend",
    .summary = "show what grew from build to build, over many recordings or baselines",
    .example = "trend samples/shop-v2.oemp@2 samples/shop-v2.oemp@4 samples/shop-v2.oemp@6",
    .details = "Each file is a build: a recording or a baseline; a folder means all files in it. "
               "Builds are ordered by start time, or by name if one has no start time. Each row is "
               "a site, the steepest first; its slope is the median of the slopes between any two "
               "builds since its first one. Sites are matched by type, name and stack, ignoring "
               "line numbers. Exit status 1 if `max-slope` is exceeded, which needs four builds.",
    .many = true,
    MP_ARGUMENTS(arguments, usual),
    .variants = {MP_HEAP_VARIANTS(run),
                 {.needs = MP_HOLDS_LEDGER, .run = run},
                 {.needs = MP_HOLDS_PROFILE, .run = run}},
};
