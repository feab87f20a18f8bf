/* Memory-profiler recordings. The application is simulated object by object, and its snapshots are
 * written. */
#include "oemp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    FIRST_ID = 1040,
    CLIENT_PROCESS = 3277,
    AGENT_PROCESS = 7096,
    REQUEST_TIME = 900000, /* duration of a request in microseconds */
    LATER_PROPATH_SNAPSHOT = 3,
    MEMORY_BLOCK = 256,
    MOST_NAMES = 96,
    DAY_TEXT = 16
};

typedef struct oemp_object {
    int64_t id;
    int64_t owner;      /* id; 0 = no owner */
    int64_t time;       /* time of creation */
    int32_t table;      /* number in the temp-table database */
    int16_t site, born; /* born: snapshot that creates it */
    int8_t life;
} oemp_object;

typedef struct oemp_list {
    oemp_object *items;
    size_t count, room;
} oemp_list;

/* Names with ids. Ids are numbered from 1, in the order of first use. Ids from `fresh` on are new
 * in this snapshot. */
typedef struct oemp_names {
    struct oemp_name {
        const char *text;
        int start_line;
    } items[MOST_NAMES];
    int count, fresh;
} oemp_names;

typedef struct oemp_recording {
    const oemp_plan *plan;
    const gen_options *options;
    gen_writer *writer;
    int snapshot;

    oemp_list *due; /* objects by the snapshot that reports their deletion */
    int list_count;
    oemp_list created, changed; /* objects created and changed in this interval */

    int64_t last_id, objects; /* number of all objects created so far */
    int32_t last_table;
    int64_t latest[OEMP_SITES]; /* id of the site's latest object */
    /* Number of the site's objects that were created in this interval, and so far. */
    int64_t quota[OEMP_SITES], done[OEMP_SITES];

    gen_sum live, reusable; /* sums in the form of the trailer */
    int64_t high_water;

    oemp_names names, others;
    int nodes[OEMP_NODES], node_count,
        fresh_nodes;          /* nodes of the call tree in the order of their ids */
    int node_ids[OEMP_NODES]; /* 0 = not written yet */
    int source_ids[OEMP_SITES], other_ids[OEMP_SITES];
} oemp_recording;

static void append(oemp_list *list, const oemp_object *object)
{
    list->items = gen_grow(list->items, list->count, &list->room, sizeof *list->items);
    list->items[list->count++] = *object;
}

/* --- simulation of an interval --- */

static gen_sum *sum_of(oemp_recording *recording, int site)
{
    return oemp_is_reusable(recording->plan, site) ? &recording->reusable : &recording->live;
}

static int64_t size_at(const oemp_recording *recording, const oemp_object *object, int snapshot)
{
    return oemp_size(recording->plan, object->site, object->life, snapshot - object->born);
}

/* Create an object. An object that is created and deleted between two snapshots leaves a gap in the
 * ids. */
static void create(oemp_recording *recording, int site)
{
    const oemp_site *place = &recording->plan->sites[site];
    recording->last_id += recording->objects++ % 5 == 0 ? 2 : 1;
    oemp_object object = {
        .id = recording->last_id,
        .owner = place->owner == OEMP_NONE ? 0 : recording->latest[place->owner],
        .table = place->table == TABLE_NOW ? ++recording->last_table : 0,
        .site = (int16_t)site,
        .born = (int16_t)recording->snapshot,
        .life = (int8_t)oemp_life(recording->snapshot, recording->done[site]++),
    };
    recording->latest[site] = object.id;
    gen_add(sum_of(recording, site), 1, size_at(recording, &object, object.born));
    append(&recording->created, &object);
}

/* Return a time in the interval. Times of creations are even and times of deletions are odd, so no
 * two are equal. */
static int64_t spread(const oemp_recording *recording, size_t index, size_t count)
{
    int64_t from = oemp_time(recording->plan, recording->snapshot - 1);
    int64_t to = oemp_time(recording->plan, recording->snapshot);
    return from + (to - from) / ((int64_t)count + 1) * ((int64_t)index + 1);
}

static int64_t deletion_time(const oemp_recording *recording, size_t index)
{
    return spread(recording, index, recording->due[recording->snapshot].count) | 1;
}

/* Create the objects of an interval. There are as many rounds as the busiest site has objects, and
 * the sites take turns. Therefore an owner comes just before the objects that are scoped to it. */
static void create_objects(oemp_recording *recording)
{
    oemp_list *created = &recording->created;
    int64_t rounds = 0;
    created->count = 0;
    for (int site = 0; site < recording->plan->site_count; site++) {
        int64_t count = oemp_created(recording->plan, site, recording->snapshot);
        recording->quota[site] = count;
        recording->done[site] = 0;
        rounds = count > rounds ? count : rounds;
    }
    for (int64_t round = 1; round <= rounds; round++)
        for (int site = 0; site < recording->plan->site_count; site++) {
            int64_t target = (recording->quota[site] * round + rounds - 1) / rounds;
            while (recording->done[site] < target)
                create(recording, site);
        }
    for (size_t i = 0; i < created->count; i++)
        created->items[i].time = spread(recording, i, created->count) / 2 * 2;
}

/* Update the objects that changed in the interval. They are written later. */
static void change_objects(oemp_recording *recording)
{
    int snapshot = recording->snapshot;
    recording->changed.count = 0;
    for (int due = snapshot + 1; due < recording->list_count; due++)
        for (size_t i = 0; i < recording->due[due].count; i++) {
            oemp_object *object = &recording->due[due].items[i];
            const oemp_site *site = &recording->plan->sites[object->site];
            int age = snapshot - object->born;
            bool instantiated = site->table == TABLE_LATER && snapshot == OEMP_TABLE_SNAPSHOT;
            if (age <= 0 || (age > site->grow_last && !instantiated))
                continue;
            if (site->table == TABLE_LATER)
                object->table = ++recording->last_table;
            gen_add(sum_of(recording, object->site), 0,
                    size_at(recording, object, snapshot) -
                        size_at(recording, object, snapshot - 1));
            append(&recording->changed, object);
        }
}

/* Report deletions. Some neighbours are swapped, so that deletions are only almost in order. */
static void delete_objects(oemp_recording *recording)
{
    oemp_list *list = &recording->due[recording->snapshot];
    for (size_t i = 0; i + 1 < list->count; i += 5) {
        size_t other = i + 1 + i % 7;
        other = other < list->count ? other : i + 1;
        oemp_object object = list->items[i];
        list->items[i] = list->items[other];
        list->items[other] = object;
    }
    for (size_t i = 0; i < list->count; i++) {
        const oemp_object *object = &list->items[i];
        gen_add(sum_of(recording, object->site), -1,
                -size_at(recording, object, recording->snapshot - 1));
    }
}

/* Return 1 for an object that counts for the peak, 0 for a reusable object that is counted
 * separately. */
static int64_t counted(const oemp_recording *recording, const oemp_object *object)
{
    return oemp_is_reusable(recording->plan, object->site) ? 0 : 1;
}

/* Find the peak of the interval. The totals are those at its end, so first go back to its start. */
static void find_high_water(oemp_recording *recording)
{
    const oemp_list *created = &recording->created, *deleted = &recording->due[recording->snapshot];
    int64_t live = recording->live.objects;
    for (size_t i = 0; i < created->count; i++)
        live -= counted(recording, &created->items[i]);
    for (size_t i = 0; i < deleted->count; i++)
        live += counted(recording, &deleted->items[i]);
    for (size_t i = 0, gone = 0; i < created->count; i++) {
        while (gone < deleted->count && deletion_time(recording, gone) < created->items[i].time)
            live -= counted(recording, &deleted->items[gone++]);
        live += counted(recording, &created->items[i]);
        recording->high_water = live > recording->high_water ? live : recording->high_water;
    }
}

/* --- names and nodes get ids when new objects use them for the first time --- */

static int publish(oemp_names *names, const char *text, int start_line)
{
    if (!text)
        return 0;
    for (int i = 0; i < names->count; i++)
        if (names->items[i].start_line == start_line && !strcmp(names->items[i].text, text))
            return i + 1;
    names->items[names->count++] = (struct oemp_name){text, start_line};
    return names->count;
}

static void publish_node(oemp_recording *recording, int node)
{
    const oemp_node *words = &oemp_nodes[node];
    if (recording->node_ids[node])
        return;
    if (words->parent)
        publish_node(recording, oemp_find_node(words->parent));
    publish(&recording->names, words->name, words->start_line);
    recording->nodes[recording->node_count++] = node;
    recording->node_ids[node] = recording->node_count;
}

static void publish_all(oemp_recording *recording)
{
    recording->names.fresh = recording->names.count;
    recording->others.fresh = recording->others.count;
    recording->fresh_nodes = recording->node_count;
    for (int site = 0; site < recording->plan->site_count; site++) {
        const oemp_site *place = &recording->plan->sites[site];
        if (!recording->quota[site])
            continue;
        if (place->node != OEMP_NONE)
            publish_node(recording, place->node);
        recording->source_ids[site] = publish(&recording->names, place->source, 0);
        recording->other_ids[site] = publish(&recording->others, place->other, 0);
    }
}

/* --- sections --- */

static void end_section(gen_writer *writer)
{
    gen_text(writer, ".\n");
}

/* Return the date `day` days after 2026-03-02. */
static const char *day_text(int64_t day, char text[DAY_TEXT])
{
    const time_t noon = 1772452800 + (time_t)day * 86400;
    struct tm date;
    gmtime_r(&noon, &date);
    strftime(text, DAY_TEXT, "%Y-%m-%d", &date);
    return text;
}

/* Write the header. If the program itself takes a snapshot, during a request, the tag has no
 * underscore. */
static void write_header(const oemp_recording *recording)
{
    static const char later_propath[] =
        "C:\\shop\\patches,C:\\shop\\src,C:\\shop\\lib\\shop.pl,C:\\Progress\\OpenEdge\\tty";
    char day[DAY_TEXT];
    const char *propath = later_propath + strlen("C:\\shop\\patches,");
    const oemp_plan *plan = recording->plan;
    gen_writer *writer = recording->writer;
    int snapshot = recording->snapshot, agent = plan->agent_session;
    bool new_version = recording->options->version > 1;
    const char *tag = oemp_tag(plan, snapshot);
    bool in_request = plan->requests ? snapshot <= plan->work
                                     : agent && (tag[0] != '_' || !strcmp(tag, "_EndOfRequest"));
    int request = plan->requests ? oemp_request_end(plan, snapshot) : snapshot;
    int64_t start = plan->requests ? oemp_request_start(plan, snapshot)
                                   : oemp_time(plan, snapshot) - REQUEST_TIME;
    gen_print(writer, "%d %d %d \"%sT08:15:30.250+01:00\" ", new_version ? 2 : 1,
              agent ? AGENT_PROCESS : CLIENT_PROCESS, snapshot,
              day_text(recording->options->day, day));
    if (agent)
        gen_print(writer, "\"AS-%d\" \"%s\" ", agent, tag);
    else
        gen_print(writer, "\"AVM-Client\" \"%s\" ", tag);
    /* Request id, recording type (unused), start of the request. */
    if (in_request)
        gen_print(writer, "\"ROOT:w:%08d\" \"\" %lld ", 10 + 4 * request + agent, (long long)start);
    else
        gen_text(writer, agent ? "\"??:??\" \"\" 0 " : "\"\" \"\" ? ");
    if (recording->options->uuid)
        gen_quoted(writer, recording->options->uuid, " ");
    else
        gen_print(writer, "\"6f1d2c84-93b5-4e0a-8a57-%012d\" ", agent);
    gen_print(writer, "\"%s\" %d \"%s\" \"%s\" %d.%d5",
              snapshot == 1                        ? propath
              : snapshot == LATER_PROPATH_SNAPSHOT ? later_propath
                                                   : "",
              agent ? 18350080 + 4096 * snapshot : 0,
              agent         ? "shop"
              : new_version ? "shop/main.p"
                            : "",
              plan->requests && in_request ? oemp_request_api(plan, snapshot)
              : in_request                 ? "POST /rest/shop/orders"
                                           : "",
              snapshot * 37 % 90, snapshot % 10);
    if (new_version)
        gen_print(writer, " \"12.8.9\" \"%s\" \"Nightly orders of the shop\"",
                  agent ? "oepas1" : "");
    gen_end_line(writer);
    end_section(writer);
}

/* Write the catalogues. Only the first snapshot has entries; later ones have empty sections. */
static void write_catalogs(const oemp_recording *recording)
{
    const char *catalogues[] = {oemp_types, oemp_builtins};
    bool first = recording->snapshot == 1;
    gen_writer *writer = recording->writer;
    for (const oemp_part *part = oemp_platform; first && part->name; part++)
        gen_print(writer, "\"%s\" %d\n", part->name, part->id);
    end_section(writer);
    for (int i = 0; i < 2; i++) {
        char name[OEMP_NAME];
        int id;
        while (first && oemp_next_entry(&catalogues[i], &id, name))
            gen_print(writer, "\"%s\" %d\n", name, id);
        end_section(writer);
    }
}

static void write_platform(const oemp_recording *recording)
{
    for (const oemp_part *part = oemp_platform; part->name; part++) {
        int64_t bytes = part->bytes + part->growth * (int64_t)(recording->snapshot - 1);
        gen_numbers(recording->writer, (int64_t[]){part->id, bytes, bytes, bytes / 8 * 7}, 4);
    }
    end_section(recording->writer);
}

static void write_nodes(const oemp_recording *recording)
{
    for (int i = recording->fresh_nodes; i < recording->node_count; i++) {
        const oemp_node *node = &oemp_nodes[recording->nodes[i]];
        int name = 0;
        while (recording->names.items[name].start_line != node->start_line ||
               strcmp(recording->names.items[name].text, node->name))
            name++;
        int parent = node->parent ? recording->node_ids[oemp_find_node(node->parent)] : 0;
        gen_numbers(recording->writer, (int64_t[]){i + 1, name + 1, parent, node->parent_line}, 4);
    }
    end_section(recording->writer);
}

static void write_names(const oemp_recording *recording)
{
    const oemp_names *names = &recording->names, *others = &recording->others;
    for (int i = names->fresh; i < names->count; i++)
        gen_print(recording->writer, "%d \"%s\" %d\n", i + 1, names->items[i].text,
                  names->items[i].start_line);
    end_section(recording->writer);
    for (int i = others->fresh; i < others->count; i++) {
        gen_print(recording->writer, "%d ", i + 1);
        gen_quoted(recording->writer, others->items[i].text, "\n");
    }
    end_section(recording->writer);
}

/* Write an object's row. Columns 3 to 5 are the bytes of the object itself, of its blocks, and of
 * its pool. Only class instances have a pool. */
static void object_row(const oemp_recording *recording, const oemp_object *object)
{
    const oemp_site *place = &recording->plan->sites[object->site];
    int64_t bytes = size_at(recording, object, recording->snapshot);
    int64_t blocks = (bytes + MEMORY_BLOCK - 1) / MEMORY_BLOCK * MEMORY_BLOCK;
    bool pooled = place->source != NULL;
    int node = place->node == OEMP_NONE ? 0 : recording->node_ids[place->node];
    int64_t row[] = {object->id,
                     place->type_id,
                     bytes,
                     pooled ? blocks : 0,
                     pooled ? bytes : 0,
                     object->time,
                     node,
                     place->line,
                     recording->source_ids[object->site],
                     0,
                     object->owner,
                     object->table,
                     recording->other_ids[object->site],
                     0,
                     place->builtin_id,
                     0};
    gen_numbers(recording->writer, row, sizeof row / sizeof row[0]);
}

/* Write the short row for a changed object, which version 2 has. */
static void changed_row(const oemp_recording *recording, const oemp_object *object)
{
    const oemp_site *place = &recording->plan->sites[object->site];
    int64_t bytes = size_at(recording, object, recording->snapshot);
    int64_t blocks = (bytes + MEMORY_BLOCK - 1) / MEMORY_BLOCK * MEMORY_BLOCK;
    bool pooled = place->source != NULL;
    gen_numbers(recording->writer,
                (int64_t[]){object->id, place->type_id, bytes, pooled ? blocks : 0,
                            pooled ? bytes : 0, object->table},
                6);
}

/* Return the object of a row. The order of rows has no meaning: start-up objects are listed
 * youngest first, before their owners, and some later objects are swapped with their neighbours. */
static const oemp_object *created_at(const oemp_recording *recording, size_t index)
{
    const oemp_list *created = &recording->created;
    if (recording->snapshot == 1)
        index = created->count - 1 - index;
    else if (index / 2 % 8 == 0 && (index ^ 1) < created->count)
        index ^= 1;
    return &created->items[index];
}

/* Write the objects. Version 1 has new and changed objects in one section, in alternating rows. */
static void write_objects(const oemp_recording *recording)
{
    const oemp_list *created = &recording->created, *changed = &recording->changed;
    bool mixed = recording->options->version == 1;
    for (size_t i = 0; i < created->count || (mixed && i < changed->count); i++) {
        if (i < created->count)
            object_row(recording, created_at(recording, i));
        if (mixed && i < changed->count)
            object_row(recording, &changed->items[i]);
    }
    end_section(recording->writer);
    if (mixed)
        return;
    for (size_t i = 0; i < changed->count; i++)
        changed_row(recording, &changed->items[i]);
    end_section(recording->writer);
}

static void write_deleted(const oemp_recording *recording)
{
    const oemp_list *list = &recording->due[recording->snapshot];
    for (size_t i = 0; i < list->count; i++)
        gen_numbers(recording->writer, (int64_t[]){list->items[i].id, deletion_time(recording, i)},
                    2);
    end_section(recording->writer);
}

static void write_trailer(const oemp_recording *recording)
{
    const oemp_plan *plan = recording->plan;
    int snapshot = recording->snapshot;
    /* 3 and 0 are unused levels of the class hierarchy */
    gen_print(recording->writer, "%lld %lld %lld %lld %lld 3 0",
              (long long)oemp_time(plan, snapshot), (long long)recording->live.objects,
              (long long)recording->live.bytes, (long long)oemp_platform_total(snapshot),
              (long long)recording->high_water);
    if (recording->options->version > 1)
        gen_print(recording->writer, " %lld %lld \"%s\" %d", (long long)recording->reusable.objects,
                  (long long)recording->reusable.bytes, oemp_tag(plan, snapshot), snapshot);
    gen_end_line(recording->writer);
    end_section(recording->writer);
}

static void write_snapshot(const oemp_recording *recording)
{
    write_header(recording);
    write_catalogs(recording);
    if (recording->options->version == 1) {
        write_objects(recording);
        write_platform(recording);
        write_deleted(recording);
        write_nodes(recording);
        write_names(recording);
    } else {
        write_platform(recording);
        write_names(recording);
        write_nodes(recording);
        write_objects(recording);
        write_deleted(recording);
    }
    write_trailer(recording);
}

void gen_oemp(const gen_options *options, gen_writer *writer)
{
    oemp_plan plan;
    oemp_plan_init(&plan, options);
    oemp_recording *recording = gen_alloc(1, sizeof *recording);
    recording->plan = &plan;
    recording->options = options;
    recording->writer = writer;
    recording->last_id = FIRST_ID;
    recording->list_count = plan.work + 4;
    recording->due = gen_alloc((size_t)recording->list_count, sizeof *recording->due);
    for (int snapshot = 1; snapshot <= oemp_last_snapshot(&plan); snapshot++) {
        oemp_list *created = &recording->created;
        recording->snapshot = snapshot;
        create_objects(recording);
        change_objects(recording);
        delete_objects(recording);
        find_high_water(recording);
        publish_all(recording);
        gen_mute(writer, snapshot < options->first_sequence || snapshot > options->last_sequence);
        write_snapshot(recording);
        gen_mute(writer, false);
        free(recording->due[snapshot].items);
        recording->due[snapshot] = (oemp_list){.count = 0};
        for (size_t i = 0; i < created->count; i++) {
            const oemp_object *object = &created->items[i];
            append(
                &recording->due[oemp_deleted_at(&plan, object->site, object->born, object->life)],
                object);
        }
    }
    for (int i = 0; i < recording->list_count; i++)
        free(recording->due[i].items);
    free(recording->due);
    free(recording->created.items);
    free(recording->changed.items);
    free(recording);
}
