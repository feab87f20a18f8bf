"""Read recordings back with a simple reader, to compare them with their truth.

`replay(path)` returns a list of sessions for each site text. A session is a list of snapshots, {object: bytes}
of the live objects. A heap log is divided into ten equal parts of its time.
"""
import collections
import re

PARTS = 10
WORD = re.compile(r'"[^"]*"|\S+')


def sections(lines, version):
    """Return the snapshots of a recording as lists of sections of rows."""
    snapshots, section, rows = [], [], []
    for line in lines:
        if line != ".":
            rows.append([word.strip('"') for word in WORD.findall(line)])
            continue
        section.append(rows)
        rows = []
        if len(section) == (11 if version == 1 else 12):
            snapshots.append(section)
            section = []
    assert not section and not rows, "a recording ends amid a snapshot"
    return snapshots


def replay_recording(text):
    lines = text.splitlines()
    version = int(lines[0].split()[0])
    order = ({"objects": 4, "dead": 6, "nodes": 7, "sources": 8} if version == 1 else
             {"sources": 5, "nodes": 7, "objects": 8, "changed": 9, "dead": 10})
    sites, session, uuid = collections.defaultdict(list), -1, None
    for snapshot in sections(lines, version):
        header, trailer = snapshot[0][0], snapshot[-1][0]
        part = {name: snapshot[place] for name, place in order.items()}
        if header[9] != uuid:
            uuid, session, sizes, site_of, sources, nodes = header[9], session + 1, {}, {}, {}, {}
        sources.update({row[0]: row[1] for row in part["sources"]})
        nodes.update({row[0]: sources[row[1]] for row in part["nodes"]})
        for row in part["objects"]:
            assert row[10] == "0" or row[10] in site_of, "an owner is unknown"
            sizes[row[0]], site_of[row[0]] = int(row[2]), f"{nodes[row[6]]}:{row[7]}"
        for row in part.get("changed", []):
            assert row[0] in sizes, "a changed object is not alive"
            sizes[row[0]] = int(row[2])
        for row in part["dead"]:
            del sizes[row[0]]
        assert [len(sizes), sum(sizes.values())] == [int(trailer[1]), int(trailer[2])]
        if header[5] == "_Exit":
            assert not sizes, "something outlives the session"
            continue
        alive = collections.defaultdict(dict)
        for id_, size in sizes.items():
            alive[site_of[id_]][id_] = size
        for site in {*alive, *sites}:
            while len(sites[site]) <= session:
                sites[site].append([])
            missing = int(header[2]) - 1 - len(sites[site][session])
            sites[site][session] += [{}] * missing + [alive[site]]
    return sites


def replay_log(text):
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    rows = [row for row in rows if row[1] != "old"]
    start, end = int(rows[0][1]), int(rows[-1][1])
    frames = {row[5]: next(one for one in row[5].split("|") if not one.startswith("operator new"))
              for row in rows if row[3] != "del"}
    sites = {site: [[]] for site in frames.values()}
    blocks, alive, part = {}, {site: {} for site in sites}, 0
    for number, row in enumerate(rows):
        while (int(row[1]) - start) * PARTS > (end - start) * (part + 1):
            for site in sites:
                sites[site][0].append(dict(alive[site]))
            part += 1
        if row[3] == "del":
            site, block = blocks.pop(row[2])
            del alive[site][block]
        else:
            assert row[2] not in blocks, "an address is handed out twice"
            blocks[row[2]] = (frames[row[5]], number)
            alive[frames[row[5]]][number] = int(row[3])
    for site in sites:
        sites[site][0].append(dict(alive[site]))
    return sites


def replay(text):
    return replay_log(text) if text.startswith("Thread") else replay_recording(text)
