#include "input/members.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sort.h"
#include "base/text.h"
#include "input/private.h"
#include "input/spool.h"

enum { MOST_ARCHIVES = 8, MOST_WALKS = 8, MOST_MISSES = 3 };

typedef struct listed_member {
    const char *name;
    mp_member_place place;
    mp_layers layers;
    bool wanted; /* the visitor will open it */
    bool direct; /* wanted, but did not fit into the spool */
    mp_spooled spooled;
} listed_member;

/* The members of an archive. A field that no lock protects does not change after the archive was
 * listed. */
struct mp_members {
    struct mp_members *next; /* protected by the lock of the inputs, like `used` */
    uint64_t used;           /* counter value at the last use */
    atomic_uint holders;     /* references: by the inputs and by current users */
    char *path;              /* path of an archive from a pipe; NULL: identified by its origin */
    mp_opened_archive archive;
    mp_arena names;
    listed_member *members; /* sorted by name; equal names by position */
    size_t count, capacity;
    mp_failure failure; /* reason why the list ends early or has gaps */
    pthread_mutex_t
        lock; /* protects the members below, and the state of each member of the archive */
    mp_walk *idle[MOST_WALKS];
    mp_spool spool;
    uint32_t misses; /* number of requests for members that no visitor wanted */
};

void mp_members_release(mp_members *state)
{
    if (!state || atomic_fetch_sub(&state->holders, 1) > 1)
        return;
    for (size_t i = 0; i < MOST_WALKS; i++)
        mp_walk_free(state->idle[i]);
    for (size_t i = 0; i < state->count; i++)
        free(state->members[i].spooled.why);
    mp_spool_close(&state->spool);
    mp_stream_close(state->archive.stream);
    pthread_mutex_destroy(&state->lock);
    mp_arena_free(&state->names);
    MP_FREE(state->members, state->failure.inside, state->path, state);
}

/* Return the pointer that leads to this archive in the list of archives; it points to NULL if there
 * is none. The caller holds the lock of the inputs. */
static mp_members **find(mp_inputs *inputs, const char *path)
{
    struct stat now;
    const bool is_there = stat(path, &now) == 0;
    mp_members **members = &inputs->archives;
    while (*members &&
           !((*members)->path ? strcmp((*members)->path, path) == 0
                              : is_there && mp_file_is_same(&(*members)->archive.origin, &now)))
        members = &(*members)->next;
    return members;
}

mp_members *mp_members_find(mp_inputs *inputs, const char *path)
{
    if (!inputs)
        return NULL;
    pthread_mutex_lock(&inputs->lock);
    mp_members *members = *find(inputs, path);
    if (members) {
        members->used = ++inputs->uses;
        atomic_fetch_add(&members->holders, 1);
    }
    pthread_mutex_unlock(&inputs->lock);
    return members;
}

/* Drop the least recently used archive if there are too many. Archives from pipes stay, because
 * they cannot be read again. The caller holds the lock of the inputs. */
static void drop_oldest(mp_inputs *inputs)
{
    size_t count = 0;
    mp_members **oldest = NULL;
    for (mp_members **members = &inputs->archives; *members; members = &(*members)->next)
        if (!(*members)->path) {
            count++;
            oldest = oldest && (*oldest)->used < (*members)->used ? oldest : members;
        }
    if (count > MOST_ARCHIVES) {
        mp_members *state = *oldest;
        *oldest = state->next;
        mp_members_release(state);
    }
}

static void keep(mp_inputs *inputs, mp_members *members)
{
    pthread_mutex_lock(&inputs->lock);
    members->used = ++inputs->uses;
    atomic_fetch_add(&members->holders, 1);
    members->next = inputs->archives;
    inputs->archives = members;
    drop_oldest(inputs);
    pthread_mutex_unlock(&inputs->lock);
}

void mp_members_forget(mp_inputs *inputs)
{
    while (inputs->archives) {
        mp_members *members = inputs->archives;
        inputs->archives = members->next;
        mp_members_release(members);
    }
}

mp_failure mp_members_failure(const mp_members *members)
{
    return mp_failure_copy(&members->failure);
}

const struct stat *mp_members_origin(const mp_members *members)
{
    return &members->archive.origin;
}

/* --- listing --- */

static int by_name(const void *left, const void *right)
{
    const listed_member *a = left, *b = right;
    int names = strcmp(a->name, b->name);
    return names ? names : mp_place_compare(&a->place, &b->place);
}

static void visit_member(mp_members *state, const char *path, mp_member *member,
                         mp_member_visit *visit, void *opaque)
{
    mp_arena paths = {0};
    const bool has_room = !mp_spool_is_full(&state->spool);
    listed_member *listed = MP_APPEND(state->members, state->count, state->capacity);
    const char *name = mp_arena_copy(&state->names, member->name, strlen(member->name));
    *listed = (listed_member){.name = name, .place = member->place, .layers = member->layers};
    if (has_room)
        member->stream =
            mp_spool_keep(&state->spool, member->stream, &listed->spooled, &listed->wanted);
    visit(opaque, mp_arena_format(&paths, "%s:%s", path, name), member, &listed->wanted);
    mp_stream_close(member->stream);
    listed->direct = listed->wanted && has_room && !listed->spooled.whole;
    mp_arena_free(&paths);
}

/* --- links --- */

typedef struct archived_link {
    const char *name, *target;
} archived_link;

typedef struct link_list {
    archived_link *items; /* sorted by name */
    size_t count, capacity;
    mp_arena texts;
} link_list;

static void add_link(link_list *links, const mp_member *member)
{
    *MP_APPEND(links->items, links->count, links->capacity) =
        (archived_link){mp_arena_copy(&links->texts, member->name, strlen(member->name)),
                        mp_arena_copy(&links->texts, member->target, strlen(member->target))};
}

static int by_link_name(const void *left, const void *right)
{
    const archived_link *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* Return the first member whose name starts with `path`; NULL: none. If a member has exactly this
 * name, it is the first. */
static const listed_member *first_below(const mp_members *state, const char *path)
{
    const size_t length = strlen(path);
    size_t from = 0;
    MP_BISECT(from, state->count, strncmp(state->members[middle].name, path, length) < 0);
    const bool is = from < state->count && strncmp(state->members[from].name, path, length) == 0;
    return is ? &state->members[from] : NULL;
}

/* Return true if the archive has a member or a folder of this path. */
static bool has_path(const mp_members *members, const char *path)
{
    mp_arena paths = {0};
    const listed_member *member = first_below(members, path);
    const bool has = (member && strcmp(member->name, path) == 0) ||
                     first_below(members, mp_arena_format(&paths, "%s/", path));
    mp_arena_free(&paths);
    return has;
}

/* Return true if no member is at the end of the chain of links that starts with `link`. */
static bool dangles(const mp_members *members, const link_list *links, const archived_link *link)
{
    enum { MOST_LINKS = 8 };
    /* a later member may be a file with the link's name */
    bool dangles = !has_path(members, link->name);
    for (int i = 0; dangles && link && *link->target && i < MOST_LINKS; i++) {
        const archived_link key = {.name = link->target};
        dangles = !has_path(members, link->target);
        link = bsearch(&key, links->items, links->count, sizeof key, by_link_name);
    }
    return dangles;
}

/* Visit the dangling links. Releases the list. */
static void visit_links(const mp_members *members, link_list *links, const char *path,
                        mp_member_visit *visit, void *opaque)
{
    if (links->count)
        qsort(links->items, links->count, sizeof *links->items, by_link_name);
    for (size_t i = 0; !members->failure.fault && i < links->count; i++) {
        mp_arena paths = {0};
        const archived_link *link = &links->items[i];
        mp_member member = {.name = link->name, .target = link->target};
        bool wanted = false;
        if (dangles(members, links, link))
            visit(opaque, mp_arena_format(&paths, "%s:%s", path, link->name), &member, &wanted);
        mp_arena_free(&paths);
    }
    mp_arena_free(&links->texts);
    free(links->items);
}

mp_members *mp_members_visit(const mp_opened_archive *archive, mp_member_visit *visit, void *opaque)
{
    mp_members *state = mp_alloc_zero(1, sizeof *state);
    state->holders = 1;
    state->archive = *archive;
    state->archive.stream = mp_stream_clone(archive->stream);
    state->path = archive->is_file ? NULL : mp_copy(archive->path, strlen(archive->path));
    state->archive.path = NULL; /* borrowed from the caller */
    state->spool = mp_spool_new(archive->limits.kept);
    pthread_mutex_init(&state->lock, NULL);
    mp_walk *walk =
        mp_walk_new(archive->stream, archive->packing, &archive->layers, &archive->limits);
    link_list links = {0};
    for (mp_member member; mp_walk_next(walk, &member);)
        if (member.target)
            add_link(&links, &member);
        else
            visit_member(state, archive->path, &member, visit, opaque);
    state->failure = mp_failure_copy(mp_walk_failure(walk));
    mp_walk_free(walk);
    if (state->count)
        qsort(state->members, state->count, sizeof *state->members, by_name);
    visit_links(state, &links, archive->path, visit, opaque);
    if (archive->inputs)
        keep(archive->inputs, state);
    return state;
}

/* --- walks --- */

static mp_walk *new_walk(const mp_members *members)
{
    const mp_opened_archive *archive = &members->archive;
    mp_stream *clone = archive->stream ? mp_stream_clone(archive->stream) : NULL;
    return clone ? mp_walk_new(clone, archive->packing, &archive->layers, &archive->limits) : NULL;
}

/* Return the idle walk that is closest before the position, or a new walk; NULL: it cannot be
 * started. The caller holds the lock. */
static mp_walk *take_walk(mp_members *members, const mp_member_place *place)
{
    mp_walk **best = NULL;
    for (size_t i = 0; i < MOST_WALKS; i++) {
        mp_walk **idle = &members->idle[i];
        if (*idle && mp_place_compare(mp_walk_place(*idle), place) < 0 &&
            (!best || mp_place_compare(mp_walk_place(*idle), mp_walk_place(*best)) > 0))
            best = idle;
    }
    mp_walk *walk = best ? *best : new_walk(members);
    if (best)
        *best = NULL;
    return walk;
}

/* Keep the walk for a member further on. The caller holds the lock. */
static void park(mp_members *members, mp_walk *walk)
{
    for (size_t i = 0; walk && i < MOST_WALKS; i++)
        if (!members->idle[i]) {
            members->idle[i] = walk;
            walk = NULL;
        }
    mp_walk_free(walk);
}

/* Advance to the member at a position. Return false if it is not there any more. */
static bool walk_to(mp_walk *walk, const mp_member_place *place, mp_member *member)
{
    while (mp_walk_next(walk, member)) {
        const int order = mp_place_compare(&member->place, place);
        if (order == 0)
            return true;
        mp_stream_close(member->stream);
        if (order > 0)
            return false;
    }
    return false;
}

/* --- members read by a walk --- */

typedef struct direct_stream {
    mp_stream stream;
    mp_members *members;
    mp_member_place place;
    mp_walk *walk;
} direct_stream;

static mp_stream *open_direct(mp_members *members, const mp_member_place *place,
                              mp_failure *failure);

static size_t direct_read(mp_stream *stream, char *buffer, size_t room)
{
    size_t got = mp_stream_read(stream->below, buffer, room);
    return !got && stream->below->fault ? mp_stream_fail_below(stream) : got;
}

static mp_stream *direct_clone(const mp_stream *stream)
{
    const direct_stream *state = (const direct_stream *)stream;
    mp_failure failure = {.fault = MP_FAULT_NONE};
    mp_stream *clone = open_direct(state->members, &state->place, &failure);
    free(failure.inside);
    if (!clone)
        errno = EIO;
    return clone;
}

static void direct_close(mp_stream *stream)
{
    direct_stream *state = (direct_stream *)stream;
    pthread_mutex_lock(&state->members->lock);
    park(state->members, state->walk);
    pthread_mutex_unlock(&state->members->lock);
    mp_members_release(state->members);
}

static const mp_stream_kind direct_kind = {direct_read, direct_clone, direct_close, NULL};

static mp_stream *open_direct(mp_members *members, const mp_member_place *place,
                              mp_failure *failure)
{
    pthread_mutex_lock(&members->lock);
    mp_walk *walk = take_walk(members, place);
    pthread_mutex_unlock(&members->lock);
    mp_member member;
    if (!walk || !walk_to(walk, place, &member)) {
        *failure = walk ? mp_failure_copy(mp_walk_failure(walk))
                        : (mp_failure){.fault = MP_FAULT_READ, .why = "it cannot be opened again"};
        mp_walk_free(walk);
        return NULL;
    }
    direct_stream *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &direct_kind;
    state->stream.below = member.stream;
    state->stream.bottom = member.stream->bottom;
    state->members = members;
    state->place = *place;
    state->walk = walk;
    atomic_fetch_add(&members->holders, 1);
    return &state->stream;
}

/* --- members in the spool --- */

static bool is_missing(const listed_member *member)
{
    return member->wanted && !member->spooled.whole && !member->direct;
}

static void empty_spool(mp_members *state)
{
    mp_spool_close(&state->spool);
    state->spool = mp_spool_new(state->archive.limits.kept);
    for (size_t i = 0; i < state->count; i++) {
        free(state->members[i].spooled.why);
        state->members[i].spooled = (mp_spooled){.whole = false};
    }
}

static listed_member *listed(const mp_members *state, const mp_member *member)
{
    const listed_member key = {.name = member->name, .place = member->place};
    return bsearch(&key, state->members, state->count, sizeof key, by_name);
}

/* Copy missing members to the spool in one walk, from a position on, until the spool is full. The
 * caller holds the lock. */
static void fill_spool(mp_members *state, const mp_member_place *from)
{
    size_t missing = 0;
    mp_member member;
    if (mp_spool_is_full(&state->spool))
        empty_spool(state);
    for (size_t i = 0; i < state->count; i++)
        missing +=
            is_missing(&state->members[i]) && mp_place_compare(&state->members[i].place, from) >= 0;
    mp_walk *walk = state->spool.file < 0 || !missing ? NULL : take_walk(state, from);
    while (walk && missing && !mp_spool_is_full(&state->spool) && mp_walk_next(walk, &member)) {
        listed_member *one = listed(state, &member);
        const bool keeps = one && is_missing(one) && mp_place_compare(&member.place, from) >= 0;
        if (keeps)
            member.stream =
                mp_spool_keep(&state->spool, member.stream, &one->spooled, &one->wanted);
        mp_stream_close(member.stream);
        if (keeps)
            one->direct = !one->spooled.whole;
        missing -= keeps;
    }
    park(state, walk);
}

/* Copy a missing member to the spool. After MOST_MISSES requests for members that no visitor
 * wanted, copy all members, as each further request would start a walk. The caller holds the
 * lock. */
static void fetch(mp_members *state, listed_member *member)
{
    state->misses += !member->wanted;
    member->wanted = true;
    if (state->misses == MOST_MISSES) {
        state->misses++;
        for (size_t i = 0; i < state->count; i++)
            state->members[i].wanted = true;
        fill_spool(state, &(mp_member_place){.indexes = {1}, .depth = 1});
    }
    if (is_missing(member))
        fill_spool(state, &member->place);
}

/* --- opening a member --- */

size_t mp_members_archive(mp_inputs *inputs, const char *path)
{
    struct stat status;
    for (size_t length = strlen(path); length-- > 1;) {
        if (path[length] != ':')
            continue;
        char *archive = mp_copy(path, length);
        bool is = stat(archive, &status) == 0 && S_ISREG(status.st_mode);
        mp_members *members = is ? NULL : mp_members_find(inputs, archive);
        is = is || members;
        mp_members_release(members);
        free(archive);
        if (is)
            return length;
    }
    return 0;
}

static listed_member *last_of(const mp_members *state, const char *name)
{
    size_t later = 0;
    MP_BISECT(later, state->count, strcmp(state->members[middle].name, name) <= 0);
    bool is = later && strcmp(state->members[later - 1].name, name) == 0;
    return is ? &state->members[later - 1] : NULL;
}

static void suggest(const mp_members *state, const char *name, char *meant, size_t size)
{
    const char **names = mp_alloc((state->count + 1) * sizeof *names);
    for (size_t i = 0; i < state->count; i++)
        names[i] = state->members[i].name;
    const char *nearest = mp_text_nearest(name, names, state->count);
    snprintf(meant, size, "%s", nearest ? nearest : "");
    free(names);
}

mp_stream *mp_members_open(mp_members *members, const char *name, mp_layers *around,
                           mp_failure *failure, char *meant, size_t size)
{
    listed_member *member = last_of(members, name);
    if (!member) {
        *failure = mp_failure_copy(&members->failure);
        suggest(members, name, meant, size);
        return NULL;
    }
    *around = member->layers;
    pthread_mutex_lock(&members->lock);
    if (!member->spooled.whole)
        fetch(members, member);
    mp_stream *kept =
        member->spooled.whole ? mp_spool_open(&members->spool, &member->spooled) : NULL;
    pthread_mutex_unlock(&members->lock);
    return kept ? kept : open_direct(members, &member->place, failure);
}
