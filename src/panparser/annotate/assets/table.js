// The columns of the words, as a table: a click, or F2, edits a cell.
import { $, make, visible } from "./elements.js";
import { isLow } from "./drawing.js";
import { attach, moveTo, setField, setLabel } from "./actions.js";
import { afterDrawing, isLocked, onChange, state, sureness } from "./state.js";

const COLUMNS = [
  ["form", "Form"], ["lemma", "Lemma"], ["upos", "UPOS"], ["xpos", "XPOS"], ["feats", "Features"],
  ["head", "Head"], ["label", "Relation"], ["misc", "Misc"],
];
const LISTS = { upos: "known-tags", label: "known-labels" };
let editing = null; // { word, column, input }
let lastColumn = 2;

const textOf = (word, field) => { const value = word[field]; return value == null || value === "" ? "_" : String(value); };

// Rows of words that have not changed stay: `drawn` has what each shows.
let drawn = [];
function render({ view, cursor }) {
  const place = $("words");
  if (editing) return;
  if (!view?.words.length) { drawn = []; return void place.replaceChildren(); }
  const rows = rowsOf(view, cursor), body = place.tBodies[0];
  if (!body || rows.length !== drawn.length) place.replaceChildren(header(), bodyOf(rows));
  else rows.forEach(([what, row], i) => { if (drawn[i] !== what || body.rows[i].querySelector("input")) body.rows[i].replaceWith(row()); });
  drawn = rows.map(([what]) => what);
}
function header() {
  const head = make("thead"), line = make("tr");
  for (const [name, kind] of [["#", "number"], ...COLUMNS.map(([field, title]) => [title, field]), ["Sure", "sure"]]) line.append(make("th", { scope: "col", class: kind }, name));
  head.append(line);
  return head;
}
function bodyOf(rows) {
  const body = make("tbody");
  body.append(...rows.map(([, row]) => row()));
  return body;
}
function rowsOf(view, cursor) { // what each row shows, as a text, and what makes it
  const tokens = new Map(view.multiword.map((token) => [token.first, token])), rows = [];
  for (const word of view.words) {
    const token = tokens.get(word.id);
    if (token) rows.push([JSON.stringify(token), () => tokenRow(token)]);
    rows.push([JSON.stringify([word, word.id === cursor]), () => wordRow(word, word.id === cursor)]);
    for (const node of view.empty.filter((each) => Number(each.id.split(".")[0]) === word.id)) rows.push([JSON.stringify(node), () => emptyRow(node)]);
  }
  return rows;
}
function tokenRow({ first, last, form, misc }) {
  const line = make("tr", { class: "token" });
  line.append(make("td", {}, `${first}–${last}`));
  line.append(make("td", { class: "text" }, visible(form)), make("td", { colspan: COLUMNS.length - 2, class: "note" }, "written as one token"), make("td", { class: "text" }, misc === "_" ? "–" : visible(misc)), make("td"));
  return line;
}
function emptyRow(node) {
  const line = make("tr", { class: "token" });
  line.append(make("td", {}, node.id), make("td", { class: "text" }, visible(node.form)), make("td", { colspan: COLUMNS.length, class: "note" }, "empty node, kept as it is"));
  return line;
}
function wordRow(word, isCurrent) {
  const line = make("tr", isCurrent ? { class: "current", "data-row": word.id } : { "data-row": word.id });
  line.append(make("td", { class: "number" }, word.id));
  COLUMNS.forEach(([field, title], column) => {
    const decided = word.decided[field] ?? true, shown = textOf(word, field);
    const cell = make("td", { class: `text ${field} ${decided ? "" : "predicted"}`, dir: "auto" });
    const button = make("button", { type: "button", tabindex: isCurrent ? 0 : -1, "aria-label": `${title} of ${word.form}: ${shown}`, "data-column": column }, shown === "_" ? "–" : visible(shown));
    button.addEventListener("click", () => { moveTo(word.id); openCell(word.id, column); });
    cell.append(button);
    line.append(cell);
  });
  const percent = sureness(word), sure = word.decided.head && word.decided.label ? "decided" : percent == null ? "" : `${percent} %`;
  line.append(make("td", { class: isLow(word) ? "sure low" : "sure" }, sure));
  return line;
}

// --- Editing ---

export function editCell() { openCell(state.cursor, lastColumn); }
function openCell(id, column) {
  if (isLocked()) return;
  if (editing) commit();
  const cell = document.querySelector(`#words tr[data-row="${id}"] [data-column="${column}"]`)?.parentNode;
  if (!cell) return;
  const [field, title] = COLUMNS[column], value = textOf(state.view.words[id - 1], field);
  const input = make("input", { "aria-label": `${title} of word ${id}`, autocomplete: "off", spellcheck: "false", dir: "auto", ...(LISTS[field] ? { list: LISTS[field] } : {}) });
  input.value = value === "_" ? "" : value;
  editing = { word: id, column, input, old: value };
  lastColumn = column;
  cell.replaceChildren(input);
  input.addEventListener("keydown", onKey);
  input.addEventListener("blur", () => { if (editing?.input === input) { commit(); redraw(); } });
  input.focus();
  input.select();
}
function redraw() { render(state); }
function commit() {
  const { word, column, input, old } = editing;
  editing = null;
  const value = input.value.trim() || "_";
  if (value === old) return;
  const [field] = COLUMNS[column];
  if (field === "head") { if (/^\d+$/.test(value)) attach(word, Number(value)); } else if (field === "label") { if (value !== "_") setLabel(value, word); } else setField(word, field, value);
}
function onKey(event) {
  const { word, column } = editing ?? {};
  const moves = { Enter: [1, 0], ArrowDown: [1, 0], ArrowUp: [-1, 0], Tab: [0, event.shiftKey ? -1 : 1] };
  if (event.isComposing) return;
  if (event.key === "Escape") { editing = null; redraw(); $("tree").focus(); event.preventDefault(); } else if (event.key in moves && !event.ctrlKey) {
    const [down, right] = moves[event.key], nextColumn = column + right, nextWord = word + down;
    commit();
    event.preventDefault();
    if (nextColumn < 0 || nextColumn >= COLUMNS.length || nextWord < 1 || nextWord > state.view.words.length) { redraw(); $("tree").focus(); } else { redraw(); moveTo(nextWord); openCell(nextWord, nextColumn); }
  }
  event.stopPropagation();
}

export function prepareTable() {
  onChange((now, changes) => { if ("view" in changes || "cursor" in changes) { render(now); afterDrawing(() => reveal(now.cursor)); } });
}
function reveal(cursor) { // inside its box: the page stays where it is
  const line = document.querySelector(`#words tr[data-row="${cursor}"]`), box = $("words").parentNode;
  if (!line) return;
  const low = line.offsetTop - $("words").tHead.offsetHeight, high = line.offsetTop + line.offsetHeight;
  if (low < box.scrollTop) box.scrollTop = low;
  else if (high > box.scrollTop + box.clientHeight) box.scrollTop = high - box.clientHeight;
}
