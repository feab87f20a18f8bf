/* A database in a file that is open already, which need not have a name. */
#ifndef MP_EXPORT_AQTIME_FILE_H
#define MP_EXPORT_AQTIME_FILE_H

#include <sqlite3.h>

/* Open a database without a journal in the empty file of this descriptor, which is borrowed. Gives
 * SQLite's code; *database is closed with sqlite3_close in any case. */
int aq_file_open(int file, sqlite3 **database);
/* Why reading or writing it failed (SQLITE_IOERR), on this thread. SQLite forgets it where a commit
 * fails. */
int aq_file_error(void);

#endif
