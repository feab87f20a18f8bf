/* AQTime databases: the shop as a mixed Delphi, C++ and .NET application, recorded by the
 * Allocation profiler at three moments (Get Results). The output is SQL that creates the
 * database. */
#include "gen.h"

#include <string.h>

enum {
    SETS = 3,
    MOST_OBJECTS = 256,
    MOST_REFERENCES = 256,
    MOST_FRAMES = 4,
    FIRST_ADDRESS = 0x01e34500,
    FIRST_ROUTINE = 0x00401000,
    FIRST_THREAD = 0x1a2c,
    CLASS_TOKEN = 0x02000000,
    ROUTINE_TOKEN = 0x06000000,
    LOST_RECORD = 99999, /* target of a dangling reference */
    ROUTINE_LINES = 3,
    NOTHING = -1
};

typedef struct aq_class {
    const char *name, *space /* namespace */, *module;
    bool managed;
    int transient; /* objects created and deleted between two result sets */
} aq_class;

enum { EVENT, CPP, PRICE, ORDER, CUSTOMER, FORM, REQUEST, QUEUE, STRING, SESSION, OVERWRITE, VCL };
static const aq_class classes[] = {
    [EVENT] = {"TOrderEvent", "", "Shop.exe", false, 2},
    [CPP] = {"C++ native memory", "", "ShopPdf.dll", false, 30},
    [PRICE] = {"TPriceEntry", "", "Shop.exe", false, 0},
    [ORDER] = {"TOrder", "", "Shop.exe", false, 25},
    [CUSTOMER] = {"TCustomer", "", "Shop.exe", false, 7},
    [FORM] = {"TShopForm", "", "Shop.exe", false, 0},
    [REQUEST] = {"Request", "Shop.Net", "Shop.Net.dll", true, 40},
    [QUEUE] = {"RequestQueue", "Shop.Net", "Shop.Net.dll", true, 0},
    [STRING] = {"String", "System", "mscorlib.dll", true, 300},
    [SESSION] = {"Shop.Net.Session", "Shop.Net", "Shop.Net.dll", true, 1},
    [OVERWRITE] = {"Memory Overwrite Error", "", "", false, 0}, /* a pseudo-class */
    [VCL] = {"VCL native memory", "", "Shop.exe", false, 12},
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

typedef struct aq_routine {
    const char *class_name, *name, *unit;
    const char *file; /* quotes are doubled, as SQL requires */
    int line;         /* 0 = unknown */
    const char *code_type;
} aq_routine;

static const aq_routine routines[] = {
    {"TOrderEvent", "Create", "OrderEvents", "C:\\Shop\\OrderEvents.pas", 41, "Delphi"},
    {"TOrderService", "PlaceOrder", "Orders", "C:\\Shop\\Orders.pas", 155, "Delphi"},
    {"TShopForm", "OrderButtonClick", "Main", "C:\\Shop\\Main.pas", 88, "Delphi"},
    {"", "Shop", "Shop", "", 0, "Delphi"},
    {"TPdfWriter", "TPdfWriter::Grow", "PdfWriter.obj", "C:\\Shop\\PdfWriter.cpp", 52, "C++"},
    {"TPdfWriter", "TPdfWriter::Write", "PdfWriter.obj", "C:\\Shop\\PdfWriter.cpp", 70, "C++"},
    {"TPriceCache", "Fill", "Prices", "C:\\Shop\\Tom''s units\\Prices.pas", 55, "Delphi"},
    {"TCustomerRepository", "Find", "Customers", "C:\\Shop\\Customers.pas", 30, "Delphi"},
    {"RequestQueue", "Enqueue", "", "C:\\Shop\\Net\\RequestQueue.cs", 23, "MSIL"},
    {"Session", ".ctor", "", "C:\\Shop\\Net\\Session.cs", 12, "MSIL"},
    {"", "operator new", "", "", 0, "C++"},
    {"TThread", "Execute", "Classes", "", 0, "Delphi"},
    {"TOrderService", "NewOrder", "Orders", "C:\\Shop\\Orders.pas", 98, "Delphi"},
};
enum { ROUTINES = sizeof routines / sizeof routines[0] };

/* Routines, innermost first; -1 = end. */
static const int stacks[][MOST_FRAMES] = {
    {0, 1, 2, 3},   {10, 4, 5, 3},   {6, 2, 3, -1},   {12, 1, 2, 3},
    {7, 12, 1, 2},  {3, -1, -1, -1}, {8, 11, -1, -1}, {9, 11, -1, -1},
    {9, 8, 11, -1}, {5, 2, 3, -1},   {11, 3, -1, -1},
};
enum { STACKS = sizeof stacks / sizeof stacks[0] };

typedef struct aq_object {
    int number; /* creation number */
    int class_index, size;
    int first, last; /* first and last result set with the object */
    int stack, thread;
    bool root;
    bool no_get; /* the column Get # is empty */
} aq_object;

/* A reference, stored as a row in one of the two tables of references, or in both. */
typedef struct aq_reference {
    int from, to;
    bool in_to, in_from;
} aq_reference;

typedef struct aq_plan {
    aq_object objects[MOST_OBJECTS];
    aq_reference references[MOST_REFERENCES];
    int object_count, reference_count;
} aq_plan;

/* --- plan --- */

static int add(aq_plan *plan, int class_index, int size, int first, int last, int stack)
{
    int index = plan->object_count++;
    int thread = classes[class_index].managed;
    plan->objects[index] =
        (aq_object){17 + index * 3, class_index, size, first, last, stack, thread, false, false};
    return index;
}

static void refer(aq_plan *plan, int from, int to)
{
    int index = plan->reference_count++;
    plan->references[index] = (aq_reference){from, to, index % 5 != 1, index % 4 != 2};
}

/* Add native objects: a leak that grows by four at every Get Results, a slow leak that grows by
 * one, and a cache that is filled once. */
static void add_native(aq_plan *plan)
{
    static const int orders[SETS] = {6, 9, 2};
    for (int set = 1; set <= SETS; set++) {
        for (int i = 0; i < 4; i++)
            add(plan, EVENT, 112, set, SETS, 0);
        add(plan, CPP, 160, set, SETS, 1);
    }
    for (int i = 0; i < 8; i++)
        add(plan, PRICE, 80 + 16 * (i % 2), 2, SETS, 2);
    add(plan, FORM, 720, 1, SETS, 5);
    add(plan, VCL, 2048, 1, SETS, 10);
    for (int set = 1; set <= SETS; set++) {
        for (int i = 0; i < orders[set - 1]; i++) {
            int last = set + i % 2;
            add(plan, ORDER, 96 + 8 * (i % 3), set, last < SETS ? last : SETS, 3);
        }
        add(plan, CUSTOMER, 64, set, set, 4);
    }
    add(plan, CUSTOMER, 64, 1, SETS, 4);
}

/* Add objects with references: a session with a queue of requests, a text that the requests share,
 * two requests that refer to each other, and two objects that cannot be reached. */
static void add_managed(aq_plan *plan)
{
    int session = add(plan, SESSION, 56, 1, SETS, 7);
    int other = add(plan, SESSION, 56, 1, SETS, 8);
    plan->objects[session].root = plan->objects[other].root = true;
    plan->objects[other].no_get = true;
    int queue = add(plan, QUEUE, 40, 1, SETS, 7);
    int shared = add(plan, STRING, 34, 1, SETS, 7);
    refer(plan, session, queue);
    refer(plan, session, shared);
    refer(plan, other, shared);
    for (int i = 0, before = NOTHING; i < 6; i++) {
        int request = add(plan, REQUEST, 72, 1 + i / 2, SETS, 6);
        int text = add(plan, STRING, 20 + 6 * i, 1 + i / 2, SETS, 6);
        refer(plan, queue, request);
        refer(plan, request, text);
        if (i % 2) {
            refer(plan, request, before);
            refer(plan, before, request);
        }
        before = request;
    }
    int island = add(plan, REQUEST, 72, 2, SETS, 6);
    int companion = add(plan, REQUEST, 72, 3, SETS, 6);
    plan->objects[companion].no_get = true;
    refer(plan, island, companion);
    refer(plan, companion, island);
    refer(plan, companion, shared);
    refer(plan, island, NOTHING);
    plan->references[plan->reference_count - 1].in_to = true;
}

static aq_plan plan_of_shop(void)
{
    aq_plan plan = {.object_count = 0};
    add_native(&plan);
    add_managed(&plan);
    add(&plan, OVERWRITE, 4, 3, 3, 9);
    return plan;
}

static bool is_alive(const aq_object *object, int set)
{
    return object->first <= set && set <= object->last;
}

/* Row numbers differ between result sets, and ID and REC_ID are ordered differently. */
static int class_id(int set, int class_index)
{
    return 1 + (class_index * 5 + set * 4) % CLASSES;
}

static int routine_id(int set, int routine)
{
    return 1 + (routine * 3 + set * 2) % ROUTINES;
}

static int object_id(const aq_plan *plan, int set, int object)
{
    int id = 1;
    for (int i = 0; i < object; i++)
        id += is_alive(&plan->objects[i], set);
    return id;
}

static int object_record(const aq_plan *plan, int set, int object)
{
    return 2000 + set * 10 - 3 * object_id(plan, set, object);
}

/* --- SQL --- */

#define REFERENCE                                                                                  \
    "COL__ NUMERIC, COL_ADDRESS NUMERIC, COL_COUNT INTEGER, COL_ROOT INTEGER, COL_SIZE NUMERIC, "  \
    "COL_THREADRID INTEGER"

/* The last four columns of each table identify rows. */
static const char *const tables[] = {
    "CLASSES_DATA (COL_LIVE_COUNT NUMERIC, COL_CLASS_NAME TEXT, COL_FINALIZABLE INTEGER, "
    "COL_LIVE_SIZE NUMERIC, COL_MODULE_NAME TEXT, COL_NAMESPACE TEXT, COL_PEAK_CREATED NUMERIC, "
    "COL_PEAK_SIZE NUMERIC, COL_TOKEN INTEGER, COL_TOTAL_CREATED NUMERIC, COL_TOTAL_SIZE NUMERIC",
    "CREATION_CALL_STACK (COL_HIT_COUNT INTEGER, COL_ROUTINERID INTEGER",
    "META_CLASSES_DATA (COL_CLASS_NAME TEXT, COL_FINALIZABLE INTEGER, COL_MODULE_NAME TEXT, "
    "COL_NAMESPACE TEXT, COL_SYMBOL_MONIKER TEXT, COL_TOKEN INTEGER",
    "META_LINES (COL_SOURCE_LINE INTEGER",
    "META_ROUTINES (COL_ADDRESS NUMERIC, COL_ANALISYS_RESULT TEXT, COL_CLASS_NAME TEXT, "
    "COL_CODE_TYPE TEXT, COL_COMPILER INTEGER, COL_HIT_COUNT INTEGER, COL_MODULE_NAME TEXT, "
    "COL_NAMESPACE TEXT, COL_PROFILELINES INTEGER, COL_ROUTINE_NAME TEXT, COL_SOURCE_FILE TEXT, "
    "COL_SOURCE_LINE INTEGER, COL_SYMBOL_MONIKER TEXT, COL_TOKEN INTEGER, COL_UNIT_NAME TEXT",
    "OBJECTS (COL__ NUMERIC, COL_ADDRESS NUMERIC, COL_CLASSRID INTEGER, COL_GET_ INTEGER, "
    "COL_REFERENCES_FROM INTEGER, COL_REFERENCES_TO INTEGER, COL_ROOT INTEGER, COL_SIZE NUMERIC, "
    "COL_THREADRID INTEGER",
    "REFERENCES_FROM (" REFERENCE,
    "REFERENCES_TO (" REFERENCE,
    "THREADS (COL_NAME TEXT, COL_SIZE INTEGER, COL_WIN32THREADID INTEGER",
};

static void write_tables(gen_writer *writer)
{
    gen_text(writer, "BEGIN;\nCREATE TABLE INSTANCES (CAPTION TEXT, COUNTER_DESCRIPTION TEXT, "
                     "COUNTER_FREQUENCY NUMERIC, COUNTER_NAME TEXT, INST_ID INTEGER);\n");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        gen_print(writer,
                  "CREATE TABLE ALLOCATION_PROFILER_%s, ID INTEGER, INST_ID INTEGER, "
                  "PARENT_ID INTEGER, REC_ID INTEGER);\n",
                  tables[i]);
    gen_text(writer, "CREATE TABLE RELATIONS (COL_CHILD_TABLE TEXT, COL_PARENT_TABLE TEXT, "
                     "ID INTEGER, INST_ID INTEGER);\n");
}

static void insert(gen_writer *writer, const char *table)
{
    gen_print(writer, "INSERT INTO ALLOCATION_PROFILER_%s VALUES (", table);
}

/* Write the columns that identify a row. Only lines, and the parts of an object, have a parent. */
static void end_row(gen_writer *writer, int id, int set, int parent, int record)
{
    gen_print(writer, ", %d, %d, %d, %d);\n", id, set, parent, record);
}

static void write_instance(gen_writer *writer, int set)
{
    static const char *const relations[] = {
        "'INSTANCES', NULL",
        "'ALLOCATION_PROFILER_CLASSES_DATA', NULL",
        "'ALLOCATION_PROFILER_OBJECTS', NULL",
        "'ALLOCATION_PROFILER_META_CLASSES_DATA', NULL",
        "'ALLOCATION_PROFILER_META_ROUTINES', NULL",
        "'ALLOCATION_PROFILER_THREADS', NULL",
        "'ALLOCATION_PROFILER_CREATION_CALL_STACK', 'ALLOCATION_PROFILER_OBJECTS'",
        "'ALLOCATION_PROFILER_REFERENCES_FROM', 'ALLOCATION_PROFILER_OBJECTS'",
        "'ALLOCATION_PROFILER_REFERENCES_TO', 'ALLOCATION_PROFILER_OBJECTS'",
        "'ALLOCATION_PROFILER_META_LINES', 'ALLOCATION_PROFILER_META_ROUTINES'",
    };
    gen_print(writer, "INSERT INTO INSTANCES VALUES ('Get Results %d', NULL, NULL, NULL, %d);\n",
              set, set);
    for (int i = 0; i < (int)(sizeof relations / sizeof relations[0]); i++)
        gen_print(writer, "INSERT INTO RELATIONS VALUES (%s, %d, %d);\n", relations[i], i + 1, set);
}

/* Write a class. Its peak is the maximum over the result sets so far; transient objects do not
 * raise it. */
static void write_class(gen_writer *writer, const aq_plan *plan, int set, int index)
{
    const aq_class *words = &classes[index];
    int finalizable = words->managed && index % 2, id = class_id(set, index);
    int token = words->managed ? CLASS_TOKEN + index : 0;
    gen_sum live = {0, 0}, peak = {0, 0}, total = {0, 0};
    insert(writer, "META_CLASSES_DATA");
    gen_print(writer, "'%s', %d, '%s', '%s', '', %d", words->name, finalizable, words->module,
              words->space, token);
    end_row(writer, index + 1, set, NOTHING, id);
    for (int i = 1; i <= set; i++) {
        live = (gen_sum){0, 0};
        for (int j = 0; j < plan->object_count; j++) {
            const aq_object *object = &plan->objects[j];
            bool here = object->class_index == index && is_alive(object, i);
            if (here)
                gen_add(&live, 1, object->size);
            if (here && object->first == i)
                gen_add(&total, 1, object->size);
        }
        gen_add(&total, words->transient, words->transient * (int64_t)24);
        gen_raise(&peak, live);
    }
    if (!total.objects)
        return;
    insert(writer, "CLASSES_DATA");
    gen_print(writer, "%d, '%s', %d, %d, '%s', '%s', %d, %d, %d, %d, %d", (int)live.objects,
              words->name, finalizable, (int)live.bytes, words->module, words->space,
              (int)peak.objects, (int)peak.bytes, token, (int)total.objects, (int)total.bytes);
    end_row(writer, CLASSES - index, set, NOTHING, id);
}

static void write_routine(gen_writer *writer, int set, int index)
{
    const aq_routine *words = &routines[index];
    bool managed = words->code_type[0] == 'M', numbered = words->line || index % 2;
    insert(writer, "META_ROUTINES");
    gen_print(writer, "%d, '%s', '%s', '%s', %d, %d, '%s', '%s', 0, '%s', '%s', ",
              FIRST_ROUTINE + index * 0x90, words->line ? "" : "No line info", words->class_name,
              words->code_type, managed ? 3 : 1, 10 * set + index,
              managed ? "Shop.Net.dll" : "Shop.exe", managed ? "Shop.Net" : "", words->name,
              words->file);
    if (numbered)
        gen_print(writer, "%d", words->line);
    gen_print(writer, "%s, '', %d, '%s'", numbered ? "" : "NULL",
              managed ? ROUTINE_TOKEN + index : 0, words->unit);
    end_row(writer, index + 1, set, NOTHING, routine_id(set, index));
    for (int i = 0; words->line && i < ROUTINE_LINES; i++) {
        insert(writer, "META_LINES");
        gen_print(writer, "%d", words->line + i);
        end_row(writer, index * ROUTINE_LINES + i + 1, set, index + 1, i + 1);
    }
}

static int address_of(const aq_object *object)
{
    return FIRST_ADDRESS + object->number * 0x1c0;
}

/* Return true if both ends of the reference are in the result set. */
static bool is_listed(const aq_plan *plan, const aq_reference *reference, int set)
{
    return is_alive(&plan->objects[reference->from], set) &&
           (reference->to == NOTHING || is_alive(&plan->objects[reference->to], set));
}

static void write_object(gen_writer *writer, const aq_plan *plan, int set, int index)
{
    const aq_object *object = &plan->objects[index];
    const int *stack = stacks[object->stack];
    int id = object_id(plan, set, index), from = 0, to = 0;
    for (int i = 0; i < plan->reference_count; i++) {
        from += plan->references[i].to == index && is_listed(plan, &plan->references[i], set);
        to += plan->references[i].from == index && is_listed(plan, &plan->references[i], set);
    }
    insert(writer, "OBJECTS");
    gen_print(writer, "%d, %d, %d, ", object->number, address_of(object),
              class_id(set, object->class_index));
    if (!object->no_get)
        gen_print(writer, "%d", object->first);
    gen_print(writer, "%s, %d, %d, %d, %d, %d", object->no_get ? "NULL" : "", from, to,
              object->root, object->size, object->thread + 5);
    end_row(writer, id, set, NOTHING, object_record(plan, set, index));
    for (int i = 0; i < MOST_FRAMES && stack[i] >= 0; i++) {
        insert(writer, "CREATION_CALL_STACK");
        gen_print(writer, "%d, %d", 10 * set + stack[i], routine_id(set, stack[i]));
        end_row(writer, id * MOST_FRAMES + i, set, id, i + 1);
    }
}

/* Write the rows of one of the two tables of references. A reference that one table lacks is in the
 * other. */
static void write_references(gen_writer *writer, const aq_plan *plan, int set, bool to)
{
    for (int i = 0; i < plan->reference_count; i++) {
        const aq_reference *reference = &plan->references[i];
        bool here = to ? reference->in_to || !reference->in_from
                       : reference->in_from && reference->to != NOTHING;
        if (!here || !is_listed(plan, reference, set))
            continue;
        int owner = to ? reference->from : reference->to;
        int other = to ? reference->to : reference->from;
        insert(writer, to ? "REFERENCES_TO" : "REFERENCES_FROM");
        if (other == NOTHING) {
            gen_text(writer, "0, 0, 1, 0, 0, 5");
        } else {
            const aq_object *object = &plan->objects[other];
            gen_print(writer, "%d, %d, 1, %d, %d, %d", object->number, address_of(object),
                      object->root, object->size, object->thread + 5);
        }
        end_row(writer, i + 1, set, object_id(plan, set, owner),
                other == NOTHING ? LOST_RECORD : object_record(plan, set, other));
    }
}

void gen_aqtime(const gen_options *options, gen_writer *writer)
{
    (void)options;
    aq_plan plan = plan_of_shop();
    write_tables(writer);
    for (int set = 1; set <= SETS; set++) {
        write_instance(writer, set);
        for (int i = 0; i < CLASSES; i++)
            write_class(writer, &plan, set, i);
        for (int i = 0; i < ROUTINES; i++)
            write_routine(writer, set, i);
        for (int i = 0; i < 2; i++) {
            insert(writer, "THREADS");
            gen_print(writer, "'%s', %d, %d", i ? "Requests" : "Main thread", 4096 * (i + 1),
                      FIRST_THREAD + i * 8);
            end_row(writer, i + 1, set, NOTHING, i + 5);
        }
        for (int i = 0; i < plan.object_count; i++)
            if (is_alive(&plan.objects[i], set))
                write_object(writer, &plan, set, i);
        write_references(writer, &plan, set, false);
        write_references(writer, &plan, set, true);
    }
    gen_text(writer, "COMMIT;\n");
}

/* --- known answer --- */

/* Return true if the object counts. A bounds violation is listed as an object, but does not
 * count. */
static bool counts(const aq_object *object, int set)
{
    return object->class_index != OVERWRITE && is_alive(object, set);
}

static const char *joined(const char *space, const char *name)
{
    return !space[0] || !strncmp(name, space, strlen(space)) ? name
                                                             : gen_keep("%s.%s", space, name);
}

static const char *class_name(int class_index)
{
    return joined(classes[class_index].space, classes[class_index].name);
}

static gen_sum live_at(const aq_plan *plan, int set)
{
    gen_sum sum = {0, 0};
    for (int i = 0; i < plan->object_count; i++)
        if (counts(&plan->objects[i], set))
            gen_add(&sum, 1, plan->objects[i].size);
    return sum;
}

/* Return the objects of the last set whose references are recorded. These are all objects of a
 * class if any object of the class is a root or has a reference. */
static gen_sum tracked_of(const aq_plan *plan)
{
    bool tracked[sizeof classes / sizeof *classes] = {false};
    gen_sum sum = {0, 0};
    for (int i = 0; i < plan->object_count; i++)
        if (plan->objects[i].root)
            tracked[plan->objects[i].class_index] = true;
    for (int i = 0; i < plan->reference_count; i++) {
        tracked[plan->objects[plan->references[i].from].class_index] = true;
        if (plan->references[i].to != NOTHING)
            tracked[plan->objects[plan->references[i].to].class_index] = true;
    }
    for (int i = 0; i < plan->object_count; i++)
        if (counts(&plan->objects[i], SETS) && tracked[plan->objects[i].class_index])
            gen_add(&sum, 1, plan->objects[i].size);
    return sum;
}

static void answer_totals(gen_json *json, const aq_plan *plan, const gen_graph *graph)
{
    gen_sum live = live_at(plan, SETS), created = {0, 0}, peak = {0, 0}, reachable = {0, 0};
    gen_sum tracked = tracked_of(plan);
    int roots = 0, dangling = 0;
    for (int i = 0; i < plan->object_count; i++) {
        const aq_object *object = &plan->objects[i];
        roots += object->root;
        if (object->class_index != OVERWRITE)
            gen_add(&created, 1, object->size);
        if (graph->reached[i])
            gen_add(&reachable, 1, object->size);
    }
    for (int i = 0; i < plan->reference_count; i++)
        dangling += plan->references[i].to == NOTHING;
    for (int set = 1; set <= SETS; set++)
        gen_raise(&peak, live_at(plan, set));
    gen_answer_totals(json, live, created, created.objects - live.objects, peak);
    gen_json_number(json, "roots", roots);
    gen_json_number(json, "references", plan->reference_count);
    gen_json_number(json, "dangling_references", dangling);
    gen_json_sum(json, "reachable", reachable);
    gen_json_sum(json, "unreachable", gen_minus(tracked, reachable));
    gen_json_sum(json, "untracked", gen_minus(live, tracked));
    gen_json_close(json);
}

static void answer_snapshots(gen_json *json, const aq_plan *plan)
{
    gen_json_open(json, "snapshots", '[');
    for (int set = 1; set <= SETS; set++) {
        int created = 0, deleted = 0;
        for (int i = 0; i < plan->object_count; i++) {
            const aq_object *object = &plan->objects[i];
            created += object->first == set && counts(object, set);
            deleted += object->last == set - 1 && counts(object, set - 1);
        }
        gen_sum live = live_at(plan, set);
        gen_answer_snapshot(json, set, gen_keep("Get Results %d", set), -1, created, deleted, live);
        if (set > 1)
            gen_json_number(json, "delta_bytes", live.bytes - live_at(plan, set - 1).bytes);
        gen_json_close(json);
    }
    gen_json_close(json);
}

/* Write the leaks: objects born after the first result set and alive at the last one, by class and
 * stack. */
static void answer_leaks(gen_json *json, const aq_plan *plan)
{
    const char *labels[ROUTINES], *frames[STACKS][MOST_FRAMES];
    gen_row rows[CLASSES * STACKS] = {{0}};
    for (int i = 0; i < ROUTINES; i++) {
        const char *name = joined(routines[i].class_name, routines[i].name);
        labels[i] = routines[i].line ? gen_keep("%s (from %d)", name, routines[i].line) : name;
    }
    for (int i = 0; i < CLASSES * STACKS; i++) {
        const int *stack = stacks[i % STACKS];
        rows[i].key = class_name(i / STACKS);
        rows[i].stack = frames[i % STACKS];
        for (; rows[i].depth < MOST_FRAMES && stack[rows[i].depth] >= 0; rows[i].depth++)
            frames[i % STACKS][rows[i].depth] = labels[stack[rows[i].depth]];
    }
    bool born[CLASSES * STACKS][SETS + 1] = {{false}};
    for (int i = 0; i < plan->object_count; i++) {
        const aq_object *object = &plan->objects[i];
        int row = object->class_index * STACKS + object->stack;
        if (!counts(object, SETS) || object->first <= 1)
            continue;
        gen_add(&rows[row].live, 1, object->size);
        rows[row].births += !born[row][object->first];
        rows[row].moments = SETS - 1; /* between any two sets, some object is created */
        born[row][object->first] = true;
    }
    gen_answer_leaks(json, rows, CLASSES * STACKS);
}

/* Write the growth from the first result set to the last, without types that do not change. */
static void answer_types(gen_json *json, const aq_plan *plan)
{
    gen_row rows[CLASSES] = {{0}};
    size_t changed = 0;
    for (int i = 0; i < CLASSES; i++)
        rows[i].key = class_name(i);
    for (int i = 0; i < plan->object_count; i++) {
        const aq_object *object = &plan->objects[i];
        if (counts(object, 1))
            gen_add(&rows[object->class_index].before, 1, object->size);
        if (counts(object, SETS))
            gen_add(&rows[object->class_index].live, 1, object->size);
    }
    gen_answer_top(json, rows, CLASSES, true, false);
    for (size_t i = 0; i < CLASSES; i++)
        if (memcmp(&rows[i].live, &rows[i].before, sizeof rows[i].live))
            rows[changed++] = rows[i];
    gen_answer_growth(json, rows, changed);
}

/* Return an object of the graph of the last result set. Both ends of each reference are alive
 * there. */
static gen_object object_of(const void *data, int64_t number)
{
    const aq_plan *plan = data;
    const aq_object *object = &plan->objects[number];
    return (gen_object){.size = object->size,
                        .id = (uint64_t)object_record(plan, SETS, (int)number),
                        .type = class_name(object->class_index),
                        .strong_root = object->root};
}

static int64_t reference_count(const void *data, int64_t object)
{
    const aq_plan *plan = data;
    int64_t count = 0;
    for (int i = 0; i < plan->reference_count; i++)
        count += plan->references[i].from == object;
    return count;
}

static int64_t reference_of(const void *data, int64_t object, int64_t number)
{
    const aq_plan *plan = data;
    int i = 0;
    for (; plan->references[i].from != object || number; i++)
        number -= plan->references[i].from == object;
    return plan->references[i].to;
}

void gen_aqtime_answer(const gen_options *options, gen_json *json)
{
    (void)options;
    aq_plan plan = plan_of_shop();
    gen_graph_view view = {.plan = &plan,
                           .count = plan.object_count,
                           .object = object_of,
                           .reference_count = reference_count,
                           .reference = reference_of};
    gen_graph graph;
    gen_graph_build(&graph, &view);
    answer_totals(json, &plan, &graph);
    answer_snapshots(json, &plan);
    answer_leaks(json, &plan);
    answer_types(json, &plan);
    gen_answer_retained(json, &graph, &view);
    gen_graph_free(&graph);
}
