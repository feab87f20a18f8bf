/* The known answer of a memory recording, worked out from the plan alone. */
#include "oemp.h"

#include <string.h>

enum { MOST_FRAMES = 16 };

/* Objects of the site that are born in the snapshots from..to, with the size of their first row;
 * or those of them that are alive at a snapshot, with the size that they have then. */
static gen_sum born(const oemp_plan *plan, int site, int from, int to, int alive_at)
{
    gen_sum sum = {0, 0};
    for (int snapshot = from; snapshot <= to; snapshot++)
        for (int life = 0; life < OEMP_LIVES; life++) {
            int64_t count = oemp_created_of_life(plan, site, snapshot, life);
            int age = alive_at ? alive_at - snapshot : 0;
            if (!alive_at || oemp_deleted_at(plan, site, snapshot, life) > alive_at)
                gen_add(&sum, count, count * oemp_size(plan, site, life, age));
        }
    return sum;
}

static gen_sum alive(const oemp_plan *plan, int site, int at)
{
    return born(plan, site, 1, at, at);
}

/* Over all sites; reusable objects are counted apart. */
static gen_sum all_alive(const oemp_plan *plan, int at, bool reusable)
{
    gen_sum sum = {0, 0};
    for (int site = 0; site < plan->site_count; site++)
        if (oemp_is_reusable(plan, site) == reusable) {
            gen_sum more = alive(plan, site, at);
            gen_add(&sum, more.objects, more.bytes);
        }
    return sum;
}

static gen_sum all_created(const oemp_plan *plan, int from, int to)
{
    gen_sum sum = {0, 0};
    for (int site = 0; site < plan->site_count; site++)
        if (!oemp_is_reusable(plan, site)) {
            gen_sum more = born(plan, site, from, to, 0);
            gen_add(&sum, more.objects, more.bytes);
        }
    return sum;
}

static void answer_totals(gen_json *json, const oemp_plan *plan)
{
    int to = oemp_to_snapshot(plan);
    gen_sum live = all_alive(plan, to, false), created = all_created(plan, 1, to), peak = {0, 0};
    for (int at = 1; at <= oemp_last_snapshot(plan); at++)
        gen_raise(&peak, all_alive(plan, at, false));
    gen_json_open(json, "totals", '{');
    gen_json_figures(json, (gen_figure[]){{"live_objects", live.objects},
                                          {"live_bytes", live.bytes},
                                          {"created_objects", created.objects},
                                          {"created_bytes", created.bytes},
                                          {"deleted_objects", created.objects - live.objects},
                                          {"peak_objects", peak.objects},
                                          {"peak_bytes", peak.bytes},
                                          {NULL, 0}});
    gen_json_close(json);
}

static void answer_snapshots(gen_json *json, const oemp_plan *plan)
{
    int64_t before = 0; /* objects alive */
    gen_json_open(json, "snapshots", '[');
    for (int at = 1; at <= oemp_last_snapshot(plan); at++) {
        gen_sum live = all_alive(plan, at, false), reusable = all_alive(plan, at, true);
        int64_t created = all_created(plan, at, at).objects;
        gen_json_row(json);
        gen_json_number(json, "sequence", at);
        gen_json_text(json, "tag", oemp_tag(plan, at));
        gen_json_figures(json, (gen_figure[]){{"time_us", oemp_time(plan, at)},
                                              {"created_objects", created},
                                              {"deleted_objects", before + created - live.objects},
                                              {"live_objects", live.objects},
                                              {"live_bytes", live.bytes},
                                              {"platform_bytes", oemp_platform_total(at)},
                                              {NULL, 0}});
        if (reusable.objects) {
            gen_json_number(json, "reusable_objects", reusable.objects);
            gen_json_number(json, "reusable_bytes", reusable.bytes);
        }
        gen_json_close(json);
        before = live.objects;
    }
    gen_json_close(json);
}

/* Born after the first snapshot and alive at the end. */
static void answer_leaks(gen_json *json, const oemp_plan *plan)
{
    gen_row rows[OEMP_SITES] = {{0}};
    const char *stacks[OEMP_SITES][MOST_FRAMES];
    int to = oemp_to_snapshot(plan);
    for (int site = 0; site < plan->site_count; site++) {
        const oemp_site *words = plan->sites[site].words;
        const struct oemp_more *more = &words->more;
        gen_row *row = &rows[site];
        row->key = words->type;
        row->name = more->source ? more->source : more->other ? more->other : more->builtin;
        if (!oemp_is_reusable(plan, site))
            row->live = born(plan, site, 2, to, to);
        row->created = born(plan, site, 1, to, 0).objects;
        row->deleted = row->created - alive(plan, site, to).objects;
        row->line = words->line;
        row->stack = stacks[site];
        int line = words->line, node = plan->sites[site].node;
        while (node != OEMP_NONE && row->depth < MOST_FRAMES) {
            const oemp_node *frame = &oemp_nodes[node];
            stacks[site][row->depth++] = gen_keep("%s:%d", frame->name, line);
            line = frame->parent_line;
            node = frame->parent ? oemp_find_node(frame->parent) : OEMP_NONE;
        }
    }
    gen_answer_leaks(json, rows, (size_t)plan->site_count);
}

static void answer_types(gen_json *json, const oemp_plan *plan)
{
    gen_row rows[OEMP_SITES];
    size_t count = 0;
    for (int site = 0; site < plan->site_count; site++) {
        gen_sum before = alive(plan, site, 1), after = alive(plan, site, oemp_to_snapshot(plan));
        if (oemp_is_reusable(plan, site) || (!before.objects && !after.objects))
            continue;
        gen_row *row = gen_row_of(rows, &count, plan->sites[site].words->type);
        gen_add(&row->before, before.objects, before.bytes);
        gen_add(&row->live, after.objects, after.bytes);
    }
    gen_answer_top(json, rows, count, false, false);
    gen_answer_growth(json, rows, count);
}

void gen_oemp_answer(const gen_options *options, gen_json *json)
{
    oemp_plan plan;
    oemp_plan_init(&plan, options);
    answer_totals(json, &plan);
    answer_snapshots(json, &plan);
    answer_leaks(json, &plan);
    answer_types(json, &plan);
}
