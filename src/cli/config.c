#include "cli/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line "NAME", "NAME = TEXT" or "COMMAND.NAME = TEXT". */
typedef struct config_setting {
    cli_pair pair;
    const cli_option *option; /* option that the line sets */
    /* Command of the line; NULL = all commands for which the option has the same meaning. */
    const cli_command *command;
    /* If several settings give an option, the setting with the highest rank is used. A nearer file
     * has a higher rank; within a file, a setting for one command has a higher rank than a setting
     * for all. */
    unsigned rank;
    bool meant;   /* true if the setting applies to the command that runs */
    bool ignored; /* true if the setting is ignored, because it would change the result of the
                     command's checks */
} config_setting;

/* Maximum number of errors reported per file. */
enum { MOST_FAULTS = 10 };

/* Maximum size of a file; the whole file is read into memory. */
enum { MOST_BYTES = 64 * 1024 };

/* Minimum rank of settings in .memprof files. */
enum { NEAREST = 2 };

typedef struct config_reading {
    const cli_options *options;
    mp_arena *arena;
    config_setting *settings;
    size_t count, capacity;
    /* The file that is being read. */
    const char *path,
        *folder; /* folder to which paths in the file are relative: "", or ending with a slash */
    unsigned rank;
    /* Settings of the current file, by option and command: index + 1; 0 = no setting. */
    uint32_t first[CLI_MOST_OPTIONS][CLI_MOST_COMMANDS + 1];
    size_t highest[CLI_MOST_OPTIONS]; /* index + 1; 0 = no setting */
    const char *origin;               /* line that is being read, "path:line" */
    size_t faults, faults_here;       /* number of errors in all files, and in the current file */
} config_reading;

/* --- a line --- */

static bool fault(config_reading *config, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool fault(config_reading *config, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (++config->faults_here <= MOST_FAULTS)
        cli_put_fault(config->origin, "%s", text);
    config->faults++;
    return false;
}

static const cli_option *find_option(const config_reading *config, const char *name)
{
    const cli_option *option = cli_option_of(config->options->commands, name);
    for (size_t i = 0; !option && i < cli_option_count; i++)
        if (strcmp(cli_option_table[i].name, name) == 0)
            option = &cli_option_table[i];
    return option;
}

/* Return true if the text may be the name of a setting. "--limit", "limit 20" and "[leaks]" cannot
 * be names; such errors get an explanation. */
static bool is_name(const char *name)
{
    return *name && *name != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == strlen(name);
}

static bool refuse_name(config_reading *config, const char *name)
{
    if (config->faults_here >= MOST_FAULTS) /* further errors are not reported */
        return fault(config, "unknown option");
    const char *names[CLI_MOST_OPTIONS];
    for (size_t i = 0; i < cli_option_count; i++)
        names[i] = cli_option_table[i].name;
    const char *nearest = mp_text_nearest(name, names, cli_option_count);
    return fault(config, "unknown option \"%s\"%s%s%s", name, nearest ? "; did you mean '" : "",
                 nearest ? nearest : "", nearest ? "'?" : "");
}

/* Set the command and the option of a setting from its name. "leaks.limit" is for one command. If a
 * name without a command means different things in several commands, it means what it means in the
 * default command. */
static bool set_option(config_reading *config, config_setting *made, const char *name)
{
    if (!is_name(name))
        return fault(
            config, "invalid option \"%s\", expected OPTION = TEXT or COMMAND.OPTION = TEXT", name);
    const char *dot = strchr(name, '.');
    made->pair.name = dot ? dot + 1 : name;
    if (dot)
        made->command = cli_command_find(config->options, name, (size_t)(dot - name));
    if (dot && !made->command)
        return fault(config, "unknown command \"%.*s\", expected COMMAND.OPTION or OPTION",
                     (int)(dot - name), name);
    made->option = find_option(config, made->pair.name);
    if (!made->option)
        return refuse_name(config, made->pair.name);
    made->pair.name = made->option->name;
    if (made->command)
        made->option = cli_option_of(made->command, made->pair.name);
    if (!made->option)
        return fault(config, "%s does not accept %s", made->command->name, made->pair.name);
    bool operand =
        made->command && made->option->section == CLI_WHAT &&
        strcmp(made->pair.name, "type") == 0; /* --type is an option in place of an operand */
    return !(made->option->by_hand || operand) ||
           fault(config, "%s is allowed only on the command line", made->pair.name);
}

/* Set the text of a setting. Relative paths are relative to the folder of the file, not to the
 * working directory. */
static bool set_text(config_reading *config, config_setting *made, bool has_text, const char *text)
{
    assert(made->option);
    const char *argument = made->option->argument, *name = made->pair.name;
    if (!argument)
        return !has_text || fault(config, "%s takes no value, expected the name alone", name);
    if (!has_text || !*text)
        return fault(config, "%s requires a value, expected %s = %s", name, name, argument);
    bool path = strcmp(argument, "FILE") == 0 || strcmp(argument, "DIR") == 0;
    made->pair.text = path && *text != '/' && strcmp(text, "-") != 0
                          ? mp_arena_format(config->arena, "%s%s", config->folder, text)
                          : text;
    return true;
}

static bool set_once(config_reading *config, const config_setting *made)
{
    const size_t option = (size_t)(made->option - cli_option_table);
    const size_t command =
        made->command ? (size_t)(made->command - config->options->commands) + 1 : 0;
    uint32_t *first = &config->first[option][command];
    if (*first && !made->option->repeats)
        return fault(config, "%s is set twice, first by %s", made->pair.name,
                     config->settings[*first - 1].pair.origin);
    *first = (uint32_t)config->count + 1;
    return true;
}

static bool is_meant(const config_reading *config, const config_setting *made)
{
    const cli_command *command = &config->options->command;
    const mp_renderer *renderer =
        made->option->kind == CLI_RENDERER ? mp_renderer_find(made->pair.text) : NULL;
    return cli_option_of(command, made->pair.name) == made->option &&
           (!made->command || strcmp(made->command->name, command->name) == 0) &&
           (!renderer || cli_command_writes(command, renderer));
}

static void read_line(config_reading *config, mp_slice line)
{
    for (size_t i = 0; i < line.length; i++)
        if (line.start[i] == '#' &&
            (i == 0 || line.start[i - 1] == ' ' || line.start[i - 1] == '\t'))
            line.length = i;
    line = mp_slice_trim(line);
    if (!line.length)
        return;
    const char *equals = memchr(line.start, '=', line.length);
    mp_slice name = line, text = {line.start + line.length, 0};
    if (equals) {
        name = mp_slice_trim((mp_slice){line.start, (size_t)(equals - line.start)});
        text =
            mp_slice_trim((mp_slice){equals + 1, line.length - (size_t)(equals - line.start) - 1});
    }
    config_setting made = {.pair = {.text = "", .origin = config->origin}, .rank = config->rank};
    const char *name_text = mp_arena_copy(config->arena, name.start, name.length);
    const char *value = mp_arena_copy(config->arena, text.start, text.length);
    if (mp_slice_control(line) || !mp_utf8_valid(line)) {
        fault(config, "is not UTF-8 text, expected OPTION = TEXT");
    } else if (set_option(config, &made, name_text) &&
               set_text(config, &made, equals != NULL, value) && set_once(config, &made)) {
        made.rank += made.command != NULL;
        made.meant = is_meant(config, &made);
        *MP_APPEND(config->settings, config->count, config->capacity) = made;
    }
}

/* --- a file --- */

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Read a file, which must exist. */
static void read_file(config_reading *config, const char *path, size_t folder_length, unsigned rank)
{
    mp_error error = {0};
    char *text = NULL;
    size_t length = 0;
    config->faults_here = 0;
    config->path = path;
    config->folder = mp_arena_copy(config->arena, path, folder_length);
    config->rank = rank;
    memset(config->first, 0, sizeof config->first);
    struct stat status;
    if (stat(path, &status) == 0 && status.st_size > MOST_BYTES) {
        cli_put_fault(path, "is larger than 64 KiB, the limit for a configuration file");
        config->faults++;
        return;
    }
    if (mp_file_read(path, NULL, &text, &length, &error)) {
        mp_slice rest = mp_slice_without_mark((mp_slice){text, length}), line;
        for (size_t number = 1; mp_slice_take_line(&rest, &line); number++) {
            config->origin = mp_arena_format(config->arena, "%s:%zu", path, number);
            read_line(config, line);
        }
        if (config->faults_here > MOST_FAULTS)
            cli_put_fault(path, "and %zu more; is it a configuration file?",
                          config->faults_here - MOST_FAULTS);
    } else {
        cli_put_error(&error);
        config->faults++;
    }
    free(text);
}

static void read_users(config_reading *config)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char *path = NULL;
    if (folder && *folder == '/')
        path = mp_arena_format(config->arena, "%s/memprof/config", folder);
    else if (home && *home == '/')
        path = mp_arena_format(config->arena, "%s/.config/memprof/config", home);
    if (path && is_file(path))
        read_file(config, path, (size_t)(strrchr(path, '/') + 1 - path), 0);
}

static bool is_given(const cli_options *options, const char *name)
{
    for (size_t i = 0; i < options->pair_count; i++)
        if (strcmp(options->pairs[i].name, name) == 0)
            return true;
    return false;
}

/* Return the name of the option that contradicts this one. */
static const char *contrary_of(const char *name)
{
    return strcmp(name, "quiet") == 0 ? "verbose" : strcmp(name, "verbose") == 0 ? "quiet" : name;
}

/* Return what overrides this setting: a setting of higher rank, or an option of the command line.
 * NULL: nothing overrides it. */
static const char *overruler(const config_reading *config, const config_setting *one)
{
    const char *contrary = contrary_of(one->pair.name);
    const config_setting *highest = NULL;
    if (is_given(config->options, one->pair.name) || is_given(config->options, contrary))
        return "the command line";
    for (size_t i = 0; i < cli_option_count; i++) {
        const size_t place = config->highest[i];
        const config_setting *other = place ? &config->settings[place - 1] : NULL;
        if (other && other->rank > one->rank && (!highest || other->rank > highest->rank) &&
            (other->option == one->option || strcmp(other->pair.name, contrary) == 0))
            highest = other;
    }
    return highest ? highest->pair.origin : NULL;
}

/* Find the setting with the highest rank for each option. */
static void rank_settings(config_reading *config)
{
    memset(config->highest, 0, sizeof config->highest);
    for (size_t i = 0; i < config->count; i++) {
        const config_setting *one = &config->settings[i];
        size_t *place = &config->highest[one->option - cli_option_table];
        if (one->meant && !one->ignored &&
            (!*place || one->rank > config->settings[*place - 1].rank))
            *place = i + 1;
    }
}

/* Return true if the command line, or a setting that is not ignored, gives the option. */
static bool says(const config_reading *config, const char *name)
{
    bool says = is_given(config->options, name);
    for (size_t i = 0; i < config->count; i++)
        says |= config->settings[i].meant && !config->settings[i].ignored &&
                strcmp(config->settings[i].pair.name, name) == 0 &&
                !overruler(config, &config->settings[i]);
    return says;
}

/* Return true if the file can be trusted. In folders to which everybody can write, such as /tmp,
 * files of other users cannot. */
static bool is_trusted(const char *path, const char *folder)
{
    struct stat file, around;
    return stat(path, &file) != 0 || file.st_uid == geteuid() || file.st_uid == 0 ||
           (stat(folder, &around) == 0 && !(around.st_mode & S_IWOTH));
}

/* Read the nearest .memprof. It is in the current folder, or in the nearest folder above that has
 * one. */
static void read_nearest(config_reading *config)
{
    enum { MOST_FOLDERS = 1000 };
    struct stat here, above;
    const char *up = "";
    for (int i = 0; i < MOST_FOLDERS; i++) {
        const char *path = mp_arena_format(config->arena, "%s.memprof", up);
        const char *folder = *up ? up : ".";
        bool found = is_file(path), trusted = found && is_trusted(path, folder);
        if (trusted) {
            read_file(config, path, strlen(up), NEAREST);
            return;
        }
        if (found && !says(config, "quiet"))
            fprintf(stderr,
                    "%s: warning: ignored: it belongs to another user, in a folder that everybody "
                    "can write to\n",
                    path);
        const char *next = mp_arena_format(config->arena, "../%s", up);
        if (stat(folder, &here) != 0 || stat(next, &above) != 0 ||
            (here.st_dev == above.st_dev && here.st_ino == above.st_ino))
            return;
        up = next;
    }
}

/* --- effective settings --- */

static void tell(const config_reading *config)
{
    const cli_options *options = config->options;
    for (size_t i = 0; i < config->count; i++) {
        const config_setting *one = &config->settings[i];
        const char *by = one->meant ? overruler(config, one) : NULL;
        if (one->ignored)
            continue;
        cli_put_safe(one->pair.origin);
        fprintf(stderr, ": note: --%s%s", one->pair.name, *one->pair.text ? " " : "");
        cli_put_safe(one->pair.text);
        if (!one->meant)
            fprintf(stderr, " is not used by %s\n", options->command.name);
        else
            fprintf(stderr, "%s%s\n", by ? " is overridden by " : " is set", by ? by : "");
    }
}

/* Return true if the command checks limits, a policy or a baseline, or if its format reports
 * checks. */
static bool judges(const config_reading *config)
{
    const char *command = config->options->command.name;
    bool limits = strcmp(command, "gate") == 0 || strcmp(command, "baseline") == 0 ||
                  strcmp(command, "check") == 0;
    for (size_t i = 0; i < cli_option_count; i++)
        limits |=
            cli_option_table[i].section == CLI_LIMITS && says(config, cli_option_table[i].name);
    return limits;
}

/* Return true if the setting replaces a limit of the user's own file. */
static bool replaces_limit(const config_reading *config, const config_setting *made)
{
    for (size_t i = 0; made->option->section == CLI_LIMITS && i < config->count; i++)
        if (config->settings[i].option == made->option && config->settings[i].rank < NEAREST &&
            config->settings[i].meant)
            return true;
    return false;
}

/* Ignore settings of a .memprof that would change the result of checks, because the file may be
 * part of the code that is checked. The user's own file may change the result. */
static void ignore_judged(config_reading *config)
{
    if (!judges(config))
        return;
    for (size_t i = 0; i < config->count; i++) {
        config_setting *one = &config->settings[i];
        if (one->rank < NEAREST || !one->meant ||
            (cli_option_is_heeded(one->option) && !replaces_limit(config, one)))
            continue;
        one->ignored = true;
        if (is_given(config->options, "quiet"))
            continue;
        cli_put_safe(one->pair.origin);
        fprintf(stderr,
                ": note: --%s is ignored because it would change what is judged; give it on the "
                "command line\n",
                one->pair.name);
    }
    rank_settings(config);
}

bool cli_config_read(cli_options *options)
{
    const char *none = getenv("MEMPROF_NO_CONFIG");
    config_reading config = {.options = options, .arena = &options->config};
    if (is_given(options, "no-config") || (none && *none))
        return true;
    read_users(&config);
    read_nearest(&config);
    rank_settings(&config);
    ignore_judged(&config);
    if (!config.faults && says(&config, "verbose") && !says(&config, "quiet"))
        tell(&config);
    size_t used = 0, capacity = config.count + options->pair_count + 1;
    cli_pair *pairs = mp_alloc(capacity * sizeof *pairs);
    for (size_t i = 0; i < config.count; i++)
        if (config.settings[i].meant && !config.settings[i].ignored &&
            !overruler(&config, &config.settings[i]))
            pairs[used++] = config.settings[i].pair;
    for (size_t i = 0; i < options->pair_count; i++)
        pairs[used + i] = options->pairs[i];
    free(options->pairs);
    options->pairs = pairs;
    options->pair_count += used;
    options->pair_capacity = capacity;
    free(config.settings);
    return config.faults == 0;
}

void cli_config_remind(const cli_options *options)
{
    for (size_t i = 0; i < options->pair_count; i++)
        if (options->pairs[i].origin) {
            cli_put_safe(options->pairs[i].origin);
            fputs(": note: options are set here too; --verbose lists them, --no-config ignores "
                  "them\n",
                  stderr);
            return;
        }
}
