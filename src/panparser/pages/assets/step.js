
// --- Derivations, step by step ---

const forms = data.forms.map(visible), gold = data.gold;
const backwards = isRightToLeft(data.forms), CHAIN = 5, PAUSE = 900;
const SHOWN = 9; // tokens of a stack or a buffer; of all tokens, where any may be at hand, more
const MANY = 200;
const name = (token) => token === 0 ? "ROOT" : forms[token - 1];
const number = (value) => value.toFixed(2).replace("-", "−");

// Heads and labels of each state, from what changed.
function unfolded(run) {
  let heads = forms.map(() => -1), labels = forms.map(() => "");
  const states = run.steps.map((step) => {
    heads = [...heads];
    labels = [...labels];
    const fresh = new Set();
    for (const [word, head, label] of step.arcs ?? []) {
      heads[word - 1] = head;
      labels[word - 1] = run.texts[label];
      fresh.add(word - 1);
    }
    return { ...step, heads, labels, fresh };
  });
  const last = states.at(-1);
  const errors = states.flatMap((step, i) => step.choices && step.choices[0][2] > 0 ? [i] : []);
  const goldLevel = gold ? levels(gold.heads) : null;
  const level = levels(last.heads);
  const highest = states.reduce((most, state) => same(state, last) ? most : Math.max(most, tall(levels(state.heads))), tall(level));
  const rows = [data.tags, forms.map(() => "S0")];
  const marked = last.labels.map((label) => `✗ ${label}`);
  const sides = [{ heads: last.heads, texts: marked }, ...(gold ? [{ heads: gold.heads, texts: goldTexts() }] : [])];
  return { ...run, states, errors, level, goldLevel, place: places(forms, rows, sides), heights: [highest, gold ? tall(goldLevel) : 0] };
}
const goldTexts = () => gold.heads.map((_, i) => gold.labels[i] ?? "");
// Are all arcs of a state those of the final one? Then they keep their heights.
const same = (state, last) => state.heads.every((head, i) => head < 0 || head === last.heads[i]);

const runs = data.runs.map(unfolded);
const end = Math.max(...runs.map((run) => run.states.length - 1));
const errors = [...new Set(runs.flatMap((run) => run.errors))].sort((a, b) => a - b);
let at = 0, timer = null;

// --- One state ---

// Labels as they are compared: without subtypes, as scores are, and without the marks of lifted arcs.
const plain = (run, label) => (run.lifted ? label.replace(/\|+$/, "").split("^")[0] : label).split(":")[0];
// With a free focus, actions name the token at S0 by its number.
function shownAction(run, action) {
  const text = run.texts[action], token = run.free ? Number(text.split("@")[1]) : NaN;
  return Number.isNaN(token) ? text : `${text} ${name(token)}`;
}

function kindOf(run, state, i) { // of an arc beside the gold tree
  if (!gold || state.heads[i] < 0) return "same";
  if (state.heads[i] !== gold.heads[i]) return "head";
  return gold.labels.length && state.labels[i] && plain(run, state.labels[i]) !== plain(run, gold.labels[i]) ? "label" : "same";
}

function tree(run, state) { // what is drawn of a state
  const marks = { same: "", label: "≠ ", head: "✗ " };
  const kinds = forms.map((_, i) => kindOf(run, state, i));
  const above = { heads: state.heads, level: same(state, run.states.at(-1)) ? run.level : levels(state.heads),
    texts: state.labels.map((label, i) => marks[kinds[i]] + label),
    kinds: kinds.map((kind, i) => state.fresh.has(i) ? `new ${kind}` : kind) };
  const below = gold && { heads: gold.heads, level: run.goldLevel, texts: goldTexts(),
    kinds: gold.heads.map((head, i) => state.heads[i] < 0 ? "waiting" : state.heads[i] === head ? "same" : "lost") };
  const spots = forms.map(() => ""), words = forms.map(() => "done");
  const put = (tokens, letter, kind) => tokens.forEach((token, i) => {
    if (token > 0) { spots[token - 1] = i < 4 ? `${letter}${i}` : ""; words[token - 1] = kind; }
  });
  put(state.buffer, "B", "waits");
  if (run.free) spots.fill("");
  put(state.aside ?? [], "L", "stacked");
  put([...state.stack].reverse(), "S", "stacked");
  const made = state.heads.filter((head) => head >= 0).length;
  return { forms, rows: [["tag", data.tags], ["at", spots]], above, below, kinds: words, place: run.place,
    heights: run.heights, label: `Tree so far: ${made} of ${forms.length} words have a head${gold ? "; the gold tree is below the words" : ""}` };
}

function tokens(run, caption, kind, list, letter, topLast) {
  const box = make("div", { class: `line ${kind}` }), items = make("ol", { "aria-label": caption, dir: backwards ? "rtl" : "ltr" });
  const order = list.map((token, i) => [token, topLast ? list.length - 1 - i : i]);
  const near = order.filter(([, depth]) => depth < (run.free ? MANY : SHOWN));
  const rest = list.length - near.length;
  const more = () => make("li", { class: "rest" }, `… ${rest} more`);
  if (rest && topLast) items.append(more());
  for (const [token, depth] of near) {
    const item = make("li", depth === 0 && !run.free ? { class: "end" } : {});
    item.append(make("bdi", { title: name(token) }, name(token)), make("small", {}, run.free ? String(token) : `${letter}${depth}`));
    items.append(item);
  }
  if (rest && !topLast) items.append(more());
  box.append(make("span", { class: "name" }, caption), list.length ? items : make("span", { class: "empty" }, "empty"));
  return box;
}

function taken(run, state) { // what is done here, in words
  const box = make("p", { class: "taken" });
  if (!state.choices) {
    box.append("The derivation is complete.");
    return box;
  }
  const [action, , cost] = state.choices[0];
  box.append(make("strong", {}, run.texts[action]));
  if (state.arc) {
    const label = run.texts[state.label];
    box.append(state.proposed ? " proposes the arc " : " makes the arc ", make("bdi", {}, name(state.arc[0])), " → ", make("bdi", {}, name(state.arc[1])), label ? `, ${label}` : "");
  }
  if (cost > 0) box.append(" ", make("span", { class: "bad-text" }, `✗ costs ${cost}: ${cost === 1 ? "a gold arc is" : `${cost} gold arcs are`} lost`));
  else if (cost === 0) box.append(" ", make("span", { class: "good-text" }, "✓ costs nothing"));
  return box;
}

function table(header, lines, left = 1) {
  const found = make("table"), head = make("thead"), body = make("tbody"), line = row("th", header);
  for (const cell of [...line.children].slice(0, left)) cell.setAttribute("class", "left");
  head.append(line);
  body.append(...lines);
  found.append(head, body);
  return found;
}
function block(title, content, kind = "") {
  const box = make("div", { class: kind, role: "region", "aria-label": title, tabindex: "0" });
  box.append(make("h3", {}, title), content);
  return box;
}
function bar(value, low, high) {
  const found = make("span", { class: "bar" });
  found.style.width = `${Math.round(4 + 96 * (high > low ? (value - low) / (high - low) : 1))}px`;
  return found;
}

function actions(run, state) {
  const scored = state.choices[0][1] !== null, costed = state.choices[0][2] !== null;
  const scores = state.choices.map(([, score]) => score);
  const low = Math.min(...scores), high = Math.max(...scores);
  const lines = state.choices.map(([action, score, cost], i) => {
    const cells = [shownAction(run, action)];
    if (scored) cells.push(bar(score, low, high), number(score));
    if (costed) cells.push(cost === 0 ? "0 ✓" : `${cost} ✗`);
    const line = row("td", cells, i === 0 ? { class: "chosen", "aria-current": "true" } : {});
    if (scored) line.children[1].setAttribute("class", "bars");
    return line;
  });
  if (state.more) lines.push(row("td", [`… ${state.more} more`]));
  return block("Legal actions", table(["action", ...(scored ? ["", "score"] : []), ...(costed ? ["cost"] : [])], lines));
}

function labels(run, state) {
  const scores = state.labels_ranked.map(([, score]) => score);
  const lines = state.labels_ranked.map(([label, score]) => {
    const line = row("td", [run.texts[label], bar(score, Math.min(...scores), Math.max(...scores)), number(score)], label === state.label ? { class: "chosen", "aria-current": "true" } : {});
    line.children[1].setAttribute("class", "bars");
    return line;
  });
  return block("Labels of the arc", table(["label", "", "score"], lines));
}

function signed(value) {
  return make("span", value < 0 ? { class: "minus" } : {}, `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`);
}
function reasons(run, state) {
  const action = run.texts[state.choices[0][0]], rival = state.choices.length > 1 ? run.texts[state.choices[1][0]] : null;
  const lines = state.reasons.map(([feature, own, other]) => {
    const cells = [visible(run.texts[feature]), signed(own)];
    if (rival) cells.push(signed(other), signed(own - other));
    const line = row("td", cells);
    line.children[0].setAttribute("class", "feature");
    return line;
  });
  return block(rival ? `Features behind ${action}, beside ${rival}` : `Features behind ${action}`,
    table(["feature", action, ...(rival ? [rival, "difference"] : [])], lines));
}

function chain(run, step, hypothesis) { // the last actions of a hypothesis, through the beams before
  const found = [];
  let own = hypothesis;
  for (let i = step; own && found.length < CHAIN; i--) {
    if (own[2] >= 0) found.unshift(run.texts[own[2]]);
    const source = own[1];
    own = i > 0 ? run.states[i - 1].beam.find((other) => other[0] === source) : null;
    if (own && found.length === CHAIN) found.unshift("…");
  }
  return found.join(" ");
}
function beam(run, step) {
  const state = run.states[step];
  const counted = state.beam[0][4] !== null;
  const lines = state.beam.map((hypothesis) => {
    const [rank, , , score, loss, isPath] = hypothesis, kept = rank >= 0;
    const marks = [isPath ? "● the tree" : "", loss === 0 ? "✓ gold" : "", kept ? "" : "✗ fell off"].filter(Boolean).join(", ");
    const line = row("td", [kept ? String(rank + 1) : "–", chain(run, step, hypothesis), number(score), ...(counted ? [String(loss)] : []), marks],
      { class: isPath ? "chosen path" : kept ? "" : "fallen" });
    line.children[1].setAttribute("class", "actions");
    line.lastChild.setAttribute("class", "text");
    return line;
  });
  const title = `Beam after this step: ${run.beam} at most`;
  const box = block(title, table(["rank", "last actions", "score", ...(counted ? ["lost"] : []), ""], lines, 2), "whole");
  if (run.gold_left !== null) {
    const text = `The gold derivation leaves the beam at step ${run.gold_left + 1}.`;
    box.insertBefore(make("p", { class: step >= run.gold_left ? "bad-text" : "soft" }, text), box.lastChild);
  }
  return box;
}

// --- The page ---

function panel(run) {
  const box = make("section", { class: "run", "aria-label": run.name });
  const parts = Object.fromEntries(["tree", "lines", "taken", "panels"].map((part) => [part, make("div", part === "lines" ? {} : { class: part === "taken" ? "" : part })]));
  parts.tree.setAttribute("tabindex", "0");
  parts.tree.setAttribute("role", "group");
  parts.tree.setAttribute("aria-label", `Tree of ${run.name}`);
  const what = run.name === run.system ? "" : run.system;
  const how = run.beam > 1 ? `beam of ${run.beam}` : run.beam === 1 ? "greedy" : "no model: the actions are given, costs are exact";
  box.append(make("h2", { dir: "auto" }, run.name),
    make("p", { class: "note" }, [what, how, `${run.states.length - 1} steps`, run.note].filter(Boolean).join(" · ")));
  if (gold) box.append(legend());
  box.append(parts.tree, parts.lines, parts.taken);
  if (errors.length) box.append(listOfErrors(run));
  box.append(parts.panels);
  return { box, parts };
}
function legend() {
  const box = make("div", { class: "legend" });
  const keys = [["new", "new"], ["", "right so far"], ["head", "✗ wrong head"], ["waiting", "gold, not made yet"], ["lost", "gold, lost"]];
  if (gold.labels.length && runs.some((run) => run.beam)) keys.splice(3, 0, ["label", "≠ wrong label"]);
  for (const [kind, text] of keys) {
    const key = make("span");
    key.append(make("span", { class: `key-line ${kind}` }), text);
    box.append(key);
  }
  return box;
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

const panels = runs.map(panel);
$("step").append(...panels.map(({ box }) => box));
$("place").max = end;
for (const id of ["error", "error-key"]) $(id).hidden = !errors.length;

function reveal(box, run, state) { // the words at hand, where a tree is wider than its box
  if (box.scrollHeight > box.clientHeight) box.scrollTop = run.drawing.middle - box.clientHeight / 2;
  const spots = [state.stack.at(-1), state.buffer[0]].filter((token) => token > 0).map((token) => run.place.centers[token - 1]);
  if (!spots.length || box.scrollWidth <= box.clientWidth) return;
  const low = Math.min(...spots) - 90, high = Math.max(...spots) + 90;
  if (low < box.scrollLeft || high > box.scrollLeft + box.clientWidth) box.scrollLeft = low + (high - low - box.clientWidth) / 2;
}

function show() {
  runs.forEach((run, i) => {
    const step = Math.min(at, run.states.length - 1), state = run.states[step], { box, parts } = panels[i];
    if (run.drawing) run.drawing.change(tree(run, state));
    else parts.tree.append((run.drawing = treeDrawing(tree(run, state))).svg);
    const lines = run.free ? [] : [tokens(run, "Stack", "stack", state.stack, "S", true)];
    if (run.has_list) lines.push(tokens(run, "List", "list", state.aside ?? [], "L", false));
    lines.push(tokens(run, run.free ? "Tokens" : "Buffer", "buffer", state.buffer, "B", false));
    parts.lines.replaceChildren(...lines);
    parts.taken.replaceChildren(taken(run, state));
    const blocks = [];
    if (state.choices) blocks.push(make("div"));
    if (state.choices) blocks[0].append(actions(run, state), ...(state.labels_ranked ? [labels(run, state)] : []));
    if (state.reasons) blocks.push(reasons(run, state));
    if (state.beam) blocks.push(beam(run, step));
    parts.panels.replaceChildren(...blocks);
    for (const button of box.querySelectorAll(".errors button")) {
      if (Number(button.dataset.step) === at) button.setAttribute("aria-current", "true"); else button.removeAttribute("aria-current");
    }
  });
  runs.forEach((run, i) => reveal(panels[i].parts.tree, run, run.states[Math.min(at, run.states.length - 1)])); // the layout is known once
  $("place").value = at;
  $("place").setAttribute("aria-valuetext", `step ${at + 1} of ${end + 1}`);
  $("status").textContent = at === end ? `End, after ${end} steps` : `Step ${at + 1} of ${end}`;
  $("first").disabled = $("back").disabled = at === 0;
  $("last").disabled = $("next").disabled = at === end;
  root.dataset.step = at;
}
function go(step, byTimer = false) {
  if (!byTimer) stop();
  at = Math.max(0, Math.min(end, step));
  show();
  try { history.replaceState(null, "", `#step=${at + 1}`); } catch { /* a page without an address */ }
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

$("first").addEventListener("click", () => go(0));
$("back").addEventListener("click", () => go(at - 1));
$("next").addEventListener("click", () => go(at + 1));
$("last").addEventListener("click", () => go(end));
$("play").addEventListener("click", play);
$("error").addEventListener("click", toError);
$("place").addEventListener("input", () => go(Number($("place").value)));
const KEYS = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(end), e: toError };
document.addEventListener("keydown", (event) => {
  const slides = event.target.closest("input") && event.key !== "e" && event.key !== " "; // the slider moves by itself
  if (event.ctrlKey || event.metaKey || event.altKey || slides) return;
  if (event.key === " " && !event.target.closest("button, a")) { play(); event.preventDefault(); }
  else if (KEYS[event.key]) { KEYS[event.key](); event.preventDefault(); }
});
function readAddress() {
  const step = Number(new URLSearchParams(location.hash.slice(1)).get("step"));
  if (step) go(step - 1); else show();
}
addEventListener("hashchange", () => { if (location.hash !== "#step") readAddress(); });
readAddress();
root.dataset.ready = "yes";
