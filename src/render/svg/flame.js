// Search, zoom and keys for pictures of stacks. Without this script they show the same frames and tooltips.
(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
  var EDGE = 3; // distance of a text from the edge of its frame
  var GAP = 0.6, SHARE = 0.2; // gap between neighbours: in pixels, or as a share of narrow frames
  var ruler = document.createElementNS(HTML, "canvas").getContext("2d");

  function make(parent, name, attributes) {
    var element = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    return parent.appendChild(element);
  }

  // Return the width of a frame, including the gap after it, from the width of its rectangle.
  function whole(width) {
    return width < GAP / SHARE - GAP ? width / (1 - SHARE) : width + GAP;
  }

  function read(group) {
    var rect = group.querySelector("rect"), tip = group.querySelector("title").textContent;
    return {
      group: group, rect: rect, text: group.querySelector("text"), tip: tip, label: tip.split("\n")[0],
      isType: / t\d?$/.test(group.getAttribute("class")),
      x: +rect.getAttribute("x"), y: +rect.getAttribute("y"), width: whole(+rect.getAttribute("width"))
    };
  }

  // Link frames to their neighbours, and to the frame above, which contains them.
  function link(frames) {
    var rows = [], above = [];
    frames.forEach(function (frame) {
      var at = Math.round(frame.y);
      (rows[at] = rows[at] || []).push(frame);
    });
    rows.filter(Boolean).forEach(function (row) {
      var place = 0;
      row.sort(function (a, b) { return a.x - b.x; });
      row.forEach(function (frame, index) {
        var middle = frame.x + frame.width / 2;
        while (place + 1 < above.length && above[place + 1].x <= middle) { place++; }
        frame.parent = above[place] || null;
        frame.before = row[index - 1] || null;
        frame.after = row[index + 1] || null;
        if (frame.parent && !frame.parent.child) { frame.parent.child = frame; }
      });
      above = row;
    });
  }

  function isBelow(frame, top) {
    while (frame && frame !== top) { frame = frame.parent; }
    return frame === top;
  }

  // Return the end of the word at this position. Blanks within brackets belong to the word.
  function wordEnd(text, at) {
    var depth = 0;
    for (; at < text.length && (depth || text.charAt(at) !== " "); at++) {
      if ("(<[".indexOf(text.charAt(at)) >= 0) { depth++; }
      if (depth && ")>]".indexOf(text.charAt(at)) >= 0) { depth--; }
    }
    return at;
  }

  // Return the word without everything up to its last dot, slash or "::" outside of brackets and suffixes:
  // "OrderService:97" for "shop.OrderService:97", "main.p:52" for "shop/main.p:52".
  function innermost(word) {
    var separator = /^(?:::|[\/\\]|\.(?!\d|part\.|constprop\.|isra\.|cold|lto_priv\.|[a-z]{1,3}(?::|$))(?=\w))(?=.)/;
    var last = 0, at = 0, depth = 0, match;
    while (at < word.length) {
      match = depth ? null : separator.exec(word.slice(at));
      if ("(<[".indexOf(word.charAt(at)) >= 0) { depth++; }
      if (depth && ")>]".indexOf(word.charAt(at)) >= 0) { depth--; }
      at += match ? match[0].length : 1;
      if (match) { last = at; }
    }
    return word.slice(last);
  }

  function shortened(word) {
    var rest = innermost(word);
    return rest === word ? word : "\u2026" + rest;
  }

  // Return shorter and shorter names, as in src/render/frame_name.c.
  function shorterNames(name, isType) {
    var words = [], at = 0, end, head, index, around, before, behind, rest;
    while (at < name.length) {
      end = wordEnd(name, at);
      words.push(name.slice(at, end));
      at = end + 1;
    }
    index = isType ? words.length - 1 : 0;
    head = words[index];
    rest = innermost(head);
    around = words.map(shortened);
    before = index ? "\u2026" : "";
    behind = index + 1 < words.length ? "\u2026" : "";
    return [
      words.map(function (word, i) { return i === index ? word : around[i]; }).join(" "),
      around.join(" "),
      before + head + behind,
      (rest === head ? before : "") + shortened(head) + behind,
      rest
    ];
  }

  // Return as much of a name as fits, measured in the browser's font.
  function fitting(name, isType, room) {
    var names, characters, from = 0, to, middle, i;
    if (room < 10) { return ""; }
    if (ruler.measureText(name).width <= room) { return name; }
    names = shorterNames(name, isType);
    for (i = 0; i < names.length; i++) {
      if (ruler.measureText(names[i]).width <= room) { return names[i]; }
    }
    characters = Array.from(names[names.length - 1]);
    to = characters.length - 1;
    while (from < to) {
      middle = (from + to + 1) >> 1;
      if (ruler.measureText(characters.slice(0, middle).join("") + "\u2026").width <= room) {
        from = middle;
      } else {
        to = middle - 1;
      }
    }
    return from < 2 ? "" : characters.slice(0, from).join("") + "\u2026";
  }

  function put(frame, x, width) {
    var label = fitting(frame.label, frame.isType, width - 2 * EDGE);
    frame.rect.setAttribute("x", x);
    frame.rect.setAttribute("width", width - Math.min(GAP, width * SHARE));
    if (!frame.text && label) {
      frame.text = make(frame.group, "text", { y: frame.y + 13 });
    }
    if (frame.text) {
      frame.text.setAttribute("x", x + EDGE);
      frame.text.textContent = label;
    }
  }

  function isHidden(frame) {
    return frame.group.classList.contains("hide");
  }

  // Return the frame or, if it is hidden, the next visible one in this direction.
  function shown(frame, direction) {
    while (frame && isHidden(frame)) { frame = frame[direction]; }
    return frame;
  }

  function start(svg) {
    var frames = Array.prototype.map.call(svg.querySelectorAll("g.f"), read);
    if (!frames.length || svg.classList.contains("lives")) { return; }
    var root = frames[0], top = root, current = root, input = null;
    ruler.font = getComputedStyle(root.group).font;
    svg.classList.add("lives");
    svg.setAttribute("role", "group"); // parts of an image could not get the focus
    link(frames);

    function zoom(to) {
      var scale = root.width / to.width;
      top = to;
      frames.forEach(function (frame) {
        var below = isBelow(frame, to), above = !below && isBelow(to, frame);
        frame.group.classList.toggle("hide", !below && !above);
        frame.group.classList.toggle("faded", above);
        if (above) { put(frame, root.x, root.width); }
        if (below) { put(frame, root.x + (frame.x - to.x) * scale, frame.width * scale); }
      });
    }

    function focus(frame) {
      if (!frame || isHidden(frame)) { return; }
      current.group.setAttribute("tabindex", "-1");
      current = frame;
      frame.group.setAttribute("tabindex", "0");
      frame.group.setAttribute("role", "button");
      frame.group.setAttribute("aria-label", frame.tip);
      frame.group.focus();
    }

    function fits(text) {
      try { return new RegExp(text, "i"); } catch (error) { return null; } // the expression is incomplete
    }

    function search(text) {
      var pattern = text ? fits(text) : null, count = 0, width = 0;
      frames.forEach(function (frame) {
        frame.found = Boolean(pattern && frame !== root && pattern.test(frame.label));
        frame.group.classList.toggle("found", frame.found);
      });
      frames.forEach(function (frame) {
        var above = frame.parent;
        while (above && !above.found) { above = above.parent; }
        count += frame.found;
        width += frame.found && !above ? frame.width : 0; // matches inside of a match are not added again
      });
      told.textContent = !text ? "" : !pattern ? "no regular expression" :
        count + (count === 1 ? " frame, " : " frames, ") + (100 * width / root.width).toFixed(1) + " %";
    }

    function addSearch() {
      var room = make(svg, "foreignObject", { x: 948, y: 54, width: 240, height: 26 });
      input = room.appendChild(document.createElementNS(HTML, "input"));
      input.setAttribute("type", "search");
      input.setAttribute("class", "search");
      input.setAttribute("placeholder", "Search (/), a regular expression");
      input.setAttribute("aria-label", "Search frames by a regular expression");
      input.addEventListener("input", function () { search(input.value); });
      input.addEventListener("keydown", function (event) {
        event.stopPropagation();
        if (event.key === "Escape") { input.value = ""; search(""); current.group.focus(); }
        if (event.key === "Enter") {
          focus(frames.filter(function (frame) { return frame.found; })[0]);
          event.preventDefault();
        }
      });
    }

    var told = make(svg, "text", { "class": "note", "text-anchor": "end", x: 940, y: 70, "aria-live": "polite" });
    var keys = {
      ArrowUp: function () { focus(current.parent); },
      ArrowDown: function () {
        var below = shown(current.child, "after");
        if (below && below.parent === current) { focus(below); }
      },
      ArrowLeft: function () { focus(shown(current.before, "before")); },
      ArrowRight: function () { focus(shown(current.after, "after")); },
      Enter: function () { zoom(current); },
      " ": function () { zoom(current); },
      Home: function () { focus(root); },
      Backspace: function () { zoom(top.parent || root); focus(top); },
      Escape: function () { zoom(root); },
      "/": function () { input.focus(); }
    };
    addSearch();
    frames.forEach(function (frame) {
      put(frame, frame.x, frame.width); // its text was cut for wider letters than those of most fonts
      frame.group.setAttribute("tabindex", frame === root ? "0" : "-1");
      frame.group.addEventListener("click", function () { focus(frame); zoom(frame); });
      frame.group.addEventListener("focus", function () { if (current !== frame) { focus(frame); } });
    });
    root.group.setAttribute("role", "button");
    root.group.setAttribute("aria-label", root.tip);
    svg.addEventListener("keydown", function (event) {
      if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        keys[event.key]();
      }
    });
    if (document.documentElement === svg) { // in a file of its own, the slash works everywhere
      document.addEventListener("keydown", function (event) {
        if (event.target === svg && event.key === "/") { event.preventDefault(); input.focus(); }
      });
    }
  }

  Array.prototype.forEach.call(document.querySelectorAll("svg.memprof"), start);
}());
