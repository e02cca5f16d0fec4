// Elements of pages. Texts come from files and from the network: they go into a page as text nodes and attributes only.
export const root = document.documentElement;
export const $ = (id) => document.getElementById(id);
export const data = JSON.parse($("data")?.textContent ?? "null"); // of a page in one file

function filled(element, attributes, text) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
export function make(name, attributes = {}, text) { return filled(document.createElement(name), attributes, text); }
export function draw(name, attributes = {}, text) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, text);
}
export function row(kind, cells, attributes = {}) { // of a table: cells are texts or elements
  const line = make("tr", attributes);
  for (const cell of cells) {
    const place = make(kind, kind === "th" ? { scope: "col" } : {});
    place.append(cell);
    line.append(place);
  }
  return line;
}
export function table(header, lines, left = 1) { // the first columns are texts
  const found = make("table"), head = make("thead"), body = make("tbody"), line = row("th", header);
  for (const cell of [...line.children].slice(0, left)) cell.setAttribute("class", "left");
  head.append(line);
  body.append(...lines);
  found.append(head, body);
  return found;
}
export function legend(keys) { // kinds of lines, each with its name
  const box = make("div", { class: "legend note" });
  for (const [kind, text] of keys) {
    const key = make("span");
    key.append(make("span", { class: `key-line ${kind}` }), text);
    box.append(key);
  }
  return box;
}

// Characters that cannot be seen, or that move others, as their numbers; joiners stay, since scripts and emoji use them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
export function visible(text) {
  const shown = text.replace(UNSEEN, (char) => `⟨${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  return shown.trim() ? shown : "␣";
}

// How a sentence is written: most of its letters decide.
function isMostly(forms, kind) {
  const text = forms.join(""), count = (letters) => (text.match(letters) ?? []).length;
  return count(kind) > count(/\p{L}/gu) / 2;
}
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;
export const isRightToLeft = (forms) => isMostly(forms, RIGHT_TO_LEFT);
export const isVertical = (forms) => isMostly(forms, /[\p{Script=Mongolian}\p{Script=Phags_Pa}]/gu);
