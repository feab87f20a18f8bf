/* The command "schema": print the statements that create the tables which an export fills. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/console.h"

const mp_argument_table cli_schema_arguments = {.count = 0};

/* Find the dialect and the table that the options name. Return false after a message. */
static bool choose(const cli_options *options, mp_clickhouse_dialect *dialect,
                   const mp_clickhouse_table **table)
{
    const char *version = options->dialect ? options->dialect : "18", *name = options->inserted;
    const char *names[MP_CLICKHOUSE_TABLES];
    char list[256];
    if (!options->operand || strcmp(options->operand, "clickhouse") != 0)
        return cli_refuse(options, "usage: memprof schema clickhouse");
    for (size_t i = 0; i < MP_CLICKHOUSE_TABLES; i++)
        names[i] = mp_clickhouse_tables[i].name;
    *dialect = strcmp(version, "18") == 0 ? MP_CLICKHOUSE_18 : MP_CLICKHOUSE_CURRENT;
    if (*dialect == MP_CLICKHOUSE_CURRENT && strcmp(version, "current") != 0)
        return cli_refuse(options, "invalid value \"%s\" for --for, expected 18 or current",
                          version);
    *table = name ? mp_clickhouse_table_find(name) : NULL;
    return !name || *table ||
           cli_refuse(options, "invalid value \"%s\" for --insert, expected %s", name,
                      mp_text_list(names, MP_CLICKHOUSE_TABLES, "or", list, sizeof list));
}

int cli_schema(cli_options *options)
{
    mp_clickhouse_dialect dialect;
    const mp_clickhouse_table *table = NULL;
    if (!choose(options, &dialect, &table))
        return CLI_USAGE;
    errno = 0; /* mp_stream_flush reads errno later */
    if (table)
        mp_clickhouse_put_insert(stdout, table);
    else
        mp_clickhouse_put_schema(stdout, options->cluster, dialect);
    if (mp_stream_flush(stdout))
        return CLI_OK;
    cli_put_fault("(standard output)", "cannot write: %s", strerror(errno));
    return CLI_UNREADABLE;
}
