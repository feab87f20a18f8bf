// The three catalogues at the head of a memory recording.
#ifndef GENERATOR_CATALOG_H
#define GENERATOR_CATALOG_H

#include <stdint.h>

typedef struct CatalogEntry {
    const char *name;
    int id;
} CatalogEntry;

// What a part of the AVM itself uses: `bytes` at the start, `growth` more at each snapshot.
typedef struct PlatformEntry {
    CatalogEntry entry;
    int64_t bytes;
    int64_t growth;
} PlatformEntry;

// Each ends with an entry without a name.
extern const PlatformEntry catalog_platform[];
extern const CatalogEntry catalog_types[];
extern const CatalogEntry catalog_builtins[];

// The id of a name in such a list; a name that is not there is a fault of the plan.
int catalog_id(const CatalogEntry *list, const char *name);

int64_t catalog_platform_bytes(const PlatformEntry *entry, int snapshot);
int64_t catalog_platform_total(int snapshot);

#endif
