// The page of one file: puts its parts together.
import "./theme.js";
import { $, isRightToLeft, legend, make, root, visible } from "./elements.js";
import * as act from "./actions.js";
import { quoted } from "./actions.js";
import { preparePanels } from "./aside.js";
import { sentenceDrawing } from "./drawing.js";
import { openKeys, prepareKeys } from "./keys.js";
import { preparePointing } from "./pointing.js";
import { openConsistency, openSearch } from "./searching.js";
import { ask, listen } from "./server.js";
import { afterDrawing, cursorWord, onChange, selected, set, state, sureness } from "./state.js";
import { prepareTable } from "./table.js";
import { reveal } from "./tree.js";

// --- The sentence ---

function drawSentence({ view, cursor, picked, alternatives }) {
  if (!view) return;
  if (!view.words.length) return void $("tree").replaceChildren(make("pre", {}, view.text));
  const other = alternatives && treeOf(view, alternatives.trees[alternatives.shown]);
  const forbidden = view.words[(picked ?? cursor) - 1]?.forbidden ?? [];
  const drawing = sentenceDrawing(view, { cursor, picked, range: selected(), forbidden }, other);
  $("tree").replaceChildren(drawing.svg);
  afterDrawing(() => {
    if (drawing.svg.parentNode !== $("tree")) return;
    reveal($("tree"), drawing, [cursor - 1, ...(picked ? [picked - 1] : [])]);
    drawing.decorate();
  });
}
const treeOf = (view, { heads, labels }) => view.words.map((word, i) => ({ ...word, head: heads[i], label: labels[i] }));

function drawText({ view, cursor }) {
  const place = $("text"), forms = view.words.map((word) => word.form);
  place.setAttribute("dir", isRightToLeft(forms) ? "rtl" : "ltr");
  const tokens = new Map(view.multiword.map((token) => [token.first, token])), pieces = [];
  for (let id = 1; id <= view.words.length;) {
    const token = tokens.get(id), word = view.words[id - 1], last = token ? token.last : id;
    const piece = make("span", id <= cursor && cursor <= last ? { class: "here" } : {});
    piece.append(make("bdi", {}, visible((token ?? word).form)));
    pieces.push(piece);
    if (!/(^|\|)SpaceAfter=No(\||$)/.test((token ?? word).misc ?? "")) pieces.push(" ");
    id = last + 1;
  }
  place.replaceChildren(...pieces);
}

function tell({ view, message, picked, alternatives }) { // what the screen shows, in words
  const word = cursorWord();
  if (!word) return void ($("told").textContent = view ? "This sentence can only be looked at." : "");
  const arc = word.head == null ? "no head yet" : word.head ? `${word.label ?? "?"} of ${quoted(view.words[word.head - 1].form)}` : "root";
  const percent = sureness(word), { head, label } = word.decided, what = head === label ? "" : head ? "head decided, relation " : "relation decided, head ";
  const sure = head && label ? "decided" : `${what}predicted${percent == null ? "" : `, ${percent} % sure`}`;
  const about = alternatives ? `Tree ${alternatives.shown + 1} of ${alternatives.trees.length}, below the words: Enter takes it, = shows the next, Escape closes` : picked ? "" : `${quoted(word.form)}: ${arc}, ${sure}`;
  $("told").textContent = [message, about].filter(Boolean).join(" · ");
  $("told").classList.toggle("trouble", Boolean(state.trouble));
}

// --- The bar and the banner ---

function drawBar({ view, summary, savedAt, learning }) {
  if (!view || !summary) return;
  if (document.activeElement !== $("number")) $("number").value = view.index + 1;
  $("of").textContent = `of ${summary.sentences.toLocaleString("en")}`;
  $("name").textContent = visible(view.sent_id || "–");
  $("name").title = view.sent_id ?? "";
  root.dataset.done = view.done ? "yes" : "";
  $("undo").disabled = !view.can_undo;
  $("redo").disabled = !view.can_redo;
  $("done").textContent = view.done ? "Open again" : "Done";
  for (const id of ["done", "other-trees", "consistency"]) $(id).disabled = Boolean(view.unreadable);
  const saved = savedAt ? `saved ${savedAt.toLocaleTimeString("en-GB")}` : "nothing changed yet";
  $("saved").textContent = learning ? `${saved} · learning …` : saved;
}
function drawBanner({ offline, stopped, waiting, view, notices }) {
  const banner = $("banner"), texts = [];
  const after = stopped ? "Nothing can be changed here." : "The page tries again by itself; nothing can be changed until then.";
  if (offline) texts.push(`${offline.replace(/\.$/, "")}. ${after}`);
  if (waiting) texts.push(`Not saved yet: ${waiting}.`);
  texts.push(...notices);
  if (!offline && view?.read_only) texts.push(`Nothing can be changed: ${view.read_only}`);
  if (view?.unreadable && !notices.includes(view.unreadable)) texts.push(view.unreadable);
  banner.hidden = texts.length === 0;
  if (banner.textContent !== texts.join("")) banner.replaceChildren(...texts.map((text) => make("p", {}, text)));
}

// --- What the server tells ---

function onEvent(event) {
  if (event.event === "back") { act.refreshSummary(); if (state.view) act.goTo(state.view.index, { message: state.trouble ? state.message : "The server is back" }); }
  if (event.event === "seen") { act.refreshSummary(); act.refreshView(); }
  if (event.event === "learning") set({ learning: event.sentences > 0 });
  if (event.event === "model") { set({ learning: false }); act.refreshSummary(); act.refreshView(); }
  if (event.event === "notice") set({ message: event.message, trouble: true });
  if (event.event === "merged") set({ notices: event.notices });
  if (event.event === "changed" || event.event === "read-only" || event.event === "merged") act.refreshView(event);
  if (event.event === "closing") set({ offline: "The server was stopped" });
}

function fillLists({ summary }) {
  for (const [id, values] of [["known-labels", summary.labels], ["known-tags", summary.tags]]) $(id).replaceChildren(...(values ?? []).map((value) => make("option", { value })));
}
function prepareBar() {
  const click = (id, action) => $(id).addEventListener("click", () => { action(); $("tree").focus(); });
  for (const [id, action] of [["previous", act.previousSentence], ["following", act.nextSentence], ["undo", act.undo], ["redo", act.redo], ["other-trees", act.alternatives]]) click(id, action);
  click("done", () => state.view.done ? act.reopen() : act.finish({ everything: true }));
  $("searching").addEventListener("click", openSearch);
  $("consistency").addEventListener("click", openConsistency);
  $("keys").addEventListener("click", openKeys);
  $("number").addEventListener("keydown", (event) => {
    if (event.key === "Enter") { act.goTo(Number($("number").value) - 1); $("tree").focus(); }
    if (event.key === "Escape") $("tree").focus();
  });
  $("legend").replaceWith(legend([["decided", "decided"], ["predicted", "predicted"], ["low", "predicted, doubtful"], ["conflict", "in conflict"]]));
}

const PARTS = [[["view", "cursor", "picked", "range", "alternatives"], drawSentence], [["view", "cursor"], drawText],
  [["view", "cursor", "picked", "message", "alternatives"], tell], [["view", "summary", "savedAt", "learning"], drawBar], [["offline", "stopped", "waiting", "view", "notices"], drawBanner], [["summary"], fillLists]];

async function start() {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash); // the token has done its work
  prepareTable();
  preparePanels();
  preparePointing();
  prepareKeys();
  prepareBar();
  onChange((now, changes) => { for (const [names, part] of PARTS) if (names.some((name) => name in changes)) part(now); });
  set({ summary: await ask("summary") });
  set({ notices: state.summary.notices });
  const asked = Number(location.hash.slice(1)) - 1;
  await act.goTo(asked >= 0 && asked < state.summary.sentences ? asked : state.summary.start ?? 0);
  addEventListener("hashchange", () => { const index = Number(location.hash.slice(1)) - 1; if (index !== state.view?.index) act.goTo(index); });
  listen(onEvent);
  $("tree").focus();
  root.dataset.ready = "yes";
}
start().catch((error) => { set({ offline: error.message }); root.dataset.ready = "failed"; });
