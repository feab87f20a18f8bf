#include "catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const PlatformEntry catalog_platform[] = {
    {{"Memory Profiler", 1}, 1048576, 16384},
    {{"General", 2}, 6291456, 0},
    {{"RCode Directory (-D)", 3}, 819200, 4096},
    {{"RCode Execution Buffer (-mmax)", 4}, 3145728, 65536},
    {{"Temp-table DB (-Bt)", 6}, 2097152, 24576},
    {{"Runtime Stack (-s)", 7}, 131072, 0},
    {{"Local Buffers (-l)", 8}, 40960, 512},
    {{"Record Buffers", 9}, 245760, 2048},
    {{"Compiler", 11}, 0, 0},
    {{"CPU Profiler", 12}, 0, 0},
    {{"Sort (-TB)", 14}, 32768, 0},
    {{"DB Client Schema Cache", 15}, 1867776, 0},
    {{"ICU Libraries", 17}, 655360, 0},
    {{"XML Parser", 18}, 20480, 256},
    {{NULL, 0}, 0, 0},
};

const CatalogEntry catalog_types[] = {
    {"UI Window", 1},
    {"UI Frame", 2},
    {"UI Dialog-Box", 3},
    {"UI Menu", 5},
    {"UI Button", 9},
    {"UI Browse", 12},
    {"UI Fill-In", 15},
    {"Procedure", 34},
    {"Server", 35},
    {"ASync Object", 36},
    {"Dynamic Query", 41},
    {"Dynamic Buffer", 42},
    {"Dynamic Buffer-Field", 43},
    {"Transaction", 44},
    {"Dynamic Temp-table", 45},
    {"XML Node", 46},
    {"XML Document", 47},
    {"SAX Reader", 49},
    {"SAX Writer", 50},
    {"Socket", 52},
    {"Server Socket", 53},
    {"Data-Source", 55},
    {"Dataset", 56},
    {"DB Connection", 59},
    {"OOABL Obj", 62},
    {".NET Obj", 63},
    {"MEMPTR", 64},
    {"Large Object", 65},
    {"OO BuiltIn", 66},
    {"Widget Pool", 68},
    {"Named Widget Pool", 69},
    {"Temp-table", 72},
    {"Global Shared Temp-Table", 74},
    {"OOABL Static Obj", 75},
    {"OO Static Temp-table", 76},
    {"Auto Dynamic Temp-table", 77},
    {"Reusable Obj", 79},
    {NULL, 0},
};

const CatalogEntry catalog_builtins[] = {
    {"Progress.Lang.Object", 1},
    {"Progress.Lang.Class", 2},
    {"Progress.Lang.Error", 3},
    {"Progress.Lang.SysError", 4},
    {"Progress.Lang.AppError", 5},
    {"Progress.Lang.ParameterList", 8},
    {"Progress.Json.ObjectModel.ObjectModelParser", 21},
    {"Progress.Json.ObjectModel.JsonObject", 22},
    {"Progress.Json.ObjectModel.JsonArray", 23},
    {"Progress.IO.FileInputStream", 31},
    {"Progress.Collections.List", 40},
    {"Progress.Collections.HashMap", 41},
    {NULL, 0},
};

int catalog_id(const CatalogEntry *list, const char *name)
{
    for (; list->name; list++) {
        if (!strcmp(list->name, name)) {
            return list->id;
        }
    }
    fprintf(stderr, "memprof-generate: the plan names '%s', which no catalogue holds\n", name);
    abort();
}

int64_t catalog_platform_bytes(const PlatformEntry *entry, int snapshot)
{
    return entry->bytes + entry->growth * (snapshot - 1);
}

int64_t catalog_platform_total(int snapshot)
{
    int64_t total = 0;
    for (const PlatformEntry *entry = catalog_platform; entry->entry.name; entry++) {
        total += catalog_platform_bytes(entry, snapshot);
    }
    return total;
}
