// Derivations: what the states of a run are, and the drawing of one of them.
import { isRightToLeft, visible } from "./elements.js";
import { levels, places, tall } from "./tree.js";

const goldTexts = (gold) => gold.heads.map((_, i) => gold.labels[i] ?? "");
// Are all arcs of a state those of the final one? Then they keep their heights.
const same = (state, last) => state.heads.every((head, i) => head < 0 || head === last.heads[i]);

// The runs of a sentence, each with its states, and with what it shares with the others: words at the same places.
export function unfolded({ forms, tags, gold, runs }) {
  const shared = { forms: forms.map(visible), tags, gold, backwards: isRightToLeft(forms), goldLevel: gold ? levels(gold.heads) : null };
  const found = runs.map((run) => withStates({ ...run, ...shared }));
  const sides = found.map(({ states }) => ({ heads: states.at(-1).heads, texts: states.at(-1).labels.map((label) => `✗ ${label}`) }));
  if (gold) sides.push({ heads: gold.heads, texts: goldTexts(gold) });
  const place = places(shared.forms, [tags, forms.map(() => "S0")], sides);
  const heights = [Math.max(...found.map(({ highest }) => highest)), gold ? tall(shared.goldLevel) : 0];
  return found.map((run) => ({ ...run, place, heights }));
}
function withStates(run) { // heads and labels of each state, from what changed
  let heads = run.forms.map(() => -1), labels = run.forms.map(() => "");
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
  const last = states.at(-1), level = levels(last.heads);
  const errors = states.flatMap((step, i) => step.choices && step.choices[0][2] > 0 ? [i] : []);
  const highest = states.reduce((most, state) => same(state, last) ? most : Math.max(most, tall(levels(state.heads))), tall(level));
  return { ...run, states, errors, level, highest };
}

export const nameOf = (run, token) => token === 0 ? "ROOT" : run.forms[token - 1];

// Labels as they are compared: without subtypes, as scores are, and without the marks of lifted arcs.
const plain = (run, label) => (run.lifted ? label.replace(/\|+$/, "").split("^")[0] : label).split(":")[0];
function kindOf(run, state, i) { // of an arc beside the gold tree
  if (!run.gold || state.heads[i] < 0) return "same";
  if (state.heads[i] !== run.gold.heads[i]) return "head";
  return run.gold.labels.length && state.labels[i] && plain(run, state.labels[i]) !== plain(run, run.gold.labels[i]) ? "label" : "same";
}

export function treeOf(run, state) { // what is drawn of a state
  const { forms, tags, gold } = run;
  const marks = { same: "", label: "≠ ", head: "✗ " };
  const kinds = forms.map((_, i) => kindOf(run, state, i));
  const above = { heads: state.heads, level: same(state, run.states.at(-1)) ? run.level : levels(state.heads),
    texts: state.labels.map((label, i) => marks[kinds[i]] + label),
    kinds: kinds.map((kind, i) => state.fresh.has(i) ? `new ${kind}` : kind) };
  const below = gold && { heads: gold.heads, level: run.goldLevel, texts: goldTexts(gold),
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
  return { forms, rows: [["tag", tags], ["at", spots]], above, below, kinds: words, place: run.place,
    heights: run.heights, label: `Tree so far: ${made} of ${forms.length} words have a head${gold ? "; the gold tree is below the words" : ""}` };
}

