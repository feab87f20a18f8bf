/* Builds: what each site has in one digest after another.
 *
 * Digests come one by one, each with a dictionary of its own, and need not live on: what is kept of
 * them is a number for each site that has anything, and the names and stacks of sites once. Lines
 * of sources move from build to build, so a site is known by its type and the names on its stack,
 * as diff does with ignore-lines; objects with a stack are not told apart by their own names. A
 * type of a dump is a site; of profiles, a method is.
 *
 * Memory: about 100 bytes for each different site, 16 for each site of each build. */
#ifndef MP_COMPARE_BUILDS_H
#define MP_COMPARE_BUILDS_H

#include "base/error.h"
#include "compare/digest.h"

typedef struct mp_build {
    const char *path;
    int64_t start_us;          /* 0: not known */
    int64_t amount;            /* bytes alive; of profiles, microseconds */
    uint32_t sites;            /* with any */
    uint32_t worst;            /* site that leaks most, by place, if any leaks */
    int64_t leaking_bytes;     /* bytes that `worst` leaks; 0: nothing leaks, or it is a baseline */
    bool complete, open_ended; /* as of a digest */
    bool cut;                  /* it is not complete, and no snapshot of it was named */
} mp_build;

typedef struct mp_built_site {
    mp_entry_key key; /* key in the builds' dictionary, named as by the last build added */
    uint32_t point;   /* the first of its points, once settled */
    uint32_t count;   /* number of its points: the builds in which it has anything */
    bool several;     /* its objects have several names, and none is told */
} mp_built_site;

/* Amount of a site in a build. */
typedef struct mp_built_point {
    uint32_t site, build;
    int64_t amount;
} mp_built_point;

typedef struct mp_builds {
    mp_kind kind;   /* kind of every build */
    unsigned holds; /* capabilities of the first: MP_HOLDS_... */
    const char *conditions;
    mp_dictionary *dictionary;
    mp_build *items;
    size_t count, capacity;
    mp_built_site *sites;
    size_t site_count, site_capacity;
    mp_hash_index index;
    mp_built_point *points; /* once settled by site, then by build */
    size_t point_count, point_capacity;
} mp_builds;

/* Zero-initialise to start; release with mp_builds_free. */
void mp_builds_free(mp_builds *builds);

/* Add a digest, whose texts are of `dictionary`. False with an error where it is of another kind
 * than the first, or says it of another selection. */
bool mp_builds_add(mp_builds *builds, const mp_digest *digest, const mp_dictionary *dictionary,
                   mp_error *error);

/* Return the first build without a start time; NULL if all have one. */
const mp_build *mp_builds_timeless(const mp_builds *builds);
/* Put all in order, when all were added: by the time they began, equal ones by name, or by name,
 * numbers in which are numbers. Points are then complete. */
void mp_builds_settle(mp_builds *builds, bool by_time);
/* The amounts of a site in all builds, `builds->count` of them. */
void mp_builds_series(const mp_builds *builds, const mp_built_site *site, int64_t *amounts);

#endif
