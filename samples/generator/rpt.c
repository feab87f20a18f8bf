#include "rpt.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH_PROGRAM = 30,
    WIDTH_LINE = 5,
    WIDTH_TIME = 13,
    WIDTH_CALLS = 10,
    WIDTH_OLD_METHOD = 40,
    WIDTH_NEW_METHOD = 20,
    WIDTH_CODE = 50,
    WIDTH_DESCRIPTION = 70,
    OLD_PAPER = 120, // columns that a frame is centred in
    NEW_PAPER = 160,
    MOST_ROWS = 20,
    TEXT_SIZE = 64,
};

typedef struct Report {
    Writer *writer;
    bool new_layout;
    bool decimal_comma;
} Report;

static void blanks(Report *report, int count)
{
    for (int i = 0; i < count; i++) {
        writer_char(report->writer, ' ');
    }
}

// Text, cut to the width and filled up with blanks.
static void text_cell(Report *report, const char *text, int width)
{
    char cut[TEXT_SIZE * 2];
    snprintf(cut, sizeof cut, "%.*s", width, text);
    writer_text(report->writer, cut);
    blanks(report, width - (int)strlen(cut));
}

static void number_cell(Report *report, const char *text, int width)
{
    blanks(report, width - (int)strlen(text));
    writer_text(report->writer, text);
}

// Microseconds of `count` rounds, per round; unknown if there was none.
static void time_cell(Report *report, int64_t microseconds, int64_t count)
{
    char text[TEXT_SIZE] = "?";
    if (count) {
        int64_t time = (microseconds * 2 + count) / (count * 2);
        snprintf(text, sizeof text, "%lld%c%06lld", (long long)(time / 1000000),
                 report->decimal_comma ? ',' : '.', (long long)(time % 1000000));
    }
    number_cell(report, text, WIDTH_TIME);
}

static int method_width(const Report *report)
{
    return report->new_layout ? WIDTH_NEW_METHOD : WIDTH_OLD_METHOD;
}

static int paper_width(const Report *report)
{
    return report->new_layout ? NEW_PAPER : OLD_PAPER;
}

static int margin(const Report *report)
{
    int width =
        WIDTH_PROGRAM + WIDTH_LINE + 2 * WIDTH_TIME + WIDTH_CALLS + method_width(report) + 5;
    if (report->new_layout) {
        width += WIDTH_CODE + 1;
    }
    return (paper_width(report) - width) / 2;
}

static void title(Report *report, const char *text)
{
    blanks(report, (paper_width(report) - (int)strlen(text)) / 2);
    writer_text(report->writer, text);
    writer_end_line(report->writer);
}

static void header_frame(Report *report, const PrfTable *table)
{
    static const char label[] = "Description: ";
    Writer *writer = report->writer;
    int64_t seconds = (prf_table_total(table) + 500000) / 1000000;
    char total[TEXT_SIZE];
    snprintf(total, sizeof total, "%02lld:%02lld:%02lld", (long long)(seconds / 3600),
             (long long)(seconds / 60 % 60), (long long)(seconds % 60));
    int before = (paper_width(report) - (int)strlen(label) - WIDTH_DESCRIPTION) / 2;
    title(report, "Profiler: Top 20 Results");
    blanks(report, before);
    writer_text(writer, label);
    writer_text(writer, "Orders of the shop [00:00:07]");
    writer_end_line(writer);
    blanks(report, before);
    writer_text(writer, "Session Total Execution Time   ");
    writer_text(writer, total);
    writer_end_line(writer);
    blanks(report, before);
    writer_text(writer, "Line 0 = initialization, line -1 = cleanup");
    writer_end_line(writer);
    writer_end_line(writer);
}

static void dashes(Report *report, int width)
{
    for (int i = 0; i < width; i++) {
        writer_char(report->writer, '-');
    }
}

static void column_titles(Report *report)
{
    blanks(report, margin(report));
    text_cell(report, "Program/Class", WIDTH_PROGRAM + 1);
    number_cell(report, "Line", WIDTH_LINE);
    number_cell(report, "Time", WIDTH_TIME + 1);
    number_cell(report, "Avg Time", WIDTH_TIME + 1);
    number_cell(report, "Calls", WIDTH_CALLS + 1);
    blanks(report, 1);
    if (report->new_layout) {
        text_cell(report, "IP/Method", WIDTH_NEW_METHOD + 1);
        writer_text(report->writer, "Code");
    } else {
        writer_text(report->writer, "Internal Procedure/Method");
    }
    writer_end_line(report->writer);
    const int widths[] = {WIDTH_PROGRAM, WIDTH_LINE,           WIDTH_TIME, WIDTH_TIME,
                          WIDTH_CALLS,   method_width(report), WIDTH_CODE};
    blanks(report, margin(report));
    for (int i = 0; i < (report->new_layout ? 7 : 6); i++) {
        blanks(report, i > 0);
        dashes(report, widths[i]);
    }
    writer_end_line(report->writer);
}

static void report_row(Report *report, const PrfRow *row)
{
    const PrfModule *module = prf_plan_module(row->module);
    char number[TEXT_SIZE];
    blanks(report, margin(report));
    text_cell(report, module->unit, WIDTH_PROGRAM + 1);
    snprintf(number, sizeof number, "%d", row->line);
    number_cell(report, number, WIDTH_LINE);
    blanks(report, 1);
    time_cell(report, row->exclusive, 1);
    blanks(report, 1);
    time_cell(report, row->exclusive, row->executions);
    blanks(report, 1);
    snprintf(number, sizeof number, "%lld", (long long)row->executions);
    number_cell(report, number, WIDTH_CALLS);
    const char *method = module->entity ? module->entity : "";
    const char *code = prf_source_line(module->unit, row->line);
    blanks(report, 1);
    if (report->new_layout && code) {
        text_cell(report, method, WIDTH_NEW_METHOD);
        blanks(report, 1);
        while (*code == ' ') {
            code++;
        }
        text_cell(report, code, WIDTH_CODE);
    } else {
        snprintf(number, sizeof number, "%.*s", method_width(report), method);
        writer_text(report->writer, number);
    }
    writer_end_line(report->writer);
}

void rpt_write(const PrfTable *table, bool new_layout, bool decimal_comma, Writer *writer)
{
    Report report = {writer, new_layout, decimal_comma};
    int order[PRF_MAX_ROWS];
    int count = prf_table_hottest(table, order);
    header_frame(&report, table);
    title(&report, "Top 20 Lines: Total Execution Time");
    column_titles(&report);
    for (int i = 0; i < count && i < MOST_ROWS; i++) {
        report_row(&report, &table->rows[order[i]]);
    }
}
