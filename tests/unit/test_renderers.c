/* Renderers: each on a document made by hand, compared byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "export/formats.h"
#include "reports/answers.h"

static char *render(const char *format, const mp_document *document, unsigned width, bool colour,
                    const mp_diagnostics *diagnostics)
{
    mp_style style = {.width = width, .colour = colour, .dashes = "--"};
    const mp_renderer *renderer = mp_renderer_find(format);
    mp_error error = {0};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    mp_diagnostics *none = mp_diagnostics_new(0);
    assert_non_null(renderer);
    bool ok = renderer->render(document, diagnostics ? diagnostics : none, &style, out, &error);
    fclose(out);
    assert_int_equal(ok, error.code == MP_ERROR_NONE);
    if (!ok)
        assert_int_equal(size, 0);
    mp_diagnostics_free(none);
    return text;
}

static void check(const char *format, const mp_document *document, unsigned width, bool colour,
                  const char *expected)
{
    char *text = render(format, document, width, colour, NULL);
    assert_string_equal(text, expected);
    free(text);
}

/* --- a record, and rows with lists --- */

typedef struct record {
    const char *missing, *nice;
    int64_t objects, bytes, raw, time_us, seconds, whole;
    double average, share;
} record;

static const mp_column record_columns[] = {
    MP_COLUMN(record, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(record, bytes, "Size of all", MP_BYTES, MP_SIGNED),
    MP_COLUMN(record, missing, "Missing", MP_TEXT, 0),
    MP_COLUMN(record, raw, "Raw", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(record, nice, "Nice", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(record, time_us, "Time", MP_TIME, 0),
    MP_COLUMN(record, seconds, "Seconds", MP_SECONDS, 0),
    MP_COLUMN(record, average, "Average", MP_AVERAGE, 0),
    MP_COLUMN(record, share, "Share", MP_PERCENT, 0),
    MP_COLUMN(record, whole, "Whole", MP_FLAG, 0),
};

typedef struct listed {
    const char *name, *none;
    int64_t objects, id;
    mp_texts stack, flags;
} listed;

static const mp_column row_columns[] = {
    MP_COLUMN(listed, name, "Name", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(listed, objects, "Objects", MP_COUNT, MP_SIGNED),
    MP_COLUMN(listed, stack, "Site", MP_LIST, MP_SHORTEN),
    MP_COLUMN(listed, flags, "Flags", MP_LIST, MP_BELOW),
    MP_COLUMN(listed, none, "None", MP_TEXT, 0),
    MP_COLUMN(listed, id, "Id", MP_NUMBER, MP_FOR_PROGRAMS),
};

static mp_document *made_with(const char *name, const char *nice)
{
    static const char *const stack[] = {"a.p:1", "b.p:2", "c \"x\".p:3"};
    static const char *const flags[] = {"grows", "owned"};
    mp_document *document = mp_document_new("example");
    document->title = "An example";
    mp_table *table = MP_TABLE(document, "totals", "Totals", MP_RECORD, record_columns);
    mp_table_put(document, table,
                 &(record){.nice = nice,
                           .objects = 12345,
                           .bytes = 1536,
                           .raw = 7,
                           .time_us = INT64_C(3723004999),
                           .seconds = 3155,
                           .average = 0.25,
                           .share = 12.25,
                           .whole = 1});

    table = MP_TABLE(document, "rows", "Rows", MP_ROWS, row_columns);
    table->main = true;
    table->list_depth = 1;
    table->footer.rest = (mp_rest){3, MP_REST_UNKEPT};
    mp_table_line(document, table, "%d line", 1);
    mp_table_put(document, table,
                 &(listed){.name = name,
                           .objects = 1200,
                           .stack = {.items = stack, .count = 3, .empty = NULL},
                           .flags = {.items = flags, .count = 2, .empty = NULL},
                           .id = -1});
    mp_table_put(
        document, table,
        &(listed){
            .name = "b, \"c\"", .objects = -5, .stack = {.empty = "(session)"}, .id = MP_UNKNOWN});

    table = MP_TABLE(document, "empty", "Nothing", MP_ROWS, row_columns);
    table->empty = "none";
    table = MP_TABLE(document, "hidden", "Hidden", MP_ROWS, row_columns);
    table->flags = MP_FOR_PROGRAMS;
    return document;
}

static mp_document *made(const char *name)
{
    return made_with(name, "for people");
}

#define TOTALS(size)                                                                               \
    "An example\n\nTotals\n"                                                                       \
    "  Objects      12,345\n"                                                                      \
    "  Size of all  " size "\n"                                                                    \
    "  Nice         for people\n"                                                                  \
    "  Time         1:02:03.004\n"                                                                 \
    "  Seconds      0.003155\n"                                                                    \
    "  Average      0.250000\n"                                                                    \
    "  Share        12.2\n"                                                                        \
    "  Whole        yes\n\n"
#define NOTHING "\nNothing\n  none\n"

static void text_is_for_people(void **unused)
{
    (void)unused;
    mp_document *document = made("alpha");
    check("text", document, 80, false,
          TOTALS("+1.5 KiB") "Rows\n"
                             "  1 line\n"
                             "  Name    Objects  Site\n"
                             "  alpha    +1,200  a.p:1\n"
                             "      called from b.p:2\n"
                             "      and 1 more caller\n"
                             "      grows; owned\n"
                             "  b, \"c\"       -5  (session)\n"
                             "  and 3 more\n" NOTHING);
    document->exact_bytes = true;
    document->tables[1].list_depth = 0; /* only the first frame is in the row */
    check("text", document, 80, false,
          TOTALS("+1536") "Rows\n"
                          "  1 line\n"
                          "  Name    Objects  Site\n"
                          "  alpha    +1,200  a.p:1\n"
                          "      grows; owned\n"
                          "  b, \"c\"       -5  (session)\n"
                          "  and 3 more\n" NOTHING);
    mp_document_free(document);
}

/* Each column takes its width and two blanks: 42 + 9 + 11 is 62. */
static void what_does_not_fit_gives_way_in_order(void **unused)
{
    (void)unused;
    mp_document *document = made("0123456789012345678901234567890123456789");
    static const struct {
        unsigned width;
        const char *row;
    } narrow[] = {
        {62, "\n  0123456789012345678901234567890123456789   +1,200  a.p:1\n"},
        /* 54: the name gets 32 columns, and its next line is indented by two */
        {54, "\n  01234567890123456789012345678901   +1,200  a.p:1\n    23456789\n"
             "      called from b.p:2\n"},
        /* 46 is the smallest width at which the name has 24 columns */
        {46, "\n  012345678901234567890123   +1,200  a.p:1\n    4567890123456789\n"},
        /* with less, the site moves to a line below its row: 45 - 2 - 9 is 34 */
        {45, "\n  0123456789012345678901234567890123   +1,200\n    456789\n      at a.p:1\n"
             "      called from b.p:2\n"},
        /* the number must stay, so the name gets 27 of 38 */
        {38, "\n  012345678901234567890123456   +1,200\n    7890123456789\n      at a.p:1\n"},
        {10, "\n  01234567   +1,200\n    890123\n    456789\n"},
    };
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        char *text = render("text", document, narrow[i].width, false, NULL);
        if (!strstr(text, narrow[i].row))
            assert_string_equal(text, narrow[i].row);
        free(text);
    }
    mp_document_free(document);
}

typedef struct measured {
    const char *name, *why;
    int64_t line, first, second, third;
} measured;

static const mp_column measured_columns[] = {
    MP_RANK(0),
    MP_COLUMN(measured, first, "First", MP_BYTES, 0),
    MP_COLUMN(measured, second, "Second", MP_COUNT, 0),
    MP_COLUMN(measured, third, "Third", MP_COUNT, 0),
    MP_COLUMN(measured, why, "Because", MP_TEXT, MP_MINOR),
    MP_COLUMN(measured, name, "Name", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(measured, line, "Line", MP_NUMBER, 0),
};

/* The row is 3 + 7 + 8 + 7 + 9 + 41 + 6 = 81 columns wide. */
#define CUT "\xe2\x80\xa6"
static void numbers_go_by_their_importance(void **unused)
{
    (void)unused;
    static const struct {
        unsigned width;
        const char *rows;
    } narrow[] = {
        {81, "  #  First  Second  Third  Because  Name                                     Line\n"
             "  1    7 B       8      9  so       shop.orders.checkout.OrderService:place    41\n"},
        /* The name would have to give up 11 and keep 28, which is less than 30. So a minor column
         * is removed, and the name keeps 37. */
        {70, "  #  First  Second  Third  Name                                 Line\n"
             "  1    7 B       8      9  " CUT "orders.checkout.OrderService:place    41\n"},
        /* the rank is removed, and the name keeps 30; then the third and the second column are
         * removed, but no others */
        {60, "  First  Second  Third  Name                          Line\n"
             "    7 B       8      9  " CUT "checkout.OrderService:place    41\n"},
        {55, "  First  Second  Name                          Line\n"
             "    7 B       8  " CUT "checkout.OrderService:place    41\n"},
        {45, "  First  Name                          Line\n"},
        {40, "  First  Name                 Line\n    7 B  " CUT "OrderService:place    41\n"},
    };
    mp_document *document = mp_document_new("example");
    mp_table *table = MP_TABLE(document, "rows", NULL, MP_ROWS, measured_columns);
    mp_table_put(document, table,
                 &(measured){"shop.orders.checkout.OrderService:place", "so", 41, 7, 8, 9});
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        char *text = render("text", document, narrow[i].width, false, NULL);
        if (strncmp(text, narrow[i].rows, strlen(narrow[i].rows)) != 0)
            assert_string_equal(text, narrow[i].rows);
        free(text);
    }
    mp_document_free(document);
}

static void colours_are_bold_and_underlined(void **unused)
{
    (void)unused;
    mp_document *document = mp_document_new("example");
    document->title = "Title";
    mp_document_say(document, MP_TONE_WORSE, "Leaks", "%d B", 3);
    mp_document_say(document, MP_TONE_PLAIN, "Or", "not");
    mp_table *table = MP_TABLE(document, "rows", "Rows", MP_ROWS, row_columns);
    mp_table_put(document, table, &(listed){.name = "shop.A", .objects = 7, .id = MP_UNKNOWN});
    check("text", document, 80, true,
          "\033[1mTitle\033[0m\n\n"
          "  \033[31mLeaks\033[0m  3 B\n"
          "  Or     not\n\n"
          "\033[1mRows\033[0m\n"
          "\033[4m  Name    Objects\033[0m\n"
          "  \033[2mshop.\033[0mA       \033[31m+7\033[0m\n");
    mp_document_free(document);
}

/* Names on the screen are the names in the recording, in records and in rows. Only control
 * characters are replaced, by \x and their number. */
static void text_does_nothing_to_a_terminal(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *shown;
    } cases[] = {
        {"a\033[31m\x7f", "a\\x1b[31m\\x7f"},   {"a\xc2\x9b", "a\\xc2\\x9b"},
        {"Z\xc3\xbcrich", "Z\xc3\xbcrich"},     {"C:\\src\\a.p", "C:\\src\\a.p"},
        {"src\\xml\\x86.p", "src\\xml\\x86.p"},
    };
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_document *document = made_with(cases[i].name, cases[i].name);
        char *text = render("text", document, 80, false, NULL), expected[60];
        for (const char *p = text; *p; p++)
            assert_true(((unsigned char)*p >= 32 && *p != 127) || *p == '\n');
        snprintf(expected, sizeof expected, "  Nice         %s\n", cases[i].shown);
        assert_non_null(strstr(text, expected));
        snprintf(expected, sizeof expected, "\n  %s ", cases[i].shown);
        wrong += strstr(text, expected) == NULL;
        free(text);
        mp_document_free(document);
    }
    assert_int_equal(wrong, 0);
}

/* --- for programs --- */

static void csv_is_the_main_table(void **unused)
{
    (void)unused;
    mp_document *document = made("two\nlines");
    check("csv", document, 1, true,
          "name,objects,stack,flags,none,id,stack_truncated,stack_frames\n"
          "\"two\nlines\",1200,\"a.p:1 < b.p:2 < c \"\"x\"\".p:3\",grows < owned,,-1,,\n"
          "\"b, \"\"c\"\"\",-5,,,,,,\n");
    document->tables[1].main = false;
    document->tables[0].main = true;
    check("csv", document, 80, false,
          "objects,bytes,missing,raw,time_us,seconds,average,share,whole\n"
          "12345,1536,,7,3723004999,0.003155,0.25,12.25,true\n");
    document->tables[0].main = false;
    char *nothing = render("csv", document, 80, false, NULL);
    assert_string_equal(nothing, "");
    free(nothing);
    mp_document_free(document);
}

/* Remove the blanks between tokens. */
static void compact(char *text)
{
    bool quoted = false;
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from == '"')
            quoted = !quoted;
        if (*from == '\\' && quoted)
            *to++ = *from++;
        if (quoted || !strchr(" \n", *from))
            *to++ = *from;
    }
    *to = '\0';
}

static void json_is_all_of_it(void **unused)
{
    (void)unused;
    mp_document *document = made("Z\xc3\xbc/\x01");
    mp_document_check(document, (mp_check){.verdict = MP_VERDICT_FAIL,
                                           .name = "max-leaked",
                                           .limit_bytes = 5,
                                           .measured_bytes = INT64_MAX});
    mp_diagnostics *diagnostics = mp_diagnostics_new(2);
    for (uint64_t line = 1; line <= 5; line++)
        mp_diagnose(diagnostics, MP_DIAG_BAD_ROW, "a.oemp", line, "bad \"%d\"", 1);
    mp_diagnose(diagnostics, MP_DIAG_NOT_UTF8, NULL, 0, "not");
    char *text = render("json", document, 1, true, diagnostics);
    assert_int_equal(text[strlen(text) - 1], '\n');
    compact(text);
    assert_string_equal(
        text, "{\"schema\":\"memprof-report/1\",\"command\":\"example\","
              "\"totals\":{\"objects\":12345,\"bytes\":1536,\"raw\":7,\"time_us\":3723004999,"
              "\"seconds\":0.003155,\"average\":0.25,\"share\":12.25,\"whole\":true},"
              "\"rows\":[{\"name\":\"Z\xc3\xbc/\\u0001\",\"objects\":1200,"
              "\"stack\":[\"a.p:1\",\"b.p:2\",\"c \\\"x\\\".p:3\"],\"flags\":[\"grows\",\"owned\"],"
              "\"id\":-1},"
              "{\"name\":\"b, \\\"c\\\"\",\"objects\":-5,\"stack\":[]}],"
              "\"empty\":[],\"hidden\":[],"
              "\"limits\":[{\"name\":\"max-leaked\",\"limit_bytes\":5,"
              "\"actual_bytes\":9223372036854775807,\"exceeded\":true}],"
              "\"diagnostics\":["
              "{\"severity\":\"warning\",\"code\":\"bad-row\",\"path\":\"a.oemp\",\"line\":1,"
              "\"message\":\"bad \\\"1\\\"\",\"count\":1},"
              "{\"severity\":\"warning\",\"code\":\"bad-row\",\"path\":\"a.oemp\",\"line\":2,"
              "\"message\":\"bad \\\"1\\\"\",\"count\":4},"
              "{\"severity\":\"note\",\"code\":\"not-utf8\",\"message\":\"not\",\"count\":1}]}");
    free(text);
    mp_diagnostics_free(diagnostics);
    mp_document_free(document);
}

/* --- ProTop's layouts --- */

static mp_document *made_top(const char *command)
{
    static const mp_hot_profile profile = {"My run", INT64_C(3612499999), MP_UNKNOWN};
    static const mp_hot_line with_code = {.program = "lib/Z\xc3\xbcrich.p",
                                          .method = "update",
                                          .code = "FOR EACH customer NO-LOCK WHERE customer.name "
                                                  "BEGINS \"a\":",
                                          .line = -1,
                                          .us = 5123456,
                                          .calls = 1234567890,
                                          .average_seconds = 0.001};
    static const mp_hot_line odd = {.program = "a-program-with-a-name-of-35-letters",
                                    .method = "a-method-with-a-name-of-39-letters-all5",
                                    .code = "",
                                    .line = 123456,
                                    .us = MP_UNKNOWN,
                                    .calls = INT64_C(12345678901),
                                    .average_seconds = 123456.5};
    static mp_hot_line plain;
    plain = with_code;
    plain.code = "";
    mp_document *document = mp_document_new(command);
    mp_table *table = MP_TABLE(document, "top", NULL, MP_ROWS, record_columns);
    table->answer = MP_ANSWER_HOT_LINES;
    table->about = &profile;
    for (int i = 0; i < 25; i++) {
        mp_table_row(table);
        mp_table_attach(table, i == 0 ? &with_code : i == 1 ? &odd : &plain);
    }
    return document;
}

#define INDENT_6 "      "
#define NUMBERS "   -1      5.123456      0.001000 1234567890 "

static void rpt_has_the_columns_of_the_description(void **unused)
{
    (void)unused;
    mp_document *document = made_top("top");
    static const struct {
        const char *format, *expected;
    } cases[] = {
        /* widths are 30, 5, 13, 13, 10, 20 and 50; longer text is cut, longer numbers become "?";
         * the page has 160 columns */
        {"rpt",
         INDENT_6 "lib/Z\xc3\xbcrich.p                   " NUMBERS "update               "
                  "FOR EACH customer NO-LOCK WHERE customer.name BEGI\n" INDENT_6
                  "a-program-with-a-name-of-35-le     ?             ? 123456.500000          ? "
                  "a-method-with-a-name\n"},
        /* widths are 30, 5, 13, 13, 10 and 40, on a page of 120 columns */
        {"rpt-old", "  lib/Z\xc3\xbcrich.p                   " NUMBERS "update\n"
                    "  a-program-with-a-name-of-35-le     ?             ? 123456.500000          "
                    "? a-method-with-a-name-of-39-letters-all5\n"},
    };
    for (size_t i = 0; i < 2; i++) {
        char *text = render(cases[i].format, document, 1, true, NULL);
        const char *rows = strstr(text, "----\n");
        assert_non_null(rows);
        if (strncmp(rows + 5, cases[i].expected, strlen(cases[i].expected)) != 0)
            assert_string_equal(rows + 5, cases[i].expected);
        size_t lines = 0;
        for (const char *p = rows + 5; *p; p++)
            lines += *p == '\n';
        assert_int_equal(lines, 20);
        assert_non_null(strstr(text, "Profiler: Top 20 Results\n"));
        assert_non_null(strstr(text, " Description: My run\n"));
        assert_non_null(strstr(text, "Session Total Execution Time   01:00:12\n"));
        assert_non_null(strstr(text, "------------------------------ ----- ------------- "
                                     "------------- ---------- --------------------"));
        free(text);
    }
    mp_document_free(document);
}

static void rpt_shows_nothing_else(void **unused)
{
    (void)unused;
    mp_document *documents[] = {made("x"), made_top("analyze")};
    for (size_t i = 0; i < 2; i++) {
        char *text = render("rpt", documents[i], 80, false, NULL);
        assert_string_equal(text, "");
        free(text);
        mp_document_free(documents[i]);
    }
}

/* Names are data: no part of them becomes a pattern, a comment or another line. */
static void suppressions_match_to_the_letter(void **unused)
{
    (void)unused;
    static const mp_leak_site coded = {.type = " T*?[x]\\#;= ",
                                       .name = "two\r\nlines\x7f",
                                       .frame = "a\\.[b](c)*+?{d}|^$\n\xc3\xa9 :1",
                                       .frames = 2,
                                       .bytes = 1536,
                                       .objects = 1200};
    static const mp_leak_site uncoded = {
        .type = "", .name = "", .frame = "(session)", .bytes = 1, .objects = 1};
    mp_document *document = mp_document_new("leaks");
    mp_table *table = MP_TABLE(document, "leaks", NULL, MP_ROWS, record_columns);
    table->answer = MP_ANSWER_LEAK_SITES;
    mp_table_row(table);
    mp_table_attach(table, &coded);
    mp_table_row(table);
    mp_table_attach(table, &uncoded);
    check("suppressions", document, 100, false,
          "# Known and accepted leaks. Delete the ones you do not accept, and give the reasons.\n"
          "# A line such as \"expires = 2027-06-30\" limits the time.\n"
          "\n# 1.5 KiB in 1,200 objects\n[leak 1]\n"
          "type   = [ ]T\\*\\?\\[x]\\\\#;=[ ]\n"
          "name   = two??lines?\n"
          "stack  = ^a\\\\\\.\\[b]\\(c\\)\\*\\+\\?\\{d}\\|\\^\\$.\xc3\xa9 :1$\n"
          "reason = TODO: why is this accepted?\n"
          "\n# 1 B in 1 object\n[leak 2]\n"
          "source = (session)\n"
          "reason = TODO: why is this accepted?\n");
    mp_document_free(document);
    document = made("a");
    free(render("suppressions", document, 100, false, NULL));
    mp_document_free(document);
}

static void renderers_are_found_by_name(void **unused)
{
    (void)unused;
    size_t count;
    const mp_renderer *const *renderers = mp_renderers(&count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(mp_renderer_find(renderers[i]->name), renderers[i]);
    assert_string_equal(renderers[0]->name, "text");
    assert_null(mp_renderer_find("yaml"));
}

/* --- rules and limits --- */

/* Return a document with three rules. The first passes, the second fails and has all characters
 * that need escaping, and the third could not be judged. */
static mp_document *judged(void)
{
    static const mp_check rules[] = {
        {.verdict = MP_VERDICT_PASS,
         .name = "holds",
         .measured = "1 B",
         .limit = "<= 1 B",
         .message = "",
         .line = 2},
        {.verdict = MP_VERDICT_FAIL,
         .name = "a<b & \"c\": 5 %, @me #1 |x|",
         .measured = "2 B",
         .limit = "<= 1 B",
         .message = "one\ntwo\t\x01*\xef\xbf\xbf \xc3\xa4",
         .line = 3},
        {.verdict = MP_VERDICT_ERROR,
         .name = "c",
         .measured = "",
         .limit = "",
         .message = "no type matches <A>",
         .line = 4},
    };
    mp_document *document = mp_document_new("gate");
    document->policy = "ci/a,b:c.policy";
    for (size_t i = 0; i < 3; i++)
        mp_document_check(document, rules[i]);
    return document;
}

static mp_document *limited(void)
{
    mp_document *document = mp_document_new("leaks");
    mp_document_check(document, (mp_check){.verdict = MP_VERDICT_FAIL,
                                           .name = "max-leaked",
                                           .limit = "1K",
                                           .measured = "2.0 KiB",
                                           .message = ""});
    mp_document_check(
        document, (mp_check){.name = "max-live", .limit = "1M", .measured = "3 B", .message = ""});
    return document;
}

static void junit_shows_a_rule_as_a_test(void **unused)
{
    (void)unused;
    mp_document *document = judged();
    check("junit", document, 80, false,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<testsuites name=\"memprof\" tests=\"3\" failures=\"1\" errors=\"1\" time=\"0\">\n"
          "  <testsuite name=\"ci/a,b:c.policy\" tests=\"3\" failures=\"1\" errors=\"1\" "
          "skipped=\"0\" time=\"0\">\n"
          "    <testcase name=\"holds\" classname=\"memprof.a,b:c\" time=\"0\"/>\n"
          "    <testcase name=\"a&lt;b &amp; &quot;c&quot;: 5 %, @me #1 |x|\" "
          "classname=\"memprof.a,b:c\" time=\"0\">\n"
          "      <failure message=\"one&#10;two&#9;\\x01*\\u{ffff} \xc3\xa4\" type=\"limit\">"
          "ci/a,b:c.policy:3: one\ntwo\t\\x01*\\u{ffff} \xc3\xa4\nmeasured: 2 B\nlimit: &lt;= 1 "
          "B</failure>\n"
          "    </testcase>\n"
          "    <testcase name=\"c\" classname=\"memprof.a,b:c\" time=\"0\">\n"
          "      <error message=\"no type matches &lt;A&gt;\" type=\"not judged\">"
          "ci/a,b:c.policy:4: no type matches &lt;A&gt;</error>\n"
          "    </testcase>\n"
          "  </testsuite>\n"
          "</testsuites>\n");
    mp_document_free(document);
    document = limited();
    char *text = render("junit", document, 80, false, NULL);
    assert_non_null(strstr(text, "<testcase name=\"--max-live\" classname=\"memprof.leaks\""));
    assert_non_null(strstr(text, "<failure message=\"--max-leaked 1K exceeded\""));
    free(text);
    mp_document_free(document);
}

static void annotations_say_where_a_rule_stands(void **unused)
{
    (void)unused;
    mp_document *document = judged();
    check("github", document, 80, false,
          "::error file=ci/a%2Cb%3Ac.policy,line=3,title=a<b & \"c\"%3A 5 %25%2C @me #1 |x|::"
          "one%0Atwo\\x09\\x01*\xef\xbf\xbf \xc3\xa4\n"
          "::error file=ci/a%2Cb%3Ac.policy,line=4,title=c::cannot be judged: no type matches "
          "<A>\n"
          "::notice title=memprof gate::3 rules: 1 passes, 1 fails, 1 could not be judged\n");
    mp_document_free(document);
    document = limited();
    check("github", document, 80, false,
          "::error title=--max-leaked::--max-leaked 1K exceeded\n"
          "::notice title=memprof leaks::2 limits: 1 passes, 1 fails\n");
    mp_document_free(document);
}

static void without_rules_and_limits_there_is_nothing_to_show(void **unused)
{
    (void)unused;
    mp_document *document = made("alpha");
    check("junit", document, 80, false, "");
    check("github", document, 80, false, "");
    mp_document_free(document);
}

static void markdown_gives_the_verdict_first(void **unused)
{
    (void)unused;
    mp_document *document = judged();
    check("markdown", document, 80, false,
          "### memprof gate: failed\n\n"
          "3 rules: 1 passes, 1 fails, 1 could not be judged, by ci/a,b:c.policy\n\n"
          "| Status | Rule | Measured | Limit | Why |\n| --- | --- | ---: | ---: | --- |\n"
          "| pass | holds | 1 B | &lt;= 1 B |  |\n"
          "| **fail** | a&lt;b &amp; \"c\": 5 %, @<!-- -->me #<!-- -->1 \\|x\\| | 2 B | &lt;= 1 B "
          "| one\\\\x0atwo\\\\x09\\\\x01\\*\xef\xbf\xbf \xc3\xa4 |\n"
          "| **error** | c |  |  | no type matches &lt;A&gt; |\n");
    mp_document_free(document);
}

static void markdown_shows_every_table(void **unused)
{
    (void)unused;
    mp_document *document = made("a|b_c");
    check("markdown", document, 80, false,
          "### An example\n\n"
          "#### Totals\n\n"
          "| | |\n| --- | --- |\n"
          "| Objects | 12,345 |\n| Size of all | +1.5 KiB |\n| Nice | for people |\n"
          "| Time | 1:02:03.004 |\n| Seconds | 0.003155 |\n| Average | 0.250000 |\n"
          "| Share | 12.2 |\n| Whole | yes |\n\n"
          "#### Rows\n\n1 line\n\n"
          "| Name | Objects | Site | Flags |\n| --- | ---: | --- | --- |\n"
          "| a\\|b\\_c | +1,200 | a.p:1<br>b.p:2<br>and 1 more | grows<br>owned |\n"
          "| b, \"c\" | -5 | (session) |  |\n\n"
          "and 3 more\n\n"
          "#### Nothing\n\nnone\n");
    mp_document_free(document);
}

/* Only the part between the beginning of the page and its scripts is compared. */
static void html_shows_every_table(void **unused)
{
    (void)unused;
    mp_document *document = made("a<b\">\xe2\x80\xae&");
    char *text = render("html", document, 80, false, NULL);
    assert_non_null(strstr(text, "<h1>An example</h1>"));
    assert_non_null(strstr(text, "<tr><td class=\"c\">a&lt;b&quot;&gt;\\u{202e}&amp;"
                                 "<td class=\"n\" data-v=\"1200\"><span class=\"worse\">+1,200"
                                 "</span><th scope=\"row\" class=\"c\"><details><summary>a.p:1"
                                 "</summary><ol><li>b.p:2<li>c &quot;x&quot;.p:3</ol></details>"
                                 "<small>grows</small><small>owned</small>\n"));
    assert_non_null(strstr(text, "<dt>Size of all</dt><dd>+1.5 KiB</dd>"));
    assert_non_null(strstr(text, "</table>\n</div>\n<p>and 3 more</p>\n</section>\n"));
    free(text);
    mp_document_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_shows_every_table),
        cmocka_unit_test(junit_shows_a_rule_as_a_test),
        cmocka_unit_test(annotations_say_where_a_rule_stands),
        cmocka_unit_test(without_rules_and_limits_there_is_nothing_to_show),
        cmocka_unit_test(markdown_gives_the_verdict_first),
        cmocka_unit_test(markdown_shows_every_table),
        cmocka_unit_test(text_is_for_people),
        cmocka_unit_test(what_does_not_fit_gives_way_in_order),
        cmocka_unit_test(numbers_go_by_their_importance),
        cmocka_unit_test(colours_are_bold_and_underlined),
        cmocka_unit_test(text_does_nothing_to_a_terminal),
        cmocka_unit_test(csv_is_the_main_table),
        cmocka_unit_test(json_is_all_of_it),
        cmocka_unit_test(rpt_has_the_columns_of_the_description),
        cmocka_unit_test(rpt_shows_nothing_else),
        cmocka_unit_test(suppressions_match_to_the_letter),
        cmocka_unit_test(renderers_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
