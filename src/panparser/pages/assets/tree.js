// Trees: arcs of one analysis above the words, of another below.
import { draw, isRightToLeft, isVertical } from "./elements.js";

const STEP = 24, GAP = 20, BESIDE = 6; // arcs leave beside the middle of a word and arrive at it
const LONG = 400; // beyond that, the label of an arc is near its dependent
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();
function width(text, font) {
  const key = `${font} ${text}`;
  if (!widths.has(key)) { pen.font = font; widths.set(key, pen.measureText(text).width); }
  return widths.get(key);
}

// How far from the words the arc of each word is drawn: beyond all shorter ones that it overlaps; Root's beyond all
// that leave, enter or pass over its word. `gaps` has the farthest arc before each word and after the last.
export function levels(heads) {
  const found = heads.map(() => 0), gaps = new Int32Array(heads.length + 1);
  const long = (i) => Math.abs(heads[i] - 1 - i);
  const words = heads.flatMap((head, i) => head > 0 ? [i] : []).sort((a, b) => long(a) - long(b) || a - b);
  for (const i of words) {
    const over = gaps.subarray(Math.min(heads[i] - 1, i) + 1, Math.max(heads[i] - 1, i) + 1);
    found[i] = over.reduce((most, level) => Math.max(most, level), 0) + 1;
    over.fill(found[i]);
  }
  heads.forEach((head, i) => { if (head === 0) found[i] = Math.max(gaps[i], gaps[i + 1]) + 1; });
  return found;
}

function shape(head, i, { level, texts }, line, up) { // the elements of an arc
  const sign = up ? -1 : 1, centers = line.centers, foot = line.y(up), x = centers[i], far = foot + sign * (level[i] * STEP + 8);
  let path, middle = x;
  if (head === 0) {
    path = `M${x},${far}V${foot + sign * 4}`;
  } else {
    const start = centers[head - 1] + (centers[head - 1] < x ? BESIDE : -BESIDE);
    const bend = Math.min(9, Math.abs(x - start) / 2) * (x > start ? 1 : -1);
    path = `M${start},${foot}V${far - sign * 9}Q${start},${far} ${start + bend},${far}H${x - bend}`
      + `Q${x},${far} ${x},${far - sign * 9}V${foot + sign * 4}`;
    const near = Math.max(60, width(texts[i], `700 11px ${line.font}`) / 2 + 2);
    middle = Math.abs(x - start) > LONG ? x - Math.sign(x - start) * near : (start + x) / 2;
  }
  return [draw("path", { class: "arc", d: path }),
    draw("path", { class: "tip", d: `M${x - 4},${foot + sign * 8}L${x},${foot + sign}L${x + 4},${foot + sign * 8}Z` }),
    draw("text", { class: "lab", x: middle, y: far + (up ? -3 : 11) }, texts[i])];
}

// The arcs of one analysis, each in a group of its own; `change` draws anew only those that differ.
function arcsOf(side, line, up) {
  const group = draw("g", { class: up ? "above" : "below" });
  const slots = side.heads.map((_, i) => draw("g", { "data-arc": i + 1 })), shown = slots.map(() => ["", ""]);
  group.append(...slots);
  function change(now) {
    now.heads.forEach((head, i) => {
      const kind = head < 0 ? "" : now.kinds[i], what = head < 0 ? "" : `${head} ${now.level[i]} ${now.texts[i]}`;
      if (shown[i][0] !== what) slots[i].replaceChildren(...(head < 0 ? [] : shape(head, i, now, line, up)));
      if (shown[i][1] !== kind) { if (kind) slots[i].setAttribute("class", kind); else slots[i].removeAttribute("class"); }
      shown[i] = [what, kind];
    });
  }
  change(side);
  return { group, change };
}

// The middle of each word, so that every text has its place and every label fits on its arc; and the end. `rows` are
// texts below each word. Sentences from right to left begin at the right.
export function places(forms, rows, sides) {
  const font = getComputedStyle(document.body).fontFamily;
  const columns = forms.map((form, i) => Math.max(width(form, `600 14px ${font}`), ...rows.map((texts) => width(texts[i], `11px ${font}`))));
  const arcs = columns.map(() => []), centers = [];
  for (const { heads, texts } of sides) heads.forEach((head, i) => {
    if (head < 0) return;
    const room = width(texts[i], `700 11px ${font}`);
    if (head === 0) columns[i] = Math.max(columns[i], room);
    else arcs[Math.max(head - 1, i)].push([Math.min(head - 1, i), room + BESIDE + 6]);
  });
  columns.forEach((size, i) => {
    let at = i ? centers[i - 1] + (columns[i - 1] + size) / 2 + GAP : 6 + (size + GAP) / 2;
    for (const [low, room] of arcs[i]) if (low < i) at = Math.max(at, centers[low] + room);
    centers.push(at);
  });
  const end = centers.length ? centers.at(-1) + (columns.at(-1) + GAP) / 2 : 0;
  return { font, end, centers: isRightToLeft(forms) ? centers.map((x) => end - x) : centers };
}

export const tall = (level) => level.reduce((most, one) => Math.max(most, one), 1) * STEP + 24;

// A drawing: `above` and `below` (or null) have heads, level, texts, kinds; `rows` are texts below the words, each with
// its class; `kinds` are classes of words. `heights`, if given, are room for arcs above and below. `on`, if given, is
// called with "word", "above" or "below", the place of the word or of the dependent, and the event, when one is clicked.
// `change` draws other arcs, and gives words and their rows other classes and texts, in place. Vertical scripts run
// from top to bottom: the whole drawing is turned. `line` is where the words are, `spot` where one of them is on it.
export function treeDrawing({ forms, rows, above, below, kinds, place, label, heights, on }) {
  const top = heights ? heights[0] : tall(above.level), middle = 14 + 16 * (rows.length + 1);
  const bottom = below ? (heights ? heights[1] : tall(below.level)) : 4;
  const line = { ...place, y: (up) => up ? top : top + middle };
  const length = Math.ceil(place.end + 6), breadth = Math.ceil(top + middle + bottom), turned = isVertical(forms);
  const size = turned ? { width: breadth, height: length } : { width: length, height: breadth };
  const svg = draw("svg", { ...size, role: "img", "aria-label": label });
  const over = arcsOf(above, line, true), under = below ? arcsOf(below, line, false) : null;
  const words = forms.map((form, i) => {
    const word = draw("g", { class: kinds[i], "data-word": i + 1 });
    word.append(draw("text", { class: "form", x: place.centers[i], y: top + 19 }, form),
      ...rows.map(([name, texts], number) => draw("text", { class: name, x: place.centers[i], y: top + 35 + 15 * number }, texts[i])));
    return word;
  });
  const canvas = turned ? draw("g", { transform: `translate(${breadth},0) rotate(90)` }) : svg;
  canvas.append(over.group, ...(under ? [under.group] : []), ...words);
  if (turned) svg.append(canvas);
  if (on) svg.addEventListener("click", (event) => {
    const hit = event.target.closest("[data-word], [data-arc]");
    if (hit?.dataset.word) on("word", hit.dataset.word - 1, event);
    else if (hit) on(hit.parentNode === over.group ? "above" : "below", hit.dataset.arc - 1, event);
  });
  function change(now) {
    over.change(now.above);
    if (under) under.change(now.below);
    svg.setAttribute("aria-label", now.label);
    words.forEach((word, i) => {
      if (word.getAttribute("class") !== now.kinds[i]) word.setAttribute("class", now.kinds[i]);
      now.rows.forEach(([, texts], number) => {
        const text = word.children[1 + number];
        if (text.textContent !== texts[i]) text.textContent = texts[i];
      });
    });
  }
  return { svg, change, turned, length, breadth, line: turned ? breadth - top - 20 : top + 20, spot: (i) => place.centers[i] };
}

// Scrolls a box so that the line of words is in the middle, and some words are in sight.
export function reveal(box, drawing, words) {
  const [along, across] = drawing.turned ? ["Top", "Left"] : ["Left", "Top"];
  const [room, other] = drawing.turned ? [box.clientHeight, box.clientWidth] : [box.clientWidth, box.clientHeight];
  box[`scroll${across}`] = drawing.breadth > other ? drawing.line - other / 2 : 0;
  if (!words.length || drawing.length <= room) return;
  const spots = words.map(drawing.spot), low = Math.min(...spots) - 90, high = Math.max(...spots) + 90, now = box[`scroll${along}`];
  if (low < now || high > now + room) box[`scroll${along}`] = (low + high - room) / 2;
}
