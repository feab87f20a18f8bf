#!/usr/bin/env python3
"""The server `memprof mcp`. It exchanges messages of the Model Context Protocol (JSON-RPC 2.0, one per line).
Answers are those of the command line, and pages add up to the complete answer. A recording is read once, and no
file outside the folders is read.

    tests/mcp.py --memprof PATH [--client]      --client: by a client of the protocol from npm
    tests/mcp.py --self-test

The client is expected below the folder MEMPROF_NODE_MODULES (`npm install @modelcontextprotocol/sdk`). Exit
status 77: it is not there, or there is no node.
"""
import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import claims
from roots import skip

ROOT = pathlib.Path(__file__).resolve().parent
SAMPLES = ROOT.parent / "samples"
MODULES = pathlib.Path(os.environ.get("MEMPROF_NODE_MODULES", "node_modules"))
PACKAGE = MODULES / "@modelcontextprotocol" / "sdk"
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
BEGIN = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
# Commands that are not reports, and one that needs a folder of sources.
OTHERS = {"annotate", "baseline", "browse", "export", "formats", "mcp", "schema", "spool", "watch"}
# Questions: a tool, its arguments, and the same question as words of a command line, without the file.
QUESTIONS = [
    ("analyze", "shop-v2.oemp", {}, []),
    ("leaks", "shop-v2.oemp", {}, []),
    ("leaks", "shop-v2.oemp", {"limit": 2, "not-type": ["MEMPTR", "DB*"]},
     ["--limit", "2", "--not-type", "MEMPTR", "--not-type", "DB*"]),
    ("top", "shop-v2.oemp", {"by": "source", "allow-torn": True, "ignored": None}, ["--by", "source", "--allow-torn"]),
    ("growth", "shop-v2.oemp", {"from": "2", "to": 5}, ["--from", "2", "--to", "5"]),
    ("snapshots", "shop-running-v2.oemp", {}, []),
    ("diff", "shop-v2.oemp", {"base": "shop-v1.oemp"}, [str(SAMPLES / "shop-v1.oemp")]),
    ("gate", "shop-v2.oemp", {"policy": "shop.policy"}, [str(SAMPLES / "shop.policy")]),
    ("leaks", "shop-v2.oemp", {"max-leaked": "1K"}, ["--max-leaked", "1K"]),
    ("sql", "shop-v2.oemp", {"statement": "select type, line, live_bytes from sites"},
     ["select type, line, live_bytes from sites"]),
    ("sql", "shop-3.gclog", {"schema": True}, ["--schema"]),
    ("object", "shop-3.gclog", {"type": "Shop.PriceCache"}, ["--type", "Shop.PriceCache"]),
    ("dominators", "shop-3.gclog", {"min-percent": 2.5}, ["--min-percent", "2.5"]),
    ("flame", "shop-v4.prf", {}, []),
    ("timeline", "shop-v4.prf", {}, []),
    ("top", "shop.taligent", {"at": "90s"}, ["--at", "90s"]),
]
# Recordings of each kind. For arguments that are neither switches nor choices, values of which at least one is valid.
KINDS = "shop-v2.oemp", "shop-v4.prf", "shop.taligent", "shop-3.gclog", "shop-aqtime.sqlite", "shop-requests-AS1.oemp", "shop-3.hprof"
VALUES = {"domain": ["Shop.exe"], "encoding": ["CP1252"], "group": ["file"], "input-format": ["oemp", "prf", "gclog", "rpm", "hprof"],
          "against": ["saved.baseline"], "suppress": ["shop.suppressions"], "normalize": ["s/build-[0-9]+/build/"],
          "since": ["90s"], "until": ["90s"], "at": ["90s"], "temporary": ["250us"], "today": ["2027-06-30"], "min-size": ["1K"],
          "exclude": ["Shop.*"], "status": ["new", "partial"], "order": ["name"], "max-name": ["64K"], "slices": [3],
          "base": KINDS, "policy": ["shop.policy", "profile.policy"], "code": ["*getPrice*"], "type": ["1", "Shop.PriceCache"],
          "object": ["1c1c4a"], "statement": ["select 1 as n"], "source": ["*"], "name": ["*"], "by": ["namespace"]}
UNUSED = {("waste", "encoding")}  # of all recordings; those that the tool can answer about have no encoding
# Operands that tools need, or an argument that others need.
NEEDED = {"diff": "base", "gate": "policy", "sql": "statement", "object": "type", "path": "object", "retained": "by"}


class Server:
    """A server that gets one message at a time."""

    def __init__(self, program, *folders, begin=True, options=(), **more):
        self.process = subprocess.Popen([program, "mcp", *options, *map(str, folders)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.number = 0
        if begin:
            self.begun = self.ask("initialize", BEGIN)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(data + b"\n")
            self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {}

    def ask(self, method, params=None):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, **({"params": params} if params else {})})
        answer = self.answer()
        return answer if answer.get("id") == self.number else {"wrong": answer}

    def call(self, name, **arguments):
        """Return the result of a tool: its texts, whether it is an error, and the cursor of the next page."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        result = answer.get("result", {})
        texts = [one["text"] for one in result.get("content", [])]
        return texts, result.get("isError", True), result.get("_meta", {}).get("nextCursor")

    def refusal(self, name, **arguments):
        texts, wrong, _ = self.call(name, **arguments)
        return texts[0] if wrong and texts else ""

    def end(self):
        """End the server. Return its status and the rest of standard output and standard error."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


class Trials(claims.ClaimsOfProgram):
    def server(self, *folders, **more):
        return Server(self.program, *(folders or [SAMPLES]), **more)

    def ends(self, server, *what):
        status, out, err = server.end()
        self.claim((status, out, err) == (0, b"", b""), "the server ends badly", what, status, out, err)

    # --- the protocol ---

    def begins(self):
        server = self.server()
        result = server.begun.get("result", {})
        self.claim(result.get("protocolVersion") == "2025-06-18", "version", server.begun)
        self.claim("tools" in result.get("capabilities", {}), "capabilities", server.begun)
        self.claim(result.get("serverInfo", {}).get("name") == "memprof", "name", server.begun)
        self.claim(server.ask("ping").get("result") == {}, "ping")
        self.ends(server, "ping")
        for wanted, given in (("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25"),
                              ("2025-03-26", "2025-11-25")):
            server = self.server(begin=False)
            self.claim(server.ask("ping").get("result") == {}, "ping before it begins")
            self.claim(server.ask("tools/list").get("error", {}).get("code") == INVALID_REQUEST, "tools before it begins")
            begun = server.ask("initialize", {**BEGIN, "protocolVersion": wanted})
            self.claim(begun.get("result", {}).get("protocolVersion") == given, wanted, begun)
            self.ends(server, wanted)

    def lists(self):
        """Every report is a tool. The list has pages, and schemas are made from options of the command line."""
        server, tools, cursor = self.server(), {}, None
        for _ in range(10):
            result = server.ask("tools/list", {"cursor": cursor} if cursor else None).get("result", {})
            tools |= {tool["name"]: tool for tool in result.get("tools", [])}
            cursor = result.get("nextCursor")
            if not cursor:
                break
        shown = self.run("--help").stdout
        more = shown.partition("More commands:")[2].partition("\n\n")[0]
        names = {name.strip() for line in more.splitlines() for name in line[19:].split(",")} - {""}
        names |= {line.split()[0] for line in shown.partition("Main commands:\n")[2].partition("\n\n")[0].splitlines()}
        self.claim(set(tools) == names - OTHERS | {"recordings"}, "tools", sorted(tools), sorted(names))
        for name, tool in tools.items():
            self.claim(tool["inputSchema"]["type"] == "object" and tool["description"], name)
            if name != "recordings":
                self.claim("files" in tool["inputSchema"]["required"], name, tool)
        given = tools.get("top", {}).get("inputSchema", {}).get("properties", {})
        self.claim(given.get("limit", {}).get("type") == "integer", "limit", given.get("limit"))
        self.claim("source" in given.get("by", {}).get("enum", []), "by", given.get("by"))
        self.claim(given.get("type", {}).get("items") == {"type": "string"}, "type", given.get("type"))
        self.claim(given.get("allow-torn", {}).get("type") == "boolean", "allow-torn", given.get("allow-torn"))
        for name in ("output", "chart", "format", "no-sandbox", "sources", "listings", "file", "max-memory", "exec"):
            self.claim(not any(name in tool["inputSchema"]["properties"] for tool in tools.values()), name, "is offered")
        for cursor in ("x", "-1", "99999", 7):
            answer = server.ask("tools/list", {"cursor": cursor})
            self.claim(answer.get("error", {}).get("code") == INVALID_PARAMS, cursor, answer)
        self.ends(server, "lists")

    def accepted(self):
        """Each argument that a tool offers is accepted by its command, for recordings of some kind, in brief answers
        and in pages."""
        folder = tempfile.TemporaryDirectory()
        self.run("baseline", "save", SAMPLES / "shop-v2.oemp", "--store", folder.name, "--as", "saved")
        server, cursor, tools = self.server(SAMPLES, folder.name), "0", []
        while cursor:
            result = server.ask("tools/list", {"cursor": cursor}).get("result", {})
            tools += [tool for tool in result.get("tools", []) if tool["name"] != "recordings"]
            cursor = result.get("nextCursor")

        def refusal(tool, **arguments):
            answer = server.ask("tools/call", {"name": tool, "arguments": arguments})
            result = answer.get("result", {"isError": True})
            return "".join(one["text"] for one in result.get("content", [])) or str(answer) if result["isError"] else ""

        self.claim(len(tools) > 20, "tools", len(tools))

        def is_accepted(tool, name, value):
            """Return true if the argument is valid for any recording, alone or together with the operand."""
            need = NEEDED.get(tool, name)
            for files in *([file] for file in KINDS), ["shop-2.gclog", "shop-3.gclog"]:
                for more in ({}, *({need: one} for one in VALUES.get(need, []))):
                    arguments = {"files": files, **more, name: value}
                    refused = refusal(tool, **arguments)
                    if not refused and not refusal(tool, **arguments, cursor="0:0"):
                        return True
                    self.claim(refused.strip(), tool, arguments, "is refused without a reason")
            return False

        for tool in tools:
            for name, schema in tool["inputSchema"]["properties"].items():
                if name in ("files", "cursor") or (tool["name"], name) in UNUSED:
                    continue
                one = schema.get("items", schema)
                values = [True] if one["type"] == "boolean" else one.get("enum") or VALUES.get(name, [1])
                some = any(is_accepted(tool["name"], name, [value] if schema["type"] == "array" else value) for value in values)
                self.claim(some, tool["name"], name, values, "is always refused")
        self.ends(server, "accepted")
        folder.cleanup()

    def hostile(self):
        """An invalid message gets an error, and the next message gets its answer."""
        deep = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 100000 + b"]" * 100000 + b"}"
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        cases = [
            (b"{", PARSE_ERROR), (b"nonsense", PARSE_ERROR), (b'{"jsonrpc": "2.0", "id": 1, "method": "p\xffng"}', PARSE_ERROR),
            (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', PARSE_ERROR), (deep, PARSE_ERROR),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "pi\\u0000ng"}', PARSE_ERROR), (b"\0\0\0", PARSE_ERROR),
            (b'{"jsonrpc": "2.0", "id": 123456789012345678901234567890, "method": "ping"}', PARSE_ERROR),
            (b" " * (3 << 20) + b"x", INVALID_REQUEST), (b'"' + b"x" * (5 << 20) + b'"', INVALID_REQUEST),
            (b"[]", INVALID_REQUEST), (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', INVALID_REQUEST),
            (b"7", PARSE_ERROR), (b"null", PARSE_ERROR), (b"{}", INVALID_REQUEST),
            (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST),
            (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID_REQUEST),
            (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', INVALID_REQUEST),
            (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', INVALID_REQUEST),
            (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', INVALID_REQUEST),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', METHOD_NOT_FOUND),
            (b'{"jsonrpc": "2.0", "id": 1, "method": ""}', METHOD_NOT_FOUND),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]}', INVALID_PARAMS),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}', INVALID_PARAMS),
            (call, INVALID_PARAMS), ({**call, "params": {}}, INVALID_PARAMS), ({**call, "params": {"name": 7}}, INVALID_PARAMS),
            ({**call, "params": {"name": "leeks"}}, INVALID_PARAMS), ({**call, "params": {"name": "export"}}, INVALID_PARAMS),
            ({**call, "params": {"name": "x" * 100000}}, INVALID_PARAMS),
            ({**call, "params": {"name": "é" * 100}}, INVALID_PARAMS),
            ({**call, "params": {"name": "leaks", "arguments": []}}, INVALID_PARAMS),
        ]
        server = self.server()
        for message, code in cases:
            server.send(message)
            answer = server.answer()
            self.claim(answer.get("error", {}).get("code") == code and "result" not in answer, message[:100] if
                       isinstance(message, bytes) else message, answer)
            self.claim(server.ask("ping").get("result") == {}, "no answer to the next", message[:100] if
                       isinstance(message, bytes) else message)
        # These messages get no answer at all.
        for message in (b"", b"   ", b'{"jsonrpc": "2.0", "method": "tools/list"}', b'{"jsonrpc": "2.0", "method": "notifications/x"}',
                        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}',
                        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7}',
                        b'{"jsonrpc": "2.0", "id": 5, "result": {}}', b'{"jsonrpc": "2.0", "id": 5, "error": {}}'):
            server.send(message)
            self.claim(server.ask("ping").get("result") == {}, message, "has an answer")
        # A text as id, and a line of Windows.
        server.send(b'{"jsonrpc": "2.0", "id": "one\\u20ac", "method": "ping"}\r')
        self.claim(server.answer() == {"jsonrpc": "2.0", "id": "one€", "result": {}}, "an id that is a text")
        # The last line needs no line end, and bytes may arrive one by one.
        for byte in b'{"jsonrpc": "2.0", "id": 9, "method": "ping"}':
            server.process.stdin.write(bytes([byte]))
            server.process.stdin.flush()
        status, out, err = server.end()
        self.claim((status, json.loads(out or "{}"), err) == (0, {"jsonrpc": "2.0", "id": 9, "result": {}}, b""), "the last line", out, err)

    # --- answers ---

    def printed(self, name, file, words, *more):
        """Return what the command line prints for the same question, with the real path of the file."""
        return self.run(name, *words, SAMPLES / file, "--format", "json", "--no-config", *more).stdout

    def answers(self):
        """A tool answers like its command, and its pages add up to the complete answer."""
        server = self.server()
        for name, file, arguments, words in QUESTIONS:
            arguments = {"files": [file], **{key: value for key, value in arguments.items() if value is not None}}
            texts, wrong, cursor = server.call(name, **arguments)
            brief, whole = self.printed(name, file, words, "--brief"), self.printed(name, file, words)
            self.claim(not wrong and texts[:1] == [brief] and brief, name, arguments, texts, brief)
            self.claim((cursor is not None) == ("rows_left_out" in brief), name, arguments, "cursor", cursor)
            self.claim(self.pages(server, name, arguments) == json.loads(whole or "{}"), name, arguments, "pages differ")
        texts, wrong, _ = server.call("leaks", files=["shop-v2.oemp"], **{"max-leaked": "1K"})
        self.claim(not wrong and "max-leaked" in texts[1], "a limit that fails is said", texts)
        self.ends(server, "answers")

    def pages(self, server, name, arguments, cursor="0:0"):
        """Return the answer that consists of all pages."""
        whole, count = {}, 0
        while cursor and count < 1000:
            texts, wrong, cursor = server.call(name, cursor=cursor, **arguments)
            count += 1
            if wrong:
                return texts
            page = json.loads(texts[0])
            self.claim(len(texts[0]) < 40000, name, arguments, "a page has", len(texts[0]))
            for key, value in page.items():
                whole[key] = whole.get(key, []) + value if isinstance(value, list) else value
        return whole

    def many_pages(self):
        """An answer of many rows. Its pages are requested in any order, and between other questions."""
        server = self.server()
        columns = "".join(f", type as t{i}" for i in range(40))
        arguments = {"files": ["shop-v2.oemp"], "statement": f"select type{columns} from sites union all select name{columns} from sites"}
        rows = self.pages(server, "sql", arguments).get("rows", [])
        self.claim(rows == json.loads(self.printed("sql", "shop-v2.oemp", [arguments["statement"]]))["rows"], "rows of many pages")
        first, _, cursor = server.call("sql", cursor="0:0", **arguments)
        self.claim(cursor, "one page only")
        server.call("leaks", files=["shop-v2.oemp"], cursor="0:0")
        again, _, _ = server.call("sql", cursor="0:0", **arguments)
        self.claim(first == again, "the first page differs")
        for cursor in ("", "0", "x:y", "-1:0", "99:0", "3:99999999", "9" * 40 + ":1", "0:0:0"):
            self.claim("cursor" in server.refusal("sql", cursor=cursor, **arguments), cursor, "is no cursor")
        self.ends(server, "pages")

    def wrong_arguments(self):
        server = self.server()
        for name, arguments, said in [
                ("leaks", {}, "files is missing"), ("leaks", {"files": []}, "files is missing"),
                ("leaks", {"files": 7}, "files is missing"), ("leaks", {"files": [7]}, "files is not valid"),
                ("leaks", {"files": ["shop-v2.oemp"], "limt": 3}, "did you mean 'limit'?"),
                ("leaks", {"files": ["shop-v2.oemp"], "output": "/tmp/x"}, "no argument 'output'"),
                ("leaks", {"files": ["shop-v2.oemp"], "--limit": 3}, "no argument '--limit'"),
                ("leaks", {"files": ["shop-v2.oemp"], "limit": "many"}, "expected a whole number"),
                ("leaks", {"files": ["shop-v2.oemp"], "limit": {}}, "expected a whole number"),
                ("leaks", {"files": ["shop-v2.oemp"], "limit": True}, "expected a whole number"),
                ("leaks", {"files": ["shop-v2.oemp"], "allow-torn": "yes"}, "true or false"),
                ("leaks", {"files": ["shop-v2.oemp"], "cursor": 1}, "cursor is not valid"),
                ("top", {"files": ["shop-v2.oemp"], "by": "sourc"}, "did you mean 'source'?"),
                ("top", {"files": ["shop-v2.oemp"], "stack": ["("]}, "stack"),
                ("diff", {"files": ["shop-v2.oemp"]}, "diff"),
                ("diff", {"files": ["shop-v2.oemp", "shop-v1.oemp"], "base": "shop-v1.oemp"}, "two files"),
                ("retained", {"files": ["shop-v2.oemp"]}, "does not support a memory recording"),
                ("sql", {"files": ["shop-v2.oemp"]}, "needs STATEMENT"),
                ("sql", {"files": ["shop-v2.oemp"], "statement": "-"}, "statement is not valid"),
                ("sql", {"files": ["shop-v2.oemp"], "statement": "drop table sites"}, "expected a SELECT"),
                ("sql", {"files": ["shop-v2.oemp"], "statement": "attach '/tmp/x' as x"}, "expected a SELECT"),
                ("sql", {"files": ["shop-v2.oemp"], "statement": "with recursive r(n) as (select 1 union all select n + 1 "
                                                                 "from r) select sum(n) from r"}, "more steps"),
                *(("sql", {"files": ["shop-v2.oemp"], "statement": statement}, said) for statement, said in (
                    ("select count(*) from frames a, frames b, frames c, frames d", "more steps"),
                    ("select " + "(" * 5000 + "1" + ")" * 5000, "cannot be run"), ("select randomblob(1000000000)", "too big"),
                    ("select 'a' glob '" + "*a" * 5000 + "'", "pattern is too long"),
                    ("select group_concat(a.frame) from frames a, frames b, frames c", "too big"))),
                ("leaks", {"files": ["README.md"]}, "README.md"), ("recordings", {"cursor": "x"}, "cursor")]:
            refused = server.refusal(name, **arguments)
            self.claim(said in refused and "Try:" not in refused, name, arguments, refused, "expected", said)
        self.ends(server, "wrong arguments")

    # --- files ---

    def confined(self):
        """Only files in the folders are read, whatever a client names."""
        with tempfile.TemporaryDirectory() as name:
            top = pathlib.Path(name).resolve()
            inside, other, outside, closed = (top / one for one in ("in", "other", "out", "closed"))
            for folder in (inside / "deep", other, outside, closed):
                folder.mkdir(parents=True)
            for target in (inside / "a.oemp", inside / "deep" / "b.oemp", other / "c.oemp", outside / "secret.oemp",
                           top / "in-beside.oemp", closed / "d.oemp"):
                shutil.copy(SAMPLES / "shop-v2.oemp", target)
            (inside / "link.oemp").symlink_to(outside / "secret.oemp")
            (inside / "out").symlink_to(outside)
            (inside / "good.oemp").symlink_to(inside / "deep" / "b.oemp")
            (inside / "across.oemp").symlink_to(other / "c.oemp")
            (inside / "loop").symlink_to(inside / "loop")
            (closed / "link.oemp").symlink_to(outside / "secret.oemp")
            (inside / "rules").write_text("leaked <= 1G\n", encoding="utf-8")
            os.mkfifo(inside / "pipe.oemp")
            server = self.server(inside, other, closed)
            for path in ("a.oemp", "deep/b.oemp", inside / "a.oemp", "./deep/../a.oemp", "c.oemp", "good.oemp", "across.oemp",
                         "a.oemp@3", inside / "deep", other):
                self.claim(not server.refusal("top", files=[str(path)]), path, "is refused", server.refusal("top", files=[str(path)]))
            for path in ("link.oemp", "out/secret.oemp", "../out/secret.oemp", outside / "secret.oemp", "deep/../../out/secret.oemp",
                         "/etc/passwd", "/", "..", "", "-", "/dev/stdin", "/proc/self/fd/0", top / "in-beside.oemp", "../in-beside.oemp",
                         outside, top, "loop", "pipe.oemp",
                         "deep@3", closed, "missing.oemp", "link.oemp@3", "~/x", "x" * 100000, "a.oemp/../../out/secret.oemp"):
                for arguments in ({"files": [str(path)]}, {"files": ["a.oemp", str(path)]}):
                    refused = server.refusal("top", **arguments)
                    self.claim(refused and str(path)[:100] in refused, path, "is not refused", refused)
                for key, tool in (("base", "diff"), ("policy", "gate"), ("suppress", "leaks"), ("base", "gate")):
                    if path in ("a.oemp", closed, "deep@3"):
                        continue
                    more = {"policy": "rules"} if key == "base" and tool == "gate" else {}
                    value = [str(path)] if key == "suppress" else str(path)
                    self.claim(server.refusal(tool, files=["a.oemp"], **more, **{key: value}), tool, key, path, "is not refused")
            # A file elsewhere is refused with the same message as one that does not exist.
            there, missing = (server.refusal("top", files=[str(outside / one)]).replace(one, "") for one in ("secret.oemp", "none.oemp"))
            self.claim(there == missing, "a file elsewhere is told from none", there, missing)
            # A text that looks like an option or a path is neither.
            for statement in ("--output=/tmp/x", "--file=/etc/passwd", str(outside / "secret.oemp"), "/etc/passwd"):
                refused = server.refusal("sql", files=["a.oemp"], statement=statement)
                self.claim("cannot be run" in refused or "expected a SELECT" in refused, statement, refused)
            # The part of a file may follow its name.
            for part in "@", ":":
                self.claim(server.refusal("top", files=[f"a.oemp{part}/../../out/secret.oemp"]), part, "is not refused")
            texts, wrong, _ = server.call("calls", files=["a.oemp"], code=str(outside / "secret.oemp"))
            self.claim(wrong or "secret" not in json.dumps(json.loads(texts[0]).get("inputs")), "code is read as a file", texts)
            listed = json.loads(server.call("recordings")[0][0])
            self.claim({one["path"] for one in listed["files"]} ==
                       {str(one) for one in (inside / "a.oemp", inside / "deep/b.oemp", inside / "rules", other / "c.oemp", closed / "d.oemp")},
                       "listed", listed)
            self.claim(listed["total"] == 5 and listed["files"][0]["bytes"] == (inside / "a.oemp").stat().st_size, "listed", listed)
            self.ends(server, "confined")
            for words, said in (([], "needs a folder"), ([inside / "a.oemp"], "is not a folder"), ([top / "none"], "is not a folder")):
                done = self.run("mcp", *words, stdin=subprocess.DEVNULL)
                self.claim(done.returncode == 2 and said in done.stderr and not done.stdout, words, done.stderr)

    def listed_in_pages(self):
        with tempfile.TemporaryDirectory() as name:
            for i in range(250):
                (pathlib.Path(name) / f"{i}.txt").touch()
            server, cursor, seen = self.server(name), None, []
            for _ in range(10):
                texts, _, cursor = server.call("recordings", **({"cursor": cursor} if cursor else {}))
                seen += [pathlib.Path(one["path"]).name for one in json.loads(texts[0])["files"]]
                if not cursor:
                    break
            self.claim(seen == [f"{i}.txt" for i in range(250)], "files in pages", seen)
            self.ends(server, "listed")

    # --- recordings ---

    def read_bytes(self, server):
        with open(f"/proc/{server.process.pid}/io", encoding="ascii") as file:
            return int(file.readline().split()[1])

    def kept(self):
        """A recording is read once, and a changed one again. Of many recordings, the last ones are kept."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            data = (SAMPLES / "shop-v2.oemp").read_bytes()
            large = folder / "large.oemp"
            shutil.copy(SAMPLES / "shop-v2.oemp", large)
            size = large.stat().st_size
            for i in range(6):
                (folder / f"{i}.oemp").write_bytes(data)
            server = self.server(folder)

            def cost(tool, **arguments):
                before = self.read_bytes(server)
                texts, wrong, _ = server.call(tool, **arguments)
                self.claim(not wrong, tool, arguments, texts)
                return self.read_bytes(server) - before, texts[0]

            first, _ = cost("leaks", files=["large.oemp"])
            self.claim(first >= size, "the first question reads", first, "of", size)
            for tool in ("leaks", "growth", "top"):
                again, _ = cost(tool, files=[str(large)], limit=3)
                self.claim(again < size / 2, tool, "reads again", again, "of", size)
            before = cost("top", files=["large.oemp"], by="type")[1]
            large.write_bytes((SAMPLES / "shop-part1.oemp").read_bytes())
            read, after = cost("top", files=["large.oemp"], by="type")
            self.claim(read >= large.stat().st_size and before != after, "a changed file is not read again", read)
            self.claim(after == self.run("top", "--by", "type", large, "--format", "json", "--brief", "--no-config").stdout, "a changed file")
            for i in range(6):
                cost("leaks", files=[f"{i}.oemp"])
            self.claim(cost("leaks", files=["5.oemp"])[0] < size / 2, "the last one is read again")
            self.claim(cost("leaks", files=["0.oemp"])[0] >= size, "all are kept")
            self.ends(server, "kept")

    def cancelled(self):
        """A request that is cancelled while its recording is read gets no answer; the next one does."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            lines = (SAMPLES / "shop-v2.oemp").read_bytes().splitlines(keepends=True)
            with open(folder / "big.oemp", "wb") as file:
                file.writelines(lines[:-60])
                for _ in range(200):
                    file.writelines(lines[200:-60])
            shutil.copy(SAMPLES / "shop-v2.oemp", folder)
            server = self.server(folder)
            question = {"name": "leaks", "arguments": {"files": ["big.oemp"]}}
            # Both lines arrive before the request is read.
            server.send(b"\n".join(json.dumps(one).encode() for one in (
                {"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": question},
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow", "reason": "test"}},
                {"jsonrpc": "2.0", "id": "next", "method": "ping"})))
            self.claim(server.answer() == {"jsonrpc": "2.0", "id": "next", "result": {}}, "a cancelled request has an answer")
            # The cancellation of another request changes nothing.
            server.send(b"\n".join(json.dumps(one).encode() for one in (
                {"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": question},
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "other"}})))
            self.claim(server.answer().get("id") == "slow", "a request that was not cancelled has no answer")
            self.claim(not server.refusal("leaks", files=["shop-v2.oemp"]), "the next question")
            self.ends(server, "cancelled")

    def cancelled_statement(self):
        """A statement is cancelled while it runs: its recording was read before, and nothing else would end the
        statement without an answer."""
        endless = "with recursive r(n) as (select 1 union all select n + 1 from r) select sum(n) from r"
        server = self.server()
        question = {"name": "sql", "arguments": {"files": ["shop-v2.oemp"], "statement": endless}}
        self.claim(server.call("sql", files=["shop-v2.oemp"], statement="select 1 as n from snapshots limit 1")[1] is False, "the recording")
        server.send(b"\n".join(json.dumps(one).encode() for one in (
            {"jsonrpc": "2.0", "id": "endless", "method": "tools/call", "params": question},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "endless"}},
            {"jsonrpc": "2.0", "id": "next", "method": "ping"})))
        self.claim(server.answer() == {"jsonrpc": "2.0", "id": "next", "result": {}}, "a cancelled statement has an answer")
        texts, wrong, _ = server.call("sql", files=["shop-v2.oemp"], statement="select count(*) as n from snapshots")
        self.claim(not wrong and json.loads(texts[0])["rows"] == [{"n": 8}], "the next statement", texts)
        # Without a cancellation, the limit ends the same statement with an error.
        refused = server.refusal(question["name"], **question["arguments"])
        self.claim("more steps" in refused, "the limit", refused)
        self.ends(server, "a cancelled statement")

    def written(self):
        """If the output cannot be written, the server ends with a message."""
        with open("/dev/full", "wb") as full:
            done = subprocess.run([self.program, "mcp", str(SAMPLES)], input=json.dumps(
                {"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode(), stdout=full, stderr=subprocess.PIPE, check=False)
        self.claim(done.returncode == 3 and b"cannot write" in done.stderr, "a full disk", done.returncode, done.stderr)

    CHECKS = (begins, lists, accepted, hostile, answers, many_pages, wrong_arguments, confined, listed_in_pages, kept, cancelled,
              cancelled_statement, written)

    # --- a client of others ---

    def client(self):
        """The client from npm finds the tools and gets the answers of the command line. Schemas are valid for
        it."""
        done = subprocess.run(["node", str(ROOT / "mcp_client.mjs"), str(PACKAGE), self.program, str(SAMPLES)],
                              capture_output=True, text=True, check=False, timeout=600)
        self.claim(done.returncode == 0, "the client failed", done.stderr[-1500:])
        said = json.loads(done.stdout or "{}")
        self.claim(said.get("server", {}).get("name") == "memprof", "the server's name", said.get("server"))
        self.claim("leaks" in said.get("tools", []) and "sql" in said.get("tools", []), "tools", said.get("tools"))
        self.claim(said.get("brief") == self.printed("leaks", "shop-v2.oemp", [], "--brief"), "an answer", said.get("brief"))
        statement = "select sum(live_bytes) as total from sites"
        printed = json.loads(self.printed("sql", "shop-v2.oemp", [statement]))
        self.claim(json.loads(said.get("sql") or "{}").get("rows") == printed["rows"], "sql", said.get("sql"))
        self.claim(said.get("page"), "no page")
        self.claim(said.get("refused") is True, "a path outside is not refused")
        self.claim(said.get("unknown") == INVALID_PARAMS, "an unknown tool", said.get("unknown"))


def self_test():
    """The checks detect a program that answers nothing."""
    for check in Trials.CHECKS:
        trials = Trials("true")
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                check(trials)
            except (OSError, ValueError, LookupError, AttributeError, subprocess.SubprocessError):
                trials.wrong += 1
        if not trials.wrong:
            sys.exit(f"{check.__name__} finds nothing wrong")
    print("each check finds what is wrong")
    return 0


def main():
    asked = claims.arguments(__doc__, self_test, client=bool, only=str)
    trials = Trials(asked.memprof)
    if asked.client:
        if not shutil.which("node"):
            skip("no client of the protocol was tried: node is not installed")
        if not PACKAGE.is_dir():
            skip("no client of the protocol was tried: @modelcontextprotocol/sdk is not below MEMPROF_NODE_MODULES")
        trials.client()
        return trials.end(least=7)
    for check in Trials.CHECKS:
        if not asked.only or check.__name__ == asked.only:
            check(trials)
    return trials.end()


if __name__ == "__main__":
    sys.exit(main())
