/* From the name of an ABL program, as recordings have it, to names of files. */
#ifndef MP_BASE_SOURCE_NAME_H
#define MP_BASE_SOURCE_NAME_H

#include "base/memory.h"
#include "base/slice.h"

enum { MP_SOURCE_NAMES = 4 };

/* Where a file of the program may lie below a folder, the likeliest first; an empty name is none.
 * With `ending` (".dbg") it is a file beside the source: of `dir\\test.p`, `dir/test.dbg`, then
 * `test.dbg`; of the class `pkg.Name`, `pkg/Name.dbg`, `pkg.Name.dbg`, then `Name.dbg`. Without one
 * (NULL) it is the source itself, of a class with `.cls`, else under its own name. A drive, leading
 * separators, `.` and `..` are left out, so that no name leads out of the folder. */
void mp_source_names(mp_arena *arena, const char *program, const char *ending,
                     mp_slice names[MP_SOURCE_NAMES]);

/* What the source is called where its folder is not known: `pkg/Name.cls` of a class, else the name
 * with slashes, drive and all. */
const char *mp_source_path(mp_arena *arena, const char *program);

#endif
