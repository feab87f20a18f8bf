/* Recordings of the C++ shop by heaptrack, after its interpreter, and their known answer. The plan
 * is that of the heap-monitoring logs, without the blocks that are older than the log. */
#include "taligent.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, TICK_US = 10000, MOST_FRAMES = 4096 };

static const uint64_t code_start = UINT64_C(0x55d01000);

/* A kind of blocks: all blocks of the same crawl and size. */
typedef struct track_kind {
    int number; /* index in the file, + 1; 0: not written yet */
    int64_t size, live;
} track_kind;

typedef struct track_file {
    gen_writer *writer; /* NULL: only count */
    tal_plan plan;
    const char *strings[MOST_FRAMES]; /* from 1 */
    int string_count, address_count, stack_count, kind_count;
    struct {
        int function, inlined;
    } addresses[MOST_FRAMES]; /* numbers from 1; `inlined`: the function into which it is inlined */
    struct {
        int address, caller;
    } * stacks; /* from 1 */
    size_t stack_room;
    int *crawl_stack;  /* stack of each crawl; 0: not written yet */
    track_kind *kinds; /* by crawl and size */
    gen_sum live, created, peak, temporary;
    int64_t deleted, ticks;
    track_kind *last; /* kind that was just allocated; NULL: none */
} track_file;

static const char program[] = "/opt/shop/bin/shop", library[] = "/lib/x86_64-linux-gnu/libc.so.6";

/* --- tables --- */

static int string_of(track_file *file, const char *text)
{
    for (int i = 1; i <= file->string_count; i++)
        if (!strcmp(file->strings[i], text))
            return i;
    file->strings[++file->string_count] = text;
    if (file->writer)
        gen_print(file->writer, "s %zx %s\n", strlen(text), text);
    return file->string_count;
}

/* Return the line of a function at which it calls or allocates. */
static int line_of(int function)
{
    return 10 + function * 3;
}

static int address_of(track_file *file, const char *frame, const char *outer)
{
    const int module = string_of(file, program), source = string_of(file, "/src/shop/shop.cpp");
    const int function = string_of(file, frame), inlined = outer ? string_of(file, outer) : 0;
    for (int i = 1; i <= file->address_count; i++)
        if (file->addresses[i].function == function && file->addresses[i].inlined == inlined)
            return i;
    const int number = ++file->address_count;
    file->addresses[number].function = function;
    file->addresses[number].inlined = inlined;
    if (!file->writer)
        return number;
    gen_print(file->writer, "i %" PRIx64 " %x %x %x %x", code_start + (uint64_t)number * 16, module,
              function, source, line_of(function));
    if (inlined)
        gen_print(file->writer, " %x %x %x", inlined, source, line_of(inlined));
    gen_print(file->writer, "\n");
    return number;
}

static int stack_of(track_file *file, int address, int caller)
{
    for (int i = file->stack_count; i > 0; i--)
        if (file->stacks[i].address == address && file->stacks[i].caller == caller)
            return i;
    const int number = ++file->stack_count;
    file->stacks = gen_grow(file->stacks, (size_t)number, &file->stack_room, sizeof *file->stacks);
    file->stacks[number].address = address;
    file->stacks[number].caller = caller;
    if (file->writer)
        gen_print(file->writer, "t %x %x\n", address, caller);
    return number;
}

/* Return true if the innermost function of a crawl is inlined into its caller. */
static bool is_inlined(const tal_crawl *crawl)
{
    return crawl->site->story == TAL_TEMPORARY && crawl->count > 1;
}

/* The outermost frame is code of a library without debug information. */
static int stack_of_crawl(track_file *file, const tal_crawl *crawl)
{
    if (!file->address_count) {
        const int module = string_of(file, library);
        file->address_count++;
        if (file->writer)
            gen_print(file->writer, "i %" PRIx64 " %x\n", code_start, module);
    }
    int stack = stack_of(file, 1, 0);
    for (int i = crawl->count - 1; i >= 0; i--) {
        const bool both = i == 1 && is_inlined(crawl);
        const int address =
            address_of(file, crawl->frames[both ? 0 : i], both ? crawl->frames[1] : NULL);
        stack = stack_of(file, address, stack);
        i -= both;
    }
    return stack;
}

static track_kind *kind_of(track_file *file, const tal_block *block)
{
    const int crawl = (int)(block->crawl - file->plan.crawls), step = block->crawl->site->step;
    const int64_t place = step ? (block->size - block->crawl->site->size) / step : 0;
    track_kind *kind = &file->kinds[crawl * STEPS + place];
    if (kind->number)
        return kind;
    if (!file->crawl_stack[crawl])
        file->crawl_stack[crawl] = stack_of_crawl(file, block->crawl);
    kind->number = ++file->kind_count;
    kind->size = block->size;
    if (file->writer)
        gen_print(file->writer, "a %" PRIx64 " %x\n", (uint64_t)block->size,
                  file->crawl_stack[crawl]);
    return kind;
}

/* --- events --- */

static void put_event(track_file *file, const tal_event *event, int64_t start)
{
    const bool made = event->kind == TAL_ALLOCATION;
    if (!event->block.crawl)
        return; /* the block is older than the recording */
    track_kind *kind = kind_of(file, &event->block);
    const int64_t size = event->block.size, ticks = (event->time - start) / TICK_US;
    if (ticks > file->ticks && file->writer)
        gen_print(file->writer, "c %" PRIx64 "\n", (uint64_t)ticks * (TICK_US / 1000));
    file->ticks = ticks;
    if (file->writer) {
        gen_room(file->writer);
        gen_bytes(file->writer, made ? "+ " : "- ", 2);
        gen_hex(file->writer, (uint64_t)kind->number - 1);
        gen_end_line(file->writer);
    }
    gen_add(&file->live, made ? 1 : -1, made ? size : -size);
    kind->live += made ? 1 : -1;
    if (made)
        gen_add(&file->created, 1, size);
    else
        file->deleted++;
    if (!made && file->last == kind)
        gen_add(&file->temporary, 1, size);
    gen_raise(&file->peak, file->live);
    file->last = made ? kind : NULL;
}

static void run(track_file *file, const gen_options *options, gen_writer *writer)
{
    tal_event event;
    int64_t start = -1, end = 0;
    *file = (track_file){.writer = writer};
    tal_plan_init(&file->plan, options);
    file->crawl_stack = gen_alloc((size_t)file->plan.crawl_count, sizeof *file->crawl_stack);
    file->kinds = gen_alloc((size_t)file->plan.crawl_count * STEPS, sizeof *file->kinds);
    file->stacks = gen_grow(NULL, 0, &file->stack_room, sizeof *file->stacks);
    if (writer)
        gen_print(writer, "v 10400 3\nX ./bin/shop --orders\nI 1000 7d0000\n");
    while (tal_plan_next(&file->plan, &event)) {
        if (event.kind == TAL_OLD)
            continue;
        start = start < 0 ? event.time : start;
        end = event.time;
        put_event(file, &event, start);
    }
    if (writer)
        gen_print(writer, "c %" PRIx64 "\nR 800\n\n# strings: %d\n# ips: %d\n",
                  (uint64_t)(end - start) / 1000, file->string_count, file->address_count);
}

static void release(track_file *file)
{
    tal_plan_free(&file->plan);
    free(file->crawl_stack);
    free(file->kinds);
    free(file->stacks);
}

void gen_heaptrack(const gen_options *options, gen_writer *writer)
{
    track_file *file = gen_alloc(1, sizeof *file);
    run(file, options, writer);
    release(file);
    free(file);
}

/* --- known answer --- */

static void put_stack(track_file *file, gen_json *json, const tal_crawl *crawl)
{
    gen_json_open(json, "stack", '[');
    for (int i = 0; i < crawl->count; i++)
        gen_json_text(
            json, NULL,
            gen_keep("%s:%d", crawl->frames[i], line_of(string_of(file, crawl->frames[i]))));
    gen_json_text(json, NULL, "[libc.so.6]");
    gen_json_close(json);
}

void gen_heaptrack_answer(const gen_options *options, gen_json *json)
{
    track_file *file = gen_alloc(1, sizeof *file);
    run(file, options, NULL);
    gen_answer_totals(json, file->live, file->created, file->deleted, file->peak);
    gen_json_sum(json, "leaked", file->live);
    gen_json_sum(json, "temporary", file->temporary);
    gen_json_close(json);
    gen_json_open(json, "left", '[');
    for (int crawl = 0; crawl < file->plan.crawl_count; crawl++) {
        gen_sum left = {0, 0};
        for (int i = 0; i < STEPS; i++) {
            const track_kind *kind = &file->kinds[crawl * STEPS + i];
            gen_add(&left, kind->live, kind->live * kind->size);
        }
        if (!left.objects)
            continue;
        gen_json_open(json, NULL, '{');
        gen_json_sum(json, NULL, left);
        put_stack(file, json, &file->plan.crawls[crawl]);
        gen_json_close(json);
    }
    gen_json_close(json);
    release(file);
    free(file);
}
