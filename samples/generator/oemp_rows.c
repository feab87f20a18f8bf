#include "oemp_rows.h"

#include "catalog.h"

#include <stdio.h>
#include <string.h>

static const char START_TIME[] = "2026-03-02T08:15:30.250+01:00";
static const char PROPATH[] = "C:\\shop\\src,C:\\shop\\lib\\shop.pl,C:\\Progress\\OpenEdge\\tty";
static const char LATER_PROPATH[] =
    "C:\\shop\\patches,C:\\shop\\src,C:\\shop\\lib\\shop.pl,C:\\Progress\\OpenEdge\\tty";
enum {
    CLIENT_PROCESS = 3277,
    AGENT_PROCESS = 7096,
    REQUEST_TIME = 900000, // microseconds that a request has run when it ends
    LATER_PROPATH_SNAPSHOT = 3,
    MEMORY_BLOCK = 256,
};

static void quoted_column(Writer *writer, const char *text)
{
    writer_quoted(writer, text);
    writer_char(writer, ' ');
}

static void header_start(Recording *recording)
{
    const Plan *plan = recording->plan;
    Writer *writer = recording->writer;
    char session[24] = "AVM-Client";
    if (plan->agent_session) {
        snprintf(session, sizeof session, "AS-%d", plan->agent_session);
    }
    writer_column(writer, (uint64_t)recording->options->version);
    writer_column(writer, plan->agent_session ? AGENT_PROCESS : CLIENT_PROCESS);
    writer_column(writer, (uint64_t)recording->snapshot);
    quoted_column(writer, START_TIME);
    quoted_column(writer, session);
    quoted_column(writer, plan_tag(plan, recording->snapshot));
}

static bool in_request(const Recording *recording)
{
    const char *tag = plan_tag(recording->plan, recording->snapshot);
    // A program takes snapshots of its own, whose tags have no underscore, in its requests.
    return recording->plan->agent_session && (tag[0] != '_' || !strcmp(tag, "_EndOfRequest"));
}

// Request id, recording type (unused), start of the request.
static void header_request(Recording *recording)
{
    const Plan *plan = recording->plan;
    Writer *writer = recording->writer;
    if (!plan->agent_session) {
        writer_text(writer, "\"\" \"\" ? ");
    } else if (!in_request(recording)) {
        writer_text(writer, "\"??:??\" \"\" 0 ");
    } else {
        char id[32];
        snprintf(id, sizeof id, "ROOT:w:%08d", 10 + 4 * recording->snapshot + plan->agent_session);
        quoted_column(writer, id);
        writer_text(writer, "\"\" ");
        writer_column(writer, (uint64_t)(plan_time(plan, recording->snapshot) - REQUEST_TIME));
    }
}

void rows_header(Recording *recording)
{
    const Plan *plan = recording->plan;
    Writer *writer = recording->writer;
    bool agent = plan->agent_session != 0;
    bool new_version = recording->options->version > 1;
    header_start(recording);
    header_request(recording);
    quoted_column(writer, recording->options->uuid);
    quoted_column(writer, recording->snapshot == 1                        ? PROPATH
                          : recording->snapshot == LATER_PROPATH_SNAPSHOT ? LATER_PROPATH
                                                                          : "");
    writer_column(writer, agent ? (uint64_t)(18350080 + 4096 * recording->snapshot) : 0);
    quoted_column(writer, agent ? "shop" : new_version ? "shop/main.p" : "");
    quoted_column(writer, in_request(recording) ? "POST /rest/shop/orders" : "");
    writer_unsigned(writer, (uint64_t)(recording->snapshot * 37 % 90));
    writer_char(writer, '.');
    writer_char(writer, (char)('0' + recording->snapshot % 10));
    writer_char(writer, '5');
    if (new_version) {
        writer_text(writer, " \"12.8.9\" ");
        quoted_column(writer, agent ? "oepas1" : "");
        writer_quoted(writer, "Nightly orders of the shop");
    }
    writer_end_line(writer);
    writer_end_section(writer);
}

static void catalog_row(Writer *writer, const CatalogEntry *entry)
{
    quoted_column(writer, entry->name);
    writer_signed(writer, entry->id);
    writer_end_line(writer);
}

// Only the first snapshot holds the catalogues; they are empty sections from then on.
void rows_catalogs(Recording *recording)
{
    Writer *writer = recording->writer;
    bool first = recording->snapshot == 1;
    for (const PlatformEntry *entry = catalog_platform; first && entry->entry.name; entry++) {
        catalog_row(writer, &entry->entry);
    }
    writer_end_section(writer);
    for (const CatalogEntry *entry = catalog_types; first && entry->name; entry++) {
        catalog_row(writer, entry);
    }
    writer_end_section(writer);
    for (const CatalogEntry *entry = catalog_builtins; first && entry->name; entry++) {
        catalog_row(writer, entry);
    }
    writer_end_section(writer);
}

void rows_platform(Recording *recording)
{
    Writer *writer = recording->writer;
    for (const PlatformEntry *entry = catalog_platform; entry->entry.name; entry++) {
        int64_t bytes = catalog_platform_bytes(entry, recording->snapshot);
        writer_column(writer, (uint64_t)entry->entry.id);
        writer_column(writer, (uint64_t)bytes);
        writer_column(writer, (uint64_t)bytes);
        writer_unsigned(writer, (uint64_t)bytes / 8 * 7);
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

void rows_names(Recording *recording)
{
    Writer *writer = recording->writer;
    for (int i = recording->names.fresh; i < recording->names.count; i++) {
        const ShopName *name = &recording->plan->shop.names[recording->names.order[i]];
        writer_column(writer, (uint64_t)i + 1);
        quoted_column(writer, name->text);
        writer_signed(writer, name->start_line);
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

void rows_others(Recording *recording)
{
    Writer *writer = recording->writer;
    for (int i = recording->others.fresh; i < recording->others.count; i++) {
        writer_column(writer, (uint64_t)i + 1);
        writer_quoted(writer, recording->plan->shop.others[recording->others.order[i]]);
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

static uint64_t id_of(const Published *published, int index)
{
    return index == SHOP_NONE ? 0 : (uint64_t)published->ids[index];
}

void rows_nodes(Recording *recording)
{
    Writer *writer = recording->writer;
    for (int i = recording->nodes.fresh; i < recording->nodes.count; i++) {
        const ShopNode *node = &recording->plan->shop.nodes[recording->nodes.order[i]];
        writer_column(writer, (uint64_t)i + 1);
        writer_column(writer, id_of(&recording->names, node->name));
        writer_column(writer, id_of(&recording->nodes, node->parent));
        writer_signed(writer, node->parent_line);
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

// Own bytes, the blocks they are in, and what the pool gave out. Only instances of classes have a
// pool of their own.
static void memory_columns(Recording *recording, const HeapObject *object)
{
    Writer *writer = recording->writer;
    uint64_t bytes = (uint64_t)recording_size(recording, object);
    bool pooled = recording->plan->shop.sites[object->site].source != SHOP_NONE;
    writer_column(writer, bytes);
    writer_column(writer, pooled ? (bytes + MEMORY_BLOCK - 1) / MEMORY_BLOCK * MEMORY_BLOCK : 0);
    writer_column(writer, pooled ? bytes : 0);
}

static void object_row(Recording *recording, const HeapObject *object)
{
    Writer *writer = recording->writer;
    const ShopSite *site = &recording->plan->shop.sites[object->site];
    writer_column(writer, object->id);
    writer_column(writer, (uint64_t)site->type_id);
    memory_columns(recording, object);
    writer_column(writer, (uint64_t)object->time);
    writer_column(writer, id_of(&recording->nodes, site->node));
    writer_column(writer, (uint64_t)site->plan->line);
    writer_column(writer, id_of(&recording->names, site->source));
    writer_text(writer, "0 ");
    writer_column(writer, object->owner);
    writer_column(writer, (uint64_t)object->table);
    writer_column(writer, id_of(&recording->others, site->other));
    writer_text(writer, "0 ");
    writer_column(writer, (uint64_t)site->builtin_id);
    writer_char(writer, '0');
    writer_end_line(writer);
}

// The order of rows means nothing, and is not kept: start-up objects stand youngest first, and with
// that before their owners; later ones are swapped with their neighbours here and there.
static const HeapObject *created_at(const Recording *recording, size_t index)
{
    const HeapList *created = &recording->created;
    if (recording->snapshot == 1) {
        return &created->items[created->count - 1 - index];
    }
    if (index / 2 % 8 == 0 && (index ^ 1U) < created->count) {
        return &created->items[index ^ 1U];
    }
    return &created->items[index];
}

void rows_objects_new(Recording *recording)
{
    for (size_t i = 0; i < recording->created.count; i++) {
        object_row(recording, created_at(recording, i));
    }
    writer_end_section(recording->writer);
}

void rows_objects_changed(Recording *recording)
{
    Writer *writer = recording->writer;
    for (size_t i = 0; i < recording->changed.count; i++) {
        const HeapObject *object = &recording->changed.items[i];
        writer_column(writer, object->id);
        writer_column(writer, (uint64_t)recording->plan->shop.sites[object->site].type_id);
        memory_columns(recording, object);
        writer_signed(writer, object->table);
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

void rows_objects_mixed(Recording *recording)
{
    size_t created = recording->created.count;
    size_t changed = recording->changed.count;
    size_t rows = created > changed ? created : changed;
    for (size_t i = 0; i < rows; i++) {
        if (i < created) {
            object_row(recording, created_at(recording, i));
        }
        if (i < changed) {
            object_row(recording, &recording->changed.items[i]);
        }
    }
    writer_end_section(recording->writer);
}

void rows_deleted(Recording *recording)
{
    Writer *writer = recording->writer;
    const HeapList *list = &recording->due[recording->snapshot];
    for (size_t i = 0; i < list->count; i++) {
        writer_column(writer, list->items[i].id);
        writer_unsigned(writer, (uint64_t)recording_deletion_time(recording, i));
        writer_end_line(writer);
    }
    writer_end_section(writer);
}

void rows_trailer(Recording *recording)
{
    const Plan *plan = recording->plan;
    Writer *writer = recording->writer;
    writer_column(writer, (uint64_t)plan_time(plan, recording->snapshot));
    writer_column(writer, (uint64_t)recording->live.objects);
    writer_column(writer, (uint64_t)recording->live.bytes);
    writer_column(writer, (uint64_t)catalog_platform_total(recording->snapshot));
    writer_column(writer, (uint64_t)recording->high_water);
    writer_text(writer, "3 0"); // levels of the class hierarchy; unused
    if (recording->options->version > 1) {
        writer_char(writer, ' ');
        writer_column(writer, (uint64_t)recording->reusable.objects);
        writer_column(writer, (uint64_t)recording->reusable.bytes);
        quoted_column(writer, plan_tag(plan, recording->snapshot));
        writer_signed(writer, recording->snapshot);
    }
    writer_end_line(writer);
    writer_end_section(writer);
}
