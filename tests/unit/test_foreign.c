/* Files that are not recordings are recognised. The message describes their kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/reader.h"

#define HEAD(text) (text), sizeof(text) - 1

static const struct {
    const char *bytes;
    size_t length;
    const char *kind; /* text that the description must contain */
} files[] = {
    {HEAD("PK\x03\x04\x14"), "zip file"},
    {HEAD("SQLite format 3\0"), "SQLite database"},
    {HEAD("\x7f"
          "ELF\x02"),
     "ELF program"},
    {HEAD("MZ\x90\0\x03"), "Windows program"},
    {HEAD("MDMP\x93\xa7"), "Windows minidump"},
    {HEAD("%PDF-1.7"), "PDF document"},
    {HEAD("\x89PNG\r\n\x1a\n"), "PNG picture"},
    {HEAD("JAVA PROFILE 1.0.1, created"), "a Java profile of hprof in text"},
    {HEAD("PERFILE2h"), "Linux perf"},
    {HEAD("memray\0"), "memray"},
    {HEAD("{\"memprof-baseline\":1,\"kind\":\"dump\"}"), "baseline of memprof"},
    {HEAD("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27"), "CPU profile of gperftools"},
    {HEAD("goroutine profile: total 2\n"), "list of goroutines"},
    {HEAD("--- contention:\ncycles/second=1\n"), "profile of locks"},
    {HEAD("--- mutex:\ncycles/second=1\n"), "profile of locks"},
    {HEAD("one; two 3\nand so; on 4\n"), "text file of another kind"},
    {HEAD("a;b;c\na;b;12\n"), "CSV table"},
    {HEAD("# callgrind format\nversion: 1\n"), "callgrind profile"},
    {HEAD("<?xml version=\"1.0\"?>"), "XML document"},
    {HEAD("<!DOCTYPE html>"), "HTML page"},
    {HEAD("<html><body>"), "HTML page"},
    {HEAD("#!/bin/sh\n"), "script"},
    {HEAD("v 10400 3\nx 5 a.out\n"), "raw heaptrack"},
    {HEAD("==1== Memcheck, a memory error detector\n"), "memcheck in text"},
    {HEAD("==1==ERROR: AddressSanitizer: heap-use-after-free\n"), "without leaks"},
    {HEAD("{\"schema\": 1}"), "JSON document"},
    {HEAD(" \r\n\t[1, 2]"), "JSON document"},
    {HEAD("a,b,c\n1,2,3\n"), "CSV table"},
    {HEAD("a;b;c\n1;2;3\n"), "CSV table"},
    {HEAD("\0\0\0\0"), "binary file"},
    {HEAD("\x01\x02\x03text"), "binary file"},
    {HEAD("FLR\0\0\2\0\1"), "folded stacks"},
    {HEAD("{\"traceEvents\":[]}"), "heap snapshots"},
    {HEAD("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}"), "speedscope"},
    {HEAD("Dr. Memory version 2.6\n"), "Dr. Memory"},
    {HEAD("\x7f"
          "ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0"),
     "core dump"},
    {HEAD("\n num     #instances         #bytes  class name\n"), "GC.heap_dump"},
    {HEAD("[0.005s][info][gc] Using G1\n"), "garbage collector"},
    {HEAD("PROGRESS stack trace as of Mon Nov 2\n"), "protrace"},
    /* no known kind */
    {HEAD(""), "text file of another kind"},
    {HEAD("\x1f"), "binary file"},
    {HEAD("PK"), "text file of another kind"},
    {HEAD("a,b\n1,2\n"), "text file of another kind"},
    {HEAD("a,b,c\n1,2\n"), "text file of another kind"},
    {HEAD("a,b,c\n1,2,3"), "text file of another kind"},
    {HEAD("v 1 2\nhello\n"), "text file of another kind"},
    {HEAD("v 1 2\n"), "text file of another kind"},
    {HEAD("Dear reader,\n"), "text file of another kind"},
    {HEAD("\t\033[1mcolours\033[0m\n"), "text file of another kind"},
};

static void every_signature_is_known(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        /* copy the beginning to a block of its exact size, so that a sanitizer detects reading
         * beyond it */
        char *head = malloc(files[i].length + 1);
        assert_non_null(head);
        memcpy(head, files[i].bytes, files[i].length);
        char *exact = realloc(head, files[i].length ? files[i].length : 1);
        const char *kind = mp_foreign_kind((mp_slice){exact, files[i].length});
        if (!strstr(kind, files[i].kind))
            assert_string_equal(kind, files[i].kind);
        free(exact);
    }
}

/* No reader claims a foreign file, or the beginning of one. */
static void no_reader_claims_them(void **unused)
{
    (void)unused;
    size_t count;
    const mp_reader *const *readers = mp_readers(&count);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t k = 0; k < count; k++)
            for (size_t length = 0; length <= files[i].length; length++)
                assert_int_equal(readers[k]->probe((mp_slice){files[i].bytes, length}),
                                 MP_NOT_MINE);
}

static void readers_are_found_by_name(void **unused)
{
    (void)unused;
    size_t count;
    const mp_reader *const *readers = mp_readers(&count);
    assert_in_range(count, 3, 100);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(mp_reader_find(readers[i]->name), readers[i]);
    assert_null(mp_reader_find("gzip"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_signature_is_known),
        cmocka_unit_test(no_reader_claims_them),
        cmocka_unit_test(readers_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
