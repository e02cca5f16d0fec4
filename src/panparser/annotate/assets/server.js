// The server: questions, edits that are acknowledged one by one, and what it tells by itself.
import { root } from "./elements.js";
import { set, state } from "./state.js";

const AGAIN = 1000; // milliseconds between attempts when the server is gone
const GONE = "The server does not answer";
const STRANGER = "This page is of an earlier run of panparser annotate: open the address that was printed last, then close this one";

class Refused extends Error {
  constructor(status, answer) {
    super(answer.error ?? `error ${status}`);
    this.status = status;
    this.answer = answer;
  }
}
export class Unknown extends Error {} // a change that cannot be repeated, and whose answer was lost
async function exchanged(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", cache: "no-store", redirect: "error", ...options });
  } catch {
    throw new Refused(0, { error: GONE });
  }
  const answer = await response.json().catch(() => null);
  if (answer === null) throw new Refused(response.ok ? 0 : response.status, { error: response.ok ? GONE : `error ${response.status}` }); // cut off
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}
export const ask = (path) => exchanged(`api/${path}`);
const send = (path, values) => exchanged(`api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(values) });
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
const isGone = (error) => error instanceof Refused && (error.status === 0 || error.status >= 500);
const isStranger = (error) => error instanceof Refused && error.status === 401; // another run of the server answers

// --- One thing after the other: each key acts on what the one before it has made ---

let isSending = false;
let line = Promise.resolve();
let waitingKeys = 0;
export function perform(action) {
  waitingKeys += 1;
  root.dataset.busy = "yes";
  line = line.then(async () => {
    try {
      await action();
    } catch (error) {
      if (error instanceof Unknown) return set({ message: `It is not known whether this was done: ${error.message}`, trouble: true });
      if (!(error instanceof Refused)) throw error;
      if (!missed(error)) set({ message: error.message, trouble: true });
    } finally {
      waitingKeys -= 1;
      if (!waitingKeys) root.dataset.busy = "";
    }
  }).catch((error) => set({ message: String(error), trouble: true }));
  return line;
}
export const isIdle = () => waitingKeys === 0;

// Sends a change until the server has answered; it is shown as long as nobody knows whether it was kept. If the answer
// was lost, the repetition finds another version: then `isKept` tells whether the change is what made it.
export async function change(path, values, told, isKept = null) {
  if (state.offline) throw new Refused(409, { error: `${state.offline}: nothing can be changed now` });
  isSending = true;
  try {
    return await insisted(path, values, told, isKept);
  } finally {
    isSending = false;
  }
}
async function insisted(path, values, told, isKept) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await send(path, values);
      set({ waiting: null, offline: null, stopped: false, savedAt: new Date(), trouble: false });
      return answer;
    } catch (error) {
      const view = error.answer?.view;
      if (attempt && error.status === 409 && view && isKept?.(view)) {
        set({ waiting: null, offline: null, stopped: false, savedAt: new Date(), trouble: false });
        return view;
      }
      if (!missed(error, told)) {
        set({ waiting: null, offline: null, stopped: false });
        throw error;
      }
      if (!isKept) throw new Unknown(told);
      await rest(Math.min(AGAIN, 100 * 2 ** attempt));
    }
  }
}
function missed(error, waiting = state.waiting) { // is it that the server is gone, or another one?
  if (!isGone(error) && !isStranger(error)) return false;
  set({ offline: isStranger(error) ? STRANGER : error.message, stopped: isStranger(error), waiting });
  recover();
  return true;
}
let isRecovering = false;
async function recover() { // asks until somebody answers, unless a change does so
  if (isRecovering) return;
  isRecovering = true;
  while (state.offline) {
    await rest(AGAIN);
    if (isSending || !state.offline) continue;
    try {
      await ask("summary");
      set({ offline: null, stopped: false, waiting: null });
      tellBack();
    } catch (error) {
      missed(error);
    }
  }
  isRecovering = false;
}

// Who has only the cookie of an earlier run asks nobody, until this page is looked at again, or a page of the new run
// was opened, so that there is a new cookie.
const others = new BroadcastChannel("panparser-annotate");
const rest = (time) => state.stopped ? new Promise((resolve) => { waking.push(resolve); }) : pause(time);
let waking = [];
const wake = () => { const woken = waking; waking = []; for (const resolve of woken) resolve(); };
others.addEventListener("message", wake);
addEventListener("focus", wake);
document.addEventListener("visibilitychange", () => { if (!document.hidden) wake(); });

let tellBack = () => {};

// --- Events: one stream for the page, which comes back by itself ---

export function listen(onEvent) { // browsers keep few connections to one server: pages that nobody sees have none
  let stream = null;
  const open = () => {
    if (stream || document.hidden || state.stopped) return;
    stream = new EventSource("api/events");
    stream.onmessage = (message) => onEvent(JSON.parse(message.data));
    stream.onerror = () => {
      ask("summary").catch((error) => { missed(error); });
      if (stream?.readyState === EventSource.CLOSED) { close(); setTimeout(open, AGAIN); }
    };
  };
  const close = () => { stream?.close(); stream = null; };
  tellBack = () => { open(); onEvent({ event: "back" }); };
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else if (!state.stopped) { open(); onEvent({ event: "seen" }); } });
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
  for (const time of [0, AGAIN]) setTimeout(() => others.postMessage("opened"), time); // what they asked before may still be on its way
}
addEventListener("beforeunload", (event) => { if (state.waiting) event.preventDefault(); });
