// Tokens: split, joined, written as one; borders of sentences.
import { $, make, visible } from "./elements.js";
import { performEdit, named, tried } from "./actions.js";
import { choices, openDialog, textField } from "./dialogs.js";
import { cursorWord, isLocked, selected, state } from "./state.js";

const close = () => $("tokens-dialog").close();
const does = (edit, told) => () => { close(); performEdit(edit, told); };

export function openTokens() {
  const word = cursorWord();
  if (!word || isLocked()) return;
  const [low, high] = selected(), first = low, last = low === high ? Math.min(high + 1, state.view.words.length) : high;
  const lines = [], inside = state.view.multiword.find((token) => token.first <= word.id && word.id <= token.last);
  const forms = state.view.words.slice(first - 1, last).map((each) => each.form);
  lines.push(["Split the word", visible(word.form), () => askForms(word)]);
  if (first < last) {
    lines.push(["Join into one word", forms.map(visible).join(" + "), does({ edit: "join", first, last }, `Joined ${named(first)} to ${named(last)}`)]);
    if (!inside) lines.push(["Write as one token (multiword token)", forms.map(visible).join(" + "), () => askToken(first, last, forms)]);
  }
  if (inside) lines.push(["Words of their own (no multiword token)", visible(inside.form), does({ edit: "unmultiword", first: inside.first }, `“${inside.form}” divided`)]);
  if (word.id > 1) lines.push(["Begin a new sentence here", visible(word.form), does({ edit: "split_sentence", word: word.id }, `A sentence begins with ${named(word.id)}`)]);
  if (state.view.index + 1 < state.summary.sentences) lines.push(["Join with the next sentence", `sentence ${state.view.index + 2}`, does({ edit: "join_sentence" }, "Sentences joined")]);
  openDialog("tokens-dialog", "Tokens and sentences", choices(lines)).querySelector("li button").focus();
}
function askForms(word) { // a space divides
  const done = (text, refused) => {
    const forms = text.split(/\s+/).filter(Boolean);
    if (forms.length < 2) return refused("Put at least one space between letters.");
    return tried({ edit: "split", word: word.id, forms }, `${named(word.id)} is ${forms.join(" + ")}`, close, refused);
  };
  fill("Split the word", "Put a space where it divides, then press Enter.", "Parts", word.form, done);
}
function askToken(first, last, forms) {
  const done = (text, refused) => {
    const form = text.trim();
    return form ? tried({ edit: "multiword", first, last, form }, `${form} = ${forms.join(" + ")}`, close, refused) : refused("Type how it is written.");
  };
  fill("Multiword token", "How is it written in the text? Then press Enter.", "Token", forms.join(""), done, true);
}
function fill(title, note, name, value, done, replaces = false) { // what was refused stays to be mended
  const why = make("p", { class: "trouble", role: "alert" });
  const field = textField(name, value, (text) => { why.textContent = ""; done(text, (reason) => { why.textContent = visible(reason); }); });
  const input = openDialog("tokens-dialog", title, make("p", { class: "note" }, note), field, why).querySelector("input");
  input.focus();
  if (replaces) input.select();
}
