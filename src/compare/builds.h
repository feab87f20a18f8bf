/* Builds: the amounts of each site in a sequence of digests.
 *
 * Digests are added one after another, each with its own dictionary, and can then be freed. Only
 * one number for each site of a digest is kept, and the names and stacks of all sites once. A site
 * is identified by its type and the names on its stack, like in diff with ignore-lines, because
 * lines move from build to build. The names of its objects only matter if there is no stack. For
 * dumps, a site is a type; for profiles, a method.
 *
 * Memory: about 100 bytes for each distinct site, and 16 bytes for each site of each build. */
#pragma once

#include "base/error.h"
#include "compare/digest.h"

typedef struct mp_build {
    const char *path;
    int64_t start_us; /* start time in microseconds since 1970; 0: unknown */
    int64_t amount;   /* bytes alive; for profiles, microseconds */
    uint32_t sites;   /* number of sites with an amount */
    uint32_t worst;   /* index of the site with the largest leak; valid if leaking_bytes is not 0 */
    int64_t leaking_bytes; /* bytes that `worst` leaks; 0: no leak, or the build is a baseline */
    bool complete, open_ended; /* as in mp_digest */
    bool damaged;              /* a part of it could not be used */
    bool cut;          /* the recording is not complete, and the user did not select a snapshot */
    bool of_moment;    /* the user selected a snapshot */
    mp_amounts totals; /* as in mp_digest */
} mp_build;

typedef struct mp_built_site {
    mp_entry_key key; /* key in the builds' dictionary, with the names of the latest build */
    uint32_t point;   /* index of its first point, after mp_builds_settle */
    uint32_t count;   /* number of its points, and thus of the builds that have it */
    bool several;     /* its objects have different names, so no name is shown */
} mp_built_site;

/* Amount of a site in a build. */
typedef struct mp_built_point {
    uint32_t site, build;
    int64_t amount;
} mp_built_point;

typedef struct mp_builds {
    mp_kind kind;   /* kind of every build */
    unsigned holds; /* MP_HOLDS_...: capabilities of the kind; also MP_HOLDS_UNSIZED if any build
                       has it */
    const char *noun, *conditions; /* the same value for every build, as in mp_digest */
    mp_unmatched unmatched;        /* patterns of the selection that nothing matched in any build */
    mp_dictionary *dictionary;
    mp_build *items;
    size_t count, capacity;
    mp_built_site *sites;
    size_t site_count, site_capacity;
    mp_key_index index;
    mp_built_point *points; /* sorted by site, then by build, after mp_builds_settle */
    size_t point_count, point_capacity;
} mp_builds;

/* Zero-initialise to start; release with mp_builds_free. */
void mp_builds_free(mp_builds *builds);

/* Add a digest, whose texts and frames are numbers in `dictionary`. Return false with an error if
 * its kind or its selection is not that of the first build. */
bool mp_builds_add(mp_builds *builds, const mp_digest *digest, const mp_dictionary *dictionary,
                   mp_error *error);

/* Return the first build without a start time; NULL if all have one. */
const mp_build *mp_builds_timeless(const mp_builds *builds);
/* Sort the builds after all were added: by start time, then by name; or only by name. Numbers in
 * names are compared as numbers. The points are valid after this call. */
void mp_builds_settle(mp_builds *builds, bool by_time);
/* Store the amounts of a site in all builds in `amounts`, which has `builds->count` elements. */
void mp_builds_series(const mp_builds *builds, const mp_built_site *site, int64_t *amounts);
