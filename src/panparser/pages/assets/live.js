// Derivations from the server: of any sentence, and what would have happened with another action.
import { $, root } from "./elements.js";
import "./theme.js";
import { about, address, ask, failed, fillModels, say, setAddress } from "./form.js";
import { load, toAddress } from "./derivation.js";

const EXAMPLE = "They ate the pizza with anchovies.";
let models = [], asked = {}, own = null, actions = []; // the own derivation of the parser, and the actions that were given

function derivation(given) {
  const { model, beam, text, conllu } = asked;
  const data = conllu ? { data: conllu, input: "conllu" } : { data: text, tokenizer: "presegmented", tagger: "" };
  return ask("derivation", { model, ...data, ...(beam ? { beam } : {}), ...(given.length ? { actions: given.join(" ") } : {}) });
}

// Goes on from another action than the one that a run took at a step.
function choose(run, step, action) {
  const taken = run.states.slice(0, step).map(({ choices }) => run.texts[choices[0][0]]);
  change([...taken, action], step).then(toChanged).catch(failed);
}
function toChanged() { // the button that was clicked is gone
  const run = document.querySelector(".run:last-child"), isBelow = run.getBoundingClientRect().top > innerHeight / 2;
  run.querySelector(".tree").focus({ preventScroll: true });
  if (isBelow) run.scrollIntoView();
}
async function change(given, step) {
  const start = performance.now(), values = given.length ? await derivation(given) : own;
  actions = given;
  const other = { ...values.runs?.[0], name: "What would have happened" };
  load(given.length ? { ...own, runs: [own.runs[0], other] } : own, step, choose);
  setAddress({ ...asked, actions: actions.join(" "), step: step + 1 });
  toAddress();
  $("changed").hidden = !given.length;
  $("what").textContent = given.length ? `At step ${given.length}, ${given.at(-1)} was given; the parser goes on from there.` : "";
  if (given.length) say(`Changed in ${Math.max(1, Math.round(performance.now() - start))} ms`);
  root.dataset.changed = given.length;
}

async function show(given = [], step = 0) {
  say("Deriving …");
  own = await derivation([]);
  say("");
  document.title = own.title;
  await change(given, step);
  root.dataset.ready = "yes";
}
function submit() {
  asked = { model: $("model").value, beam: $("beam").value, text: $("text").value.replace(/\s+/g, " ").trim() };
  if (!asked.text) return say("Type a sentence.", true);
  return show().catch(failed);
}

$("ask").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
$("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); submit(); } });
$("own").addEventListener("click", () => change([], Math.max(0, actions.length - 1)).catch(failed));
$("undo").addEventListener("click", undo);
// The last action that was given is taken back; those before it that the parser would take by itself, too.
function undo() {
  const usual = own.runs[0].steps.map((step) => step.choices && own.runs[0].texts[step.choices[0][0]]);
  const rest = actions.slice(0, -1), first = rest.findIndex((action, i) => action !== usual[i]);
  change(first < 0 ? [] : rest, Math.max(0, actions.length - 1)).catch(failed);
}

function readAddress() {
  const { model, beam = "", text, conllu, actions: given = "", step } = address();
  fillModels(models, model ?? $("model").value);
  $("beam").value = [...$("beam").options].some(({ value }) => value === beam) ? beam : "";
  $("text").value = text ?? (conllu ? "" : EXAMPLE);
  $("ask").hidden = Boolean(conllu);
  asked = { model: $("model").value, beam: $("beam").value, ...(conllu ? { conllu } : { text: $("text").value }) };
  return show(given.split(" ").filter(Boolean), Math.max(0, (Number(step) || 1) - 1));
}
async function begin() {
  const found = await about();
  models = found.models.filter(({ derivations }) => derivations);
  if (!models.length) return say("None of the models has derivations that can be shown.", true);
  fillModels(models, found.default_model);
  return readAddress();
}
addEventListener("hashchange", () => { if (location.hash !== "#step") readAddress().catch(failed); });
begin().catch(failed);
