#include "prf_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void plan_fault(const char *what, int node, int line)
{
    fprintf(stderr, "memprof-generate: the plan of the execution: %s (node %d, line %d)\n", what,
            node, line);
    abort();
}

static PrfRow *find_row(PrfTable *table, int module, int line)
{
    for (int i = 0; i < table->row_count; i++) {
        if (table->rows[i].module == module && table->rows[i].line == line) {
            return &table->rows[i];
        }
    }
    if (table->row_count == PRF_MAX_ROWS) {
        plan_fault("too many lines", module, line);
    }
    PrfRow *row = &table->rows[table->row_count++];
    *row = (PrfRow){.module = module, .line = line};
    return row;
}

static bool has_line(int node, int line)
{
    for (const PrfLine *words = prf_plan_lines; words->node >= 0; words++) {
        if (words->node == node && words->line == line) {
            return true;
        }
    }
    return false;
}

// Adds what the lines took by themselves, to their rows and to their nodes.
static void sum_lines(PrfTable *table)
{
    for (const PrfLine *words = prf_plan_lines; words->node >= 0; words++) {
        if (words->version > table->version) {
            continue;
        }
        PrfRow *row = find_row(table, prf_plan_nodes[words->node].module, words->line);
        row->executions += words->executions;
        row->exclusive += words->microseconds;
        table->inclusive[words->node] += words->microseconds;
        if (words->line) {
            row->cumulative += words->microseconds;
            table->executions += words->executions;
        } else if (words->executions != prf_plan_nodes[words->node].calls) {
            plan_fault("a prologue runs at each call", words->node, 0);
        }
    }
}

// Adds each node to the line that called it, the innermost first: a parent has a smaller id.
static void sum_nodes(PrfTable *table)
{
    for (int node = prf_plan_node_count - 1; node > 0; node--) {
        const PrfNode *words = &prf_plan_nodes[node];
        int64_t inclusive = table->inclusive[node];
        if (words->parent >= node) {
            plan_fault("a parent stands behind its child", node, words->caller_line);
        }
        if (words->parent && !has_line(words->parent, words->caller_line)) {
            plan_fault("no such calling line", words->parent, words->caller_line);
        }
        table->inclusive[words->parent] += inclusive;
        if (words->parent) {
            find_row(table, prf_plan_nodes[words->parent].module, words->caller_line)->cumulative +=
                inclusive;
        }
        find_row(table, words->module, 0)->cumulative += inclusive;
    }
    table->rows[0].cumulative = table->inclusive[0];
}

static void sum_calls(PrfTable *table)
{
    for (int node = 1; node < prf_plan_node_count; node++) {
        const PrfNode *words = &prf_plan_nodes[node];
        int caller = prf_plan_nodes[words->parent].module;
        int i = 0;
        while (i < table->call_count &&
               (table->calls[i].caller != caller || table->calls[i].line != words->caller_line ||
                table->calls[i].callee != words->module)) {
            i++;
        }
        if (i == table->call_count) {
            table->calls[table->call_count++] =
                (PrfCall){caller, words->caller_line, words->module, 0};
        }
        table->calls[i].count += words->calls;
    }
}

void prf_table_init(PrfTable *table, int version)
{
    memset(table, 0, sizeof *table);
    table->version = version;
    if (prf_plan_node_count > PRF_MAX_NODES) {
        plan_fault("too many nodes", prf_plan_node_count, 0);
    }
    find_row(table, 0, 0)->executions = 1;
    sum_lines(table);
    sum_nodes(table);
    sum_calls(table);
}

int64_t prf_table_total(const PrfTable *table)
{
    return table->inclusive[0];
}

static int compare_rows(const PrfRow *left, const PrfRow *right)
{
    const PrfModule *one = prf_plan_module(left->module);
    const PrfModule *two = prf_plan_module(right->module);
    if (left->exclusive != right->exclusive) {
        return left->exclusive > right->exclusive ? -1 : 1;
    }
    int order = strcmp(one->unit, two->unit);
    if (!order) {
        order = strcmp(one->entity ? one->entity : "", two->entity ? two->entity : "");
    }
    if (!order) {
        order = left->line - right->line;
    }
    return order ? order : left->module - right->module;
}

int prf_table_hottest(const PrfTable *table, int order[PRF_MAX_ROWS])
{
    int count = 0;
    for (int row = 1; row < table->row_count; row++) {
        int place = count++;
        while (place > 0 && compare_rows(&table->rows[row], &table->rows[order[place - 1]]) < 0) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = row;
    }
    return count;
}
