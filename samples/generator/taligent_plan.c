#include "taligent.h"

#include <stdlib.h>
#include <string.h>

/* --- the shop as a C++ program: code that allocates and deletes blocks --- */

const char tal_novtbl[] = "novtbl", tal_notype[] = "notype";

#define CUSTOMERS "TArrayOf<TCustomer const*, TAllocator<TCustomer const*> >"

static const tal_site sites[] = {
    {TAL_LEAK, 0, 112, 0, "TOrderEvent", NULL, false,
     "operator new(unsigned int) < TOrderService::PlaceOrder(TOrder&) < TShop::Run(int)",
     "TOrderEvent::~TOrderEvent() < TOrderService::Confirm(const TOrder&) < TShop::Run(int)"},
    {TAL_SLOW, 0, 160, 0, tal_novtbl, NULL, false,
     "TPdfWriter::Grow(unsigned long) < TPdfWriter::Write(const TStandardText&) < "
     "TInvoice::Print(TPdfWriter&)",
     "TPdfWriter::Close() < TInvoice::Print(TPdfWriter&)"},
    {TAL_CACHE, 0, 96, 16, "TPriceEntry", NULL, false,
     "operator new(unsigned int) < TPriceCache::Fill(const TCatalog&) < TPriceCache::Lookup(long)",
     "TPriceEntry::~TPriceEntry() < TPriceCache::Evict(long)"},
    {TAL_CHURN, 12, 120, 24, "TOrder", "TRushOrder", false,
     "operator new(unsigned int) < TOrderService::NewOrder(long, bool)",
     "TOrder::~TOrder() < TOrderService::Archive(TOrder*)"},
    {TAL_CHURN, 9, 80, 16, "TCustomer", NULL, false,
     "TCustomerRepository::Find(long) const < TCustomerRepository::operator[](long)",
     "TCustomer::~TCustomer() < TCustomerRepository::Release(TCustomer*)"},
    {TAL_CHURN, 6, 40, 40, CUSTOMERS, NULL, false,
     "operator new(unsigned int) < " CUSTOMERS "::Clone() const < TCustomerRepository::All()",
     CUSTOMERS "::~TArrayOf()"},
    {TAL_CHURN, 6, 64, 0, "TRequest", NULL, true, "TRequestQueue::Post(const TRequest&)",
     "TRequest::~TRequest() < TWorker::Serve(TRequestQueue&)"},
    {TAL_CHURN, 5, 32, 0, "TCallback<void (unsigned long)>", NULL, true,
     "TTimer::After(unsigned long, TCallback<void (unsigned long)>*)",
     "TTimer::Fire() < TTimer::Loop(void*)"},
    {TAL_CHURN, 5, 200, 56, tal_novtbl, tal_notype, false,
     "TTieredTextBuffer::Reserve(unsigned long) < TTieredTextBuffer::operator<<(const long) < "
     "TTieredTextBuffer::operator<<(const int)",
     "TTieredTextBuffer::~TTieredTextBuffer()"},
    {TAL_CHURN, 3, 24, 0, "TPermissions", NULL, false,
     "operator new(unsigned int) < TPermissions::operator|(const TPermissions&) const < "
     "TSession::Login(const TStandardText&)",
     "TPermissions::~TPermissions() < operator||(const TPermissions&, bool) < "
     "TSession::Logout()"},
    {TAL_TEMPORARY, 5, 16, 0, "THybridNumber", NULL, false,
     "THybridNumber::THybridNumber(const long) < TPrice::Round(int) const",
     "THybridNumber::~THybridNumber() < TPrice::Round(int) const"},
    {TAL_TEMPORARY, 3, 28, 4, "TIterator<TOrder const>", NULL, false,
     "TOrderBook::CreateIterator() const < TOrderBook::Total() const",
     "TIterator<TOrder const>::~TIterator() < TOrderBook::Total() const"},
    {TAL_TEMPORARY, 2, 56, 8, "TStandardText", tal_notype, false,
     "TStandardText::TStandardText(const char*) < TLog::Trace(const char*, ...)",
     "TStandardText::~TStandardText() < TLog::Trace(const char*, ...)"},
};
enum { SITES = sizeof sites / sizeof sites[0], ORDER_SITE = 3 };

static const tal_site old_site = {.deleter = "TStartUp::Forget(void*) < TShop::Open()"};
static const struct {
    int size;
    const char *type;
    bool freed;
} old_blocks[] = {
    {48, "TLocalSemaphore", false},
    {48, "TLocalSemaphore", true},
    {320, "TCatalog", false},
    {64, tal_novtbl, true},
    {64, tal_novtbl, false},
    {40, CUSTOMERS, true},
    {24, tal_notype, true},
    {120, "TOrder", false},
    {72, "TCallback<void (unsigned long)>", false},
};
enum { OLD_BLOCKS = sizeof old_blocks / sizeof old_blocks[0] };

static const char *const callers[] = {
    "TShop::Serve()",  "TPay::Confirm()",    "TBasket::Add(int)", "TBasket::Sum()",
    "TView::Draw()",   "TView::Scroll()",    "TReport::Build()",  "TStock::Take(long)",
    "TStock::Count()", "TMail::Send()",      "TImport::Row()",    "TImport::Run()",
    "TTimer::Tick()",  "TJob::operator()()", "TLogin::Check()",   "TLink::Poll()",
};
enum { CALLERS = sizeof callers / sizeof callers[0] };

/* Make a crawl: the site's own frames, then callers, which the digits of the variant choose, then
 * main. `at_least`: minimum number of frames. */
static void crawl_init(tal_crawl *crawl, const char *frames, int site, int variant, int at_least)
{
    static const char between[] = " < ";
    unsigned digits = (unsigned)variant;
    size_t room = 1;
    while (frames) {
        const char *next = strstr(frames, between);
        crawl->frames[crawl->count++] =
            next ? gen_keep("%.*s", (int)(next - frames), frames) : frames;
        frames = next ? next + strlen(between) : NULL;
    }
    for (int i = 0; crawl->count + 1 < at_least || (!at_least && digits); i++) {
        unsigned caller = digits ? digits - 1 : (unsigned)(site + i * 5);
        crawl->frames[crawl->count++] = callers[caller % CALLERS];
        digits = digits ? (digits - 1) / CALLERS : 0;
    }
    crawl->frames[crawl->count++] = "main";
    for (int i = 0; i < crawl->count; i++)
        room += strlen(crawl->frames[i]) + 1;
    crawl->text = gen_alloc(room, 1);
    for (int i = 0; i < crawl->count; i++)
        crawl->length += (size_t)snprintf(crawl->text + crawl->length, room - crawl->length, "%s%s",
                                          i ? "|" : "", crawl->frames[i]);
}

static tal_crawl *crawls_of(const tal_plan *plan, bool deleters, int at_least)
{
    tal_crawl *crawls = gen_alloc((size_t)plan->crawl_count, sizeof *crawls);
    for (int i = 0; i < plan->crawl_count; i++) {
        int site = i / plan->variants, first = site * plan->variants;
        crawls[i].site = &sites[site];
        crawl_init(&crawls[i], deleters ? sites[site].deleter : sites[site].frames, site, i - first,
                   at_least);
        while (strcmp(crawls[first].text, crawls[i].text))
            first++;
        crawls[i].id = first;
    }
    return crawls;
}

/* --- chance and time --- */

enum {
    EVENT_INTERVAL = 2048, /* microseconds */
    OLD_DISTANCE = 0x140,
    UNKNOWN_DISTANCE = 0x20,
    CLASS_SIZE = 16,
    SMALL_LOG = 2000, /* number of events; if it is small, the stories are shortened */
    EVENTS_PER_VARIANT = 12500,
    MOST_VARIANTS = 400,
    DAMAGE_STEPS = 14,
    SKIPPED_STEP = 7, /* an old line has the address of a live block */
    LATE_OLD = 1      /* number of old blocks whose lines come late in a damaged log */
};
static const int64_t START_TIME = 759537687555872; /* 25 January 1994, in microseconds */
static const uint64_t HEAP_START = 0xb2362718, OLD_START = 0xb1f02040, UNKNOWN_START = 0xdead1000;

static uint64_t mix(uint64_t number)
{
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

static int chance(tal_plan *plan, int64_t below)
{
    plan->random = mix(plan->random);
    return (int)((plan->random >> 16) % (uint64_t)(below > 0 ? below : 1));
}

void tal_plan_init(tal_plan *plan, const gen_options *options)
{
    int64_t variants = options->events / EVENTS_PER_VARIANT;
    variants = variants < 1 ? 1 : variants > MOST_VARIANTS ? MOST_VARIANTS : variants;
    *plan = (tal_plan){.events = options->events,
                       .threads = (int)options->threads,
                       .variants = (int)variants,
                       .crawl_count = SITES * (int)variants,
                       .seed = (uint64_t)options->seed,
                       .random = mix((uint64_t)options->seed),
                       .damaged = options->damaged,
                       .unused = -1,
                       .due_first = -1,
                       .temporary = -1,
                       .displaceable = -1,
                       .wheel_size = 64,
                       .top = HEAP_START};
    plan->crawls = crawls_of(plan, false, (int)options->frames);
    plan->deleters = crawls_of(plan, true, (int)options->frames);
    crawl_init(&plan->old_deleter, old_site.deleter, 0, 0, 0);
    for (int i = 0; i < SITES; i++)
        if (sites[i].story >= TAL_CHURN)
            plan->weights[sites[i].story - TAL_CHURN] += sites[i].weight;
    while (plan->wheel_size < plan->events)
        plan->wheel_size *= 2;
    plan->wheel = gen_alloc((size_t)plan->wheel_size, sizeof *plan->wheel);
    for (int64_t i = 0; i < plan->wheel_size; i++)
        plan->wheel[i] = -1;
}

void tal_plan_free(tal_plan *plan)
{
    for (int i = 0; i < plan->crawl_count; i++) {
        free(plan->crawls[i].text);
        free(plan->deleters[i].text);
    }
    for (int i = 0; i < TAL_SIZE_CLASSES; i++)
        free(plan->free_lists[i].addresses);
    free(plan->old_deleter.text);
    free(plan->crawls);
    free(plan->deleters);
    free(plan->blocks);
    free(plan->wheel);
}

/* --- blocks --- */

static int block_new(tal_plan *plan)
{
    int block = plan->unused;
    if (block >= 0) {
        plan->unused = plan->blocks[block].next;
        return block;
    }
    plan->blocks =
        gen_grow(plan->blocks, plan->block_count, &plan->block_room, sizeof *plan->blocks);
    return (int)plan->block_count++;
}

static int64_t size_class(int64_t size)
{
    return (size + CLASS_SIZE - 1) / CLASS_SIZE;
}

/* Return an address. Like in real heaps, it is the address that was freed last, or a new one. */
static uint64_t address_take(tal_plan *plan, int64_t size)
{
    tal_free_list *list = &plan->free_lists[size_class(size)];
    if (list->count)
        return list->addresses[--list->count];
    uint64_t address = plan->top;
    plan->top += (uint64_t)size_class(size) * CLASS_SIZE + 8;
    return address;
}

static void address_give(tal_plan *plan, uint64_t address, int64_t size)
{
    tal_free_list *list = &plan->free_lists[size_class(size)];
    list->addresses = gen_grow(list->addresses, list->count, &list->room, sizeof address);
    list->addresses[list->count++] = address;
}

/* Mark the block for deletion after `life` events. */
static void doom(tal_plan *plan, int block, int64_t life)
{
    int64_t slot = (plan->index + life) % plan->wheel_size;
    plan->blocks[block].next = plan->wheel[slot];
    plan->wheel[slot] = block;
    plan->doomed++;
}

/* For all blocks that must be deleted up to event `until`: make them due. */
static void advance(tal_plan *plan, int64_t until)
{
    for (; plan->cursor <= until; plan->cursor++) {
        int *list = &plan->wheel[plan->cursor % plan->wheel_size];
        while (*list >= 0) {
            int block = *list;
            *list = plan->blocks[block].next;
            plan->blocks[block].next = -1;
            if (plan->due_first < 0)
                plan->due_first = block;
            else
                plan->blocks[plan->due_last].next = block;
            plan->due_last = block;
        }
    }
}

static void write_old(tal_plan *plan, tal_event *event)
{
    int number = plan->old_lines++;
    event->kind = TAL_OLD;
    event->thread = -1;
    event->block = (tal_block){.address = OLD_START + (uint64_t)number * OLD_DISTANCE,
                               .serial = ++plan->last_serial,
                               .size = old_blocks[number].size,
                               .type = old_blocks[number].type,
                               .thread = -1,
                               .deleter = chance(plan, plan->threads),
                               .deletion_crawl = &plan->old_deleter};
    if (old_blocks[number].freed) {
        int block = block_new(plan);
        plan->blocks[block] = event->block;
        doom(plan, block, plan->events * (2 + number) / 14);
    }
}

/* --- allocations --- */

static int pick_site(tal_plan *plan, tal_story story)
{
    bool weighed = story >= TAL_CHURN;
    int number = weighed ? chance(plan, plan->weights[story - TAL_CHURN]) : 0, site = -1;
    while (number >= 0) {
        site++;
        if (sites[site].story == story)
            number -= weighed ? sites[site].weight : 1;
    }
    return site;
}

/* Choose a thread. The thread that has a temporary block is not chosen, because none of its other
 * events may come before the deletion of this block. */
static int pick_thread(tal_plan *plan)
{
    int thread = chance(plan, plan->threads);
    if (plan->temporary >= 0 && thread == plan->blocks[plan->temporary].thread)
        thread = (thread + 1) % plan->threads;
    return thread;
}

/* Return a new block. Stories have a single crawl, all other sites have many. */
static tal_block new_block(tal_plan *plan, tal_story story, int64_t time)
{
    int site = pick_site(plan, story), variant = chance(plan, 1 << 30) % plan->variants;
    int crawl = site * plan->variants + (story >= TAL_CHURN ? variant : 0);
    int thread = pick_thread(plan);
    int64_t size = sites[site].size + sites[site].step * (int64_t)chance(plan, 4);
    return (tal_block){.serial = ++plan->last_serial,
                       .time = time,
                       .size = size,
                       .crawl = &plan->crawls[crawl],
                       .deletion_crawl = &plan->deleters[crawl],
                       .type = chance(plan, 5) || !sites[site].other ? sites[site].type
                                                                     : sites[site].other,
                       .thread = thread,
                       .deleter = sites[site].cross ? (thread + 1) % plan->threads : thread};
}

static tal_story pick_story(tal_plan *plan)
{
    bool small = plan->events < SMALL_LOG;
    int64_t number = plan->allocations, slow_step = plan->events / (small ? 5 : 50);
    if (slow_step && plan->index >= slow_step * plan->slow + slow_step / 2) {
        plan->slow++;
        return TAL_SLOW;
    }
    if (plan->index >= plan->events / 6 && plan->cached < (small ? 12 : plan->events / 500) &&
        number % 2) {
        plan->cached++;
        return TAL_CACHE;
    }
    if (number % (small ? 8 : 60) == 3)
        return TAL_LEAK;
    return plan->temporary < 0 && chance(plan, 100) < 25 ? TAL_TEMPORARY : TAL_CHURN;
}

/* Return a lifetime in events; -1 = never deleted. */
static int64_t pick_life(tal_plan *plan, tal_story story)
{
    int64_t events = plan->events;
    bool small = events < SMALL_LOG;
    if (story == TAL_LEAK)
        return plan->leaks++ % 6 == 1 ? 9 : -1;
    if (story == TAL_CACHE)
        return plan->cached == 5 ? 40 : -1;
    if (story != TAL_CHURN)
        return -1;
    int kind = chance(plan, 100);
    if (kind < 60)
        return 2 + chance(plan, 12);
    if (kind < 85)
        return 12 + chance(plan, small ? events / 10 : events / 400);
    return events / 16 + chance(plan, events / (small ? 4 : 16));
}

static void allocate(tal_plan *plan, tal_event *event, tal_story story, bool doomed)
{
    plan->allocations++;
    int index = block_new(plan);
    tal_block *block = &plan->blocks[index];
    *block = new_block(plan, story, event->time);
    block->address = address_take(plan, block->size);
    int64_t life = doomed ? pick_life(plan, story) : -1;
    if (story == TAL_TEMPORARY) {
        plan->temporary = index;
        plan->temporary_at = plan->index + (plan->threads > 1 ? chance(plan, 2) : 0);
        event->late = plan->backward ? 3 : event->late;
        plan->backward = false;
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

/* --- deletions --- */

static void delete_block(tal_plan *plan, tal_event *event, int index)
{
    tal_block *block = &plan->blocks[index];
    event->kind = TAL_DELETION;
    event->thread = block->deleter;
    event->block = *block;
    address_give(plan, block->address, block->size);
    block->next = plan->unused;
    plan->unused = index;
    plan->doomed--;
}

static void ordinary_event(tal_plan *plan, tal_event *event)
{
    int64_t rest = plan->events - plan->index + 1;
    int temporary = plan->temporary;
    if (temporary >= 0 && plan->index - 1 >= plan->temporary_at) {
        delete_block(plan, event, temporary);
        plan->temporary = -1;
        return;
    }
    bool all_must_go = rest <= plan->doomed && plan->doomed > (temporary >= 0);
    while (all_must_go && plan->due_first < 0)
        advance(plan, plan->cursor);
    int due = plan->due_first;
    bool can_delete =
        due >= 0 && (temporary < 0 || plan->blocks[due].deleter != plan->blocks[temporary].thread);
    if (all_must_go || (can_delete && chance(plan, 3))) {
        plan->due_first = plan->blocks[due].next;
        delete_block(plan, event, due);
    } else if (rest <= plan->doomed + 1) {
        allocate(plan, event, TAL_LEAK, false); /* it is too late to delete another block */
    } else {
        allocate(plan, event, pick_story(plan), true);
    }
}

/* --- damage --- */

/* Make a deletion of an address that is free or was never allocated. */
static void unmatched(tal_plan *plan, tal_event *event, tal_fault fault)
{
    int list = 0;
    while (list < TAL_SIZE_CLASSES && !plan->free_lists[list].count)
        list++;
    if (list == TAL_SIZE_CLASSES)
        fault = TAL_BAD_ADDRESS;
    *event = (tal_event){.kind = TAL_DELETION, .fault = fault, .time = event->time};
    event->thread = pick_thread(plan);
    event->block.deletion_crawl = &plan->deleters[ORDER_SITE * plan->variants];
    if (fault == TAL_BAD_ADDRESS) {
        event->block.type = tal_notype;
        event->block.address = UNKNOWN_START + (uint64_t)plan->unknown++ * UNKNOWN_DISTANCE;
    } else {
        const tal_free_list *free_list = &plan->free_lists[list];
        event->block.type = "TOrder";
        event->block.address = free_list->addresses[free_list->count - 1];
    }
}

/* Allocate a block at the address of a live block. The new block stays, and the old block is
 * lost. */
static void displace(tal_plan *plan, tal_event *event)
{
    tal_block *block = &plan->blocks[plan->displaceable];
    event->kind = TAL_ALLOCATION;
    event->fault = TAL_DISPLACES;
    plan->displaced = *block;
    event->displaced = &plan->displaced;
    *block = new_block(plan, TAL_LEAK, event->time);
    block->address = plan->displaced.address;
    event->thread = block->thread;
    event->block = *block;
    plan->displaceable = -1;
}

/* Make the fault that belongs to this point of a damaged log. Return true if the fault is an
 * event. */
static bool damage(tal_plan *plan, tal_event *event, int64_t step)
{
    switch (step) {
    case 2:
    case 11:
        unmatched(plan, event, TAL_BAD_ADDRESS);
        return true;
    case 4:
    case 9:
        unmatched(plan, event, TAL_DOUBLE);
        return true;
    case SKIPPED_STEP:
        if (plan->displaceable < 0)
            return false;
        displace(plan, event);
        return true;
    case 3:
        event->banner = 1;
        plan->starred = 5;
        return false;
    case 8:
        event->banner = 2;
        plan->starred = 9;
        return false;
    case 5:
        event->late = 5;
        return false;
    case 6:
        plan->backward = true;
        return false;
    default:
        event->bad_row = step == 10;
        return false;
    }
}

/* Make a line that is not an event. It is an old block at the start, or one of two old blocks
 * within a damaged log. Return true if there is one. */
static bool extra_line(tal_plan *plan, tal_event *event)
{
    int64_t step = plan->events / DAMAGE_STEPS;
    bool late = plan->damaged && plan->index >= step;
    if (plan->old_lines < OLD_BLOCKS - (plan->damaged && !late ? LATE_OLD : 0)) {
        write_old(plan, event);
        return true;
    }
    if (plan->damaged && !plan->has_skipped && plan->index >= SKIPPED_STEP * step &&
        plan->displaceable >= 0) {
        *event = (tal_event){.kind = TAL_OLD, .fault = TAL_SKIPPED, .thread = -1};
        event->block = plan->blocks[plan->displaceable];
        event->block.type = tal_novtbl;
        event->block.thread = -1;
        plan->has_skipped = true;
        return true;
    }
    return false;
}

bool tal_plan_next(tal_plan *plan, tal_event *event)
{
    *event = (tal_event){.kind = TAL_OLD};
    if (extra_line(plan, event))
        return true;
    if (plan->index == plan->events)
        return false;
    int64_t index = plan->index++, step = plan->events / DAMAGE_STEPS;
    /* Times ascend from event to event. */
    event->time = START_TIME + index * EVENT_INTERVAL +
                  (int64_t)(mix(plan->seed * 31 + (uint64_t)index) % EVENT_INTERVAL);
    advance(plan, index);
    if (!plan->damaged || index % step != 0 || !damage(plan, event, index / step))
        ordinary_event(plan, event);
    if (plan->starred)
        event->starred = plan->starred-- % 2;
    return true;
}
