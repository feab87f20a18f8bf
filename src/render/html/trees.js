/* Several trees, of which the user chooses one: as a picture, and as a list. */

/* Return a tree as a list whose items unfold; children are added when an item is opened. */
function makeUnfolding(tree) {
  const places = makePlaces(tree);
  const MOST = 100;
  const items = children => {
    const rest = children.slice(MOST);
    const sum = rest.reduce((all, place) => all + place.all, 0);
    return [...children.slice(0, MOST).map(item), ...rest.length
      ? [make("li", null, `and ${countText(rest.length)} more, together ${amountText(tree.unit, sum, tree.signed)}`)] : []];
  };
  const item = place => {
    const line = [make("span", {class: "n"}, amountText(tree.unit, place.all, tree.signed)), ` ${place.label}`];
    if (!place.children.length) {
      return make("li", null, ...line);
    }
    const details = make("details", {ontoggle: () => {
      if (details.open && details.children.length === 1) {
        details.append(make("ul", null, ...items(place.children)));
      }
    }}, make("summary", null, ...line));
    return make("li", null, details);
  };
  return make("ul", {class: "unfolding c"}, ...items(places[0].children));
}

/* Return a figure. `show` sets its trees, an array of {of, title, note, tree, base}; the number of the chosen
 * tree does not change. */
function makeTrees(id, name, map) {
  const caption = make("figcaption"), unfolding = make("div", {hidden: true}), note = make("p"), legend = make("p"),
    choice = make("span", {class: "choice"}), view = makeTreeView(name, map, choice);
  let chosen = 0, trees = [], buttons = [];
  const asList = make("button", {type: "button", "aria-expanded": "false", onclick: () => {
    const open = asList.getAttribute("aria-expanded") !== "true";
    asList.setAttribute("aria-expanded", open);
    unfolding.hidden = !open;
  }}, "Show as a list");
  const choose = place => {
    const {title, note: text, base, tree} = trees[place];
    chosen = place;
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === place));
    caption.textContent = title;
    note.textContent = text;
    legend.textContent = base || tree.signed ? `Orange: more than ${base ? "in the base" : "before"}. Blue: less.` : "";
    view.show(tree);
    unfolding.replaceChildren(makeUnfolding(tree));
  };
  return {
    element: make("figure", {id, class: "screen"}, caption, legend, view.element, note,
                  make("div", {class: "tools"}, asList), unfolding),
    draw: view.draw,
    show(next) {
      trees = next;
      buttons = trees.length < 2 ? [] : trees.map((tree, i) => make("button", {type: "button", onclick: () => choose(i)}, tree.of));
      choice.replaceChildren(...buttons);
      choose(Math.min(chosen, trees.length - 1));
    },
  };
}
