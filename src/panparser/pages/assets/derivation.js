// Derivations of a sentence, side by side, step by step.
import { $, legend, make, root } from "./elements.js";
import { actions, beam, labels, reasons, taken, tokens } from "./panels.js";
import { treeOf, unfolded } from "./states.js";
import { reveal, treeDrawing } from "./tree.js";

const PAUSE = 900;
const REST = 120; // milliseconds without a step, until the address says where it is: browsers allow few changes a second
let runs = [], shown = [], end = 0, errors = [], at = 0, timer = null, writing = null, choose = null;

// --- What is shown of a run ---

function section(run) {
  const box = make("section", { class: "run", "aria-label": run.name });
  const tree = make("div", { class: "tree", tabindex: "0", role: "group", "aria-label": `Tree of ${run.name}` });
  const lines = make("div"), doing = make("div"), panels = make("div", { class: "panels" });
  const what = run.name === run.system ? "" : run.system;
  const how = run.beam > 1 ? `beam of ${run.beam}` : run.beam === 1 ? "greedy" : "no model: the actions are given, costs are exact";
  box.append(make("h2", { dir: "auto" }, run.name),
    make("p", { class: "note" }, [what, how, `${run.states.length - 1} steps`, run.note].filter(Boolean).join(" · ")));
  if (run.gold) box.append(keyOf(run));
  box.append(tree, lines, doing);
  if (errors.length) box.append(listOfErrors(run));
  box.append(panels);
  return { run, box, tree, lines, doing, panels, drawing: null };
}
function keyOf(run) {
  const keys = [["new", "new"], ["", "right so far"], ["head", "✗ wrong head"], ["waiting", "gold, not made yet"], ["lost", "gold, lost"]];
  if (run.gold.labels.length && runs.some((other) => other.beam)) keys.splice(3, 0, ["label", "≠ wrong label"]);
  return legend(keys);
}
function listOfErrors(run) {
  const box = make("div", { class: "errors" });
  box.append(run.errors.length ? "Errors at step" : "No errors");
  for (const step of run.errors) {
    const button = make("button", { type: "button", "data-step": step, "aria-label": `Error at step ${step + 1}` }, String(step + 1));
    button.addEventListener("click", () => go(step));
    box.append(button);
  }
  return box;
}

function drawn(part) { // the state of one run
  const { run } = part, step = Math.min(at, run.states.length - 1), state = run.states[step];
  if (part.drawing) part.drawing.change(treeOf(run, state));
  else part.tree.append((part.drawing = treeDrawing(treeOf(run, state))).svg);
  const lines = run.free ? [] : [tokens(run, "Stack", "stack", state.stack, "S", true)];
  if (run.has_list) lines.push(tokens(run, "List", "list", state.aside ?? [], "L", false));
  lines.push(tokens(run, run.free ? "Tokens" : "Buffer", "buffer", state.buffer, "B", false));
  part.lines.replaceChildren(...lines);
  part.doing.replaceChildren(taken(run, state));
  const blocks = [];
  if (state.choices) {
    const own = choose && run.beam ? (action) => choose(run, step, action) : null, box = make("div");
    box.append(actions(run, state, own), ...(state.labels_ranked ? [labels(run, state)] : []));
    blocks.push(box);
  }
  if (state.reasons) blocks.push(reasons(run, state));
  if (state.beam) blocks.push(beam(run, step));
  part.panels.replaceChildren(...blocks);
  for (const button of part.box.querySelectorAll(".errors button")) {
    if (Number(button.dataset.step) === at) button.setAttribute("aria-current", "true"); else button.removeAttribute("aria-current");
  }
}
function atHand({ run, tree, drawing }) { // the words that the step is about, in sight
  const state = run.states[Math.min(at, run.states.length - 1)];
  reveal(tree, drawing, [state.stack.at(-1), state.buffer[0]].filter((token) => token > 0).map((token) => token - 1));
}

function show() {
  shown.forEach(drawn);
  $("place").value = at;
  $("place").setAttribute("aria-valuetext", `step ${at + 1} of ${end + 1}`);
  $("status").textContent = at === end ? `End, after ${end} steps` : `Step ${at + 1} of ${end}`;
  $("first").disabled = $("back").disabled = at === 0;
  $("last").disabled = $("next").disabled = at === end;
  root.dataset.step = at;
  shown.forEach(atHand); // after all changes, so that the layout is computed once
}

// --- From step to step ---

const address = () => new URLSearchParams(location.hash.slice(1));
export function go(step, byTimer = false) {
  if (!byTimer) stop();
  at = Math.max(0, Math.min(end, step));
  show();
  clearTimeout(writing);
  writing = setTimeout(writeAddress, REST);
}
function writeAddress() {
  const now = address();
  now.set("step", at + 1);
  try { history.replaceState(null, "", `#${now}`); } catch { /* a page without an address */ }
}
function stop() {
  clearInterval(timer);
  timer = null;
  $("play").textContent = "▶ Play";
  $("play").setAttribute("aria-pressed", "false");
}
function play() {
  if (timer) return stop();
  if (at === end) go(0);
  timer = setInterval(() => { if (at < end) go(at + 1, true); if (at >= end) stop(); }, PAUSE);
  $("play").textContent = "⏸ Pause";
  $("play").setAttribute("aria-pressed", "true");
}
function toError() { go(errors.find((step) => step > at) ?? errors[0] ?? at); }
export function toAddress() {
  const step = Number(address().get("step"));
  if (step) go(step - 1); else show();
}

const CLICKS = { first: () => go(0), back: () => go(at - 1), next: () => go(at + 1), last: () => go(end), play, error: toError };
const KEYS = { ArrowLeft: CLICKS.back, ArrowRight: CLICKS.next, Home: CLICKS.first, End: CLICKS.last, e: toError };
for (const [id, act] of Object.entries(CLICKS)) $(id).addEventListener("click", act);
$("place").addEventListener("input", () => go(Number($("place").value)));
document.addEventListener("keydown", (event) => {
  if (!runs.length || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("textarea, select, input:not([type=range])")) return;
  const slides = event.target.closest("input") && event.key !== "e" && event.key !== " "; // the slider moves by itself
  if (slides) return;
  if (event.key === " " && !event.target.closest("button, a")) { play(); event.preventDefault(); }
  else if (KEYS[event.key]) { KEYS[event.key](); event.preventDefault(); }
});

// Shows derivations from a step on. `other`, if given, is called with a run, a step and another action to take there.
export function load(values, step = 0, other = null) {
  stop();
  choose = other;
  runs = unfolded(values);
  end = Math.max(...runs.map((run) => run.states.length - 1));
  errors = [...new Set(runs.flatMap((run) => run.errors))].sort((a, b) => a - b);
  shown = runs.map(section);
  $("step").replaceChildren(...shown.map(({ box }) => box));
  $("place").max = end;
  for (const id of ["error", "error-key"]) $(id).hidden = !errors.length;
  at = Math.max(0, Math.min(end, step));
}
