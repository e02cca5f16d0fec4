// Questions to the server, by the interface that other programs use; of several, the last one counts.
import { $ } from "./elements.js";

let running = null;

async function answer(path, options) {
  let found;
  try {
    found = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is it still running?");
  }
  if (!found.ok) throw new Error((await found.text()) || `The server answers with code ${found.status}.`);
  return found.json();
}

export const about = () => answer("about", {});
export function ask(path, parameters) {
  running?.abort();
  running = new AbortController();
  return answer(path, { method: "POST", body: new URLSearchParams(parameters), signal: running.signal });
}

// Shows how it stands: what is being done, what was done, or what went wrong.
export function say(text, isError = false) {
  $("state").textContent = text;
  $("state").classList.toggle("bad-text", isError);
}
export function failed(error) {
  if (error.name !== "AbortError") say(error.message, true); // another question came
}

// What the address of a page says, and how it is changed without loading it again.
export const address = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const LONGEST = 4000; // characters of an address
export function setAddress(values) {
  const given = new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();
  history.replaceState(null, "", given.length > LONGEST ? location.pathname : `#${given}`);
}

export function fillModels(models, wanted) { // the choice of a model
  const options = models.map(({ id }) => {
    const option = document.createElement("option");
    option.value = option.textContent = id;
    return option;
  });
  $("model").replaceChildren(...options);
  if (models.some(({ id }) => id === wanted)) $("model").value = wanted;
}
