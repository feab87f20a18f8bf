#include "oemp_answer.h"

#include "catalog.h"
#include "json.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sum {
    int64_t objects;
    int64_t bytes;
} Sum;

static void add(Sum *sum, Sum more)
{
    sum->objects += more.objects;
    sum->bytes += more.bytes;
}

// Objects of the site that are born in the snapshots from..to and alive at `at`.
static Sum alive(const Plan *plan, int site, int from, int to, int at)
{
    Sum sum = {0, 0};
    for (int born = from; born <= to && born <= at; born++) {
        for (int life = 0; life < PLAN_LIVES; life++) {
            if (plan_deleted_at(plan, site, born, life) > at) {
                int64_t count = plan_created_of_life(plan, site, born, life);
                int64_t size = plan_size(plan, site, life, at - born);
                add(&sum, (Sum){count, count * size});
            }
        }
    }
    return sum;
}

// Objects of the site that are born in the snapshots from..to, with the size of their first row.
static Sum created(const Plan *plan, int site, int from, int to)
{
    Sum sum = {0, 0};
    for (int born = from; born <= to; born++) {
        for (int life = 0; life < PLAN_LIVES; life++) {
            int64_t count = plan_created_of_life(plan, site, born, life);
            add(&sum, (Sum){count, count * plan_size(plan, site, life, 0)});
        }
    }
    return sum;
}

// Over all sites; reusable objects are counted apart.
static Sum all_alive(const Plan *plan, int at)
{
    Sum sum = {0, 0};
    for (int site = 0; site < plan->shop.site_count; site++) {
        if (!plan_reusable(plan, site)) {
            add(&sum, alive(plan, site, 1, at, at));
        }
    }
    return sum;
}

static Sum all_created(const Plan *plan, int from, int to)
{
    Sum sum = {0, 0};
    for (int site = 0; site < plan->shop.site_count; site++) {
        if (!plan_reusable(plan, site)) {
            add(&sum, created(plan, site, from, to));
        }
    }
    return sum;
}

static int64_t all_deleted_objects(const Plan *plan, int from, int to)
{
    int64_t objects = 0;
    for (int site = 0; site < plan->shop.site_count; site++) {
        if (plan_reusable(plan, site)) {
            continue;
        }
        objects += alive(plan, site, 1, from - 1, from - 1).objects;
        objects += created(plan, site, from, to).objects;
        objects -= alive(plan, site, 1, to, to).objects;
    }
    return objects;
}

static void write_totals(Json *json, const Plan *plan)
{
    int to = plan_to_snapshot(plan);
    Sum live = all_alive(plan, to);
    Sum new = all_created(plan, 1, to);
    Sum peak = {0, 0};
    for (int at = 1; at <= plan_last_snapshot(plan); at++) {
        Sum sum = all_alive(plan, at);
        peak.objects = sum.objects > peak.objects ? sum.objects : peak.objects;
        peak.bytes = sum.bytes > peak.bytes ? sum.bytes : peak.bytes;
    }
    json_open(json, "totals", '{');
    json_number(json, "live_objects", live.objects);
    json_number(json, "live_bytes", live.bytes);
    json_number(json, "created_objects", new.objects);
    json_number(json, "created_bytes", new.bytes);
    json_number(json, "deleted_objects", all_deleted_objects(plan, 1, to));
    json_number(json, "peak_objects", peak.objects);
    json_number(json, "peak_bytes", peak.bytes);
    json_close(json, '}');
}

static Sum reusable_alive(const Plan *plan, int at)
{
    Sum sum = {0, 0};
    for (int site = 0; site < plan->shop.site_count; site++) {
        if (plan_reusable(plan, site)) {
            add(&sum, alive(plan, site, 1, at, at));
        }
    }
    return sum;
}

static void write_snapshots(Json *json, const Plan *plan)
{
    json_open(json, "snapshots", '[');
    for (int at = 1; at <= plan_last_snapshot(plan); at++) {
        Sum live = all_alive(plan, at);
        Sum reusable = reusable_alive(plan, at);
        json_open(json, NULL, '{');
        json->flat = true;
        json_number(json, "sequence", at);
        json_text(json, "tag", plan_tag(plan, at));
        json_number(json, "time_us", plan_time(plan, at));
        json_number(json, "created_objects", all_created(plan, at, at).objects);
        json_number(json, "deleted_objects", all_deleted_objects(plan, at, at));
        json_number(json, "live_objects", live.objects);
        json_number(json, "live_bytes", live.bytes);
        json_number(json, "platform_bytes", catalog_platform_total(at));
        if (reusable.objects) {
            json_number(json, "reusable_objects", reusable.objects);
            json_number(json, "reusable_bytes", reusable.bytes);
        }
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

enum {
    FRAME_SIZE = 160,
    MAX_FRAMES = 16,
};

typedef struct Leak {
    const ShopSite *site;
    const char *name;
    Sum leaked;
    Sum created;
    int64_t deleted;
    int depth;
    char stack[MAX_FRAMES][FRAME_SIZE];
} Leak;

static void find_stack(const Plan *plan, Leak *leak)
{
    int line = leak->site->plan->line;
    for (int node = leak->site->node; node != SHOP_NONE && leak->depth < MAX_FRAMES;) {
        const ShopNode *words = &plan->shop.nodes[node];
        snprintf(leak->stack[leak->depth++], FRAME_SIZE, "%s:%d",
                 plan->shop.names[words->name].text, line);
        line = words->parent_line;
        node = words->parent;
    }
}

static int compare_stacks(const Leak *left, const Leak *right)
{
    for (int i = 0; i < left->depth && i < right->depth; i++) {
        int order = strcmp(left->stack[i], right->stack[i]);
        if (order) {
            return order;
        }
    }
    return left->depth - right->depth;
}

static int compare_descending(int64_t left, int64_t right)
{
    return (left < right) - (left > right);
}

static int compare_leaks(const void *one, const void *two)
{
    const Leak *left = one;
    const Leak *right = two;
    int order = compare_descending(left->leaked.bytes, right->leaked.bytes);
    order = order ? order : compare_descending(left->leaked.objects, right->leaked.objects);
    order = order ? order : strcmp(left->site->plan->type, right->site->plan->type);
    order = order ? order : compare_stacks(left, right);
    return order ? order : left->site->plan->line - right->site->plan->line;
}

static size_t find_leaks(const Plan *plan, Leak *leaks)
{
    int to = plan_to_snapshot(plan);
    size_t count = 0;
    for (int site = 0; site < plan->shop.site_count; site++) {
        Sum leaked = alive(plan, site, 2, to, to);
        if (!leaked.objects || plan_reusable(plan, site)) {
            continue;
        }
        Leak *leak = &leaks[count++];
        memset(leak, 0, sizeof *leak);
        leak->site = &plan->shop.sites[site];
        leak->name = shop_site_name(&plan->shop, leak->site);
        leak->leaked = leaked;
        leak->created = created(plan, site, 1, to);
        leak->deleted = leak->created.objects - alive(plan, site, 1, to, to).objects;
        find_stack(plan, leak);
    }
    qsort(leaks, count, sizeof *leaks, compare_leaks);
    return count;
}

static void write_leaks(Json *json, const Plan *plan)
{
    static Leak leaks[SHOP_MAX_SITES];
    size_t count = find_leaks(plan, leaks);
    json_open(json, "leaks", '[');
    for (size_t i = 0; i < count; i++) {
        const Leak *leak = &leaks[i];
        json_open(json, NULL, '{');
        json_number(json, "rank", (int64_t)i + 1);
        json_text(json, "type", leak->site->plan->type);
        if (leak->name) {
            json_text(json, "name", leak->name);
        }
        json_number(json, "objects", leak->leaked.objects);
        json_number(json, "bytes", leak->leaked.bytes);
        json_number(json, "created_objects", leak->created.objects);
        json_number(json, "deleted_objects", leak->deleted);
        json_open(json, "stack", '[');
        for (int frame = 0; frame < leak->depth; frame++) {
            json_text(json, NULL, leak->stack[frame]);
        }
        json_close(json, ']');
        json_number(json, "line", leak->site->plan->line);
        json_close(json, '}');
    }
    json_close(json, ']');
}

typedef struct TypeRow {
    const char *type;
    Sum from;
    Sum to;
} TypeRow;

static TypeRow *type_row(TypeRow *rows, size_t *count, const char *type)
{
    for (size_t i = 0; i < *count; i++) {
        if (!strcmp(rows[i].type, type)) {
            return &rows[i];
        }
    }
    rows[*count] = (TypeRow){.type = type};
    return &rows[(*count)++];
}

static size_t find_types(const Plan *plan, TypeRow *rows)
{
    int to = plan_to_snapshot(plan);
    size_t count = 0;
    for (int site = 0; site < plan->shop.site_count; site++) {
        Sum before = alive(plan, site, 1, 1, 1);
        Sum after = alive(plan, site, 1, to, to);
        if (plan_reusable(plan, site) || (!before.objects && !after.objects)) {
            continue;
        }
        TypeRow *row = type_row(rows, &count, plan->shop.sites[site].plan->type);
        add(&row->from, before);
        add(&row->to, after);
    }
    return count;
}

static int compare_top(const void *one, const void *two)
{
    const TypeRow *left = one;
    const TypeRow *right = two;
    int order = compare_descending(left->to.bytes, right->to.bytes);
    return order ? order : strcmp(left->type, right->type);
}

static int compare_growth(const void *one, const void *two)
{
    const TypeRow *left = one;
    const TypeRow *right = two;
    int order = compare_descending(llabs(left->to.bytes - left->from.bytes),
                                   llabs(right->to.bytes - right->from.bytes));
    return order ? order : strcmp(left->type, right->type);
}

static void write_top(Json *json, TypeRow *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, compare_top);
    json_open(json, "top", '[');
    for (size_t i = 0; i < count && rows[i].to.objects; i++) {
        json_open(json, NULL, '{');
        json->flat = true;
        json_text(json, "key", rows[i].type);
        json_number(json, "objects", rows[i].to.objects);
        json_number(json, "bytes", rows[i].to.bytes);
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

static void write_growth(Json *json, TypeRow *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, compare_growth);
    json_open(json, "growth", '[');
    for (size_t i = 0; i < count; i++) {
        const TypeRow *row = &rows[i];
        json_open(json, NULL, '{');
        json->flat = true;
        json_text(json, "key", row->type);
        json_number(json, "from_objects", row->from.objects);
        json_number(json, "to_objects", row->to.objects);
        json_number(json, "delta_objects", row->to.objects - row->from.objects);
        json_number(json, "from_bytes", row->from.bytes);
        json_number(json, "to_bytes", row->to.bytes);
        json_number(json, "delta_bytes", row->to.bytes - row->from.bytes);
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

bool oemp_answer(const Plan *plan, const char *path)
{
    Writer writer;
    if (!writer_open(&writer, path)) {
        return false;
    }
    TypeRow rows[SHOP_MAX_SITES];
    size_t count = find_types(plan, rows);
    Json json = {.writer = &writer};
    json_open(&json, NULL, '{');
    write_totals(&json, plan);
    write_snapshots(&json, plan);
    write_leaks(&json, plan);
    write_top(&json, rows, count);
    write_growth(&json, rows, count);
    json_close(&json, '}');
    return writer_close(&writer);
}
