#include "cli/mcp_input.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Room for the longest message, and for messages that arrive while it is answered. */
enum { CAPACITY = 2 * MCP_LONGEST_MESSAGE };

/* Read once. If nothing has arrived, wait. If the buffer is full, do nothing. */
static void fill(mcp_input *input)
{
    if (input->start && input->end == CAPACITY) {
        memmove(input->bytes, input->bytes + input->start, input->end - input->start);
        input->end -= input->start;
        input->start = 0;
    }
    if (input->end == CAPACITY)
        return;
    const ssize_t count =
        read(STDIN_FILENO, input->bytes + input->end, (size_t)CAPACITY - input->end);
    if (count > 0)
        input->end += (size_t)count;
    else if (count == 0 || errno != EINTR)
        input->ended = true;
}

/* Drop bytes at the start. */
static void drop(mcp_input *input, size_t count)
{
    input->start += count;
    input->searched = 0;
    input->seen -= input->seen < count ? input->seen : count;
    if (input->start == input->end)
        input->start = input->end = 0;
}

mcp_line_kind mcp_input_take(mcp_input *input, mp_slice *line)
{
    if (!input->bytes)
        input->bytes = mp_alloc(CAPACITY);
    for (;;) {
        const char *first = input->bytes + input->start;
        const size_t waiting = input->end - input->start;
        const char *end = waiting > input->searched
                              ? memchr(first + input->searched, '\n', waiting - input->searched)
                              : NULL;
        const bool last = !end && input->ended;
        if (last && !waiting && !input->skipping)
            return MCP_NO_LINE;
        if (end || last) {
            const bool skipped = input->skipping;
            *line = (mp_slice){first, end ? (size_t)(end - first) : waiting};
            input->skipping = false;
            drop(input, line->length + (end != NULL));
            return skipped || line->length > MCP_LONGEST_MESSAGE ? MCP_LINE_TOO_LONG : MCP_LINE;
        }
        input->searched = waiting;
        if (waiting > MCP_LONGEST_MESSAGE) {
            input->skipping = true;
            drop(input, waiting);
        }
        fill(input);
    }
}

void mcp_input_poll(mcp_input *input)
{
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!input->ended && input->end - input->start < CAPACITY && poll(&ready, 1, 0) > 0)
        fill(input);
}

bool mcp_input_peek(mcp_input *input, mp_slice *line)
{
    const char *first = input->bytes + input->start + input->seen;
    const size_t waiting = input->end - input->start - input->seen;
    const char *end = waiting ? memchr(first, '\n', waiting) : NULL;
    if (!end)
        return false;
    *line = (mp_slice){first, (size_t)(end - first)};
    input->seen += line->length + 1;
    return true;
}
