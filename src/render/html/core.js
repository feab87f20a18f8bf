"use strict";
/* Functions that all scripts use: the page's data, elements, and amounts formatted like memprof's. Texts of a
 * recording are inserted as text nodes, so they cannot become markup. */
const data = JSON.parse(document.getElementById("data").textContent);

function textOf(number) {
  return data.texts[number];
}

/* Return a new element with attributes and children. An attribute on... is a listener; attributes and children
 * that are null are left out. */
function make(name, attributes, ...children) {
  const svg = /^(svg|g|path|rect|line|text|title|circle)$/.test(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
                      : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) {
      element.addEventListener(key.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, value === true ? "" : value);
    }
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

/* Format with one decimal, rounding halves to even like printf() in C. */
function tenths(size) {
  const quarters = size * 4;
  if (Number.isInteger(quarters) && quarters % 2 === 1) {
    const down = Math.floor(size * 10);
    return ((down + down % 2) / 10).toFixed(1);
  }
  return size.toFixed(1);
}

function signOf(number, signed) {
  return number < 0 ? "-" : signed && number > 0 ? "+" : "";
}

function countText(number, signed) {
  const digits = String(Math.abs(number)).replace(/\B(?=(\d{3})+$)/g, ",");
  return signOf(number, signed) + digits;
}

function bytesText(bytes, signed) {
  let size = Math.abs(bytes), unit = 0;
  if (data.exact || size < 1024) {
    return signOf(bytes, signed) + size + (data.exact ? "" : " B");
  }
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  while (size >= 1023.95 && unit + 1 < units.length) {
    size /= 1024;
    unit++;
  }
  return `${signOf(bytes, signed)}${tenths(size)} ${units[unit]}`;
}

function secondsText(us, signed) {
  return signOf(us, signed) + (Math.abs(us) / 1e6).toFixed(6);
}

function percentText(part, whole, signed) {
  if (!whole) {
    return "";
  }
  const percent = 100 * part / whole;
  if (signed && percent >= 900) {
    return `x ${countText(Math.floor(1.5 + percent / 100))}`;
  }
  const text = tenths(Math.abs(percent));
  return (text === "0.0" ? "" : signOf(percent, signed)) + text;
}

function amountText(unit, number, signed) {
  return unit === "bytes" ? bytesText(number, signed)
       : unit === "seconds" ? `${secondsText(number, signed)} s` : countText(number, signed);
}

/* Return "worse", "better" or "plain": for everything that memprof measures, more is worse. */
function toneOf(change) {
  return change > 0 ? "worse" : change < 0 ? "better" : "plain";
}
