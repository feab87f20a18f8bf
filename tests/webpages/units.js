/* Unit tests of a page's scripts, run in a page. They return what is wrong. Expected values are
 * calculated by hand. */
(() => {
  const wrong = [];
  const is = (what, found, expected) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      wrong.push(`${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
    }
  };
  is("bytes", [0, 1023, 1024, 1280, 1331, -1536, 1048524, 1048525, 2 ** 40].map(n => bytesText(n)),
     ["0 B", "1023 B", "1.0 KiB", "1.2 KiB", "1.3 KiB", "-1.5 KiB", "1023.9 KiB", "1.0 MiB", "1.0 TiB"]);
  is("signed bytes", [bytesText(5, true), bytesText(-5, true), bytesText(0, true)], ["+5 B", "-5 B", "0 B"]);
  is("counts", [countText(999), countText(1234567), countText(-1000, true), countText(7, true)],
     ["999", "1,234,567", "-1,000", "+7"]);
  is("seconds", [secondsText(3155), secondsText(-1500000, true)], ["0.003155", "-1.500000"]);
  is("percent", [percentText(1, 8), percentText(3, 8), percentText(1, 0), percentText(-1, 1e6, true),
                 percentText(9, 1, true), percentText(149, 10, true)],
     ["12.5", "37.5", "", "0.0", "x 10", "x 16"]);
  is("halves", [tenths(0.25), tenths(0.75), tenths(12.25), tenths(12.35)], ["0.2", "0.8", "12.2", "12.3"]);
  /* all: a(3, b(4)) and c(-2). A decrease is as wide as an increase. */
  const places = makePlaces({labels: ["all", "a", "b", "c"], parents: [0, 0, 1, 0], own: [0, 3, 4, -2]});
  is("sums", places.map(place => [place.all, place.width]), [[5, 9], [7, 7], [4, 4], [-2, 2]]);
  is("order", places[0].children.map(place => place.label), ["a", "c"]);
  const row = {label: "r", changes: [{moment: 0, objects: 2, bytes: 20}, {moment: 2, objects: -1, bytes: -5}]};
  is("alive", [aliveAt(row, 0), aliveAt(row, 1), aliveAt(row, 2)],
     [{objects: 2, bytes: 20}, {objects: 2, bytes: 20}, {objects: 1, bytes: 15}]);
  is("growth", growthOf({rows: [row]}, 1, 2).map(one => [one.bytes, one.objects]), [[-5, -1]]);
  is("growth of nothing", growthOf({rows: [row]}, 0, 1), []);
  /* two are born at 1 and three at 2; one of each is gone at 3 */
  const leak = {label: "l", changes: [[1, 1, 2, 20], [2, 2, 3, 30], [3, 1, -1, -10], [3, 2, -1, -10]].map(
    ([moment, born, objects, bytes]) => ({moment, born, objects, bytes}))};
  const leaked = (from, to) => leaksOf({rows: [leak]}, from, to).map(one => [one.objects, one.bytes]);
  is("leaks", [leaked(0, 2), leaked(0, 3), leaked(1, 3), leaked(2, 3)], [[[5, 50]], [[3, 30]], [[2, 20]], []]);
  is("ticks", [ticksOf(1000, true), ticksOf(1, true)], [[0, 256, 512, 768], [0, 1]]);
  is("time ticks", [timeTicks(60125000, 373266000, 6), timeTicks(0, 250000, 3).map(one => one.text)],
     [[60, 120, 180, 240, 300, 360].filter(s => s > 60).map(s => ({at: s * 1e6, text: `0:0${s / 60}:00`})),
      ["0:00:00.0", "0:00:00.1", "0:00:00.2"]]);
  is("a week", timeTicks(0, 7 * 86400e6, 4).map(one => one.text), ["0:00:00", "48:00:00", "96:00:00", "144:00:00"]);
  is("ticks at moments", momentTicks(["a", "b", "c", "d", "e"], [0, 1, 2, 3, 4], 3),
     [{at: 0, text: "a"}, {at: 2, text: "c"}, {at: 4, text: "e"}]);
  is("cut", [cut("abcdef", 49), cut("abcdef", 36), cut("abcdef", 20)], ["abcdef", "abc\u2026", ""]);
  const region = makeTable("t", ["N#", "Name"], [[{text: "1,000", value: 1000}, {text: "b"}],
                                                 [{text: "", value: null}, {text: "a"}],
                                                 [{text: "999", value: 999}, {text: "c"}]]);
  region.firstChild.tBodies[0].rows[1].cells[0].append("\n"); /* a cell as it is on a page whose form is unknown */
  const table = region.firstChild, names = () => Array.from(table.tBodies[0].rows, one => one.cells[1].textContent);
  sortRows(table, 0, true);
  is("sorted, descending", names(), ["b", "c", "a"]);
  sortRows(table, 0, false);
  is("sorted, ascending", names(), ["c", "b", "a"]);
  sortRows(table, 1, false);
  is("sorted by name", names(), ["a", "b", "c"]);
  is("filtered", [filterRows(table, " B "), Array.from(table.tBodies[0].rows, one => one.hidden)],
     [1, [true, false, true]]);
  const evil = makeTable("t", ["Name"], [[{text: "<img src=x onerror=pwned=1>"}]]);
  is("a name is no markup", evil.querySelector("img"), null);
  return wrong;
})()
