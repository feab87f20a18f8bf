/* Logs of dynamic objects: how entries are parsed, objects replayed, and snapshots made. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/text.h"
#include "query/query.h"
#include "readers/dynobjects.h"
#include "support/memory_reader.h"

#define NAME "agent.log"
#define CLIENT "[26/03/02@08:15:30.250+0100] P-024712 T-002860 2 4GL "
#define AGENT "2026-03-02T08:15:30.250+0100 013309 013326 2 AS-1 ROOT:w:00000002 "
#define OBJECT "DYNOBJECTS     "
#define TRACE "4GLTRACE       "

extern const mp_reader mp_reader_dynobjects;

/* --- entries --- */

static const char *shown(mp_slice text)
{
    static char buffers[8][128];
    static int next;
    char *buffer = buffers[next++ % 8];
    snprintf(buffer, sizeof buffers[0], "%.*s", (int)text.length, text.length ? text.start : "");
    return buffer;
}

static dyn_entry entry_of(const char *line)
{
    dyn_clock clock = {{0}, 0};
    dyn_entry entry;
    dyn_parse(&clock, mp_slice_of(line), &entry);
    return entry;
}

/* Forms of entries that the manual and LeakCheck show. */
static void entries_of_objects(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        dyn_kind kind;
        const char *type;
        uint64_t id;
        int64_t bytes;
        const char *name, *routine, *unit, *pool;
        uint32_t at_line;
    } cases[] = {
        {CLIENT OBJECT "Created        MENU               Handle:1098 (x.p Line 4)", DYN_BIRTH,
         "MENU", 1098, 0, "", "", "x.p", "", 4},
        {AGENT OBJECT "Created        BUFFER                  Handle:1312 (explicit_buffer "
                      "Utils.TestLeakCheck @ 753) Table:tt Pool:<unnamed> FROM adecomm/_runcode.p",
         DYN_BIRTH, "BUFFER", 1312, 0, "tt", "explicit_buffer", "Utils.TestLeakCheck",
         "<unnamed> FROM adecomm/_runcode.p", 753},
        {AGENT OBJECT
         "Created        BUFFER                  Handle:1299 (GetDataset Utils.D @ 33) "
         "IMPLICIT Table:tt Pool:<Session Pool>",
         DYN_NOTHING, "BUFFER", 1299, 0, "tt", "GetDataset", "Utils.D", "<Session Pool>", 33},
        {CLIENT OBJECT "Created        BROWSE-COLUMN      Handle:1143 (y.p Line 63) Name: Cust-Num "
                       "[Browse Handle:1139]",
         DYN_BIRTH, "BROWSE-COLUMN", 1143, 0, "Cust-Num", "", "y.p", "", 63},
        {CLIENT OBJECT "Created        .NET Object Handle:1272 (leak EntityWriters.XEW @ 249) "
                       "System.String[] Pool:<unnamed> FROM EntityWriters.XEW",
         DYN_BIRTH, ".NET Object", 1272, 0, "System.String[]", "leak", "EntityWriters.XEW",
         "<unnamed> FROM EntityWriters.XEW", 249},
        {CLIENT OBJECT "Deleted-by-GC  Progress.Lang.Object    Handle:1276 (m c.D @ 280) o.Memptr",
         DYN_DEATH, "Progress.Lang.Object", 1276, 0, "o.Memptr", "m", "c.D", "", 280},
        {AGENT OBJECT "Created        PROCEDURE               Handle:1001 ( @ 0) session_start.p",
         DYN_NOTHING, "PROCEDURE", 1001, 0, "session_start.p", "", "", "", 0},
        {AGENT OBJECT "Deleted        PROCEDURE               Handle:1001 ( @ 0) session_start.p",
         DYN_DEATH, "PROCEDURE", 1001, 0, "session_start.p", "", "", "", 0},
        {AGENT OBJECT
         "Allocated   MEMPTR 0x7F0338108190 size: 56 (propGet_Value o.ByteBucket @ 52)",
         DYN_BIRTH, "MEMPTR", 0x7F0338108190, 56, "", "propGet_Value", "o.ByteBucket", "", 52},
        {CLIENT OBJECT "Allocated   LONGCHAR/MEMPTR 0x1f size: 0 (a.p @ 1)", DYN_BIRTH, "MEMPTR",
         0x1f, 0, "", "", "a.p", "", 1},
        {CLIENT OBJECT "Deallocated MEMPTR 0x2B66A5E8A80 size: 1024", DYN_DEATH, "MEMPTR",
         0x2B66A5E8A80, 1024, "", "", "", "", 0},
        {CLIENT OBJECT "Allocated   MEMPTR Handle:0 (a.p @ 1)", DYN_NOTHING, "MEMPTR", 0, 0, "", "",
         "", "", 0},
        {CLIENT OBJECT "Cached         Progress.Lang.Object    Handle:7 (a.p @ 1) shop.R", DYN_KEPT,
         "Progress.Lang.Object", 7, 0, "shop.R", "", "a.p", "", 1},
        {CLIENT OBJECT "Delete Pending TEMP-TABLE              Handle:1003 (tt.p @ 18)",
         DYN_NOTHING, "", 0, 0, "", "", "", "", 0},
        {CLIENT OBJECT "Creating pool  req-wp PERS (activate.p @ 19)", DYN_NOTHING, "", 0, 0, "",
         "", "", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dyn_entry entry = entry_of(cases[i].line);
        assert_int_equal(entry.kind, cases[i].kind);
        assert_string_equal(shown(entry.type), cases[i].type);
        assert_int_equal(entry.id, cases[i].id);
        assert_int_equal(entry.bytes, cases[i].bytes);
        assert_string_equal(shown(entry.name), cases[i].name);
        assert_string_equal(shown(entry.routine.name), cases[i].routine);
        assert_string_equal(shown(entry.routine.unit), cases[i].unit);
        assert_string_equal(shown(entry.pool), cases[i].pool);
        assert_int_equal(entry.line, cases[i].at_line);
    }
}

static void entries_of_calls(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        dyn_kind kind;
        const char *caller, *caller_unit, *callee, *unit;
        uint32_t at_line;
    } cases[] = {
        {CLIENT TRACE "Run shop/price.p PERSIST \"a [b\" [placeOrder - shop.Service @ 155]",
         DYN_CALL, "placeOrder", "shop.Service", "", "shop/price.p", 155},
        {AGENT TRACE "Invoke read in shop.Import \"\" [Main Block - shop/x.p @ 7]", DYN_CALL, "",
         "shop/x.p", "read", "shop.Import", 7},
        {AGENT TRACE "Run pi-SMTP [pi-execute2 - utp/utapi019.p @ 490]", DYN_CALL, "pi-execute2",
         "utp/utapi019.p", "pi-SMTP", "utp/utapi019.p", 490},
        {AGENT TRACE "New shop.Cart \"\" [fill - shop.Shop @ 3]", DYN_CALL, "fill", "shop.Shop", "",
         "shop.Cart", 3},
        {AGENT TRACE "Return from read \"x\" [shop.Import]", DYN_RETURN, "", "", "read",
         "shop.Import", 0},
        {AGENT TRACE "Return from Main Block \"\" [shop/x.p]", DYN_RETURN, "", "", "", "shop/x.p",
         0},
        {AGENT TRACE "Publish event \"\" [Main Block - shop/x.p @ 7]", DYN_OTHER, "", "", "", "",
         0},
        {AGENT TRACE "Run x.p", DYN_OTHER, "", "", "", "", 0},
        {AGENT TRACE "Run x.p [a - b]", DYN_OTHER, "", "", "", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dyn_entry entry = entry_of(cases[i].line);
        assert_int_equal(entry.kind, cases[i].kind);
        if (entry.kind == DYN_OTHER)
            continue;
        assert_string_equal(shown(entry.routine.name), cases[i].caller);
        assert_string_equal(shown(entry.routine.unit), cases[i].caller_unit);
        assert_string_equal(shown(entry.callee.name), cases[i].callee);
        assert_string_equal(shown(entry.callee.unit), cases[i].unit);
        assert_int_equal(entry.line, cases[i].at_line);
    }
}

static void heads_of_both_layouts(void **unused)
{
    (void)unused;
    dyn_entry entry = entry_of(CLIENT OBJECT "Creating pool  x (a.p @ 1)");
    assert_int_equal(entry.time_us, INT64_C(1772435730250000)); /* 2026-03-02T07:15:30.250Z */
    assert_int_equal(entry.process, 24712);
    assert_int_equal(entry.session.length, 0);
    entry = entry_of("2026-03-02T23:59:59.999-0330 013309 013326 2 AS-12 ?:?:? " OBJECT
                     "Creating pool  x (a.p @ 1)");
    assert_int_equal(entry.time_us, INT64_C(1772508599999000)); /* 2026-03-03T03:29:59.999Z */
    assert_int_equal(entry.process, 13309);
    assert_string_equal(shown(entry.session), "AS-12");
    assert_int_equal(entry.request.length, 0);
    entry = entry_of(AGENT OBJECT "Creating pool  x (a.p @ 1)");
    assert_string_equal(shown(entry.request), "ROOT:w:00000002");
    assert_int_equal(entry.kind, DYN_NOTHING);
}

static void lines_that_are_no_entries(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        dyn_kind kind;
    } cases[] = {
        {"", DYN_OTHER},
        {"  a message goes on", DYN_OTHER},
        {CLIENT "QRYINFO        Query Plan", DYN_OTHER},
        {"[26/13/02@08:15:30.250+0100] P-024712 T-002860 2 4GL QRYINFO x", DYN_OTHER},
        {"[26/03/02@24:15:30.250+0100] P-024712 T-002860 2 4GL QRYINFO x", DYN_OTHER},
        {"[26/03/02@08:15:30.250+0100] P-x24712 T-002860 2 4GL " OBJECT "Created x", DYN_BAD},
        {"lost DYNOBJECTS     Created        QUERY  Handle:1 (a.p @ 1)", DYN_BAD},
        {CLIENT OBJECT "Created        QUERY  Handle:1 (a.p @ 99999999999)", DYN_BAD},
        {CLIENT OBJECT "Created        QUERY  Handle:1", DYN_BAD},
        {CLIENT OBJECT "Created        QUERY  Handle: (a.p @ 1)", DYN_BAD},
        {CLIENT OBJECT "Allocated   MEMPTR 0x size: 1 (a.p @ 1)", DYN_BAD},
        {CLIENT OBJECT "Allocated   MEMPTR 0x1 length: 1 (a.p @ 1)", DYN_BAD},
        {CLIENT OBJECT "Moved          QUERY  Handle:1 (a.p @ 1)", DYN_BAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dyn_entry entry = entry_of(cases[i].line);
        assert_int_equal(entry.kind, cases[i].kind);
        assert_true(entry.kind != DYN_BAD || entry.wrong);
    }
}

/* --- a log --- */

#define AT(time, request) "2026-03-02T08:15:" time "+0100 013309 013326 2 AS-1 " request " "

static const char LOG[] =
    AT("30.000", "ROOT:1") TRACE "Run web/a.p [Main Block - web/h.p @ 9]\n" AT("30.010", "ROOT:1")
        OBJECT "Created        QUERY  Handle:1 (web/a.p @ 2) Name: q\r\n" AT("30.020", "ROOT:1")
            OBJECT "Created        SOCKET Handle:1 (web/a.p @ 3)\n" AT("30.030", "ROOT:2") OBJECT
    "Deleted        SOCKET Handle:1 (web/a.p @ 4)\n" AT("30.040", "ROOT:2") OBJECT
    "Allocated   MEMPTR 0x10 size: 64 (web/b.p @ 5)\n";

static void a_log_is_replayed(void **unused)
{
    (void)unused;
    for (size_t window_size = 1; window_size <= 4096; window_size *= 64) {
        reading r = read_text(&mp_reader_dynobjects, NAME, LOG, window_size);
        mp_error error = {0};
        mp_window window;
        assert_true(r.ok);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        assert_true(r.model->holds & MP_HOLDS_UNSIZED);
        assert_int_equal(r.model->inputs.items[1].records, 4);
        assert_int_equal(r.model->snapshots.count - 1,
                         3); /* a snapshot at the start, and two for requests */
        assert_true(mp_window_resolve(r.model, NULL, NULL, &window, &error));
        const mp_totals totals = mp_totals_of(&window);
        assert_int_equal(totals.created_objects, 3);
        assert_int_equal(totals.deleted_objects, 1);
        assert_int_equal(totals.leaked_objects, 2);
        assert_int_equal(totals.leaked_bytes, 64);
        const mp_snapshot *first = &r.model->snapshots.items[2];
        assert_string_equal(mp_model_text(r.model, first->request), "ROOT:1");
        assert_int_equal(first->time_us, 20000);
        assert_int_equal(r.model->snapshots.items[3].time_us, 40000);
        mp_window_free(&window);
        reading_free(&r);
    }
}

static void a_log_may_be_cut(void **unused)
{
    (void)unused;
    char text[sizeof LOG];
    memcpy(text, LOG, sizeof LOG - 2);
    text[sizeof LOG - 2] = 0;
    reading r = read_text(&mp_reader_dynobjects, NAME, text, 64);
    assert_true(r.ok);
    assert_int_equal(r.model->inputs.items[1].records, 3);
    assert_false(r.model->inputs.items[1].complete);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_TORN));
    reading_free(&r);
    r = read_text(&mp_reader_dynobjects, NAME, CLIENT "QRYINFO        x\n", 64);
    assert_false(r.ok);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_NOTHING_USABLE));
    reading_free(&r);
}

/* Snapshots are in runs of 128. In the second run, each covers two requests. */
static void snapshots_become_longer(void **unused)
{
    (void)unused;
    enum { REQUESTS = 130 };
    char *text = mp_alloc_zero(REQUESTS, 200);
    size_t length = 0;
    for (int i = 0; i < REQUESTS; i++)
        length += (size_t)sprintf(text + length,
                                  "2026-03-02T08:15:30.%03d+0100 1 1 2 AS-1 ROOT:%d " OBJECT
                                  "Created        QUERY  Handle:%d (web/a.p @ 2)\n",
                                  i, i, i);
    reading r = read_text(&mp_reader_dynobjects, NAME, text, 4096);
    /* A snapshot at the start, 128 snapshots that cover one request, and one that covers two. */
    assert_int_equal(r.model->snapshots.count - 1, 130);
    const mp_snapshot *last = &r.model->snapshots.items[r.model->snapshots.count - 1];
    assert_string_equal(mp_model_text(r.model, last->request), "ROOT:128 to ROOT:129");
    assert_string_equal(mp_model_text(r.model, last[-1].request), "ROOT:127");
    assert_int_equal(last->created_objects, 2);
    reading_free(&r);
    free(text);
}

static void calls_that_are_not_told_to_return(void **unused)
{
    (void)unused;
    static const char text[] = AT("30.000", "ROOT:1") TRACE
        "Run web/a.p [Main Block - web/h.p @ 9]\n" AT("30.001", "ROOT:1") TRACE
        "Run one [Main Block - web/a.p @ 2]\n" AT("30.002", "ROOT:1") TRACE
        "Run two [Main Block - web/a.p @ 3]\n" AT("30.003", "ROOT:1") OBJECT
        "Created        QUERY  Handle:1 (two web/a.p @ 5)\n";
    reading r = read_text(&mp_reader_dynobjects, NAME, text, 4096);
    const mp_model *model = r.model;
    uint32_t place = model->tree_of[model->contexts.items[model->contexts.count - 1].node.i];
    static const struct {
        const char *name;
        uint32_t line; /* line at which the caller calls it */
    } stack[] = {{"two web/a.p", 3}, {"web/a.p", 9}, {"web/h.p", 0}};
    for (size_t i = 0; i < 3; i++) {
        const mp_tree_node *node = &model->tree.items[place];
        assert_string_equal(mp_model_text(model, model->symbols.items[node->symbol.i].name),
                            stack[i].name);
        assert_int_equal(node->line, stack[i].line);
        place = node->parent;
    }
    assert_int_equal(place, 0);
    reading_free(&r);
}

static void rotated_logs_have_places(void **unused)
{
    (void)unused;
    mp_place first, second;
    assert_true(
        mp_reader_dynobjects.place(mp_slice_of("a message goes on\n" CLIENT "X y\n"), &first));
    assert_true(mp_reader_dynobjects.place(
        mp_slice_of("[26/03/02@08:15:31.250+0100] P-024712 T-000001 2 4GL X y\n"), &second));
    assert_string_equal(first.group, second.group);
    assert_true(first.sequence < second.sequence);
    assert_false(mp_reader_dynobjects.place(mp_slice_of("no log\n"), &second));
    assert_int_equal(mp_reader_dynobjects.probe(mp_slice_of(CLIENT "X y\n")), MP_MINE);
    assert_int_equal(mp_reader_dynobjects.probe(mp_slice_of("2026-03-02 08:15:31 x\n")),
                     MP_NOT_MINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_objects),
        cmocka_unit_test(entries_of_calls),
        cmocka_unit_test(heads_of_both_layouts),
        cmocka_unit_test(lines_that_are_no_entries),
        cmocka_unit_test(a_log_is_replayed),
        cmocka_unit_test(a_log_may_be_cut),
        cmocka_unit_test(snapshots_become_longer),
        cmocka_unit_test(calls_that_are_not_told_to_return),
        cmocka_unit_test(rotated_logs_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
