/* What archives have in them is listed once, and a walk through one is not thrown away with the
 * member it stands at: who reads the members in their order goes through an archive once, also
 * through one in which nothing can be found without unpacking what is in front of it. Who reads
 * them in another order goes through it a few times, and then reads them from a temporary file. */
#include "input/members.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "input/part.h"
#include "input/pipes.h"

enum { MOST_ARCHIVES = 8, MOST_WALKS = 8, MOST_TURNS = 3 };

/* Of one archive, in a temporary file. */
#define MOST_SPREAD ((uint64_t)1 << 30)

typedef struct listed_member {
    const char *name;
    mp_member_place place;
    mp_layers layers;
    bool spread;
    uint64_t from, length; /* where it then is */
} listed_member;

/* Of one file, as long as it is the same. What is not said to be under a lock stays as it was
 * listed. */
typedef struct listing {
    struct stat file;
    mp_arena names;
    listed_member *members; /* by their names, of one name by their places */
    size_t count, capacity;
    mp_failure failure;   /* at which the list ends, or for which there are gaps in it */
    atomic_uint holders;  /* the table below, and whoever is at work with it */
    uint64_t used;        /* the larger, the later; under the table's lock */
    pthread_mutex_t lock; /* of what follows, and of where members are spread to */
    mp_walk *idle[MOST_WALKS];
    uint32_t turns; /* how often somebody asked for what all walks had passed */
    int spread;     /* the file in which members are; -1: none */
} listing;

/* Held for the table alone: who reads one archive never waits for who reads another one. */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static listing *listings[MOST_ARCHIVES];
static uint64_t uses;

static struct stat file_of(const mp_stream *bottom)
{
    struct stat status = {0};
    if (fstat(mp_stream_descriptor(bottom), &status) != 0)
        status.st_ino = 0;
    return status;
}

/* The last one who holds it puts it away. NULL: nothing happens. */
static void let_go(listing *list)
{
    if (!list || atomic_fetch_sub(&list->holders, 1) > 1)
        return;
    for (size_t i = 0; i < MOST_WALKS; i++)
        mp_walk_free(list->idle[i]);
    if (list->spread >= 0)
        close(list->spread);
    pthread_mutex_destroy(&list->lock);
    mp_arena_free(&list->names);
    free(list->members);
    free(list->failure.inside);
    free(list);
}

/* Under the table's lock, held by who asks from now on. */
static listing *find(const struct stat *file)
{
    for (size_t i = 0; i < MOST_ARCHIVES; i++)
        if (listings[i] && mp_file_is_same(&listings[i]->file, file)) {
            listings[i]->used = ++uses;
            atomic_fetch_add(&listings[i]->holders, 1);
            return listings[i];
        }
    return NULL;
}

static listing *hold(const struct stat *file)
{
    pthread_mutex_lock(&table_lock);
    listing *list = find(file);
    pthread_mutex_unlock(&table_lock);
    return list;
}

/* Under the table's lock: in the place of the one that was not used for the longest time. */
static void keep(listing *list)
{
    size_t at = 0;
    for (size_t i = 1; i < MOST_ARCHIVES && listings[at]; i++)
        if (!listings[i] || listings[i]->used < listings[at]->used)
            at = i;
    let_go(listings[at]);
    list->used = ++uses;
    atomic_fetch_add(&list->holders, 1);
    listings[at] = list;
}

/* --- walks --- */

static void release(mp_walk *walk)
{
    struct stat file = file_of(mp_walk_file(walk));
    listing *list = hold(&file);
    if (list) {
        pthread_mutex_lock(&list->lock);
        for (size_t i = 0; walk && i < MOST_WALKS; i++)
            if (!list->idle[i]) {
                list->idle[i] = walk;
                walk = NULL;
            }
        pthread_mutex_unlock(&list->lock);
    }
    let_go(list);
    mp_walk_free(walk);
}

/* Under the listing's lock: the one that has come farthest, but not too far; or NULL. */
static mp_walk *take_walk(listing *list, const mp_member_place *place)
{
    mp_walk **best = NULL;
    bool any = false;
    for (size_t i = 0; i < MOST_WALKS; i++) {
        mp_walk **idle = &list->idle[i];
        any |= *idle != NULL;
        if (*idle && mp_place_compare(mp_walk_place(*idle), place) < 0 &&
            (!best || mp_place_compare(mp_walk_place(*idle), mp_walk_place(*best)) > 0))
            best = idle;
    }
    mp_walk *walk = best ? *best : NULL;
    if (best)
        *best = NULL;
    list->turns += any && !walk;
    return walk;
}

/* --- listing --- */

static int by_name(const void *left, const void *right)
{
    const listed_member *a = left, *b = right;
    int names = strcmp(a->name, b->name);
    return names ? names : mp_place_compare(&a->place, &b->place);
}

static void list_member(listing *list, const mp_member *member)
{
    mp_grow(&list->members, &list->capacity, list->count + 1, sizeof *list->members);
    const char *name = mp_arena_copy(&list->names, member->name, strlen(member->name));
    list->members[list->count++] =
        (listed_member){.name = name, .place = member->place, .layers = member->layers};
}

/* Through the whole archive, once; NULL as `visit`: only for its names. Held by who asks. */
static listing *list_all(const char *path, mp_walk *walk, mp_member_visit *visit, void *opaque)
{
    listing *list = mp_alloc_zero(1, sizeof *list);
    list->holders = 1;
    list->spread = -1;
    pthread_mutex_init(&list->lock, NULL);
    mp_arena paths = {0};
    mp_member member;
    while (mp_walk_next(walk, &member)) {
        list_member(list, &member);
        if (visit)
            visit(opaque, mp_arena_format(&paths, "%s:%s", path, member.name), &member);
        mp_stream_close(member.stream);
        mp_arena_free(&paths);
    }
    list->failure = mp_failure_copy(mp_walk_failure(walk));
    if (list->count)
        qsort(list->members, list->count, sizeof *list->members, by_name);
    return list;
}

/* Keep it for the next who asks; gives the one that is kept, of this file, in its stead. */
static listing *remember(listing *list, const struct stat *file)
{
    if (!file->st_ino)
        return list;
    list->file = *file;
    pthread_mutex_lock(&table_lock);
    listing *there = find(file);
    if (!there)
        keep(list);
    pthread_mutex_unlock(&table_lock);
    if (there)
        let_go(list);
    return there ? there : list;
}

mp_failure mp_members_visit(const char *path, const mp_opened_archive *archive,
                            mp_member_visit *visit, void *opaque)
{
    struct stat file = file_of(archive->stream->bottom);
    mp_walk *walk =
        mp_walk_new(archive->stream, archive->packing, archive->layers, archive->limits);
    listing *list = remember(list_all(path, walk, visit, opaque), &file);
    mp_failure failure = mp_failure_copy(&list->failure);
    mp_walk_free(walk);
    let_go(list);
    return failure;
}

/* --- one member --- */

size_t mp_members_archive(const char *path)
{
    struct stat status;
    for (size_t length = strlen(path); length-- > 1;) {
        if (path[length] != ':')
            continue;
        char *archive = mp_alloc(length + 1);
        memcpy(archive, path, length);
        archive[length] = '\0';
        bool is = (stat(archive, &status) == 0 && S_ISREG(status.st_mode)) || mp_pipes_has(archive);
        free(archive);
        if (is)
            return length;
    }
    return 0;
}

static const listed_member *last_of(const listing *list, const char *name)
{
    size_t from = 0, to = list->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(list->members[middle].name, name) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    bool is = from && strcmp(list->members[from - 1].name, name) == 0;
    return is ? &list->members[from - 1] : NULL;
}

static void guess(const listing *list, const char *name, char *meant, size_t size)
{
    const char **names = mp_alloc((list->count + 1) * sizeof *names);
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->members[i].name;
    const char *nearest = mp_text_nearest(name, names, list->count);
    snprintf(meant, size, "%s", nearest ? nearest : "");
    free(names);
}

static mp_walk *walk_again(const mp_opened_archive *archive)
{
    mp_stream *again = mp_stream_again(archive->stream);
    return again ? mp_walk_new(again, archive->packing, archive->layers, archive->limits) : NULL;
}

/* Under the listing's lock: put the members into a temporary file, in one go through the archive.
 * What finds no room there, or is damaged, is still walked to. */
static void spread(listing *list, const mp_opened_archive *archive)
{
    mp_walk *walk = walk_again(archive);
    mp_member member;
    uint64_t at = 0, length;
    bool room = true;
    list->turns = 0;
    list->spread = walk ? mp_stream_temporary() : -1;
    while (list->spread >= 0 && room && mp_walk_next(walk, &member)) {
        const listed_member key = {.name = member.name, .place = member.place};
        listed_member *own =
            bsearch(&key, list->members, list->count, sizeof *list->members, by_name);
        room = mp_stream_pour(member.stream, list->spread, MOST_SPREAD - at, &length);
        if (own && room && !member.stream->fault) {
            own->spread = true;
            own->from = at;
            own->length = length;
        }
        at += length;
        mp_stream_close(member.stream);
    }
    mp_walk_free(walk);
}

/* What a member is read by: a part of the file that members were put into, or a walk that stands in
 * front of it. */
typedef struct way {
    mp_stream *part;
    mp_walk *walk;
} way;

/* Neither: by a new walk. Who goes against the order of the archive would begin anew for each
 * member. */
static way way_to(listing *list, const listed_member *member, const mp_opened_archive *archive)
{
    pthread_mutex_lock(&list->lock);
    way is = {.part = NULL, .walk = member->spread ? NULL : take_walk(list, &member->place)};
    if (list->turns >= MOST_TURNS && list->spread < 0)
        spread(list, archive);
    if (member->spread)
        is.part = mp_part_new(list->spread, member->from, member->length);
    pthread_mutex_unlock(&list->lock);
    return is;
}

/* Of the archive, listed once for each file. NULL: it cannot be opened again. */
static listing *listing_of(const mp_opened_archive *archive)
{
    struct stat file = file_of(archive->stream->bottom);
    listing *list = hold(&file);
    mp_walk *whole = list ? NULL : walk_again(archive);
    if (whole)
        list = remember(list_all("", whole, NULL, NULL), &file);
    mp_walk_free(whole);
    return list;
}

mp_stream *mp_members_open(const mp_opened_archive *archive, const char *name, mp_layers *around,
                           mp_failure *failure, char *meant, size_t size)
{
    way is = {.part = NULL};
    mp_member member = {.place = {.depth = 0}};
    listing *list = listing_of(archive);
    const listed_member *found = list ? last_of(list, name) : NULL;
    if (found) {
        is = way_to(list, found, archive);
        member = (mp_member){.place = found->place, .layers = found->layers, .stream = is.part};
    } else if (list) {
        *failure = mp_failure_copy(&list->failure);
        guess(list, name, meant, size);
    } else {
        *failure = (mp_failure){.fault = MP_FAULT_READ, .why = "it could not be listed"};
    }
    let_go(list);
    if (!is.part && !is.walk && member.place.depth)
        is.walk = mp_walk_new(archive->stream, archive->packing, archive->layers, archive->limits);
    else
        mp_stream_close(archive->stream);
    const mp_member_place place = member.place;
    if (is.walk && mp_walk_to(is.walk, &place, &member)) {
        mp_member_own(member.stream, release);
    } else if (is.walk) {
        *failure = mp_failure_copy(mp_walk_failure(is.walk));
        mp_stream_close(member.stream);
        mp_walk_free(is.walk);
        return NULL;
    }
    *around = member.layers;
    return member.stream;
}

void mp_members_forget(void)
{
    pthread_mutex_lock(&table_lock);
    for (size_t i = 0; i < MOST_ARCHIVES; i++) {
        let_go(listings[i]);
        listings[i] = NULL;
    }
    pthread_mutex_unlock(&table_lock);
    mp_pipes_forget();
}
