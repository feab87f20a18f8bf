/* What archives have in them is listed once, and a walk through one is not thrown away with the
 * member it stands at: who reads the members in their order goes through an archive once, also
 * through one in which nothing can be found without unpacking what is in front of it. */
#include "input/members.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "input/pipes.h"

enum { MOST_ARCHIVES = 8, MOST_WALKS = 8 };

typedef struct listed_member {
    const char *name;
    mp_member_place place;
} listed_member;

/* Of one file, as long as it is the same. */
typedef struct listing {
    struct stat file;
    mp_arena names;
    listed_member *members; /* by their names, of one name by their places */
    size_t count, capacity;
    mp_fault fault; /* at which the list ends, or for which there are gaps in it */
    char why[200];
    mp_walk *idle[MOST_WALKS];
    uint64_t used; /* the larger, the later */
} listing;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static listing *listings[MOST_ARCHIVES];
static uint64_t uses;
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static struct stat file_of(const mp_stream *bottom)
{
    struct stat status = {0};
    if (fstat(mp_stream_descriptor(bottom), &status) != 0)
        status.st_ino = 0;
    return status;
}

static void forget(listing *list)
{
    for (size_t i = 0; list && i < MOST_WALKS; i++)
        mp_walk_free(list->idle[i]);
    if (list) {
        mp_arena_free(&list->names);
        free(list->members);
    }
    free(list);
}

/* Under the lock. */
static listing *find(const struct stat *file)
{
    for (size_t i = 0; i < MOST_ARCHIVES; i++)
        if (listings[i] && is_same(&listings[i]->file, file)) {
            listings[i]->used = ++uses;
            return listings[i];
        }
    return NULL;
}

/* Under the lock: in the place of the one that was not used for the longest time. */
static void keep(listing *list)
{
    size_t at = 0;
    for (size_t i = 1; i < MOST_ARCHIVES && listings[at]; i++)
        if (!listings[i] || listings[i]->used < listings[at]->used)
            at = i;
    forget(listings[at]);
    list->used = ++uses;
    listings[at] = list;
}

/* --- walks --- */

static void release(mp_walk *walk)
{
    struct stat file = file_of(mp_walk_file(walk));
    pthread_mutex_lock(&lock);
    listing *list = find(&file);
    for (size_t i = 0; list && walk && i < MOST_WALKS; i++)
        if (!list->idle[i]) {
            list->idle[i] = walk;
            walk = NULL;
        }
    pthread_mutex_unlock(&lock);
    mp_walk_free(walk);
}

/* Under the lock: the one that has come farthest, but not too far. NULL: there is none. */
static mp_walk *take_walk(listing *list, const mp_member_place *place)
{
    mp_walk **best = NULL;
    for (size_t i = 0; i < MOST_WALKS; i++) {
        mp_walk **idle = &list->idle[i];
        if (*idle && mp_place_compare(mp_walk_place(*idle), place) < 0 &&
            (!best || mp_place_compare(mp_walk_place(*idle), mp_walk_place(*best)) > 0))
            best = idle;
    }
    mp_walk *walk = best ? *best : NULL;
    if (best)
        *best = NULL;
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
    list->members[list->count++] = (listed_member){name, member->place};
}

/* Through the whole archive, once; NULL as `visit`: only for its names. */
static listing *list_all(const char *path, mp_walk *walk, mp_member_visit *visit, void *opaque)
{
    listing *list = mp_alloc_zero(1, sizeof *list);
    mp_arena paths = {0};
    mp_member member;
    while (mp_walk_next(walk, &member)) {
        list_member(list, &member);
        if (visit)
            visit(opaque, mp_arena_format(&paths, "%s:%s", path, member.name), &member);
        mp_stream_close(member.stream);
        mp_arena_free(&paths);
    }
    const char *why;
    list->fault = mp_walk_fault(walk, &why);
    snprintf(list->why, sizeof list->why, "%s", why);
    if (list->count)
        qsort(list->members, list->count, sizeof *list->members, by_name);
    return list;
}

/* Keep it for the next who asks; gives the one that is kept. */
static listing *remember(listing *list, const struct stat *file)
{
    list->file = *file;
    pthread_mutex_lock(&lock);
    listing *there = find(file);
    if (!there)
        keep(list);
    pthread_mutex_unlock(&lock);
    if (there)
        forget(list);
    return there ? there : list;
}

mp_fault mp_members_visit(const char *path, mp_stream *stream, mp_packing packing,
                          const mp_layers *layers, const mp_unpack_limits *limits,
                          mp_member_visit *visit, void *opaque, char *text, size_t size)
{
    struct stat file = file_of(stream->bottom);
    mp_walk *walk = mp_walk_new(stream, packing, layers, limits);
    listing *list = list_all(path, walk, visit, opaque);
    mp_fault fault = list->fault;
    snprintf(text, size, "%s", list->why);
    mp_walk_free(walk);
    if (file.st_ino)
        remember(list, &file);
    else
        forget(list);
    return fault;
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

mp_stream *mp_members_open(const char *path, size_t length, mp_stream *archive, mp_packing packing,
                           const mp_layers *layers, const mp_unpack_limits *limits,
                           mp_layers *around, mp_fault *fault, char *text, size_t size)
{
    struct stat file = file_of(archive->bottom);
    const char *name = path + length + 1;
    mp_walk *walk = NULL;
    mp_member member = {.stream = NULL};
    pthread_mutex_lock(&lock);
    bool known = find(&file) != NULL;
    pthread_mutex_unlock(&lock);
    if (!known) {
        mp_stream *again = mp_stream_again(archive);
        mp_walk *whole = again ? mp_walk_new(again, packing, layers, limits) : NULL;
        if (whole)
            remember(list_all(path, whole, NULL, NULL), &file);
        mp_walk_free(whole);
    }
    pthread_mutex_lock(&lock);
    listing *list = find(&file);
    const listed_member *found = list ? last_of(list, name) : NULL;
    mp_member_place place = found ? found->place : (mp_member_place){.depth = 0};
    if (found)
        walk = take_walk(list, &place);
    else if (list && list->fault)
        snprintf(text, size, "%s", list->why);
    else if (list)
        guess(list, name, text, size);
    *fault = list && !found ? list->fault : MP_FAULT_NONE;
    pthread_mutex_unlock(&lock);
    if (walk || !place.depth)
        mp_stream_close(archive);
    else
        walk = mp_walk_new(archive, packing, layers, limits);
    if (!place.depth)
        return NULL;
    if (!mp_walk_to(walk, &place, &member)) {
        const char *why;
        *fault = mp_walk_fault(walk, &why);
        snprintf(text, size, "%s", why);
        mp_stream_close(member.stream);
        mp_walk_free(walk);
        return NULL;
    }
    *around = member.layers;
    mp_member_own(member.stream, release);
    return member.stream;
}

void mp_members_forget(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_ARCHIVES; i++) {
        forget(listings[i]);
        listings[i] = NULL;
    }
    pthread_mutex_unlock(&lock);
    mp_pipes_forget();
}
