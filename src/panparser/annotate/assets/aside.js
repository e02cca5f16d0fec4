// Beside the tree: the word under the cursor, what is wrong, how far the work is, notes.
import { $, make, visible } from "./elements.js";
import { moveTo, rankedLabel, setComments, setLabel, setNote } from "./actions.js";
import { openTokens } from "./tokens.js";
import { cursorWord, onChange, state } from "./state.js";

const section = (id, title, ...children) => $(id).replaceChildren(make("h2", {}, title), ...children);

// --- The word ---

const field = labelField();
function wordPanel({ labels }) {
  const word = cursorWord();
  if (!word) return void $("word-panel").replaceChildren();
  const title = make("p", { class: "word-name" });
  title.append(make("bdi", {}, visible(word.form)), make("span", { class: "note" }, ` word ${word.id}`));
  const parts = [make("h2", {}, "Word"), title, ranked(word, labels), field, points(word), tokensButton()];
  if (document.activeElement === $("label")) return void $("word-panel").querySelector(".ranked").replaceWith(parts[2]); // somebody types there
  field.querySelector("input").value = word.label ?? "";
  $("word-panel").replaceChildren(...parts);
}
function ranked(word, labels) { // what the model thinks, best first
  const list = make("ol", { class: "ranked" }), isRanked = labels.some(({ score }) => score !== labels[0].score); // else the model says nothing
  labels.slice(0, 9).forEach(({ label, score }, i) => {
    const item = make("li"), button = make("button", { type: "button", ...(label === word.label ? { "aria-current": "true" } : {}) });
    button.append(make("kbd", {}, i + 1), make("span", { class: "name" }, visible(label)), isRanked ? meter(Math.exp(score / 5)) : "");
    button.addEventListener("click", () => rankedLabel(i + 1));
    item.append(button);
    list.append(item);
  });
  return list;
}
function meter(value) {
  const bar = make("meter", { min: 0, max: 1, "aria-hidden": "true" });
  bar.value = value ?? 0;
  return bar;
}
function labelField() {
  const row = make("label", { class: "field" }, "Relation "), input = make("input", { id: "label", list: "known-labels", autocomplete: "off", spellcheck: "false" });
  let word = null;
  input.addEventListener("focus", () => { word = cursorWord().id; });
  input.addEventListener("keydown", (event) => {
    const label = input.value.trim();
    if (event.key === "Enter" && label) { event.preventDefault(); $("tree").focus(); setLabel(label, word); }
    if (event.key === "Escape") $("tree").focus();
    if (!event.ctrlKey) event.stopPropagation();
  });
  input.addEventListener("blur", () => wordPanel(state));
  row.append(input);
  return row;
}
function points(word) { // characters that look alike, or like nothing, have different numbers
  const box = make("details", { class: "points" }), chars = [...word.form];
  const odd = chars.some((char) => !/[\p{L}\p{N}\p{P}\p{S}]/u.test(char)) || word.form !== word.form.normalize("NFC");
  if (odd) box.open = true;
  box.append(make("summary", {}, `Characters (${chars.length})`));
  const list = make("p", { class: "note" });
  for (const char of chars.slice(0, 60)) {
    const code = make("span", { class: "point" });
    code.append(make("bdi", {}, /\p{M}/u.test(char) ? `\u25cc${char}` : visible(char)), ` U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
    list.append(code, " ");
  }
  box.append(list);
  return box;
}
function tokensButton() {
  const button = make("button", { type: "button", title: "Tokens, multiword tokens and borders of sentences (,)" }, "Split, join …");
  button.addEventListener("click", openTokens);
  return button;
}

// --- Problems ---

function problemsPanel({ view }) {
  if (!view) return;
  if (view.unreadable) return section("problems-panel", "Problems", make("p", { class: "note" }, "Its lines are no CoNLL-U; see above."));
  const list = make("ul", { class: "problems" });
  if (view.conflict) {
    const item = make("li", { class: "bad" });
    item.append(jump(view.conflict.words[0], view.conflict.message));
    list.append(item);
  }
  for (const problem of view.problems.slice(0, 30)) {
    const item = make("li");
    item.append(problem.word ? jump(problem.word, problem.message) : make("span", {}, visible(problem.message)));
    list.append(item);
  }
  const count = view.problems.length + (view.conflict ? 1 : 0);
  section("problems-panel", count ? `Problems (${count})` : "Problems", count ? list : make("p", { class: "note" }, "None was found."));
}
function jump(word, text) {
  const button = make("button", { type: "button", class: "plain" }, visible(text));
  button.addEventListener("click", () => { moveTo(word); $("tree").focus(); });
  return button;
}

// --- Progress ---

function progressPanel({ summary }) {
  if (!summary) return;
  const lines = make("dl", { class: "facts" });
  const fact = (name, value) => { if (value != null && value !== "") lines.append(make("dt", {}, name), make("dd", {}, value)); };
  fact("Sentences done", `${count(summary.done)} of ${count(summary.sentences)}`);
  fact("Words done", `${count(summary.words_done)} of ${count(summary.words)}`);
  const { per_100_words: corrections, hours_left: hours, words_per_hour: speed, series } = summary.progress;
  fact("Corrections", corrections == null ? null : `${corrections.toFixed(1)} per 100 words`);
  fact("Speed", speed == null ? null : `${count(speed)} words an hour`);
  fact("Time left", hours == null ? null : `about ${duration(hours)}`);
  fact("Model", summary.has_parser ? (summary.model ? `version ${count(summary.model)}` : "as it was at the start") : "none yet");
  const bar = make("progress", { max: Math.max(1, summary.words), "aria-label": "Words done" });
  bar.value = summary.words_done;
  section("progress-panel", "Progress", bar, lines, curve(series));
}
const count = (value) => Number(value ?? 0).toLocaleString("en");
function duration(hours) {
  if (hours < 1 / 60) return "a minute";
  return hours < 1 ? `${Math.round(60 * hours)} minutes` : hours < 10 ? `${hours.toFixed(1)} hours` : `${Math.round(hours)} hours`;
}
function curve(values) { // corrections per 100 words, as they fall
  if (values.length < 3) return "";
  const [wide, high] = [280, 56], most = Math.max(...values, 1), SVG = "http://www.w3.org/2000/svg";
  const at = (value, i) => `${(i / (values.length - 1) * (wide - 8) + 4).toFixed(1)},${(high - 4 - value / most * (high - 10)).toFixed(1)}`;
  const svg = document.createElementNS(SVG, "svg"), line = document.createElementNS(SVG, "polyline");
  for (const [key, value] of Object.entries({ class: "curve", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `Corrections per 100 words: ${values.map((value) => value.toFixed(0)).join(", ")}` })) svg.setAttribute(key, value);
  line.setAttribute("points", values.map(at).join(" "));
  svg.append(line);
  return svg;
}

// --- Notes ---

function notesPanel({ view }) {
  if (!view || $("notes-panel").contains(document.activeElement)) return;
  if (view.unreadable) return void $("notes-panel").replaceChildren();
  const note = area("Note", view.note, (text) => setNote(text));
  const comments = area("Comments", view.comments.join("\n"), (text) => setComments(text.split("\n").filter((line) => line.trim())));
  section("notes-panel", "Notes", note, comments);
}
function area(title, value, keep) {
  const box = make("label", { class: "field area" }, `${title} `), input = make("textarea", { rows: Math.min(8, value.split("\n").length + 1), spellcheck: "false", dir: "auto" });
  input.value = value;
  input.addEventListener("change", () => keep(input.value));
  input.addEventListener("keydown", (event) => { if (event.key === "Escape") { $("tree").focus(); } if (!(event.ctrlKey && event.key === "Enter")) event.stopPropagation(); });
  box.append(input);
  return box;
}
export function editNote() { $("notes-panel").querySelector("textarea")?.focus(); }

export function preparePanels() {
  onChange((now, changes) => {
    if ("view" in changes || "cursor" in changes || "labels" in changes) wordPanel(now);
    if ("view" in changes) { problemsPanel(now); notesPanel(now); }
    if ("summary" in changes) progressPanel(now);
  });
}
