/* The libraries that are linked into the static program. Other programs load them when they need
 * them. */
#include "base/sqlite_linked.h"
#include "base/zlib.h"
#include "cli/curses.h"
#include "cli/edit.h"
#include "export/protobuf.h"
#include "input/libarchive.h"

extern const mp_sqlite mp_sqlite_linked;
const mp_sqlite mp_sqlite_linked = {MP_SQLITE(MP_LATE_LINKED)};

#ifdef MEMPROF_ZLIB
extern const mp_zlib mp_zlib_linked;
const mp_zlib mp_zlib_linked = {MP_ZLIB(MP_LATE_LINKED)};
#endif

#ifdef MEMPROF_PPROF
extern const mp_protobuf mp_protobuf_linked;
const mp_protobuf mp_protobuf_linked = {MP_PROTOBUF(MP_LATE_LINKED)};
#endif

#ifdef MEMPROF_ARCHIVE
extern const mp_libarchive mp_libarchive_linked;
const mp_libarchive mp_libarchive_linked = {MP_LIBARCHIVE(MP_LATE_LINKED)};
#endif

#ifdef MEMPROF_BROWSE
extern const cli_curses cli_curses_linked;
const cli_curses cli_curses_linked = {CLI_CURSES(MP_LATE_LINKED)};
#endif

#ifdef MEMPROF_EDIT
extern const cli_edit cli_edit_linked;
const cli_edit cli_edit_linked = {CLI_EDIT(MP_LATE_LINKED)};
#endif
