#include "json.h"
#include "prf.h"

#include <stddef.h>

static void write_totals(Json *json, const PrfTable *table)
{
    int modules = 0;
    int64_t calls = 0;
    while (prf_plan_modules[modules].id) {
        modules++;
    }
    for (int i = 0; i < table->call_count; i++) {
        calls += table->calls[i].count;
    }
    json_open(json, "totals", '{');
    json_seconds(json, "seconds", prf_table_total(table));
    json_number(json, "calls", calls);
    json_number(json, "modules", modules);
    json_close(json, '}');
}

static void write_row(Json *json, const PrfTable *table, const PrfRow *row, bool old_modules)
{
    const PrfModule *module = prf_plan_module(row->module);
    json_text(json, "program", module->unit);
    json_text(json, "method", module->entity ? module->entity : "");
    if (module->entity && !old_modules) {
        json_number(json, "start_line", module->start_line);
    }
    json_number(json, "line", row->line);
    json_seconds(json, "seconds", row->exclusive);
    if (row->executions) {
        json_ratio(json, "average_seconds", row->exclusive, row->executions * 1000000);
    }
    json_number(json, "calls", row->executions);
    json_ratio(json, "percent", row->exclusive * 100, prf_table_total(table));
}

bool prf_answer(const PrfTable *table, bool old_modules, const char *path)
{
    Writer writer;
    if (!writer_open(&writer, path)) {
        return false;
    }
    Json json = {.writer = &writer};
    int order[PRF_MAX_ROWS];
    int count = prf_table_hottest(table, order);
    json_open(&json, NULL, '{');
    write_totals(&json, table);
    json_open(&json, "top", '[');
    for (int i = 0; i < count; i++) {
        json_open(&json, NULL, '{');
        json.flat = true;
        json_number(&json, "rank", i + 1);
        write_row(&json, table, &table->rows[order[i]], old_modules);
        json_close(&json, '}');
        json.flat = false;
    }
    json_close(&json, ']');
    json_close(&json, '}');
    return writer_close(&writer);
}
