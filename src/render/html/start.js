/* Puts everything in its place. What it hides, it can bring back; without it the page is whole. */

const views = [];

/* Sections about the window of the answer, which give way to what is about two picked moments. */
const OF_WINDOW = ["table-leaks", "table-top", "table-growth", "table-accumulations", "table-retained", "table-roots",
                   "table-statics", "table-shared", "trees", "map"];
const KINDS = ["code", "type", "group", "none", "rest"];

function selectOf(label, names, changed) {
  const select = make("select", {onchange: changed}, ...names.map((name, i) => make("option", {value: i}, name)));
  return {select, element: make("label", null, `${label} `, select)};
}

/* Of the groups, what was alive in all. */
function aliveLine(history) {
  const values = history.names.map((name, i) =>
    history.groups[0].rows.reduce((sum, row) => sum + aliveAt(row, i).bytes, 0));
  return {title: "alive", unit: "bytes", values};
}

/* Lines of the picture where it has the same moments, each once; else what was alive. */
function graphOf(history) {
  const drawn = data.lines.find(lines => lines.name === "memory" && lines.at.length === history.names.length);
  const rising = drawn && drawn.at.every((at, i) => !i || at > drawn.at[i - 1]);
  return {title: "Memory at each snapshot", names: history.names, at: rising ? drawn.at : null,
          lines: drawn ? drawn.lines.filter(line => line.unit === "bytes" && line.values.some(value => value)).slice(0, 2) : [aliveLine(history)]};
}

/* The graph, two lists that do the same for whoever has no pointer, and what grew. */
function startHistory(history) {
  const growth = makeGrowth(history);
  const show = (first, last) => {
    const whole = first === history.from && last === history.to;
    from.select.value = first;
    to.select.value = last;
    graph.show(first, last);
    back.hidden = whole;
    for (const id of OF_WINDOW) {
      const section = document.getElementById(id);
      if (section) {
        section.hidden = !whole;
      }
    }
    if (whole) {
      growth.hide();
    } else {
      growth.show(first, last);
    }
  };
  const pick = () => {
    const first = Number(from.select.value), last = Number(to.select.value);
    show(Math.min(first, last), Math.max(first, last));
  };
  const from = selectOf("Compare", history.names, pick), to = selectOf("with", history.names, pick);
  const back = make("button", {type: "button", onclick: () => show(history.from, history.to)}, "Back to the whole answer");
  const graph = makeGraph(graphOf(history), show);
  const drawn = document.getElementById("figure-memory");
  const figure = make("figure", {id: "history", class: "screen"}, make("figcaption", null, "Memory at each snapshot"),
                      make("div", {class: "tools"}, from.element, to.element, back), graph.element,
                      history.note ? make("p", null, history.note) : null);
  document.querySelector("main > section").after(figure, growth.section);
  if (drawn) {
    drawn.classList.add("paper-only");
  }
  views.push(graph);
  show(history.from, history.to);
}

/* Pictures of stacks, or maps, of one answer are one that shows each in its turn. */
function startTrees(trees, id) {
  const first = trees.length && document.getElementById(`figure-${trees[0].name}`);
  if (!first) {
    return;
  }
  const map = trees[0].shape === "map", caption = make("figcaption"), unfolding = make("div"),
    note = make("p");
  const buttons = trees.map(tree => make("button", {type: "button", onclick: () => show(tree)}, tree.of));
  const view = makeTreeView(trees[0].title, map, ...(trees.length > 1 ? buttons : []));
  const asList = make("button", {type: "button", "aria-expanded": "false", onclick: () => {
    const open = asList.getAttribute("aria-expanded") !== "true";
    asList.setAttribute("aria-expanded", open);
    unfolding.hidden = !open;
  }}, "As a list that unfolds");
  unfolding.hidden = true;
  const show = tree => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", trees[i] === tree));
    caption.textContent = tree.title;
    note.textContent = tree.note;
    const read = {...tree, labels: tree.labels.map(textOf), kinds: tree.kinds.map(kind => KINDS[kind])};
    view.show(read);
    unfolding.replaceChildren(makeUnfolding(read));
  };
  first.before(make("figure", {id, class: "screen"}, caption,
                    trees[0].base ? make("p", null, "Red: more than in the base. Blue: less.") : null, view.element,
                    note, make("div", {class: "tools"}, asList), unfolding));
  for (const tree of trees) {
    const drawn = document.getElementById(`figure-${tree.name}`);
    if (drawn) {
      drawn.classList.add("paper-only");
    }
  }
  views.push(view);
  show(trees[0]);
}

function start() {
  document.querySelectorAll("table.rows").forEach(enhanceTable);
  startTrees(data.trees.filter(tree => tree.shape === "stacks"), "trees");
  startTrees(data.trees.filter(tree => tree.shape === "map"), "map");
  if (data.history) {
    startHistory(decodeHistory(data.history));
  }
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (width !== window.innerWidth) {
      width = window.innerWidth;
      views.forEach(view => view.draw());
    }
  });
}

start();
