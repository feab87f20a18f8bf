"""Names by which dominators and roots hold objects: those of retained, dominators and diff agree with those of path,
which tests compare with the recording."""

MOST = 4  # references that a name consists of; of more, the last ones


def name_of(steps, dominator):
    """Return the expected name by the steps of a path; None if one of its references has none."""
    places = [at for at, step in enumerate(steps) if step["object"] == dominator]
    via = [step.get("via") for step in steps[places[0] + 1:]] if places else [steps[0].get("via")]
    if not places:
        return via[0] if len(steps) == 1 else None
    last = via[-MOST:]
    return ("..." if len(via) > MOST else "") + "".join(last) if all(last) else None


def check(claim, path, count):
    """Compare the names of the `count` largest objects of a dump. Return how many have one."""
    rows = claim.json("retained", path, "--limit", count).get("retained", [])
    tree = {row["object"]: row for row in
            claim.json("dominators", path, "--limit", "0", "--min-percent", "0").get("dominators", [])}
    named = 0
    for row in rows:
        steps = claim.json("path", row["object"], path).get("path", [])
        expected = name_of(steps, row.get("dominator"))
        if row.get("dominator") or expected:  # another root than that of the path may have a name
            claim.claim(row.get("via") == expected, path, "via", row, expected, steps)
        claim.claim(tree[row["object"]].get("via") == row.get("via"), path, "via", row, tree[row["object"]])
        named += "via" in row
    return named


def check_alike(claim, path):
    """With a limit, a row of the dominator tree stands for all siblings with its figures; retained --min-percent is a
    minimum of the rows that have a share."""
    every = claim.json("dominators", path, "--limit", "0", "--min-percent", "0").get("dominators", [])
    known = ("dominator", "depth", "type", "retained_bytes", "self_bytes", "retained_objects", "root_kind",
             "weak_root_kind")
    siblings = {}
    for row in every:
        siblings.setdefault(tuple(row.get(name) for name in known), []).append(row["object"])
    shown = claim.json("dominators", path, "--limit", len(every) + 1, "--min-percent", "0").get("dominators", [])
    for row in shown:
        alike = siblings[tuple(row.get(name) for name in known)]
        claim.claim(row["object"] in alike and row.get("alike_objects", 1) == len(alike), path, "alike", row, alike)
    kept = {row["object"] for row in shown}
    claim.claim(all(len(kept & set(objects)) <= 1 for objects in siblings.values()), path, "alike in one row")
    for least in (1, 10):
        rows = claim.json("retained", path, "--limit", 0, "--min-percent", least).get("retained", [])
        total = sum(row["retained_bytes"] for row in every if not row["depth"])
        expected = {row["object"] for row in every if row["retained_bytes"] * 100 >= least * total}
        claim.claim({row["object"] for row in rows} == expected, path, "min-percent", least, rows, expected)


def check_diff(claim, base, new, holder):
    """Compare the names of a diff with the paths to the objects of its nodes that have only one, and the holder in its
    summary with a text. Return how many have one."""
    answer = claim.json("diff", base, new, "--by", "dominators", "--limit", "0")
    claim.claim(any(holder in line["text"] for line in answer.get("answer", []) if line["label"] == "Holder"),
                base, new, "holder", holder, answer.get("answer"))
    objects, named = {}, 0
    for row in claim.json("dominators", new, "--limit", "0", "--min-percent", "0").get("dominators", []):
        stack = row["type"], *(objects[row["dominator"]][0] if row.get("dominator") else ())
        objects[row["object"]] = stack, row.get("via") or ""
    nodes = {}
    for stack, via in objects.values():
        nodes.setdefault(stack, []).append(via)
    for row in answer.get("diff", []):
        stack, via = tuple(row.get("stack", [])), row.get("via", [])
        claim.claim(len(via) == len(stack), "as many names as types", row)
        for at, name in enumerate(via):
            known = nodes.get(stack[at:], [])
            claim.claim(not name or name in known or len(known) != 1, new, "via", row, at, known)
            named += bool(name) and len(known) == 1
    return named
