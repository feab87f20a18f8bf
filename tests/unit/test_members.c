/* Members of an archive, read in any order, with little space to keep them. If a member was not
 * kept, the archive is read again to reach it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "input/input.h"
#include "input/members.h"

enum { MEMBERS = 12, BLOCK = 512, MIB = 1024 * 1024 };

/* Member i is named "m" and its number, and contains its letter (i % 4) * 700 + 1 times. */
static size_t length_of(size_t i)
{
    return i % 4 * 700 + 1;
}

static void put_octal(char *field, int width, size_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%0*zo", width, value);
    memcpy(field, text, (size_t)width);
}

static size_t put_header(char *cursor, const char *name, size_t length)
{
    enum { SIZE = 124, CHECKSUM = 148, KIND = 156, MAGIC = 257 };
    size_t sum = 0;
    memcpy(cursor, name, strlen(name));
    put_octal(cursor + SIZE, 11, length);
    memset(cursor + CHECKSUM, ' ', 8);
    cursor[KIND] = '0';
    memcpy(cursor + MAGIC, "ustar\00000", 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)cursor[i];
    put_octal(cursor + CHECKSUM, 6, sum);
    cursor[CHECKSUM + 6] = '\0';
    return BLOCK;
}

static char *make_tar(size_t *length)
{
    char *tar = calloc(MEMBERS * 6 + 2, BLOCK), name[8];
    assert_non_null(tar);
    *length = 0;
    for (size_t i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, "m%zu", i);
        *length += put_header(tar + *length, name, length_of(i));
        memset(tar + *length, 'a' + (int)i, length_of(i));
        *length += (length_of(i) + BLOCK - 1) / BLOCK * BLOCK;
    }
    *length += (size_t)2 * BLOCK;
    return tar;
}

/* A stream of the archive that counts the bytes which are read through it. */
typedef struct counted_stream {
    mp_stream stream;
    const char *bytes;
    size_t length, position;
} counted_stream;

static size_t bytes_read;

static size_t read_counted(mp_stream *stream, char *buffer, size_t room)
{
    counted_stream *state = (counted_stream *)stream;
    size_t got = state->length - state->position < room ? state->length - state->position : room;
    memcpy(buffer, state->bytes + state->position, got);
    state->position += got;
    bytes_read += got;
    return got;
}

static mp_stream *counted(const char *bytes, size_t length);

static mp_stream *clone_counted(const mp_stream *stream)
{
    const counted_stream *state = (const counted_stream *)stream;
    return counted(state->bytes, state->length);
}

static void close_counted(mp_stream *stream)
{
    (void)stream;
}

static mp_stream *counted(const char *bytes, size_t length)
{
    static const mp_stream_kind kind = {read_counted, clone_counted, close_counted, NULL};
    counted_stream *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &kind;
    state->stream.bottom = &state->stream;
    state->stream.grows = true; /* its size is unknown */
    state->bytes = bytes;
    state->length = length;
    return &state->stream;
}

typedef struct visits {
    size_t count;
    bool wants;
} visits;

static void visit(void *opaque, const char *path, mp_member *member, bool *wanted)
{
    visits *state = opaque;
    char expected[16];
    snprintf(expected, sizeof expected, "A.tar:m%zu", state->count++);
    assert_string_equal(path, expected);
    assert_non_null(member->stream);
    *wanted = state->wants;
}

static mp_inputs *inputs; /* inputs of the current test */

static mp_members *go_through(const char *tar, size_t length, uint64_t kept, visits *state)
{
    inputs = mp_inputs_new();
    const mp_opened_archive archive = {
        .inputs = inputs,
        .path = "A.tar",
        .stream = counted(tar, length),
        .packing = MP_TAR,
        .limits = {.most = MIB, .ratio = 1000, .kept = kept, .nesting = 4, .files = 100}};
    mp_members *members = mp_members_visit(&archive, visit, state);
    assert_int_equal(state->count, MEMBERS);
    return members;
}

static mp_stream *open_one(mp_members *members, size_t i)
{
    char name[8], meant[8];
    mp_layers layers = {.count = 0};
    mp_failure failure = {.fault = MP_FAULT_NONE};
    snprintf(name, sizeof name, "m%zu", i);
    mp_stream *stream = mp_members_open(members, name, &layers, &failure, meant, sizeof meant);
    assert_non_null(stream);
    assert_int_equal(failure.fault, MP_FAULT_NONE);
    assert_int_equal(layers.count, 1);
    return stream;
}

/* Check all bytes of the member, in pieces, then again with another stream of the same member. */
static void assert_bytes(mp_stream *stream, size_t i)
{
    char bytes[300];
    for (int turn = 0; turn < 2; turn++) {
        mp_stream *again = turn == 0 ? mp_stream_clone(stream) : NULL;
        size_t length = 0;
        for (size_t got; (got = mp_stream_read(stream, bytes, sizeof bytes)) > 0; length += got)
            for (size_t j = 0; j < got; j++)
                assert_int_equal(bytes[j], 'a' + (int)i);
        assert_int_equal(length, length_of(i));
        assert_int_equal(stream->fault, MP_FAULT_NONE);
        mp_stream_close(stream);
        if (turn == 0) {
            assert_non_null(again);
            stream = again;
        }
    }
}

static size_t in_order(size_t turn)
{
    return turn;
}

static size_t backwards(size_t turn)
{
    return MEMBERS - 1 - turn;
}

static size_t mixed(size_t turn)
{
    return turn * 5 % MEMBERS;
}

static void assert_all(uint64_t kept, bool wants, size_t order(size_t turn))
{
    size_t length;
    char *tar = make_tar(&length);
    visits state = {.wants = wants};
    mp_members *members = go_through(tar, length, kept, &state);
    mp_stream *first = open_one(members, order(0));
    for (size_t turn = 0; turn < MEMBERS; turn++)
        assert_bytes(open_one(members, order(turn)), order(turn));
    assert_bytes(first, order(0)); /* it was opened before other members took its space */
    mp_members_release(members);
    mp_inputs_free(inputs);
    free(tar);
}

static void members_come_in_any_order(void **unused)
{
    (void)unused;
    size_t (*const orders[])(size_t) = {in_order, backwards, mixed};
    /* Space for all members, for some at a time, for the smaller members only, and for none. */
    static const uint64_t rooms[] = {MIB, 5000, 2101, 2100, 701, 1, 0};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (size_t j = 0; j < sizeof rooms / sizeof *rooms; j++)
            for (int wants = 0; wants < 2; wants++)
                assert_all(rooms[j], wants, orders[i]);
}

/* If no temporary file can be created, each member is reached through the archive. */
static void members_come_without_temporary_files(void **unused)
{
    (void)unused;
    const char *usual = getenv("TMPDIR");
    char *saved = usual ? strdup(usual) : NULL;
    setenv("TMPDIR", "/nowhere-at-all", 1);
    for (int wants = 0; wants < 2; wants++) {
        assert_all(MIB, wants, in_order);
        assert_all(MIB, wants, mixed);
    }
    if (saved)
        setenv("TMPDIR", saved, 1);
    else
        unsetenv("TMPDIR");
    free(saved);
}

/* Return how often the whole archive is read, to look at its members and then to read all of
 * them. */
static size_t passes(uint64_t kept, size_t order(size_t turn))
{
    size_t length;
    char *tar = make_tar(&length);
    visits state = {.wants = true};
    bytes_read = 0;
    mp_members *members = go_through(tar, length, kept, &state);
    for (size_t turn = 0; turn < MEMBERS; turn++) {
        mp_stream *stream = open_one(members, order(turn));
        char byte;
        assert_int_equal(mp_stream_read(stream, &byte, 1), 1);
        mp_stream_close(stream);
    }
    mp_members_release(members);
    mp_inputs_free(inputs);
    free(tar);
    return (bytes_read + length - 1) / length;
}

static void an_archive_is_read_once(void **unused)
{
    (void)unused;
    assert_int_equal(passes(MIB, in_order), 1);
    assert_int_equal(passes(MIB, backwards), 1);
    assert_int_equal(passes(MIB, mixed), 1);
    /* it is read twice if members are read in order, with space for some at a time or for none */
    assert_int_equal(passes(3000, in_order), 2);
    assert_int_equal(passes(0, in_order), 2);
}

static void what_is_not_there_has_a_near_name(void **unused)
{
    (void)unused;
    size_t length;
    char *tar = make_tar(&length), meant[8];
    visits state = {.wants = false};
    mp_members *members = go_through(tar, length, MIB, &state);
    mp_layers layers;
    mp_failure failure = {.fault = MP_FAULT_NONE};
    assert_null(mp_members_open(members, "m111", &layers, &failure, meant, sizeof meant));
    assert_int_equal(failure.fault, MP_FAULT_NONE);
    assert_string_equal(meant, "m11");
    assert_ptr_equal(mp_members_find(inputs, "A.tar"), members); /* it is not a file */
    mp_members_release(members);
    assert_int_equal(mp_members_archive(inputs, "A.tar:m1"), 5);
    mp_members_release(members);
    mp_members_forget(inputs);
    assert_null(mp_members_find(inputs, "A.tar"));
    assert_int_equal(mp_members_archive(inputs, "A.tar:m1"), 0);
    mp_inputs_free(inputs);
    free(tar);
}

int main(void)
{
#ifndef MEMPROF_ARCHIVE
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_come_in_any_order),
        cmocka_unit_test(an_archive_is_read_once),
        cmocka_unit_test(members_come_without_temporary_files),
        cmocka_unit_test(what_is_not_there_has_a_near_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
