// What the page shows: one object, changed by `set` alone; whoever draws is told.

export const state = {
  summary: null, // of the file
  view: null, // the sentence, as the server has it
  cursor: 1, // the word that keys act on
  picked: null, // the word that is about to get a head
  range: null, // where a range of words began that ends at the cursor
  labels: [], // of the word under the cursor, best first
  alternatives: null, // other trees, and which of them is shown
  message: "", // the last thing that happened
  savedAt: null,
  waiting: null, // an edit that the server did not acknowledge
  offline: null, // why nothing can be changed now
  stopped: false, // is that so because another run of the server answers?
  learning: false,
  notices: [], // of the start, or of files that others changed
};
const listeners = [];
export function onChange(listener) { listeners.push(listener); }
let isDrawing = false, later = [];
export function set(changes) {
  Object.assign(state, changes);
  const isFirst = !isDrawing;
  isDrawing = true;
  try {
    for (const listener of listeners) listener(state, changes);
  } finally {
    if (isFirst) { isDrawing = false; const waiting = later; later = []; for (const measure of waiting) measure(); }
  }
}
export function afterDrawing(measure) { later.push(measure); } // what asks where things are: the page is laid out once, not for each part

export const wordAt = (id) => state.view?.words[id - 1] ?? null;
export function sureness({ decided, confidence, label_confidence: ofLabel }) { // of what is not decided, in percent; null: unknown, or all is
  const sure = [decided.head ? null : confidence, decided.label ? null : ofLabel].filter((value) => value != null);
  return sure.length ? Math.min(99, Math.round(100 * Math.min(...sure))) : null; // no prediction is certain
}
export const cursorWord = () => wordAt(state.cursor);
export function selected() { // first and last word of the range, which may be the word under the cursor alone
  const other = state.range ?? state.cursor;
  return [Math.min(other, state.cursor), Math.max(other, state.cursor)];
}
export const isLocked = () => state.offline ?? state.view?.read_only ?? state.view?.unreadable ?? null;
