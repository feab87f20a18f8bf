/* OpenEdge memory recordings that are damaged, or whose parts contradict each other: each
 * diagnostic, with its line. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "support/memory_reader.h"
#include "unit/recording.h"

extern const mp_reader mp_reader_oemp;

/* Return the number of the line that contains `marker`, from 1. */
static uint64_t line_of(const char *text, const char *marker)
{
    const char *cursor = strstr(text, marker);
    uint64_t line = 1;
    assert_non_null(cursor);
    for (const char *p = text; p < cursor; p++)
        line += *p == '\n';
    return line;
}

/* Return true if the first diagnostic of this kind is about `line` and has this message. */
static bool is_told(const reading *r, mp_diagnostic_id id, uint64_t line, const char *message)
{
    const mp_diagnostic *found = find_diagnostic(r->diagnostics, id);
    bool told = found && found->line == line && strstr(found->message, message);
    if (!told)
        print_error("expected on line %" PRIu64 ": %s: %s\nfound on line %" PRIu64 ": %s\n", line,
                    mp_diagnostic_code(id), message, found ? found->line : 0,
                    found ? found->message : "nothing");
    return told;
}

/* --- rows that do not fit their section --- */

/* Replace each column of the row in turn by a quote that is not closed. This is neither a number
 * nor a text. */
static void break_columns(const char *good, const char *row, const char *section,
                          unsigned expected_columns)
{
    unsigned columns = 1;
    bool quoted = false;
    for (const char *p = row; *p != '\n'; p++) {
        quoted ^= *p == '"';
        columns += *p == ' ' && !quoted;
    }
    const char *from = row;
    for (unsigned column = 1; column <= columns; column++) {
        const char *to = from;
        for (quoted = false; *to != '\n' && (quoted || *to != ' '); to++)
            quoted ^= *to == '"';
        char broken[400], expected[120];
        snprintf(broken, sizeof broken, "%.*s\"x%s", (int)(from - row), row, to);
        char *text = replaced(good, row, broken);
        assert_non_null(text);
        for (size_t window = 1; window <= 4096; window *= 4096) {
            reading r = read_text(&mp_reader_oemp, "a.oemp", text, window);
            snprintf(expected, sizeof expected, "%s row has \"\"x", section);
            assert_true(is_told(&r, MP_DIAG_BAD_ROW, line_of(good, row), expected));
            snprintf(expected, sizeof expected, "in column %u (", column);
            assert_true(is_told(&r, MP_DIAG_BAD_ROW, line_of(good, row), expected));
            assert_true(r.ok);
            reading_free(&r);
        }
        free(text);
        from = to + 1;
    }
    assert_int_equal(columns, expected_columns);
}

static void every_column_must_be_of_its_kind(void **unused)
{
    (void)unused;
    static const struct {
        const char *section, *row;
        unsigned columns, columns_v1; /* 0 = version 1 does not have the row */
    } cases[] = {
        {"PlatObjCatalog", "\"General\" 2\n", 2, 2},
        {"AppObjCatalog", "\"Dynamic Query\" 41\n", 2, 2},
        {"BObjCatalog", "\"Progress.Lang.Object\" 5\n", 2, 2},
        {"PlatObjData", "1 1000 2000 3000\n", 4, 4},
        {"ABLNameList", "3 \"submit\" 12\n", 3, 3},
        {"OtherNameList", "10 \"Progress.Collections.List<dog>\"\n", 2, 2},
        {"CallTreeNodes", "101 3 100 7\n", 4, 4},
        {"AppObjData", "1 34 400 11 12 1000 100 3 2 13 0 0 9 14 5 15\n", 16, 16},
        {"ChangedAppObjData", "2 72 260 1 1 3\n", 6, 0},
        {"DeletedObjs", "3 7000\n", 2, 2},
        {"Trailer", "5000 5 720 1500 7 4 0 1 1000 \"Pre 1\" 1\n", 11, 0},
        {"Trailer", "5000 6 1720 1500 7 4 0\n", 0, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].columns)
            break_columns(VERSION_2, cases[i].row, cases[i].section, cases[i].columns);
        if (cases[i].columns_v1)
            break_columns(VERSION_1, cases[i].row, cases[i].section, cases[i].columns_v1);
    }
}

/* A header with a malformed column does not count as a header. Therefore its snapshot does not
 * begin. */
static void every_column_of_the_header_counts(void **unused)
{
    (void)unused;
    static const char *const columns[] = {
        "2",         "3277",    "1",     STAMP,        "\"AS-4\"",    "\"Pre 1\"",
        "\"req-7\"", "\"old\"", "1500",  UUID,         "\"C:\\app\"", "2048",
        "\"shop\"",  "\"GET\"", "22.45", "\"12.8.9\"", "\"pasoe1\"",  "\"a run\"",
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    for (unsigned version = 1; version <= 2; version++) {
        unsigned count = version == 1 ? 15 : COLUMNS;
        for (unsigned broken = 0; broken <= count; broken++) {
            char text[1000];
            size_t length = 0;
            for (unsigned i = 0; i < count; i++)
                length += (size_t)snprintf(text + length, sizeof text - length, "%s ",
                                           i == broken ? "\"x"
                                           : i == 0    ? (version == 1 ? "1" : "2")
                                                       : columns[i]);
            snprintf(text + length, sizeof text - length, "\n.\n");
            reading r = read_text(&mp_reader_oemp, "a.oemp", text, 64);
            bool good = broken == count;
            assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_TORN), good);
            assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_SKIPPED_LINES), !good);
            assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_NOTHING_USABLE), 1);
            assert_false(r.ok);
            assert_int_equal(r.model->sessions.count, good ? 2 : 1);
            reading_free(&r);
        }
    }
}

/* --- diagnostics of the small recording after one change --- */

typedef struct fault {
    const char *what, *by;
    mp_diagnostic_id id;
    const char *where; /* text on the line of the diagnostic, after the change */
    const char *message;
    uint64_t others; /* number of further diagnostics that this one causes */
} fault;

/* Diagnostics of the second snapshot alone. It does not start the recording. Two types, a node, two
 * platform objects and an owner are unknown. The two objects that it changes and the one that it
 * deletes are also unknown. In the trailer, the numbers and bytes of the objects and of the
 * reusable objects do not match. */
enum { FOLLOWING = 1 + 2 + 1 + 2 + 1 + 2 + 1 + 4 };

static const fault faults[] = {
    /* rows */
    {"3 7000\n", "3 7000 1\n", MP_DIAG_BAD_ROW, "3 7000 1",
     "DeletedObjs row continues with \"1\", expected 2 columns: row skipped", 2},
    {"3 7000\n", "3\n", MP_DIAG_BAD_ROW, "3\n.\n9000", "row ends after 1 columns, expected 2", 2},
    {"6 41 30 1 1 0\n", "6 41 -30 1 1 0\n", MP_DIAG_BAD_ROW, "6 41 -30",
     "object 6 has -30 bytes, expected a size: row skipped", 1},
    {"7 41 99 ", "7 41 -1 ", MP_DIAG_BAD_ROW, "7 41 -1 ", "object 7 has -1 bytes", 2},
    {"7 41 99 ", "7 41 9223372036854775807 ", MP_DIAG_BAD_ROW, "7 41 92233",
     "more than any memory has; counted as 0", 1},
    {"2 500 600 700\n", "2 -5 600 700\n", MP_DIAG_BAD_ROW, "2 -5 600",
     "platform object 2 has -5, 600 and 700 bytes, expected sizes", 1},
    {" 1500 " UUID, " 9007199254740993 " UUID, MP_DIAG_BAD_ROW, "2 3277 1",
     "expected no more than 2^53: taken as 0", 0},
    {"101 3 100 7\n", "101 3 100 7\n0 1 0 0\n", MP_DIAG_BAD_ROW, "0 1 0 0\n.",
     "call-tree node 0 is the session itself", 0},
    {"3 \"submit\" 12\n", "3 \"submit\" 2147483648\n", MP_DIAG_BAD_ROW, "3 \"submit\" 214",
     "ABLNameList row has source line 2147483648, expected at most 2147483647; the line is un"
     "known",
     0},
    {"101 3 100 7\n", "101 3 100 -7\n", MP_DIAG_BAD_ROW, "101 3 100 -7",
     "CallTreeNodes row has source line -7", 0},
    {" 1000 100 3 2 13 ", " 1000 100 4294967299 2 13 ", MP_DIAG_BAD_ROW, " 4294967299 2 13 ",
     "AppObjData row has source line 4294967299", 0},
    {" 22.45 ", " 22.45 7 ", MP_DIAG_SKIPPED_LINES, "2 3277 1", "38 lines skipped", FOLLOWING},
    {"a run\"\n.\n", "a run\"\nodd row\n.\n", MP_DIAG_BAD_ROW, "odd row",
     "Header row continues with \"odd row\"", 0},
    /* snapshots */
    {"2 3277 2 " STAMP, "oops\noops\n2 3277 2 " STAMP, MP_DIAG_SKIPPED_LINES, "oops",
     "2 lines skipped, expected the header of a snapshot", 0},
    {"\"_Exit\" 2\n.\n", "\"_Exit\" 2\n.\noops\n", MP_DIAG_SKIPPED_LINES, "oops", "1 line skipped",
     0},
    {"2 3277 2 " STAMP, "3 3277 2 " STAMP, MP_DIAG_UNSUPPORTED_VERSION, "3 3277 2",
     "recording of version 3, expected 1 or 2", 2},
    {TRAILER_1, "", MP_DIAG_DAMAGED_SNAPSHOT, ".\n2 3277 2", "snapshot 1 has no trailer row", 1},
    {"\"_Exit\" 2\n.\n", "\"_Exit\" 2\n", MP_DIAG_TORN, "\"_Exit\" 2\n",
     "recording ends in section Trailer of snapshot 2, expected its trailer", 0},
    {TRAILER_1 END, "", MP_DIAG_DAMAGED_SNAPSHOT, "2 3277 2",
     "snapshot 1 is truncated in section Trailer, expected its trailer", 1},
    {"3277 2 ", "3277 3 ", MP_DIAG_SEQUENCE_GAP, "2 3277 3",
     "snapshot 3 comes after snapshot 1, expected 2", 1},
    {"3277 1 ", "3277 5 ", MP_DIAG_SEQUENCE_GAP, "2 3277 5",
     "recording starts with snapshot 5, expected 1", 2 + 1},
    {"3277 2 ", "3277 1 ", MP_DIAG_DUPLICATE_SNAPSHOT, "2 3277 1 " STAMP " \"AS-4\" \"_Exit\"",
     "snapshot 1 comes after snapshot 1, expected a later one; ignored", 1},
    {"3277 2 " STAMP " \"AS-4\" \"_Exit\" \"??:\?\?\" \"\" ? " UUID,
     "3277 2 " STAMP " \"AS-4\" \"_Exit\" \"??:\?\?\" \"\" ? \"not-one\"", MP_DIAG_BAD_UUID,
     "\"not-one\"", "\"not-one\" is not a UUID, expected 32 hexadecimal digits",
     FOLLOWING + 1 /* the first snapshot has no end */},
    {"\"a run\"", "\"a r\xfcn\"", MP_DIAG_NOT_UTF8, NULL, "read as ISO 8859-1", 0},
    /* trailers */
    {"5000 5 720", "5000 6 720", MP_DIAG_TRAILER_OBJECTS, "5000 6",
     "trailer of snapshot 1 states 6 objects, the rows give 5", 0},
    {"9000 5 849", "9000 5 850", MP_DIAG_TRAILER_BYTES, "9000 5",
     "trailer of snapshot 2 states 850 bytes of objects, the rows give 849", 0},
    {"720 1500 ", "720 1501 ", MP_DIAG_TRAILER_PLATFORM, "720 1501",
     "states 1501 bytes of platform memory, the rows give 1500", 0},
    {"720 1500 7 4 0 1 ", "720 1500 7 4 0 2 ", MP_DIAG_TRAILER_REUSABLE, "720 1500",
     "states 2 reusable objects, the rows give 1", 0},
    {"720 1500 7 4 0 1 1000", "720 1500 7 4 0 1 999", MP_DIAG_TRAILER_REUSABLE, "720 1500",
     "states 999 bytes of reusable objects, the rows give 1000", 0},
    {"720 1500 7 ", "720 1500 4 ", MP_DIAG_TRAILER_PEAK, "720 1500",
     "states a peak of 4 objects, the rows give at least 5", 0},
    {"\"Pre 1\" 1\n", "\"Pre 2\" 1\n", MP_DIAG_TRAILER_HEADER, "\"Pre 2\"",
     "trailer is of snapshot 1 \"Pre 2\", expected that of its header, 1 \"Pre 1\"", 0},
    {"\"Pre 1\" 1\n", "\"Pre 1\" 9\n", MP_DIAG_TRAILER_HEADER, "\"Pre 1\" 9",
     "trailer is of snapshot 9 \"Pre 1\"", 0},
    {"\n5000 5 720", "\n9001 5 720", MP_DIAG_TIME_ORDER, "9000 5 849",
     "snapshot 2 is at 9000 us, expected a time after 9001", 0},
    {"3 7000\n", "3 9001\n", MP_DIAG_TIME_ORDER, "9000 5 849",
     "has an object created or deleted later, at 9001 us", 0},
    {" 1005 ", " 5001 ", MP_DIAG_TIME_ORDER, "5000 5 720",
     "snapshot 1 is at 5000 us and has an object created or deleted later, at 5001 us", 0},
    /* definitions */
    {"\"Dynamic Query\" 41\n", "", MP_DIAG_UNDEFINED_TYPE, "6 41 10 ",
     "type 41 is used here and never defined", 0},
    {"3 \"submit\" 12\n", "", MP_DIAG_UNDEFINED_NAME, "101 3 100 7",
     "name 3 is used here and never defined", 0},
    {"10 \"Progress.Collections.List<dog>\"\n", "", MP_DIAG_UNDEFINED_NAME, "4 66 60",
     "name 10 is used here and never defined", 0},
    {"\"Progress.Lang.Object\" 5\n", "", MP_DIAG_UNDEFINED_NAME, "3 66 50",
     "name 5 is used here and never defined", 0},
    {"101 3 100 7\n", "", MP_DIAG_UNDEFINED_NODE, "2 72 200",
     "call-tree node 101 is used here and never defined", 0},
    {"\"General\" 2\n", "", MP_DIAG_UNDEFINED_PLATFORM, "2 500 600 700",
     "platform object 2 is not in the catalogue; its bytes count without a name", 1},
    {"\"General\" 2\n", "\"General\" 2\n\"Other\" 2\n", MP_DIAG_REDEFINED, "\"Other\" 2",
     "platform object 2 is redefined differently", 0},
    {"\"Dynamic Query\" 41\n", "\"Dynamic Query\" 41\n\"Dataset\" 41\n", MP_DIAG_REDEFINED,
     "\"Dataset\" 41", "type 41 is redefined differently", 0},
    {"\"Progress.Lang.Object\" 5\n", "\"Progress.Lang.Object\" 5\n\"Other\" 5\n", MP_DIAG_REDEFINED,
     "\"Other\" 5", "built-in class 5 is redefined", 0},
    {"3 \"submit\" 12\n", "3 \"submit\" 12\n3 \"submit\" 13\n", MP_DIAG_REDEFINED,
     "3 \"submit\" 13", "source 3 is redefined", 0},
    {"10 \"Progress.Collections.List<dog>\"\n",
     "10 \"Progress.Collections.List<dog>\"\n10 \"other\"\n", MP_DIAG_REDEFINED, "10 \"other\"",
     "name 10 is redefined", 0},
    {"101 3 100 7\n", "101 3 100 7\n101 3 100 8\n", MP_DIAG_REDEFINED, "101 3 100 8",
     "call-tree node 101 is redefined", 0},
    {"100 1 0 0\n101 3 100 7\n", "101 3 100 7\n100 1 0 0\n", MP_DIAG_PARENT_ORDER, "101 3 100 7",
     "call-tree node 101 comes before its caller, node 100, expected callers first", 0},
    {"100 1 0 0\n", "100 1 101 0\n", MP_DIAG_NODE_CYCLE, NULL,
     "is its own caller; the stack ends there", 1},
    /* objects */
    {"7 41 99 ", "2 41 99 ", MP_DIAG_OBJECT_EXISTS, "2 41 99 ",
     "object 2 is created but already alive; taken as a change", 2},
    {"2 72 260 ", "12 72 260 ", MP_DIAG_CHANGE_UNKNOWN, "12 72 260",
     "object 12 is changed but not alive: row skipped", 1},
    {"3 7000\n", "33 7000\n", MP_DIAG_DELETE_UNKNOWN, "33 7000",
     "object 33 is deleted but not alive: row skipped", 2},
    {"6000 101 20 0 0 2 ", "6000 101 20 0 0 55 ", MP_DIAG_UNKNOWN_OWNER, "7 41 99",
     "object 7 is scoped to object 55, which is not alive here", 0},
    {"6000 101 20 0 0 2 ", "6000 101 20 0 0 7 ", MP_DIAG_SCOPE_CYCLE, "7 41 99",
     "object 7 is scoped to itself through its owners", 1},
};

static void each_fault_is_told_with_its_line(void **unused)
{
    (void)unused;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const fault *f = &faults[i];
        char *text = replaced(VERSION_2, f->what, f->by);
        assert_non_null(text);
        for (size_t window = 1; window <= 4096; window *= 4096) {
            reading r = read_text(&mp_reader_oemp, "a.oemp", text, window);
            uint64_t others = count_diagnostics(r.diagnostics) - 1;
            wrong += !is_told(&r, f->id, f->where ? line_of(text, f->where) : 0, f->message);
            if (others != f->others) {
                print_error("%s: %" PRIu64 " others, expected %" PRIu64 "\n", f->message, others,
                            f->others);
                wrong++;
            }
            reading_free(&r);
        }
        free(text);
    }
    assert_int_equal(wrong, 0);
}

static void references_may_come_before_definitions(void **unused)
{
    (void)unused;
    char *later = replaced(VERSION_2, "\"a run\"\n.\n.\n.\n.\n1 1100",
                           "\"a run\"\n.\n.\n\"Dynamic Query\" 41\n.\n.\n1 1100");
    char *text = replaced(later, "\"Dynamic Query\" 41\n", "");
    reading r = read_text(&mp_reader_oemp, "a.oemp", text, 64);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    reading_free(&r);
    free(text);
    free(later);
}

static void definitions_may_be_repeated(void **unused)
{
    (void)unused;
    char *second = replaced(VERSION_2_SECOND, END END END END PLATFORM_2 END END END END,
                            END PLATFORMS END TYPES END BUILT_INS END PLATFORM_2 END SOURCES END
                                NAMES END CALL_TREE END);
    char text[2 * sizeof VERSION_2];
    assert_non_null(second);
    snprintf(text, sizeof text, "%s%s", VERSION_2_FIRST, second);
    reading r = read_text(&mp_reader_oemp, "a.oemp", text, 64);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    assert_int_equal(r.model->types.count, 1 + 6);
    assert_int_equal(r.model->platforms.count, 1 + 2);
    reading_free(&r);
    free(second);
}

/* --- truncated and damaged recordings --- */

static void a_cut_keeps_the_whole_snapshots(void **unused)
{
    (void)unused;
    size_t first = strlen(VERSION_2_FIRST), total = strlen(VERSION_2);
    for (size_t length = 0; length < total; length++) {
        reading r = read_bytes(&mp_reader_oemp, "a.oemp", VERSION_2, length, 100);
        /* the dot that ends the last section counts even without a newline */
        unsigned whole = length + 1 >= total ? 2 : length + 1 >= first ? 1 : 0;
        bool torn = whole < 2 && length > 0 && length != first && length + 1 != first;
        assert_int_equal(r.ok, whole > 0);
        assert_int_equal(r.model->sessions.count > 1 ? r.model->sessions.items[1].snapshots : 0,
                         whole);
        if (whole)
            assert_int_equal(r.model->snapshots.items[1].live_bytes, 720);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_NOTHING_USABLE), !whole);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_BAD_ROW), 0);
        /* a text that is too short for a header is not recognised as one */
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_TORN) +
                             mp_diagnostics_count(r.diagnostics, MP_DIAG_SKIPPED_LINES),
                         torn);
        assert_int_equal(r.model->inputs.items[1].complete, whole == 2);
        reading_free(&r);
    }
}

static void a_recording_ends_with_the_exit(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp", VERSION_2_FIRST, 64);
    uint64_t last = line_of(VERSION_2_FIRST, "\"Pre 1\" 1\n") + 1;
    assert_true(is_told(&r, MP_DIAG_UNFINISHED, last,
                        "recording ends with snapshot 1, expected one tagged _Exit"));
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    assert_int_equal(mp_diagnostics_violations(r.diagnostics), 0);
    assert_false(r.model->inputs.items[1].complete);
    reading_free(&r);

    r = read_text(&mp_reader_oemp, "a.oemp",
                  SNAPSHOT("1", "_EXIT", TYPES, "", "", "", "", "", "", "5", "0", "0", "0"), 64);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    assert_true(r.model->inputs.items[1].complete);
    reading_free(&r);
}

static void a_torn_snapshot_counts_for_nothing(void **unused)
{
    (void)unused;
    char *text = replaced(VERSION_2, TRAILER_2 END, "");
    reading r = read_text(&mp_reader_oemp, "a.oemp", text, 64);
    assert_true(r.ok);
    assert_int_equal(r.model->sessions.items[1].snapshots, 1);
    assert_int_equal(r.model->snapshots.count, 3);
    assert_false(r.model->snapshots.items[2].whole);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_TORN), 1);
    assert_int_equal(mp_diagnostics_violations(r.diagnostics), 1);
    reading_free(&r);
    free(text);
}

static void a_damaged_snapshot_counts_for_the_next(void **unused)
{
    (void)unused;
    char *text = replaced(VERSION_2, TRAILER_1 END, "");
    reading r = read_text(&mp_reader_oemp, "a.oemp", text, 64);
    assert_true(r.ok);
    assert_int_equal(r.model->sessions.items[1].snapshots, 1);
    assert_int_equal(r.model->snapshots.items[1].sequence, 2);
    assert_int_equal(r.model->snapshots.items[1].created_objects, 6);
    assert_int_equal(r.model->snapshots.items[1].live_bytes, 849);
    reading_free(&r);
    free(text);
}

static void a_line_without_end_is_skipped(void **unused)
{
    (void)unused;
    enum { LONG = 17 * 1024 * 1024 };
    const char *cursor = strstr(VERSION_2, "101 3 100 7\n");
    size_t before = (size_t)(cursor - VERSION_2), total = strlen(VERSION_2);
    char *text = malloc(total + LONG + 1);
    assert_non_null(text);
    memcpy(text, VERSION_2, before);
    memset(text + before, '7', LONG);
    text[before + LONG] = '\n';
    memcpy(text + before + LONG + 1, cursor, total - before);
    reading r = read_bytes(&mp_reader_oemp, "a.oemp", text, total + LONG + 1, 1 << 20);
    assert_true(
        is_told(&r, MP_DIAG_LONG_LINE, line_of(VERSION_2, "101 3 100 7\n"), "more than 16.0 MiB"));
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    assert_int_equal(r.model->sessions.items[1].snapshots, 2);
    reading_free(&r);
    free(text);
}

/* --- scopes --- */

static void owners_may_come_after_what_they_own(void **unused)
{
    (void)unused;
    /* 3 is in 2, and 2 is in 1; children come before their parents */
    reading r =
        read_text(&mp_reader_oemp, "a.oemp",
                  SNAPSHOT("1", "_Exit", TYPES, "", "", "",
                           PLAIN("3", "41", "4", "0", "3", "2") PLAIN("2", "68", "2", "0", "2", "1")
                               PLAIN("1", "34", "1", "0", "1", "0"),
                           "", "", "5", "3", "7", "3"),
                  64);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    unsigned seen = 0;
    for (uint32_t i = MP_CONTEXT_UNKNOWN + 1; i < r.model->contexts.count; i++) {
        const mp_context *context = &r.model->contexts.items[i];
        assert_int_equal(context->depth, context->line - 1);
        assert_int_equal(r.model->contexts.items[context->owner.i].line, context->line - 1);
        seen += context->line;
    }
    assert_int_equal(seen, 1 + 2 + 3);
    reading_free(&r);
}

static void circles_of_scopes_are_cut_once(void **unused)
{
    (void)unused;
    reading r =
        read_text(&mp_reader_oemp, "a.oemp",
                  SNAPSHOT("1", "_Exit", TYPES, "", "", "",
                           PLAIN("1", "68", "1", "0", "1", "3") PLAIN("2", "68", "2", "0", "2", "1")
                               PLAIN("3", "68", "4", "0", "3", "2"),
                           "", "", "5", "3", "7", "3"),
                  64);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_SCOPE_CYCLE), 1);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_UNKNOWN_OWNER), 1);
    assert_int_equal(count_diagnostics(r.diagnostics), 2);
    assert_int_equal(r.model->snapshots.items[1].live_bytes, 7);
    reading_free(&r);
}

static void deep_scopes_are_told_apart_to_64(void **unused)
{
    (void)unused;
    char *objects, *text;
    size_t size;
    FILE *out = open_memstream(&objects, &size);
    for (int id = 1; id <= 100; id++)
        fprintf(out, "%d 68 1 0 0 0 0 1 0 0 %d 1 0 0 0 0\n", id, id - 1);
    fclose(out);
    text = replaced(
        SNAPSHOT("1", "_Exit", TYPES, "", "", "", "ROWS", "", "", "5", "100", "100", "100"), "ROWS",
        objects);
    reading r = read_text(&mp_reader_oemp, "a.oemp", text, 64);
    /* depths 0 to 64 have their own contexts; the 35 deeper objects share the deepest one */
    assert_int_equal(r.model->contexts.count, MP_CONTEXT_UNKNOWN + 1 + 65);
    assert_int_equal(r.model->contexts.items[r.model->contexts.count - 1].depth, 64);
    assert_true(mp_diagnostics_count(r.diagnostics, MP_DIAG_SCOPE_DEPTH) > 0);
    assert_int_equal(mp_diagnostics_violations(r.diagnostics), 0);
    assert_int_equal(r.model->snapshots.items[1].live_objects, 100);
    reading_free(&r);
    free(text);
    free(objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_must_be_of_its_kind),
        cmocka_unit_test(every_column_of_the_header_counts),
        cmocka_unit_test(each_fault_is_told_with_its_line),
        cmocka_unit_test(references_may_come_before_definitions),
        cmocka_unit_test(definitions_may_be_repeated),
        cmocka_unit_test(a_cut_keeps_the_whole_snapshots),
        cmocka_unit_test(a_recording_ends_with_the_exit),
        cmocka_unit_test(a_torn_snapshot_counts_for_nothing),
        cmocka_unit_test(a_damaged_snapshot_counts_for_the_next),
        cmocka_unit_test(a_line_without_end_is_skipped),
        cmocka_unit_test(owners_may_come_after_what_they_own),
        cmocka_unit_test(circles_of_scopes_are_cut_once),
        cmocka_unit_test(deep_scopes_are_told_apart_to_64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
