#include "prf.h"

#include "prf_sections.h"

static void prf_description(const PrfTable *table, Writer *writer)
{
    writer_signed(writer, table->version);
    writer_text(writer, " 03/02/2026 \"Orders of the shop\" 08:15:30 \"shopbatch\"");
    if (table->version >= PRF_TREE_VERSION) {
        writer_char(writer, ' ');
        prf_properties(table, writer);
    }
    writer_end_line(writer);
    writer_end_section(writer);
}

static void prf_module_name(const PrfModule *module, int version, Writer *writer)
{
    writer_char(writer, '"');
    if (module->entity) {
        writer_text(writer, module->entity);
        writer_char(writer, ' ');
    }
    writer_text(writer, module->unit);
    if (module->runtime && version >= PRF_TREE_VERSION) {
        writer_char(writer, ' ');
        writer_text(writer, module->runtime);
    }
    writer_text(writer, "\" ");
}

// The profiler writes its tables in hash order: here, every seventh row of the rest.
static int scattered(int index, int count)
{
    int step = 7;
    while (count % step == 0) {
        step += 2;
    }
    return index * step % count;
}

static void prf_modules(const PrfTable *table, bool old_modules, Writer *writer)
{
    int count = 0;
    while (prf_plan_modules[count].id) {
        count++;
    }
    for (int i = 0; i < count; i++) {
        const PrfModule *module = &prf_plan_modules[scattered(i, count)];
        writer_column(writer, (uint64_t)module->id);
        prf_module_name(module, table->version, writer);
        bool listed = !module->entity && prf_source(module->unit);
        writer_quoted(writer, listed ? "C:\\shop\\listing\\shop\\placeOrder.dbg" : "");
        writer_char(writer, ' ');
        writer_signed(writer, module->crc);
        if (!old_modules) {
            writer_char(writer, ' ');
            writer_signed(writer, module->start_line);
            writer_text(writer, " \"\"");
        }
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

static void prf_call_graph(const PrfTable *table, Writer *writer)
{
    for (int i = 0; i < table->call_count; i++) {
        const PrfCall *call = &table->calls[scattered(i, table->call_count)];
        writer_column(writer, (uint64_t)call->caller);
        writer_column(writer, (uint64_t)call->line);
        writer_column(writer, (uint64_t)call->callee);
        writer_signed(writer, call->count);
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

static void prf_line_summary(const PrfTable *table, Writer *writer)
{
    for (int i = 0; i < table->row_count; i++) {
        const PrfRow *row = &table->rows[scattered(i, table->row_count)];
        writer_column(writer, (uint64_t)row->module);
        writer_signed(writer, row->line);
        writer_char(writer, ' ');
        writer_column(writer, (uint64_t)row->executions);
        writer_seconds(writer, row->exclusive, '.');
        writer_char(writer, ' ');
        writer_seconds(writer, row->cumulative, '.');
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

void prf_write(const PrfTable *table, bool old_modules, Writer *writer)
{
    prf_description(table, writer);
    prf_modules(table, old_modules, writer);
    prf_call_graph(table, writer);
    prf_line_summary(table, writer);
    prf_tracing(table, writer);
    prf_coverage(writer);
    if (table->version % 2 == 0) {
        prf_statistics(table, writer);
    }
    if (table->version >= PRF_TREE_VERSION) {
        prf_tree(table, writer);
    }
    prf_user_data(writer);
}
