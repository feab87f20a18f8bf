/* Fields of CSV. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Write a field after a comma, or without it if it is the first one of its line. It is quoted if it
 * contains a comma, a quotation mark or a line end. */
void mp_csv_put_field(FILE *file, const char *text, bool first);
