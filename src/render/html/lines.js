/* The graph of memory over time, in which the user picks two moments. */

const LEFT = 74, RIGHT = 14, TOP = 22, BOTTOM = 40, PANEL = 96;

/* Return at most four ticks at round values; those of bytes are powers of two. */
function ticksOf(most, bytes) {
  if (!bytes) {
    return d3.ticks(0, most, 3);
  }
  let step = 1;
  while (most / step > 4) {
    step *= 2;
  }
  return d3.range(0, most + 1, step);
}

const SECOND = 1e6, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const TIME_STEPS = [...d3.range(6).flatMap(power => [1, 2, 5].map(digit => digit * 10 ** power)),
                    ...[1, 2, 5, 10, 15, 30].map(step => step * SECOND), ...[1, 2, 5, 10, 15, 30].map(step => step * MINUTE),
                    ...[1, 2, 3, 6, 12].map(step => step * HOUR),
                    ...d3.range(6).flatMap(power => [1, 2, 5].map(digit => digit * 10 ** power * DAY))];

/* Return a time as hours, minutes and seconds, with as many decimals as the step has. */
function timeText(us, step) {
  const two = number => String(number).padStart(2, "0"), rest = Math.abs(us);
  const decimals = step % SECOND ? 6 - Math.floor(Math.log10(step % SECOND)) : 0;
  const fraction = decimals ? `.${String(rest % SECOND).padStart(6, "0").slice(0, decimals)}` : "";
  return `${us < 0 ? "-" : ""}${Math.floor(rest / HOUR)}:${two(Math.floor(rest / MINUTE) % 60)}:` +
    two(Math.floor(rest / SECOND) % 60) + fraction;
}

/* Return at most `most` ticks {at, text} at round times, in microseconds. */
function timeTicks(first, last, most) {
  const step = TIME_STEPS.find(one => (last - first) / one < most) || last - first;
  return d3.range(Math.ceil(first / step) * step, last + 1, step).map(at => ({at, text: timeText(at, step)}));
}

/* Return at most `most` ticks {at, text} at moments, evenly chosen. */
function momentTicks(names, at, most) {
  const step = Math.ceil(names.length / most);
  return d3.range(0, names.length, step).map(i => ({at: at[i], text: names[i]}));
}

/* Return a new graph. `graph`: {title, momentOf (kind of the moments, in the singular), names, timed (positions are
 * microseconds), at (positions, ascending), lines: [{title, unit, values}], places (indexes of the moments that can be picked)}.
 * `picked(from, to)` is called with two of these places when the user picks them. */
function makeGraph(graph, picked) {
  const {at, places} = graph, count = at.length, all = d3.range(count);
  const hint = `Drag over the graph, or choose two ${graph.momentOf}s above it. The tables below then show what changed between them.`;
  const told = make("p", {class: "told"}, hint);
  const svg = make("svg", {class: "graph", role: "img", "aria-label": graph.title});
  const view = make("div", {class: "view"}, svg, told);
  let from = 0, to = places.length - 1, hovered = null, pressed = null, x = null;

  function words(i) {
    return `${graph.names[i]}: ` + graph.lines.filter(line => line.values[i] !== null)
      .map(line => `${line.title} ${amountText(line.unit, line.values[i])}`).join(", ");
  }

  function panel(line, row) {
    const top = row * (PANEL + TOP) + TOP, known = all.filter(i => line.values[i] !== null);
    const most = d3.max(known, i => line.values[i]) || 1;
    const y = d3.scaleLinear([0, most], [top + PANEL - 4, top + 6]);
    const area = d3.area().x(i => x(at[i])).y0(y(0)).y1(i => y(line.values[i]));
    return make("g", {class: "panel"},
      make("text", {class: "title", x: LEFT, y: top - 5}, line.title),
      ...ticksOf(most, line.unit === "bytes").map(tick => make("g", {class: "tick"},
        make("line", {x1: LEFT, x2: x.range()[1], y1: y(tick), y2: y(tick)}),
        make("text", {x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end"}, amountText(line.unit, tick)))),
      make("path", {class: "area", d: area(known)}),
      make("path", {class: "line", d: area.lineY1()(known)}),
      ...(count > 80 ? [] : known.map(i => make("circle", {cx: x(at[i]), cy: y(line.values[i]), r: 2.5}))));
  }

  /* Return the axis below the panels: times, with the names of the first and last moment below them; or the names of
   * moments. */
  function axis(bottom) {
    const [left, right] = x.range(), most = Math.max(Math.floor((right - left) / 100), 1);
    const ticks = graph.timed ? timeTicks(at[0], at[count - 1], most) : momentTicks(graph.names, at, most);
    const label = (place, y, anchor, text) => make("text", {class: "below", x: place, y, "text-anchor": anchor}, text);
    const anchorOf = tick => tick.at === at[0] ? "start" : tick.at === at[count - 1] ? "end" : "middle";
    return make("g", {class: "tick axis"},
      ...ticks.map(tick => make("line", {x1: x(tick.at), x2: x(tick.at), y1: TOP, y2: bottom})),
      ...ticks.map(tick => label(x(tick.at), bottom + 14, anchorOf(tick), cut(tick.text, 100))),
      ...(graph.timed ? [label(left, bottom + 32, "start", graph.names[0]),
                         label(right, bottom + 32, "end", graph.names[count - 1])] : []));
  }

  function draw() {
    const width = Math.max(view.clientWidth || 900, 280), bottom = graph.lines.length * (PANEL + TOP);
    x = d3.scaleLinear([at[0], at[count - 1]], [LEFT, width - RIGHT]);
    svg.setAttribute("viewBox", `0 0 ${width} ${bottom + BOTTOM}`);
    svg.setAttribute("height", bottom + BOTTOM);
    const mark = (left, kind) => make("line", {class: kind, x1: left, x2: left, y1: TOP - 4, y2: bottom});
    const ends = [from, to].map(place => x(at[places[place]]));
    svg.replaceChildren(
      make("title", null, graph.title),
      ...graph.lines.map((line, row) => make("rect", {class: "window", x: ends[0], y: row * (PANEL + TOP) + TOP,
                                                      width: Math.max(ends[1] - ends[0], 1), height: PANEL - 4})),
      axis(bottom), ...graph.lines.map(panel), ...ends.map(left => mark(left, "end")),
      ...(hovered === null ? [] : [mark(x(at[hovered]), "hovered")]));
  }

  /* Return the index in `among` of the moment that is nearest to the pointer. */
  function nearest(event, among) {
    const place = event.clientX - svg.getBoundingClientRect().left;
    return d3.scan(among, (a, b) => Math.abs(x(at[a]) - place) - Math.abs(x(at[b]) - place));
  }

  function hover(i) {
    hovered = i;
    told.textContent = i === null ? hint : words(i);
    draw();
  }

  /* A drag picks both ends; a click moves the nearer one. */
  function release(i) {
    if (pressed === null) {
      return;
    }
    if (i !== pressed) {
      picked(Math.min(i, pressed), Math.max(i, pressed));
    } else if (Math.abs(i - from) < Math.abs(i - to)) {
      picked(Math.min(i, to), to);
    } else {
      picked(from, Math.max(i, from));
    }
    pressed = null;
  }

  svg.addEventListener("pointermove", event => hover(nearest(event, all)));
  svg.addEventListener("pointerleave", () => { pressed = null; hover(null); });
  svg.addEventListener("pointerdown", event => { pressed = nearest(event, places); event.preventDefault(); });
  svg.addEventListener("pointerup", event => release(nearest(event, places)));
  return {element: view, draw, show(first, last) { from = first; to = last; draw(); }};
}
