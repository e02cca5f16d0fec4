// Finding sentences: by what they say, by their sent_id, by what is noted; and pairs that are labeled in several ways.
import { $, make, visible } from "./elements.js";
import { edit, goTo } from "./actions.js";
import { choices, openDialog, textField } from "./dialogs.js";
import { ask } from "./server.js";

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

export async function openConsistency() {
  const box = make("div", { class: "results" });
  openDialog("consistency-dialog", "Consistency", make("p", { class: "note" }, "Pairs of lemmas, word and head, that are decided in several ways. Choose a place to see it, or give all of them one relation."), box);
  const { pairs } = await ask("consistency").catch((error) => ({ pairs: [], error }));
  box.replaceChildren(...pairs.slice(0, 100).map(pairBox));
  if (!pairs.length) box.append(make("p", {}, "No such pair was found among the decided words."));
}
function pairBox({ lemma, head_lemma: head, labels, total }) {
  const section = make("details", { class: "pair" }), summary = make("summary");
  summary.append(make("bdi", {}, visible(lemma)), " ← ", make("bdi", {}, visible(head)), make("span", { class: "note" }, ` ${labels.map(({ label, places }) => `${visible(label)} ${places.length}`).join(", ")}`));
  section.append(summary);
  const every = labels.flatMap(({ places }) => places.map(([index, word]) => [index, word]));
  for (const { label, places } of labels) {
    const line = make("div", { class: "way" }), all = make("button", { type: "button" }, `${visible(label)} for all ${total ?? every.length}`);
    all.addEventListener("click", () => { $("consistency-dialog").close(); edit({ op: "relabel", label, places: every }, `${lemma} ← ${head}: ${label} everywhere`); });
    line.append(make("strong", {}, visible(label)), all, ...places.slice(0, 40).map(place));
    section.append(line);
  }
  return section;
}
function place([index, word]) {
  const button = make("button", { type: "button", class: "plain" }, index + 1);
  button.addEventListener("click", () => { $("consistency-dialog").close(); goTo(index, { cursor: word, message: "" }); });
  return button;
}
export const goToNumber = () => { $("number").focus(); $("number").select(); };
