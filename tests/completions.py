#!/usr/bin/env python3
"""Completion of memprof in shells, as memprof-tables generates it.

    tests/completions.py --tables PATH bash|fish|zsh    ask the shell what it would complete
    tests/completions.py --tables PATH --self-test      see that a wrong completion is found

bash and fish are asked for completions. zsh only checks the syntax, and the words of its script are compared
with the tables. If the shell is not installed, the exit status is 77, "skipped".
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from roots import skip


# (the line up to the cursor, words that must be offered, words that must not)
CASES = [
    (["memprof", "le"], {"leaks"}, {"top", "formats"}),
    (["memprof", ""], {"leaks", "analyze", "formats", "help"}, {"--limit"}),
    (["memprof", "help", "re"], {"requests", "retained"}, {"leaks"}),
    (["memprof", "leaks", "--max-"], {"--max-leaked", "--max-growth", "--max-live"}, {"--min-lines"}),
    (["memprof", "coverage", "--m"], {"--min-lines"}, {"--max-leaked"}),
    (["memprof", "--max-"], {"--max-leaked"}, {"--min-lines"}),
    (["memprof", "top", "--by", ""], {"type", "site", "method", "namespace"}, {"dominators", "top"}),
    (["memprof", "requests", "--by", ""], {"api", "request"}, {"type", "site"}),
    (["memprof", "top", "-s", "in"], {"inclusive"}, {"bytes"}),
    (["memprof", "retained", "--sort", ""], {"retained", "key"}, {"idle", "seconds"}),
    (["memprof", "leaks", "--format", "js"], {"json"}, {"csv"}),
    (["memprof", "leaks", "-f", ""], {"text", "csv", "suppressions"}, {"lcov", "cobertura", "rpt"}),
    (["memprof", "coverage", "--to", ""], {"lcov", "cobertura"}, {"text", "aqtime"}),
    (["memprof", "export", "--to", ""], {"aqtime"}, {"lcov"}),
    (["memprof", "--quiet", "leaks", "--color", "al"], {"always"}, {"auto"}),
    (["memprof", "baseline", ""], {"save", "check"}, {"leaks"}),
    (["memprof", "leaks", "--input-format", ""], {"oemp", "taligent"}, {"json"}),
    (["memprof", "leaks", "--suppress", "known"], {"known.suppressions"}, {"leaks"}),
    (["memprof", "coverage", "--listings", "lis"], {"listings"}, {"list.txt"}),
    (["memprof", "leaks", "known"], {"known.suppressions"}, {"leaks"}),
]
BASH_CASES = [  # bash splits the first word into three
    (["memprof", "leaks", "--format", "=", "js"], {"json"}, {"csv"}),
    (["memprof", "leaks", "--format", "="], {"json", "csv"}, {"lcov"}),
    (["memprof", "leaks", "--limit", ""], set(), {"known.suppressions", "leaks"}),
]


def called(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def lines_of(tables, *arguments):
    return called(tables, *arguments).stdout.split()


def bash_offers(script, words, folder):
    """Return COMPREPLY or, if it is empty, files, as with `complete -o default`."""
    done = called("bash", "-c", 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                  'fallback=files; compopt() { [[ $* != *+o* ]] || fallback=none; }; _memprof; '
                  'printf "%s\\n" "${COMPREPLY[@]}"; '
                  '[[ ${COMPREPLY[*]} || $fallback == none ]] || compgen -f -- "${@: -1}"; '
                  'complete -p memprof', script, *words, cwd=folder)
    *offered, told = done.stdout.strip("\n").split("\n")
    faults = [done.stderr] if done.stderr else []
    if told != "complete -o bashdefault -o default -F _memprof memprof":
        faults.append(f"complete -p says {told}")
    return set(offered), faults


def fish_offers(script, words, folder):
    line = " ".join(words)
    home = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
    done = called("fish", "--no-config", "-c", f'source "{script}"; complete -C "{line}"', cwd=folder,
                  env=home)
    return ({line.split("\t")[0].rstrip("/") for line in done.stdout.split("\n")},
            [done.stderr] if done.stderr else [])


def asked(offers, script, cases):
    faults = []
    with tempfile.TemporaryDirectory(prefix="memprof-completions-") as folder:
        for name in ("known.suppressions", "list.txt"):
            with open(os.path.join(folder, name), "w", encoding="utf-8"):
                pass
        os.mkdir(os.path.join(folder, "listings"))
        for words, wanted, unwanted in cases:
            offered, wrong = offers(script, words, folder)
            line = " ".join(words)
            faults += [f"{line}: {text.strip()}" for text in wrong]
            faults += [f"{line}: {word} is not offered" for word in sorted(wanted - offered)]
            faults += [f"{line}: {word} is offered" for word in sorted(unwanted & offered)]
    return faults


def options_of(tables):
    """Return a case for each command: all of its options, and no others."""
    commands = lines_of(tables, "commands")
    options = {command: set(lines_of(tables, "options", command)) for command in commands}
    known = set().union(*options.values())
    return [(["memprof", command, "--"], own, known - own) for command, own in options.items()]


def zsh_faults(tables, script):
    """Check the syntax, and compare each command's options with the tables."""
    faults = [text for text in [called("zsh", "-n", script).stderr.strip()] if text]
    with open(script, encoding="utf-8") as file:
        rows = re.findall(r"^    \[\[ \$command == \(([a-z|]+)\) \]\] && options\+=\(.*?"
                          r"(--[a-z-]+)=?[}'\[]", file.read(), re.M)
    for words, own, _ in options_of(tables):
        offered = {option for commands, option in rows if words[1] in commands.split("|")}
        if offered != own:
            faults.append(f"{words[1]}: {sorted(offered ^ own)}")
    return faults


def faults_of(shell, tables, text):
    with tempfile.TemporaryDirectory(prefix="memprof-completions-") as folder:
        script = os.path.join(folder, "memprof." + shell)
        with open(script, "w", encoding="utf-8") as file:
            file.write(text)
        if shell == "bash":
            return asked(bash_offers, script, CASES + BASH_CASES + options_of(tables))
        if shell == "fish":
            return asked(fish_offers, script, CASES + options_of(tables)[:3])
        return zsh_faults(tables, script)


# (fault, text of the bash script, replacement)
SPOILT = [
    ("a command that is not there", " leaks requests", " requests"),
    ("an option of another command", "' coverage ' --min-lines", "' leaks ' --min-lines"),
    ("a word that is not there", " words text json csv", " words text csv"),
    ("files for a number", "--limit '-n' text", "--limit '-n' files"),
    ("an error of the shell", "named=$command", "named=$(nothing)"),
]


def self_test(tables):
    wrong = 0
    text = called(tables, "complete", "bash").stdout
    for what, old, new in SPOILT:
        assert old in text, what
        if not faults_of("bash", tables, text.replace(old, new)):
            wrong += 1
            print(f"self-test: {what} is not found")
    print(f"completions.py: self-test, {len(SPOILT)} cases, {wrong} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description="Ask shells what they complete.")
    parser.add_argument("--tables", required=True, help="the program memprof-tables of the build")
    parser.add_argument("--self-test", action="store_true", help="see that it finds what is wrong")
    parser.add_argument("shell", nargs="?", choices=["bash", "fish", "zsh"])
    options = parser.parse_args()
    if options.self_test:
        return self_test(options.tables)
    if not shutil.which(options.shell):
        skip(f"{options.shell} is not installed")
    made = called(options.tables, "complete", options.shell)
    faults = faults_of(options.shell, options.tables, made.stdout) + [made.stderr] * bool(made.stderr)
    for fault in faults:
        print(fault)
    print(f"completions.py: {options.shell}, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
