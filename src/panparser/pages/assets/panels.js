// What is shown of a state beside its tree: tokens, the action in words, scores, features, the beam.
import { make, row, table, visible } from "./elements.js";
import { nameOf } from "./states.js";

const SHOWN = 9; // tokens of a stack or a buffer; of all tokens, where any may be at hand, more
const MANY = 200, CHAIN = 5;
const number = (value) => value.toFixed(2).replace("-", "−");

// With a free focus, actions name the token at S0 by its number.
function shownAction(run, action) {
  const text = run.texts[action], token = run.free ? Number(text.split("@")[1]) : NaN;
  return Number.isNaN(token) ? text : `${text} ${nameOf(run, token)}`;
}

export function tokens(run, caption, kind, list, letter, topLast) {
  const box = make("div", { class: `line ${kind}` }), items = make("ol", { "aria-label": caption, dir: run.backwards ? "rtl" : "ltr" });
  const order = list.map((token, i) => [token, topLast ? list.length - 1 - i : i]);
  const near = order.filter(([, depth]) => depth < (run.free ? MANY : SHOWN));
  const rest = list.length - near.length;
  const more = () => make("li", { class: "rest" }, `… ${rest} more`);
  if (rest && topLast) items.append(more());
  for (const [token, depth] of near) {
    const item = make("li", depth === 0 && !run.free ? { class: "end" } : {});
    item.append(make("bdi", { title: nameOf(run, token) }, nameOf(run, token)), make("small", {}, run.free ? String(token) : `${letter}${depth}`));
    items.append(item);
  }
  if (rest && !topLast) items.append(more());
  box.append(make("span", { class: "name" }, caption), list.length ? items : make("span", { class: "empty" }, "empty"));
  return box;
}

export function taken(run, state) { // what is done here, in words
  const box = make("p", { class: "taken" });
  if (!state.choices) {
    box.append("The derivation is complete.");
    return box;
  }
  const [action, , cost] = state.choices[0];
  box.append(make("strong", {}, run.texts[action]));
  if (state.arc) {
    const label = run.texts[state.label];
    box.append(state.proposed ? " proposes the arc " : " makes the arc ", make("bdi", {}, nameOf(run, state.arc[0])), " → ", make("bdi", {}, nameOf(run, state.arc[1])), label ? `, ${label}` : "");
  }
  if (cost > 0) box.append(" ", make("span", { class: "bad-text" }, `✗ costs ${cost}: ${cost === 1 ? "a gold arc is" : `${cost} gold arcs are`} lost`));
  else if (cost === 0) box.append(" ", make("span", { class: "good-text" }, "✓ costs nothing"));
  return box;
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

function chooser(text, act) {
  const button = make("button", { type: "button", class: "other", title: `Take ${text} here, and go on from there` }, text);
  button.addEventListener("click", act);
  return button;
}
// `choose`, if given, is called with another action than the one that was taken.
export function actions(run, state, choose) {
  const scored = state.choices[0][1] !== null, costed = state.choices[0][2] !== null;
  const scores = state.choices.map(([, score]) => score);
  const low = Math.min(...scores), high = Math.max(...scores);
  const lines = state.choices.map(([action, score, cost], i) => {
    const cells = [choose && i > 0 ? chooser(shownAction(run, action), () => choose(run.texts[action])) : shownAction(run, action)];
    if (scored) cells.push(bar(score, low, high), number(score));
    if (costed) cells.push(cost === 0 ? "0 ✓" : `${cost} ✗`);
    const line = row("td", cells, i === 0 ? { class: "chosen", "aria-current": "true" } : {});
    if (scored) line.children[1].setAttribute("class", "bars");
    return line;
  });
  if (state.more) lines.push(row("td", [`… ${state.more} more`]));
  return block("Legal actions", table(["action", ...(scored ? ["", "score"] : []), ...(costed ? ["cost"] : [])], lines));
}

export function labels(run, state) {
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
export function reasons(run, state) {
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
export function beam(run, step) {
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
