/* Database files with other files next to them: logs, journals, and names with special
 * characters. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/diagnose.h"
#include "input/input.h"
#include "model/build.h"
#include "readers/aqtime_source.h"
#include "support/memory_reader.h"

#define OBJECTS "ALLOCATION_PROFILER_OBJECTS"
#define TABLE "CREATE TABLE " OBJECTS " (INST_ID, ID, COL_CLASSRID, COL_SIZE);"
#define OBJECT(id, size) "INSERT INTO " OBJECTS " VALUES (1, " id ", 1, " size ");"

static char folder[64], path[128], beside[160];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_aqtime_source.XXXXXX");
    return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0;
}

static void in_folder(char *buffer, size_t size, const char *name, const char *ending)
{
    snprintf(buffer, size, "%s/%s%s", folder, name, ending);
}

static void run(sqlite3 *database, const char *statements)
{
    assert_int_equal(sqlite3_exec(database, statements, NULL, NULL, NULL), SQLITE_OK);
}

static void copy(const char *from, const char *to, long length)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (int c; length-- && (c = getc(in)) != EOF;)
        putc(c, out);
    fclose(in);
    fclose(out);
}

static long size_of(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 ? (long)status.st_size : -1;
}

static void flip(const char *name, long position)
{
    FILE *file = fopen(name, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, position, SEEK_SET), 0);
    int c = getc(file);
    assert_int_equal(fseek(file, position, SEEK_SET), 0);
    putc(c ^ 1, file);
    fclose(file);
}

/* Make a database with two objects of 10 and 20 bytes. The first object is in the database file,
 * the second is only in the log. If `open_change` is true, the log also has a third object, whose
 * transaction was not committed. Both files are copies. They are as a process that was killed would
 * leave them. */
static void make_logged(const char *name, bool open_change)
{
    char work[128], log[160];
    sqlite3 *database;
    in_folder(work, sizeof work, "work", "");
    in_folder(log, sizeof log, "work", "-wal");
    in_folder(path, sizeof path, name, "");
    in_folder(beside, sizeof beside, name, "-wal");
    unlink(work);
    assert_int_equal(sqlite3_open(work, &database), SQLITE_OK);
    run(database, TABLE OBJECT("1", "10") "PRAGMA journal_mode = WAL;"
                                          "PRAGMA wal_autocheckpoint = 0;" OBJECT("2", "20"));
    /* a transaction that is larger than the cache is written to the log before it is committed */
    if (open_change)
        run(database, "PRAGMA cache_size = 2; BEGIN; WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL "
                      "SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO " OBJECTS
                      " SELECT 1, i, 1, 7 FROM n;");
    copy(work, path, -1);
    copy(log, beside, -1);
    sqlite3_close(database);
}

/* Return the live bytes of the database at `path`. Check that no file next to it was created or
 * changed. */
static int64_t bytes_of(bool *complete, uint64_t *logs)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    const mp_load_options options = {0};
    struct stat before[4], after[4];
    char name[192];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        before[i].st_size = -1;
        (void)!stat(name, &before[i]);
    }
    reading r = read_path(path, &options);
    assert_true(r.ok);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        after[i].st_size = -1;
        (void)!stat(name, &after[i]);
        assert_int_equal(before[i].st_size, after[i].st_size);
        if (before[i].st_size >= 0)
            assert_int_equal(before[i].st_mtim.tv_nsec, after[i].st_mtim.tv_nsec);
    }
    int64_t bytes = r.model->snapshots.items[1].live_bytes;
    *complete = r.model->inputs.items[1].complete;
    *logs = mp_diagnostics_count(r.diagnostics, MP_DIAG_UNREAD_LOG);
    reading_free(&r);
    return bytes;
}

static void assert_read(int64_t bytes, bool complete)
{
    bool was_complete;
    uint64_t logs;
    assert_int_equal(bytes_of(&was_complete, &logs), bytes);
    assert_int_equal(was_complete, complete);
    assert_int_equal(logs, complete ? 0 : 1);
}

static void test_a_log_is_read(void **state)
{
    (void)state;
    make_logged("logged", false);
    assert_read(30, true);
    /* these names would have a special meaning if the path were parsed as a URI */
    make_logged("a?mode=rw&x%41#b", false);
    assert_read(30, true);
}

/* SQLite looks for the log next to the target of a link, not next to the link. */
static void test_a_link(void **state)
{
    (void)state;
    char journal[192], other[160];
    make_logged("target", false);
    in_folder(journal, sizeof journal, "target", "-journal");
    in_folder(path, sizeof path, "link", "");
    in_folder(other, sizeof other, "link", "-wal");
    assert_int_equal(symlink("target", path), 0);
    assert_read(30, true);
    copy(beside, other, 10);
    assert_read(30, true);
    copy(path, journal, 512);
    assert_read(30, false);
}

static mp_checksum checksum_of(void)
{
    const mp_load_options options = {.checksums = true};
    reading r = read_path(path, &options);
    assert_true(r.ok);
    mp_checksum checksum = r.model->inputs.items[1].checksum;
    assert_true(checksum.known);
    reading_free(&r);
    return checksum;
}

/* The checksum is that of the data that was read. With a log, it is not the checksum of the file
 * alone, until SQLite copies the log's pages into the file. */
static void test_a_checksum(void **state)
{
    (void)state;
    sqlite3 *database;
    make_logged("summed", false);
    mp_checksum logged = checksum_of();
    in_folder(path, sizeof path, "summed-alone", "");
    in_folder(beside, sizeof beside, "summed", "");
    copy(beside, path, -1);
    mp_checksum alone = checksum_of();
    assert_false(mp_checksum_equal(&logged, &alone));
    in_folder(path, sizeof path, "summed", "");
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    run(database, "PRAGMA wal_checkpoint(TRUNCATE);");
    sqlite3_close(database);
    mp_checksum put_in = checksum_of();
    assert_true(mp_checksum_equal(&logged, &put_in));
    assert_int_equal(logged.bytes, size_of(path));
}

/* Return true if the database still counts as complete after these statements were run. The files
 * first get an old time stamp, so that changes to them are visible. */
static bool is_whole_after(const char *statements)
{
    const struct timespec long_ago[2] = {{1000000000, 0}, {1000000000, 0}};
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    run(database, "SELECT * FROM " OBJECTS); /* now the log is open */
    assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, beside, long_ago, 0), 0);
    mp_input *input = mp_input_open(path, diagnostics, NULL);
    aq_source *source = aq_source_open(input, path, diagnostics);
    assert_non_null(source);
    run(database, statements);
    bool is = aq_source_is_whole(source);
    assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_UNREAD_LOG), !is);
    aq_source_close(source);
    mp_input_close(input);
    sqlite3_close(database);
    mp_diagnostics_free(diagnostics);
    return is;
}

static void test_written_meanwhile(void **state)
{
    (void)state;
    make_logged("busy", false);
    assert_true(is_whole_after("SELECT * FROM " OBJECTS));
    make_logged("busy", false); /* the change is written to the log */
    assert_false(is_whole_after("PRAGMA wal_autocheckpoint = 0;" OBJECT("3", "40")));
    make_logged(
        "busy",
        false); /* the change was copied from the log to the file; the header of the log stays */
    assert_false(is_whole_after("PRAGMA wal_checkpoint(PASSIVE);"));
}

/* A missing page causes an SQLite error. It does not cause a crash, because pages are not mapped
 * into memory. */
static void test_cut_short_meanwhile(void **state)
{
    (void)state;
    enum { PAGE = 4096 };
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    make_logged("cut", false);
    unlink(beside);
    mp_input *input = mp_input_open(path, diagnostics, NULL);
    aq_source *source = aq_source_open(input, path, diagnostics);
    assert_non_null(source);
    sqlite3 *database = aq_source_connect(source);
    assert_int_equal(truncate(path, PAGE), 0); /* the schema is still there */
    assert_int_equal(sqlite3_exec(database, "SELECT * FROM " OBJECTS, NULL, NULL, NULL),
                     SQLITE_CORRUPT);
    assert_false(aq_source_is_whole(source));
    aq_source_close(source);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
}

static void test_nothing_beside_is_written(void **state)
{
    (void)state;
    char shared[192], precious[192];
    make_logged("linked", false);
    in_folder(precious, sizeof precious, "precious", "");
    snprintf(shared, sizeof shared, "%s-shm", path);
    copy(path, precious, 100);
    assert_int_equal(link(precious, shared), 0);
    assert_read(30, true);
    assert_int_equal(size_of(precious), 100);
}

static void test_without_its_log(void **state)
{
    (void)state;
    make_logged("alone", false);
    unlink(beside);
    assert_read(10, true);
    copy("/dev/null", beside, 0); /* all data is in the database file */
    assert_read(10, true);
    assert_int_equal(truncate(beside, 10), 0); /* shorter than a header */
    assert_read(10, false);
    unlink(beside);
    assert_int_equal(mkfifo(beside, 0600), 0); /* opening it would wait until a writer ends */
    assert_read(10, false);
}

static void test_damaged_logs(void **state)
{
    (void)state;
    make_logged("damaged", false);
    long size = size_of(beside);
    assert_int_equal(truncate(beside, size - 1), 0);
    assert_read(10, false);
    make_logged("damaged", false);
    flip(beside, size - 100); /* in a page */
    assert_read(10, false);
    make_logged("damaged", false);
    flip(beside, 26); /* byte in the checksum of the header */
    assert_read(10, false);
}

static void test_an_unfinished_change(void **state)
{
    (void)state;
    make_logged("open", true);
    assert_read(30, false);
}

/* Frames of an earlier log are ignored, because they have a different salt. */
static void test_old_frames(void **state)
{
    (void)state;
    make_logged("old", false);
    FILE *log = fopen(beside, "ab");
    for (int i = 0; i < 5000; i++)
        putc(i * 7, log);
    fclose(log);
    assert_read(30, true);
}

static void test_a_journal(void **state)
{
    (void)state;
    char journal[192];
    make_logged("hot", false);
    unlink(beside);
    snprintf(journal, sizeof journal, "%s-journal", path);
    copy(path, journal, 512);
    assert_read(10, false);
    /* the journal of a finished transaction, which SQLite keeps for the next transaction */
    assert_int_equal(truncate(journal, 0), 0);
    assert_read(10, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_log_is_read),
        cmocka_unit_test(test_a_link),
        cmocka_unit_test(test_a_checksum),
        cmocka_unit_test(test_written_meanwhile),
        cmocka_unit_test(test_cut_short_meanwhile),
        cmocka_unit_test(test_nothing_beside_is_written),
        cmocka_unit_test(test_without_its_log),
        cmocka_unit_test(test_damaged_logs),
        cmocka_unit_test(test_an_unfinished_change),
        cmocka_unit_test(test_old_frames),
        cmocka_unit_test(test_a_journal),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
