// Whether a change is what a view shows: for those whose answer was lost, so that nothing is done twice or forgotten.

const decided = (view, id, field, value) => { const word = view.words[id - 1]; return Boolean(word) && word[field] === value && word.decided[field] !== false; };
const settled = (word) => word.decided.head && word.decided.label;
const hasSpan = (view, { first, last }) => view.spans.some(([low, high]) => low === first && high === last);
const hasToken = (view, { first, last }) => view.multiword.some((token) => token.first === first && token.last === last);
const plain = (text) => text.split(/\s+/).filter(Boolean).join(" ");

const EFFECTS = {
  head: (view, { word, head }) => decided(view, word, "head", head),
  label: (view, { word, label }) => decided(view, word, "label", label),
  arc: (view, { word, head, label }) => decided(view, word, "head", head) && decided(view, word, "label", label),
  tree: (view, { words, heads, labels }) => words.every((word, i) => decided(view, word, "head", heads[i]) && decided(view, word, "label", labels[i])),
  unset: (view, { word }) => view.words[word - 1]?.decided.head === false,
  forbid: (view, { word, heads }) => JSON.stringify(view.words[word - 1]?.forbidden) === JSON.stringify(heads),
  span: hasSpan,
  unspan: (view, span) => !hasSpan(view, span),
  right: (view, { word }) => view.words.slice(0, word).every(settled),
  done: (view, { done }) => view.done === done,
  cell: (view, { word, column, value }, old) => view.words[word - 1]?.[column] === value || view.words[word - 1]?.[column] !== old.words[word - 1]?.[column],
  comments: (view, { comments }) => view.comments.join("\n") === comments.join("\n"),
  note: (view, { text }) => view.note === plain(text),
  split: (view, { forms }, old) => view.words.length === old.words.length + forms.length - 1,
  join: (view, { first, last }, old) => view.words.length === old.words.length - (last - first),
  multiword: hasToken,
  unmultiword: (view, { first }) => !view.multiword.some((token) => token.first === first),
  split_sentence: (view, { word }) => view.words.length === word - 1,
  join_sentence: (view, _, old) => view.words.length > old.words.length,
  relabel: (view, { label, places }) => places.every(([index, word]) => index !== view.index || decided(view, word, "label", label)),
};
const isSame = (view, { edit: type }, old) => view.layout_version === old.layout_version || view.key === old.key || type.endsWith("_sentence"); // else another one may be there
export const hasEffect = (view, edit, old) => isSame(view, edit, old) && EFFECTS[edit.edit]?.(view, edit, old) === true;
