/* Taligent heap logs: parsing of lines, replay of blocks, and the resulting figures. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/text.h"
#include "query/lifetimes.h"
#include "query/query.h"
#include "readers/taligent.h"
#include "support/memory_reader.h"

#define NAME "shop.taligent"
#define TITLE "Thread\tTime of event\tAddress\tSize\tType\tStack crawl\n"

extern const mp_reader mp_reader_taligent;

/* --- lines --- */

static char *shown(mp_slice text)
{
    static char buffers[4][256];
    static int next;
    char *buffer = buffers[next++ % 4];
    snprintf(buffer, sizeof buffers[0], "%.*s", (int)text.length, text.start ? text.start : "");
    return buffer;
}

static void lines_of_both_separations(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        mp_event_kind kind;
        int64_t time_us, bytes;
        uint64_t address;
        const char *thread, *type, *crawl;
    } cases[] = {
        {"2-22982     759537687555872     0xb2362718  del     TIterator       TArrayIterator...",
         MP_EVENT_DELETION, 759537687555872, 0, 0xb2362718, "2-22982", "TIterator",
         "TArrayIterator..."},
        {"0-0         old                 0xb24020d0  48      TLocalSemaphore", MP_EVENT_OLD, 0, 48,
         0xb24020d0, "0-0", "TLocalSemaphore", ""},
        {"1-2\t7\tB2\t12\tnovtbl\tA::operator<<(const long)|main", MP_EVENT_ALLOCATION, 7, 12, 0xb2,
         "1-2", "novtbl", "A::operator<<(const long)|main"},
        {"1-2 7 0xb2 del TList<TText, int> TList<TText, int>::~TList()|main", MP_EVENT_DELETION, 7,
         0, 0xb2, "1-2", "TList<TText, int>", "TList<TText, int>::~TList()|main"},
        {"1-2 7 0xb2 del TMap<(a b), c> x", MP_EVENT_DELETION, 7, 0, 0xb2, "1-2", "TMap<(a b), c>",
         "x"},
        {"1-2\t7\t0xb2\tdel\tunsigned long\tx y", MP_EVENT_DELETION, 7, 0, 0xb2, "1-2",
         "unsigned long", "x y"},
        {"1-2 7 0xb2 del TBroken<int f g", MP_EVENT_DELETION, 7, 0, 0xb2, "1-2", "TBroken<int",
         "f g"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taligent_line line = {0};
        assert_true(taligent_parse(mp_slice_of(cases[i].line), &line));
        assert_int_equal(line.kind, cases[i].kind);
        assert_int_equal(line.address, cases[i].address);
        if (line.kind != MP_EVENT_OLD)
            assert_int_equal(line.time_us, cases[i].time_us);
        if (line.kind != MP_EVENT_DELETION)
            assert_int_equal(line.bytes, cases[i].bytes);
        assert_string_equal(shown(line.thread), cases[i].thread);
        assert_string_equal(shown(line.type), cases[i].type);
        assert_string_equal(shown(line.crawl), cases[i].crawl);
    }
}

static void lines_that_are_no_events(void **unused)
{
    (void)unused;
    static const char *const cases[] = {
        "",
        "2 7 0xb2 12 novtbl x",
        "2-1x 7 0xb2 12 novtbl x",
        "2-1 7s 0xb2 12 novtbl x",
        "2-1 7 0xzz 12 novtbl x",
        "2-1 7 0xb2 -12 novtbl x",
        "2-1 7 0xb2 delete T x",
        "2-1 old 0xb2 del T",
        "2-1 9999999999999999999 0xb2 12 novtbl x",
        "2-1 7 0x11112222333344445 12 novtbl x",
        "2-1 7 0xb2 12",
        "2-1 7 0xb2 del",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taligent_line line = {0};
        assert_false(taligent_parse(mp_slice_of(cases[i]), &line));
        assert_non_null(strstr(line.wrong, "expected"));
    }
}

static void check_slice(mp_slice got, mp_slice expected)
{
    assert_int_equal(got.length, expected.length);
    assert_memory_equal(got.start, expected.start, expected.length);
}

/* Read the first line of a text with both parsers. Return true if taligent_take could read it. */
static bool check_ways(const char *text)
{
    mp_diagnostics *diagnostics = mp_diagnostics_new(10);
    mp_input *input = mp_input_from_memory(NAME, text, strlen(text), 4096, diagnostics);
    taligent_line quick = {0}, slow = {0};
    mp_slice line;
    mp_input_look_ahead(input);
    const bool taken = taligent_take(input, &quick);
    const uint64_t read = mp_input_bytes(input);
    assert_int_equal(mp_input_line_number(input), taken);
    if (taken) {
        assert_true(mp_input_rewind(input));
        assert_true(mp_input_line(input, &line));
        assert_int_equal(mp_input_bytes(input), read);
        assert_true(mp_input_line_closed(input));
        assert_true(taligent_parse(mp_slice_trim(line), &slow));
        assert_int_equal(quick.kind, slow.kind);
        assert_int_equal(quick.time_us, slow.time_us);
        assert_int_equal(quick.bytes, slow.bytes);
        assert_int_equal(quick.address, slow.address);
        check_slice(quick.thread, slow.thread);
        check_slice(quick.type, slow.type);
        check_slice(quick.crawl, slow.crawl);
    } else {
        assert_int_equal(read, 0);
    }
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    return taken;
}

/* Common lines are parsed in the window. If a few bytes are changed, both parsers still have the
 * same result. */
static void both_ways_to_parse_agree(void **unused)
{
    (void)unused;
    static const char *const lines[] = {
        "2-22982\t759537687555872\t0xb2362718\t16\tnovtbl\tA::f()|main\n1-1\t2\t0x1\t1\tT\tf\n",
        "1-2\t7\tB2\tdel\tTList<TText, int>\tA::operator<<(const long)|main\r\n1\t\t\t",
        "123456-7654321\t1234567890123456\t0x1234567890abcdef\t1234567890\tT\tf\n",
    };
    static const char letters[] = "\t\t\n\r -*0123456789abcdefxXgl<|:";
    uint64_t random = 1;
    int taken = 0;
    for (size_t i = 0; i < 30000; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s", lines[i % 3]);
        assert_true(i > 2 || check_ways(text));
        for (unsigned changes = 1 + i % 4; changes; changes--) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            text[(random >> 33) % strlen(text)] = letters[(random >> 20) % (sizeof letters - 1)];
        }
        if (i % 5 == 0) /* truncated */
            text[(random >> 40) % strlen(text)] = '\0';
        taken += check_ways(text);
    }
    assert_in_range(taken, 3000, 27000); /* both parsers were compared often */
}

static void blocks_have_nine_columns(void **unused)
{
    (void)unused;
    taligent_block block;
    mp_slice nine = mp_slice_of("0x1\t5\tT\t5\t1-1\t7\tf\t2-2\tg");
    mp_slice ten = mp_slice_of("0x1\t5\tT\t5\t1-1\t7\tf\t2-2\tg\th");
    assert_true(taligent_parse_block(nine, &block));
    assert_false(taligent_parse_block(ten, &block));
}

static void crawls_hold_their_own_separator(void **unused)
{
    (void)unused;
    static const struct {
        const char *crawl, *frames;
    } cases[] = {
        {"a|b c|d", "a/b c/d"},
        {"A::operator|(int)|main", "A::operator|(int)/main"},
        {"A::operator||(int)|main", "A::operator||(int)/main"},
        {"A::operator|=(int)|main", "A::operator|=(int)/main"},
        {"operator||main", "operator|/main"},
        {" a | | b ", "a/b"},
        {"my_operator|main", "my_operator/main"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_model *model = mp_model_new();
        mp_load_options options = {0};
        taligent_names names = {.model = model, .options = &options};
        char frames[256] = "";
        mp_node_id node = taligent_crawl(&names, mp_slice_of(cases[i].crawl), true);
        assert_int_equal(taligent_crawl(&names, mp_slice_of(cases[i].crawl), false).i, node.i);
        for (; node.i; node = model->nodes.items[node.i].parent) {
            mp_symbol_id symbol = model->nodes.items[node.i].symbol;
            snprintf(frames + strlen(frames), sizeof frames - strlen(frames), "%s%s",
                     *frames ? "/" : "", mp_model_text(model, model->symbols.items[symbol.i].name));
        }
        assert_string_equal(frames, cases[i].frames);
        taligent_names_free(&names);
        mp_model_free(model);
    }
}

/* --- order --- */

/* Return the index of the earliest waiting event, by time and then by line. */
static size_t earliest(const mp_event *waiting, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        if (waiting[i].time_us < waiting[found].time_us ||
            (waiting[i].time_us == waiting[found].time_us && waiting[i].line < waiting[found].line))
            found = i;
    return found;
}

static void check_next(mp_event *waiting, size_t *count, const mp_event *next)
{
    size_t index = earliest(waiting, *count);
    assert_non_null(next);
    assert_int_equal(next->line, waiting[index].line);
    assert_int_equal(next->time_us, waiting[index].time_us);
    waiting[index] = waiting[--*count];
}

/* The order of events is compared with a list that is searched for each event. Times ascend with
 * jitter, or are random. 0 is the default number of waiting events, and -1 is none. */
static void events_wait_for_late_ones(void **unused)
{
    (void)unused;
    static const int64_t asked[] = {-1, 1, 2, 7, 64, 1024, 2500, 0};
    enum { EVENTS = 3000 };
    mp_event *waiting = calloc(EVENTS, sizeof *waiting);
    assert_non_null(waiting);
    for (size_t way = 0; way < 3 * sizeof asked / sizeof *asked; way++) {
        uint64_t random = way;
        size_t count = 0, most = asked[way / 3] > 0 ? (size_t)asked[way / 3] : 0;
        int64_t highest = 0, moved = 0;
        taligent_order order;
        taligent_order_open(&order, asked[way / 3]);
        for (uint64_t line = 1; line <= EVENTS; line++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            mp_event event = {.kind = random >> 60 ? MP_EVENT_DELETION : MP_EVENT_OLD,
                              .line = line};
            uint64_t jitter = way % 3 == 0 ? 1 : way % 3 == 1 ? 20 : 1000000;
            event.time_us = (int64_t)(line / 2 + (random >> 33) % jitter);
            *taligent_order_place(&order) = event;
            const mp_event *next = taligent_order_next(&order, true);
            if (event.kind == MP_EVENT_OLD)
                event.time_us = highest;
            moved += event.time_us < highest;
            highest = event.time_us > highest ? event.time_us : highest;
            waiting[count++] = event;
            if (asked[way / 3] && count > most)
                check_next(waiting, &count, next);
            else
                assert_null(next);
        }
        while (count)
            check_next(waiting, &count, taligent_order_next(&order, false));
        assert_null(taligent_order_next(&order, false));
        assert_int_equal(order.moved, moved);
        taligent_order_close(&order);
    }
    free(waiting);
}

/* --- replay --- */

/* One thread allocates and deletes. Another thread deletes blocks of the first. One address is used
 * again, one is freed twice, one was never allocated, and one is allocated again while it is
 * alive. */
#define LOG                                                                                        \
    TITLE "0-0\told\t0x10\t40\tTLock\n"                                                            \
          "1-1\t1000\t0x20\t100\tnovtbl\toperator new(int)|A::f()|main\n"                          \
          "1-1\t1002\t0x20\tdel\tTText\tB::g()|main\n"                                             \
          "1-1\t1010\t0x20\t8\tnovtbl\toperator new(int)|A::f()|main\n"                            \
          "2-1\t1020\t0x20\tdel\tnovtbl\tB::g()|main\n"                                            \
          "2-1\t1021\t0x20\tdel\tnovtbl\tB::g()|main\n"                                            \
          "*** Tree heap corrupt with error 5.\n"                                                  \
          "*** more\n"                                                                             \
          "*2-1\t1030\t0x30\t60\tnovtbl\toperator new(int)|A::f()|main\n"                          \
          "0-0\told\t0x40\t2\n"                                                                    \
          "2-1\t1040\t0x30\t70\tnovtbl\tC::h()|main\n"                                             \
          "2-1\t1041\t0x99\tdel\tTText\tB::g()|main\n"                                             \
          "1-1\t1050\t0x10\tdel\tTLock\tB::g()|main\n"

static mp_window window_of(const reading *r)
{
    mp_window window;
    mp_error error = {0};
    assert_true(mp_window_resolve(r->model, NULL, NULL, &window, &error));
    return window;
}

static void a_log_is_replayed(void **unused)
{
    (void)unused;
    for (size_t window_size = 1; window_size <= 4096; window_size *= 64) {
        reading r = read_text(&mp_reader_taligent, NAME, LOG, window_size);
        assert_true(r.ok);
        mp_window window = window_of(&r);
        mp_totals totals = mp_totals_of(&window);
        const mp_events *events = r.model->events;
        /* alive at the end: the old block of 2 bytes, and the 70 bytes of C::h */
        assert_int_equal(totals.live_objects, 2);
        assert_int_equal(totals.live_bytes, 72);
        assert_int_equal(totals.created_objects, 4);
        assert_int_equal(totals.created_bytes, 238);
        assert_int_equal(totals.deleted_objects, 3);
        assert_int_equal(totals.leaked_objects, 1);
        assert_int_equal(totals.leaked_bytes, 70);
        assert_int_equal(totals.temporary_objects, 1); /* the block that became a TText */
        assert_int_equal(totals.temporary_bytes, 100);
        assert_int_equal(totals.peak_bytes, 142); /* both old blocks, and the first 100 bytes */
        assert_int_equal(totals.peak_objects, 3);
        assert_int_equal(events->peak_time_us, 0);
        assert_int_equal(events->threads, 2);
        assert_int_equal(events->old_objects, 2);
        assert_int_equal(events->displaced_objects, 1);
        assert_int_equal(events->corrupt_events, 1);
        static const int64_t anomalies[] = {
            [MP_ANOMALY_DOUBLE_DELETION] = 1, [MP_ANOMALY_BAD_ADDRESS] = 1,
            [MP_ANOMALY_NONUNIQUE] = 1,       [MP_ANOMALY_CORRUPTION] = 1,
            [MP_ANOMALY_OTHER_THREAD] = 1,    [MP_ANOMALY_REPORTED] = 0};
        for (int i = 0; i < MP_ANOMALY_KINDS; i++)
            assert_int_equal(events->anomaly_counts[i], anomalies[i]);
        mp_window_free(&window);
        reading_free(&r);
    }
}

/* Old blocks are listed before the peak; after it, when their type has changed; and after the
 * maximum of finished slices. All of them count from the start. There are ten slices of 10 us. */
static void old_blocks_were_always_there(void **unused)
{
    (void)unused;
    static const char log[] =
        "1-1 1000 0x1 10 novtbl f|main\n"
        "1-1 1005 0x2 100 novtbl f|main\n"
        "1-1 1012 0x2 del TA g|main\n"
        "0-0 old 0x3 40 TLock\n"
        /* the address is in use, so this is not an old block */
        "0-0 old 0x1 999 TLock\n"
        "1-1 1025 0x4 20 novtbl h|main\n"
        "1-1 1035 0x3 del TLock g|main\n"
        "0-0 old 0x5 7 TLock\n"
        "1-1 1045 0x6 200 novtbl h|main\n"
        "0-0 old 0x7 3\n"
        "1-1 1055 0x5 del TLock g|main\n"
        "0-0 old 0x8 5 TLock\n"
        "1-1 1075 0x6 del TH g|main\n"
        "1-1 1085 0x6 205 novtbl h|main\n" /* 243 bytes, which is almost the peak */
        "1-1 1090 0x6 del TH g|main\n"
        "1-1 1100 0x9 1 novtbl h|main\n";
    /* The four old blocks have 40 + 7 + 3 + 5 = 55 bytes. The peak of a slice is at least the
     * amount at its start. */
    static const struct {
        int64_t live_objects, live_bytes, peak_objects, peak_bytes, peak_time_us;
    } snapshots[] = {
        {4, 55, 4, 55, 0},   {6, 165, 6, 165, 5},  {5, 65, 6, 165, 10},  {6, 85, 6, 85, 25},
        {5, 45, 6, 85, 30},  {6, 245, 6, 245, 45}, {5, 238, 6, 245, 50}, {5, 238, 5, 238, 60},
        {4, 38, 5, 238, 70}, {4, 38, 5, 243, 85},  {5, 39, 5, 39, 100},
    };
    /* Most bytes were alive at 45 us: 10 of f, 220 of h, 7 and 5 of the locks, and 3 without a
     * type. At the start there were three locks. At the end there were the last of the locks, and
     * 20 and 1 bytes of h. */
    static const struct {
        const char *type;
        mp_peak_share start, peak, end;
    } types[] = {
        {"(unknown)", {1, 3}, {1, 3}, {1, 3}},
        {"TA", {0, 0}, {1, 10}, {1, 10}},
        {"TH", {0, 0}, {2, 220}, {2, 21}},
        {"TLock", {3, 52}, {2, 12}, {1, 5}},
    };
    for (size_t window_size = 1; window_size <= 4096; window_size *= 64) {
        reading r = read_text(&mp_reader_taligent, NAME, log, window_size);
        const mp_model *model = r.model;
        assert_int_equal(model->events->old_objects, 4);
        assert_int_equal(model->events->old_bytes, 55);
        assert_int_equal(model->events->anomaly_counts[MP_ANOMALY_NONUNIQUE], 1);
        assert_int_equal(model->events->displaced_objects, 0);
        for (uint32_t i = 0; i < sizeof snapshots / sizeof *snapshots; i++) {
            const mp_snapshot *snapshot = &model->snapshots.items[i + 1];
            assert_int_equal(snapshot->live_objects, snapshots[i].live_objects);
            assert_int_equal(snapshot->live_bytes, snapshots[i].live_bytes);
            assert_int_equal(snapshot->peak_objects, snapshots[i].peak_objects);
            assert_int_equal(snapshot->peak_bytes, snapshots[i].peak_bytes);
            assert_int_equal(snapshot->peak_time_us, snapshots[i].peak_time_us);
        }
        mp_window window = window_of(&r);
        mp_totals totals = mp_totals_of(&window);
        assert_int_equal(totals.peak_objects, 6);
        assert_int_equal(totals.peak_bytes, 245);
        assert_int_equal(model->events->peak_time_us, 45);
        const mp_grouping *by_type = mp_window_groups(&window, mp_dimension_find("type"), 0);
        assert_int_equal(by_type->count, sizeof types / sizeof *types);
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            const mp_group *group = &by_type->groups[i];
            assert_string_equal(group->label, types[i].type);
            assert_int_equal(group->from_objects, types[i].start.objects);
            assert_int_equal(group->from_bytes, types[i].start.bytes);
            assert_int_equal(group->at_peak.objects, types[i].peak.objects);
            assert_int_equal(group->at_peak.bytes, types[i].peak.bytes);
            assert_int_equal(mp_cost_live(group->end), types[i].end.objects);
            assert_int_equal(group->end.bytes, types[i].end.bytes);
        }
        mp_window_free(&window);
        reading_free(&r);
    }
}

/* the same number of bytes at a later time does not change the time of the peak */
#define TIE                                                                                        \
    "1-1 2000 0x1 10 novtbl f|main\n"                                                              \
    "1-1 2001 0x2 20 novtbl h|main\n"                                                              \
    "1-1 2003 0x1 del TA g|main\n"                                                                 \
    "1-1 2004 0x3 10 novtbl k|main\n"                                                              \
    "1-1 2100 0x3 del TK g|main\n"

static void the_peak_is_the_first_of_equals(void **unused)
{
    (void)unused;
    static const struct {
        const char *log;
        int64_t time_us;
    } cases[] = {
        {TIE, 1},
        {"1-1 1000 0x1 10 novtbl f\n1-1 1050 0x1 del T f\n", 0},
        /* the time counts from the earliest event, which is on the second line */
        {"1-1 1000 0x1 10 novtbl f\n1-1 999 0x2 9 novtbl f\n1-1 1050 0x1 del T f\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reading r = read_text(&mp_reader_taligent, NAME, cases[i].log, 4096);
        assert_int_equal(r.model->events->peak_time_us, cases[i].time_us);
        assert_int_equal(r.model->snapshots.items[2].peak_time_us, cases[i].time_us);
        reading_free(&r);
    }
}

/* Names of up to fifteen letters are stored as numbers. These names differ in a few letters, or
 * only after the fifteenth letter. */
static void threads_have_whole_names(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        "1-1",
        "01-1",
        "1-01",
        "1-10",
        "11-0",
        "0-11",
        "0-0",
        "00-0",
        "1234567-654321",
        "123456-7654321",
        "1234567-7654321",
        "1234567-76543210",
        "11-1",
        "1-11",
        "01-01",
        "12345678901234567890-1234567890123456789012345",
    };
    enum { NAMES = sizeof names / sizeof *names };
    char text[4096] = "";
    for (int i = 0; i < NAMES * 3; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %d 0x%x %s main\n",
                 names[i % NAMES], i, 16 + i % (NAMES * 2), i < NAMES * 2 ? "8 novtbl" : "del TA");
    reading r = read_text(&mp_reader_taligent, NAME, text, 4096);
    const mp_events *events = r.model->events;
    assert_int_equal(events->threads, NAMES);
    assert_int_equal(events->handovers.count, 1); /* each thread deletes its own blocks */
    reading_free(&r);
}

/* For each type, the amount that was alive at the peak of its log. */
static void peaks_of_two_logs(void **unused)
{
    (void)unused;
    static const char *const logs[] = {
        TIE, "1-1 1 0x1 8 novtbl p|main\n1-1 2 0x1 del TP g|main\n1-1 3 0x2 7 novtbl p|main\n"};
    static const struct {
        const char *type;
        int64_t objects, bytes;
    } types[] = {{"(unknown)", 1, 20}, {"TA", 1, 10}, {"TK", 0, 0}, {"TP", 1, 8}};
    const mp_load_options options = {0};
    reading r = {.model = mp_model_new(), .diagnostics = mp_diagnostics_new(0)};
    void *state = mp_reader_taligent.open(r.model, r.diagnostics, &options);
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        mp_input *input = mp_input_from_memory(NAME, logs[i], strlen(logs[i]), 4096, r.diagnostics);
        MP_ADD(&r.model->inputs)->path = NAME;
        assert_true(mp_reader_taligent.read(state, input, r.model->inputs.count - 1));
        mp_input_close(input);
    }
    mp_reader_taligent.close(state);
    mp_model_build_tree(r.model, r.diagnostics);
    mp_window window = window_of(&r);
    const mp_grouping *by_type = mp_window_groups(&window, mp_dimension_find("type"), 0);
    assert_int_equal(by_type->count, sizeof types / sizeof *types);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_string_equal(by_type->groups[i].label, types[i].type);
        assert_int_equal(by_type->groups[i].at_peak.objects, types[i].objects);
        assert_int_equal(by_type->groups[i].at_peak.bytes, types[i].bytes);
    }
    mp_window_free(&window);
    reading_free(&r);
}

static void anomalies_show_both_ends(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_taligent, NAME, LOG, 4096);
    const mp_anomaly *found = &r.model->events->anomalies.items[2];
    assert_int_equal(found->kind, MP_ANOMALY_DOUBLE_DELETION);
    assert_int_equal(found->here.line, 7);
    assert_int_equal(found->before.line, 6);
    assert_int_equal(found->before.time_us, 20);
    assert_string_equal(mp_model_text(r.model, found->before.thread), "2-1");
    assert_int_equal(found->before.node.i, found->here.node.i);
    const mp_diagnostic *message = find_diagnostic(r.diagnostics, MP_DIAG_NONUNIQUE_ALLOCATION);
    assert_non_null(message);
    assert_int_equal(message->line, 12);
    assert_non_null(strstr(message->message, "line 10"));
    reading_free(&r);
}

static void types_of_the_living_are_inferred(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_taligent, NAME,
                          "1-1 1 0x1 5 novtbl f|main\n1-1 2 0x1 del TA f\n"
                          "1-1 3 0x1 5 novtbl f|main\n1-1 4 0x1 del TB f\n"
                          "1-1 5 0x1 5 novtbl f|main\n1-1 6 0x1 del TB f\n"
                          "1-1 7 0x1 5 novtbl f|main\n1-1 8 0x1 del novtbl f\n"
                          "1-1 9 0x1 5 novtbl f|main\n1-1 9 0x2 6 novtbl g|main\n",
                          4096);
    mp_window window = window_of(&r);
    const mp_leaks *leaks = mp_window_leak_sites(&window);
    assert_int_equal(leaks->count, 2);
    /* 6 bytes of g, whose type is unknown. */
    assert_string_equal(leaks->items[0].type, "(unknown)");
    assert_string_equal(leaks->items[1].type, "TB");
    assert_int_equal(leaks->items[1].inference->typed, 2);
    assert_int_equal(leaks->items[1].inference->deleted, 4);
    assert_int_equal(mp_leak_group(&leaks->items[1])->end.created, 5);
    mp_window_free(&window);
    reading_free(&r);
}

/* --- names --- */

static void sites_are_not_called_by_allocators(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_taligent, NAME, LOG, 4096);
    mp_window window = window_of(&r);
    const mp_grouping *sites = mp_window_groups(&window, mp_dimension_find("source"), 0);
    assert_int_equal(sites->count, 3);
    assert_string_equal(sites->groups[0].label, "(session)");
    assert_string_equal(sites->groups[1].label, "A::f()");
    assert_string_equal(sites->groups[2].label, "C::h()");
    mp_window_free(&window);
    reading_free(&r);
}

static void classes_of_member_functions(void **unused)
{
    (void)unused;
    static const struct {
        const char *crawl, *class;
    } cases[] = {
        {"malloc|TText::Grow(long)|main", "TText"},
        {"std::allocator<A::B>::allocate(int)|TText::Grow(long)|main", "TText"},
        {"strdup(const char *)|A::B::f(C::D)|main", "A::B"},
        {"TList<A::B>::Add(A::B)|main", "TList<A::B>"},
        {"A::operator<<(const B::C &)", "A"},
        {"A::operator()(int)", "A"},
        {"operator<(const A::B &)|main", ""},
        {"f(A::B)|g<A::B>(int)", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char log[256];
        snprintf(log, sizeof log, "1-1 1 0x1 5 novtbl %s\n", cases[i].crawl);
        reading r = read_text(&mp_reader_taligent, NAME, log, 4096);
        uint32_t node = r.model->tree_of[r.model->nodes.count - 1];
        mp_arena scratch = {0};
        const char *class = mp_class_label(&scratch, r.model, (mp_frame){node, MP_NO_LINE});
        assert_string_equal(class ? class : "", cases[i].class);
        mp_arena_free(&scratch);
        reading_free(&r);
    }
}

/* --- lifetimes --- */

static void ages_of_very_many_become_coarser(void **unused)
{
    (void)unused;
    enum { BLOCKS = 200000 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int64_t time = 0;
    for (int64_t i = 1; i <= BLOCKS;
         i++) { /* each block lives a microsecond longer than the one before */
        fprintf(out, "1-1 %" PRId64 " 0x1 8 novtbl f\n", time);
        time += i;
        fprintf(out, "1-1 %" PRId64 " 0x1 del T f\n", time);
    }
    fclose(out);
    reading r = read_text(&mp_reader_taligent, NAME, text, 1 << 20);
    mp_window window = window_of(&r);
    mp_lifetimes lifetimes = mp_lifetimes_of(&window, mp_dimension_find("type"), NULL);
    assert_int_equal(lifetimes.total.deaths, BLOCKS);
    assert_int_equal(r.model->ages->bits, 7); /* exact within 1/64 */
    assert_in_range(lifetimes.total.median_us, BLOCKS / 2 - BLOCKS / 2 / 64, BLOCKS / 2);
    assert_in_range(lifetimes.total.p90_us, BLOCKS / 10 * 9 - BLOCKS / 10 * 9 / 64,
                    BLOCKS / 10 * 9);
    assert_int_equal(lifetimes.classes[1].objects, 1);
    assert_int_equal(lifetimes.classes[10].objects, 512);
    mp_lifetimes_free(&lifetimes);
    mp_window_free(&window);
    reading_free(&r);
    free(text);
}

static void an_analysis_file_is_a_log(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_taligent, NAME,
                          "Anomalies: 1 bad delete\n\n"
                          "0x20 100 TText 5 1-1 1000 f(int, int)|main 2-1 B::g()|main\n"
                          "0x20 8 novtbl 50 1-1 1010 f(int, int)|main notask nochain\n"
                          "0x30 4 TLock 0 0-0 old  notask nochain\n",
                          1);
    mp_window window = window_of(&r);
    mp_totals totals = mp_totals_of(&window);
    assert_int_equal(totals.created_objects, 2);
    assert_int_equal(totals.live_bytes, 12);
    assert_int_equal(totals.leaked_bytes, 8);
    assert_int_equal(totals.peak_bytes, 104);
    assert_int_equal(r.model->events->anomaly_counts[MP_ANOMALY_REPORTED], 1);
    assert_int_equal(r.model->events->anomaly_counts[MP_ANOMALY_OTHER_THREAD], 1);
    mp_window_free(&window);
    reading_free(&r);
}

static void a_section_without_anomalies_reports_none(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        int64_t reported;
    } cases[] = {{"Anomalies of the heap: none found.", 0},
                 {"Anomalies: none", 0},
                 {"Double deletions: 0", 0},
                 {"NO ANOMALIES were seen", 0},
                 {"Double deletions: 10", 1},
                 {"none of the blocks is whole", 1},
                 {"Corrupt: 0x30", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s\n\n0x20 8 novtbl 50 1-1 1010 main notask nochain\n",
                 cases[i].line);
        reading r = read_text(&mp_reader_taligent, NAME, text, 1);
        assert_int_equal(r.model->events->anomaly_counts[MP_ANOMALY_REPORTED], cases[i].reported);
        reading_free(&r);
    }
}

/* The file may end in a number, or in the thread that deletes. */
static void an_analysis_file_may_be_torn(void **unused)
{
    (void)unused;
    static const char *const torn[] = {
        "0x20 8 T 5 1-1 1000 f notask nochain\n0x30 8 T 5 1-1 1000 f 2-2",
        "0x20 8 T 5 1-1 1000 f notask nochain\n0x30 8",
        "0x20 8 T 5 1-1 1000 f notask nochain\n0x30 8 T 5 1-1 1000 f notask nochain",
    };
    for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
        reading r = read_text(&mp_reader_taligent, NAME, torn[i], 1);
        assert_int_equal(r.model->inputs.items[1].records, 1);
        assert_false(r.model->inputs.items[1].complete);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_TORN), 1);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_BAD_ROW), 0);
        reading_free(&r);
    }
}

/* There are enough lines for a second thread to be used. Diagnostics are in the order of the lines
 * nevertheless. */
static void long_lines_are_told_in_order(void **unused)
{
    (void)unused;
    enum { LONG = 17 * 1024 * 1024, EVENTS = 6000 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < EVENTS; i++) {
        fprintf(out, "1-1 %d 0x%x 8 novtbl f()\n", i == EVENTS - 1 ? 1 : i + 10, 16 + i * 16);
        if (i == EVENTS - 1)
            fprintf(out, "%0*d\n", LONG, 0);
    }
    fputs("1-1 2 0x8 8 novtbl f()\n", out);
    fclose(out);
    const mp_load_options peak = {.moment = "peak", .reorder = EVENTS - 2};
    reading r = {.model = mp_model_new(), .diagnostics = mp_diagnostics_new(0)};
    mp_input *input = mp_input_from_memory(NAME, text, size, 1 << 20, r.diagnostics);
    void *state = mp_reader_taligent.open(r.model, r.diagnostics, &peak);
    MP_ADD(&r.model->inputs)->path = NAME;
    assert_true(mp_reader_taligent.read(state, input, r.model->inputs.count - 1));
    mp_reader_taligent.close(state);
    mp_input_close(input);
    const mp_diagnostic *kept;
    assert_int_equal(mp_diagnostics_kept(r.diagnostics, &kept), 3);
    assert_int_equal(kept[0].id, MP_DIAG_EVENT_ORDER);
    assert_int_equal(kept[0].line, EVENTS);
    assert_int_equal(kept[1].id, MP_DIAG_LONG_LINE);
    assert_int_equal(kept[1].line, EVENTS + 1);
    assert_int_equal(kept[2].id, MP_DIAG_EVENT_ORDER);
    reading_free(&r);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_both_separations),
        cmocka_unit_test(lines_that_are_no_events),
        cmocka_unit_test(both_ways_to_parse_agree),
        cmocka_unit_test(blocks_have_nine_columns),
        cmocka_unit_test(crawls_hold_their_own_separator),
        cmocka_unit_test(events_wait_for_late_ones),
        cmocka_unit_test(a_log_is_replayed),
        cmocka_unit_test(old_blocks_were_always_there),
        cmocka_unit_test(the_peak_is_the_first_of_equals),
        cmocka_unit_test(threads_have_whole_names),
        cmocka_unit_test(peaks_of_two_logs),
        cmocka_unit_test(anomalies_show_both_ends),
        cmocka_unit_test(types_of_the_living_are_inferred),
        cmocka_unit_test(sites_are_not_called_by_allocators),
        cmocka_unit_test(classes_of_member_functions),
        cmocka_unit_test(ages_of_very_many_become_coarser),
        cmocka_unit_test(an_analysis_file_is_a_log),
        cmocka_unit_test(a_section_without_anomalies_reports_none),
        cmocka_unit_test(an_analysis_file_may_be_torn),
        cmocka_unit_test(long_lines_are_told_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
