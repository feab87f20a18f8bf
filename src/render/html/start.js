/* Start all scripts. They only hide parts that they can show again; without scripts the page is complete. */

const views = [];

/* Ids of sections about the whole recording. They stay visible while moments are picked; others are hidden. */
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

/* Return a line of live bytes, the sums over all groups. */
function aliveLine(history) {
  const values = history.names.map((name, i) =>
    history.groups[0].rows.reduce((sum, row) => sum + aliveAt(row, i).bytes, 0));
  return {title: "alive", unit: "bytes", values};
}

/* Return the graph of a history: the lines of its session's picture, in which the moments of the history can be
 * picked. If there is no such picture, the graph has a line of live bytes. */
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
  return {momentOf: drawn.momentOf, names, timed: drawn.timed && rising, at: rising ? drawn.at : names.map((name, i) => i), places,
          lines: drawn.lines.filter(line => line.unit === "bytes" && line.values.some(value => value)).slice(0, 2)};
}

/* Return a function that shows or hides the parts below the graph that are about the whole answer.
 * Facts stay visible, below a separate heading. The answer above stays too, but no longer as a
 * headline. */
function makeWhole(below) {
  const all = [];
  for (let at = below.nextElementSibling; at; at = at.nextElementSibling) {
    all.push(at);
  }
  const facts = all.filter(one => FACTS.includes(one.id));
  const head = make("section", {id: "facts", hidden: true}, make("h2", null, "The whole recording"),
                    make("p", null, "The sections below cover the whole recording, not the two chosen snapshots."));
  (facts[0] || below).before(head);
  const answer = document.querySelector("main > section[aria-label=Answer]");
  const aside = make("p", {id: "answer-whole", hidden: true}, "For the whole recording; the chosen snapshots are compared below:");
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

/* Add the graph, lists to pick moments without a pointer, and the answers for the picked moments. */
function startHistories(histories) {
  const many = histories.length > 1, picked = makePicked();
  let history = null, graph = null;
  const show = (first, last, whole) => {
    from.select.value = first;
    to.select.value = last;
    graph.show(first, last);
    back.hidden = whole;
    note.textContent = (many && whole ? "Until you choose, the page covers all sessions. " : "") +
      history.note;
    showWhole(whole);
    if (whole) {
      picked.hide();
    } else {
      picked.show(history, first, last);
    }
  };
  /* If there is only one session, picking the moments of the answer shows the answer itself. */
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
  const back = make("button", {type: "button", onclick: () => choose(histories.indexOf(history), true)}, "Show the whole recording");
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

/* Show the static figure of this name only on paper, because scripts draw it on the screen. */
function markPrinted(name) {
  const drawn = document.getElementById(`figure-${name}`);
  if (drawn) {
    drawn.classList.add("paper-only");
  }
}

/* Replace the pictures of stacks, or the maps, by one view in which the user chooses one of them. */
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
  /* Nothing can be unfolded on paper: unfold the stacks of the main table before printing. */
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
