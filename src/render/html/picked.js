/* Answers for two picked moments, computed like those of `memprof growth`, `leaks` and `top`: live amounts are
 * sums of all changes up to a moment, leaked amounts are sums of changes of objects born between the two. */

function decodeGroup(group) {
  const rows = group.labels.map((label, i) => ({
    label: textOf(label), type: textOf(group.types ? group.types[i] : label), name: group.names ? textOf(group.names[i]) : "",
    place: group.places ? group.places[i] : 0, changes: []}));
  const {changes} = group, size = group.births ? 5 : 4;
  for (let i = 0, row = 0; i < changes.length; i += size) {
    row += changes[i];
    rows[row].changes.push({moment: changes[i + 1], born: group.births ? changes[i + 2] : 0,
                            objects: changes[i + size - 2], bytes: changes[i + size - 1]});
  }
  return {name: group.name, named: Boolean(group.names), births: group.births, others: group.others, rows};
}

function decodeHistory(coded) {
  const stacks = coded.parents.map((parent, i) => ({parent, label: textOf(coded.frames[i])}));
  return {...coded, names: coded.names.map(textOf), stacks, groups: coded.groups.map(decodeGroup)};
}

function sumOf(rows) {
  return rows.reduce((sum, row) => ({objects: sum.objects + row.objects, bytes: sum.bytes + row.bytes}),
                     {objects: 0, bytes: 0});
}

function aliveAt(row, moment) {
  return sumOf(row.changes.filter(change => change.moment <= moment));
}

function compareTexts(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/* Return the rows that changed, the largest change first. */
function growthOf(group, from, to) {
  const rows = group.rows.map(row => {
    const was = aliveAt(row, from), is = aliveAt(row, to);
    return {row, was, is, bytes: is.bytes - was.bytes, objects: is.objects - was.objects};
  });
  return rows.filter(row => row.bytes || row.objects)
    .sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes) || compareTexts(a.row.label, b.row.label));
}

/* Return the rows whose amount is not 0, the largest first. `amountOf(row)` returns {bytes, objects}. */
function amountsOf(group, amountOf) {
  return group.rows.map(row => ({row, ...amountOf(row)})).filter(row => row.bytes || row.objects)
    .sort((a, b) => b.bytes - a.bytes || b.objects - a.objects || compareTexts(a.row.label, b.row.label));
}

function leaksOf(group, from, to) {
  return amountsOf(group, row => sumOf(row.changes.filter(change => change.born > from && change.moment <= to)));
}

function aliveOf(group, moment) {
  return amountsOf(group, row => aliveAt(row, moment));
}

/* --- tables --- */

/* Return the frames of a row, innermost first. */
function stackOf(history, row) {
  const frames = [];
  for (let at = row.place; at; at = history.stacks[at].parent) {
    frames.push(history.stacks[at].label);
  }
  return frames;
}

/* Return a text that unfolds to a stack. The stack's first frame is left out if it is the text. */
function stackElement(text, frames) {
  if (frames.length < 2) {
    return make("span", null, text);
  }
  return make("details", null, make("summary", null, text),
              make("ol", null, ...frames.slice(text === frames[0] ? 1 : 0).map(frame => make("li", null, frame))));
}

function bytesCell(bytes) {
  return {text: bytesText(bytes), value: bytes};
}

function countCell(count) {
  return {text: countText(count), value: count};
}

const GROWTH_TITLES = ["Change#", "%#", "From#", "To#", "Objects#", "Were#", "Are#", "Group"];

function growthCells(history, {row, was, is, bytes, objects}) {
  const tone = toneOf(bytes);
  return [{text: bytesText(bytes, true), value: bytes, tone},
          {text: percentText(bytes, was.bytes, true), value: was.bytes ? bytes / was.bytes : null, tone},
          bytesCell(was.bytes), bytesCell(is.bytes),
          {text: countText(objects, true), value: objects, tone: toneOf(objects)},
          countCell(was.objects), countCell(is.objects),
          {element: stackElement(row.label, stackOf(history, row))}];
}

function leakTitles(group) {
  return ["Left behind#", "Alive#", group.named ? "Type and name" : "Type", "Allocation site"];
}

/* Return the cells of a leak. The site is the label without the type: it does not name an allocator's frame. */
function leakCells(history, {row, bytes, objects}) {
  const before = `${row.type} at `, site = row.label.startsWith(before) ? row.label.slice(before.length) : row.label;
  return [bytesCell(bytes), countCell(objects), {text: `${row.type} ${row.name}`.trim()},
          {element: stackElement(site, stackOf(history, row))}];
}

const TOP_TITLES = ["Size#", "%#", "Objects#", "Group"];

function topCells({row, bytes, objects}, all) {
  return [bytesCell(bytes), {text: percentText(bytes, all), value: all ? bytes / all : null}, countCell(objects),
          {text: row.label}];
}

const SHOWN_ROWS = 200;

/* Return a section with a table of the first rows, and the sum of the rows that are left out. */
function tableSection(id, title, titles, rows, cellsOf, {note = "", empty = "none", signed = false} = {}) {
  const rest = rows.slice(SHOWN_ROWS), sum = sumOf(rest);
  const part = make("section", {id}, make("h2", null, title), note ? make("p", null, note) : null);
  if (!rows.length) {
    part.append(make("p", null, empty));
    return part;
  }
  const region = makeTable(title, titles, rows.slice(0, SHOWN_ROWS).map(cellsOf));
  part.append(region);
  enhanceTable(region.firstChild);
  if (rest.length) {
    part.append(make("p", null, `and ${countText(rest.length)} more, together ${bytesText(sum.bytes, signed)} in ` +
                                `${countText(sum.objects, signed)} objects`));
  }
  return part;
}

/* --- stacks --- */

/* Return the tree of the rows' stacks; its leaves are the rows' types. */
function stacksTree(history, rows, label, signed) {
  const tree = {unit: "bytes", signed, countOf: "objects", parents: [], labels: [], kinds: [], own: [], counts: []};
  const put = (parent, text, kind, own, count) => {
    tree.parents.push(parent);
    tree.labels.push(text);
    tree.kinds.push(kind);
    tree.own.push(own);
    tree.counts.push(count);
  };
  history.stacks.forEach((place, i) => put(place.parent, i ? place.label : label, "code", 0, 0));
  for (const {row, bytes, objects} of rows) {
    put(row.place, row.type, "type", bytes, objects);
  }
  return tree;
}

/* Return one tree for each metric: growth, leaks and live amounts. */
function pickedTrees(history, sites, from, to) {
  const name = history.names[to], window = `from ${history.names[from]} to ${name}`;
  const tree = (of, title, rows, label, signed) =>
    ({of, title, note: "", unit: "bytes", tree: stacksTree(history, rows, label, signed)});
  return [
    tree("growth", `Growth by stack, ${window}`, growthOf(sites, from, to), "all that changed", true),
    tree("leaked", `Left behind, by stack, ${window}`, leaksOf(sites, from, to), "all that was left behind", false),
    tree("alive", `Alive at ${name}, by stack`, aliveOf(sites, to), "all that is alive", false),
  ];
}

/* --- the whole answer --- */

function pickedTables(history, from, to) {
  const {groups, names} = history, types = aliveOf(groups[0], to), all = sumOf(types).bytes;
  const sites = groups.find(group => group.births);
  const growth = groups.slice().reverse().map(group => tableSection(
    `growth-by-${group.name}`, `Growth by ${group.name}`, GROWTH_TITLES, growthOf(group, from, to),
    row => growthCells(history, row), {empty: "nothing changed", signed: true}));
  const leaks = sites && tableSection(
    "leaks-picked", `Leaks: created after ${names[from]}, alive at ${names[to]}`, leakTitles(sites),
    leaksOf(sites, from, to), row => leakCells(history, row), {note: history.leaksNote});
  const top = tableSection("top-picked", `Biggest by type, alive at ${names[to]}`, TOP_TITLES, types,
                           row => topCells(row, all), {empty: "nothing is alive"});
  return {leaks, others: [...growth, top]};
}

function pickedText(history, from, to) {
  const grown = sumOf(growthOf(history.groups[0], from, to)), sites = history.groups.find(group => group.births);
  const leaked = sites ? sumOf(leaksOf(sites, from, to)) : null;
  return `${bytesText(grown.bytes, true)} in ${countText(grown.objects, true)} objects` +
    (leaked ? `; created since and still alive: ${bytesText(leaked.bytes)} in ${countText(leaked.objects)} objects` : "");
}

/* Return a paragraph with the commands that print the same. `leaks` has more columns and may sort by them. */
function commandsElement(history, from, to) {
  const code = word => make("code", null, `memprof ${word} --from ${history.numbers[from]} --to ${history.numbers[to]}`);
  const leaks = history.groups.some(group => group.births)
    ? ["; ", code("leaks"), " has the same sites, which stand here by bytes, and at how many snapshots each grew"] : [];
  return make("p", null, code("growth"), ` says the same${history.session ? ` of ${history.session}` : ""}`, ...leaks, ".");
}

/* Return the part of the page about the two picked moments. */
function makePicked() {
  const title = make("h2"), told = make("p", {class: "sum", role: "status"}), how = make("div"), first = make("div"), others = make("div");
  const flames = makeTrees("picked-trees", "Growth by stack", false);
  const section = make("section", {id: "picked", hidden: true}, title, told, how, first, flames.element, others);
  return {
    section,
    draw() { flames.draw(); },
    show(history, from, to) {
      const tables = pickedTables(history, from, to), sites = history.groups.find(group => group.births);
      section.hidden = false;
      title.textContent = `${history.session ? `Of ${history.session}, from ` : "From "}${history.names[from]} to ${history.names[to]}`;
      told.textContent = pickedText(history, from, to);
      how.replaceChildren(commandsElement(history, from, to));
      first.replaceChildren(...tables.leaks ? [tables.leaks] : []);
      others.replaceChildren(...tables.others);
      flames.element.hidden = !sites;
      if (sites) {
        flames.show(pickedTrees(history, sites, from, to));
      }
    },
    hide() { section.hidden = true; },
  };
}
