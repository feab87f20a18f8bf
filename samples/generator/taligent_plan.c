#include "taligent_plan.h"

#include <stdlib.h>
#include <string.h>

static const int64_t START_TIME = 759537687555872; // 25 January 1994, in microseconds
static const int64_t EVENT_INTERVAL = 2048;
static const uint64_t HEAP_START = 0xb2362718;
static const uint64_t OLD_START = 0xb1f02040;
static const uint64_t UNKNOWN_START = 0xdead1000;

enum {
    OLD_DISTANCE = 0x140,
    UNKNOWN_DISTANCE = 0x20,
    CLASS_SIZE = 16,
    SMALL_LOG = 2000, // events; below it stories are told in few words
    EVENTS_PER_VARIANT = 12500,
    DAMAGE_STEPS = 14,
    SKIPPED_STEP = 7, // where an old line stands for a living block
};

static uint64_t mix(uint64_t number)
{
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27U)) * 0x94d049bb133111eb;
    return number ^ (number >> 31U);
}

static unsigned plan_random(TalPlan *plan, int64_t below)
{
    plan->random = mix(plan->random);
    return (unsigned)((plan->random >> 16U) % (uint64_t)(below > 0 ? below : 1));
}

int64_t taligent_plan_time(const TalPlan *plan, int64_t index)
{
    uint64_t shift = mix(plan->options.seed * 31 + (uint64_t)index);
    return START_TIME + index * EVENT_INTERVAL + (int64_t)(shift % (uint64_t)EVENT_INTERVAL);
}

bool taligent_plan_init(TalPlan *plan, const TalOptions *options)
{
    *plan = (TalPlan){.options = *options,
                      .random = mix(options->seed),
                      .unused = -1,
                      .due_first = -1,
                      .temporary = -1,
                      .displaceable = -1,
                      .top = HEAP_START};
    int64_t variants = options->events / EVENTS_PER_VARIANT;
    variants = variants < 1 ? 1 : variants;
    variants = variants > TAL_MAX_VARIANTS ? TAL_MAX_VARIANTS : variants;
    if (!taligent_shop_init(&plan->shop, (int)variants, options->frames)) {
        return false;
    }
    for (int i = 0; i < plan->shop.site_count; i++) {
        TalStory story = plan->shop.sites[i].story;
        if (story >= TAL_CHURN) {
            plan->weights[story - TAL_CHURN] += plan->shop.sites[i].weight;
        }
    }
    for (plan->wheel_size = 64; plan->wheel_size < options->events;) {
        plan->wheel_size *= 2;
    }
    plan->wheel = malloc((size_t)plan->wheel_size * sizeof *plan->wheel);
    for (int64_t i = 0; plan->wheel && i < plan->wheel_size; i++) {
        plan->wheel[i] = -1;
    }
    return plan->wheel != NULL;
}

void taligent_plan_free(TalPlan *plan)
{
    for (int i = 0; i < TAL_SIZE_CLASSES; i++) {
        free(plan->free_lists[i].addresses);
    }
    free(plan->blocks);
    free(plan->wheel);
    taligent_shop_free(&plan->shop);
}

static int block_new(TalPlan *plan)
{
    if (plan->unused >= 0) {
        int block = plan->unused;
        plan->unused = plan->blocks[block].next;
        return block;
    }
    if (plan->block_count == plan->block_room) {
        int room = plan->block_room ? plan->block_room * 2 : 1024;
        TalBlock *blocks = realloc(plan->blocks, (size_t)room * sizeof *blocks);
        if (!blocks) {
            plan->out_of_memory = true;
            return -1;
        }
        plan->blocks = blocks;
        plan->block_room = room;
    }
    return plan->block_count++;
}

static int size_class(int64_t size)
{
    return (int)((size + CLASS_SIZE - 1) / CLASS_SIZE);
}

// The address that was given back last, as heaps do it, else a new one.
static uint64_t address_take(TalPlan *plan, int64_t size)
{
    TalFreeList *list = &plan->free_lists[size_class(size)];
    if (list->count) {
        return list->addresses[--list->count];
    }
    uint64_t address = plan->top;
    plan->top += (uint64_t)size_class(size) * CLASS_SIZE + 8;
    return address;
}

static void address_give(TalPlan *plan, uint64_t address, int64_t size)
{
    TalFreeList *list = &plan->free_lists[size_class(size)];
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        uint64_t *addresses = realloc(list->addresses, room * sizeof *addresses);
        if (!addresses) {
            plan->out_of_memory = true;
            return;
        }
        list->addresses = addresses;
        list->room = room;
    }
    list->addresses[list->count++] = address;
}

// The block will be deleted `life` events from now.
static void doom(TalPlan *plan, int block, int64_t life)
{
    int64_t slot = (plan->index + life) % plan->wheel_size;
    plan->blocks[block].next = plan->wheel[slot];
    plan->wheel[slot] = block;
    plan->doomed++;
}

// Moves the blocks that die up to event `until` to those that are due.
static void advance(TalPlan *plan, int64_t until)
{
    for (; plan->cursor <= until; plan->cursor++) {
        int *list = &plan->wheel[plan->cursor % plan->wheel_size];
        while (*list >= 0) {
            int block = *list;
            *list = plan->blocks[block].next;
            plan->blocks[block].next = -1;
            if (plan->due_first < 0) {
                plan->due_first = block;
            } else {
                plan->blocks[plan->due_last].next = block;
            }
            plan->due_last = block;
        }
    }
}

static void write_old(TalPlan *plan, TalEvent *event)
{
    const TalOld *words = &plan->shop.old[plan->old_lines];
    event->kind = TAL_OLD;
    event->thread = -1;
    event->block = (TalBlock){.address = OLD_START + (uint64_t)plan->old_lines * OLD_DISTANCE,
                              .serial = ++plan->last_serial,
                              .size = words->size,
                              .type = words->type,
                              .thread = -1,
                              .deleter = (int)plan_random(plan, plan->options.threads),
                              .deletion_crawl = &plan->shop.old_deleter};
    if (words->freed) {
        int block = block_new(plan);
        if (block >= 0) {
            plan->blocks[block] = event->block;
            doom(plan, block, plan->options.events * (2 + plan->old_lines) / 14);
        }
    }
    plan->old_lines++;
}

static int pick_site(TalPlan *plan, TalStory story)
{
    int site = -1;
    int number = story >= TAL_CHURN ? (int)plan_random(plan, plan->weights[story - TAL_CHURN]) : 0;
    while (number >= 0) {
        site++;
        if (plan->shop.sites[site].story == story) {
            number -= story >= TAL_CHURN ? plan->shop.sites[site].weight : 1;
        }
    }
    return site;
}

static int pick_thread(TalPlan *plan)
{
    int thread = (int)plan_random(plan, plan->options.threads);
    if (plan->temporary >= 0 && thread == plan->blocks[plan->temporary].thread) {
        thread = (thread + 1) % plan->options.threads;
    }
    return thread;
}

static TalBlock new_block(TalPlan *plan, TalStory story, int64_t time)
{
    int site = pick_site(plan, story);
    const TalSite *words = &plan->shop.sites[site];
    int crawl = site * plan->shop.variants +
                taligent_shop_variant(&plan->shop, site, plan_random(plan, 1 << 30));
    int thread = pick_thread(plan);
    int64_t size = words->size + words->step * (int64_t)plan_random(plan, 4);
    return (TalBlock){.serial = ++plan->last_serial,
                      .time = time,
                      .size = size,
                      .crawl = &plan->shop.crawls[crawl],
                      .deletion_crawl = &plan->shop.deleters[crawl],
                      .type = plan_random(plan, 5) ? words->type : words->other,
                      .thread = thread,
                      .deleter = words->cross ? (thread + 1) % plan->options.threads : thread};
}

// In events.
static int64_t pick_life(TalPlan *plan)
{
    int64_t events = plan->options.events;
    unsigned kind = plan_random(plan, 100);
    if (kind < 60) {
        return 2 + plan_random(plan, 12);
    }
    if (kind < 85) {
        return 12 + plan_random(plan, events < SMALL_LOG ? events / 10 : events / 400);
    }
    return events / 16 + plan_random(plan, events / (events < SMALL_LOG ? 4 : 16));
}

static TalStory pick_story(TalPlan *plan)
{
    int64_t events = plan->options.events;
    bool small = events < SMALL_LOG;
    int64_t number = plan->allocations;
    int64_t slow_step = events / (small ? 5 : 50);
    if (slow_step && plan->index >= slow_step * plan->slow + slow_step / 2) {
        plan->slow++;
        return TAL_SLOW;
    }
    if (plan->index >= events / 6 && plan->cached < (small ? 12 : events / 500) && number % 2) {
        plan->cached++;
        return TAL_CACHE;
    }
    if (number % (small ? 8 : 60) == 3) {
        return TAL_LEAK;
    }
    return plan->temporary < 0 && plan_random(plan, 100) < 25 ? TAL_TEMPORARY : TAL_CHURN;
}

static int64_t story_life(TalPlan *plan, TalStory story)
{
    switch (story) {
    case TAL_LEAK:
        return plan->leaks++ % 6 == 1 ? 9 : -1;
    case TAL_CACHE:
        return plan->cached == 5 ? 40 : -1;
    case TAL_CHURN:
        return pick_life(plan);
    default:
        return -1;
    }
}

static void allocate(TalPlan *plan, TalEvent *event, TalStory story, bool doomed)
{
    plan->allocations++;
    int index = block_new(plan);
    if (index < 0) {
        return;
    }
    TalBlock *block = &plan->blocks[index];
    *block = new_block(plan, story, event->time);
    block->address = address_take(plan, block->size);
    int64_t life = doomed ? story_life(plan, story) : -1;
    if (story == TAL_TEMPORARY) {
        plan->temporary = index;
        plan->temporary_at = plan->index + (plan->options.threads > 1 ? plan_random(plan, 2) : 0);
        plan->doomed++;
    } else if (life >= 0) {
        doom(plan, index, life);
    } else if (story == TAL_LEAK) {
        plan->displaceable = index;
    }
    event->kind = TAL_ALLOCATION;
    event->thread = block->thread;
    event->block = *block;
}

static void delete_block(TalPlan *plan, TalEvent *event, int index)
{
    TalBlock *block = &plan->blocks[index];
    event->kind = TAL_DELETION;
    event->thread = block->deleter;
    event->block = *block;
    address_give(plan, block->address, block->size);
    block->next = plan->unused;
    plan->unused = index;
    plan->doomed--;
}

static void delete_temporary(TalPlan *plan, TalEvent *event)
{
    if (plan->backward) {
        event->time = plan->blocks[plan->temporary].time - EVENT_INTERVAL;
        plan->backward = false;
    }
    delete_block(plan, event, plan->temporary);
    plan->temporary = -1;
}

static void delete_due(TalPlan *plan, TalEvent *event)
{
    int index = plan->due_first;
    plan->due_first = plan->blocks[index].next;
    delete_block(plan, event, index);
}

static void unmatched(TalPlan *plan, TalEvent *event, TalFault fault)
{
    *event = (TalEvent){.kind = TAL_DELETION, .fault = fault, .time = event->time};
    event->thread = pick_thread(plan);
    event->block.address = UNKNOWN_START + (uint64_t)plan->unknown * UNKNOWN_DISTANCE;
    event->block.deletion_crawl = &plan->shop.deleters[3 * plan->shop.variants];
    event->block.type = TAL_NOTYPE;
    if (fault == TAL_BAD_ADDRESS) {
        plan->unknown++;
        return;
    }
    for (int i = 0; i < TAL_SIZE_CLASSES; i++) {
        const TalFreeList *list = &plan->free_lists[i];
        if (list->count) {
            event->block.address = list->addresses[list->count - 1];
            event->block.type = TAL_ORDER;
            return;
        }
    }
    event->fault = TAL_BAD_ADDRESS;
    plan->unknown++;
}

// The new block stays, and nothing knows of the old one any more.
static void displace(TalPlan *plan, TalEvent *event)
{
    TalBlock *block = &plan->blocks[plan->displaceable];
    event->fault = TAL_DISPLACES;
    event->displaced_size = block->size;
    event->displaced_thread = block->thread;
    event->displaced_crawl = block->crawl;
    uint64_t address = block->address;
    *block = new_block(plan, TAL_LEAK, event->time);
    block->address = address;
    event->kind = TAL_ALLOCATION;
    event->thread = block->thread;
    event->block = *block;
    plan->displaceable = -1;
}

static void skipped_old(TalPlan *plan, TalEvent *event)
{
    event->kind = TAL_OLD;
    event->fault = TAL_SKIPPED;
    event->thread = -1;
    event->block = plan->blocks[plan->displaceable];
    event->block.type = TAL_NOVTBL;
    event->block.thread = -1;
}

// What is wrong at this point of a damaged log. True: it is an event of its own.
static bool damage(TalPlan *plan, TalEvent *event, int64_t step)
{
    switch (step) {
    case 2:
    case 11:
        unmatched(plan, event, TAL_BAD_ADDRESS);
        return true;
    case 3:
        event->banner = 1;
        plan->starred = 5;
        return false;
    case 4:
    case 9:
        unmatched(plan, event, TAL_DOUBLE);
        return true;
    case 5:
        event->time -= 5 * EVENT_INTERVAL;
        return false;
    case 6:
        plan->backward = true;
        return false;
    case SKIPPED_STEP:
        if (plan->displaceable >= 0) {
            displace(plan, event);
            return true;
        }
        return false;
    case 8:
        event->banner = 2;
        plan->starred = 9;
        return false;
    case 10:
        event->bad_row = true;
        return false;
    default:
        return false;
    }
}

static void ordinary_event(TalPlan *plan, TalEvent *event)
{
    int64_t rest = plan->options.events - plan->index + 1;
    if (plan->temporary >= 0 && plan->index - 1 >= plan->temporary_at) {
        delete_temporary(plan, event);
        return;
    }
    bool all_must_go = rest <= plan->doomed && plan->doomed > (plan->temporary >= 0);
    while (all_must_go && plan->due_first < 0) {
        advance(plan, plan->cursor);
    }
    bool can_delete =
        plan->due_first >= 0 && (plan->temporary < 0 || plan->blocks[plan->due_first].deleter !=
                                                            plan->blocks[plan->temporary].thread);
    if (all_must_go || (can_delete && plan_random(plan, 3))) {
        delete_due(plan, event);
    } else if (rest <= plan->doomed + 1) {
        allocate(plan, event, TAL_LEAK, false); // there is no time to delete another one
    } else {
        allocate(plan, event, pick_story(plan), true);
    }
}

// Lines that are no events: old blocks at the start, and two within a damaged log.
static bool extra_line(TalPlan *plan, TalEvent *event)
{
    int64_t step = plan->options.events / DAMAGE_STEPS;
    if (plan->old_lines < TAL_SHOP_OLD_BLOCKS - (plan->options.damaged ? TAL_LATE_OLD : 0)) {
        write_old(plan, event);
        return true;
    }
    if (!plan->options.damaged) {
        return false;
    }
    if (plan->old_lines < TAL_SHOP_OLD_BLOCKS && plan->index >= step) {
        write_old(plan, event);
        return true;
    }
    if (!plan->has_skipped && plan->index >= SKIPPED_STEP * step && plan->displaceable >= 0) {
        skipped_old(plan, event);
        plan->has_skipped = true;
        return true;
    }
    return false;
}

bool taligent_plan_next(TalPlan *plan, TalEvent *event)
{
    *event = (TalEvent){0};
    if (plan->out_of_memory || plan->index > plan->options.events) {
        return false;
    }
    if (extra_line(plan, event)) {
        return true;
    }
    if (plan->index == plan->options.events) {
        return false;
    }
    event->time = taligent_plan_time(plan, plan->index);
    int64_t index = plan->index++;
    advance(plan, index);
    int64_t step = plan->options.events / DAMAGE_STEPS;
    bool damaged =
        plan->options.damaged && step && index % step == 0 && damage(plan, event, index / step);
    if (!damaged) {
        ordinary_event(plan, event);
    }
    if (plan->starred) {
        event->starred = plan->starred % 2;
        plan->starred--;
    }
    return !plan->out_of_memory;
}
