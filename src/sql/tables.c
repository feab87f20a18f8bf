#include "sql/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sql/values.h"

/* A virtual table, and a cursor over it. */
typedef struct sql_module {
    const mp_relation *relation;
    mp_sql_tables *shared;
} sql_module;

typedef struct sql_table {
    sqlite3_vtab base;
    const sql_module *module;
} sql_table;

typedef struct sql_cursor {
    sqlite3_vtab_cursor base;
    mp_cursor rows;   /* rows of the current recording */
    size_t recording; /* index of the current recording */
    uint64_t wanted;
    mp_key_bounds bounds; /* bounds of the keys of wanted rows; the text is owned */
    char *name;           /* name of the wanted recording; NULL: all */
    bool over;
} sql_cursor;

/* Ways to limit a walk, as bits. xBestIndex passes them to xFilter, with a value for each, in this
 * order. */
enum { WALK_KEY = 1, WALK_FROM = 2, WALK_TO = 4, WALK_RECORDING = 8 };
enum { ROWS_OF_A_KEY = 10, PART_OF_A_RANGE = 4 };
/* The column "recording" comes before those of the relation. */
enum { RECORDING = 0, FIRST_COLUMN = 1 };

/* Return true if any recording has the relation. */
static bool is_there(const sql_module *module)
{
    const mp_sql_tables *shared = module->shared;
    bool fits = false;
    for (size_t i = 0; i < shared->count; i++)
        fits |= mp_relation_fits(module->relation, shared->recordings[i].source);
    return fits;
}

/* Return the number of rows in all recordings. */
static uint64_t count_rows(const sql_module *module)
{
    const mp_sql_tables *shared = module->shared;
    uint64_t rows = 0;
    for (size_t i = 0; i < shared->count; i++)
        if (mp_relation_fits(module->relation, shared->recordings[i].source))
            rows += module->relation->count(shared->recordings[i].source);
    return rows;
}

/* --- connecting --- */

static char *declaration_of(const mp_relation *relation, bool several)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "CREATE TABLE relation(recording TEXT%s", several ? "" : " HIDDEN");
    for (size_t i = 0; i < relation->column_count; i++)
        sqlite3_str_appendf(text, ", \"%w\" %s%s", relation->columns[i].name,
                            mp_sql_type(relation->columns[i].unit),
                            mp_sql_is_column(&relation->columns[i]) ? "" : " HIDDEN");
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static int connect_table(sqlite3 *database, void *opaque, int count, const char *const *words,
                         sqlite3_vtab **table, char **message)
{
    (void)count, (void)words;
    const sql_module *module = opaque;
    if (!is_there(module)) {
        *message = sqlite3_mprintf("the recording has no table %s (%s); " MP_DASHES
                                   "schema lists its tables",
                                   module->relation->name, module->relation->meaning);
        return SQLITE_ERROR;
    }
    char *declaration = declaration_of(module->relation, module->shared->several);
    module->shared->declaring = true;
    int result = declaration ? sqlite3_declare_vtab(database, declaration) : SQLITE_NOMEM;
    module->shared->declaring = false;
    sqlite3_free(declaration);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
    sql_table *made = mp_alloc_zero(1, sizeof *made);
    made->module = module;
    *table = &made->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

/* Find the first constraint on a column with the operator `way` or `other`, and let SQLite pass its
 * value to xFilter as the next argument. SQLite still checks the rows itself. Return false if there
 * is none. */
static bool use_constraint(sqlite3_index_info *plan, int column, int way, int other, int *arguments)
{
    for (int i = 0; i < plan->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &plan->aConstraint[i];
        if (!constraint->usable || (constraint->op != way && constraint->op != other) ||
            constraint->iColumn != column)
            continue;
        plan->aConstraintUsage[i].argvIndex = ++*arguments;
        return true;
    }
    return false;
}

static bool use_equality(sqlite3_index_info *plan, int column, int *arguments)
{
    return use_constraint(plan, column, SQLITE_INDEX_CONSTRAINT_EQ, SQLITE_INDEX_CONSTRAINT_EQ,
                          arguments);
}

/* Return true if all recordings can find rows by a bound on the key. */
static bool is_ordered(const sql_module *module)
{
    const mp_sql_tables *shared = module->shared;
    bool ordered = module->relation->order != NULL;
    for (size_t i = 0; ordered && i < shared->count; i++)
        ordered = !mp_relation_fits(module->relation, shared->recordings[i].source) ||
                  mp_relation_is_ordered(module->relation, shared->recordings[i].source);
    return ordered;
}

/* Plan to find the rows with a key, or with a range of keys. Return the expected number of rows. */
static double plan_key(sqlite3_index_info *plan, const sql_module *module, double rows,
                       int *arguments)
{
    const int column = (int)module->relation->key + FIRST_COLUMN;
    const double few = ROWS_OF_A_KEY * (double)module->shared->count;
    if (!module->relation->find && !is_ordered(module))
        return rows;
    if (use_equality(plan, column, arguments)) {
        plan->idxNum |= WALK_KEY;
        return few < rows ? few : rows;
    }
    if (module->relation->find)
        return rows;
    if (use_constraint(plan, column, SQLITE_INDEX_CONSTRAINT_GE, SQLITE_INDEX_CONSTRAINT_GT,
                       arguments)) {
        plan->idxNum |= WALK_FROM;
        rows = rows / PART_OF_A_RANGE + 1;
    }
    if (use_constraint(plan, column, SQLITE_INDEX_CONSTRAINT_LE, SQLITE_INDEX_CONSTRAINT_LT,
                       arguments)) {
        plan->idxNum |= WALK_TO;
        rows = rows / PART_OF_A_RANGE + 1;
    }
    return rows;
}

/* Return the columns of the relation that a statement uses. The last bit of `used` means that
 * column and all after it. */
static uint64_t wanted_of(uint64_t used)
{
    return used >> FIRST_COLUMN | (used >> 63 ? UINT64_C(3) << 62 : 0);
}

/* Plan to find rows by key or by recording, without reading all rows. */
static int plan_walk(sqlite3_vtab *table, sqlite3_index_info *plan)
{
    const sql_module *module = ((sql_table *)table)->module;
    const size_t recordings = module->shared->count;
    const double all_rows = (double)count_rows(module) + 1;
    double rows = all_rows;
    int arguments = 0;
    plan->idxNum = 0;
    if (module->relation->key != MP_NO_KEY)
        rows = plan_key(plan, module, rows, &arguments);
    if (module->shared->several && use_equality(plan, RECORDING, &arguments)) {
        plan->idxNum |= WALK_RECORDING;
        rows = rows / (double)recordings + 1;
    }
    plan->estimatedCost = rows;
    plan->estimatedRows = (sqlite3_int64)rows;
    module->shared->rows += (int64_t)all_rows;
    plan->idxStr = sqlite3_mprintf("%llx", (unsigned long long)wanted_of(plan->colUsed));
    plan->needToFreeIdxStr = 1;
    return plan->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* --- walking --- */

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    const sql_module *module = ((sql_table *)table)->module;
    sql_cursor *made = mp_alloc_zero(1, sizeof *made);
    made->rows = mp_cursor_new(module->relation);
    *cursor = &made->base;
    return SQLITE_OK;
}

static void forget_values(sql_cursor *cursor)
{
    free((char *)cursor->bounds.text);
    free(cursor->name);
    cursor->bounds = mp_any_key;
    cursor->name = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *opaque)
{
    sql_cursor *cursor = (sql_cursor *)opaque;
    mp_cursor_free(&cursor->rows);
    forget_values(cursor);
    free(cursor);
    return SQLITE_OK;
}

/* Go to the first row of the recording at index `place`. If that recording cannot have rows, go to
 * the next one that can. */
static void enter_recording(sql_cursor *cursor, const sql_module *module, size_t place)
{
    const mp_sql_tables *shared = module->shared;
    for (; place < shared->count; place++) {
        const mp_sql_recording *recording = &shared->recordings[place];
        if (mp_relation_fits(module->relation, recording->source) &&
            (!cursor->name || (recording->name && strcmp(recording->name, cursor->name) == 0)))
            break;
    }
    cursor->recording = place;
    cursor->over = place == shared->count;
    if (!cursor->over)
        mp_cursor_enter(&cursor->rows, shared->recordings[place].source, &cursor->bounds);
}

static int next_row(sqlite3_vtab_cursor *opaque)
{
    sql_cursor *cursor = (sql_cursor *)opaque;
    const sql_module *module = ((sql_table *)opaque->pVtab)->module;
    while (!cursor->over && !mp_cursor_next(&cursor->rows, cursor->wanted))
        enter_recording(cursor, module, cursor->recording + 1);
    module->shared->read += !cursor->over;
    return SQLITE_OK;
}

/* Restrict the bounds to numbers that may satisfy the comparison with the value. Texts do not
 * restrict them, because SQLite has its own rules for comparing them with numbers. */
static void bound_numbers(mp_key_bounds *bounds, int way, mp_unit unit, sqlite3_value *value)
{
    const double most = 9e18, scale = unit == MP_SECONDS ? 1e6 : 1;
    const int type = sqlite3_value_type(value);
    int64_t low = sqlite3_value_int64(value), high = low;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return;
    if (type == SQLITE_FLOAT || unit == MP_SECONDS) {
        const double number = sqlite3_value_double(value) * scale;
        low = number < -most  ? INT64_MIN
              : number > most ? (int64_t)most
                              : (int64_t)floor(number) - 1;
        high = number > most    ? INT64_MAX
               : number < -most ? -(int64_t)most
                                : (int64_t)ceil(number) + 1;
    }
    if (way != WALK_TO)
        bounds->least = low;
    if (way != WALK_FROM)
        bounds->most = high;
}

static char *copy_of(const char *text)
{
    return text ? mp_copy(text, strlen(text)) : NULL;
}

static int begin_walk(sqlite3_vtab_cursor *opaque, int walk, const char *wanted, int count,
                      sqlite3_value **values)
{
    sql_cursor *cursor = (sql_cursor *)opaque;
    const sql_module *module = ((sql_table *)opaque->pVtab)->module;
    forget_values(cursor);
    cursor->wanted = strtoull(wanted, NULL, 16);
    cursor->over = true;
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(values[i]) == SQLITE_NULL) /* NULL is equal to nothing */
            return SQLITE_OK;
    for (int way = WALK_KEY, i = 0; way <= WALK_RECORDING; way *= 2) {
        if (!(walk & way))
            continue;
        sqlite3_value *value = values[i++];
        if (way == WALK_RECORDING)
            cursor->name = copy_of((const char *)sqlite3_value_text(value));
        else if (module->relation->find)
            cursor->bounds.text = copy_of((const char *)sqlite3_value_text(value));
        else
            bound_numbers(&cursor->bounds, way,
                          module->relation->columns[module->relation->key].unit, value);
    }
    enter_recording(cursor, module, 0);
    return next_row(opaque);
}

static int is_over(sqlite3_vtab_cursor *cursor)
{
    return ((sql_cursor *)cursor)->over;
}

static int put_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
    const sql_cursor *walk = (sql_cursor *)cursor;
    *rowid = (sqlite3_int64)(walk->recording << 40 | walk->rows.place);
    return SQLITE_OK;
}

/* --- values --- */

static int put_column(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int place)
{
    const sql_module *module = ((sql_table *)cursor->pVtab)->module;
    mp_cursor *rows = &((sql_cursor *)cursor)->rows;
    if (place == RECORDING) {
        const size_t recording = ((sql_cursor *)cursor)->recording;
        sqlite3_result_text(result, module->shared->recordings[recording].name, -1, SQLITE_STATIC);
        return SQLITE_OK;
    }
    const mp_column *column = &module->relation->columns[place - FIRST_COLUMN];
    if (!mp_sql_is_column(column))
        return SQLITE_OK;
    const mp_sql_value value = mp_sql_value_of(column, rows->row, &rows->texts);
    if (value.kind == MP_SQL_TEXT)
        sqlite3_result_text(result, value.text, -1, SQLITE_TRANSIENT);
    else if (value.kind == MP_SQL_REAL)
        sqlite3_result_double(result, value.real);
    else if (value.kind == MP_SQL_INTEGER)
        sqlite3_result_int64(result, value.integer);
    return SQLITE_OK;
}

/* Without xCreate, a module is a table under its own name, and no other table can be made from
 * it. */
static const sqlite3_module relation_module = {
    .xConnect = connect_table,
    .xBestIndex = plan_walk,
    .xDisconnect = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = begin_walk,
    .xNext = next_row,
    .xEof = is_over,
    .xColumn = put_column,
    .xRowid = put_rowid,
};

int mp_sql_add_tables(sqlite3 *database, mp_sql_tables *tables)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    int result = SQLITE_OK;
    for (size_t i = 0; result == SQLITE_OK && i < count; i++) {
        sql_module *module = mp_alloc(sizeof *module);
        *module = (sql_module){relations[i], tables};
        result =
            sqlite3_create_module_v2(database, relations[i]->name, &relation_module, module, free);
    }
    return result;
}
