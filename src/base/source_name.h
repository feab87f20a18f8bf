/* From the name of an ABL program, as recordings have it, to names of files. */
#ifndef MP_BASE_SOURCE_NAME_H
#define MP_BASE_SOURCE_NAME_H

#include "base/memory.h"
#include "base/slice.h"

enum { MP_SOURCE_NAMES = 4 };

/* Make the names under which a file of the program may lie in a folder, the likeliest first;
 * unused names are empty. With `ending` (".dbg"), it is a file next to the source: for
 * `dir\\test.p`, `dir/test.dbg`, then `test.dbg`; for the class `pkg.Name`, `pkg/Name.dbg`,
 * `pkg.Name.dbg`, then `Name.dbg`. With NULL, it is the source itself: a class has `.cls`, other
 * sources keep their names. A drive, leading separators, `.` and `..` are dropped, so that no
 * name leads out of the folder. */
void mp_source_names(mp_arena *arena, const char *program, const char *ending,
                     mp_slice names[MP_SOURCE_NAMES]);

/* Return the name of the source if its folder is unknown: `pkg/Name.cls` for a class, otherwise
 * the name with slashes, including the drive. */
const char *mp_source_path(mp_arena *arena, const char *program);

#endif
