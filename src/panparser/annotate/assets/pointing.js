// The mouse: dependent first, then its head; the same word twice: root; or a line drawn from governor to dependent.
import { $, draw, make } from "./elements.js";
import { attach, moveTo, pick } from "./actions.js";
import { isLocked, set } from "./state.js";

const FAR = 8; // pixels: less is a click
let begun = null; // { word, x, y, line }

const KEPT = "panparser-lines"; // which way lines are drawn
const fromDependents = () => { try { return localStorage.getItem(KEPT) === "from dependents"; } catch { return false; } };
export function directionField() { // a choice, for those who are used to the other way
  const label = make("label", { class: "choice" }), box = make("input", { type: "checkbox" });
  box.checked = fromDependents();
  box.addEventListener("change", () => { try { localStorage.setItem(KEPT, box.checked ? "from dependents" : "from heads"); } catch { /* no storage: it cannot be kept */ } });
  label.append(box, " Lines are drawn from the dependent to its head");
  return label;
}
const wordOf = (target) => { const hit = target.closest?.("[data-word]"); return hit ? Number(hit.dataset.word) : null; };
const arcOf = (target) => { const hit = target.closest?.("[data-arc]"); return hit ? Number(hit.dataset.arc) : null; };
const at = (svg, event) => { const box = svg.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };

function onDown(event) {
  const word = wordOf(event.target);
  if (event.button !== 0 || word == null) return;
  begun = { word, x: event.clientX, y: event.clientY, line: null };
}
function onMove(event) {
  if (!begun) return;
  if (!begun.line && Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < FAR) return;
  const svg = $("tree").querySelector("svg");
  if (!begun.line) {
    begun.line = draw("path", { class: "rubber" });
    begun.from = at(svg, { clientX: begun.x, clientY: begun.y });
    svg.append(begun.line);
    $("tree").classList.add("dragging");
    $("tree").setPointerCapture(event.pointerId);
  }
  const [x, y] = at(svg, event), [a, b] = begun.from, high = Math.min(b, y) - 40;
  begun.line.setAttribute("d", `M${a},${b}C${a},${high} ${x},${high} ${x},${y}`);
}
function onUp(event) {
  if (!begun) return;
  const { word, line } = begun;
  begun = null;
  $("tree").classList.remove("dragging");
  if (line) {
    line.remove();
    const target = document.elementFromPoint(event.clientX, event.clientY), other = target && wordOf(target);
    if (other != null && other !== word && !isLocked()) attach(...(fromDependents() ? [word, other] : [other, word]));
    return;
  }
  moveToAndPick(word, event.shiftKey);
}
function moveToAndPick(word, extend) {
  moveTo(word, { extend });
  if (!extend && !isLocked()) pick();
}
function onClick(event) { // an arc: its dependent, whose labels are then shown
  const arc = arcOf(event.target);
  if (arc != null) { set({ picked: null }); moveTo(arc); } else if (wordOf(event.target) == null && event.target.closest("#tree")) set({ picked: null, range: null });
}
export function preparePointing() {
  const tree = $("tree");
  tree.addEventListener("pointerdown", onDown);
  tree.addEventListener("pointermove", onMove);
  tree.addEventListener("pointerup", onUp);
  tree.addEventListener("pointercancel", () => { begun?.line?.remove(); begun = null; });
  tree.addEventListener("click", onClick);
}
