/* What grew between any two moments, by the same arithmetic as `memprof growth`: what was alive is the
 * sum of what changed up to there. */

function decodeHistory(coded) {
  const stacks = coded.parents.map((parent, i) => ({parent, label: textOf(coded.frames[i])}));
  const groups = coded.groups.map(group => {
    const rows = group.labels.map((label, i) => ({
      label: textOf(label), type: textOf(group.types ? group.types[i] : label),
      place: group.places ? group.places[i] : 0, changes: []}));
    for (let i = 0, row = 0; i < group.changes.length; i += 4) {
      row += group.changes[i];
      rows[row].changes.push({moment: group.changes[i + 1], objects: group.changes[i + 2],
                              bytes: group.changes[i + 3]});
    }
    return {name: group.name, others: group.others, rows};
  });
  return {from: coded.from, to: coded.to, note: coded.note, names: coded.names.map(textOf),
          numbers: coded.numbers, stacks, groups};
}

function aliveAt(row, moment) {
  const alive = {objects: 0, bytes: 0};
  for (const change of row.changes) {
    if (change.moment <= moment) {
      alive.objects += change.objects;
      alive.bytes += change.bytes;
    }
  }
  return alive;
}

/* Rows that changed, those that did so most first. */
function growthOf(group, from, to) {
  const rows = group.rows.map(row => {
    const was = aliveAt(row, from), is = aliveAt(row, to);
    return {row, label: row.label, was, is, bytes: is.bytes - was.bytes, objects: is.objects - was.objects};
  });
  return rows.filter(row => row.bytes || row.objects)
    .sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes) || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0));
}

function sumOf(rows) {
  return rows.reduce((sum, row) => ({bytes: sum.bytes + row.bytes, objects: sum.objects + row.objects}),
                     {bytes: 0, objects: 0});
}

/* The frames of a row, the innermost first. */
function stackOf(history, row) {
  const frames = [];
  for (let at = row.place; at; at = history.stacks[at].parent) {
    frames.push(history.stacks[at].label);
  }
  return frames;
}

function stackElement(history, row) {
  const frames = stackOf(history, row);
  if (frames.length < 2) {
    return make("span", null, row.label);
  }
  return make("details", null, make("summary", null, row.label),
              make("ol", null, ...frames.map(frame => make("li", null, frame))));
}

const GROWTH_TITLES = ["Change#", "%#", "From#", "To#", "Objects#", "Were#", "Are#", "Group"];

function growthTable(history, group, rows) {
  return makeTable(`Growth by ${group.name}`, GROWTH_TITLES, rows.map(({row, was, is, bytes, objects}) => [
    {text: bytesText(bytes, true), value: bytes, tone: toneOf(bytes)},
    {text: percentText(bytes, was.bytes, true), value: was.bytes ? bytes / was.bytes : null, tone: toneOf(bytes)},
    {text: bytesText(was.bytes), value: was.bytes},
    {text: bytesText(is.bytes), value: is.bytes},
    {text: countText(objects, true), value: objects, tone: toneOf(objects)},
    {text: countText(was.objects), value: was.objects},
    {text: countText(is.objects), value: is.objects},
    {element: stackElement(history, row)},
  ]));
}

/* A tree of stacks with the types that grew at their ends. */
function growthTree(history, rows) {
  const tree = {unit: "bytes", signed: true, countOf: "objects", parents: [], labels: [], kinds: [], own: [], counts: []};
  const put = (parent, label, kind, own, count) => {
    tree.parents.push(parent);
    tree.labels.push(label);
    tree.kinds.push(kind);
    tree.own.push(own);
    tree.counts.push(count);
  };
  history.stacks.forEach((place, i) => put(place.parent, i ? place.label : "all that changed", "code", 0, 0));
  for (const {row, bytes, objects} of rows) {
    put(row.place, row.type, "type", bytes, objects);
  }
  return tree;
}

const SHOWN_ROWS = 200;

/* The part of the page that is about two picked moments. */
function makeGrowth(history) {
  const title = make("h2"), told = make("p", {role: "status"}), tables = make("div");
  const sites = history.groups.find(group => group.name === "site");
  const flame = sites ? makeTreeView("Growth by stack") : null;
  const section = make("section", {id: "growth-picked", hidden: true}, title, told,
                       flame ? make("figure", null, make("figcaption", null, "Growth by stack"), flame.element) : null, tables);
  function tableOf(group, from, to) {
    const all = growthOf(group, from, to), shown = all.slice(0, SHOWN_ROWS), rest = all.slice(SHOWN_ROWS);
    const part = make("section", {id: `growth-by-${group.name}`}, make("h2", null, `Growth by ${group.name}`));
    if (!all.length) {
      part.append(make("p", null, "nothing changed"));
      return part;
    }
    const region = growthTable(history, group, shown);
    part.append(region);
    enhanceTable(region.firstChild);
    if (rest.length) {
      const sum = sumOf(rest);
      part.append(make("p", null, `and ${countText(rest.length)} more, together ${bytesText(sum.bytes, true)} in ` +
                                  `${countText(sum.objects, true)} objects`));
    }
    return part;
  }
  return {
    section,
    show(from, to) {
      const all = growthOf(history.groups[0], from, to), sum = sumOf(all);
      section.hidden = false;
      title.textContent = `From ${history.names[from]} to ${history.names[to]}`;
      told.textContent = `${bytesText(sum.bytes, true)} in ${countText(sum.objects, true)} objects; ` +
        `memprof growth --from ${history.numbers[from]} --to ${history.numbers[to]} says the same of what this page is about`;
      tables.replaceChildren(...history.groups.slice().reverse().map(group => tableOf(group, from, to)));
      if (flame) {
        flame.show(growthTree(history, growthOf(sites, from, to)));
      }
    },
    hide() { section.hidden = true; },
  };
}
