/* Debug listings: in which folders they are searched, and how they are parsed. */
#include <ftw.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "model/profile.h"
#include "support/memory_reader.h"

enum { PATH = 300 };

/* A folder that contains `secret.dbg`, and two folders of listings in it: A and B. */
typedef struct fixture {
    char root[40], a[60], b[60];
} fixture;

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *p = strchr(path + strlen(folder) + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->root, "/tmp/memprof-listing-XXXXXX");
    if (!mkdtemp(f->root))
        return -1;
    snprintf(f->a, sizeof f->a, "%s/a", f->root);
    snprintf(f->b, sizeof f->b, "%s/b", f->root);
    mkdir(f->a, 0700);
    mkdir(f->b, 0700);
    *state = f;
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    nftw(f->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(f);
    return 0;
}

/* Load a profile of version 1 with these modules and line rows, and with both folders. */
static reading load(const fixture *f, const char *modules, const char *rows)
{
    char text[2000], path[PATH];
    const char *folders[] = {f->a, f->b};
    mp_load_options options = {.source_folders = folders, .source_folder_count = 2};
    snprintf(text, sizeof text, "1 09/10/2021 \"d\" 16:59:51 \"\"\n.\n%s.\n.\n%s.\n.\n.\n.\n",
             modules, rows);
    write_file(f->root, "run.prf", text);
    snprintf(path, sizeof path, "%s/run.prf", f->root);
    return read_path(path, &options);
}

static const char *code_of(const reading *r, uint32_t row)
{
    return mp_model_text(r->model, r->model->profile->lines.items[row].code);
}

static void lines_get_their_text(void **state)
{
    const fixture *f = *state;
    write_file(f->a, "dir/test.dbg",
               "           1 DEFINE VARIABLE i AS INTEGER.\r\n"
               "           2         RUN proc1.  \n"
               "without a number\n"
               "           3\n"
               "4 MESSAGE \"\xfc\".\n"
               "4 again\n"
               "99999999999999999999 no line\n"
               "5x no number\n"
               "          20 PROCEDURE proc1:");
    reading r = load(f, "1 \"dir\\test.p\" \"\" 5\n2 \"proc1 dir\\test.p\" \"\" 0\n",
                     "0 0 1 0 0\n1 2 1 0 0\n1 0 1 0 0\n1 3 1 0 0\n1 4 1 0 0\n1 5 1 0 0\n"
                     "2 20 1 0 0\n2 -1 1 0 0\n1 2 1 0 0\n1 77 1 0 0\n");
    static const char *const expected[] = {
        "",           "", "RUN proc1.", "", "", "MESSAGE \"\xc3\xbc\".", "", "PROCEDURE proc1:", "",
        "RUN proc1.", ""};
    assert_true(r.ok);
    for (uint32_t i = 1; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(code_of(&r, i), expected[i]);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    reading_free(&r);
}

static void listings_are_looked_for(void **state)
{
    static const struct {
        const char *folder; /* 'a', 'b', or the root folder above both */
        const char *file, *program;
        bool found;
    } cases[] = {
        {"a", "x/one.dbg", "x/one.p", true},
        {"b", "x/two.dbg", "x/two.w", true},
        {"b", "three.dbg", "some/where/three.p", true},
        {"a", "x/four.dbg", "C:\\x\\four.r", true},
        {"a", "x/five.dbg", "/x/./five.CLS", true},
        {"a", "pkg/sub/Six.dbg", "pkg.sub.Six", true},
        {"a", "pkg.sub.Seven.dbg", "pkg.sub.Seven", true},
        {"b", "Eight.dbg", "pkg.sub.Eight", true},
        {"a", "nine.dbg", "nine.p", true},
        {"a", "ten.p.dbg", "ten.p", false},
        {"root", "secret.dbg", "../secret.p", false},
        {"root", "secret.dbg", "x/../../secret.p", false},
        {"root", "secret.dbg", "..\\..\\secret.p", false},
        {"root", "secret.dbg", "...secret", false},
        {"a", "none/at/all.dbg", ".p", false},
        {"a", "folder.dbg/file", "folder.p", false},
    };
    const fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char modules[200];
        write_file(*cases[i].folder == 'a'   ? f->a
                   : *cases[i].folder == 'b' ? f->b
                                             : f->root,
                   cases[i].file, "1 STOP.\n");
        snprintf(modules, sizeof modules, "1 \"%s\" \"\" 5\n", cases[i].program);
        reading r = load(f, modules, "1 1 1 0 0\n1 2 1 0 0\n");
        assert_string_equal(code_of(&r, 1), cases[i].found ? "STOP." : "");
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_NO_SOURCE), !cases[i].found);
        assert_int_equal(count_diagnostics(r.diagnostics), !cases[i].found);
        reading_free(&r);
    }
}

static void the_first_folder_wins(void **state)
{
    const fixture *f = *state;
    write_file(f->a, "same.dbg", "1 first\n");
    write_file(f->b, "x/same.dbg", "1 second\n");
    reading r = load(f, "1 \"x/same.p\" \"\" 5\n", "1 1 1 0 0\n");
    assert_string_equal(code_of(&r, 1), "first");
    reading_free(&r);
}

static void a_missing_listing_is_noted_once(void **state)
{
    const fixture *f = *state;
    reading r = load(f,
                     "1 \"gone.p\" \"\" 5\n2 \"proc gone.p\" \"\" 0\n3 \"idle.p\" \"\" 6\n"
                     "4 \"gone2.p\" \"\" 7\n",
                     "1 1 1 0 0\n2 9 1 0 0\n3 0 1 0 0\n4 1 1 0 0\n");
    const mp_diagnostic *note = find_diagnostic(r.diagnostics, MP_DIAG_NO_SOURCE);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_NO_SOURCE), 1);
    assert_non_null(strstr(note->message, "of 2 programs, such as gone.p"));
    reading_free(&r);
}

static void a_source_serves_up_to_its_first_include(void **state)
{
    const fixture *f = *state;
    write_file(f->a, "dir/test.p", "  RUN one.\nRUN two.\nRUN three. {more.i}\nRUN four.\n");
    write_file(f->b, "dir/both.p", "RUN source.\n");
    write_file(f->b, "dir/both.dbg", "1 RUN listing.\n");
    reading r = load(f, "1 \"dir\\test.p\" \"\" 5\n2 \"dir\\both.p\" \"\" 5\n",
                     "1 1 1 0 0\n1 2 1 0 0\n1 3 1 0 0\n1 4 1 0 0\n2 1 1 0 0\n");
    static const char *const expected[] = {"RUN one.", "RUN two.", "", "", "RUN listing."};
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(code_of(&r, i + 1), expected[i]);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    reading_free(&r);
}

static void a_very_long_name_is_no_path(void **state)
{
    const fixture *f = *state;
    char modules[1200], name[1001];
    memset(name, 'x', 1000);
    name[1000] = '\0';
    snprintf(modules, sizeof modules, "1 \"%s\" \"\" 5\n", name);
    reading r = load(f, modules, "1 1 1 0 0\n");
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_NO_SOURCE), 1);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_get_their_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(listings_are_looked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_folder_wins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_listing_is_noted_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_source_serves_up_to_its_first_include, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_very_long_name_is_no_path, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
