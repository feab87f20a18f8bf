"""All answers about a series of heap dumps name the same holder; see culprits.py."""
import html
import re
import shutil
import zipfile

from verdict import dumps

NOBODY = r"(no object retains|nothing is known to hold) more in each dump than in the one before"


def sentence_of(row):
    """Return the words in which limits name the holder of a row of accumulations."""
    who = row["holder_type"] if row.get("holder_type") else f"{row['root_kind']} roots"
    owner = f" in {row['owner_type']}" if row.get("owner_type") else ""
    what = row["type"] if row["types"] == 1 else f"objects of {row['types']} types, most {row['type']},"
    return f"{row['delta_objects']:,} more {what} held by {who}{owner}"


def plain(page):
    """Return the readable text of a page of any format."""
    return html.unescape(re.sub(r"\\(?=[_*<>`\[\]|~#])", "", page.decode()))


class Holders:
    """Needs json(), run(), hold() and parsed() of Laws."""

    def holders_agree(self, seed, place):
        """All answers about some generated dumps name the holder that grows by the plan."""
        series, folder = dumps.Series(seed), place / f"dumps-{seed}"
        folder.mkdir()
        paths = [folder / f"{number}.gclog" for number in range(series.count)]
        for path, text in zip(paths, series.texts):
            path.write_text(text, encoding="utf-8")
        for span in series.spans():
            some, sentence = [paths[dump] for dump in span], series.grows(span)
            what = f"dumps {seed}, {span}: {sentence}"
            line = self.holder_is_first(some, sentence, what)
            self.pages_agree_on_holder(some, line, what)
            self.limits_agree_on_holder(some, sentence, folder, what)
            self.folders_agree_on_holder(some, line, folder, what)
        shutil.rmtree(folder)

    def holder_is_first(self, paths, sentence, what):
        """Check the first line and the first row. Return the line."""
        lines = set()
        for command in ("analyze", "leaks", "growth"):
            report = self.json(command, *paths)
            first = (report.get("answer") or [{"label": "?", "text": "?"}])[0]
            known = [row for row in report.get("accumulations", []) if "steady_bytes" in row]
            told = sentence_of(known[0]) if known else None
            self.hold(first["label"] == "Grows" and told == sentence, f"{what}, but {command}: {first}, {told}")
            of_row = (re.escape(known[0].get("holder_type", "")) + ".* grew by .*" + re.escape(known[0]["type"])
                      if known else NOBODY)
            self.hold(re.match(of_row, first["text"]), f"{what}, but {command} says {first}")
            lines.add(first["text"])
        self.hold(len(lines) == 1, f"{what}, but {lines}")
        return lines.pop()

    def pages_agree_on_holder(self, paths, line, what):
        for command in ("analyze", "leaks", "growth"):
            for form in ("text", "html", "markdown", "pr"):
                self.hold(self.says(line, form, command, *paths),
                          f"{what}, but {form} of {command} does not say {line}")

    def says(self, line, form, *arguments):
        """Return true if a page contains a line, wherever it is wrapped."""
        page = plain(self.run(*arguments, "--format", form, "--quiet").stdout)
        return re.sub(r"\s+", "", line) in re.sub(r"\s+", "", page)

    def limits_agree_on_holder(self, paths, sentence, folder, what):
        """Limits and rules that fail name the holder that grew."""
        policy = folder / "growth.policy"
        policy.write_text("growth <= 0\n", encoding="utf-8")
        for arguments in (("growth", *paths, "--max-growth", 0), ("gate", policy, *paths)):
            for form in ("json", "junit", "github", "pr"):
                done = self.run(*arguments, "--format", form, "--quiet")
                said = plain(done.stdout + done.stderr)
                named = re.search(r"; most: [\d.,]+ \w+, ([^\n\"<|]*)", said)
                self.hold(done.returncode == 0 or not sentence or named and named[1].strip() == sentence,
                          f"{what}, but {arguments[0]} as {form} says {named}")

    def folders_agree_on_holder(self, paths, line, folder, what):
        inside, archive = folder / "inside", folder / "dumps.zip"
        inside.mkdir()
        with zipfile.ZipFile(archive, "w") as file:
            for path in paths:
                shutil.copy(path, inside)
                file.write(path, path.name)
        for whole in (inside, archive):
            first = self.json("leaks", whole).get("answer", [{}])[0]
            self.hold(first.get("text") == line, f"{what}, but {whole.name} says {first}")
        shutil.rmtree(inside)
