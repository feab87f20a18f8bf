/* The sections of a small execution profile. Profiles of all four versions are made from these
 * sections. */
#pragma once

/* The exclusive times add up to 0.001. The lines and calls of each module add up to its line 0. */
#define EXTRA                                                                                      \
    " {\"StmtCnt\":8,\"TotTime\":0.001000,\"Directory\":\"C:\\w\\\",\"Propath\":\"\","             \
    "\"Propath\":\"a,b\", X\": {\"y\": 1 }}"
#define HEADER(version, extra)                                                                     \
    version " 09/10/2021 \"My \"\"quoted\"\" run\" 16:59:51 \"joe\"" extra "\n.\n"
#define MODULES                                                                                    \
    "1 \"main.p\" \"main.dbg\" 48949 0 \"\"\n"                                                     \
    "2 \"proc main.p\" \"\" 0 38 \"PROCEDURE proc,,\"\n"                                           \
    "3 \"run Base Derived\" \"\" 0 10 \"\"\n"                                                      \
    "9223372036854775808 \"Base\" \"\" 77\n.\n"
#define CALLS "0 0 1 1\n1 3 2 2\n2 40 3 1\n.\n"
#define LINES                                                                                      \
    "0 0 1 0.000000 0.001000\n"                                                                    \
    "1 0 1 0.000100 0.001000\n"                                                                    \
    "1 3 2 0.000200 0.000900\n"                                                                    \
    "2 0 2 0.000300 0.000700\n"                                                                    \
    "2 40 1 0.000050 0.000350\n"                                                                   \
    "2 -1 2 0.000050 0.000050\n"                                                                   \
    "3 0 1 0.000250 0.000300\n"                                                                    \
    "3 11 1 0.000050 0.000050\n.\n"
#define TRACE                                                                                      \
    "2 40 0.000050 0.500000\n3 11 0.000050 0.400000\n2 0 0.000100 0.450000\n"                      \
    "2 0 0.000200 0.440000\n.\n"
#define COVERAGE "1 \"proc\" 2\n40\n41\n.\n1 \"\" 1\n3\n.\n.\n"
#define STATISTICS                                                                                 \
    "1 10135 1 \"EXPRESSN STMT \" \n.\n1    0.0    6.0  \n.\n0 5 0 0 \n1  1  \n.\n"                \
    "0 0 \"-q\" \n.\n"
#define NODES                                                                                      \
    "0 0 0 0 1 0.001000 1\n1 0 1 0 1 0.001000 2\n3 2 3 40 1 0.000300\n"                            \
    "2 1 2 3 2 0.000700 3\n.\n"
#define USER_DATA "0.749720 \"User \"\"data\"\"\"\n.\n"

#define VERSION_1 HEADER("1", "") MODULES CALLS LINES TRACE COVERAGE USER_DATA
#define VERSION_2 HEADER("2", "") MODULES CALLS LINES TRACE COVERAGE STATISTICS USER_DATA
#define VERSION_3 HEADER("3", EXTRA) MODULES CALLS LINES TRACE COVERAGE NODES USER_DATA
#define VERSION_4 HEADER("4", EXTRA) MODULES CALLS LINES TRACE COVERAGE STATISTICS NODES USER_DATA
