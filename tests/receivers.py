#!/usr/bin/env python3
"""The requests of docs/exports.md that send a profile to Pyroscope and Parca. They are run as they are, except
for the address, which is that of a receiver in this test. The receiver parses them and checks that the profile
has the totals of `memprof analyze`.

    tests/receivers.py --memprof PATH

Exit status 77: curl is not installed.
"""
import base64
import email
import email.policy
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from claims import ClaimsOfProgram, arguments
from roots import skip
from viewers import Pprof

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "samples" / "shop-v2.oemp"


class Receiver(http.server.BaseHTTPRequestHandler):
    got = []

    def do_POST(self):  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Receiver.got.append((self.path, self.headers["Content-Type"], body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Trials(ClaimsOfProgram):
    def __init__(self, program, folder):
        super().__init__(program)
        self.folder = folder

    def send(self, commands, address):
        """Run the commands with another address, and return what arrived. They must succeed."""
        Receiver.got.clear()
        script = re.sub(r"http://localhost:\d+", address, commands)
        self.claim(script != commands, "no address", commands)
        path = os.pathsep.join([str(self.folder), os.environ["PATH"]])
        done = subprocess.run(["bash", "-e", "-c", script], cwd=self.folder, env={**os.environ, "PATH": path, "no_proxy": "*"},
                              capture_output=True, text=True, check=False)
        self.claim(done.returncode == 0 and len(Receiver.got) == 1, script, done.stderr, len(Receiver.got))
        return Receiver.got[0] if Receiver.got else ("", "", b"")

    def pyroscope(self, path, kind, body):
        url = urllib.parse.urlsplit(path)
        given = dict(urllib.parse.parse_qsl(url.query))
        self.claim(url.path == "/ingest" and given.get("format") == "pprof" and given.get("name") == "shop", path)
        start, end = int(given.get("from", 0)), int(given.get("until", 0))
        self.claim(0 < end - start <= 3600 and abs(end - time.time()) < 86400, "times", path)
        message = email.message_from_bytes(f"Content-Type: {kind}\n\n".encode() + body, policy=email.policy.HTTP)
        parts = {part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
                 for part in message.iter_parts()} if message.is_multipart() else {}
        self.claim(set(parts) == {"profile"}, "parts", set(parts))
        return parts.get("profile", b"")

    def parca(self, path, kind, body):
        self.claim(path == "/api/profiles/writeraw" and kind == "application/json", path, kind)
        series = json.loads(body)["series"]
        labels = {one["name"]: one["value"] for one in series[0]["labels"]["labels"]}
        self.claim(len(series) == 1 and labels == {"__name__": "memory", "job": "shop"}, series)
        return base64.b64decode(series[0]["samples"][0]["rawProfile"], validate=True)

    def check(self, address):
        (self.folder / "memprof").symlink_to(pathlib.Path(self.program).resolve())
        shutil.copy(SAMPLE, self.folder / "shop.oemp")
        section = (ROOT / "docs/exports.md").read_text(encoding="utf-8").partition("\n## pprof\n")[2].partition("\n## ")[0]
        blocks = ["".join(line[4:] + "\n" for line in block.splitlines()) for block in re.findall(r"(?:^    .*\n)+", section, re.MULTILINE)]
        self.claim(len(blocks) == 2, "blocks", blocks)
        totals = self.json("analyze", SAMPLE)["totals"]
        for block, take in zip(blocks, (self.pyroscope, self.parca)):
            profile = self.folder / "received"
            profile.write_bytes(take(*self.send(block, address)))
            self.claim(profile.read_bytes() == (self.folder / "shop.pb.gz").read_bytes(), "not the profile", block)
            found = Pprof().take_apart(profile)
            self.claim(found.get("live_bytes") == totals["live_bytes"] and
                       all(totals.get(name, value) == value for name, value in found.items()), found, totals)


def main():
    asked = arguments(__doc__)
    if not shutil.which("curl"):
        skip("no request was sent: curl is not installed")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        trials = Trials(asked.memprof, pathlib.Path(name))
        trials.check(f"http://127.0.0.1:{server.server_port}")
        return trials.end(least=10)


if __name__ == "__main__":
    sys.exit(main())
