// The sentence as words in a row: its tree above them, another tree below, and what is marked in it.
import { draw, visible } from "./elements.js";
import { levels, places, treeDrawing } from "./tree.js";

const LOW = 0.6; // confidence below which an arc is amber
const PAD = 6, BRACKET = 24; // around a word; for the names of multiword tokens
export const isLow = (word) => word.head != null && !word.decided.head && word.confidence != null && word.confidence < LOW;
const blank = (text) => text === "_" || text === "" || text == null ? "" : visible(text);

function kindsOf(view, cursor, other) { // classes of arcs: decided or not, doubtful, contradictory, about to change
  return view.words.map((word, i) => {
    const found = [word.decided.head ? "decided" : "predicted"];
    if (word.decided.label) found.push("named");
    if (isLow(word)) found.push("low");
    if (view.conflict?.words.includes(word.id)) found.push("conflict");
    if (word.id === cursor) found.push("mine");
    if (other && differs(word, other[i])) found.push("replaced");
    return found.join(" ");
  });
}
const differs = (one, two) => one.head !== two.head || one.label !== two.label;

function side(words, kinds) {
  const heads = words.map((word) => word.head ?? -1);
  return { heads, level: levels(heads), texts: words.map((word) => visible(word.label || "?")), kinds };
}

function highlighted(view) { // words that a comment `# highlight tokens = 1 4` names, as ConlluEditor has them
  const lines = view.comments.map((line) => /^#\s*highlight (?:tokens|deprels)\s*=\s*([\d\s]+)$/.exec(line)).filter(Boolean);
  return new Set(lines.flatMap(([, ids]) => ids.trim().split(/\s+/).map(Number)));
}
function wordKinds(view, marks) {
  const lit = highlighted(view);
  return view.words.map((word) => {
    const found = ["word"];
    if (lit.has(word.id)) found.push("lit");
    if (word.decided.head) found.push("settled");
    if (marks.forbidden.includes(word.id)) found.push("forbidden");
    if (view.problems.some((problem) => problem.word === word.id)) found.push("problem");
    if (view.conflict?.words.includes(word.id)) found.push("bad");
    return found.join(" ");
  });
}

// `marks`: the cursor, the word that is picked, a range of words, words that may not be its head.
export function sentenceDrawing(view, marks, other = null) {
  const forms = view.words.map((word) => visible(word.form));
  const rows = [["lemma", view.words.map((word) => blank(word.lemma))], ["tag", view.words.map((word) => blank(word.upos))]];
  const above = side(view.words, kindsOf(view, marks.cursor, other));
  const below = other && side(other, other.map((word, i) => differs(view.words[i], word) ? "changed" : "same"));
  const place = places(forms, rows.map(([, texts]) => texts), below ? [above, below] : [above]);
  const drawing = treeDrawing({ forms, rows, above, below, kinds: wordKinds(view, marks), place, label: told(view) });
  if (view.multiword.length && !below) drawing.svg.setAttribute("height", Number(drawing.svg.getAttribute("height")) + BRACKET);
  return { ...drawing, decorate: () => decorate(drawing.svg, view, marks) };
}

// What lies behind the words, once they have their places: the cursor, ranges, spans, brackets.
function decorate(svg, view, marks) {
  const words = [...svg.querySelectorAll("[data-word]")];
  const boxes = words.map((word) => { const box = word.getBBox(); return { x: box.x - PAD, width: box.width + 2 * PAD, y: box.y - 4, height: box.height + 8 }; });
  const y = Math.min(...boxes.map((box) => box.y)), height = Math.max(...boxes.map((box) => box.y + box.height)) - y;
  const layer = draw("g", { class: "behind" });
  for (const [first, last] of view.spans) layer.append(draw("rect", { class: "span", ...around(boxes, first, last), y: y - 2, height: height + 4, rx: 9 }));
  view.words.forEach((word, i) => {
    const box = boxes[i], cell = draw("rect", { x: box.x, y, width: box.width, height, rx: 7, "data-word": word.id });
    cell.setAttribute("class", ["cell", ...cellKinds(word, marks)].join(" "));
    layer.append(cell);
  });
  for (const token of view.multiword) layer.append(bracket(token, around(boxes, token.first, token.last), y + height));
  words[0].parentNode.prepend(layer);
}
function cellKinds(word, { cursor, picked, range }) {
  const found = [];
  if (word.id === cursor) found.push("cursor");
  if (word.id === picked) found.push("picked");
  if (range[0] !== range[1] && word.id >= range[0] && word.id <= range[1]) found.push("ranged");
  return found;
}
function around(boxes, first, last) {
  const some = boxes.slice(first - 1, last), x = Math.min(...some.map((box) => box.x));
  return { x, width: Math.max(...some.map((box) => box.x + box.width)) - x };
}
function bracket({ first, last, form }, { x, width }, y) {
  const group = draw("g", { class: "bracket", "data-first": first, "data-last": last });
  group.append(draw("path", { d: `M${x + 4},${y + 1}v5H${x + width - 4}v-5` }), draw("text", { x: x + width / 2, y: y + 19 }, visible(form)));
  return group;
}

function told(view) { // for those who hear the page
  return view.words.map((word) => {
    const head = word.head == null ? "no head yet" : word.head ? `${word.label || "?"} of ${view.words[word.head - 1].form}` : "root";
    return `${word.form}: ${head}`;
  }).join("; ");
}
