#!/usr/bin/env python3
"""A fleet in ClickHouse: two shards on loopback, and recordings of 50 agents in two builds; one build leaks at
a known site. The statements of docs/fleet.md are compared with what the generator knows. A shard is killed in
the middle of an insertion and started again, and the pipe is repeated: the figures must be those of one
insertion.

    tests/fleet.py --memprof PATH --generate PATH [--recordings N]
    tests/fleet.py --memprof PATH --generate PATH --self-test

Exit status 77: clickhouse-server or clickhouse-client is not installed.
"""
import argparse
import collections
import contextlib
import datetime
import io
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from claims import Claims

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "oracle"))
import oemp  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = "recordings", "snapshots", "sites", "types", "platform", "requests", "diagnostics"
HOSTS, DAYS = 50, 90
# Sites whose objects are never deleted. The other site that leaves objects behind is a cache.
LEAK, EXTRA, SLOW = LEAKS = "placeOrder shop.OrderService:155", "shop/printInvoice.p:33", "write shop.PdfWriter:52"
SKIPPED = 77


# --- servers ---

CONFIGURATION = """\
<yandex>
  <logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
  <tcp_port>{port}</tcp_port>
  <listen_host>127.0.0.1</listen_host>
  <path>{folder}/data/</path>
  <tmp_path>{folder}/tmp/</tmp_path>
  <users_config>{users}</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <timezone>UTC</timezone>
  <remote_servers><fleet>{shards}</fleet></remote_servers>
</yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"
USERS = """\
<yandex>
  <profiles><default>
    <insert_distributed_sync>1</insert_distributed_sync><log_queries>0</log_queries><max_threads>2</max_threads>
  </default></profiles>
  <users><default>
    <password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
  </default></users>
  <quotas><default></default></quotas>
</yandex>
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Shard:
    def __init__(self, folder, port, ports):
        self.folder, self.port, self.process = folder, port, None
        for name in ("data", "tmp"):
            (folder / name).mkdir(parents=True)
        (folder / "users.xml").write_text(USERS)
        (folder / "config.xml").write_text(CONFIGURATION.format(
            folder=folder, port=port, users=folder / "users.xml", shards="".join(map(SHARD.format, ports))))

    def start(self):
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(["clickhouse-server", f"--config-file={self.folder}/config.xml"],
                                            stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.folder)
        for _ in range(300):
            if self.client("--query", "select 1").returncode == 0:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        sys.exit(f"clickhouse-server does not start: {(self.folder / 'output').read_text()[-1000:]}")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def client(self, *words, **more):
        return subprocess.run(["clickhouse-client", "--host", "127.0.0.1", "--port", str(self.port), *words], check=False,
                              capture_output=True, **more)


# --- recordings, and what the generator knows of them ---

class Agent:
    """A recording. Its number determines the host, the day and the build."""

    def __init__(self, number):
        self.host_number, turn = number % HOSTS, number // HOSTS
        self.turn, self.number = turn, number
        self.host = f"h{self.host_number:02}"

    def place(self, turns):
        share = self.turn / max(1, turns - 1)
        self.day = int(share * (DAYS - 1))
        self.build = "1234" if share >= (0.5 if self.host_number < HOSTS // 2 else 0.75) else "1233"
        self.extra = self.host == "h07" and share >= 0.25
        self.session = 1 + self.host_number % 3

    def variant(self):
        return self.session, self.build, self.extra

    def words(self):
        return ["oemp", "--requests", "--snapshots", "12", "--session", f"AS-{self.session}",
                *(["--fixed"] if self.build == "1233" else []), *(["--extra-leak"] if self.extra else [])]


def leaks_at(known, frame):
    return sum(row["bytes"] for row in known["leaks"] if row["stack"][:1] == [frame])


def requests_by_hand(path):
    """Compute requests by a replay that shares no code with memprof."""
    joined, _ = oemp.join_recordings([str(path)])
    recordings = [oemp.Recording(snapshots) for snapshots in joined]
    for recording in recordings:
        recording.choose(None, None)
    return oemp.requests_of(recordings)


class Fleet(Claims):
    def __init__(self, asked, folder):
        super().__init__()
        self.memprof, self.generate, self.folder = asked.memprof, asked.generate, folder
        self.agents = [Agent(number) for number in range(asked.recordings)]
        for agent in self.agents:
            agent.place(-(-asked.recordings // HOSTS))
        self.known, self.requests, self.shards = {}, {}, []

    def record(self):
        """Make the recordings, in a folder for each host and build, and the answer for each variant."""
        for agent in self.agents:
            agent.path = self.folder / "in" / agent.host / agent.build / f"{agent.number:05}.oemp"
            agent.path.parent.mkdir(parents=True, exist_ok=True)
            variant, answer = agent.variant(), []
            if variant not in self.known:
                answer = ["--answer", self.folder / "answer.json"]
            uuid = f"{agent.number:08x}-93b5-4e0a-8a57-{agent.session:012d}"
            subprocess.run([self.generate, *agent.words(), "--day", str(agent.day), "--uuid", uuid, *answer, "-o", agent.path],
                           check=True)
            if answer:
                self.known[variant] = json.loads(answer[1].read_text())
                self.requests[variant] = requests_by_hand(agent.path)

    def export(self, table, output):
        """Export the rows of all recordings, with a process for each host and build, as agents would."""
        for host in sorted((self.folder / "in").iterdir()):
            for build in sorted(host.iterdir()):
                done = subprocess.run([self.memprof, "export", "--to", "clickhouse", "--table", table, "--label", f"host={host.name}",
                                       "--label", f"build={build.name}", build], check=False, stdout=output, stderr=subprocess.PIPE)
                self.claim(done.returncode == 0 and not done.stderr, table, build, done.returncode, done.stderr)

    def insert_statement(self, table):
        return subprocess.run([self.memprof, "schema", "clickhouse", "--insert", table], check=True, capture_output=True,
                              text=True).stdout

    # --- the engine ---

    def start(self):
        ports = free_ports(2)
        self.shards = [Shard(self.folder / f"shard{i}", port, ports) for i, port in enumerate(ports)]
        schema = subprocess.run([self.memprof, "schema", "clickhouse", "--cluster", "fleet"], check=True, capture_output=True).stdout
        for shard in self.shards:
            shard.start()
        for shard in self.shards:
            done = shard.client("--multiquery", input=schema)
            self.claim(done.returncode == 0, "the schema:", done.stderr)

    def ask(self, statement):
        done = self.shards[0].client("--query", f"{statement.strip()} FORMAT JSON", text=True)
        self.claim(done.returncode == 0, statement, done.stderr)
        return [{name: int(value) if isinstance(value, str) and re.fullmatch(r"-?\d+", value) and name not in ("build", "first_build")
                 else value for name, value in row.items()} for row in (json.loads(done.stdout)["data"] if done.stdout else [])]

    def one(self, statement):
        return next(iter(self.ask(statement)[0].values()), None)

    def insert(self, table, rows, *words):
        return self.shards[0].client(*words, "--query", self.insert_statement(table), stdin=rows)

    def fill(self):
        for table in TABLES:
            rows = self.folder / f"{table}.jsonl"
            with open(rows, "wb") as output:
                self.export(table, output)
            with open(rows, "rb") as file:
                done = self.insert(table, file)
            self.claim(done.returncode == 0, table, done.stderr)
            with open(rows, "rb") as file:
                lines = sum(line != b"\n" for line in file)
            found = self.one(f"select count() from memprof.{table}")
            self.claim(found == lines, table, found, "rows, not", lines)

    # --- questions ---

    def statements(self):
        blocks = re.findall(r"```sql\n-- (.*?)\n(.*?)```", (ROOT / "docs/fleet.md").read_text(), re.DOTALL)
        return dict(blocks)

    def leaking(self, agents, frame):
        return [agent for agent in agents if leaks_at(self.known[agent.variant()], frame)]

    def growers(self, rows):
        last = max(agent.day for agent in self.agents)
        recent = [agent for agent in self.agents if agent.day > last - 7]
        wanted = []
        for frame in LEAKS:
            found = self.leaking(recent, frame)
            if found:
                wanted.append((frame, sum(leaks_at(self.known[agent.variant()], frame) for agent in found),
                               len({agent.host for agent in found}), len(found)))
        wanted.sort(key=lambda row: -row[1])
        got = [(row["stack"].split(" < ")[0], row["bytes"], row["hosts"], row["recordings"]) for row in rows]
        self.claim(got == wanted, "growers", got, "not", wanted)

    def first_build(self, rows):
        got = {row["stack"].split(" < ")[0]: (row["first_build"], row["first_day"], row["first_host"]) for row in rows}
        self.claim(set(got) == set(LEAKS), "sites that leak:", set(got))
        for frame in LEAKS:
            found = self.leaking(self.agents, frame)
            day = min(agent.day for agent in found)
            first = [agent for agent in found if agent.day == day]
            date = str(datetime.date(2026, 3, 2) + datetime.timedelta(days=day))
            self.claim(frame in got and got[frame][0] in {agent.build for agent in first} and got[frame][1] == date and
                       got[frame][2] in {agent.host for agent in first}, frame, got.get(frame), "not", date, first[0].build)

    def everywhere(self, rows):
        got = [(row["stack"].split(" < ")[0], row["hosts"], row["all_hosts"], row["only_host"]) for row in rows]
        wanted = [(LEAK, HOSTS, HOSTS, ""), (SLOW, HOSTS, HOSTS, ""), (EXTRA, 1, HOSTS, "h07")]
        self.claim(sorted(got) == sorted(wanted) and got[-1:] == wanted[-1:], "everywhere", got, "not", wanted)

    def objects(self, agent):
        return sum(row["bytes"] for row in self.known[agent.variant()]["top"] if row["key"] == "OOABL Obj")

    def class_(self, rows):
        days = collections.defaultdict(list)
        for agent in self.agents:
            days[str(datetime.date(2026, 3, 2) + datetime.timedelta(days=agent.day))].append(self.objects(agent))
        got = [(row["day"], row["recordings"], row["live_bytes"], row["most_bytes"]) for row in rows]
        wanted = [(day, len(found), sum(found), max(found)) for day, found in sorted(days.items())]
        self.claim(got == wanted, "a class:", got, "not", wanted)

    def requests_(self, rows):
        apis = collections.defaultdict(lambda: [0, 0, 0, set()])
        for agent in self.agents:
            for row in self.requests[agent.variant()]:
                api = apis[row.get("api", "")]
                api[0] += 1
                api[1] += row.get("left_objects", 0) > 0
                api[2] += row.get("left_bytes", 0)
                api[3].add(agent.host)
        wanted = sorted(((name, calls, leaving, size, len(hosts)) for name, (calls, leaving, size, hosts) in apis.items()),
                        key=lambda row: -row[3])
        got = [(row["request_api"], row["calls"], row["leaving_calls"], row["bytes"], row["hosts"]) for row in rows]
        self.claim(got == wanted, "requests", got, "not", wanted)

    def totals(self):
        """Compare sums over all recordings, whether rows were inserted once or again."""
        known = [self.known[agent.variant()] for agent in self.agents]
        for name in ("live_objects", "live_bytes", "created_objects", "created_bytes", "deleted_objects"):
            wanted = sum(answer["totals"][name] for answer in known)
            for table in ("recordings", "sites", "types"):
                found = self.one(f"select sum({name}) from memprof.{table} final")
                self.claim(found == wanted, name, "of", table, found, "not", wanted)
        leaked = sum(row["bytes"] for answer in known for row in answer["leaks"])
        for text in ("select sum(leaked_bytes) from memprof.sites final", "select sum(leaked_bytes) from memprof.recordings final",
                     "select sum(b) from (select maxMerge(leaked_bytes) b from memprof.site_days group by day, site, recording, part)"):
            self.claim(self.one(text) == leaked, text, self.one(text), "not", leaked)
        shots = sum(len(answer["snapshots"]) for answer in known)
        self.claim(self.one("select count() from memprof.snapshots final") == shots, "snapshots")
        platform = sum(row["platform_bytes"] for answer in known for row in answer["snapshots"])
        self.claim(self.one("select sum(bytes) from memprof.platform final") == platform, "platform")

    def questions(self):
        checks = {"growers": self.growers, "first build": self.first_build, "everywhere": self.everywhere,
                  "class": self.class_, "requests": self.requests_}
        statements = self.statements()
        self.claim(set(statements) == set(checks), "statements of docs/fleet.md:", set(statements))
        for name, statement in statements.items():
            self.claim("skip_unavailable_shards" not in statement, name)
            checks[name](self.ask(statement))
        self.totals()

    # --- a shard dies ---

    def shares(self):
        counts = [int(shard.client("--query", "select count() from memprof.sites_local").stdout) for shard in self.shards]
        recordings = [shard.client("--query", "select distinct recording from memprof.sites_local", text=True).stdout.split()
                      for shard in self.shards]
        self.claim(min(counts) > 0 and not set(recordings[0]) & set(recordings[1]), "a recording is on both shards", counts)

    def die(self):
        """A shard is killed in the middle of an insertion: the pipe fails, and is repeated."""
        for table in ("sites", "types"):
            for shard in self.shards:
                for name in (f"{table}_local", f"{table[:-1]}_days_local"):
                    shard.client("--query", f"truncate table memprof.{name}")
        rows = (self.folder / "sites.jsonl").read_bytes()
        middle = rows.index(b"\n", len(rows) // 2) + 1
        client = subprocess.Popen(["clickhouse-client", "--host", "127.0.0.1", "--port", str(self.shards[0].port),
                                   "--max_insert_block_size", "1000", "--min_insert_block_size_rows", "1000",
                                   "--min_insert_block_size_bytes", "1", "--query", self.insert_statement("sites")],
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        client.stdin.write(rows[:middle])
        client.stdin.flush()
        for _ in range(200):
            if int(self.shards[1].client("--query", "select count() from memprof.sites_local").stdout or 0):
                break
            time.sleep(0.05)
        before = int(self.shards[1].client("--query", "select count() from memprof.sites_local").stdout or 0)
        self.shards[1].kill()
        with contextlib.suppress(BrokenPipeError):
            client.stdin.write(rows[middle:])
        with contextlib.suppress(BrokenPipeError):
            client.stdin.close()
        self.claim(client.wait() != 0, "an insertion without one of its shards succeeds")
        self.claim(self.shards[0].client("--query", "select count() from memprof.sites").returncode != 0,
                   "a question without one of its shards has an answer")
        self.shards[1].start()
        there = self.one("select count() from memprof.sites")
        lines = rows.count(b"\n")
        self.claim(0 < before and 0 < there < lines, "the insertion was not in its middle:", before, there, lines)
        for table in ("sites", "types", "sites", "types"):
            with open(self.folder / f"{table}.jsonl", "rb") as file:
                done = self.insert(table, file)
            self.claim(done.returncode == 0, "repeated", table, done.stderr)
        self.claim(self.one("select count() from memprof.sites final") == lines, "rows after repetition")
        return before, there, lines

    def close(self):
        for shard in self.shards:
            shard.kill()


def whole(fleet):
    began = time.monotonic()

    def tell(what):
        print(f"  {time.monotonic() - began:6.1f} s  {what}", flush=True)
    fleet.record()
    tell(f"{len(fleet.agents)} recordings of {len({agent.host for agent in fleet.agents})} agents")
    fleet.start()
    tell("two shards")
    fleet.fill()
    tell("rows of all tables are inserted")
    fleet.shares()
    fleet.questions()
    tell("questions")
    before, there, lines = fleet.die()
    tell(f"a shard was killed with {before} rows, {there} of {lines} were there, and the pipe repeated twice")
    fleet.questions()
    tell("questions again")


def self_test(fleet):
    """Answers with one wrong figure are detected."""
    fleet.record()
    right = {"growers": [], "everywhere": []}
    for name, rows in right.items():
        before = fleet.wrong
        with contextlib.redirect_stdout(io.StringIO()):
            getattr(fleet, name)(rows)
        if fleet.wrong == before:
            sys.exit(f"{name} finds nothing wrong")
    for check, row in ((fleet.class_, {"day": "2026-03-02", "recordings": 1, "live_bytes": 1, "most_bytes": 1}),
                       (fleet.requests_, {"request_api": "GET /", "calls": 1, "leaving_calls": 1, "bytes": 1, "hosts": 1}),
                       (fleet.first_build, {"stack": f"{LEAK} < a", "first_build": "1233", "first_day": "2026-03-02",
                                            "first_host": "h00"})):
        before = fleet.wrong
        with contextlib.redirect_stdout(io.StringIO()):
            check([row])
        if fleet.wrong == before:
            sys.exit(f"{check.__name__} finds nothing wrong")
    print("each check finds what is wrong")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--generate", required=True)
    parser.add_argument("--recordings", type=int, default=1000)
    parser.add_argument("--self-test", action="store_true")
    asked = parser.parse_args()
    os.environ["TZ"] = "UTC"
    with tempfile.TemporaryDirectory() as name:
        if asked.self_test:
            asked.recordings = 200
            return self_test(Fleet(asked, pathlib.Path(name)))
        if not (shutil.which("clickhouse-server") and shutil.which("clickhouse-client")):
            print("skipped: clickhouse-server or clickhouse-client is not installed")
            return SKIPPED
        fleet = Fleet(asked, pathlib.Path(name))
        try:
            whole(fleet)
        finally:
            fleet.close()
        return fleet.end(least=50)


if __name__ == "__main__":
    sys.exit(main())
