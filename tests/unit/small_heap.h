/* A recording of five snapshots, small enough to calculate by hand. `in`: owner; `at`: snapshot of
 * creation.
 *
 *   object               created by          in  at  what becomes of it
 *    1  Widget Pool   10 no code              -   1  the session's own, unnamed
 *    2  Procedure    100 main.p:1             -   1  deleted at 5
 *    3  Dynamic Query 20 order.p:5 (line 7)   1   1  25 bytes at 3, deleted at 5
 *    4  Dynamic Query 21 order.p:5 (line 7)   1   2  deleted at 4
 *    5  Procedure    200 order.p:3 (line 7)   2   2  deleted at 5
 *    6  Temp-table    50 order.p:6 (line 7)   5   2  never instantiated, deleted at 5
 *    7  Dynamic Query  7 order.p:5 (line 8)   -   2  deleted at 3
 *    8  Reusable Obj 999 order.p:9 (line 7)   -   2
 *    9  Dynamic Query 22 order.p:5 (line 7)   1   3  deleted at 5
 *
 * main.p calls order.p at its lines 7 and 8. */
#pragma once

#include "unit/recording.h"

#define BORN_FIRST                                                                                 \
    PLAIN("1", "68", "10", "0", "0", "0")                                                          \
    OBJECT("2", "34", "100", "100", "1", "1", "0", "0", "0", "0")                                  \
    PLAIN("3", "41", "20", "101", "5", "1")
#define BORN_SECOND                                                                                \
    PLAIN("4", "41", "21", "101", "5", "1")                                                        \
    OBJECT("5", "34", "200", "101", "3", "2", "2", "0", "0", "0")                                  \
    OBJECT("6", "72", "50", "101", "6", "0", "5", "0", "10", "0")                                  \
    PLAIN("7", "41", "7", "103", "5", "0")                                                         \
    OBJECT("8", "80", "999", "101", "9", "2", "0", "0", "0", "0")

/* Live objects/bytes at snapshots 1 to 5: 3/130, 7/408, 7/428, 6/407, 1/10. */
#define TRAILER_REUSED(sequence, tag, time, objects, bytes, peak)                                  \
    time " " objects " " bytes " 0 " peak " 1 0 1 999 \"" tag "\" " sequence "\n" END
#define HEAP_1(uuid, tag)                                                                          \
    SNAPSHOT_OF(uuid, "1", tag, "\"r1\"", "\"A\"", TYPES, "1 \"main.p\" 0\n2 \"order.p\" 0\n",     \
                "10 \"tt\"\n", "100 1 0 0\n101 2 100 7\n103 2 100 8\n", BORN_FIRST, "", "", "10",  \
                "3", "130", "3")
#define HEAP_2(uuid, tag)                                                                          \
    HEADER_OF(uuid, "2", tag, "\"r2\"", "\"B\"")                                                   \
    END END END END END END END BORN_SECOND END END END TRAILER_REUSED("2", tag, "20", "7", "408", \
                                                                       "7")
#define HEAP_3(uuid, tag)                                                                          \
    HEADER_OF(uuid, "3", tag, "\"r3\"", "\"B\"")                                                   \
    END END END END END END END PLAIN("9", "41", "22", "101", "5", "1") END                        \
        "3 41 25 0 0 0\n" END "7 25\n" END TRAILER_REUSED("3", tag, "30", "7", "428", "7")
#define HEAP_4(uuid, tag)                                                                          \
    HEADER_OF(uuid, "4", tag, "\"r3\"", "\"B\"")                                                   \
    END END END END END END END END END "4 35\n" END TRAILER_REUSED("4", tag, "40", "6", "407", "7")
#define HEAP_5(uuid, tag)                                                                          \
    HEADER_OF(uuid, "5", tag, "\"\"", "\"\"")                                                      \
    END END END END END END END END END                                                            \
        "2 45\n3 45\n5 45\n6 45\n9 45\n" END TRAILER_REUSED("5", tag, "50", "1", "10", "7")
#define HEAP_OF(uuid)                                                                              \
    HEAP_1(uuid, "Pre 1")                                                                          \
    HEAP_2(uuid, "work") HEAP_3(uuid, "work") HEAP_4(uuid, "_PreCleanup") HEAP_5(uuid, "_Exit")
#define HEAP HEAP_OF(UUID)
