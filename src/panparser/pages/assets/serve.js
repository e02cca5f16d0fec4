// The page of the server: a text, and its trees.
import { $, isRightToLeft, legend, make, root, row, table, visible } from "./elements.js";
import "./theme.js";
import { about, address, ask, failed, fillModels, say, setAddress } from "./form.js";
import { misc, readConllu } from "./conllu.js";
import { levels, places, reveal, treeDrawing } from "./tree.js";

const AT_A_TIME = 20; // sentences that are drawn
const SURE = [0, 0.5, 0.8, 0.95]; // from where on, in four classes
const EXAMPLE = "They ate the pizza with anchovies. Nobody saw the man with the telescope.";
let models = [], sentences = [], shown = 0;

// --- How sure the parser is ---

function sure(word, key) { // a probability, or null
  const text = misc(word, key);
  return text === null ? null : Number(text);
}
const grade = (value) => SURE.findLastIndex((least) => value >= least);
const percent = (value) => `${Math.floor(100 * value)} %`;
const gradeOf = (letter, value) => value === null ? "" : `${letter}${grade(value)}`;
function keyOfGrades() {
  const names = ["less than 50 %", "50 to 80 %", "80 to 95 %", "95 % and more"];
  const box = legend(names.map((name, i) => [`c${i}`, name]).reverse());
  box.prepend("How sure of the head:");
  return box;
}

// --- One sentence ---

function drawing(own, on) { // what is drawn of a sentence; `picked` tells which word stands out
  const { words, heads } = own, forms = words.map(({ form }) => visible(form)), tags = words.map(({ upos }) => upos === "_" ? "" : upos);
  const texts = words.map(({ label }) => label === "_" ? "" : visible(label)), level = levels(heads);
  const grades = words.map((word) => `${gradeOf("c", sure(word, "Confidence"))} ${gradeOf("l", sure(word, "LabelConfidence"))}`);
  const place = places(forms, [tags], [{ heads, texts }]);
  const label = `Tree of ${words.length} words; arrow keys tell about each word, and the tables list them all`;
  return (picked) => {
    const kinds = grades.map((grades, i) => picked >= 0 && (i === picked || heads[i] === picked + 1) ? `${grades} mine` : grades);
    return { forms, rows: [["tag", tags]], above: { heads, level, texts, kinds }, below: null, place, label, on,
      kinds: words.map((_, i) => i === picked ? "picked" : "") };
  };
}

function told(own, i) { // a word, in words
  const word = own.words[i], head = own.heads[i], box = document.createDocumentFragment();
  const facts = [word.lemma, word.upos, word.xpos, word.feats].filter((fact) => fact !== "_").map(visible);
  const [ofHead, ofLabel] = ["Confidence", "LabelConfidence"].map((key) => sure(word, key));
  box.append(`${i + 1} `, make("bdi", {}, visible(word.form)), facts.length ? ` · ${facts.join(" · ")}` : "");
  if (head >= 0) box.append(` · ${visible(word.label)} of `, make("bdi", {}, head ? visible(own.words[head - 1].form) : "ROOT"));
  if (ofHead !== null) box.append(` · head ${percent(ofHead)}, label ${percent(ofLabel ?? ofHead)} sure`);
  return box;
}

function treeOfSentence(own) {
  const box = make("div"), frame = make("div", { class: "tree", tabindex: "0", role: "group", "aria-label": `Tree: ${own.text}` });
  const line = make("p", { class: "word note", "aria-live": "polite" }, "Click a word, or use the arrow keys, to read about it.");
  const next = isRightToLeft(own.words.map(({ form }) => form)) ? "ArrowLeft" : "ArrowRight", last = own.words.length - 1;
  const drawn = drawing(own, (what, i) => pick(i)), tree = treeDrawing(drawn(-1));
  let picked = -1;
  function pick(i) {
    picked = Math.max(0, Math.min(last, i));
    tree.change(drawn(picked));
    line.replaceChildren(told(own, picked));
    reveal(frame, tree, [picked]);
  }
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !/^(Arrow.*|Home|End)$/.test(event.key)) return;
    event.preventDefault();
    if (event.key === "Home" || event.key === "End") pick(event.key === "Home" ? 0 : last);
    else pick(picked + (event.key === next || event.key === "ArrowDown" ? 1 : -1));
  });
  frame.append(tree.svg);
  box.append(frame, line);
  return { box, after: () => reveal(frame, tree, [0]) };
}

function tableOfSentence(own) {
  const isSure = own.words.some((word) => sure(word, "Confidence") !== null);
  const lines = own.tokens.map((token) => {
    const head = /^\d+$/.test(token.head) ? Number(token.head) : -1;
    const above = head < 0 ? "" : head === 0 ? "0 ROOT" : `${head} ${visible(own.words[head - 1]?.form ?? "")}`;
    const texts = [token.id, token.form, token.lemma, token.upos, token.xpos, token.feats].map((text) => text === "_" ? "" : visible(text));
    const grades = isSure ? ["Confidence", "LabelConfidence"].map((key) => sure(token, key)) : [];
    const line = row("td", [...texts, above, token.label === "_" ? "" : visible(token.label), ...grades.map((value) => value === null ? "" : percent(value))]);
    for (const cell of line.children) cell.setAttribute("dir", "auto");
    line.children[5].replaceChildren(...texts[5].split(/(?=\|)/).flatMap((text) => [text, make("wbr")]));
    line.children[5].setAttribute("class", "feats");
    grades.forEach((value, i) => line.children[8 + i].setAttribute("class", `number ${gradeOf("c", value)}`));
    return line;
  });
  const box = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Table: ${own.text}` });
  const header = ["", "form", "lemma", "UPOS", "XPOS", "features", "head", "label", ...(isSure ? ["sure of head", "of label"] : [])];
  box.append(table(header, lines, header.length));
  return { box };
}
function linesOfSentence(own) {
  const box = make("pre", { tabindex: "0", dir: "ltr", "aria-label": `CoNLL-U: ${own.text}` });
  box.append(make("code", {}, own.block.split("\n").map((line) => line.split("\t").map((cell) => cell && visible(cell)).join("\t")).join("\n")));
  return { box };
}
const VIEWS = { tree: treeOfSentence, table: tableOfSentence, conllu: linesOfSentence };

function section(own, number) {
  const box = make("section", { class: "sentence", "aria-label": `Sentence ${number}` }), title = make("h2");
  title.append(make("span", { class: "soft" }, String(number)), make("bdi", {}, visible(own.text)));
  const model = models.find(({ id }) => id === $("model").value);
  if (model?.derivations && own.heads.some((head) => head >= 0)) {
    const isText = $("input").value !== "conllu";
    const given = new URLSearchParams({ model: model.id, ...(isText ? { text: own.text } : { conllu: own.block }) });
    title.append(make("a", { href: `step#${given}` }, "step through the derivation"));
  }
  const content = VIEWS[view()](own);
  box.append(title, content.box);
  return { box, after: content.after };
}
const view = () => document.querySelector("#view input:checked").value;

function show(from) { // sentences from a place on
  const some = sentences.slice(from, from + AT_A_TIME).map((own, i) => section(own, from + i + 1));
  if (from === 0) $("sentences").replaceChildren();
  $("key").hidden = view() === "conllu";
  $("sentences").append(...some.map(({ box }) => box));
  for (const { after } of some) after?.();
  shown = from + some.length;
  $("more").hidden = shown >= sentences.length;
  $("more").textContent = `${Math.min(AT_A_TIME, sentences.length - shown)} more of ${(sentences.length - shown).toLocaleString("en")}`;
  root.dataset.shown = shown;
}

// --- Asking ---

const INPUTS = { text: { tokenizer: "", tagger: "" }, lines: { tokenizer: "presegmented", tagger: "" }, conllu: { input: "conllu" } };
async function parse() {
  const model = models.find(({ id }) => id === $("model").value), kind = $("input").value, data = $("text").value;
  const options = kind === "conllu" ? "keep" : model.confidence ? "confidence" : "";
  const given = { model: model.id, data, ...INPUTS[kind], ...(model.steps.includes("parser") ? { parser: options } : {}) };
  if (!model.steps.includes("tagger")) delete given.tagger;
  say("Parsing …");
  setAddress({ model: model.id, input: kind === "text" ? "" : kind, view: view() === "tree" ? "" : view(), text: data });
  const start = performance.now(), { result } = await ask("process", given), took = performance.now() - start;
  sentences = readConllu(result);
  const count = sentences.reduce((sum, { words }) => sum + words.length, 0);
  say(`${sentences.length === 1 ? "1 sentence" : `${sentences.length.toLocaleString("en")} sentences`}, ${count.toLocaleString("en")} words, ${Math.max(1, Math.round(took)).toLocaleString("en")} ms`);
  URL.revokeObjectURL($("save").href);
  $("save").href = URL.createObjectURL(new Blob([result], { type: "text/plain" }));
  $("result").hidden = false;
  $("key").replaceChildren(...(given.parser === "confidence" ? [keyOfGrades()] : []));
  show(0);
  root.dataset.ready = "yes";
}
function submit() { parse().catch((error) => { failed(error); root.dataset.ready = "yes"; }); }

$("ask").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
$("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(); });
$("more").addEventListener("click", () => show(shown));
function direct() { $("text").dir = $("input").value === "conllu" ? "ltr" : "auto"; }
$("input").addEventListener("change", direct);
$("view").addEventListener("change", () => { show(0); setAddress({ ...address(), view: view() === "tree" ? "" : view() }); });

function readAddress() {
  const given = address();
  if (given.model) $("model").value = models.some(({ id }) => id === given.model) ? given.model : models[0].id;
  if (Object.hasOwn(INPUTS, given.input ?? "text")) $("input").value = given.input ?? "text";
  if (Object.hasOwn(VIEWS, given.view ?? "tree")) document.querySelector(`#view input[value=${given.view ?? "tree"}]`).checked = true;
  if (given.text !== undefined) $("text").value = given.text;
  direct();
}
async function begin() {
  const found = await about();
  models = found.models;
  $("version").textContent = `panparser ${found.version}`;
  fillModels(models, found.default_model);
  if (found.default_model === "en") $("text").value = EXAMPLE;
  readAddress();
  $("text").focus();
  if ($("text").value) submit(); else root.dataset.ready = "yes";
}
addEventListener("hashchange", () => { if (location.hash !== "#result") { readAddress(); submit(); } });
begin().catch((error) => { failed(error); root.dataset.ready = "yes"; });
