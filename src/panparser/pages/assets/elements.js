// Elements of pages. Texts come from files: they go into a page as text nodes and attributes only.
const root = document.documentElement;
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

function filled(element, attributes, text) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
function make(name, attributes = {}, text) { return filled(document.createElement(name), attributes, text); }
function draw(name, attributes = {}, text) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, text);
}
function row(kind, cells, attributes = {}) { // of a table: cells are texts or elements
  const line = make("tr", attributes);
  for (const cell of cells) {
    const place = make(kind, kind === "th" ? { scope: "col" } : {});
    place.append(cell);
    line.append(place);
  }
  return line;
}

// Characters that cannot be seen, or that move others, as their numbers; joiners stay, since scripts and emoji use them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
function visible(text) {
  const shown = text.replace(UNSEEN, (char) => `⟨${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  return shown.trim() ? shown : "␣";
}

// Is a sentence written from right to left? Its letters decide, Hebrew and Arabic ones against others.
function isRightToLeft(forms) {
  const text = forms.join("");
  const count = (kind) => (text.match(kind) ?? []).length;
  return count(/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/g) > count(/\p{L}/gu) / 2;
}
