// Writes the sections of a snapshot, row by row.
#ifndef GENERATOR_OEMP_ROWS_H
#define GENERATOR_OEMP_ROWS_H

#include "recording.h"

void rows_header(Recording *recording);
void rows_catalogs(Recording *recording);
void rows_platform(Recording *recording);
void rows_names(Recording *recording);
void rows_others(Recording *recording);
void rows_nodes(Recording *recording);
void rows_objects_new(Recording *recording);
void rows_objects_changed(Recording *recording);
void rows_objects_mixed(Recording *recording); // version 1: both in one section
void rows_deleted(Recording *recording);
void rows_trailer(Recording *recording);

#endif
