/* Entry points for libFuzzer. MEMPROF_FUZZ names the target, so that all processes that the fuzzer
 * starts run the same target. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static const fuzz_target *target;

#ifdef FUZZ_BY_PROFILE
/* A build that measures coverage for people can be fuzzed too. The fuzzer gets its 64-bit counters,
 * as bytes. The fuzzer does not learn which values were compared. */
extern char counters_begin[] __asm__("__start___llvm_prf_cnts");
extern char counters_end[] __asm__("__stop___llvm_prf_cnts");
void __sanitizer_cov_8bit_counters_init(char *begin, char *end);

static void show_counters(void)
{
    __sanitizer_cov_8bit_counters_init(counters_begin, counters_end);
}
#else
static void show_counters(void)
{
}
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *name = getenv("MEMPROF_FUZZ");
    target = name ? fuzz_target_find(name) : NULL;
    if (!target) {
        fputs("MEMPROF_FUZZ names the target:\n", stderr);
        for (const fuzz_target *each = fuzz_targets; each->name; each++)
            fprintf(stderr, "  %s\n", each->name);
        exit(EXIT_FAILURE);
    }
    fuzz_begin();
    show_counters();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run(target, data, size);
    return 0;
}

/* --- mutation by lines and fields --- */

/* Return the piece of the text that contains `index`. Each piece ends with one of the characters
 * `ends`. */
static mp_slice piece_at(mp_slice text, size_t index, const char *ends)
{
    size_t from = index, to = index;
    while (from > 0 && !strchr(ends, text.start[from - 1]))
        from--;
    while (to < text.length && !strchr(ends, text.start[to]))
        to++;
    return (mp_slice){text.start + from, to - from + (to < text.length)};
}

static mp_slice any_piece(mp_slice text, const char *ends, fuzz_choice *choice)
{
    return piece_at(text, fuzz_choose(choice, (unsigned)text.length), ends);
}

/* Replace a part of the text. Return the new length; 0 if there is no room. */
static size_t put(uint8_t *data, size_t size, size_t room, mp_slice what, mp_slice by)
{
    size_t from = (size_t)(what.start - (const char *)data), behind = size - from - what.length;
    if (size - what.length + by.length > room)
        return 0;
    char *copy = malloc(by.length + 1);
    memcpy(copy, by.start, by.length);
    memmove(data + from + by.length, data + from + what.length, behind);
    memcpy(data + from, copy, by.length);
    free(copy);
    return size - what.length + by.length;
}

/* Remove, repeat or replace a line or a field, or set a field to a number that often causes
 * errors. */
static size_t mutate_lines(uint8_t *data, size_t size, size_t room, fuzz_choice *choice)
{
    static const char *const numbers[] = {"0 ",
                                          "1 ",
                                          "-1 ",
                                          "? ",
                                          "\"\" ",
                                          "4294967296 ",
                                          "9223372036854775807 ",
                                          "18446744073709551616 ",
                                          "0.000001 ",
                                          ".\n"};
    const char *ends = fuzz_choose(choice, 2) ? "\n" : " \t,|=\n";
    mp_slice text = {(const char *)data, size};
    mp_slice what = any_piece(text, ends, choice), by = any_piece(text, ends, choice);
    switch (fuzz_choose(choice, 5)) {
    case 0:
        by.length = 0;
        break;
    case 1: /* insert `by` before `what` */
        what.length = 0;
        break;
    case 2: /* repeat some lines up to `by` after them */
        if (by.start < what.start) {
            mp_slice swapped = by;
            by = what;
            what = swapped;
        }
        by = (mp_slice){what.start, (size_t)(by.start - what.start) + by.length};
        what.length = 0;
        break;
    case 3:
        by.start = numbers[fuzz_choose(choice, sizeof numbers / sizeof *numbers)];
        by.length = strlen(by.start);
        break;
    }
    return put(data, size, room, what, by);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    fuzz_choice choice = {seed};
    if (target->lines && size && !memchr(data, 0, size) && fuzz_choose(&choice, 2)) {
        size_t mutated = size;
        for (unsigned i = fuzz_choose(&choice, 3); mutated && i-- > 0;)
            mutated = mutate_lines(data, mutated, room, &choice);
        if (mutated)
            mutated = mutate_lines(data, mutated, room, &choice);
        if (mutated)
            return mutated;
    }
    return LLVMFuzzerMutate(data, size, room);
}
