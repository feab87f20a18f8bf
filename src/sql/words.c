/* Words of SQL that statements may contain. */
#include "sql/functions.h"
#include "sql/sql.h"

/* Keywords that a SELECT may have. */
static const char *const keywords[] = {
    "all",       "and",       "as",     "asc",       "between", "by",     "case",    "cast",
    "collate",   "cross",     "desc",   "distinct",  "else",    "end",    "escape",  "except",
    "exists",    "filter",    "from",   "full",      "group",   "having", "in",      "inner",
    "intersect", "is",        "isnull", "join",      "left",    "limit",  "natural", "not",
    "notnull",   "null",      "nulls",  "offset",    "on",      "or",     "order",   "outer",
    "over",      "partition", "range",  "recursive", "right",   "rows",   "select",  "then",
    "union",     "using",     "values", "when",      "where",   "window", "with"};

const char *mp_sql_word(size_t place)
{
    size_t functions = 0;
    while (functions < place && mp_sql_function(functions))
        functions++;
    const char *function = mp_sql_function(functions);
    const size_t rest = place - functions;
    return function ? function : rest < sizeof keywords / sizeof *keywords ? keywords[rest] : NULL;
}
