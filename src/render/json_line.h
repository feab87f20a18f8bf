/* A row of a table as one line of JSON. */
#pragma once

#include <stdio.h>

#include "document/document.h"

/* Write a row as one line. Its first member, "kind", tells lines of several tables apart. A column
 * named "kind" is renamed to the value of `kind` ("anomaly": "double-deletion"). */
void mp_json_put_line(FILE *file, const mp_column *columns, size_t count, const mp_cell *cells,
                      const char *kind);
