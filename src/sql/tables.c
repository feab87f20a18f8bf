#include "sql/tables.h"

#include <stdlib.h>
#include <string.h>

#include "sql/values.h"

/* One virtual table, and a cursor over it. */
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
    size_t recording; /* its place */
    uint64_t wanted;
    char *key,
        *name; /* that all rows have, of the relation's key and of the recording; NULL: any */
    bool over;
} sql_cursor;

/* How a walk begins: xBestIndex says it to xFilter, with the values in this order. */
enum { WALK_KEY = 1, WALK_RECORDING = 2 };
enum { ROWS_OF_A_KEY = 10 };
/* The column "recording" stands before those of the relation. */
enum { RECORDING = 0, FIRST_COLUMN = 1 };

/* Return whether any recording has the relation. */
static bool is_there(const sql_module *module)
{
    const mp_sql_tables *shared = module->shared;
    bool fits = false;
    for (size_t i = 0; i < shared->count; i++)
        fits |= mp_relation_fits(module->relation, shared->recordings[i].source);
    return fits;
}

/* Return the number of places in all recordings. */
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
        *message = sqlite3_mprintf("the recording has no table %s (%s)", module->relation->name,
                                   module->relation->meaning);
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

/* Have the constraint that a column equals a value handed to xFilter, as the argument after those
 * that are handed already. Return false if there is none. */
static bool use_equality(sqlite3_index_info *plan, int column, int *arguments)
{
    for (int i = 0; i < plan->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &plan->aConstraint[i];
        if (!constraint->usable || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ ||
            constraint->iColumn != column)
            continue;
        plan->aConstraintUsage[i].argvIndex = ++*arguments;
        return true;
    }
    return false;
}

/* Return the columns of the relation that a statement uses. The last bit of `used` stands for all
 * columns from there on. */
static uint64_t wanted_of(uint64_t used)
{
    return used >> FIRST_COLUMN | (used >> 63 ? UINT64_C(3) << 62 : 0);
}

/* Find rows of one key, or of one recording, without a walk over all of them. */
static int plan_walk(sqlite3_vtab *table, sqlite3_index_info *plan)
{
    const sql_module *module = ((sql_table *)table)->module;
    const size_t key = module->relation->key, recordings = module->shared->count;
    const double all_rows = (double)count_rows(module) + 1;
    double rows = all_rows;
    int arguments = 0;
    plan->idxNum = 0;
    if (key != MP_NO_KEY && use_equality(plan, (int)key + FIRST_COLUMN, &arguments)) {
        plan->idxNum |= WALK_KEY;
        rows = ROWS_OF_A_KEY * (double)recordings;
    }
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
    free(cursor->key);
    free(cursor->name);
    cursor->key = cursor->name = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *opaque)
{
    sql_cursor *cursor = (sql_cursor *)opaque;
    mp_cursor_free(&cursor->rows);
    forget_values(cursor);
    free(cursor);
    return SQLITE_OK;
}

/* Go before the first row of the recording at `place`, or of the next one that may have rows. */
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
        mp_cursor_enter(&cursor->rows, shared->recordings[place].source, cursor->key);
}

static int next_row(sqlite3_vtab_cursor *opaque)
{
    sql_cursor *cursor = (sql_cursor *)opaque;
    const sql_module *module = ((sql_table *)opaque->pVtab)->module;
    while (!cursor->over && !mp_cursor_next(&cursor->rows, cursor->wanted))
        enter_recording(cursor, module, cursor->recording + 1);
    return SQLITE_OK;
}

/* Return the text of a key to look for; NULL where a walk over all rows must find it, as SQLite
 * compares numbers in ways that a text does not. */
static const char *key_of(const mp_relation *relation, sqlite3_value *value)
{
    const bool number = relation->columns[relation->key].unit != MP_TEXT;
    return number && sqlite3_value_type(value) != SQLITE_INTEGER
               ? NULL
               : (const char *)sqlite3_value_text(value);
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
        if (sqlite3_value_type(values[i]) == SQLITE_NULL) /* equal to nothing */
            return SQLITE_OK;
    if (walk & WALK_KEY)
        cursor->key = copy_of(key_of(module->relation, values[0]));
    if (walk & WALK_RECORDING)
        cursor->name = copy_of((const char *)sqlite3_value_text(values[count - 1]));
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

/* Without xCreate a module is a table of its own name, and no other can be made of it. */
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
