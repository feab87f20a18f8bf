/* Two recordings, or two snapshots of one, compared by key. */
#include "reports/diff.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/units.h"

/* --- totals side by side --- */

static const mp_column total_columns[] = {
    {"live_objects", "", MP_COUNT, 0, 0},    {"live_bytes", "", MP_BYTES, 0, 0},
    {"created_objects", "", MP_COUNT, 0, 0}, {"created_bytes", "", MP_BYTES, 0, 0},
    {"deleted_objects", "", MP_COUNT, 0, 0}, {"peak_objects", "", MP_COUNT, 0, 0},
    {"peak_bytes", "", MP_BYTES, 0, 0},      {"leaked_objects", "", MP_COUNT, 0, 0},
    {"leaked_bytes", "", MP_BYTES, 0, 0},    {"seconds", "", MP_SECONDS, 0, 0},
    {"calls", "", MP_COUNT, 0, 0},           {"modules", "", MP_COUNT, 0, 0},
};

static void section_side(mp_document *document, const char *name, const mp_digest *digest)
{
    mp_table *table = MP_TABLE(document, name, NULL, MP_RECORD, total_columns);
    const mp_amounts *totals = &digest->totals;
    table->flags = MP_FOR_PROGRAMS;
    mp_table_row(table);
    if (digest->has & MP_HAS_LIVE) {
        mp_set_number(table, "live_objects", totals->objects);
        mp_set_number(table, "live_bytes", totals->bytes);
    }
    if (digest->has & MP_HAS_HISTORY) {
        mp_set_number(table, "created_objects", totals->created);
        mp_set_number(table, "created_bytes", totals->created_bytes);
        mp_set_number(table, "deleted_objects", totals->deleted);
        mp_set_number(table, "peak_objects", digest->peak_objects);
        mp_set_number(table, "peak_bytes", digest->peak_bytes);
        mp_set_number(table, "leaked_objects", totals->leaked_objects);
        mp_set_number(table, "leaked_bytes", totals->leaked_bytes);
    }
    if (digest->has & MP_HAS_COSTS) {
        mp_set_number(table, "seconds", totals->exclusive_us);
        mp_set_number(table, "calls", totals->calls);
        mp_set_number(table, "modules", (int64_t)digest->modules);
    }
}

static const mp_column beside_columns[] = {
    {"what", "", MP_TEXT, 0, 0},
    {"base", "Base", MP_TEXT, 0, 0},
    {"new", "New", MP_TEXT, 0, 0},
    {"change", "Change", MP_TEXT, 0, 0},
    {"percent", "%", MP_PERCENT, MP_SIGNED, 0},
};

static const char *amount_text(mp_document *document, mp_unit unit, int64_t amount, bool with_sign)
{
    return unit == MP_BYTES     ? mp_bytes_text(document, amount, with_sign)
           : unit == MP_SECONDS ? mp_seconds_text(document, amount, with_sign)
                                : mp_count_text(document, amount, with_sign);
}

static void beside(mp_document *document, mp_table *table, const char *what, mp_unit unit,
                   int64_t base, int64_t now)
{
    mp_table_row(table);
    mp_set_text(document, table, "what", what);
    mp_set_text(document, table, "base", amount_text(document, unit, base, false));
    mp_set_text(document, table, "new", amount_text(document, unit, now, false));
    mp_set_text(document, table, "change", amount_text(document, unit, now - base, true));
    if (base)
        mp_set_real(table, "percent", mp_percent_of(now - base, base));
}

static void section_totals(mp_document *document, const mp_digest *base, const mp_digest *now)
{
    const mp_amounts *a = &base->totals, *b = &now->totals;
    unsigned has = base->has & now->has;
    section_side(document, "totals.base", base);
    section_side(document, "totals.new", now);
    mp_table *table = MP_TABLE(document, "beside", "Totals", MP_ROWS, beside_columns);
    table->flags = MP_FOR_PEOPLE;
    if (has & MP_HAS_LIVE) {
        beside(document, table, "Alive", MP_BYTES, a->bytes, b->bytes);
        beside(document, table, "Objects alive", MP_COUNT, a->objects, b->objects);
    }
    if (has & MP_HAS_HISTORY) {
        beside(document, table, "Leaked", MP_BYTES, a->leaked_bytes, b->leaked_bytes);
        beside(document, table, "Objects leaked", MP_COUNT, a->leaked_objects, b->leaked_objects);
        beside(document, table, "Objects created", MP_COUNT, a->created, b->created);
        beside(document, table, "Objects deleted", MP_COUNT, a->deleted, b->deleted);
        beside(document, table, "Peak", MP_BYTES, base->peak_bytes, now->peak_bytes);
    }
    if (has & MP_HAS_COSTS) {
        beside(document, table, "Seconds", MP_SECONDS, a->exclusive_us, b->exclusive_us);
        beside(document, table, "Calls", MP_COUNT, a->calls, b->calls);
        beside(document, table, "Modules", MP_COUNT, (int64_t)base->modules, (int64_t)now->modules);
    }
}

/* --- how much of it changed --- */

static const mp_column change_columns[] = {
    {"status", "", MP_TEXT, 0, 0},
    {"groups", "Groups", MP_COUNT, 0, 0},
    {"delta_bytes", "Change", MP_BYTES, MP_SIGNED, 0},
    {"delta_objects", "Objects", MP_COUNT, MP_SIGNED, 0},
    {"delta_seconds", "Change", MP_SECONDS, MP_SIGNED, 0},
    {"delta_calls", "Calls", MP_COUNT, MP_SIGNED, 0},
};

static void section_changes(mp_document *document, const mp_differences *differences, bool heap)
{
    static const mp_change order[] = {MP_CHANGE_NEW, MP_CHANGE_GROWN, MP_CHANGE_SHRUNK,
                                      MP_CHANGE_GONE, MP_CHANGE_NONE};
    mp_table *table =
        MP_TABLE(document, "changes", "What became of the groups", MP_ROWS, change_columns);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        mp_amounts sum = {0};
        int64_t groups = 0;
        for (size_t i = 0; i < differences->count; i++) {
            const mp_difference *difference = &differences->at[i];
            if (difference->change != order[k])
                continue;
            groups++;
            sum = mp_amounts_add(sum, mp_amounts_subtract(difference->now, difference->base));
        }
        mp_table_row(table);
        mp_set_text(document, table, "status", mp_change_name(order[k]));
        mp_set_number(table, "groups", groups);
        mp_set_number(table, heap ? "delta_bytes" : "delta_seconds",
                      heap ? sum.bytes : sum.exclusive_us);
        mp_set_number(table, heap ? "delta_objects" : "delta_calls",
                      heap ? sum.objects : sum.calls);
    }
}

/* --- inputs --- */

static const mp_column input_columns[] = {
    {"path", "", MP_TEXT, 0, 0},
    {"format", "", MP_TEXT, 0, 0},
    {"format_version", "", MP_NUMBER, 0, 0},
    {"bytes", "", MP_BYTES, 0, 0},
    {"records", "", MP_COUNT, 0, 0},
    {"complete", "", MP_FLAG, 0, 0},
    {"role", "", MP_TEXT, 0, 0},
};

static void input_row(mp_document *document, mp_table *table, const mp_digest *digest,
                      const char *role)
{
    mp_table_row(table);
    mp_set_text(document, table, "path", digest->path);
    mp_set_text(document, table, "format", digest->format);
    if (digest->format_version)
        mp_set_number(table, "format_version", digest->format_version);
    mp_set_number(table, "bytes", (int64_t)digest->bytes);
    mp_set_number(table, "records", (int64_t)digest->records);
    mp_set_number(table, "complete", digest->complete);
    mp_set_text(document, table, "role", role);
}

static void section_inputs(mp_document *document, const mp_digest *base, const mp_digest *now)
{
    mp_table *table = MP_TABLE(document, "inputs", NULL, MP_ROWS, input_columns);
    table->flags = MP_FOR_PROGRAMS;
    input_row(document, table, base, "base");
    input_row(document, table, now, "new");
    document->title = mp_document_text(document, "%s compared with %s", now->path, base->path);
}

/* --- what it is compared by --- */

static bool choose_level(const mp_view *view, diff_call *opaque, mp_error *error)
{
    bool profile = opaque->kind == MP_KIND_PROFILE;
    const char *usual = profile ? "line" : opaque->kind == MP_KIND_DUMP ? "type" : "site";
    opaque->by = view->by ? view->by : usual;
    opaque->level = mp_level_asked(opaque->kind, opaque->by);
    if (!profile || opaque->level != MP_LEVEL_GROUP)
        return true;
    mp_fail(error, MP_ERROR_ARGUMENT,
            "--by %s: execution profiles are compared by line, method or module", view->by);
    return false;
}

static bool can_compare(const mp_digest *base, const mp_digest *now, mp_error *error)
{
    if (base->kind == now->kind)
        return true;
    mp_fail(error, MP_ERROR_ARGUMENT,
            "%s is %s and %s is %s: only recordings of one kind can be compared", base->path,
            mp_kind_name(base->kind), now->path, mp_kind_name(now->kind));
    return false;
}

static bool can_group(const mp_request *request, const mp_digest *base, mp_error *error)
{
    const mp_dimension *by = mp_view_dimension(&request->view, request->model, "site", error);
    if (!by)
        return false;
    if (base->kept)
        mp_fail(error, MP_ERROR_ARGUMENT, "--by %s: a baseline tells of sites and types, %s is one",
                by->name, base->path);
    else if (by->of_frames)
        mp_fail(error, MP_ERROR_ARGUMENT,
                "--by %s: such groups overlap, so that their changes do not add up", by->name);
    return !base->kept && !by->of_frames;
}

/* Sizes and times are not compared with each other. */
static bool check_min_change(const mp_view *view, bool profile, mp_error *error)
{
    const mp_ceiling *least = &view->min_change;
    if (!least->set || least->is_percent || least->is_time == profile)
        return true;
    mp_fail(error, MP_ERROR_ARGUMENT, "--min-change %s: expected a percentage or a %s, such as %s",
            least->text, profile ? "time" : "size", profile ? "5ms" : "4K");
    return false;
}

/* What is accepted of the new recording. */
static void section_suppressions(mp_document *document, const mp_request *request)
{
    mp_window window;
    mp_error error = {0};
    if (!request->suppressions || !mp_request_window(request, &window, &error))
        return;
    mp_section_suppressions(document, &window);
    mp_window_free(&window);
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_view *view = &request->view;
    const mp_digest *base = request->base;
    diff_call opaque = {.dictionary = request->dictionary, .kind = request->model->kind};
    if (!choose_level(view, &opaque, error) ||
        !check_min_change(view, opaque.kind == MP_KIND_PROFILE, error))
        return false;
    if (opaque.level == MP_LEVEL_GROUP && !can_group(request, base, error))
        return false;
    mp_digest *now = mp_report_digest(request, error);
    if (!now)
        return false;
    bool ok = can_compare(base, now, error) && mp_base_is_alike(request, now, error);
    if (ok) {
        mp_differences differences =
            mp_differences_of(request->dictionary, base, now, opaque.level);
        opaque.has = base->has & now->has;
        section_inputs(document, base, now);
        mp_section_selection(document, request);
        section_totals(document, base, now);
        section_changes(document, &differences, opaque.kind != MP_KIND_PROFILE);
        mp_section_differences(document, &opaque, &differences, view, mp_view_rows(view, 20));
        section_suppressions(document, request);
        free(differences.at);
    }
    mp_digest_free(now);
    return ok;
}

enum {
    ALL = MP_HONOURS_WINDOW | MP_HONOURS_BY | MP_HONOURS_LIMIT | MP_HONOURS_SELECT |
          MP_HONOURS_COMPARE | MP_HONOURS_MINIMA,
};

const mp_report mp_report_diff = {
    .name = "diff",
    .summary = "what changed from one recording to another, or between two snapshots",
    .example = "diff samples/shop-v2.oemp@1 samples/shop-v2.oemp@last",
    .details =
        "Two recordings of one kind are compared by what their types, names and stacks say, never\n"
        "by ids. Sites are matched in steps: by stack and lines, by stack alone, by type and\n"
        "innermost function; each row says which one matched. Execution profiles: --by line,\n"
        "method, module; heaps: site, type, or what top has. Exit status 0 whatever changed: see\n"
        "memprof gate for a verdict.",
    .single = true,
    .operand = MP_OPERAND_BASE,
    .variants = {{.needs = MP_HOLDS_PROFILE,
                  .honours = MP_HONOURS_BY | MP_HONOURS_LIMIT | MP_HONOURS_SELECT |
                             MP_HONOURS_COMPARE | MP_HONOURS_MIN_COUNT,
                  .run = run},
                 {.needs = MP_HOLDS_EVENTS,
                  .honours = ALL | MP_HONOURS_SUPPRESS | MP_HONOURS_EVENTS,
                  .run = run},
                 {.needs = MP_HOLDS_HISTORY | MP_HOLDS_NATIVE,
                  .honours = ALL | MP_HONOURS_SUPPRESS | MP_HONOURS_SKIP,
                  .run = run},
                 {.needs = MP_HOLDS_HISTORY, .honours = ALL | MP_HONOURS_SUPPRESS, .run = run},
                 {.needs = MP_HOLDS_LEDGER, .honours = ALL | MP_HONOURS_DOMAIN, .run = run}},
};
