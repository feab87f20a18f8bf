/* Recognition of foreign files: signatures of formats that users may confuse with recordings, taken
 * from their public descriptions. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "readers/reader.h"

static const struct {
    const char *bytes;
    size_t length;
    const char *kind;
} signatures[] = {
#define SIGNATURE(bytes, kind)                                                                     \
    {                                                                                              \
        bytes, sizeof bytes - 1, kind                                                              \
    }
    SIGNATURE("PK\x03\x04", "a zip file (unpack it first)"),
    SIGNATURE("{\"memprof-baseline\"",
              "a baseline of memprof (a file for memprof diff or memprof gate " MP_DASHES "base)"),
    SIGNATURE("SQLite format 3", "an SQLite database"),
    SIGNATURE("\x7f"
              "ELF",
              "an ELF program"),
    SIGNATURE("MZ", "a Windows program"),
    SIGNATURE("MDMP", "a Windows minidump (a debugger reads it; memprof needs a recording of "
                      "allocations, or a heap dump)"),
    SIGNATURE("%PDF", "a PDF document"),
    SIGNATURE("\x89PNG", "a PNG picture"),
    SIGNATURE("JAVA PROFILE", "a Java profile of hprof in text, or of another version (jcmd PID "
                              "GC.heap_dump FILE writes a heap dump)"),
    SIGNATURE("FLR\0", "a Java Flight Recording (async-profiler's jfrconv -o collapsed FILE OUT "
                       "writes folded stacks)"),
    SIGNATURE("PERFILE2", "a Linux perf recording (perf script -i FILE | stackcollapse-perf.pl "
                          "writes folded stacks)"),
    SIGNATURE("memray", "a memray recording (memray stats or memray tree reports it)"),
    SIGNATURE("Nettrace", "a .NET event trace (dotnet-trace report reports it)"),
    SIGNATURE("\x14\0\0\0!FastSerialization.1",
              "a .NET heap dump of dotnet-gcdump (dotnet-gcdump report lists its types)"),
    SIGNATURE("bplist00", "a property list or memory graph of macOS (leaks reads memory graphs)"),
    SIGNATURE("go1.7 heap dump\n", "a heap dump of Go (record a heap profile by runtime/pprof)"),
    SIGNATURE("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
              "a CPU profile of gperftools (pprof -top PROGRAM FILE reports it)"),
    SIGNATURE("goroutine profile:", "a list of goroutines in text (record it without debug=)"),
    SIGNATURE("--- contention:", "a profile of locks in Go (go tool pprof -top reports it)"),
    SIGNATURE("--- mutex:", "a profile of locks in Go (go tool pprof -top reports it)"),
    SIGNATURE("# callgrind format", "a callgrind profile (callgrind_annotate FILE reports it)"),
    SIGNATURE("{\"traceEvents\"", "a trace of Chrome (its Memory panel writes heap snapshots, and "
                                  "its JavaScript profiler .cpuprofile files)"),
    SIGNATURE("{\"$schema\":\"https://www.speedscope.app",
              "a profile of speedscope (record folded stacks, or a pprof profile)"),
    SIGNATURE("Dr. Memory", "a report of Dr. Memory (valgrind " MP_DASHES "xml=yes " MP_DASHES
                            "xml-file=FILE records leaks)"),
    SIGNATURE("<?xml", "an XML document"),
    SIGNATURE("<!DOCTYPE", "an HTML page"),
    SIGNATURE("<html", "an HTML page"),
    SIGNATURE("#!", "a script"),
#undef SIGNATURE
};

/* Return true for a raw recording of heaptrack: a version line "v <hex> <n>", then records that
 * begin with a letter. Only raw recordings have records about the program and about modules. */
static bool is_raw_heaptrack(mp_slice head)
{
    return mp_slice_starts(head, "v ") && (memmem(head.start, head.length, "\nx ", 3) ||
                                           memmem(head.start, head.length, "\nm ", 3));
}

/* Return the kind of a text that contains the mark of a tool, perhaps after other lines; NULL if it
 * has none. */
static const char *marked_kind(mp_slice head)
{
    static const struct {
        const char *text, *kind;
    } marks[] = {
        {"== Memcheck, a memory error detector",
         "a report of memcheck in text (valgrind " MP_DASHES "xml=yes " MP_DASHES
         "xml-file=FILE records one that can be read)"},
        {"ERROR: AddressSanitizer", "a report of AddressSanitizer without leaks"},
        {"#instances         #bytes  class name",
         "a histogram of jmap in text (jcmd PID GC.heap_dump FILE writes a heap dump)"},
        {"][gc", "a log of Java's garbage collector (jcmd PID GC.heap_dump FILE writes a heap "
                 "dump)"},
        {"PROGRESS stack trace as of", "a protrace file, which has stacks but no memory (log "
                                       "DynObjects.*, or switch the memory profiler on)"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (memmem(head.start, head.length, marks[i].text, strlen(marks[i].text)))
            return marks[i].kind;
    return NULL;
}

/* Return true for an ELF file of type ET_CORE. */
static bool is_core_dump(mp_slice head)
{
    enum { TYPE = 16, CORE = 4 };
    return mp_slice_starts(head, "\x7f"
                                 "ELF") &&
           head.length > TYPE + 1 && head.start[TYPE] + head.start[TYPE + 1] == CORE;
}

static bool is_binary(mp_slice head)
{
    size_t odd = 0;
    for (size_t i = 0; i < head.length; i++) {
        unsigned char byte = (unsigned char)head.start[i];
        odd += byte == 0 || (byte < 32 && !strchr("\t\n\v\f\r\033", byte));
    }
    return odd * 20 > head.length;
}

/* Return true if the first two lines contain the same number of commas or semicolons, at least
 * two. */
static bool is_csv(mp_slice head)
{
    size_t commas[2] = {0, 0}, line = 0;
    for (size_t i = 0; i < head.length && line < 2; i++) {
        if (head.start[i] == '\n')
            line++;
        else if (head.start[i] == ',' || head.start[i] == ';')
            commas[line]++;
    }
    return line == 2 && commas[0] >= 2 && commas[0] == commas[1];
}

const char *mp_foreign_kind(mp_slice head)
{
    if (is_core_dump(head))
        return "a core dump (gdb reads it; memprof needs a recording of allocations, such as one "
               "of heaptrack)";
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (head.length >= signatures[i].length &&
            memcmp(head.start, signatures[i].bytes, signatures[i].length) == 0)
            return signatures[i].kind;
    if (is_raw_heaptrack(head))
        return "a raw heaptrack recording (heaptrack " MP_DASHES
               "interpret FILE converts it; before 1.5, heaptrack_interpret)";
    if (is_binary(head))
        return "a binary file";
    const char *marked = marked_kind(head);
    if (marked)
        return marked;
    size_t i = 0;
    while (i < head.length && strchr(" \t\r\n", head.start[i]) && head.start[i])
        i++;
    if (i < head.length && (head.start[i] == '{' || head.start[i] == '['))
        return "a JSON document";
    return is_csv(head) ? "a CSV table" : "a text file of another kind";
}
