/* File names of the source of an ABL program, derived from the program's name in a recording. */
#pragma once

#include "base/memory.h"
#include "base/slice.h"

enum { MP_SOURCE_NAMES = 4 };

/* Fill `names` with the names that a file of the program may have in a folder, the likeliest first;
 * unused names are empty. With `ending` (".dbg"), they are names of a file next to the source: for
 * `dir\\test.p`, `dir/test.dbg`, then `test.dbg`; for the class `pkg.Name`, `pkg/Name.dbg`,
 * `pkg.Name.dbg`, then `Name.dbg`. With NULL, they are names of the source itself: a class gets
 * `.cls`, other sources keep their names. A drive, leading separators, `.` and `..` are dropped, so
 * no name leads out of the folder. */
void mp_source_names(mp_arena *arena, const char *program, const char *ending,
                     mp_slice names[MP_SOURCE_NAMES]);

/* Return the name of a source whose folder is unknown: `pkg/Name.cls` for a class, otherwise the
 * recorded name with slashes, including the drive. */
const char *mp_source_path(mp_arena *arena, const char *program);
