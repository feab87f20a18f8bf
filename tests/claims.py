"""Claims about the program. Those that do not hold are printed and counted."""
import argparse
import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import runs

LONGEST = 2000  # maximum number of characters printed for each value
SKIPPED = 77
PROGRAM = {"type": os.path.abspath, "required": True}  # another program that a test needs


def arguments(description, self_test=None, words=None, **more):
    """Return the arguments of a test: --memprof, an absolute path, and `more` by name: a type (bool: a switch), a
    default number, or settings of argparse. `words`: name and settings of arguments without a name. With
    --self-test, run that and exit."""
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--memprof", type=os.path.abspath, help="the program")
    if self_test:
        parser.add_argument("--self-test", action="store_true", help="see that what is wrong is found")
    for name, settings in more.items():
        parser.add_argument(f"--{name}", **(
            settings if isinstance(settings, dict) else {"action": "store_true"} if settings is bool
            else {"type": settings} if isinstance(settings, type) else {"type": type(settings), "default": settings}))
    if words:
        parser.add_argument(words[0], **words[1])
    asked = parser.parse_args()
    if self_test and asked.self_test:
        sys.exit(self_test())
    if not asked.memprof:
        parser.error("--memprof says which program to run")
    return asked


def main_of(laws, description, steps, least, corpus, needs_corpus=True, programs=("memprof",)):
    """Run a test and return its exit status: the steps, which are names of methods of the laws and may take a
    folder, and the step `corpus` if the folder of that name exists. Without it, the test counts as skipped,
    unless it does not need it. The programs are arguments of the test and of the laws."""
    parser = argparse.ArgumentParser(description=description)
    for program in programs:
        parser.add_argument(f"--{program}", required=True)
    asked = parser.parse_args()
    laws = laws(*(getattr(asked, program) for program in programs))
    with tempfile.TemporaryDirectory() as name:
        for step in steps:
            method = getattr(laws, step)
            method(*[pathlib.Path(name)][:len(inspect.signature(method).parameters)])
    if corpus.exists():
        laws.corpus()
    else:
        print(f"{pathlib.Path(sys.argv[0]).name}: {corpus} is not here: its files are not compared")
    return laws.end(least) or (0 if corpus.exists() or not needs_corpus else SKIPPED)


def main_of_checks(description, made, check_corpus, corpus):
    """Run the checks of what the test makes up or, with --corpus, the check of the files in that folder. Return
    the exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--corpus", action="store_true", help="files of a real program")
    asked = parser.parse_args()
    if asked.corpus and not corpus.is_dir():
        print(f"skipped: {corpus} is not here")
        return SKIPPED
    claims = ClaimsOfProgram(asked.memprof)
    for check in [check_corpus] if asked.corpus else made:
        check(claims)
    return claims.end()


class Claims:
    def __init__(self):
        self.count = self.wrong = 0

    def claim(self, holds, *what):
        self.count += 1
        if not holds:
            self.wrong += 1
            print("wrong:", *((one if isinstance(one, str) else repr(one))[:LONGEST] for one in what))

    def end(self, least=1, more=""):
        """Print the number of claims; return the exit status."""
        print(f"{pathlib.Path(sys.argv[0]).name}: {self.count} claims, {self.wrong} wrong{more}")
        return 1 if self.wrong or self.count < least else 0

    def json(self, *words):
        """Return the JSON answer of a run; {} if there is none."""
        done = self.run(*words, "--format", "json", "--quiet")
        return json.loads(done.stdout) if done.stdout else {}


class ClaimsOfProgram(Claims):
    """Claims about a few runs. Each run starts the program; its output is text."""

    def __init__(self, program):
        super().__init__()
        self.program = program

    def run(self, *words, **more):
        return subprocess.run([self.program, *map(str, words)], capture_output=True, check=False,
                              **({"text": True} | more))


class ClaimsOfRuns(Claims):
    """Claims about many runs, in servers if there are any; their output is bytes."""

    def __init__(self, program, server=None):
        super().__init__()
        self.runs = runs.Runs(program, server)

    def run(self, *words, **more):
        return self.runs.run(*words, **more)

    def end(self, least=1, more=""):
        self.claim(self.runs.close() == 0, "a server ended badly")
        return super().end(least, more)
