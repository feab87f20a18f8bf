"""Validate XML by a schema. This implements the part of XML Schema that the schemas of these tests use. If
xmllint is installed, it must agree."""
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

XS = "{http://www.w3.org/2001/XMLSchema}"
TYPES = {"xs:string": r"(?s).*", "xs:nonNegativeInteger": r"\+?\d+", "xs:boolean": "true|false|1|0",
         "xs:positiveInteger": r"\+?0*[1-9]\d*", "xs:decimal": r"[+-]?(\d+(\.\d*)?|\.\d+)"}


class Schema:
    """A schema: elements with their attributes, their children, and whether they contain text."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.named = {t.get("name"): t for t in root.findall(XS + "complexType")}
        self.elements = {e.get("name"): self.element(e) for e in root.findall(XS + "element")}

    def element(self, declared):
        if declared.get("type") == "xs:string":
            return {}, [], True
        kind = self.named.get(declared.get("type"))
        kind = declared.find(XS + "complexType") if kind is None else kind
        attributes = {a.get("name"): (TYPES[a.get("type")], a.get("use") == "required")
                      for a in kind.iter(XS + "attribute")}
        children = [(c.get("ref"), int(c.get("minOccurs")), c.get("maxOccurs"))
                    for c in kind.iter(XS + "element")]
        return attributes, children, kind.find(XS + "simpleContent") is not None

    def faults(self, node):
        if node.tag not in self.elements:
            yield f"<{node.tag}> is not in the schema"
            return
        attributes, children, has_text = self.elements[node.tag]
        for name, value in node.attrib.items():
            if name not in attributes:
                yield f"<{node.tag}> has the attribute {name}"
            elif not re.fullmatch(attributes[name][0], value):
                yield f"<{node.tag} {name}={value!r}>"
        for name, (_, required) in attributes.items():
            if required and name not in node.attrib:
                yield f"<{node.tag}> has no {name}"
        if not has_text and ((node.text or "") + "".join(c.tail or "" for c in node)).strip():
            yield f"<{node.tag}> has text"
        yield from self.order(node, children)
        for child in node:
            yield from self.faults(child)

    @staticmethod
    def order(node, children):
        left = [child.tag for child in node]
        for name, least, most in children:
            count = 0
            while left and left[0] == name and (most == "unbounded" or count < int(most)):
                left.pop(0)
                count += 1
            if count < least:
                yield f"<{node.tag}> has {count} <{name}>"
        if left:
            yield f"<{node.tag}> has a <{left[0]}> where none may be"


def faults_of(text, schema, root):
    """Return what is wrong with the document, whose outermost element must be `root`."""
    try:
        found = ElementTree.fromstring(text)
    except ElementTree.ParseError as problem:
        return [f"no XML: {problem}"]
    faults = list(Schema(schema).faults(found))
    if found.tag != root:
        faults.append(f"the root is <{found.tag}>")
    if shutil.which("xmllint"):
        done = subprocess.run(["xmllint", "--nonet", "--noout", "--schema", schema, "-"], input=text,
                              capture_output=True, check=False)
        if (done.returncode != 0) != bool(faults):
            faults.append("xmllint: " + done.stderr.decode("utf-8", "replace"))
    return faults
