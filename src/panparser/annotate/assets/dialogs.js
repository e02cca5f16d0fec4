// Dialogs: opened over the page, closed by Escape, after which keys act on the tree again.
import { $, make } from "./elements.js";

export function openDialog(id, title, ...children) {
  const dialog = $(id), head = make("div", { class: "dialog-head" }), close = make("button", { type: "button", "aria-label": "Close" }, "✕");
  close.addEventListener("click", () => dialog.close());
  head.append(make("h2", {}, title), close);
  dialog.replaceChildren(head, ...children);
  dialog.tabIndex = -1;
  if (!dialog.open) dialog.showModal();
  dialog.focus();
  dialog.addEventListener("keydown", (event) => { if (event.key !== "Escape") event.stopPropagation(); });
  dialog.addEventListener("close", () => $("tree").focus(), { once: true });
  return dialog;
}
export function choices(lines) { // a list of buttons: texts, notes, and what they do
  const list = make("ul", { class: "choices" });
  for (const [text, note, act] of lines) {
    const item = make("li"), button = make("button", { type: "button" });
    button.append(make("bdi", {}, text), make("span", { class: "note" }, note));
    button.addEventListener("click", act);
    item.append(button);
    list.append(item);
  }
  list.addEventListener("keydown", (event) => {
    const buttons = [...list.querySelectorAll("button")], at = buttons.indexOf(document.activeElement), step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && buttons[at + step]) { buttons[at + step].focus(); event.preventDefault(); }
  });
  return list;
}
export function textField(title, value, done, attributes = {}) {
  const label = make("label", { class: "field" }, `${title} `), input = make("input", { autocomplete: "off", spellcheck: "false", dir: "auto", ...attributes });
  input.value = value;
  input.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); done(input.value); } });
  label.append(input);
  return label;
}
