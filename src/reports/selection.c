/* What is selected, beside the whole, so that nobody takes one for the other. */
#include <stdio.h>

#include "base/error.h"
#include "base/units.h"
#include "query/profile_costs.h"
#include "reports/sections.h"

static const mp_column columns[] = {
    {"criteria", "", MP_LIST, MP_FOR_PROGRAMS, 0},
    {"selected", "Selected", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"since_us", "Since", MP_TIME, 0, 0},
    {"until_us", "Until", MP_TIME, 0, 0},
    {"min_bytes", "Rows of at least", MP_BYTES, 0, 0},
    {"min_count", "Rows of at least", MP_COUNT, 0, 0},
    {"alive", "Alive", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"leaked", "Leaked", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"spent", "Time", MP_TEXT, MP_FOR_PEOPLE, 0},
};

/* The same names as in "totals", which are those of the selection. */
static const mp_column whole_columns[] = {
    {"live_objects", "", MP_COUNT, MP_ADDS, 0},    {"live_bytes", "", MP_BYTES, MP_ADDS, 0},
    {"created_objects", "", MP_COUNT, MP_ADDS, 0}, {"created_bytes", "", MP_BYTES, MP_ADDS, 0},
    {"deleted_objects", "", MP_COUNT, MP_ADDS, 0}, {"leaked_objects", "", MP_COUNT, MP_ADDS, 0},
    {"leaked_bytes", "", MP_BYTES, MP_ADDS, 0},    {"seconds", "", MP_SECONDS, MP_ADDS, 0},
    {"calls", "", MP_COUNT, MP_ADDS, 0},           {"modules", "", MP_COUNT, 0, 0},
};

static void set_criteria(mp_document *document, mp_table *table, const mp_selection *selection)
{
    const char *texts[64];
    const char *all = NULL;
    size_t count = 0, most = sizeof texts / sizeof *texts;
    for (size_t i = 0; i < selection->count && count < most; i++) {
        const mp_criterion *criterion = &selection->criteria[i];
        texts[count++] = mp_document_text(document, "%s%s: %s", criterion->negated ? "not-" : "",
                                          mp_subject_name(criterion->subject), criterion->pattern);
        all = all ? mp_document_text(document, "%s, %s", all, texts[count - 1]) : texts[0];
    }
    if (!count)
        return;
    mp_set_list(document, table, "criteria", texts, count);
    mp_set_text(document, table, "selected", all);
}

static const char *part_of(mp_document *document, int64_t objects, int64_t bytes,
                           int64_t all_objects, int64_t all_bytes)
{
    return mp_document_text(
        document, "%s of %s objects, %s of %s", mp_count_text(document, objects, false),
        mp_count_text(document, all_objects, false), mp_bytes_text(document, bytes, false),
        mp_bytes_text(document, all_bytes, false));
}

static void compare_heaps(mp_document *document, mp_table *selection, mp_table *whole,
                          const mp_totals *part, const mp_totals *all, bool history)
{
    mp_set_text(document, selection, "alive",
                part_of(document, part->live_objects, part->live_bytes, all->live_objects,
                        all->live_bytes));
    mp_set_number(whole, "live_objects", all->live_objects);
    mp_set_number(whole, "live_bytes", all->live_bytes);
    if (!history)
        return;
    mp_set_text(document, selection, "leaked",
                part_of(document, part->leaked_objects, part->leaked_bytes, all->leaked_objects,
                        all->leaked_bytes));
    mp_set_number(whole, "created_objects", all->created_objects);
    mp_set_number(whole, "created_bytes", all->created_bytes);
    mp_set_number(whole, "deleted_objects", all->deleted_objects);
    mp_set_number(whole, "leaked_objects", all->leaked_objects);
    mp_set_number(whole, "leaked_bytes", all->leaked_bytes);
}

static void compare_profiles(mp_document *document, mp_table *selection, mp_table *whole,
                             const mp_request *request)
{
    mp_profile_totals part = mp_profile_total(request->filter);
    mp_profile_totals all = mp_profile_total(request->whole);
    mp_set_text(document, selection, "spent",
                mp_document_text(document, "%s of %s seconds, %s of %s calls",
                                 mp_seconds_text(document, part.exclusive_us, false),
                                 mp_seconds_text(document, all.exclusive_us, false),
                                 mp_count_text(document, part.calls, false),
                                 mp_count_text(document, all.calls, false)));
    mp_set_number(whole, "seconds", all.exclusive_us);
    mp_set_number(whole, "calls", all.calls);
    mp_set_number(whole, "modules", (int64_t)all.modules);
}

static void compare(mp_document *document, mp_table *selection, mp_table *whole,
                    const mp_request *request)
{
    mp_window part, all;
    mp_error error = {0};
    if (!(request->model->holds & MP_HOLDS_LEDGER)) {
        compare_profiles(document, selection, whole, request);
        return;
    }
    if (!mp_window_of(request->filter, request->view.from, request->view.to, &part, &error))
        return; /* the report itself says so */
    if (mp_window_of(request->whole, request->view.from, request->view.to, &all, &error)) {
        mp_totals part_totals = mp_totals_of(&part), all_totals = mp_totals_of(&all);
        compare_heaps(document, selection, whole, &part_totals, &all_totals,
                      request->model->holds & MP_HOLDS_HISTORY);
        mp_window_free(&all);
    }
    mp_window_free(&part);
}

void mp_section_selection(mp_document *document, const mp_request *request)
{
    const mp_selection *selection = &request->selection;
    const mp_view *view = &request->view;
    bool selects = request->whole && mp_selects(selection);
    if (!selects && !view->min_bytes && !view->min_count)
        return;
    mp_table *table = MP_TABLE(document, "selection", "Selection", MP_RECORD, columns);
    table->flags = MP_COMMON;
    size_t place = document->table_count - 1;
    mp_table_row(table);
    set_criteria(document, table, selection);
    if (selection->has_since)
        mp_set_number(table, "since_us", selection->since_us);
    if (selection->has_until)
        mp_set_number(table, "until_us", selection->until_us);
    if (view->min_bytes)
        mp_set_number(table, "min_bytes", view->min_bytes);
    if (view->min_count)
        mp_set_number(table, "min_count", view->min_count);
    if (!selects)
        return;
    mp_table *whole = MP_TABLE(document, "whole", NULL, MP_RECORD, whole_columns);
    whole->name_of_many = "wholes";
    whole->flags = MP_FOR_PROGRAMS;
    mp_table_row(whole);
    compare(document, &document->tables[place], whole, request);
}
