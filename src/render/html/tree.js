/* Trees of stacks or areas, drawn in proportion to their amounts, as a flame graph or as a treemap. */

/* Make places with children from flat arrays. `own` may be negative, for amounts that became smaller: the width
 * of a place is then the sum of all changes in it without their signs, and its amount is their sum. With `base`,
 * the width is the sum of the larger of both sides. */
function makePlaces(tree) {
  const places = tree.parents.map((parent, i) => ({
    i, label: tree.labels[i], kind: tree.kinds ? tree.kinds[i] : "code", parent: i ? parent : null, children: [],
    width: tree.base ? Math.max(tree.own[i], tree.base[i], 0) : Math.abs(tree.own[i]), all: tree.own[i],
    count: tree.counts ? tree.counts[i] : 0, was: tree.base ? tree.base[i] : 0}));
  for (let i = places.length - 1; i > 0; i--) {
    const place = places[i], above = places[place.parent];
    above.width += place.width;
    above.all += place.all;
    above.count += place.count;
    above.was += place.was;
    above.children.push(place);
  }
  for (const place of places) {
    place.children = place.children.filter(child => child.width > 0)
      .sort((a, b) => b.width - a.width || (a.label < b.label ? -1 : a.label > b.label ? 1 : a.i - b.i));
  }
  return places;
}

function placeText(tree, place, whole) {
  const amount = tree.base
    ? `${amountText(tree.unit, place.all - place.was, true)} from ${amountText(tree.unit, place.was)} to ` +
      amountText(tree.unit, place.all)
    : amountText(tree.unit, place.all, tree.signed);
  const share = percentText(place.width, whole.width);
  const count = tree.countOf ? `, ${countText(place.count, tree.signed)} ${tree.countOf}` : "";
  return `${place.label}: ${amount}${count}${share ? `, ${share} %` : ""}`;
}

const FLAME_ROW = 19, FLAME_LETTER = 6.7;

/* Return the shade of a label: neighbours of one kind differ slightly, and the same label is always the same. */
function shadeOf(label) {
  let sum = 0;
  for (let i = 0; i < label.length; i++) {
    sum = (sum * 31 + label.charCodeAt(i)) % 9973;
  }
  return `s${sum % 4}`;
}

function classOf(tree, place) {
  return tree.base ? toneOf(place.all - place.was) : tree.signed ? toneOf(place.all) : `${place.kind} ${shadeOf(place.label)}`;
}

/* Lay out the place in focus with its callers above and the places below it that are at least a pixel wide, by
 * d3's partition. */
function layFlame(root, focus, width) {
  const above = [];
  for (let at = focus; at; at = at.parentPlace) {
    above.unshift(at);
  }
  const pixel = focus.width / width;
  const below = d3.hierarchy(focus, place => place.children.filter(child => child.width >= pixel))
    .eachBefore(node => { node.value = node.data.width; });
  const height = below.height + 1;
  d3.partition().size([width, height])(below);
  const boxes = above.slice(0, -1).map((place, row) => ({place, row, x: 0, width, faint: true}));
  below.each(node => boxes.push({place: node.data, row: above.length - 1 + node.depth, x: node.x0,
                                 width: node.x1 - node.x0, faint: false}));
  return {boxes, rows: above.length - 1 + height};
}

/* Lay out nested areas, two levels at a time. */
function layMap(focus, width, height) {
  const root = d3.hierarchy(focus, place => place.children)
    .eachBefore(node => { node.value = node.data.width; });
  d3.treemap().size([width, height]).paddingTop(node => node.depth ? 18 : 0).paddingInner(1).round(true)(root);
  return root.descendants().filter(node => node.depth && node.depth < 3 && node.x1 - node.x0 > 1 && node.y1 - node.y0 > 1)
    .map(node => ({place: node.data, x: node.x0, y: node.y0, width: node.x1 - node.x0, height: node.y1 - node.y0}));
}

function cut(text, width) {
  const letters = Math.floor((width - 8) / FLAME_LETTER);
  return letters < 3 ? "" : text.length <= letters ? text : `${text.slice(0, letters - 1)}\u2026`;
}

/* Return a picture of a tree that can be zoomed and searched, with its tools; `show` sets another tree. */
function makeTreeView(name, map, ...tools) {
  let tree = null, places = [], focus = null, marked = null, words = "";
  const told = make("p", {class: "told", role: "status"});
  const svg = make("svg", {class: "tree", tabindex: 0, role: "application",
    "aria-label": `${name}: arrow keys move, Enter zooms in, Escape out`});
  const search = make("input", {type: "search", placeholder: "Search", "aria-label": `Search ${name}`,
    oninput: () => { words = search.value.toLowerCase(); draw(); }});
  const out = make("button", {type: "button", onclick: () => zoom(places[0])}, "Show all");
  const view = make("div", {class: "view"}, make("div", {class: "tools"}, ...tools, search, out), svg, told);

  function tell(place) {
    marked = place;
    for (const box of svg.querySelectorAll(".marked")) {
      box.classList.remove("marked");
    }
    const box = place && svg.querySelector(`[data-i="${place.i}"]`);
    if (box) {
      box.classList.add("marked");
    }
    told.textContent = place ? placeText(tree, place, places[0]) : sumText();
  }

  function sumText() {
    if (!words) {
      return placeText(tree, places[0], places[0]);
    }
    /* A match below another match counts once. */
    let width = 0, all = 0, count = 0;
    const found = places.map(place => place.width > 0 && place.label.toLowerCase().includes(words));
    places.forEach((place, i) => {
      place.inside = i > 0 && (places[place.parent].inside || found[place.parent]);
      if (found[i] && !place.inside) {
        width += place.width;
        all += place.all;
        count++;
      }
    });
    return `${countText(count)} found: ${amountText(tree.unit, all, tree.signed)}, ` +
           `${percentText(width, places[0].width) || "0.0"} %`;
  }

  function zoom(place) {
    focus = place;
    draw();
  }

  function draw() {
    const width = Math.max(view.clientWidth || 900, 280);
    const laid = map ? {boxes: layMap(focus, width, Math.round(Math.min(width * 0.5, 460)))}
                     : layFlame(places[0], focus, width);
    const height = map ? Math.round(Math.min(width * 0.5, 460)) : laid.rows * FLAME_ROW;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    svg.replaceChildren(...laid.boxes.map(box => {
      const y = map ? box.y : box.row * FLAME_ROW, high = map ? box.height : FLAME_ROW - 1;
      const found = words && box.place.label.toLowerCase().includes(words);
      const label = cut(box.place.label, box.width);
      return make("g", {class: `${classOf(tree, box.place)}${box.faint ? " faint" : ""}${found ? " found" : ""}`,
                        "data-i": box.place.i},
        make("title", null, placeText(tree, box.place, places[0])),
        make("rect", {x: box.x, y, width: Math.max(box.width - 0.5, 0.5), height: high}),
        label && high > 12 ? make("text", {x: box.x + 4, y: y + 13}, label) : null);
    }));
    out.disabled = focus === places[0];
    tell(null);
  }

  function placeAt(event) {
    const box = event.target.closest("[data-i]");
    return box ? places[Number(box.dataset.i)] : null;
  }

  function move(key) {
    const at = marked || focus, above = at.parentPlace;
    const beside = above ? above.children : [at], place = beside.indexOf(at);
    return key === "ArrowDown" ? at.children[0] : key === "ArrowUp" ? above
         : key === "ArrowRight" ? beside[place + 1] : key === "ArrowLeft" ? beside[place - 1] : null;
  }

  svg.addEventListener("click", event => { const place = placeAt(event); if (place) { zoom(place); } });
  svg.addEventListener("pointerover", event => tell(placeAt(event)));
  svg.addEventListener("pointerleave", () => tell(null));
  svg.addEventListener("keydown", event => {
    if (event.key === "Enter") {
      zoom(marked || focus);
    } else if (event.key === "Escape") {
      zoom(focus.parentPlace || focus);
    } else if (event.key.startsWith("Arrow")) {
      tell(move(event.key) || marked || focus);
    } else {
      return;
    }
    event.preventDefault();
  });
  return {
    element: view,
    draw,
    show(next) {
      tree = next;
      places = makePlaces(tree);
      for (const place of places) {
        place.parentPlace = place.parent === null ? null : places[place.parent];
      }
      focus = places[0];
      draw();
    },
  };
}
