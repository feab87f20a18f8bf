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
    mp_cursor rows;
    uint64_t wanted;
    bool over;
} sql_cursor;

/* How a walk begins: xBestIndex says it to xFilter. */
enum { WALK_ALL, WALK_KEY };
enum { ROWS_OF_A_KEY = 10 };

static const mp_relation *relation_of(sqlite3_vtab *table)
{
    return ((sql_table *)table)->module->relation;
}

/* --- connecting --- */

static char *declaration_of(const mp_relation *relation)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE relation(");
    for (size_t i = 0; i < relation->column_count; i++)
        sqlite3_str_appendf(text, "%s\"%w\" %s%s", i ? ", " : "", relation->columns[i].name,
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
    if (!mp_relation_fits(module->relation, module->shared->source)) {
        *message = sqlite3_mprintf("the recording has no table %s (%s)", module->relation->name,
                                   module->relation->meaning);
        return SQLITE_ERROR;
    }
    char *declaration = declaration_of(module->relation);
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

/* Find rows of one key without a walk over all of them. */
static int plan_walk(sqlite3_vtab *table, sqlite3_index_info *plan)
{
    const sql_module *module = ((sql_table *)table)->module;
    const size_t key = module->relation->key;
    const double rows = (double)module->relation->count(module->shared->source) + 1;
    plan->idxNum = WALK_ALL;
    plan->estimatedCost = rows;
    plan->estimatedRows = (sqlite3_int64)rows;
    for (int i = 0; i < plan->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &plan->aConstraint[i];
        if (!constraint->usable || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ ||
            key == MP_NO_KEY || constraint->iColumn != (int)key)
            continue;
        plan->idxNum = WALK_KEY;
        plan->aConstraintUsage[i].argvIndex = 1;
        plan->estimatedCost = ROWS_OF_A_KEY;
        plan->estimatedRows = ROWS_OF_A_KEY;
        break;
    }
    module->shared->rows += (int64_t)rows;
    plan->idxStr = sqlite3_mprintf("%llx", plan->colUsed);
    plan->needToFreeIdxStr = 1;
    return plan->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* --- walking --- */

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    const sql_module *module = ((sql_table *)table)->module;
    sql_cursor *made = mp_alloc_zero(1, sizeof *made);
    made->rows = mp_cursor_open(module->relation, module->shared->source);
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    mp_cursor_free(&((sql_cursor *)cursor)->rows);
    free(cursor);
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
    sql_cursor *state = (sql_cursor *)cursor;
    state->over = !mp_cursor_next(&state->rows, state->wanted);
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

static int begin_walk(sqlite3_vtab_cursor *cursor, int walk, const char *used, int count,
                      sqlite3_value **values)
{
    (void)count;
    sql_cursor *state = (sql_cursor *)cursor;
    state->wanted = strtoull(used, NULL, 16);
    mp_cursor_rewind(&state->rows,
                     walk == WALK_KEY ? key_of(state->rows.relation, values[0]) : NULL);
    return next_row(cursor);
}

static int is_over(sqlite3_vtab_cursor *cursor)
{
    return ((sql_cursor *)cursor)->over;
}

static int put_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((sql_cursor *)cursor)->rows.place;
    return SQLITE_OK;
}

/* --- values --- */

static int put_column(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int place)
{
    const mp_column *column = &relation_of(cursor->pVtab)->columns[place];
    mp_cursor *rows = &((sql_cursor *)cursor)->rows;
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
