#!/usr/bin/env python3
"""The dashboards of docs/grafana: each is well formed, and each of its queries is run. promtool evaluates
queries of metrics on files of `memprof export --to openmetrics`, and a ClickHouse server those of tables. The
results must equal `memprof --format json`.

    tests/dashboards.py --memprof PATH openmetrics|clickhouse
    tests/dashboards.py --self-test

Exit status 77: promtool, clickhouse-server or clickhouse-client is not installed.
"""
import contextlib
import datetime
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from claims import ClaimsOfProgram, arguments
from fleet import Shard, free_ports
from roots import skip

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
METRIC = re.compile(r"^(memprof_\w+)(\{.*\})? (\S+)$", re.MULTILINE)


class Trials(ClaimsOfProgram):
    def __init__(self, program, folder, pages=ROOT / "docs" / "grafana"):
        super().__init__(program)
        self.folder, self.pages = folder, pages

    def queries(self, name, key):
        """Return {title: query} of a dashboard."""
        page = json.loads((self.pages / f"{name}.json").read_text(encoding="utf-8"))
        panels = page["panels"]
        self.claim(len(panels) >= 4 and page["uid"] and page["title"], name, "has few panels")
        self.claim(len({panel["id"] for panel in panels}) == len(panels), name, "has two panels of one id")
        places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
        self.claim(len(places) == len(panels), name, "has two panels at one place")
        for panel in panels:
            self.claim(panel["datasource"]["uid"] == "${source}" and len(panel["targets"]) == 1, name, panel["title"])
        return {panel["title"]: panel["targets"][0][key] for panel in panels}

    def json_of(self, command, sample, *words):
        return json.loads(self.run(command, SAMPLES / sample, "--format", "json", "--quiet", *words).stdout)

    # --- metrics ---

    def openmetrics(self):
        sample, instance = "shop-v2.oemp", '{instance="a"}'
        totals = self.json_of("analyze", sample)["totals"]
        leaks = self.json_of("leaks", sample)["leaks"]
        metrics = METRIC.findall(self.run("export", "--to", "openmetrics", SAMPLES / sample).stdout)
        areas = {labels: float(value) for name, labels, value in metrics if name == "memprof_platform_area_bytes"}
        # to Prometheus, a label without text does not exist
        sums = {labels.replace('name="",', ""): float(value) for name, labels, value in metrics if name == "memprof_leak_bytes"}
        self.claim(sorted(sums.values()) == sorted(row["bytes"] for row in leaks), "sites", sums, leaks)
        steady = {labels: float(value) for name, labels, value in metrics if name == "memprof_leaking_bytes" and value != "0"}
        self.claim(sorted(steady.values()) == [row["leaking_bytes"] for row in leaks if row.get("leaking_bytes")], "steady", steady)
        wanted = {
            "Live bytes": {instance: totals["live_bytes"]}, "Leaked bytes": {instance: totals["leaked_bytes"]},
            "Leaking bytes, by site": steady, "Sites that leak most": sums,
            "Share of leaked bytes": {instance: totals["leaked_bytes"] / totals["live_bytes"]},
            "Memory of the runtime, by area": areas}
        queries = self.queries("openmetrics", "expr")
        self.claim(set(queries) == set(wanted), "panels", set(queries))
        series = [{"series": f'{name}{{instance="a"{"," + labels[1:-1] if labels else ""}}}', "values": value}
                  for name, labels, value in metrics]
        tests = [{"interval": "1m", "input_series": series, "promql_expr_test": [
            {"expr": query, "eval_time": "0m",
             "exp_samples": [{"labels": labels, "value": value} for labels, value in wanted.get(title, {}).items()]}
            for title, query in queries.items()]}]
        (self.folder / "tests.yaml").write_text(json.dumps({"evaluation_interval": "1m", "tests": tests}), encoding="utf-8")
        done = subprocess.run(["promtool", "test", "rules", self.folder / "tests.yaml"], capture_output=True, text=True, check=False)
        self.claim(done.returncode == 0, "promtool", done.stdout, done.stderr)

    # --- tables ---

    def clickhouse(self):
        samples = {"a": "shop-v2.oemp", "b": "shop-requests-AS1.oemp"}
        queries = self.queries("clickhouse", "rawSql")
        ports = free_ports(1)
        shard = Shard(self.folder / "server", ports[0], ports)
        try:
            shard.start()
            self.fill(shard, samples)
            rows = {title: self.ask(shard, query) for title, query in queries.items()}
        finally:
            shard.kill()
        totals = {host: self.json_of("analyze", sample)["totals"] for host, sample in samples.items()}
        leaks = {host: self.json_of("leaks", sample)["leaks"] for host, sample in samples.items()}
        requests = self.json_of("requests", samples["b"])["requests"]
        leaking = sum(row.get("leaking_bytes", 0) for rows in leaks.values() for row in rows)
        self.claim(sum(int(row["recordings"]) for row in rows["Recordings per day"]) == 2, rows["Recordings per day"])
        by_build = rows["Leaking bytes per day and build"]
        self.claim(sum(int(row["bytes"]) for row in by_build) == leaking and {row["build"] for row in by_build} == {"1"}, by_build)
        worst = rows["Sites that leak most"]
        self.claim(sum(int(row["bytes"]) for row in worst) == leaking and worst, worst, leaking)
        self.claim({row["first_build"] for row in rows["First build of each leak"]} == {"1"}, rows["First build of each leak"])
        self.claim({row["host"]: int(row["bytes"]) for row in rows["Live bytes per day, by host"]} ==
                   {host: one["live_bytes"] for host, one in totals.items()}, rows["Live bytes per day, by host"])
        self.claim(sum(int(row["calls"]) for row in rows["Requests that leave most"]) == len(requests), rows["Requests that leave most"])
        self.claim(len(rows) == 6, "panels", set(rows))

    def fill(self, shard, samples):
        done = shard.client("--multiquery", "--multiline", input=self.run("schema", "clickhouse").stdout.encode())
        self.claim(done.returncode == 0, "the schema", done.stderr)
        for host, sample in samples.items():
            for table in ("recordings", "sites", "requests"):
                made = self.run("export", "--to", "clickhouse", "--table", table, "--label", f"host={host}", "--label", "build=1",
                                SAMPLES / sample, text=False)
                if made.stdout:
                    done = shard.client("--query", self.run("schema", "clickhouse", "--insert", table).stdout, input=made.stdout)
                    self.claim(done.returncode == 0, "an insertion", table, done.stderr)

    def ask(self, shard, query):
        """Return the rows of a panel for the whole of 2026, with times inserted as Grafana does."""
        for name, day in (("$__from", datetime.datetime(2026, 1, 1)), ("$__to", datetime.datetime(2026, 12, 31))):
            query = query.replace(name, str(int(day.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)))
        done = shard.client("--query", query, "--format", "JSONEachRow", text=True)
        self.claim(done.returncode == 0, query, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]


def self_test():
    """A dashboard without panels is detected."""
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        folder = pathlib.Path(name)
        (folder / "x.json").write_text('{"uid": "x", "title": "x", "panels": []}', encoding="utf-8")
        trials = Trials("true", folder, folder)
        trials.queries("x", "expr")
    if not trials.wrong:
        sys.exit("nothing was found wrong")
    print("what is wrong is found")
    return 0


def main():
    asked = arguments(__doc__, self_test, ("kind", {"nargs": "?", "choices": ["openmetrics", "clickhouse"]}))
    needed = ["promtool"] if asked.kind == "openmetrics" else ["clickhouse-server", "clickhouse-client"]
    missing = [program for program in needed if not shutil.which(program)]
    if missing:
        skip(f"the dashboard was not tried: {missing[0]} is not installed")
    with tempfile.TemporaryDirectory() as name:
        trials = Trials(asked.memprof, pathlib.Path(name))
        (trials.openmetrics if asked.kind == "openmetrics" else trials.clickhouse)()
        return trials.end(least=8)


if __name__ == "__main__":
    sys.exit(main())
