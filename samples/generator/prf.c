/* Execution profiles, ProTop reports of a profile, and a debug listing. All figures are sums over a
 * small call tree, in which each node spends time on lines. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum {
    TREE_VERSION = 3, /* first version that has call-tree nodes and garbage collection */
    GARBAGE_COLLECTION = -2,
    REPORTED_VERSION = 4, /* version of the profile on which a report is based */
    TRACED_NODE = 24,     /* node whose subtree is traced; everything in this subtree runs once */
    MOST_ROWS = 160,
    MOST_COVERED = 24,
    REPORTED_ROWS = 20
};

typedef struct prf_module {
    int id;
    const char *entity; /* method, procedure or function; NULL = the unit itself */
    const char *unit;   /* file, or class that defines the method */
    bool in_class;  /* true for a method; from version 3 on, its entry also names the class in which
                       it ran */
    int crc;        /* checksum of a unit */
    int start_line; /* first line of an entity */
} prf_module;

static const prf_module modules[] = {
    {1, NULL, "shop/main.p", false, 48949, 0},
    {2, NULL, "shop/runOrders.p", false, 20667, 0},
    {3, "processBatch", "shop/runOrders.p", false, 0, 58},
    {4, NULL, "shop/placeOrder.p", false, 11619, 0},
    {5, "readCart", "shop/placeOrder.p", false, 0, 66},
    {7, NULL, "shop.OrderService", false, 51638, 0},
    {8, "OrderService", "shop.OrderService", true, 0, 31},
    {9, "placeOrder", "shop.OrderService", true, 0, 88},
    {10, "placeOrder", "shop.OrderService", true, 0, 131},
    {11, "validate", "shop.OrderService", true, 0, 164},
    {12, "calculateShippingCosts", "shop.OrderService", true, 0, 190},
    {14, NULL, "shop.Order", false, 3808, 0},
    {15, "Order", "shop.Order", true, 0, 20},
    {16, "addLine", "shop.Order", true, 0, 52},
    {17, "~Order", "shop.Order", true, 0, 81},
    {19, NULL, "shop.BaseRepository", false, 45206, 0},
    {20, NULL, "shop.CustomerRepository", false, 32700, 0},
    {21, "find", "shop.CustomerRepository", true, 0, 47},
    {22, "openQuery", "shop.BaseRepository", true, 0, 70},
    {25, NULL, "shop.PriceCache", false, 22282, 0},
    {26, "getPrice", "shop.PriceCache", true, 0, 77},
    {28, NULL, "shop.CategoryTree", false, 14323, 0},
    {29, "countParts", "shop.CategoryTree", true, 0, 33},
    {31, NULL, "shop/archive orders.p", false, 58513, 0},
    {32, "compress", "shop/archive orders.p", false, 0, 40},
    {33, NULL, "shop/tax.p", false, 17022, 0},
};
enum { MODULES = sizeof modules / sizeof modules[0] };

/* Call-tree nodes by id. Parents come first; 0 is the session. */
typedef struct prf_node {
    int module, parent, caller_line, calls;
} prf_node;

static const prf_node nodes[] = {
    {0, 0, 0, 1},       /* 0: session */
    {1, 0, 0, 1},       /* 1: shop/main.p */
    {2, 1, 52, 1},      /* 2: shop/runOrders.p */
    {3, 2, 30, 1},      /* 3: processBatch */
    {4, 3, 71, 120},    /* 4: shop/placeOrder.p */
    {5, 4, 44, 120},    /* 5: readCart */
    {7, 4, 38, 1},      /* 6: shop.OrderService */
    {8, 4, 38, 120},    /* 7: its constructor */
    {9, 4, 51, 120},    /* 8: placeOrder( order ) */
    {10, 8, 97, 120},   /* 9: placeOrder( order, customer ) */
    {11, 9, 139, 120},  /* 10: validate */
    {20, 10, 170, 1},   /* 11: shop.CustomerRepository */
    {19, 10, 170, 1},   /* 12: the class from which it inherits */
    {21, 10, 170, 120}, /* 13: find */
    {22, 13, 55, 120},  /* 14: openQuery, inherited */
    {14, 9, 143, 1},    /* 15: shop.Order */
    {15, 9, 143, 120},  /* 16: its constructor */
    {16, 9, 148, 480},  /* 17: addLine */
    {26, 17, 58, 480},  /* 18: getPrice */
    {29, 17, 60, 480},  /* 19: countParts */
    {29, 19, 38, 300},  /* 20: countParts of the parts */
    {29, 20, 38, 90},   /* 21: countParts of their parts */
    {12, 9, 150, 120},  /* 22: calculateShippingCosts */
    {17, 9, 160, 118},  /* 23: destructor */
    {31, 1, 60, 1},     /* 24: shop/archive orders.p */
    {32, 24, 26, 1},    /* 25: compress */
    {25, 2, 24, 1},     /* 26: shop.PriceCache */
    {26, 2, 25, 40},    /* 27: getPrice, which fills the cache */
    {33, 9, 152, 120},  /* 28: shop/tax.p */
    {28, 17, 60, 1},    /* 29: shop.CategoryTree */
    {29, 21, 38, 12},   /* 30: countParts, deepest */
};
enum { NODES = sizeof nodes / sizeof nodes[0] };

typedef struct prf_line {
    int node;
    /* 0 = prologue; its executions are the calls of the node; -2 exists only from version 3 on */
    int line;
    int executions, microseconds; /* own time */
} prf_line;

/* Line 66 of shop/main.p was still running when profiling ended. */
static const prf_line lines[] = {
    {1, 0, 1, 4678},      {1, 34, 1, 12410},     {1, 52, 1, 214},         {1, 60, 1, 97},
    {1, 66, 0, 20150},    {1, -1, 1, 318},       {1, -2, 1, 1204},        {2, 0, 1, 862},
    {2, 24, 1, 66},       {2, 25, 40, 412},      {2, 28, 1, 18803},       {2, 30, 1, 35},
    {3, 0, 1, 121},       {3, 68, 121, 9342},    {3, 71, 120, 3511},      {3, 75, 120, 1260},
    {4, 0, 120, 24716},   {4, 38, 120, 2204},    {4, 44, 120, 1431},      {4, 47, 120, 30884},
    {4, 51, 120, 1977},   {4, 58, 120, 61250},   {4, -1, 120, 2160},      {5, 0, 120, 3120},
    {5, 69, 600, 152347}, {5, 70, 480, 44160},   {5, 73, 480, 8406},      {6, 0, 1, 910},
    {7, 0, 120, 1802},    {7, 33, 120, 604},     {8, 0, 120, 1440},       {8, 92, 120, 725},
    {8, 97, 120, 1093},   {9, 0, 120, 2013},     {9, 139, 120, 1316},     {9, 143, 120, 2870},
    {9, 146, 600, 5404},  {9, 148, 480, 6118},   {9, 150, 120, 944},      {9, 152, 120, 2651},
    {9, 155, 120, 17339}, {9, 160, 118, 3327},   {9, -2, 7, 4412},        {10, 0, 120, 1188},
    {10, 168, 120, 633},  {10, 170, 120, 1542},  {10, 174, 3, 71},        {11, 0, 1, 806},
    {12, 0, 1, 655},      {13, 0, 120, 1330},    {13, 51, 120, 7316},     {13, 55, 120, 1618},
    {13, 59, 120, 203},   {14, 0, 120, 1275},    {14, 74, 120, 13402},    {14, 76, 120, 884231},
    {14, 83, 120, 38177}, {15, 0, 1, 744},       {16, 0, 120, 2231},      {16, 27, 120, 10648},
    {17, 0, 480, 5290},   {17, 54, 480, 9911},   {17, 58, 480, 4127},     {17, 60, 480, 5002},
    {18, 0, 480, 4310},   {18, 80, 480, 21076},  {18, 84, 37, 196420},    {18, 88, 480, 1440},
    {19, 0, 480, 6412},   {19, 36, 780, 11700},  {19, 38, 300, 2980},     {19, 41, 480, 960},
    {20, 0, 300, 4005},   {20, 36, 390, 5850},   {20, 38, 90, 901},       {20, 41, 300, 600},
    {21, 0, 90, 1203},    {21, 36, 102, 1530},   {21, 38, 12, 127},       {21, 41, 90, 180},
    {22, 0, 120, 1655},   {22, 195, 120, 71840}, {22, 199, 2400, 102511}, {22, 204, 120, 240},
    {23, 0, 118, 1304},   {23, 83, 118, 2006},   {23, -1, 118, 590},      {24, 0, 1, 1333},
    {24, 12, 1, 208},     {24, 26, 1, 44},       {24, 29, 1, 3},          {25, 0, 1, 210},
    {25, 44, 1, 51},      {25, 47, 1, 27218},    {25, 51, 1, 9},          {26, 0, 1, 512},
    {27, 0, 40, 380},     {27, 80, 40, 1725},    {27, 84, 40, 212310},    {27, 88, 40, 118},
    {28, 0, 120, 15216},  {28, 14, 120, 4833},   {28, 17, 360, 33640},    {29, 0, 1, 433},
    {30, 0, 12, 161},     {30, 36, 12, 180},     {30, 41, 12, 24},
};
enum { LINES = sizeof lines / sizeof lines[0] };

/* Executable lines of a unit or an entity; the list ends with 0. */
static const struct {
    int unit;
    const char *entity;
    int lines[MOST_COVERED];
} covered[] = {
    {4, "", {12, 38, 44, 47, 51, 54, 58}}, {4, "readCart", {69, 70, 73, 77}}, {14, "Order", {27}},
    {14, "addLine", {54, 58, 60}},         {14, "removeLine", {66, 68, 69}},  {14, "~Order", {83}},
};

/* shop/placeOrder.p, with lines numbered from 1. The plan has those of its lines that are
 * executed. */
static const char source_program[] = "shop/placeOrder.p";
static const char source[] =
    "/* shop/placeOrder.p: turns a cart into an order. */\n"
    "using shop.*.\n\n"
    "block-level on error undo, throw.\n\n"
    "define input  parameter pCart  as character no-undo.\n"
    "define output parameter pTotal as decimal   no-undo.\n\n"
    "define temp-table ttCart no-undo\n"
    "    field itemNum as integer\n"
    "    field qty     as integer.\n"
    "create widget-pool.\n\n"
    "define variable oService as OrderService no-undo.\n"
    "define variable oOrder   as Order        no-undo.\n"
    "define variable hQuery   as handle       no-undo.\n"
    "define variable hBuffer  as handle       no-undo.\n"
    "define variable iLine    as integer      no-undo.\n\n"
    "/* The service is made anew for each order: it keeps the state of one. */\n\n"
    "function isOpen returns logical ( pNum as integer ) forward.\n\n"
    "/* ------------------------------------------------------------------\n"
    "   Order of things:\n"
    "     1. the service\n"
    "     2. the lines of the cart\n"
    "     3. the total\n"
    "     4. the order itself\n"
    "     5. the receipt\n"
    "   ------------------------------------------------------------------ */\n\n"
    "if pCart = \"\" then\n"
    "    return.\n\n"
    "do on error undo, throw:\n\n"
    "    oService = new OrderService( pCart ).\n\n"
    "    /* One line of the cart after another, the way that the customer\n"
    "       put them in. */\n\n\n"
    "    run readCart ( pCart, output table ttCart ).\n\n"
    "    for each ttCart:\n"
    "        accumulate ttCart.qty ( total ).\n"
    "    end.\n\n\n"
    "    pTotal = oService:placeOrder( table ttCart ).\n\n"
    "    if pTotal = ? then\n"
    "        undo, throw new Progress.Lang.AppError( \"no price\", 1 ).\n\n"
    "    /* The receipt. */\n\n"
    "    output to value( pCart + \".txt\" ). export pTotal. output close.\n\n"
    "    finally:\n"
    "        delete object oService no-error.\n"
    "    end finally.\n"
    "end.\n\n\n"
    "procedure readCart:\n"
    "    define input  parameter pName as character no-undo.\n"
    "    define output parameter table for ttCart.\n"
    "    for each cartLine no-lock where cartLine.cartName = pName by cartLine.num:\n"
    "        create ttCart. buffer-copy cartLine to ttCart.\n\n"
    "        /* spare parts */\n"
    "        if cartLine.kind = 2 then run shop/zubehör.p ( cartLine.itemNum ).\n\n"
    "    end.\n\n"
    "    return.\n"
    "end procedure.\n";

/* Return the line with this number, and set its length; NULL after the last line. */
static const char *source_line(int number, int *length)
{
    const char *line = source;
    for (int i = 1; i < number && *line; i++)
        line += strcspn(line, "\n") + 1;
    *length = (int)strcspn(line, "\n");
    return *line ? line : NULL;
}

/* --- sums over the plan --- */

/* A row of the line summary. Times are in microseconds; `cumulative` includes callees. */
typedef struct prf_row {
    int module, line, executions, exclusive, cumulative;
} prf_row;

/* A row of the call graph. */
typedef struct prf_call {
    int caller, line, callee, count;
} prf_call;

typedef struct prf_table {
    int version;
    int inclusive[NODES];    /* time of each node of the call tree */
    prf_row rows[MOST_ROWS]; /* [0] is the session */
    prf_call calls[NODES];
    int row_count, call_count;
    int executions; /* executions of all lines except the prologues */
} prf_table;

static const prf_module *module_of(int id)
{
    int i = 0;
    while (modules[i].id != id)
        i++;
    return &modules[i];
}

static prf_row *row_of(prf_table *table, int module, int line)
{
    for (int i = 0; i < table->row_count; i++)
        if (table->rows[i].module == module && table->rows[i].line == line)
            return &table->rows[i];
    table->rows[table->row_count] = (prf_row){.module = module, .line = line};
    return &table->rows[table->row_count++];
}

/* Add the own times of lines to their rows and nodes. */
static void sum_lines(prf_table *table)
{
    for (int i = 0; i < LINES; i++) {
        const prf_line *line = &lines[i];
        if (line->line == GARBAGE_COLLECTION && table->version < TREE_VERSION)
            continue;
        prf_row *row = row_of(table, nodes[line->node].module, line->line);
        row->executions += line->executions;
        row->exclusive += line->microseconds;
        table->inclusive[line->node] += line->microseconds;
        if (line->line) {
            row->cumulative += line->microseconds;
            table->executions += line->executions;
        }
    }
}

/* Add the inclusive time of each node to the line that called it. Innermost nodes come first,
 * because parents have smaller ids. */
static void sum_nodes(prf_table *table)
{
    for (int i = NODES - 1; i > 0; i--) {
        const prf_node *node = &nodes[i];
        table->inclusive[node->parent] += table->inclusive[i];
        if (node->parent)
            row_of(table, nodes[node->parent].module, node->caller_line)->cumulative +=
                table->inclusive[i];
        row_of(table, node->module, 0)->cumulative += table->inclusive[i];
    }
    table->rows[0].cumulative = table->inclusive[0];
}

static prf_table table_of(int64_t version)
{
    prf_table table = {.version = (int)version};
    row_of(&table, 0, 0)->executions = 1;
    sum_lines(&table);
    sum_nodes(&table);
    for (int i = 1; i < NODES; i++) {
        prf_call call = {nodes[nodes[i].parent].module, nodes[i].caller_line, nodes[i].module, 0};
        int index = 0;
        while (index < table.call_count &&
               (table.calls[index].caller != call.caller || table.calls[index].line != call.line ||
                table.calls[index].callee != call.callee))
            index++;
        if (index == table.call_count)
            table.calls[table.call_count++] = call;
        table.calls[index].count += nodes[i].calls;
    }
    return table;
}

/* Compare by time, descending, then by program, method and line. */
static int by_time(const void *left, const void *right)
{
    const prf_row *a = left, *b = right;
    const prf_module *one = module_of(a->module), *other = module_of(b->module);
    int order = b->exclusive - a->exclusive;
    order = order ? order : strcmp(one->unit, other->unit);
    order =
        order ? order : strcmp(one->entity ? one->entity : "", other->entity ? other->entity : "");
    order = order ? order : a->line - b->line;
    return order ? order : a->module - b->module;
}

/* --- profile --- */

static const char *seconds(int microseconds)
{
    return gen_keep("%d.%06d", microseconds / 1000000, microseconds % 1000000);
}

static void write_description(gen_writer *writer, const prf_table *table)
{
    gen_print(writer, "%d 03/02/2026 \"Orders of the shop\" 08:15:30 \"shopbatch\"",
              table->version);
    /* This object is not valid JSON, as in real files. Backslashes are not escaped, a key is
     * repeated, and in version 4 a quote is missing. */
    if (table->version >= TREE_VERSION)
        gen_print(writer,
                  " {\"StmtCnt\":%d,\"DataPts\":%d,\"NumWrites\":0,\"TotTime\":%s,"
                  "\"BufferSize\":61440,\"Directory\":\"C:\\shop\\work\\\",\"Propath\":\"\","
                  "\"Propath\":\"C:\\shop\\src,C:\\shop\\lib\\shop.pl,C:\\Progress\\OpenEdge\\tty\""
                  "%s}",
                  table->executions, table->executions * 2 + 4, seconds(table->inclusive[0]),
                  table->version == 4 ? ", PASOE\": { \"transport\": \"WEB\", \"ABLSessionID\": "
                                        "\"AS-1\", \"AgentPid\": 7096 }"
                                      : "");
    gen_text(writer, "\n.\n");
}

/* Return the row to write at this position. The rows follow each other in steps of seven or a few
 * more. The profiler writes its tables in hash order, which looks similar. */
static int scattered(int index, int count)
{
    int step = 7;
    while (count % step == 0)
        step += 2;
    return index * step % count;
}

static void write_tables(gen_writer *writer, const prf_table *table, bool old_modules)
{
    for (int i = 0; i < MODULES; i++) {
        const prf_module *module = &modules[scattered(i, MODULES)];
        gen_print(writer, "%d \"%s%s%s", module->id, module->entity ? module->entity : "",
                  module->entity ? " " : "", module->unit);
        /* openQuery is inherited: the class in which it runs is not the one that defines it */
        if (module->in_class && table->version >= TREE_VERSION)
            gen_print(writer, " %s",
                      strcmp(module->entity, "openQuery") ? module->unit
                                                          : "shop.CustomerRepository");
        gen_print(writer, "\" \"%s\" %d",
                  module->entity || strcmp(module->unit, source_program)
                      ? ""
                      : "C:\\shop\\listing\\shop\\placeOrder.dbg",
                  module->crc);
        if (!old_modules)
            gen_print(writer, " %d \"\"", module->start_line);
        gen_end_line(writer);
    }
    gen_text(writer, ".\n");
    for (int i = 0; i < table->call_count; i++) {
        const prf_call *call = &table->calls[scattered(i, table->call_count)];
        gen_print(writer, "%d %d %d %d\n", call->caller, call->line, call->callee, call->count);
    }
    gen_text(writer, ".\n");
    for (int i = 0; i < table->row_count; i++) {
        const prf_row *row = &table->rows[scattered(i, table->row_count)];
        gen_print(writer, "%d %d %d %s %s\n", row->module, row->line, row->executions,
                  seconds(row->exclusive), seconds(row->cumulative));
    }
    gen_text(writer, ".\n");
}

static void trace_row(gen_writer *writer, const prf_line *line, int start)
{
    gen_print(writer, "%d %d %s %s\n", nodes[line->node].module, line->line,
              seconds(line->microseconds), seconds(start));
}

/* Write rows in the order in which executions end: callees before the line that calls them, and the
 * prologue last. */
static int trace_node(gen_writer *writer, int node, int clock)
{
    const prf_line *prologue = NULL;
    int entered = clock;
    for (const prf_line *line = lines; line < lines + LINES; line++) {
        if (line->node != node)
            continue;
        int start = clock;
        clock += line->microseconds;
        if (!line->line) {
            prologue = line;
            continue;
        }
        for (int callee = node + 1; callee < NODES; callee++)
            if (nodes[callee].parent == node && nodes[callee].caller_line == line->line)
                clock = trace_node(writer, callee, clock);
        trace_row(writer, line, start);
    }
    if (prologue)
        trace_row(writer, prologue, entered);
    return clock;
}

static void write_coverage(gen_writer *writer)
{
    for (size_t i = 0; i < sizeof covered / sizeof covered[0]; i++) {
        const int *covered_lines = covered[i].lines;
        int count = 0;
        while (covered_lines[count])
            count++;
        gen_print(writer, "%d \"%s\" %d\n", covered[i].unit, covered[i].entity, count);
        for (int j = 0; j < count; j++)
            gen_print(writer, "%d\n", covered_lines[j]);
        gen_text(writer, ".\n");
    }
    gen_text(writer, ".\n");
}

static void write_statistics(gen_writer *writer, int version)
{
    gen_text(writer, "1 10135 1 \"EXPRESSN STMT \" \n1 10047 2 \"RUN           \" \n"
                     "1 10002 1 \"BLOCK HEADER  \" \n4 152 3 \"ELIT\" \n4 10155 7 \"IF STMT \" \n"
                     "22 10156 1 \"SIMPLE ASSIGN STMT \" \n22 302 2 \"VALOBJ\" \n22 15 2 \"=\" \n"
                     ".\n");
    for (int i = 0; i < MODULES; i++) {
        int id = modules[i].id;
        gen_print(writer, "%d", id);
        for (int j = 0; j < (version == 2 ? 22 : 24); j++)
            gen_print(writer, "    %d.0", j % 5 == 2 ? id % 4 : j > 17 ? 8 * id : 0);
        gen_text(writer, "  \n");
    }
    gen_text(writer, ".\n0 5 0 0 \n");
    for (int i = 0; i < MODULES; i++)
        gen_print(writer, "%d  1  \n", modules[i].id);
    gen_text(writer, ".\n0 0 \"-pf C:\\shop\\shop.pf,-cpinternal UTF-8,-numsep 46,-numdec 44,"
                     "(end .pf),-b,-p shop/main.p\" \n.\n");
}

static void write_tree(gen_writer *writer, const prf_table *table)
{
    for (int i = 0; i < NODES; i++) {
        gen_print(writer, "%d %d %d %d %d %s", i, nodes[i].parent, nodes[i].module,
                  nodes[i].caller_line, nodes[i].calls, seconds(table->inclusive[i]));
        for (int child = i + 1; child < NODES; child++)
            if (nodes[child].parent == i)
                gen_print(writer, " %d", child);
        gen_end_line(writer);
    }
    gen_text(writer, ".\n");
}

void gen_prf(const gen_options *options, gen_writer *writer)
{
    prf_table table = table_of(options->version);
    write_description(writer, &table);
    write_tables(writer, &table, options->old_modules);
    /* The traced node runs near the end. It runs after the start of the session, which is not
     * profiled. */
    trace_node(writer, TRACED_NODE, table.inclusive[0] + 400000);
    gen_text(writer, ".\n");
    write_coverage(writer);
    if (table.version % 2 == 0)
        write_statistics(writer, table.version);
    if (table.version >= TREE_VERSION)
        write_tree(writer, &table);
    gen_text(writer, "0.471480 \"120 orders\"\n2.104417 \"archived\"\n.\n");
}

void gen_prf_answer(const gen_options *options, gen_json *json)
{
    prf_table table = table_of(options->version);
    int calls = 0, units = 0;
    for (int i = 0; i < table.call_count; i++)
        calls += table.calls[i].count;
    for (int i = 0; i < MODULES; i++)
        units += !modules[i].entity;
    gen_json_open(json, "totals", '{');
    gen_json_ratio(json, "seconds", table.inclusive[0], 1000000, 6);
    gen_json_number(json, "calls", calls);
    gen_json_number(json, "modules", units);
    gen_json_close(json);
    qsort(table.rows + 1, (size_t)table.row_count - 1, sizeof table.rows[0], by_time);
    gen_json_open(json, "top", '[');
    for (int i = 1; i < table.row_count; i++) {
        const prf_row *row = &table.rows[i];
        const prf_module *module = module_of(row->module);
        gen_json_row(json);
        gen_json_number(json, "rank", i);
        gen_json_text(json, "program", module->unit);
        gen_json_text(json, "method", module->entity ? module->entity : "");
        if (module->entity && !options->old_modules)
            gen_json_number(json, "start_line", module->start_line);
        gen_json_number(json, "line", row->line);
        gen_json_ratio(json, "seconds", row->exclusive, 1000000, 6);
        if (row->executions)
            gen_json_ratio(json, "average_seconds", row->exclusive, row->executions * 1000000ll, 9);
        gen_json_number(json, "calls", row->executions);
        gen_json_ratio(json, "percent", row->exclusive * 100ll, table.inclusive[0], 9);
        gen_json_close(json);
    }
    gen_json_close(json);
}

/* --- ProTop report and debug listing --- */

enum {
    PROGRAM_WIDTH = 30,
    OLD_METHOD_WIDTH = 40,
    NEW_METHOD_WIDTH = 20,
    CODE_WIDTH = 50,
    DESCRIPTION_WIDTH = 70,
    /* All columns, with the blanks between them. */
    OTHER_WIDTHS = PROGRAM_WIDTH + 5 + 13 + 13 + 10 + 5,
    OLD_PAPER = 120, /* width of the page in which a frame is centred */
    NEW_PAPER = 160
};

static void write_title(gen_writer *writer, const char *text, int paper)
{
    gen_print(writer, "%*s%s\n", (paper - (int)strlen(text)) / 2, "", text);
}

/* Return microseconds per execution; unknown if there was no execution. */
static const char *time_cell(int microseconds, int count, bool decimal_comma)
{
    if (!count)
        return "?";
    int time = (int)((microseconds * 2ll + count) / (count * 2ll));
    return gen_keep("%d%c%06d", time / 1000000, decimal_comma ? ',' : '.', time % 1000000);
}

static void report_row(gen_writer *writer, const prf_row *row, const gen_options *options)
{
    const prf_module *module = module_of(row->module);
    bool comma = options->decimal_comma;
    const char *method = module->entity ? module->entity : "", *code = NULL;
    int length = 0;
    if (options->layout && !strcmp(module->unit, source_program) && row->line > 0)
        code = source_line(row->line, &length);
    gen_print(writer, "%-31.31s%5d %13s %13s %10d ", module->unit, row->line,
              time_cell(row->exclusive, 1, comma),
              time_cell(row->exclusive, row->executions, comma), row->executions);
    if (code) {
        int indent = (int)strspn(code, " ");
        int shown = length - indent < CODE_WIDTH ? length - indent : CODE_WIDTH;
        gen_print(writer, "%-*.*s %-*.*s\n", NEW_METHOD_WIDTH, NEW_METHOD_WIDTH, method, CODE_WIDTH,
                  shown, code + indent);
    } else {
        gen_print(writer, "%.*s\n", options->layout ? NEW_METHOD_WIDTH : OLD_METHOD_WIDTH, method);
    }
}

void gen_rpt(const gen_options *options, gen_writer *writer)
{
    static const char dashes[] = "--------------------------------------------------";
    prf_table table = table_of(REPORTED_VERSION);
    bool new_layout = options->layout != 0;
    int method_width = new_layout ? NEW_METHOD_WIDTH : OLD_METHOD_WIDTH;
    int paper = new_layout ? NEW_PAPER : OLD_PAPER;
    int width = OTHER_WIDTHS + method_width + (new_layout ? CODE_WIDTH + 1 : 0);
    int margin = (paper - width) / 2;
    int header_margin = (paper - (int)strlen("Description: ") - DESCRIPTION_WIDTH) / 2;
    int total = (table.inclusive[0] + 500000) / 1000000;
    write_title(writer, "Profiler: Top 20 Results", paper);
    gen_print(writer,
              "%*sDescription: Orders of the shop [00:00:07]\n"
              "%*sSession Total Execution Time   %02d:%02d:%02d\n"
              "%*sLine 0 = initialization, line -1 = cleanup\n\n",
              header_margin, "", header_margin, "", total / 3600, total / 60 % 60, total % 60,
              header_margin, "");
    write_title(writer, "Top 20 Lines: Total Execution Time", paper);
    gen_print(writer, "%*s%-31s%5s%14s%14s%11s %s\n", margin, "", "Program/Class", "Line", "Time",
              "Avg Time", "Calls",
              new_layout ? "IP/Method            Code" : "Internal Procedure/Method");
    gen_print(writer, "%*s%.30s %.5s %.13s %.13s %.10s %.*s%s%s\n", margin, "", dashes, dashes,
              dashes, dashes, dashes, method_width, dashes, new_layout ? " " : "",
              new_layout ? dashes : "");
    qsort(table.rows + 1, (size_t)table.row_count - 1, sizeof table.rows[0], by_time);
    for (int i = 1; i < table.row_count && i <= REPORTED_ROWS; i++) {
        gen_print(writer, "%*s", margin, "");
        report_row(writer, &table.rows[i], options);
    }
}

/* Write the listing. A line has its number, right-aligned in six columns, a blank and the
 * source. */
void gen_dbg(const gen_options *options, gen_writer *writer)
{
    (void)options;
    int length;
    for (int i = 1; source_line(i, &length); i++)
        gen_print(writer, "%6d %.*s\n", i, length, source_line(i, &length));
}
