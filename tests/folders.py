"""Folders: a report about a folder contains, in one list, what it reports about each file alone, and totals add
up. A part of properties.py."""

import pathlib
import shutil
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
NOT_ADDED = {"from_sequence", "to_sequence", "types", "threads", "crawls", "peak_time_us", "modules",
             "app_domains", "partial"}
# Columns by which tables are sorted, the largest value first; changes by their absolute value.
ORDERS = {"leaks": "bytes", "top": "bytes", "growth": "delta_bytes", "lifetimes": "deaths",
          "retained": "retained_bytes", "snapshots": None, "tree": None}


class Folders:
    """Needs json() and hold() of Laws."""

    def folders(self):
        """The rows of a folder are those of its files, and totals are their sums, with any number of jobs."""
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            for suffix, commands in ((".oemp", ("leaks", "top", "growth", "snapshots", "tree")),
                                     (".taligent", ("leaks", "top", "growth", "lifetimes")),
                                     (".gclog", ("leaks", "retained", "snapshots"))):
                folder = place / suffix[1:]
                folder.mkdir()
                for path in SAMPLES.glob("*" + suffix):
                    shutil.copy(path, folder)
                for i in range(3 if suffix == ".oemp" else 0):
                    self.make(folder / f"made-{i}.oemp", "--objects", 2000 + 500 * i, "--uuid",
                              f"6f1d2c84-93b5-4e0a-8a57-{i + 9:012}")
                for command in commands:
                    self.folder_agrees(command, folder)

    def folder_agrees(self, command, folder):
        """With limit 0, the folder has every row of every file."""
        files = [str(path) for path in sorted(folder.iterdir(), key=lambda path: str(path).encode())]
        whole = self.json(command, folder, "--group", "file", "--limit", 0)
        serial = self.json(command, folder, "--group", "file", "--limit", 0, "--jobs", 1)
        self.hold(whole == serial, f"{command} of {folder.name}: not the same with one thread")
        alone = {path: self.json(command, path, "--limit", 0) for path in files}
        rows, told = whole.get(command, []), {row["file"]: row for row in whole.get("files", [])}
        self.hold(list(told) == files, f"{command} of {folder.name}: files are {list(told)}")
        for path in files:
            def plain(row):
                return {name: value for name, value in row.items() if name not in ("file", "rank")}
            self.hold([plain(row) for row in rows if row["file"] == path]
                      == [plain(row) for row in alone[path].get(command, [])],
                      f"{command} of {folder.name}: other rows than of {path} alone")
            totals = {**alone[path].get("overall", {}), **alone[path].get("totals", {})}
            self.hold(plain(told.get(path, {})) == totals,
                      f"{command} of {folder.name}: other totals than of {path} alone")
        sums = {}
        for report in alone.values():
            for name, value in report.get("totals", {}).items():
                if name not in NOT_ADDED:
                    sums[name] = sums.get(name, 0) + value
        self.hold(whole.get("totals") == sums, f"{command} of {folder.name}: totals do not add up")
        self.folder_is_in_order(command, folder, rows)

    def folder_is_in_order(self, command, folder, rows):
        order = ORDERS[command]
        if not order:
            order_of_files = [row["file"] for row in rows]
            self.hold(order_of_files == sorted(order_of_files, key=str.encode),
                      f"{command} of {folder.name}: files are mixed")
            return
        # leaks by the verdict come first, sorted by leaking bytes
        keys = [(row["leaking_bytes"], 0) if row.get("leaking_bytes") else (0, abs(row[order])) for row in rows]
        self.hold(keys == sorted(keys, reverse=True), f"{command} of {folder.name}: not in order")
        if rows and "rank" in rows[0]:
            self.hold([row["rank"] for row in rows] == list(range(1, len(rows) + 1)),
                      f"{command} of {folder.name}: ranks have gaps")
        first = self.json(command, folder, "--group", "file", "--limit", 3).get(command, [])
        self.hold(first == rows[:3], f"{command} of {folder.name}: --limit cuts other rows")
