/* Puts everything in its place. What it hides, it can bring back; without it the page is whole. */

const views = [];

/* Facts about a recording, whichever moments are picked. All else below gives way to those. */
const FACTS = ["table-anomaly_counts", "table-snapshots", "table-totals", "table-session", "table-sessions", "diagnostics",
               "made"];
const PRINTED_OPEN = "#table-leaks details, #leaks-picked details";
const KINDS = ["code", "type", "group", "none", "rest"];

function selectOf(label, changed) {
  const select = make("select", {onchange: changed});
  return {
    select,
    element: make("label", null, `${label} `, select),
    fill(names) { select.replaceChildren(...names.map((name, i) => make("option", {value: i}, name))); },
  };
}

/* Sum up the amounts alive in the groups. */
function aliveLine(history) {
  const values = history.names.map((name, i) =>
    history.groups[0].rows.reduce((sum, row) => sum + aliveAt(row, i).bytes, 0));
  return {title: "alive", unit: "bytes", values};
}

/* The lines of the picture of the same session, with the places of the history's moments; where there is
 * none, what was alive at these. */
function graphOf(history) {
  const drawn = data.lines.find(lines => lines.name === history.graph);
  const names = drawn ? drawn.names.map(textOf) : [];
  const placeOf = name => names.indexOf(names.includes(name) ? name : name.replace(/ \(.*\)$/, ""));
  const places = history.names.map(name => placeOf(name.replace(/^\w+ /, "")));
  if (!drawn || places.includes(-1)) {
    return {momentOf: "snapshot", names: history.names, at: history.names.map((name, i) => i),
            places: history.names.map((name, i) => i), lines: [aliveLine(history)]};
  }
  const rising = drawn.at.every((at, i) => !i || at > drawn.at[i - 1]);
  return {momentOf: drawn.momentOf, names, at: rising ? drawn.at : names.map((name, i) => i), places,
          lines: drawn.lines.filter(line => line.unit === "bytes" && line.values.some(value => value)).slice(0, 2)};
}

/* Collect the parts below the graph that are about the whole answer: those that give way, and those
 * headed as facts. The answer above stays, but is no headline then. */
function makeWhole(below) {
  const all = [];
  for (let at = below.nextElementSibling; at; at = at.nextElementSibling) {
    all.push(at);
  }
  const facts = all.filter(one => FACTS.includes(one.id));
  const head = make("section", {id: "facts", hidden: true}, make("h2", null, "About the whole recording"),
                    make("p", null, "What is below is not about the two picked snapshots."));
  (facts[0] || below).before(head);
  const answer = document.querySelector("main > section[aria-label=Answer]");
  const aside = make("p", {id: "answer-whole", hidden: true}, "Of the whole recording; what is picked stands below:");
  if (answer) {
    answer.prepend(aside);
  }
  return shown => {
    head.hidden = aside.hidden = shown;
    if (answer) {
      answer.classList.toggle("aside", !shown);
    }
    for (const one of all) {
      if (!facts.includes(one)) {
        one.hidden = !shown;
      }
    }
  };
}

/* The graph, lists that do the same for whoever has no pointer, and what two moments say. */
function startHistories(histories) {
  const many = histories.length > 1, picked = makePicked();
  let history = null, graph = null;
  const show = (first, last, whole) => {
    from.select.value = first;
    to.select.value = last;
    graph.show(first, last);
    back.hidden = whole;
    note.textContent = (many && whole ? "Until then it is about all sessions. " : "") +
      history.note;
    showWhole(whole);
    if (whole) {
      picked.hide();
    } else {
      picked.show(history, first, last);
    }
  };
  /* Picking the moments of the answer shows the answer itself, if there is one session alone. */
  const pick = (first, last) => show(first, last, !many && first === history.from && last === history.to);
  const pickListed = () => {
    const ends = [Number(from.select.value), Number(to.select.value)];
    pick(Math.min(...ends), Math.max(...ends));
  };
  const choose = (place, whole) => {
    history = histories[place];
    session.select.value = place;
    from.fill(history.names);
    to.fill(history.names);
    const lines = graphOf(history);
    caption.textContent = `Memory at each ${lines.momentOf}${many ? ` of ${history.session}` : ""}`;
    graph = makeGraph({...lines, title: caption.textContent}, pick);
    drawn.replaceChildren(graph.element);
    show(history.from, history.to, whole);
  };
  const session = selectOf("Of", () => choose(Number(session.select.value), false));
  const from = selectOf("Compare", pickListed), to = selectOf("with", pickListed);
  const back = make("button", {type: "button", onclick: () => choose(histories.indexOf(history), true)}, "Back to the whole answer");
  const caption = make("figcaption"), drawn = make("div"), note = make("p");
  const figure = make("figure", {id: "history", class: "screen"}, caption,
                      make("div", {class: "tools"}, many ? session.element : null, from.element, to.element, back), drawn, note);
  document.querySelector("main > section").after(figure, picked.section);
  const showWhole = makeWhole(picked.section);
  session.fill(histories.map(one => one.session));
  histories.forEach(one => markPrinted(one.graph));
  views.push({draw: () => graph.draw()}, picked);
  choose(0, true);
}

/* Keep figures that scripts draw anew for paper alone. */
function markPrinted(name) {
  const drawn = document.getElementById(`figure-${name}`);
  if (drawn) {
    drawn.classList.add("paper-only");
  }
}

/* Pictures of stacks, or maps, of one answer are one that shows each in its turn. */
function startTrees(trees, id) {
  const first = trees.length && document.getElementById(`figure-${trees[0].name}`);
  if (!first) {
    return;
  }
  const view = makeTrees(id, trees[0].title, trees[0].shape === "map");
  first.before(view.element);
  trees.forEach(tree => markPrinted(tree.name));
  views.push(view);
  view.show(trees.map(tree => ({...tree, tree: {...tree, labels: tree.labels.map(textOf), kinds: tree.kinds.map(kind => KINDS[kind])}})));
}

function start() {
  document.querySelectorAll("table.rows").forEach(enhanceTable);
  startTrees(data.trees.filter(tree => tree.shape === "stacks"), "trees");
  startTrees(data.trees.filter(tree => tree.shape === "map"), "map");
  if (data.histories.length) {
    startHistories(data.histories.map(decodeHistory));
  }
  /* On paper nothing unfolds: the stacks of what the report is about are there. */
  window.addEventListener("beforeprint", () => document.querySelectorAll(PRINTED_OPEN).forEach(one => { one.open = true; }));
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (width !== window.innerWidth) {
      width = window.innerWidth;
      views.forEach(view => view.draw());
    }
  });
}

start();
