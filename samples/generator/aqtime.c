#include "aqtime.h"

#include "aqtime_sql.h"

#include <stdio.h>

static const int64_t FIRST_ADDRESS = 0x01e34500;
static const int64_t FIRST_ROUTINE = 0x00401000;

enum {
    FIRST_THREAD = 0x1a2c,
    TOKEN = 0x02000000,
    DANGLING_RECORD = 99999,
    LINES = 3, // of a routine
    NO_PARENT = -1,
};

// The columns that every table ends in.
static void row_ids(Sql *sql, int id, int set, int parent, int record)
{
    sql_number(sql, id);
    sql_number(sql, set);
    sql_number(sql, parent);
    sql_number(sql, record);
    sql_end(sql);
}

static void write_instance(Sql *sql, int set)
{
    char caption[32];
    snprintf(caption, sizeof caption, "Get Results %d", set);
    sql_begin(sql, AQ_T_INSTANCES);
    sql_text(sql, caption);
    sql_null(sql);
    sql_null(sql);
    sql_null(sql);
    sql_number(sql, set);
    sql_end(sql);
}

static int token(const AqClass *words, int number)
{
    return words->managed ? TOKEN + number : 0;
}

static void write_meta_class(Sql *sql, const AqPlan *plan, int set, int index)
{
    const AqClass *words = &plan->classes[index];
    int id = aqtime_class_id(set, index);
    sql_begin(sql, AQ_T_META_CLASSES);
    sql_text(sql, words->name);
    sql_number(sql, words->managed && index % 2);
    sql_text(sql, words->module);
    sql_text(sql, words->space);
    sql_text(sql, "");
    sql_number(sql, token(words, index));
    row_ids(sql, index + 1, set, NO_PARENT, id);
}

typedef struct Figures {
    int64_t live;
    int64_t live_size;
    int64_t peak;
    int64_t peak_size;
    int64_t total;
    int64_t total_size;
} Figures;

// The most at one time is that of the result sets so far, and all objects that came and went do
// not raise it.
static Figures figures_of(const AqPlan *plan, int set, int index)
{
    Figures figures = {0};
    for (int i = 1; i <= set; i++) {
        figures.live = 0;
        figures.live_size = 0;
        for (int j = 0; j < plan->object_count; j++) {
            const AqObject *object = &plan->objects[j];
            bool here = object->class_index == index && aqtime_alive(object, i);
            figures.live += here;
            figures.live_size += here ? object->size : 0;
            figures.total += here && object->first == i;
            figures.total_size += here && object->first == i ? object->size : 0;
        }
        figures.total += plan->classes[index].transient;
        figures.total_size += plan->classes[index].transient * (int64_t)24;
        figures.peak = figures.live > figures.peak ? figures.live : figures.peak;
        figures.peak_size =
            figures.live_size > figures.peak_size ? figures.live_size : figures.peak_size;
    }
    return figures;
}

static void write_class(Sql *sql, const AqPlan *plan, int set, int index)
{
    const AqClass *words = &plan->classes[index];
    Figures figures = figures_of(plan, set, index);
    if (!figures.total) {
        return;
    }
    sql_begin(sql, AQ_T_CLASSES);
    sql_number(sql, figures.live);
    sql_text(sql, words->name);
    sql_number(sql, words->managed && index % 2);
    sql_number(sql, figures.live_size);
    sql_text(sql, words->module);
    sql_text(sql, words->space);
    sql_number(sql, figures.peak);
    sql_number(sql, figures.peak_size);
    sql_number(sql, token(words, index));
    sql_number(sql, figures.total);
    sql_number(sql, figures.total_size);
    row_ids(sql, AQ_CLASSES - index, set, NO_PARENT, aqtime_class_id(set, index));
}

static void write_routine(Sql *sql, const AqPlan *plan, int set, int index)
{
    const AqRoutine *words = &plan->routines[index];
    bool managed = words->code_type[0] == 'M';
    sql_begin(sql, AQ_T_META_ROUTINES);
    sql_number(sql, FIRST_ROUTINE + index * 0x90);
    sql_text(sql, words->line ? "" : "No line info");
    sql_text(sql, words->class_name);
    sql_text(sql, words->code_type);
    sql_number(sql, managed ? 3 : 1);
    sql_number(sql, 10 * set + index);
    sql_text(sql, managed ? "Shop.Net.dll" : "Shop.exe");
    sql_text(sql, managed ? "Shop.Net" : "");
    sql_number(sql, 0);
    sql_text(sql, words->name);
    sql_text(sql, words->file);
    if (words->line || index % 2) {
        sql_number(sql, words->line);
    } else {
        sql_null(sql);
    }
    sql_text(sql, "");
    sql_number(sql, managed ? 0x06000000 + index : 0);
    sql_text(sql, words->unit);
    row_ids(sql, index + 1, set, NO_PARENT, aqtime_routine_id(set, index));
    for (int i = 0; words->line && i < LINES; i++) {
        sql_begin(sql, AQ_T_META_LINES);
        sql_number(sql, words->line + i);
        row_ids(sql, index * LINES + i + 1, set, index + 1, i + 1);
    }
}

static void write_thread(Sql *sql, int set, int index)
{
    sql_begin(sql, AQ_T_THREADS);
    sql_text(sql, index ? "Requests" : "Main thread");
    sql_number(sql, 4096 * (index + 1));
    sql_number(sql, FIRST_THREAD + index * 8);
    row_ids(sql, index + 1, set, NO_PARENT, index + 5);
}

static int64_t address_of(const AqPlan *plan, int object)
{
    return FIRST_ADDRESS + plan->objects[object].number * (int64_t)0x1c0;
}

static bool is_listed(const AqPlan *plan, int set, int object)
{
    return object == AQ_NOTHING || aqtime_alive(&plan->objects[object], set);
}

static int count_references(const AqPlan *plan, int set, int object, bool from)
{
    int count = 0;
    for (int i = 0; i < plan->reference_count; i++) {
        const AqReference *reference = &plan->references[i];
        count += (from ? reference->to : reference->from) == object &&
                 is_listed(plan, set, reference->from) && is_listed(plan, set, reference->to);
    }
    return count;
}

static void write_object(Sql *sql, const AqPlan *plan, int set, int index)
{
    const AqObject *object = &plan->objects[index];
    sql_begin(sql, AQ_T_OBJECTS);
    sql_number(sql, object->number);
    sql_number(sql, address_of(plan, index));
    sql_number(sql, aqtime_class_id(set, object->class_index));
    if (object->no_get) {
        sql_null(sql);
    } else {
        sql_number(sql, object->first);
    }
    sql_number(sql, count_references(plan, set, index, true));
    sql_number(sql, count_references(plan, set, index, false));
    sql_number(sql, object->root);
    sql_number(sql, object->size);
    sql_number(sql, object->thread + 5);
    row_ids(sql, aqtime_object_id(plan, set, index), set, NO_PARENT,
            aqtime_object_record(plan, set, index));
}

static void write_stack(Sql *sql, const AqPlan *plan, int set, int index)
{
    const int *stack = plan->stacks[plan->objects[index].stack];
    int id = aqtime_object_id(plan, set, index);
    for (int i = 0; i < AQ_STACK_FRAMES && stack[i] >= 0; i++) {
        sql_begin(sql, AQ_T_STACK);
        sql_number(sql, 10 * set + stack[i]);
        sql_number(sql, aqtime_routine_id(set, stack[i]));
        row_ids(sql, id * AQ_STACK_FRAMES + i, set, id, i + 1);
    }
}

// A row of `table` at object `here` about the object at the other end.
static void write_reference(Sql *sql, const AqPlan *plan, int set, AqTable table, int here,
                            int other, int id)
{
    const AqObject *object = other == AQ_NOTHING ? NULL : &plan->objects[other];
    sql_begin(sql, table);
    sql_number(sql, object ? object->number : 0);
    sql_number(sql, object ? address_of(plan, other) : 0);
    sql_number(sql, 1);
    sql_number(sql, object ? object->root : 0);
    sql_number(sql, object ? object->size : 0);
    sql_number(sql, object ? object->thread + 5 : 5);
    row_ids(sql, id, set, aqtime_object_id(plan, set, here),
            object ? aqtime_object_record(plan, set, other) : DANGLING_RECORD);
}

// What one table lacks stands in the other.
static void write_references(Sql *sql, const AqPlan *plan, int set, AqTable table)
{
    for (int i = 0; i < plan->reference_count; i++) {
        const AqReference *reference = &plan->references[i];
        if (!is_listed(plan, set, reference->from) || !is_listed(plan, set, reference->to)) {
            continue;
        }
        if (table == AQ_T_TO && (reference->in_to || !reference->in_from)) {
            write_reference(sql, plan, set, table, reference->from, reference->to, i + 1);
        } else if (table == AQ_T_FROM && reference->in_from && reference->to != AQ_NOTHING) {
            write_reference(sql, plan, set, table, reference->to, reference->from, i + 1);
        }
    }
}

static void write_relations(Sql *sql, int set)
{
    static const AqTable pairs[][2] = {
        {AQ_T_INSTANCES, AQ_T_COUNT},     {AQ_T_CLASSES, AQ_T_COUNT},
        {AQ_T_OBJECTS, AQ_T_COUNT},       {AQ_T_META_CLASSES, AQ_T_COUNT},
        {AQ_T_META_ROUTINES, AQ_T_COUNT}, {AQ_T_THREADS, AQ_T_COUNT},
        {AQ_T_STACK, AQ_T_OBJECTS},       {AQ_T_FROM, AQ_T_OBJECTS},
        {AQ_T_TO, AQ_T_OBJECTS},          {AQ_T_META_LINES, AQ_T_META_ROUTINES},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        sql_begin(sql, AQ_T_RELATIONS);
        sql_text(sql, sql_table_name(pairs[i][0]));
        if (pairs[i][1] == AQ_T_COUNT) {
            sql_null(sql);
        } else {
            sql_text(sql, sql_table_name(pairs[i][1]));
        }
        sql_number(sql, (int64_t)i + 1);
        sql_number(sql, set);
        sql_end(sql);
    }
}

static void write_set(Sql *sql, const AqPlan *plan, int set)
{
    write_instance(sql, set);
    write_relations(sql, set);
    for (int i = 0; i < AQ_CLASSES; i++) {
        write_meta_class(sql, plan, set, i);
        write_class(sql, plan, set, i);
    }
    for (int i = 0; i < AQ_ROUTINES; i++) {
        write_routine(sql, plan, set, i);
    }
    for (int i = 0; i < AQ_THREADS; i++) {
        write_thread(sql, set, i);
    }
    for (int i = 0; i < plan->object_count; i++) {
        if (aqtime_alive(&plan->objects[i], set)) {
            write_object(sql, plan, set, i);
            write_stack(sql, plan, set, i);
        }
    }
    write_references(sql, plan, set, AQ_T_FROM);
    write_references(sql, plan, set, AQ_T_TO);
}

void aqtime_write(const AqPlan *plan, Writer *writer)
{
    Sql sql = {.writer = writer};
    writer_text(writer, "BEGIN;");
    writer_end_line(writer);
    for (int i = 0; i < AQ_T_COUNT; i++) {
        sql_create(&sql, (AqTable)i);
    }
    for (int set = 1; set <= AQ_SETS; set++) {
        write_set(&sql, plan, set);
    }
    writer_text(writer, "COMMIT;");
    writer_end_line(writer);
}
