// What a person can do: each action changes what is shown, or asks the server for a change and shows what came of it.
import { visible } from "./elements.js";
import { hasEffect } from "./effects.js";
import { ask, change, perform } from "./server.js";
import { selected, set, state, wordAt } from "./state.js";

const RESTING = 60; // milliseconds that the cursor rests before labels are ranked

// --- Sentences ---

function show(view, more = {}) {
  const isThere = state.view?.index === view.index, same = isThere || state.view?.key === view.key;
  const last = view.words.length;
  const cursor = more.cursor ?? (same ? state.cursor : view.least_certain && !view.done ? view.least_certain : 1);
  set({ view, picked: null, range: null, alternatives: null, ...more, cursor: Math.max(1, Math.min(cursor, last)) });
  if (!isThere) history.replaceState(null, "", `#${view.index + 1}`);
  wantLabels();
}
async function open(index, more) { show(await ask(`sentence/${index}`), more); }
export const goTo = (index, more = { message: "" }) => perform(() => index >= 0 && index < state.summary.sentences ? open(index, more) : set({ message: `There are ${state.summary.sentences} sentences` }));
export const nextSentence = () => perform(async () => {
  if (!state.summary.active) return state.view.index + 1 < state.summary.sentences ? open(state.view.index + 1, { message: "" }) : set({ message: "This is the last sentence" });
  return advance();
});
export const previousSentence = () => perform(() => state.view.index > 0 ? open(state.view.index - 1, { message: "" }) : set({ message: "This is the first sentence" }));
async function advance(message = "") {
  const { index } = await ask(`next/${state.view.index}`);
  if (index == null) set({ message: [message, "All sentences are done"].filter(Boolean).join(" · ") }); else await open(index, { message });
}

// The labels of the word under the cursor, once it rests there: they are asked for again when anything has changed.
let timer = null, asked = "";
const labelsKey = () => `${state.view.index} ${state.view.layout_version} ${state.view.version} ${state.view.model} ${state.cursor}`;
function wantLabels() {
  clearTimeout(timer);
  if (state.view.words.length && asked !== labelsKey()) timer = setTimeout(() => fetchLabels().catch(() => null), RESTING);
}
async function fetchLabels() {
  const key = labelsKey();
  const { labels } = await ask(`sentence/${state.view.index}/labels/${state.cursor}`);
  if (key !== labelsKey()) return;
  asked = key;
  set({ labels });
}

// --- Moving ---

export function moveTo(cursor, { extend = false } = {}) {
  if (!state.view) return;
  const to = Math.max(1, Math.min(cursor, state.view.words.length));
  const range = extend ? state.range ?? state.cursor : null;
  if (to === state.cursor && range === state.range) return;
  set({ cursor: to, range, labels: to === state.cursor ? state.labels : [] });
  wantLabels();
}
export const leastCertain = () => {
  const word = state.view.least_certain;
  if (word) { set({ picked: null }); moveTo(word); } else set({ message: "Every word is decided" });
};
export function nextProblem() {
  const places = [...new Set([...(state.view.conflict?.words ?? []), ...state.view.problems.map((problem) => problem.word).filter(Boolean)])].sort((a, b) => a - b);
  if (places.length) moveTo(places.find((word) => word > state.cursor) ?? places[0]);
  else set({ message: state.view.problems.length ? state.view.problems[0].message : "No problem was found" });
}

// --- Edits ---

const COUNTED = new Set(["done", "split", "join", "split_sentence", "join_sentence", "relabel"]); // change the sums of the file
export const quoted = (form) => `“\u2068${visible(form)}\u2069”`; // whatever direction it is written in
export const named = (id) => id ? quoted(wordAt(id)?.form ?? String(id)) : "root";
export const performEdit = (edit, told, more = {}, seen = {}) => perform(() => sendEdit(edit, told, more, seen));
async function sendEdit(edit, told, more = {}, seen = {}) { // of the view that is shown, or that was `seen`
  const { view } = state, { key, layout_version, version } = { ...view, ...seen };
  try {
    const isKept = (now) => hasEffect(now, edit, view);
    const answer = await change(`sentence/${view.index}/edit`, { key, layout_version, version, edit }, told, isKept);
    if (state.view === view || state.view.index === answer.index) show(answer, { message: told, ...more });
    if (COUNTED.has(edit.edit)) refreshSummary();
    return answer;
  } catch (error) {
    if (error.status === 409 && error.answer.view) {
      show(error.answer.view);
      set({ message: `Not done: ${told}. ${error.message}`, trouble: true });
      return null;
    }
    throw error;
  }
}
// An edit that may be refused: `done` is called if it was not, else `refused` with the reason.
export const tried = (edit, told, done, refused) => perform(async () => {
  try {
    await sendEdit(edit, told);
    done();
  } catch (error) {
    if (error.status !== 400) throw error;
    refused(error.message);
  }
});
export async function refreshSummary() {
  const summary = await ask("summary").catch(() => null);
  if (summary) set({ summary });
}

const model = () => state.view.model == null ? {} : { model: state.view.model }; // whose predictions were looked at

// A word gets a head; the cursor stays with the word.
export function attach(word, head) {
  if (word === head) return undefined;
  return performEdit({ edit: "head", word, head }, `${named(word)} ← ${named(head)}`, { cursor: word });
}
export function pick() { // takes the word up, or puts it under the word where the cursor is; on itself: root
  const { cursor, picked } = state;
  if (picked == null) return set({ picked: cursor, range: null, message: `Choose the head of ${named(cursor)}` });
  return attach(picked, picked === cursor ? 0 : cursor);
}
export const makeRoot = () => attach(state.picked ?? state.cursor, 0);
export const drop = () => set({ picked: null, range: null, alternatives: null, notices: [], message: "", trouble: false });
// A relation is that of the arc which is shown: both are decided. Who is root has no other relation, unless that was decided.
function related(word, label) {
  const { head, decided } = wordAt(word), isRoot = label.split(":")[0] === "root";
  const isOpen = head == null || (head === 0 && !decided.head), to = isRoot ? 0 : head;
  const edit = isOpen && !isRoot ? { edit: "label", word, label } : { edit: "arc", word, head: to, label };
  return sendEdit(edit, `${named(word)} is ${label}${edit.head ? ` of ${named(to)}` : ""}`, { cursor: word });
}
export const setLabel = (label, word = state.picked ?? state.cursor) => perform(() => related(word, label));
export const rankedLabel = (number) => perform(async () => {
  const word = state.picked ?? state.cursor;
  if (word !== state.cursor) { set({ cursor: word, picked: null }); }
  if (!state.labels.length) await wantLabels();
  const found = state.labels[number - 1];
  if (found) await related(word, found.label);
  else set({ message: `There is no label ${number}` });
});
export const setField = (word, column, value, more = {}) => performEdit({ edit: "cell", word, column, value }, `${column} of ${named(word)}: ${value}`, more);
export const forget = () => performEdit({ edit: "unset", word: state.cursor }, `${named(state.cursor)} is open again`);
export const rightSoFar = () => {
  const at = state.cursor, last = state.view.words.length;
  return performEdit({ edit: "right", word: at, ...model() }, at === last ? "Right to the end" : `Right up to ${named(at)}`, { cursor: Math.min(at + 1, last) });
};
export function forbid() { // of the word that is picked: the word at the cursor is not its head
  const { picked, cursor } = state;
  if (picked == null || picked === cursor) return set({ message: "Pick a word first (space), then move to what cannot be its head" });
  const now = wordAt(picked).forbidden ?? [], heads = now.includes(cursor) ? now.filter((head) => head !== cursor) : [...now, cursor].sort((a, b) => a - b);
  return performEdit({ edit: "forbid", word: picked, heads }, `${named(cursor)} is ${now.includes(cursor) ? "possible again" : "not the head"} for ${named(picked)}`, { cursor, picked });
}
export function markSpan() {
  const [first, last] = selected();
  if (first === last) return set({ message: "Select several words first (shift and arrows)" });
  const has = state.view.spans.some(([low, high]) => low === first && high === last);
  return performEdit({ edit: has ? "unspan" : "span", first, last }, has ? "No longer one phrase" : `One phrase: ${named(first)} to ${named(last)}`);
}
const NO_TREE = new Set(["multiple-roots", "non-tree", "0-is-not-root", "root-is-not-0"]);
const isGrave = ({ rule, warning }) => !warning && !rule.startsWith("missing-"); // comments may be missing
let warned = ""; // the sentence, as it was, whose tree was said to be none
function mayFinish({ index, version, conflict, problems }) { // asks again if the tree is none
  const wrong = [...(conflict ? [conflict.message] : []), ...problems.filter(({ rule }) => NO_TREE.has(rule)).map(({ message }) => message)];
  if (!wrong.length || warned === `${index} ${version}`) return true;
  warned = `${index} ${version}`;
  set({ message: `Not done yet: ${wrong.map(visible).join("; ")}. Once more marks it as done all the same, and it teaches nothing`, trouble: true });
  return false;
}
export const finish = ({ everything }) => perform(async () => {
  if (state.view.unreadable || !mayFinish(state.view)) return;
  const edit = { edit: "done", done: true, accept: everything, ...model() };
  const answer = await sendEdit(edit, everything ? "All right and done" : "Done, as far as it is decided");
  const open = answer ? [...(answer.conflict ? [answer.conflict] : []), ...answer.problems.filter(isGrave)] : [];
  if (answer?.done) await advance(open.length ? `Sentence ${answer.index + 1} is done with ${open.length === 1 ? "a problem" : `${open.length} problems`}: ${visible(open[0].message)}` : "");
});
export const reopen = () => performEdit({ edit: "done", done: false }, "Open again");
export const setNote = (note) => performEdit({ edit: "note", text: note }, "Note kept");
export const setComments = (comments) => performEdit({ edit: "comments", comments }, "Comments kept");

export async function addFeatures(word, features) { // those of the same names are replaced
  const old = wordAt(word).feats, now = new Map((old === "_" ? [] : old.split("|")).map((item) => item.split("=")));
  for (const item of features) now.set(...item.split("="));
  const value = [...now].map((pair) => pair.join("=")).join("|");
  await sendEdit({ edit: "cell", word, column: "feats", value }, `Features of ${named(word)}: ${features.join(", ")}`);
}

// Looks again at the sentence, when something else has changed it.
export const refreshView = (event = {}) => perform(async () => {
  const { view } = state, isMoved = event.layout_version > view?.layout_version; // sentences have other places
  if (!view || (!isMoved && ((event.index != null && event.index !== view.index) || event.version === view.version))) return;
  const now = await ask(`sentence/${view.index}?key=${encodeURIComponent(view.key)}&layout_version=${view.layout_version}`);
  const isSame = now.key === view.key && now.version === view.version;
  if (now.layout_version !== view.layout_version) refreshSummary();
  else if (event.event !== "changed" && isSame && state.alternatives) return;
  const { picked, range, alternatives: shown } = state;
  show(now, isSame ? { picked, range, alternatives: shown } : { message: event.event === "changed" ? "Changed in another window" : state.message });
});

// --- Back and forth ---

const moved = (way, told) => perform(async () => {
  const { view } = await change(way, {}, told);
  if (!view) return set({ message: `There is nothing to ${way}` });
  const jumped = view.index !== state.view.index;
  show(view, { message: jumped ? `${told} in sentence ${view.index + 1}, which is shown now` : told });
  return refreshSummary();
});
export const undo = () => moved("undo", "Undone");
export const redo = () => moved("redo", "Done again");

// --- Other trees under the same decisions ---

export const alternatives = () => perform(async () => {
  if (state.alternatives) {
    const { trees, shown } = state.alternatives;
    return set({ alternatives: { trees, shown: (shown + 1) % trees.length } });
  }
  const found = await ask(`sentence/${state.view.index}/alternatives`);
  const trees = found.trees.filter(({ heads, labels }) => state.view.words.some((word, i) => word.head !== heads[i] || word.label !== labels[i]));
  return trees.length ? set({ alternatives: { trees, shown: 0 }, picked: null }) : set({ message: "There is no other tree under these decisions" });
});
export function takeAlternative() {
  const { trees, shown } = state.alternatives;
  const { heads, labels } = trees[shown];
  const words = state.view.words.filter((word, i) => word.head !== heads[i] || word.label !== labels[i]).map(({ id }) => id);
  return performEdit({ edit: "tree", words, heads: words.map((id) => heads[id - 1]), labels: words.map((id) => labels[id - 1]) }, `Tree ${shown + 1} taken`);
}
