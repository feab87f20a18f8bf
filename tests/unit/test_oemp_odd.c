/* Unusual, damaged or hostile recordings, with the expected results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "query/query.h"
#include "support/memory_reader.h"
#include "unit/recording.h"

extern const mp_reader mp_reader_oemp;

/* Read the text with `what` replaced by `by`. */
static reading read_changed(const char *text, const char *what, const char *by)
{
    char *changed = replaced(text, what, by);
    assert_non_null(changed);
    reading r = read_text(&mp_reader_oemp, "a.oemp", changed, 4096);
    free(changed);
    return r;
}

/* Return the totals at the last snapshot, which ends the session. */
static mp_totals totals_of(const reading *r)
{
    mp_error error = {0};
    mp_window window;
    assert_true(mp_window_resolve(r->model, NULL, "last", &window, &error));
    mp_totals totals = mp_totals_of(&window);
    mp_window_free(&window);
    return totals;
}

/* Version 1 has changed objects among the new ones, so an owner may come after a changed object. */
static void a_change_leaves_owners_time_to_come(void **unused)
{
    (void)unused;
    reading r = read_changed(VERSION_1, BORN_2 "2 72 260",
                             "8 41 5 0 0 6000 101 20 0 0 7 0 0 0 0 0\n"
                             "6 41 12 1 1 1005 0 0 0 0 1 0 0 0 0 0\n" BORN_2 "2 72 260");
    assert_null(find_diagnostic(r.diagnostics, MP_DIAG_UNKNOWN_OWNER));
    for (uint32_t i = 2; i < r.model->contexts.count; i++)
        assert_int_not_equal(r.model->contexts.items[i].owner.i, MP_CONTEXT_UNKNOWN);
    reading_free(&r);
}

static void what_no_memory_holds_is_refused(void **unused)
{
    (void)unused;
    static const char huge[] = "9223372036854775807";
    char row[200];
    snprintf(row, sizeof row, "6 41 %s 1 1 0\n", huge);
    reading r = read_changed(VERSION_2, "6 41 30 1 1 0\n", row);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_BAD_ROW));
    /* object 6 keeps its 10 bytes; the trailer's 849 includes 30 bytes for it */
    assert_int_equal(totals_of(&r).live_bytes, 829);
    reading_free(&r);

    snprintf(row, sizeof row, "7 41 %s 0 0 6000", huge);
    r = read_changed(VERSION_2, "7 41 99 0 0 6000", row);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_BAD_ROW));
    assert_int_equal(totals_of(&r).live_bytes, 849 - 99);
    reading_free(&r);
}

/* Without a UUID, recordings are distinguished by process, session and start. */
static void recordings_without_uuid_are_not_one(void **unused)
{
    (void)unused;
    static const char one[] =
        SNAPSHOT_OF("\"\"", "1", "_Auto", "\"\"", "?", TYPES, "", "", "",
                    PLAIN("1", "41", "10", "0", "0", "0"), "", "", "5", "1", "10", "1");
    char *other = replaced(one, "2 3277 1", "2 3278 1");
    char both[4096];
    snprintf(both, sizeof both, "%s%s", one, other);
    reading r = read_text(&mp_reader_oemp, "a.oemp", both, 4096);
    assert_int_equal(r.model->sessions.count, 3);
    assert_int_equal(totals_of(&r).live_bytes, 20);
    assert_null(find_diagnostic(r.diagnostics, MP_DIAG_DUPLICATE_SNAPSHOT));
    assert_string_equal(mp_model_text(r.model, r.model->sessions.items[1].uuid), "");
    free(other);
    reading_free(&r);
}

static void a_snapshot_without_trailer_row_is_not_whole(void **unused)
{
    (void)unused;
    reading r = read_changed(VERSION_2, TRAILER_1, "");
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_DAMAGED_SNAPSHOT));
    assert_int_equal(r.model->sessions.items[1].snapshots, 1);
    /* the objects count for the next snapshot, and its trailer agrees */
    assert_int_equal(totals_of(&r).live_bytes, 849);
    assert_int_equal(totals_of(&r).live_objects, 5);
    reading_free(&r);
}

/* An object that becomes reusable is no longer alive, but does not count as deleted. */
static void what_becomes_reusable_is_counted_as_such(void **unused)
{
    (void)unused;
    reading r = read_changed(VERSION_2, "6 41 30 1 1 0\n", "6 80 30 1 1 0\n");
    mp_totals totals = totals_of(&r);
    assert_int_equal(totals.retyped_objects, -1);
    assert_int_equal(totals.live_objects,
                     totals.created_objects - totals.deleted_objects + totals.retyped_objects);
    assert_int_equal(totals.reusable_objects, 2);
    assert_int_equal(totals.reusable_bytes, 1030);
    reading_free(&r);
}

/* The rows of a snapshot that is truncated and written again belong to the header above them. */
static void a_snapshot_may_be_written_again(void **unused)
{
    (void)unused;
    char text[8192],
        *cut = replaced(VERSION_2, "\"_Exit\" \"??:\?\?\" \"\" ?", "\"_Exit\" \"late\" \"\" 6500");
    strstr(cut, BORN_2)[strlen(BORN_2)] = '\0';
    snprintf(text, sizeof text, "%s" VERSION_2_SECOND, cut);
    free(cut);
    reading r = read_text(&mp_reader_oemp, "a.oemp", text, 4096);
    /* object 7 was created at 6000 us, before the request in the first header */
    const mp_generation *last = &r.model->generations.items[r.model->generations.count - 1];
    assert_int_equal(last->born.i, 2);
    assert_int_equal(last->marks, MP_BORN_BEFORE_REQUEST);
    assert_int_equal(r.model->snapshots.items[2].request.i, 0);
    assert_int_equal(totals_of(&r).live_bytes, 849);
    reading_free(&r);
}

static void names_with_nul_stay_apart(void **unused)
{
    (void)unused;
    char text[8192];
    size_t length = strlen(VERSION_2);
    memcpy(text, VERSION_2, length);
    char *name =
        strstr(text, "order.p"); /* before the NUL is inserted: then the text is not a string */
    name[2] = '\0';
    reading r = read_bytes(&mp_reader_oemp, "a.oemp", text, length, 4096);
    bool found = false;
    for (uint32_t i = 1; i < r.model->symbols.count; i++)
        found |= strcmp(mp_model_text(r.model, r.model->symbols.items[i].name), "or\xe2\x90\x80"
                                                                                "er.p") == 0;
    assert_true(found);
    reading_free(&r);
}

/* A site has objects at many snapshots. Its generations must be looked up, not searched; only the
 * result is tested here. */
static void a_site_may_be_active_at_every_snapshot(void **unused)
{
    (void)unused;
    enum { SNAPSHOTS = 3000 };
    char *text = malloc(SNAPSHOTS * 700), *end = text;
    for (int i = 1; i <= SNAPSHOTS; i++)
        end += sprintf(end,
                       "2 1 %d " STAMP " \"A\" \"_Auto\" \"\" \"\" 0 " UUID
                       " \"\" 0 \"\" \"\" 0 \"\" \"\" \"\"\n.\n.\n%s.\n.\n.\n.\n.\n.\n"
                       "%d 41 10 0 0 5 0 0 0 0 0 0 0 0 0 0\n.\n.\n.\n%d %d %d 0 %d 0 0 0 0 "
                       "\"_Auto\" %d\n.\n",
                       i, i == 1 ? "\"Dynamic Query\" 41\n" : "", i, i, i, i * 10, i, i);
    reading r = read_text(&mp_reader_oemp, "a.oemp", text, 4096);
    mp_totals totals = totals_of(&r);
    assert_int_equal(totals.live_objects, SNAPSHOTS);
    assert_int_equal(totals.live_bytes, SNAPSHOTS * 10);
    assert_int_equal(r.model->contexts.count, 3); /* none, an unknown one, and that of the site */
    free(text);
    reading_free(&r);
}

static void uuids_have_digits_and_dashes_in_their_places(void **unused)
{
    (void)unused;
    static const char *const others[] = {
        "3F2504E04F89-11D3-9A0C-0305E82C33010", "3F2504E0-4F89-11D3-9A0C-0305E82C330",
        "3F2504E0-4F89-11D3-9A0C-0305E82C33011", "3F2504E0-4F89-11D3-9A0C-0305E82C330G",
        "3F2504E0-4F89-11D3-9A0C 0305E82C3301"};
    reading r = read_text(&mp_reader_oemp, "a.oemp", VERSION_2, 4096);
    assert_null(find_diagnostic(r.diagnostics, MP_DIAG_BAD_UUID));
    assert_string_equal(mp_model_text(r.model, r.model->sessions.items[1].uuid),
                        "3f2504e0-4f89-11d3-9a0c-0305e82c3301");
    reading_free(&r);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        r = read_changed(VERSION_2, "3F2504E0-4F89-11D3-9A0C-0305E82C3301", others[i]);
        assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_BAD_UUID));
        assert_string_equal(mp_model_text(r.model, r.model->sessions.items[1].uuid), others[i]);
        reading_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_leaves_owners_time_to_come),
        cmocka_unit_test(what_no_memory_holds_is_refused),
        cmocka_unit_test(recordings_without_uuid_are_not_one),
        cmocka_unit_test(a_snapshot_without_trailer_row_is_not_whole),
        cmocka_unit_test(what_becomes_reusable_is_counted_as_such),
        cmocka_unit_test(a_snapshot_may_be_written_again),
        cmocka_unit_test(names_with_nul_stay_apart),
        cmocka_unit_test(a_site_may_be_active_at_every_snapshot),
        cmocka_unit_test(uuids_have_digits_and_dashes_in_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
