/* Snapshots of memory recordings as text, section by section. Two small recordings are made from
 * them. */
#pragma once

#define STAMP "\"2022-02-01T08:01:39.967+05:00\""
#define UUID "\"3F2504E0-4F89-11D3-9A0C-0305E82C3301\""
#define OTHER_UUID "\"3f2504e0-4f89-11d3-9a0c-0305e82c3302\""
#define END ".\n"

/* Types and platform objects of every recording in this file. */
#define TYPES                                                                                      \
    "\"Procedure\" 34\n\"Dynamic Query\" 41\n\"OO BuiltIn\" 66\n\"Widget Pool\" 68\n"              \
    "\"Temp-table\" 72\n\"Reusable Obj\" 80\n"

/* A row of an object. Columns that memprof does not read are 0. */
#define OBJECT(id, type, bytes, node, line, source, scope, table, name, built_in)                  \
    id " " type " " bytes " 0 0 0 " node " " line " " source " 0 " scope " " table " " name        \
       " 0 " built_in " 0\n"
/* An object without a name, with or without a scope. */
#define PLAIN(id, type, bytes, node, line, scope)                                                  \
    OBJECT(id, type, bytes, node, line, "0", scope, "1", "0", "0")

/* Header of version 2, recorded by a client. */
#define HEADER_OF(uuid, sequence, tag, request, api)                                               \
    "2 3277 " sequence " " STAMP " \"AVM-Client\" \"" tag "\" " request " \"\" 0 " uuid            \
    " \"\" 0 \"shop\" " api " 0.5 \"12.8.9\" \"\" \"\"\n" END
#define TRAILER_OF(sequence, tag, time, objects, bytes, peak)                                      \
    time " " objects " " bytes " 0 " peak " 1 0 0 0 \"" tag "\" " sequence "\n" END

/* A complete snapshot of version 2. `types`, `sources`, `names`, `nodes` and the other arguments
 * are rows. */
#define SNAPSHOT_OF(uuid, sequence, tag, request, api, types, sources, names, nodes, objects,      \
                    changed, deleted, time, live, bytes, peak)                                     \
    HEADER_OF(uuid, sequence, tag, request, api)                                                   \
    END types END END END sources END names END nodes END objects END changed END deleted END      \
    TRAILER_OF(sequence, tag, time, live, bytes, peak)
#define SNAPSHOT(sequence, tag, types, sources, names, nodes, objects, changed, deleted, time,     \
                 live, bytes, peak)                                                                \
    SNAPSHOT_OF(UUID, sequence, tag, "\"\"", "?", types, sources, names, nodes, objects, changed,  \
                deleted, time, live, bytes, peak)

/* Sections of a recording with two snapshots, in both versions. The recording uses every column. */
#define HEADER_COLUMNS(version)                                                                    \
    version " 3277 1 " STAMP " \"AS-4\" \"Pre 1\" \"req-7\" \"old\" 1500 " UUID                    \
            " \"C:\\app,src\" 2048 \"shop\" \"GET /orders\" 22.45"
#define PLATFORMS "\"Memory Profiler\" 1\n\"General\" 2\n"
#define BUILT_INS "\"Progress.Lang.Object\" 5\n"
#define PLATFORM_1 "1 1000 2000 3000\n2 500 600 700\n"
#define SOURCES "1 \"main.p\" 0\n2 \"order.p\" 0\n3 \"submit\" 12\n"
#define NAMES "9 \"tt \"\"Order\"\"\"\n10 \"Progress.Collections.List<dog>\"\n"
#define CALL_TREE "100 1 0 0\n101 3 100 7\n"
#define OBJECTS_1                                                                                  \
    "1 34 400 11 12 1000 100 3 2 13 0 0 9 14 5 15\n" /* code has the name of its source */         \
    "2 72 200 0 0 1001 101 15 0 0 1 0 9 0 0 0\n"     /* never instantiated */                      \
    "3 66 50 0 0 1002 101 16 0 0 0 0 0 0 5 0\n"      /* it has the name of its class */            \
    "4 66 60 0 0 1003 101 17 0 0 0 0 10 0 5 0\n" /* generic objects have a name of their own */    \
    "5 80 1000 0 0 1004 100 4 2 0 0 0 0 0 0 0\n" /* reusable */                                    \
    "6 41 10 0 0 1005 0 0 0 0 1 0 0 0 0 0\n"     /* no code created it */
#define TRAILER_1 "5000 5 720 1500 7 4 0 1 1000 \"Pre 1\" 1\n"
#define HEADER_2(version)                                                                          \
    version " 3277 2 " STAMP " \"AS-4\" \"_Exit\" \"??:\?\?\" \"\" ? " UUID                        \
            " \"\" 4096 \"shop\" ? 0.125"
#define PLATFORM_2 "1 1100 1 1\n2 500 600 700\n"
#define BORN_2 "7 41 99 0 0 6000 101 20 0 0 2 0 0 0 0 0\n"
#define CHANGED_2 "2 72 260 1 1 3\n6 41 30 1 1 0\n"
#define DELETED_2 "3 7000\n"
#define TRAILER_2 "9000 5 849 1600 7 4 0 1 1000 \"_Exit\" 2\n"

#define VERSION_2_FIRST                                                                            \
    HEADER_COLUMNS("2")                                                                            \
    " \"12.8.9\" \"pasoe1\" \"a run\"\n" END PLATFORMS END TYPES END BUILT_INS END PLATFORM_1 END  \
        SOURCES END NAMES END CALL_TREE END OBJECTS_1 END END END TRAILER_1 END
#define VERSION_2_SECOND                                                                           \
    HEADER_2("2")                                                                                  \
    " \"12.8.9\" \"pasoe1\" \"a run\"\n" END END END END PLATFORM_2 END END END END BORN_2 END     \
        CHANGED_2 END DELETED_2 END TRAILER_2 END
#define VERSION_2 VERSION_2_FIRST VERSION_2_SECOND

/* Version 1 has other columns in the header and the trailer, and another order of sections. New and
 * changed objects share a section. Reusable objects are in the same rows as ordinary objects. */
#define VERSION_1                                                                                  \
    HEADER_COLUMNS("1")                                                                            \
    "\n" END PLATFORMS END TYPES END BUILT_INS END OBJECTS_1 END PLATFORM_1 END END CALL_TREE END  \
        SOURCES END NAMES END                                                                      \
    "5000 6 1720 1500 7 4 0\n" END HEADER_2(                                                       \
        "1") "\n" END END END END BORN_2 "2 72 260 1 1 1001 101 15 0 0 1 3 9 0 0 0\n"              \
             "6 41 30 1 1 1005 0 0 0 0 1 0 0 0 0 0\n" END PLATFORM_2 END DELETED_2 END END END END \
             "9000 6 1849 1600 7 4 0\n" END
