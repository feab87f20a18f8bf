#include "plan.h"

#include <string.h>

static const int64_t SNAPSHOT_INTERVAL = 60 * 1000000;
static const int64_t CLEAN_UP_DELAY = 12345678;
static const int64_t EXIT_DELAY = 850246;

static int64_t at_least(int64_t number, int64_t least)
{
    return number < least ? least : number;
}

static int64_t story_count(const Plan *plan, const Site *site, int born)
{
    int64_t objects = (int64_t)plan->objects;
    int sessions = plan->agent_session ? plan->agent_session : 1;
    switch (site->kind) {
    case SITE_LEAK:
        // Agent session n has 1/n of the orders: sessions of one agent do not look alike.
        return born <= plan->work ? at_least(objects / 200 / plan->work, 3) / sessions : 0;
    case SITE_SLOW:
        return born <= plan->work && born % 3 == 0 ? at_least(objects / 100000, 1) : 0;
    case SITE_CACHE:
        return born == 2 ? at_least(objects / 500, 12) : 0;
    default:
        return 0;
    }
}

void plan_init(Plan *plan, uint64_t objects, int snapshots, bool exit, bool reusable, int session)
{
    memset(plan, 0, sizeof *plan);
    shop_init(&plan->shop, reusable);
    plan->objects = objects;
    plan->work = snapshots - 2;
    plan->exit = exit;
    plan->agent_session = session;
    int64_t others = 0;
    for (int i = 0; i < plan->shop.site_count; i++) {
        const Site *site = plan->shop.sites[i].plan;
        if (site->reusable) {
            continue; // the other sites must not depend on whether these are there
        }
        if (site->kind == SITE_CHURN) {
            plan->weights += site->weight;
            continue;
        }
        for (int born = 1; born <= plan->work; born++) {
            others += plan_created(plan, i, born);
        }
    }
    plan->churn = at_least((int64_t)objects - others, plan->weights);
}

int plan_last_snapshot(const Plan *plan)
{
    return plan->exit ? plan->work + 2 : plan->work;
}

int plan_to_snapshot(const Plan *plan)
{
    return plan->exit ? plan->work + 1 : plan->work;
}

int64_t plan_time(const Plan *plan, int snapshot)
{
    int work = snapshot < plan->work ? snapshot : plan->work;
    int64_t time = work * SNAPSHOT_INTERVAL + work * 7919 % 1000 * 137;
    if (snapshot > plan->work) {
        time += CLEAN_UP_DELAY;
    }
    if (snapshot > plan->work + 1) {
        time += EXIT_DELAY;
    }
    return time;
}

const char *plan_tag(const Plan *plan, int snapshot)
{
    static const char *const client[] = {"_Auto", "_Auto", "Pre 1", "Post 1"};
    static const char *const agent[] = {"_Auto", "_EndOfRequest", "_EndOfRequest", "Post 1"};
    if (snapshot > plan->work) {
        return snapshot == plan->work + 1 ? "_PreCleanUp" : "_Exit";
    }
    return plan->agent_session ? agent[snapshot % 4] : client[snapshot % 4];
}

// Churn is spread evenly over the snapshots from the site's first one on: the n-th object comes
// when its share of the time has passed.
static int64_t churn_until(const Plan *plan, const Site *site, int snapshot)
{
    int span = plan->work - site->first + 1;
    int done = snapshot - site->first + 1;
    if (span <= 0 || done <= 0) {
        return 0;
    }
    int64_t all = plan->churn * site->weight / plan->weights;
    return all * (done < span ? done : span) / span;
}

int64_t plan_created(const Plan *plan, int site, int born)
{
    const Site *words = plan->shop.sites[site].plan;
    switch (words->kind) {
    case SITE_SESSION:
    case SITE_START:
    case SITE_RELEASED:
        return born == 1 ? words->weight : 0;
    case SITE_CHURN:
        return churn_until(plan, words, born) - churn_until(plan, words, born - 1);
    default:
        return story_count(plan, words, born);
    }
}

int plan_life(int born, int64_t index)
{
    return (int)((index + born) % PLAN_LIVES);
}

int64_t plan_created_of_life(const Plan *plan, int site, int born, int life)
{
    int64_t first = (life + PLAN_LIVES - born % PLAN_LIVES) % PLAN_LIVES;
    int64_t all = plan_created(plan, site, born);
    return first < all ? (all - first + PLAN_LIVES - 1) / PLAN_LIVES : 0;
}

int plan_deleted_at(const Plan *plan, int site, int born, int life)
{
    int clean_up = plan->work + 1;
    switch (plan->shop.sites[site].plan->kind) {
    case SITE_SESSION:
        return clean_up + 2;
    case SITE_RELEASED:
        return clean_up;
    case SITE_CHURN:
        return born + 1 + life < clean_up ? born + 1 + life : clean_up;
    default:
        return clean_up + 1;
    }
}

int64_t plan_size(const Plan *plan, int site, int life, int age)
{
    const Site *words = plan->shop.sites[site].plan;
    return words->size + words->step * life +
           words->grow * (age < words->grow_last ? age : words->grow_last);
}

bool plan_changed(const Plan *plan, int site, int born, int snapshot)
{
    const Site *words = plan->shop.sites[site].plan;
    int age = snapshot - born;
    return (age > 0 && age <= words->grow_last) ||
           (age > 0 && words->table == TABLE_LATER && snapshot == PLAN_TABLE_SNAPSHOT);
}

bool plan_reusable(const Plan *plan, int site)
{
    return plan->reusable_apart && plan->shop.sites[site].plan->reusable;
}
