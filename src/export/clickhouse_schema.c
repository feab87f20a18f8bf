/* ClickHouse statements that create the tables of many recordings.
 *
 * A row that is inserted again replaces the earlier one (ReplacingMergeTree), but only within a
 * shard. Rows are therefore distributed by a hash of their recording. Views by day process each
 * insertion, and would add up rows that are inserted twice. They therefore keep the maximum for
 * each recording instead. */
#include <string.h>

#include "export/clickhouse.h"

#define DATABASE "memprof"

typedef struct schema_writer {
    FILE *file;
    const char *cluster; /* NULL = a single server */
    mp_clickhouse_dialect dialect;
} schema_writer;

/* Return the suffix of the names of tables on a single server of a cluster. */
static const char *local_ending(const schema_writer *schema)
{
    return schema->cluster ? "_local" : "";
}

/* Return the next name of a list separated by spaces; NULL at the end of the list. Set `length`,
 * and advance `list` past the name. */
static const char *next_name(const char **list, int *length)
{
    const char *name = *list;
    const size_t width = strcspn(name, " ");
    *length = (int)width;
    *list += width + strspn(name + width, " ");
    return width ? name : NULL;
}

static void put_quoted(FILE *file, const char *text, char quote)
{
    fputc(quote, file);
    for (; *text; text++) {
        if (*text == quote || *text == '\\')
            fputc('\\', file);
        fputc(*text, file);
    }
    fputc(quote, file);
}

static void put_type(const schema_writer *schema, const mp_clickhouse_column *column)
{
    const bool shares_texts =
        schema->dialect == MP_CLICKHOUSE_CURRENT && strcmp(column->type, "String") == 0 &&
        (column->is_key ||
         !column->member); /* a column that has few different values in many rows */
    const bool wraps = shares_texts || column->has_null;
    fprintf(schema->file, "%s%s%s",
            shares_texts ? "LowCardinality("
            : wraps      ? "Nullable("
                         : "",
            column->type, wraps ? ")" : "");
}

/* Write the sorting key, which includes the recording. */
static void put_order(const schema_writer *schema, const mp_clickhouse_table *table)
{
    FILE *file = schema->file;
    fputs("ORDER BY (", file);
    if (!table->key_first)
        fputs("recording, ", file);
    const char *keys = table->key, *name;
    for (int length; (name = next_name(&keys, &length));)
        fprintf(file, "%.*s, ", length, name);
    fputs(table->key_first ? "recording, part)" : "part)", file);
}

/* Write the distributed table over all shards, if there is a cluster. */
static void put_distributed(const schema_writer *schema, const char *name)
{
    if (!schema->cluster)
        return;
    fprintf(schema->file,
            "CREATE TABLE IF NOT EXISTS " DATABASE ".%s AS " DATABASE ".%s_local\n"
            "ENGINE = Distributed(",
            name, name);
    put_quoted(schema->file, schema->cluster, '`');
    fprintf(schema->file, ", " DATABASE ", %s_local, cityHash64(toString(recording)));\n\n", name);
}

static void put_table(const schema_writer *schema, const mp_clickhouse_table *table)
{
    mp_clickhouse_column columns[MP_CLICKHOUSE_COLUMNS];
    const size_t count = mp_clickhouse_columns(table, columns);
    FILE *file = schema->file;
    fprintf(file, "-- %s\nCREATE TABLE IF NOT EXISTS " DATABASE ".%s%s\n(\n", table->meaning,
            table->name, local_ending(schema));
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "    `%s` ", columns[i].name);
        put_type(schema, &columns[i]);
        fputs(" COMMENT ", file);
        put_quoted(file, columns[i].meaning, '\'');
        if (schema->dialect == MP_CLICKHOUSE_CURRENT && columns[i].source == MP_CLICKHOUSE_FRAMES)
            fputs(" CODEC(ZSTD)", file);
        fputs(i + 1 < count ? ",\n" : "\n", file);
    }
    fputs(")\nENGINE = ReplacingMergeTree(version)\nPARTITION BY toMonday(day)\n", file);
    put_order(schema, table);
    fputs(";\n\n", file);
    put_distributed(schema, table->name);
}

/* Return the table's key column; there is exactly one. */
static mp_clickhouse_column key_of(const mp_clickhouse_table *table)
{
    mp_clickhouse_column columns[MP_CLICKHOUSE_COLUMNS];
    size_t place = mp_clickhouse_columns(table, columns) - 1;
    while (place && !columns[place].is_key)
        place--;
    return columns[place];
}

/* Write the table of a view by day, and the view that fills it. Its figures are integers. */
static void put_view(const schema_writer *schema, const mp_clickhouse_table *table)
{
    char name[64];
    FILE *file = schema->file;
    const mp_clickhouse_column key = key_of(table);
    snprintf(name, sizeof name, "%.*s_days", (int)strlen(table->name) - 1, table->name);
    fprintf(file,
            "-- figures of %s by day: the maximum for each recording\n"
            "CREATE TABLE IF NOT EXISTS " DATABASE ".%s%s\n"
            "(\n    `day` Date,\n    `host` ",
            table->name, name, local_ending(schema));
    const mp_clickhouse_column text = {.type = "String"};
    put_type(schema, &text);
    fputs(",\n    `build` ", file);
    put_type(schema, &text);
    fprintf(file, ",\n    `recording` UUID,\n    `part` UInt32,\n    `%s` ", key.name);
    put_type(schema, &key);
    const char *measures = table->measures, *figure;
    for (int length; (figure = next_name(&measures, &length));)
        fprintf(file, ",\n    `%.*s` AggregateFunction(max, Int64)", length, figure);
    fprintf(file,
            "\n)\nENGINE = AggregatingMergeTree\nPARTITION BY toMonday(day)\n"
            "ORDER BY (%s, day, host, build, recording, part);\n\n",
            key.name);
    fprintf(file,
            "CREATE MATERIALIZED VIEW IF NOT EXISTS " DATABASE ".%s_view%s TO " DATABASE
            ".%s%s AS\nSELECT day, host, build, recording, part, %s",
            name, local_ending(schema), name, local_ending(schema), key.name);
    measures = table->measures;
    for (int length; (figure = next_name(&measures, &length));)
        fprintf(file, ",\n    maxState(%.*s) AS %.*s", length, figure, length, figure);
    fprintf(file, "\nFROM " DATABASE ".%s%s\nGROUP BY day, host, build, recording, part, %s;\n\n",
            table->name, local_ending(schema), key.name);
    put_distributed(schema, name);
}

void mp_clickhouse_put_schema(FILE *file, const char *cluster, mp_clickhouse_dialect dialect)
{
    const schema_writer schema = {file, cluster, dialect};
    fprintf(file,
            "-- Tables of memprof " MEMPROF_VERSION " for ClickHouse %s.\n"
            "-- Run these statements on every %s.\n\n"
            "CREATE DATABASE IF NOT EXISTS " DATABASE ";\n\n",
            dialect == MP_CLICKHOUSE_18 ? "18.16 and later" : "23 and later",
            cluster ? "server of the cluster" : "server");
    for (size_t i = 0; i < MP_CLICKHOUSE_TABLES; i++) {
        put_table(&schema, &mp_clickhouse_tables[i]);
        if (mp_clickhouse_tables[i].measures)
            put_view(&schema, &mp_clickhouse_tables[i]);
    }
}

void mp_clickhouse_put_insert(FILE *file, const mp_clickhouse_table *table)
{
    mp_clickhouse_column columns[MP_CLICKHOUSE_COLUMNS];
    const size_t count = mp_clickhouse_columns(table, columns);
    fprintf(file, "INSERT INTO " DATABASE ".%s (", table->name);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s`%s`", i ? ", " : "", columns[i].name);
    fputs(") FORMAT JSONEachRow\n", file);
}
