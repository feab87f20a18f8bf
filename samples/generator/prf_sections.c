#include "prf_sections.h"

#include <stddef.h>

void prf_properties(const PrfTable *table, Writer *writer)
{
    writer_text(writer, "{\"StmtCnt\":");
    writer_signed(writer, table->executions);
    writer_text(writer, ",\"DataPts\":");
    writer_signed(writer, table->executions * 2 + 4);
    writer_text(writer, ",\"NumWrites\":0,\"TotTime\":");
    writer_seconds(writer, prf_table_total(table), '.');
    // Backslashes are not escaped, and the key comes twice.
    writer_text(writer, ",\"BufferSize\":61440,\"Directory\":\"C:\\shop\\work\\\",\"Propath\":\"\""
                        ",\"Propath\":\"C:\\shop\\src,C:\\shop\\lib\\shop.pl,"
                        "C:\\Progress\\OpenEdge\\tty\"");
    if (table->version == 4) {
        // A quote is missing before the key, as in real files.
        writer_text(writer, ", PASOE\": { \"transport\": \"WEB\", \"ABLSessionID\": \"AS-1\","
                            " \"AgentPid\": 7096 }");
    }
    writer_char(writer, '}');
}

typedef struct Tracer {
    Writer *writer;
    const PrfTable *table;
    int64_t clock; // microseconds
} Tracer;

static void trace_row(Tracer *tracer, int module, const PrfLine *line, int64_t start)
{
    writer_column(tracer->writer, (uint64_t)module);
    writer_signed(tracer->writer, line->line);
    writer_char(tracer->writer, ' ');
    writer_seconds(tracer->writer, line->microseconds, '.');
    writer_char(tracer->writer, ' ');
    writer_seconds(tracer->writer, start, '.');
    writer_end_line(tracer->writer);
}

// Rows come in the order in which things end: what a line calls before the line, the prologue last.
static void trace_node(Tracer *tracer, int node)
{
    int module = prf_plan_nodes[node].module;
    int64_t entered = tracer->clock;
    const PrfLine *prologue = NULL;
    for (const PrfLine *line = prf_plan_lines; line->node >= 0; line++) {
        if (line->node != node) {
            continue;
        }
        int64_t start = tracer->clock;
        tracer->clock += line->microseconds;
        if (!line->line) {
            prologue = line;
            continue;
        }
        for (int callee = node + 1; callee < prf_plan_node_count; callee++) {
            if (prf_plan_nodes[callee].parent == node &&
                prf_plan_nodes[callee].caller_line == line->line) {
                trace_node(tracer, callee);
            }
        }
        trace_row(tracer, module, line, start);
    }
    if (prologue) {
        trace_row(tracer, module, prologue, entered);
    }
}

void prf_tracing(const PrfTable *table, Writer *writer)
{
    // It runs near the end, after a start of the session that is not profiled.
    Tracer tracer = {writer, table, prf_table_total(table) + 400000};
    trace_node(&tracer, PRF_TRACED_NODE);
    writer_end_section(writer);
}

void prf_coverage(Writer *writer)
{
    for (const PrfCoverage *part = prf_plan_coverage; part->unit; part++) {
        int count = 0;
        while (part->lines[count]) {
            count++;
        }
        writer_column(writer, (uint64_t)part->unit);
        writer_quoted(writer, part->entity);
        writer_char(writer, ' ');
        writer_signed(writer, count);
        writer_end_line(writer);
        for (int i = 0; i < count; i++) {
            writer_signed(writer, part->lines[i]);
            writer_end_line(writer);
        }
        writer_end_section(writer);
    }
    writer_end_section(writer);
}

static void statistics_opcodes(Writer *writer)
{
    static const char *const rows[] = {
        "1 10135 1 \"EXPRESSN STMT \"", "1 10047 2 \"RUN           \"",
        "1 10002 1 \"BLOCK HEADER  \"", "4 152 3 \"ELIT\"",
        "4 10155 7 \"IF STMT \"",       "22 10156 1 \"SIMPLE ASSIGN STMT \"",
        "22 302 2 \"VALOBJ\"",          "22 15 2 \"=\"",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        writer_text(writer, rows[i]);
        writer_char(writer, ' ');
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

void prf_statistics(const PrfTable *table, Writer *writer)
{
    statistics_opcodes(writer);
    int numbers = table->version == 2 ? 22 : 24;
    for (const PrfModule *module = prf_plan_modules; module->id; module++) {
        writer_signed(writer, module->id);
        for (int i = 0; i < numbers; i++) {
            writer_text(writer, "    ");
            writer_signed(writer, i % 5 == 2 ? module->id % 4 : i > 17 ? 8 * module->id : 0);
            writer_text(writer, ".0");
        }
        writer_text(writer, "  ");
        writer_end_line(writer);
    }
    writer_end_section(writer);
    writer_text(writer, "0 5 0 0 ");
    writer_end_line(writer);
    for (const PrfModule *module = prf_plan_modules; module->id; module++) {
        writer_signed(writer, module->id);
        writer_text(writer, "  1  ");
        writer_end_line(writer);
    }
    writer_end_section(writer);
    writer_text(writer, "0 0 \"-pf C:\\shop\\shop.pf,-cpinternal UTF-8,-numsep 46,-numdec 44,"
                        "(end .pf),-b,-p shop/main.p\" ");
    writer_end_line(writer);
    writer_end_section(writer);
}

void prf_tree(const PrfTable *table, Writer *writer)
{
    for (int node = 0; node < prf_plan_node_count; node++) {
        const PrfNode *words = &prf_plan_nodes[node];
        writer_column(writer, (uint64_t)node);
        writer_column(writer, (uint64_t)words->parent);
        writer_column(writer, (uint64_t)words->module);
        writer_signed(writer, words->caller_line);
        writer_char(writer, ' ');
        writer_column(writer, (uint64_t)words->calls);
        writer_seconds(writer, table->inclusive[node], '.');
        for (int child = node + 1; child < prf_plan_node_count; child++) {
            if (prf_plan_nodes[child].parent == node) {
                writer_char(writer, ' ');
                writer_signed(writer, child);
            }
        }
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

void prf_user_data(Writer *writer)
{
    writer_text(writer, "0.471480 \"120 orders\"");
    writer_end_line(writer);
    writer_text(writer, "2.104417 \"archived\"");
    writer_end_line(writer);
    writer_end_section(writer);
}
