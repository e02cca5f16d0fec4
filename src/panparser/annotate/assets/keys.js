// The keyboard: commands, and shortcuts for labels, tags and features.
import { $, make } from "./elements.js";
import * as act from "./actions.js";
import { editNote } from "./aside.js";
import { openDialog } from "./dialogs.js";
import { openConsistency, openSearch, goToNumber } from "./searching.js";
import { directionField } from "./pointing.js";
import { isIdle, perform } from "./server.js";
import { cursorWord, isLocked, set, state } from "./state.js";
import { editCell } from "./table.js";
import { openTokens } from "./tokens.js";

const PAUSE = 700; // milliseconds within which letters of one shortcut follow each other
const READING = true; // works where nothing can be changed

// Keys, what they do, and for those that change nothing, that they always work. Those with Ctrl also work in fields.
const COMMANDS = [
  ["Words"],
  [["ArrowLeft", "ArrowRight"], "move along the words", (event) => along(event, event.key === "ArrowRight" ? 1 : -1), READING],
  [["Home", "End"], "first and last word", (event) => act.moveTo(event.key === "Home" ? 1 : Infinity, { extend: event.shiftKey }), READING],
  [["ArrowUp", "ArrowDown"], "to the head; to the first dependent", (event) => upOrDown(event.key === "ArrowUp"), READING],
  [["."], "to the least certain word", act.leastCertain, READING],
  [["!"], "to the next problem", act.nextProblem, READING],
  ["Heads"],
  [[" "], "pick the word up; again, at another word: that is its head; at the same word: root", act.pick],
  [["r"], "root", act.makeRoot],
  [["x"], "while a word is picked: the word here is not its head (again: it may be)", act.forbid],
  [["["], "the selected words (Shift and arrows) are one phrase, or no longer", act.markSpan],
  [["Delete", "Backspace"], "take the decision back", act.forget],
  [["="], "other trees under the same decisions, one after the other; Enter takes it", act.alternatives, READING],
  ["Right"],
  [["Enter", "Tab"], "right so far: everything up to this word", act.rightSoFar],
  [["Ctrl+Enter"], "all is right: done, and on to the next sentence", () => act.finish({ everything: true })],
  [["Ctrl+Shift+Enter"], "done as far as it is decided, the rest stays unknown", () => act.finish({ everything: false })],
  ["Labels and columns"],
  [["1", "2", "3", "4", "5", "6", "7", "8", "9"], "the labels that the model ranks first", (event) => act.rankedLabel(Number(event.key))],
  [[";"], "type a label", () => { $("label")?.focus(); $("label")?.select(); }],
  [["F2"], "edit the columns of the word", editCell],
  [[","], "split and join words, tokens and sentences", openTokens],
  [['"'], "write a note", editNote],
  ["Sentences"],
  [["PageDown", "+"], "next sentence", act.nextSentence, READING],
  [["PageUp", "-"], "previous sentence", act.previousSentence, READING],
  [["Ctrl+g"], "go to a sentence by its number", goToNumber, READING],
  [["/", "Ctrl+f"], "search", openSearch, READING],
  [["&"], "pairs of lemmas that are labeled in several ways", openConsistency, READING],
  ["Page"],
  [["Ctrl+z"], "undo", act.undo],
  [["Ctrl+y", "Ctrl+Shift+z"], "redo", act.redo],
  [["Escape"], "put the word down, close what is open", act.drop, READING],
  [["?"], "these keys", openKeys, READING],
].filter((command) => command.length > 0);

function along(event, step) {
  const leftwards = getComputedStyle($("text")).direction === "rtl";
  act.moveTo(state.cursor + (leftwards ? -step : step), { extend: event.shiftKey });
}
function upOrDown(up) {
  const word = cursorWord(), child = state.view.words.find((each) => each.head === word.id);
  if (up && word.head) act.moveTo(word.head);
  if (!up && child) act.moveTo(child.id);
}

// --- Shortcuts: labels, tags, features ---

let typed = "", timer = null;
function shortcut(key) {
  const known = state.summary.shortcuts ?? {};
  for (const text of [typed + key, key]) {
    const isStart = Object.keys(known).some((name) => name.length > text.length && name.startsWith(text));
    if (!(text in known) && !isStart) continue;
    clearTimeout(timer);
    typed = isStart ? text : "";
    if (!isStart) apply(known[text]);
    else timer = setTimeout(() => { const now = typed; typed = ""; if (now in known) apply(known[now]); }, PAUSE);
    return true;
  }
  typed = "";
  return false;
}
function apply({ DEP, UPOS, XPOS, FEATS, LEMMA, MISC }) {
  if (isLocked()) return;
  const word = state.picked ?? state.cursor;
  if (DEP) act.setLabel(DEP, word);
  for (const [column, value] of [["upos", UPOS], ["xpos", XPOS], ["lemma", LEMMA], ["misc", MISC]]) if (value) act.setField(word, column, value);
  if (FEATS) perform(() => act.addFeatures(word, [FEATS].flat()));
}

// --- Which key does what ---

function nameOf(event) {
  const ctrl = event.ctrlKey || event.metaKey ? "Ctrl+" : "", shift = event.shiftKey && (ctrl || event.key.length > 1) ? "Shift+" : "";
  return ctrl + shift + (ctrl && event.key.length === 1 ? event.key.toLowerCase() : event.key);
}
const moving = new Set(["ArrowLeft", "ArrowRight", "Home", "End"]);
function commandOf(event) {
  const name = nameOf(event), plain = moving.has(event.key) ? name.replace("Shift+", "") : name;
  return COMMANDS.find(([keys]) => Array.isArray(keys) && keys.includes(plain));
}
const isField = (target) => target.closest?.("input, textarea, select, dialog");
function onKey(event) {
  if (event.isComposing || event.altKey || !state.view || document.querySelector("dialog[open]")) return;
  const withCtrl = event.ctrlKey || event.metaKey;
  if (isField(event.target) && !withCtrl) return;
  if (isField(event.target) && ["z", "y", "f"].includes(event.key.toLowerCase())) return; // those of the field
  const inTree = event.target === $("tree") || event.target === document.body;
  if (!inTree && [" ", "Enter", "Tab"].includes(event.key) && !withCtrl) return; // those of buttons
  if (event.key === "Tab" && (event.shiftKey || released)) { released = false; return; }
  released = event.key === "Escape" && state.picked == null && !state.alternatives; // the next Tab leaves the tree
  if (!withCtrl && event.key.length === 1 && shortcutNow(event)) return void event.preventDefault();
  const found = commandOf(event);
  if (!found) return;
  event.preventDefault();
  run(found, event);
}
let released = false;
function shortcutNow(event) {
  const known = state.summary.shortcuts ?? {};
  const relevant = typed || event.key in known || Object.keys(known).some((name) => name.startsWith(event.key));
  if (!relevant) return false;
  if (!isIdle() && !state.offline) { perform(() => { shortcut(event.key); }); return true; }
  return shortcut(event.key);
}
function run([, , command, reading], event) {
  const { key, shiftKey } = event, given = { key, shiftKey };
  const go = () => {
    if (!reading && isLocked()) return set({ message: `${isLocked()}: nothing can be changed now` });
    if (state.alternatives && key === "Enter") return act.takeAlternative();
    return command(given);
  };
  if (isIdle() || state.offline) go(); else perform(() => { go(); });
}

function openKeys() {
  const columns = make("div", { class: "keys-list" });
  let list = null;
  for (const [keys, text] of COMMANDS) {
    if (typeof keys === "string") {
      const group = make("section");
      group.append(make("h3", {}, keys), list = make("dl"));
      columns.append(group);
      continue;
    }
    const term = make("dt");
    const shown = keys.length > 4 ? [keys[0], "…", keys.at(-1)] : keys;
    for (const key of shown) term.append(make("kbd", {}, ({ " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", PageUp: "Page Up", PageDown: "Page Down" })[key] ?? key), " ");
    list.append(term, make("dd", {}, text));
  }
  const chips = make("p", { class: "chips" });
  for (const [key, what] of Object.entries(state.summary.shortcuts ?? {})) {
    const chip = make("span");
    chip.append(make("kbd", {}, key), ` ${Object.values(what).flat().join(", ")}`);
    chips.append(chip, " ");
  }
  openDialog("keys-dialog", "Keys", make("p", { class: "note" }, "Tab leaves the tree after Escape. Click a word and then its head, or draw a line from the head to the word."), columns, make("h3", {}, "Shortcuts for the word at the cursor"), chips, directionField());
}
export { openKeys };

export function prepareKeys() {
  document.addEventListener("keydown", onKey);
}
