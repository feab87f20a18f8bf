/* A row of a table as one line of JSON. */
#ifndef MP_RENDER_JSON_LINE_H
#define MP_RENDER_JSON_LINE_H

#include <stdio.h>

#include "document/document.h"

/* Write a row of these cells, after a member "kind" that tells lines of several tables apart; a
 * column of that name is called by the kind ("anomaly": "double-deletion"). */
void mp_json_put_line(FILE *file, const mp_column *columns, size_t count, const mp_cell *cells,
                      const char *kind);

#endif
