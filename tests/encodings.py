#!/usr/bin/env python3
"""Recordings in other encodings: the answers are the same as about the same text in UTF-8.

  tests/encodings.py --memprof PROGRAM [--server PROGRAM] [LAW...]

Python's codecs encode the texts; they share no code with the C library's iconv. The words use characters on
which both agree. Their bytes include those of a backslash, a bar and digits.
"""
import gzip
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

from claims import ClaimsOfRuns, arguments

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
TEXTS = {".oemp", ".prf", ".rpt", ".taligent", ".gclog"}
os.environ["MEMPROF_NO_CONFIG"] = "1"

# Name of the encoding in iconv, name in Python, and a word.
NAMED = [
    ("CP1252", "cp1252", "Größe€Œ"),
    ("windows-1251", "cp1251", "Заказ"),
    ("koi8-r", "koi8_r", "Заказ"),
    ("ISO-8859-15", "iso8859-15", "Œuvre€"),
    ("CP850", "cp850", "Größe"),
    ("SHIFT_JIS", "shift_jis", "ソ表ポ倉庫"),  # characters that end in 5c, 5c and 7c
    ("CP932", "cp932", "①ソ表ポ"),
    ("EUC-JP", "euc_jp", "注文丂"),  # three bytes
    ("GBK", "gbk", "誠订单"),
    ("GB18030", "gb18030", "㐀𠀀誠"),  # four bytes per character, some of them digits
    ("BIG5", "big5", "功許蓋"),
    ("BIG5-HKSCS", "big5hkscs", "功\u00ca\u0304"),  # one character of two code points
    ("EUC-KR", "euc_kr", "주문"),
    ("UTF-8", "utf-8", "Größe倉庫"),
    ("UTF-16BE", "utf-16-be", "Größe倉庫😀"),
]
MARKS = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff", "utf-8": b"\xef\xbb\xbf"}


def text_of(sample):
    data = sample.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


class Encodings(ClaimsOfRuns):
    def __init__(self, program, server, place):
        super().__init__(program, server)
        self.program, self.place = program, place
        self.samples = sorted(p for p in SAMPLES.iterdir() if p.suffix in TEXTS)

    def ask(self, *words, stdin=None, name=None):
        """Return the status, the answer without its next command, and the messages. NAME stands for the name."""
        done = self.runs.run(*words, "--width", 0, stdin=stdin)
        said = done.returncode, done.stdout.decode().partition("\nNext: ")[0], done.stderr.decode()
        return tuple(part.replace(str(name), "NAME") if name and isinstance(part, str) else part
                     for part in said)

    def write(self, name, data):
        path = self.place / name
        path.write_bytes(data)
        return path

    def plain(self, sample, text, *words):
        """Return the answer about the text in UTF-8."""
        path = self.write("same" + sample.suffix, text.encode())
        return self.ask(*words, path, name=path)

    # --- laws ---

    def named(self):
        for name in ("shop-v1.oemp", "shop-v2.oemp", "shop-v4.prf", "shop-new.rpt", "shop.taligent",
                     "shop-analysis.taligent", "shop-1.gclog"):
            sample = SAMPLES / name
            shown = 0
            for encoding, codec, word in NAMED:
                text = "".join(c for c in text_of(sample) if c < "\x80")
                # columns of a report have fixed widths
                text = text.replace("Order", word[:5].ljust(5, "x") if sample.suffix == ".rpt" else word)
                expected = self.plain(sample, text, "analyze", "--format", "json")
                path = self.write("same" + sample.suffix, text.encode(codec))
                said = self.ask("analyze", "--format", "json", "--encoding", encoding, path, name=path)
                self.claim(said == expected, sample.name, encoding, said[2])
                shown += word[:4] in said[1]
            self.claim(shown in (0, len(NAMED)) and (shown or "Order" not in expected[1]), sample.name, shown)

    def database(self):
        """A database states that its texts are UTF-8. Texts that are not are read in the encoding named by the
        option."""
        for encoding, codec, word in NAMED:
            if codec.startswith("utf"):
                continue
            paths = []
            for name, data in ("plain", word.encode()), ("named", word.encode(codec)):
                paths.append(self.place / f"{name}.{codec}.sqlite")
                base = sqlite3.connect(paths[-1])
                base.executescript((SAMPLES / "shop.aqtime.sql").read_text())
                for table, in base.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
                    columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
                    for column in columns:
                        for value, in base.execute(f"SELECT DISTINCT {column} FROM {table} WHERE "
                                                   f"{column} LIKE '%Order%'").fetchall():
                            new = value.encode().replace(b"Order", data)
                            base.execute(f"UPDATE {table} SET {column}=CAST(? AS TEXT) WHERE {column}=?",
                                         (new, value))
                base.commit()
                base.close()
            expected = self.ask("top", "--limit", 0, "--format", "csv", paths[0], name=paths[0])
            said = self.ask("top", "--limit", 0, "--format", "csv", "--encoding", encoding, paths[1],
                            name=paths[1])
            self.claim(word in expected[1] and said == expected, "database", encoding, said[2])

    def refused(self):
        sample = SAMPLES / "shop-latin1-v1.oemp"
        for name in ("none-such", "", "CP1252//TRANSLIT", "ISO-2022-JP", "IBM037", "UTF-7", "UTF-32",
                     "UCS-2", "WCHAR_T", "../CP1252", "CP1252,IGNORE"):
            status, out, err = self.ask("info", sample, "--encoding", name)
            self.claim(status == 2 and not out and "iconv -l" in err, "refused", name, status, err)

    def damaged(self):
        """Invalid characters become U+FFFD; they are counted and reported with the line of the first one."""
        sample = SAMPLES / "shop-latin1-v1.oemp"
        text = "".join(c for c in text_of(sample) if c < "\x80")
        line = text[:text.index("Order")].count("\n") + 1
        many = text.count("Order")
        cases = [("CP1252", b"\x81", 1), ("UTF-8", b"\xc3", 1), ("UTF-8", b"\xed\xa0\x80", 3),
                 ("SHIFT_JIS", b"\x83\x20", 1), ("GBK", b"\xff", 1), ("EUC-JP", b"\x8f\xa1", 2)]
        for encoding, wrong, bad in cases:
            lost = "\ufffd" * bad + wrong.decode("latin-1")[1:] * (wrong[-1] == 0x20)
            expected = self.plain(sample, text.replace("Order", lost), "leaks")
            path = self.write("same.oemp", text.encode().replace(b"Order", wrong))
            said = self.ask("leaks", path, "--encoding", encoding, name=path)
            first = (f"NAME:{line}: warning: {many * bad} characters not valid in {encoding}, the "
                     "first in this line; read as U+FFFD [bad-text]\n")
            self.claim(said[1] == expected[1] and said[2] == first + expected[2], "damaged", encoding, wrong,
                      said[2])

    def surroundings(self):
        """The locale has no effect."""
        sample = SAMPLES / "shop-latin1-v1.oemp"
        said = set()
        for locale in "C", "POSIX", "C.UTF-8", "de_DE.ISO-8859-1", "ja_JP.SJIS":
            done = subprocess.run([self.program, "leaks", "--encoding", "koi8-r", sample, "--format", "json"],
                                  env={**os.environ, "LC_ALL": locale}, capture_output=True, check=True)
            said.add(done.stdout)
        self.claim(len(said) == 1, "locales")


    # --- UTF-16 and marks ---

    def marked(self):
        """Text in a file and on standard input, with and without a mark. `shop-damaged` has faults, which are
        reported with their lines."""
        for sample in self.samples:
            text = text_of(sample)
            expected = self.plain(sample, text, "analyze")
            for codec, mark in MARKS.items():
                for data in {mark + text.encode(codec), text.encode(codec)}:
                    # a mark overrides the option
                    words = ["--encoding", "CP1252"] if data.startswith(mark) else []
                    path = self.write("same" + sample.suffix, data)
                    said = self.ask("analyze", *words, path, name=path)
                    self.claim(said == expected, sample.name, codec, words, said[2])
            said = self.ask("analyze", "-", stdin=MARKS[codec] + text.encode(codec),
                            name="(standard input)")
            path = self.write("same" + sample.suffix, text.encode())
            self.claim(said[1] == expected[1], sample.name, "on standard input", said[2])
        path = self.write("same.oemp.gz", gzip.compress(b"\xfe\xff" + text_of(self.samples[0]).encode("utf-16-be")))
        expected = self.plain(self.samples[0], text_of(self.samples[0]), "leaks", "--format", "csv")
        self.claim(self.ask("leaks", "--format", "csv", path, name=path) == expected, "packed UTF-16")
        self.claim("UTF-16BE" in self.ask("info", path)[1], "info tells UTF-16")

    def odd(self):
        """Invalid UTF-16 is replaced as Python does. Text in no known encoding is tested too."""
        sample = SAMPLES / "shop-v2.oemp"
        text = text_of(sample)
        line = text[:text.index("OrderEvent")].count("\n") + 1
        count = text.count("OrderEvent")
        for codec, mark in list(MARKS.items())[:2]:
            for lone in "\ud83d", "\ude00", "\ude00\ud83d", "\ud83d\ud83d\ude00":
                data = text.replace("OrderEvent", lone).encode(codec, "surrogatepass")
                meant = data.decode(codec, "replace")
                bad = (meant.count("\ufffd") - text.count("\ufffd")) // count
                expected = self.plain(sample, meant, "leaks")
                path = self.write("same.oemp", mark + data)
                said = self.ask("leaks", path, name=path)
                name = codec.upper().replace("-LE", "LE").replace("-BE", "BE")
                first = (f"NAME:{line}: warning: {count * bad} character{'s'[:count * bad > 1]} not valid in "
                         f"{name}, the first in this line; read as U+FFFD [bad-text]\n")
                self.claim(bad >= 1 and said[1] == expected[1] and said[2] == first + expected[2], codec,
                          repr(lone), said[2])
            # with an odd number of bytes, the last one is no character
            data = text.encode(codec)
            path = self.write("same.oemp", data + b"x")
            said = self.ask("leaks", path, name=path)
            self.claim(f"NAME:{text.count(chr(10)) + 1}: warning: 1 character not" in said[2], codec, "odd", said)
            # a mark inside the text is an invisible character
            within = self.plain(sample, text.replace("OrderEvent", "\ufeffOrderEvent"), "leaks")
            path = self.write("same.oemp", mark + text.replace("OrderEvent", "\ufeffOrderEvent").encode(codec))
            self.claim(self.ask("leaks", path, name=path) == within and "\\u{feff}" in within[1], codec,
                      "a mark within")
        for data, code in ((b"\xff\xfe", "empty-file"), (b"\xfe\xff", "empty-file"),
                           (b"\xef\xbb\xbf", "empty-file"), (b"\xff", "foreign-file"),
                           (b"\xff\xfe\x00", "foreign-file"), (b"\xff\xfe\x00\x00", "cannot-read"),
                           (b"\xfe\xff\xd8", "foreign-file"), (text.encode("utf-32-le"), "cannot-read"),
                           (text.encode("utf-32-be"), "cannot-read"), (text.encode("utf-32"), "cannot-read")):
            path = self.write("same.oemp", data)
            status, out, err = self.ask("leaks", path, name=path)
            self.claim(status == 3 and not out and f"[{code}]" in err, data[:8], code, err)
            self.claim(code != "cannot-read" or "UTF-32" in err, data[:8], err)

    def beside(self):
        """Policies, suppressions, baselines, configuration, sources and listings in other encodings."""
        def copy(source, name, codec, mark):
            return self.write(name, mark + source.read_text().encode(codec))
        new, old = SAMPLES / "shop-v2.oemp", SAMPLES / "shop-v1.oemp"
        store = self.place / "store"
        self.ask("baseline", "save", old, "--store", store)
        base = next(store.iterdir())
        (self.place / "sources/shop").mkdir(parents=True)
        (self.place / "listings").mkdir()
        listings = [p for p in (SAMPLES / "src").rglob("*") if p.is_file()]
        asked = [["gate", SAMPLES / "shop.policy", new], ["diff", base, new],
                 ["leaks", new, "--suppress", SAMPLES / "shop.suppressions", "--today", "2027-07-01"],
                 ["annotate", new, "shop.OrderService", "--sources", SAMPLES / "sources"],
                 ["top", SAMPLES / "shop-v4.prf", "--listings", SAMPLES / "src"]]
        expected = [self.ask(*words) for words in asked]
        for codec, mark in ("utf-16-le", MARKS["utf-16-le"]), ("utf-16-be", b""), ("utf-8", MARKS["utf-8"]):
            policy = copy(SAMPLES / "shop.policy", "shop.policy", codec, mark)
            accepted = copy(SAMPLES / "shop.suppressions", "shop.suppressions", codec, mark)
            baseline = copy(base, "old.base", codec, mark)
            copy(SAMPLES / "sources/shop/OrderService.cls", "sources/shop/OrderService.cls", codec, mark)
            for listing in listings:
                path = self.place / "listings" / listing.relative_to(SAMPLES / "src")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(mark + listing.read_text().encode(codec))
            asked = [["gate", policy, new], ["diff", baseline, new],
                     ["leaks", new, "--suppress", accepted, "--today", "2027-07-01"],
                     ["annotate", new, "shop.OrderService", "--sources", self.place / "sources"],
                     ["top", SAMPLES / "shop-v4.prf", "--listings", self.place / "listings"]]
            for words, meant in zip(asked, expected):
                said = self.ask(*words)
                self.claim(all(self.without_places(a, base) == self.without_places(b, base) for a, b in zip(said, meant)),
                          words[0], codec, said, meant)
            config = self.place / "home/memprof/config"
            config.parent.mkdir(parents=True, exist_ok=True)
            config.write_bytes(mark + "limit = 1\nformat = csv\n".encode(codec))
            done = subprocess.run([self.program, "top", new], capture_output=True, check=True, cwd=self.place,
                                  env={**os.environ, "MEMPROF_NO_CONFIG": "", "XDG_CONFIG_HOME": str(self.place / "home")})
            self.claim(len(done.stdout.splitlines()) == 2, "configuration", codec, done.stderr)
        # A source in a code page. The recording itself contains only ASCII.
        source = self.place / "sources/shop/OrderService.cls"
        text = (SAMPLES / "sources/shop/OrderService.cls").read_text()
        source.write_bytes(text.replace("/*", "/* ソ表").encode("cp932"))
        words = ["annotate", new, "shop.OrderService", "--sources", self.place / "sources", "--context", "99"]
        out = self.ask(*words, "--encoding", "CP932")[1]
        source.write_text(text.replace("/*", "/* ソ表"))
        self.claim("ソ表" in out and out == self.ask(*words)[1], "a source in CP932", out)

    def without_places(self, said, base):
        if not isinstance(said, str):
            return said
        for ours, theirs in ((self.place / "listings", SAMPLES / "src"), (self.place / "old.base", "BASE"),
                             (base, "BASE"), (self.place, SAMPLES)):
            said = said.replace(str(ours), str(theirs))
        return said


LAWS = ["named", "database", "refused", "damaged", "surroundings", "marked", "odd", "beside"]


def main():
    options = arguments(__doc__, words=("laws", {"nargs": "*"}), server=str)
    with tempfile.TemporaryDirectory() as place:
        encodings = Encodings(options.memprof, options.server, pathlib.Path(place))
        for law in options.laws or LAWS:
            getattr(encodings, law)()
        return encodings.end()


if __name__ == "__main__":
    sys.exit(main())
