/* Tables that are sorted by a click on a title, and filtered by words. */

function valueOf(row, column) {
  const cell = row.cells[column], text = cell ? cell.textContent.trim() : "";
  if (text === "") {
    return null;
  }
  if (!cell.classList.contains("n")) {
    return text;
  }
  return Number("v" in cell.dataset ? cell.dataset.v : text.replace(/,/g, ""));
}

/* Sort the rows. Unknown values stay last in either direction; equal rows keep their order. */
function sortRows(table, column, descending) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, row => [valueOf(row, column), row]);
  const order = (a, b) => typeof a === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0;
  rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null)
                                                   : descending ? order(b, a) : order(a, b));
  body.append(...rows.map(([, row]) => row));
}

function makeSortable(table, sorted) {
  const titles = Array.from(table.tHead.rows[0].cells);
  titles.forEach((title, column) => {
    if (!title.textContent) {
      return;
    }
    const button = make("button", {type: "button", onclick: () => {
      const known = title.getAttribute("aria-sort");
      const descending = known ? known === "ascending" : title.classList.contains("n");
      titles.forEach(other => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortRows(table, column, descending);
      sorted();
    }}, title.textContent);
    title.replaceChildren(button);
  });
}

/* Show the rows that contain all these words, at most `most`. Return how many rows contain them. */
function filterRows(table, words, most = Infinity) {
  const wanted = words.toLowerCase().split(/\s+/).filter(word => word);
  let found = 0;
  for (const row of table.tBodies[0].rows) {
    const text = wanted.length ? row.textContent.toLowerCase() : "";
    const fits = wanted.every(word => text.includes(word));
    found += fits;
    row.hidden = !fits || found > most;
  }
  return found;
}

/* Tables of up to FEW_ROWS need no filter. Tables of more than MANY_ROWS show the first FIRST_ROWS. */
const FEW_ROWS = 8, FIRST_ROWS = 20, MANY_ROWS = 30;

/* Return a box for filter words and, for tables of many rows, a button that shows all rows. `refresh` applies
 * the filter again after the rows were sorted. */
function makeFilter(table, name) {
  const all = table.tBodies[0].rows.length, told = make("span", {role: "status"});
  let most = all > MANY_ROWS ? FIRST_ROWS : Infinity;
  const refresh = () => {
    const found = filterRows(table, input.value, input.value ? Infinity : most);
    told.textContent = input.value ? `${countText(found)} of ${countText(all)} rows` : "";
    more.hidden = Boolean(input.value) || most === Infinity;
  };
  const input = make("input", {type: "search", placeholder: "Filter rows", "aria-label": `Filter ${name}`,
                               oninput: refresh});
  const more = make("button", {type: "button", onclick: () => { most = Infinity; refresh(); }},
                    `Show all ${countText(all)} rows`);
  refresh();
  return {element: make("div", {class: "tools"}, input, told), more, refresh};
}

/* Label the cells with their titles: in a narrow window, a row is shown as a block of labelled cells. */
function labelCells(table) {
  const titles = Array.from(table.tHead.rows[0].cells, cell => cell.textContent);
  table.classList.add("labelled");
  for (const row of table.tBodies[0].rows) {
    for (const cell of row.cells) {
      if (cell.textContent.trim() === "") {
        cell.classList.add("none");
      } else if (!cell.matches(".c, .long") && titles[cell.cellIndex]) {
        cell.dataset.l = titles[cell.cellIndex];
      }
    }
  }
}

function enhanceTable(table) {
  labelCells(table);
  const region = table.closest(".wide");
  if (table.tBodies[0].rows.length <= FEW_ROWS) {
    makeSortable(table, () => {});
    return;
  }
  const filter = makeFilter(table, region.getAttribute("aria-label"));
  makeSortable(table, filter.refresh);
  region.before(filter.element);
  region.after(make("div", {class: "tools"}, filter.more));
}

/* Return a new table of titles (those of numbers end in "#") and rows of {text, value, tone, code} or elements. */
function makeTable(name, titles, rows) {
  const table = make("table", {class: "rows"},
    make("thead", null, make("tr", null, ...titles.map(title =>
      make("th", {scope: "col", class: title.endsWith("#") ? "n" : null}, title.replace("#", ""))))),
    make("tbody", null, ...rows.map(row => make("tr", null, ...row.map((cell, column) => {
      const number = titles[column].endsWith("#"), last = column === row.length - 1;
      const content = cell.element || (cell.tone && cell.tone !== "plain"
        ? make("span", {class: cell.tone}, cell.text) : cell.text);
      return make(last ? "th" : "td", {scope: last ? "row" : null, class: number ? "n" : "c",
                                       "data-v": cell.value}, content);
    })))));
  return make("div", {class: "wide", tabindex: 0, role: "region", "aria-label": name}, table);
}
