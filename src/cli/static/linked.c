/* The libraries that are linked into the static program. Other programs load them when they need
 * them. */
#include "base/sqlite_linked.h"
#include "base/zlib.h"
#include "cli/curses.h"
#include "cli/edit.h"
#include "export/protobuf.h"
#include "input/libarchive.h"

/* Define the filled struct of a library. */
#define LINKED(library, SYMBOLS)                                                                   \
    extern const library library##_linked;                                                         \
    const library library##_linked = {SYMBOLS(MP_LATE_LINKED)};

LINKED(mp_sqlite, MP_SQLITE)
#ifdef MEMPROF_ZLIB
LINKED(mp_zlib, MP_ZLIB)
#endif
#ifdef MEMPROF_PPROF
LINKED(mp_protobuf, MP_PROTOBUF)
#endif
#ifdef MEMPROF_ARCHIVE
LINKED(mp_libarchive, MP_LIBARCHIVE)
#endif
#ifdef MEMPROF_BROWSE
LINKED(cli_curses, CLI_CURSES)
#endif
#ifdef MEMPROF_EDIT
LINKED(cli_edit, CLI_EDIT)
#endif
