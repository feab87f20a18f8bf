/* Diagnostics: all are counted, some are kept, and the catalogue is complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "base/error.h"

static void all_are_counted_and_few_are_kept(void **unused)
{
    (void)unused;
    static const struct {
        size_t keep, of_rows, of_notes;
    } cases[] = {{1, 1, 1}, {3, 3, 2}, {5, 5, 2}, {0, 7, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_diagnostics *diagnostics = mp_diagnostics_new(cases[i].keep);
        const mp_diagnostic *kept;
        assert_int_equal(mp_diagnostics_kept(diagnostics, &kept), 0);
        for (uint64_t line = 1; line <= 7; line++) {
            mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, "a.oemp", line, "row %d", (int)line);
            if (line % 3 == 0)
                mp_diagnose(diagnostics, MP_DIAG_NOT_UTF8, NULL, 0, "note");
        }
        size_t count = mp_diagnostics_kept(diagnostics, &kept), rows = 0;
        assert_int_equal(count, cases[i].of_rows + cases[i].of_notes);
        for (size_t k = 0; k < count; k++)
            if (kept[k].id == MP_DIAG_BAD_ROW) {
                assert_int_equal(kept[k].line,
                                 ++rows); /* the first diagnostics are kept, in their order */
                assert_string_equal(kept[k].path, "a.oemp");
                assert_int_equal(kept[k].message[4], '0' + (int)rows);
            } else {
                assert_null(kept[k].path);
                assert_string_equal(kept[k].message, "note");
            }
        assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_BAD_ROW), 7);
        assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_NOT_UTF8), 2);
        assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_TORN), 0);
        assert_int_equal(mp_diagnostics_severity_count(diagnostics, MP_WARNING), 7);
        assert_int_equal(mp_diagnostics_severity_count(diagnostics, MP_NOTE), 2);
        assert_int_equal(mp_diagnostics_severity_count(diagnostics, MP_ERROR), 0);
        assert_int_equal(mp_diagnostics_violations(diagnostics), 7);
        mp_diagnostics_free(diagnostics);
    }
    mp_diagnostics_free(NULL);
}

static void tell_behind(void *opaque)
{
    mp_diagnostics *diagnostics = opaque;
    mp_diagnostics_settle(diagnostics, NULL, NULL);
    mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, "a.oemp", 1, "handed over");
}

/* Diagnostics of work that was handed over come before the next one. */
static void work_behind_is_settled_first(void **unused)
{
    (void)unused;
    mp_diagnostics *diagnostics = mp_diagnostics_new(2);
    const mp_diagnostic *kept;
    mp_diagnostics_settle(diagnostics, tell_behind, diagnostics);
    mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, "a.oemp", 2, "later");
    mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, "a.oemp", 3, "not kept");
    assert_int_equal(mp_diagnostics_kept(diagnostics, &kept), 2);
    assert_int_equal(kept[0].line, 1);
    assert_int_equal(kept[1].line, 2);
    assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_BAD_ROW), 3);
    mp_diagnostics_free(diagnostics);
}

/* Text from a file may contain any bytes, but a message is always UTF-8 and terminated. */
static void messages_are_text(void **unused)
{
    (void)unused;
    char path[] = "a.oemp", longest[3000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, path, 1, "has \"%s\"", "Z\xfcrich");
    mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, path, 2, "has \"%s\"", "Z\xc3\xbcrich");
    mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, path, 3, "%s", longest);
    path[0] = 'b'; /* the list keeps a copy */
    const mp_diagnostic *kept;
    assert_int_equal(mp_diagnostics_kept(diagnostics, &kept), 3);
    assert_string_equal(kept[0].message, "has \"Z\xc3\xbcrich\"");
    assert_string_equal(kept[1].message, "has \"Z\xc3\xbcrich\"");
    assert_string_equal(kept[0].path, "a.oemp");
    assert_in_range(strlen(kept[2].message), 500, 2999);
    mp_diagnostics_free(diagnostics);
}

/* Codes consist of lower-case letters, digits and dashes, and are unique. */
static void the_catalogue_is_in_order(void **unused)
{
    (void)unused;
    for (int i = 0; i < MP_DIAGNOSTIC_COUNT; i++) {
        const char *code = mp_diagnostic_code((mp_diagnostic_id)i);
        assert_int_equal(strspn(code, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(code));
        assert_in_range(strlen(code), 4, 40);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(code, mp_diagnostic_code((mp_diagnostic_id)k));
        /* violations of a format are at least warnings */
        if (mp_diagnostic_is_violation((mp_diagnostic_id)i))
            assert_int_not_equal(mp_diagnostic_severity((mp_diagnostic_id)i), MP_NOTE);
    }
    assert_string_equal(mp_diagnostic_code(MP_DIAG_TORN), "torn-recording");
    assert_int_equal(mp_diagnostic_severity(MP_DIAG_FOREIGN_FILE), MP_ERROR);
    assert_false(mp_diagnostic_is_violation(MP_DIAG_UNFINISHED));
    assert_string_equal(mp_severity_name(MP_NOTE), "note");
    assert_string_equal(mp_severity_name(MP_WARNING), "warning");
    assert_string_equal(mp_severity_name(MP_ERROR), "error");
}

/* The caller decides how options are written in messages. Text that the user wrote does not
 * change. */
static void arguments_are_spelled_by_whoever_asks(void **unused)
{
    (void)unused;
    char line[64];
    mp_error error;
    mp_fail(&error, MP_ERROR_ARGUMENT, MP_DASHES "a is later than %s " MP_DASHES "b", "its");
    assert_string_equal(mp_error_line(&error, "--", line, sizeof line),
                        "--a is later than its --b");
    assert_string_equal(mp_error_line(&error, "", line, sizeof line), "a is later than its b");
    assert_string_equal(mp_error_line(&error, "--", line, 4), "--a");
    mp_fail_argument(&error, "by", "\001x", "not by " MP_DASHES "top");
    assert_string_equal(mp_error_line(&error, "--", line, sizeof line), "--by \001x: not by --top");
    assert_string_equal(mp_spell(line, 2, MP_DASHES, "--"), "-"); /* longer text is cut */
    assert_string_equal(mp_spell(line, 1, "text", "--"), "");
    mp_diagnostics *diagnostics = mp_diagnostics_new(1);
    assert_string_equal(mp_diagnostics_dashes(diagnostics), "");
    mp_diagnostics_spell(diagnostics, "--");
    assert_string_equal(mp_diagnostics_dashes(diagnostics), "--");
    mp_diagnostics_free(diagnostics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_counted_and_few_are_kept),
        cmocka_unit_test(work_behind_is_settled_first),
        cmocka_unit_test(messages_are_text),
        cmocka_unit_test(the_catalogue_is_in_order),
        cmocka_unit_test(arguments_are_spelled_by_whoever_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
