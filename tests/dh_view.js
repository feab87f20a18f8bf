// Print what DHAT's viewer shows of files: node dh_view.js VIEWER FILE... After the text of each
// page comes a line
// of dashes. The viewer is a web page's script; this script provides the few parts of a document
// that it uses.
"use strict";
const fs = require("fs");
const vm = require("vm");

class Node {
  constructor(text) {
    this.childNodes = [];
    this.data = text;
    this.selectedIndex = 0;
  }
  appendChild(child) {
    this.childNodes.push(child);
    child.parentNode = this;
    return child;
  }
  get textContent() {
    return this.data === undefined ? this.childNodes.map((one) => one.textContent).join("") : this.data;
  }
  set textContent(text) {
    this.childNodes = [new Node(text)];
  }
  cloneNode() {
    return new Node();
  }
  replaceChild(other, child) {
    this.childNodes = this.childNodes.map((one) => (one === child ? other : one));
    other.parentNode = this;
  }
  addEventListener() {}
  setAttribute() {}
}

const [viewer, ...files] = process.argv.slice(2);
const show = `
onLoad();
(text) => {
  gData = JSON.parse(text);
  buildTree();
  displayTree(0, 0, 0);
  return gMainDiv.textContent;
};`;
const context = vm.createContext({
  document: {
    body: new Node(),
    location: { search: "" },
    createElement: () => new Node(),
    createTextNode: (text) => new Node(String(text)),
  },
  performance: { now: () => 0 },
  URLSearchParams,
});
const page = vm.runInContext(fs.readFileSync(viewer, "utf8") + show, context);
for (const file of files) {
  console.log(page(fs.readFileSync(file, "utf8")));
  console.log("-".repeat(80));
}
