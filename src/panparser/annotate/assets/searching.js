// Finding sentences: by what they say, by their sent_id, by what is noted; and pairs that are labeled in several ways.
import { $, make, visible } from "./elements.js";
import { performEdit, goTo } from "./actions.js";
import { choices, openDialog, textField } from "./dialogs.js";
import { ask } from "./server.js";
import { isLocked, state } from "./state.js";

let last = "";

export function openSearch() {
  const results = make("div", { class: "results", "aria-live": "polite" });
  const look = async (text) => {
    last = text;
    if (!text.trim()) return;
    const { found, most, error } = await ask(`search?text=${encodeURIComponent(text)}`).catch((failure) => ({ found: [], error: failure.message }));
    const lines = found.map((hit) => [visible(hit.text), `sentence ${hit.index + 1}${hit.done ? ", done" : ""}`, () => { $("search-dialog").close(); goTo(hit.index); }]);
    const told = error ?? (found.length < most ? `${found.length} found${found.length ? ":" : ""}` : `The first ${most}:`);
    results.replaceChildren(make("p", { class: "note" }, told), choices(lines));
    results.querySelector("button")?.focus();
  };
  const field = textField("Find", last, look, { type: "search", placeholder: "a form, a lemma, a relation, part of the text …" });
  openDialog("search-dialog", "Search", field, results).querySelector("input").select();
}

// --- The same pair of lemmas, labeled otherwise elsewhere ---

const leave = (index, word) => { $("consistency-dialog").close(); goTo(index, { cursor: word, message: "" }); };

export async function openConsistency() {
  const box = make("div", { class: "results" });
  openDialog("consistency-dialog", "Consistency", box);
  const { view, cursor } = state;
  const [own, all] = await Promise.all([ask(`sentence/${view.index}/consistency/${cursor}`), ask("consistency")]).catch((error) => [{ others: [], error }, { mixed: [] }]);
  box.append(...ofWord(own), ...ofFile(all.mixed));
  box.querySelector("button")?.focus();
}
const pairName = ({ lemma, head_lemma: head }) => `\u2068${visible(lemma)}\u2069 ← \u2068${visible(head)}\u2069`;
function ofWord(own) { // the word under the cursor, elsewhere
  const found = [make("h3", {}, "This word")];
  if (!own.others.length) return [...found, make("p", { class: "note" }, "It is nowhere labeled otherwise, in sentences that are done.")];
  const places = own.others.flatMap((other) => other.places.map(({ sentence, word }) => [sentence, word]));
  found.push(make("p", {}, `${pairName(own)} is ${own.label} here, and something else in ${places.length} ${places.length === 1 ? "place" : "places"}:`));
  for (const other of own.others) {
    const lines = other.places.slice(0, 50).map(({ sentence, word, text }) => [visible(text), `${other.label}, sentence ${sentence + 1}`, () => leave(sentence, word)]);
    found.push(choices(lines));
  }
  const all = make("button", { type: "button", class: "strong" }, `Make all of them ${own.label}`);
  all.addEventListener("click", () => { $("consistency-dialog").close(); performEdit({ edit: "relabel", label: own.label, places }, `${pairName(own)} is ${own.label} in ${places.length} more places`, {}, { layout_version: own.layout_version }); });
  if (!isLocked()) found.push(make("p", {}));
  if (!isLocked()) found.at(-1).append(all);
  return found;
}
function ofFile(mixed) {
  const found = [make("h3", {}, "All pairs that are labeled in several ways")];
  if (!mixed.length) return [...found, make("p", { class: "note" }, "None was found in sentences that are done.")];
  const lines = mixed.map((pair) => [pairName(pair), Object.entries(pair.labels).map(([label, count]) => `${visible(label)} ${count}`).join(", "), () => leave(...pair.first)]);
  return [...found, choices(lines)];
}
export const goToNumber = () => { $("number").focus(); $("number").select(); };
