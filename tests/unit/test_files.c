/* How files are found and grouped, in folders that the tests make. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "session/groups.h"

static char folder[] = "/tmp/memprof-files-XXXXXX";

/* Write the first line of a recording. Grouping reads nothing else. */
static void put_recording(const char *name, int sequence, const char *uuid)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "2 3277 %d \"2026-03-02T08:15:30.250+01:00\" \"AVM-Client\" \"_Auto\" \"\" \"\" ? "
            "\"%s\" \"C:\\shop\" 0 \"shop/main.p\" \"\" 37.15 \"12.8.9\" \"\" \"Shop\"\n",
            sequence, uuid);
    fclose(file);
}

static void put_text(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("not a recording\n", file);
    fclose(file);
}

static int set_up(void **unused)
{
    (void)unused;
    char path[200];
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/deep", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/deep/back", folder);
    if (symlink("..", path) != 0)
        return 1;
    put_recording("memprof.7.AS-2.oemp", 1, "6f1d2c84-93b5-4e0a-8a57-000000000002");
    put_recording("memprof.7.AS-1.oemp", 1, "6f1d2c84-93b5-4e0a-8a57-000000000001");
    put_recording("memprof.8.AS-1.oemp", 1, "6f1d2c84-93b5-4e0a-8a57-000000000003");
    put_recording("part-b.oemp", 5, "6f1d2c84-93b5-4e0a-8a57-000000000004");
    put_recording("part-a.oemp", 1, "6f1d2c84-93b5-4e0a-8a57-000000000004");
    put_recording("Zed@3.oemp", 1, "6f1d2c84-93b5-4e0a-8a57-000000000005");
    put_recording("deep/copy-1.oemp", 1, "6f1d2c84-93b5-4e0a-8a57-000000000006");
    put_recording("deep/copy-2.oemp", 1, "6f1d2c84-93b5-4e0a-8a57-000000000006");
    put_recording("deep/copy-3.oemp", 9, "6f1d2c84-93b5-4e0a-8a57-000000000006");
    put_text("notes.txt");
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static int tear_down(void **unused)
{
    (void)unused;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Check that the options result in these groups, written as "name(paths)". Each path begins with
 * the folder. */
static void assert_groups(mp_reading reading, const char *const *names, const size_t *sizes,
                          size_t count)
{
    mp_file_groups groups;
    const char *const path = folder;
    mp_diagnostics *diagnostics = mp_diagnostics_new(5);
    assert_true(mp_file_groups_find(&groups, &path, 1, &reading, NULL, diagnostics));
    assert_int_equal(groups.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(groups.items[i].name, folder, strlen(folder));
        assert_string_equal(groups.items[i].name + strlen(folder) + 1, names[i]);
        assert_int_equal(groups.items[i].count, sizes[i]);
    }
    assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_PASSED_OVER), 1);
    mp_file_groups_free(&groups);
    mp_diagnostics_free(diagnostics);
}

static void each_file_is_on_its_own(void **unused)
{
    (void)unused;
    static const char *const names[] = {"Zed@3.oemp", "memprof.7.AS-1.oemp", "memprof.7.AS-2.oemp",
                                        "memprof.8.AS-1.oemp", "part-a.oemp"};
    assert_groups((mp_reading){0}, names, (const size_t[]){1, 1, 1, 1, 2}, 5);
}

static void sessions_of_an_agent_are_together(void **unused)
{
    (void)unused;
    static const char *const names[] = {"Zed@3.oemp", "memprof.7", "memprof.8", "part-a.oemp"};
    assert_groups((mp_reading){.grouping = MP_GROUP_AGENT}, names, (const size_t[]){1, 2, 1, 2}, 4);
}

/* the third part could belong to either copy */
static void folders_and_copies(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        "Zed@3.oemp",          "deep/copy-1.oemp",    "deep/copy-2.oemp",    "deep/copy-3.oemp",
        "memprof.7.AS-1.oemp", "memprof.7.AS-2.oemp", "memprof.8.AS-1.oemp", "part-a.oemp"};
    assert_groups((mp_reading){.recursive = true}, names, (const size_t[]){1, 1, 1, 1, 1, 1, 1, 2},
                  8);
}

static void all_is_one(void **unused)
{
    (void)unused;
    static const char *const names[] = {"Zed@3.oemp"};
    assert_groups((mp_reading){.grouping = MP_GROUP_ALL}, names, (const size_t[]){6}, 1);
}

/* Files that the user names one by one are not examined here, so they need not exist. */
static void named_files_are_passed_through(void **unused)
{
    (void)unused;
    const char *paths[] = {"gone.oemp@3", "-", "gone.oemp"};
    mp_reading reading = {0};
    mp_file_groups groups;
    mp_diagnostics *diagnostics = mp_diagnostics_new(5);
    assert_true(mp_file_groups_find(&groups, paths, 3, &reading, NULL, diagnostics));
    assert_false(groups.apart);
    assert_int_equal(groups.count, 1);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(groups.items[0].files[i].name, paths[i]);
    mp_file_groups_free(&groups);
    reading.grouping = MP_GROUP_FILE;
    assert_true(mp_file_groups_find(&groups, paths, 3, &reading, NULL, diagnostics));
    assert_true(groups.apart);
    assert_int_equal(groups.count, 3);
    mp_file_groups_free(&groups);
    mp_diagnostics_free(diagnostics);
}

static void agents_are_known_by_their_names(void **unused)
{
    (void)unused;
    assert_int_equal(mp_process_of("a/b/memprof.4711.AS-12.oemp"), strlen("a/b/memprof.4711"));
    assert_int_equal(mp_process_of("memprof.1.AS-0.oemp"), strlen("memprof.1"));
    static const char *const none[] = {
        "memprof.4711.oemp",       "memprof..AS-1.oemp",       "memprof.4711.AS-.oemp",
        "memprof.4711.AS-1.prf",   "memprof.47x.AS-1.oemp",    "xmemprof.4711.AS-1.oemp",
        "memprof.4711.AS-1.oemp~", "memprof.4711.AS-1/x.oemp", ""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(mp_process_of(none[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_is_on_its_own),
        cmocka_unit_test(sessions_of_an_agent_are_together),
        cmocka_unit_test(folders_and_copies),
        cmocka_unit_test(all_is_one),
        cmocka_unit_test(named_files_are_passed_through),
        cmocka_unit_test(agents_are_known_by_their_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
