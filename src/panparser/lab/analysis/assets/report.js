// The sentences of a report.
import { $, data, make, root, row, table, visible } from "./elements.js";
import "./theme.js";
import { levels, places, reveal, treeDrawing } from "./tree.js";

const base = data.labels.map((label) => label.split(":")[0]);
const SHOWN = 100; // list items at a time
const RIGHT = 0, LABEL = 1, HEAD = 2;

// --- What is wrong ---

const sentences = data.sentences.map(([number, id, forms, tags, heads, labels, uncounted, predictions]) => {
  const left = new Set(uncounted);
  const kinds = predictions.map(([found, named]) => forms.map((_, i) => {
    if (left.has(i) || heads[i] < 0) return RIGHT;
    if (found[i] !== heads[i]) return HEAD;
    return base[named[i]] === base[labels[i]] ? RIGHT : LABEL;
  }));
  const counts = kinds.map((kind) => kind.filter((k) => k !== RIGHT).length);
  return { number, id, forms, tags, heads, labels, left, predictions, kinds, counts, text: forms.join(" ") };
});

// --- What is shown; the address says it too, so that a view can be linked to ---

const FIELDS = ["text", "label", "found", "tag", "kind", "of", "sort"];
const defaults = Object.fromEntries(FIELDS.map((name) => [name, $(name) ? $(name).value : ""]));
let shown = [], limit = SHOWN, chosen = null;

function which() { return Number($("of").value) || 0; }

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of FIELDS) {
    const field = $(name), value = given.get(name) ?? defaults[name];
    field.value = value;
    if (field.value !== value) field.value = defaults[name]; // no such option
  }
  const number = Number(given.get("sentence"));
  chosen = sentences.find((sentence) => sentence.number === number) ?? null;
  update(false);
}
function writeAddress() {
  const given = new URLSearchParams();
  for (const name of FIELDS) if ($(name).value !== defaults[name]) given.set(name, $(name).value);
  if (chosen) given.set("sentence", chosen.number);
  try { history.replaceState(null, "", "#" + given); } catch { /* a page without an address */ }
}

const CONDITIONS = {
  all: () => true,
  errors: (kind) => kind !== RIGHT,
  heads: (kind) => kind === HEAD,
  labels: (kind) => kind === LABEL,
  differ: (kind, s, i) => s.kinds.length > 1 && (s.predictions[0][0][i] !== s.predictions[1][0][i]
    || base[s.predictions[0][1][i]] !== base[s.predictions[1][1][i]]) && !s.left.has(i),
  worse: (kind, s, i) => s.kinds.some((own, p) => p !== which() && own[i] < kind),
};
const ORDERS = {
  errors: (a, b) => b.counts[which()] - a.counts[which()],
  share: (a, b) => b.counts[which()] / b.forms.length - a.counts[which()] / a.forms.length,
  longest: (a, b) => b.forms.length - a.forms.length,
  shortest: (a, b) => a.forms.length - b.forms.length,
  position: () => 0,
};

function matches(sentence) {
  const text = $("text").value.trim().toLowerCase();
  const label = $("label").value, found = $("found").value, tag = $("tag").value;
  if (text && !sentence.text.toLowerCase().includes(text) && !String(sentence.id).toLowerCase().includes(text)) return false;
  const holds = CONDITIONS[$("kind").value], p = which();
  if ($("kind").value === "all" && !label && !found && !tag) return true;
  return sentence.forms.some((_, i) => holds(sentence.kinds[p][i], sentence, i)
    && (!label || base[sentence.labels[i]] === label)
    && (!found || base[sentence.predictions[p][1][i]] === found)
    && (!tag || data.tags[sentence.tags[i]] === tag));
}

function update(write = true) {
  shown = sentences.filter(matches).sort((a, b) => ORDERS[$("sort").value](a, b) || a.number - b.number);
  limit = SHOWN;
  if (!shown.includes(chosen)) chosen = shown[0] ?? null;
  if (chosen) limit = Math.max(limit, shown.indexOf(chosen) + 1);
  root.dataset.shown = shown.length;
  $("status").textContent = `${shown.length.toLocaleString("en")} of ${sentences.length.toLocaleString("en")} sentences`;
  list();
  show();
  if (write) writeAddress();
}

// --- The list ---

function list() {
  const items = shown.slice(0, limit).map((sentence) => {
    const item = make("li", { role: "option", id: `s${sentence.number}`, "aria-selected": sentence === chosen });
    const meta = make("div", { class: "meta" });
    const errors = sentence.counts[which()];
    meta.append(make("span", {}, `#${sentence.number}`), make("span", {}, `${sentence.forms.length} words`),
      make("span", {}, errors === 1 ? "1 error" : `${errors} errors`));
    item.append(meta, make("div", { class: "text", dir: "auto" }, visible(sentence.text)));
    item.addEventListener("click", () => choose(sentence));
    return item;
  });
  if (shown.length > limit) {
    const more = make("li", { class: "more", role: "option", "aria-selected": "false" }, `${shown.length - limit} more…`);
    more.addEventListener("click", () => { limit += SHOWN; list(); });
    items.push(more);
  }
  $("list").replaceChildren(...items);
  mark();
}
function mark() {
  for (const item of $("list").querySelectorAll('[aria-selected="true"]')) item.setAttribute("aria-selected", "false");
  const item = chosen && $(`s${chosen.number}`);
  if (!item) return $("list").removeAttribute("aria-activedescendant");
  item.setAttribute("aria-selected", "true");
  $("list").setAttribute("aria-activedescendant", item.id);
  const box = $("list");
  if (item.offsetTop < box.scrollTop) box.scrollTop = item.offsetTop;
  const end = item.offsetTop + item.offsetHeight - box.clientHeight;
  if (end > box.scrollTop) box.scrollTop = end;
}
function choose(sentence) {
  if (!sentence) return;
  chosen = sentence;
  if (!$(`s${sentence.number}`)) { limit = shown.indexOf(sentence) + SHOWN; list(); }
  mark();
  show();
  writeAddress();
}
function move(steps) { choose(shown[Math.min(shown.length - 1, Math.max(0, shown.indexOf(chosen) + steps))]); }

// --- One sentence: gold arcs above the words, predicted ones below ---

function tree(sentence, p) {
  const kinds = sentence.kinds[p], [heads, labels] = sentence.predictions[p];
  const name = (id) => data.labels[id] ?? "";
  const above = { heads: sentence.heads, level: levels(sentence.heads), texts: sentence.labels.map(name),
    kinds: kinds.map((kind) => kind === HEAD ? "lost" : "same") };
  const below = { heads, level: levels(heads), texts: labels.map((id, i) => ["", "≠ ", "✗ "][kinds[i]] + name(id)),
    kinds: kinds.map((kind) => ["same", "label", "head"][kind]) };
  const forms = sentence.forms.map(visible), tags = sentence.tags.map((tag) => data.tags[tag]);
  return treeDrawing({ forms, rows: [["tag", tags]], above, below, kinds: kinds.map((kind) => ["", "warn", "bad"][kind]),
    place: places(forms, [tags], [above, below]),
    label: `Sentence ${sentence.number}: gold tree above the words, predicted tree below; the table lists the errors` });
}

function word(sentence, head) { return head === 0 ? "ROOT" : head < 0 ? "none" : `${head} ${visible(sentence.forms[head - 1])}`; }

function errors(sentence) {
  const lines = sentence.predictions.flatMap(([heads, labels], p) => sentence.forms.flatMap((form, i) => {
    const kind = sentence.kinds[p][i];
    if (kind === RIGHT) return [];
    const line = row("td", [`${i + 1} ${visible(form)}`, word(sentence, sentence.heads[i]), data.labels[sentence.labels[i]],
      `${kind === HEAD ? "✗ head" : "≠ label"}${data.names.length > 1 ? ` (${data.names[p]})` : ""}`,
      word(sentence, heads[i]), data.labels[labels[i]]]);
    for (const cell of line.children) { cell.setAttribute("class", "text"); cell.setAttribute("dir", "auto"); }
    return [line];
  }));
  return table(["word", "gold head", "gold label", "", "predicted head", "predicted label"], lines, 6);
}

function show() {
  $("tree").replaceChildren();
  $("errors").replaceChildren();
  if (!chosen) { $("which").textContent = "No sentence"; return; }
  const id = chosen.id ? ` (${chosen.id})` : "";
  $("which").textContent = `Sentence ${chosen.number}${id}`;
  const drawing = tree(chosen, which());
  $("tree").append(drawing.svg);
  const first = chosen.kinds[which()].findIndex((kind) => kind !== RIGHT);
  reveal($("tree"), drawing, [Math.max(first, 0)]);
  if (chosen.counts.some((count) => count)) $("errors").append(errors(chosen));
  root.dataset.sentence = chosen.number;
}

// --- Keys, fields, theme ---

for (const name of FIELDS) $(name).addEventListener("input", () => update());
$("reset").addEventListener("click", () => { for (const name of FIELDS) $(name).value = defaults[name]; update(); });
const KEYS = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const letter = event.key === "j" || event.key === "k";
  if (event.key === "/") { $("text").focus(); event.preventDefault(); }
  else if (KEYS[event.key] && (letter || event.target === $("list"))) { move(KEYS[event.key]); event.preventDefault(); }
});
$("list").addEventListener("scroll", () => {
  const box = $("list");
  if (shown.length > limit && box.scrollTop + box.clientHeight > box.scrollHeight - 200) { limit += SHOWN; list(); }
});
addEventListener("hashchange", () => {
  if (location.hash === "#sentences") return;
  readAddress();
  $("sentences").scrollIntoView(); // a link in a table or a chart led here
});
readAddress();
root.dataset.ready = "yes";
