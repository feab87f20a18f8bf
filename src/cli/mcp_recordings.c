#include "cli/mcp_recordings.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/run.h"

/* A session, and the first call about it. The call owns the texts and options that the session
 * uses. */
typedef struct mcp_recording {
    mcp_call call;
    cli_options options;
    cli_session session;
    const char *
        key; /* files and options for reading, in the call's texts; NULL: the session is not kept */
} mcp_recording;

static void free_recording(mcp_recording *recording)
{
    if (recording->session.session.kept)
        cli_session_end(&recording->session);
    cli_options_free(&recording->options);
    mcp_call_free(&recording->call);
    free(recording);
}

static void drop_last(mcp_recordings *recordings)
{
    free_recording(recordings->items[--recordings->count]);
    malloc_trim(0);
}

void mcp_recordings_free(mcp_recordings *recordings)
{
    while (recordings->count)
        drop_last(recordings);
}

/* --- the memory that they may use --- */

static uint64_t memory_in_use(void)
{
    unsigned long long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%llu %llu", &total, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Make room for one more recording. The recordings that are kept may use half of the memory. */
static void make_room(mcp_recordings *recordings)
{
    struct rlimit limit;
    const bool known = getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    const uint64_t most = known ? limit.rlim_cur / 2 : (uint64_t)1 << 30;
    while (recordings->count &&
           (recordings->count == MCP_MOST_RECORDINGS || memory_in_use() > most))
        drop_last(recordings);
}

/* --- keys --- */

/* Return the key of the call's recordings. It changes when one of the files changes. NULL: the
 * recordings are not kept, because one of them is a folder or in an archive. */
static const char *key_of(mcp_call *call, const mp_report *report)
{
    const char *key =
        mp_arena_format(&call->texts, "%s%s", report->tells_faults ? "faults" : "", call->reading);
    for (size_t i = 0; i < call->path_count; i++) {
        struct stat status;
        if (stat(call->paths[i], &status) != 0 || !S_ISREG(status.st_mode))
            return NULL;
        key = mp_arena_format(&call->texts, "%s\n%s %ju %ju %jd %jd.%09ld", key, call->paths[i],
                              (uintmax_t)status.st_dev, (uintmax_t)status.st_ino,
                              (intmax_t)status.st_size, (intmax_t)status.st_mtim.tv_sec,
                              status.st_mtim.tv_nsec);
    }
    return key;
}

/* Move the recording with this key to the front, and return it. NULL: there is none. */
static mcp_recording *find(mcp_recordings *recordings, const char *key)
{
    for (size_t i = 0; key && i < recordings->count; i++) {
        mcp_recording *found = recordings->items[i];
        if (strcmp(found->key, key) != 0)
            continue;
        memmove(recordings->items + 1, recordings->items, i * sizeof *recordings->items);
        return recordings->items[0] = found;
    }
    return NULL;
}

/* --- questions --- */

/* Ask about the recordings of a session. Return the exit status. */
static int ask(cli_session *session, cli_options *options)
{
    mp_load_options needs;
    mp_error error = {0};
    const int status = cli_read_beside(options);
    if (status != CLI_OK)
        return status;
    if (!mp_session_find_for(&session->session, &options->question, &needs, &error)) {
        cli_put_error(&error);
        return CLI_UNREADABLE;
    }
    return cli_answer(session, options);
}

/* Parse the call's command line. Its recordings must be those that the call names. */
static bool parse(const mcp_call *call, const cli_options *server, cli_options *options)
{
    bool ok = cli_parse((int)call->words.count, (char **)call->words.items, server->commands,
                        server->command_count, options);
    if (ok && options->path_count != call->path_count)
        ok = cli_refuse(options, "%s cannot be combined with an argument that replaces it",
                        mp_operand_argument(options->command.report->operand));
    for (size_t i = 0; ok && i < call->path_count; i++)
        ok = strcmp(options->paths[i], call->paths[i]) == 0;
    return ok;
}

int mcp_recordings_ask(mcp_recordings *recordings, const cli_options *options, mcp_call *call,
                       FILE *answer, FILE *messages)
{
    mcp_recording *asked = mp_alloc_zero(1, sizeof *asked), *kept = NULL;
    int status = CLI_USAGE;
    asked->call = *call;
    *call = (mcp_call){.path_count = 0};
    cli_console_catch(messages);
    cli_output_catch(answer);
    if (parse(&asked->call, options, &asked->options)) {
        asked->key = key_of(&asked->call, asked->options.command.report);
        kept = find(recordings, asked->key);
        if (!kept) {
            make_room(recordings);
            cli_session_begin(&asked->session, &asked->options);
            mp_session_watch(&asked->session.session, recordings->advance, recordings->opaque);
        }
        status = ask(kept ? &kept->session : &asked->session, &asked->options);
    }
    cli_output_catch(NULL);
    cli_console_catch(NULL);
    const bool keeps = !kept && asked->key && asked->session.session.held.model &&
                       !asked->session.session.cancelled;
    if (keeps) {
        memmove(recordings->items + 1, recordings->items,
                recordings->count++ * sizeof *recordings->items);
        recordings->items[0] = asked;
        return status;
    }
    if (kept && kept->session.session.cancelled) {
        memmove(recordings->items, recordings->items + 1,
                (recordings->count - 1) * sizeof *recordings->items);
        recordings->count--;
        free_recording(kept);
    }
    free_recording(asked);
    return status;
}
