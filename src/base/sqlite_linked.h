/* The functions of SQLite from which all others are found. */
#pragma once

#include <sqlite3.h>

#include "base/late.h"

#define MP_SQLITE(SYMBOL)                                                                          \
    SYMBOL(sqlite3_auto_extension)                                                                 \
    SYMBOL(sqlite3_cancel_auto_extension)                                                          \
    SYMBOL(sqlite3_close)                                                                          \
    SYMBOL(sqlite3_libversion_number)                                                              \
    SYMBOL(sqlite3_open)

typedef struct mp_sqlite {
    MP_SQLITE(MP_LATE_MEMBER)
} mp_sqlite;
