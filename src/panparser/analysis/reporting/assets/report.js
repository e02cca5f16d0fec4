"use strict";
// The sentences of a report. Texts come from files: they go into the page as text nodes only.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const base = data.labels.map((label) => label.split(":")[0]);
  const SHOWN = 100; // list items at a time
  const RIGHT = 0, LABEL = 1, HEAD = 2;

  function make(name, attributes = {}, text) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function draw(name, attributes = {}, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // --- What is wrong ---

  const sentences = data.sentences.map(([number, id, forms, tags, heads, labels, uncounted, predictions]) => {
    const left = new Set(uncounted);
    const kinds = predictions.map(([found, named]) => forms.map((_, i) => {
      if (left.has(i) || heads[i] < 0) return RIGHT;
      if (found[i] !== heads[i]) return HEAD;
      return base[named[i]] === base[labels[i]] ? RIGHT : LABEL;
    }));
    const counts = kinds.map((kind) => kind.filter((k) => k !== RIGHT).length);
    return { number, id, forms, tags, heads, labels, left, predictions, kinds, counts, text: forms.join(" ") };
  });

  // --- What is shown; the address says it too, so that a view can be linked to ---

  const FIELDS = ["text", "label", "found", "tag", "kind", "of", "sort"];
  const defaults = Object.fromEntries(FIELDS.map((name) => [name, $(name) ? $(name).value : ""]));
  let shown = [], limit = SHOWN, chosen = null;

  function which() { return Number($("of").value) || 0; }

  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of FIELDS) {
      const field = $(name), value = given.get(name) ?? defaults[name];
      field.value = value;
      if (field.value !== value) field.value = defaults[name]; // no such option
    }
    const number = Number(given.get("sentence"));
    chosen = sentences.find((sentence) => sentence.number === number) ?? null;
    update(false);
  }
  function writeAddress() {
    const given = new URLSearchParams();
    for (const name of FIELDS) if ($(name).value !== defaults[name]) given.set(name, $(name).value);
    if (chosen) given.set("sentence", chosen.number);
    try { history.replaceState(null, "", "#" + given); } catch { /* a page without an address */ }
  }

  const CONDITIONS = {
    all: () => true,
    errors: (kind) => kind !== RIGHT,
    heads: (kind) => kind === HEAD,
    labels: (kind) => kind === LABEL,
    differ: (kind, s, i) => s.kinds.length > 1 && (s.predictions[0][0][i] !== s.predictions[1][0][i]
      || base[s.predictions[0][1][i]] !== base[s.predictions[1][1][i]]) && !s.left.has(i),
    worse: (kind, s, i) => s.kinds.some((own, p) => p !== which() && own[i] < kind),
  };
  const ORDERS = {
    errors: (a, b) => b.counts[which()] - a.counts[which()],
    share: (a, b) => b.counts[which()] / b.forms.length - a.counts[which()] / a.forms.length,
    longest: (a, b) => b.forms.length - a.forms.length,
    shortest: (a, b) => a.forms.length - b.forms.length,
    position: () => 0,
  };

  function matches(sentence) {
    const text = $("text").value.trim().toLowerCase();
    const label = $("label").value, found = $("found").value, tag = $("tag").value;
    if (text && !sentence.text.toLowerCase().includes(text) && !String(sentence.id).toLowerCase().includes(text)) return false;
    const holds = CONDITIONS[$("kind").value], p = which();
    if ($("kind").value === "all" && !label && !found && !tag) return true;
    return sentence.forms.some((_, i) => holds(sentence.kinds[p][i], sentence, i)
      && (!label || base[sentence.labels[i]] === label)
      && (!found || base[sentence.predictions[p][1][i]] === found)
      && (!tag || data.tags[sentence.tags[i]] === tag));
  }

  function update(write = true) {
    shown = sentences.filter(matches).sort((a, b) => ORDERS[$("sort").value](a, b) || a.number - b.number);
    limit = SHOWN;
    if (!shown.includes(chosen)) chosen = shown[0] ?? null;
    if (chosen) limit = Math.max(limit, shown.indexOf(chosen) + 1);
    root.dataset.shown = shown.length;
    $("status").textContent = `${shown.length.toLocaleString("en")} of ${sentences.length.toLocaleString("en")} sentences`;
    list();
    show();
    if (write) writeAddress();
  }

  // --- The list ---

  function list() {
    const items = shown.slice(0, limit).map((sentence) => {
      const item = make("li", { role: "option", id: `s${sentence.number}`, "aria-selected": sentence === chosen });
      const meta = make("div", { class: "meta" });
      const errors = sentence.counts[which()];
      meta.append(make("span", {}, `#${sentence.number}`), make("span", {}, `${sentence.forms.length} words`),
        make("span", {}, errors === 1 ? "1 error" : `${errors} errors`));
      item.append(meta, make("div", { class: "text", dir: "auto" }, sentence.text));
      item.addEventListener("click", () => choose(sentence));
      return item;
    });
    if (shown.length > limit) {
      const more = make("li", { class: "more", role: "option", "aria-selected": "false" }, `${shown.length - limit} more…`);
      more.addEventListener("click", () => { limit += SHOWN; list(); });
      items.push(more);
    }
    $("list").replaceChildren(...items);
    mark();
  }
  function mark() {
    for (const item of $("list").querySelectorAll('[aria-selected="true"]')) item.setAttribute("aria-selected", "false");
    const item = chosen && $(`s${chosen.number}`);
    if (!item) return $("list").removeAttribute("aria-activedescendant");
    item.setAttribute("aria-selected", "true");
    $("list").setAttribute("aria-activedescendant", item.id);
    const box = $("list");
    if (item.offsetTop < box.scrollTop) box.scrollTop = item.offsetTop;
    const end = item.offsetTop + item.offsetHeight - box.clientHeight;
    if (end > box.scrollTop) box.scrollTop = end;
  }
  function choose(sentence) {
    if (!sentence) return;
    chosen = sentence;
    if (!$(`s${sentence.number}`)) { limit = shown.indexOf(sentence) + SHOWN; list(); }
    mark();
    show();
    writeAddress();
  }
  function move(steps) { choose(shown[Math.min(shown.length - 1, Math.max(0, shown.indexOf(chosen) + steps))]); }

  // --- One sentence: gold arcs above the words, predicted ones below ---

  const STEP = 24, GAP = 20, BESIDE = 6; // arcs leave beside the middle of a word and arrive at it
  const LONG = 400; // beyond that, the label of an arc is near its dependent
  const pen = document.createElement("canvas").getContext("2d");
  function width(text, font) { pen.font = font; return pen.measureText(text).width; }

  // How far from the words the arc of each word is drawn: beyond all shorter ones that it overlaps; Root's beyond all
  // that leave, enter or pass over its word. `gaps` has the farthest arc before each word and after the last.
  function levels(heads) {
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

  function side({ heads, level, texts, kinds }, line, up) { // arcs of one analysis
    const sign = up ? -1 : 1, group = draw("g"), centers = line.centers, foot = line.y(up);
    heads.forEach((head, i) => {
      if (head < 0) return;
      const arc = draw("g", { class: kinds[i] }), x = centers[i], far = foot + sign * (level[i] * STEP + 8);
      let path, middle = x;
      if (head === 0) {
        path = `M${x},${far}V${foot + sign * 4}`;
      } else {
        const start = centers[head - 1] + (head - 1 < i ? BESIDE : -BESIDE);
        const bend = Math.min(9, Math.abs(x - start) / 2) * (x > start ? 1 : -1);
        path = `M${start},${foot}V${far - sign * 9}Q${start},${far} ${start + bend},${far}H${x - bend}`
          + `Q${x},${far} ${x},${far - sign * 9}V${foot + sign * 4}`;
        const near = Math.max(60, width(texts[i], `700 11px ${line.font}`) / 2 + 2);
        middle = Math.abs(x - start) > LONG ? x - Math.sign(x - start) * near : (start + x) / 2;
      }
      arc.append(draw("path", { class: "arc", d: path }),
        draw("path", { class: "tip", d: `M${x - 4},${foot + sign * 8}L${x},${foot + sign}L${x + 4},${foot + sign * 8}Z` }),
        draw("text", { class: "lab", x: middle, y: far + (up ? -3 : 11) }, texts[i]));
      group.append(arc);
    });
    return group;
  }

  // The middle of each word, so that every text has its place and every label fits on its arc; and the end.
  function places(sentence, sides, font) {
    const columns = sentence.forms.map((form, i) => Math.max(width(form, `600 14px ${font}`), width(data.tags[sentence.tags[i]], `11px ${font}`)));
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
    return { centers, end: centers.at(-1) + (columns.at(-1) + GAP) / 2 };
  }

  function tree(sentence, p) {
    const kinds = sentence.kinds[p], [heads, labels] = sentence.predictions[p];
    const name = (id) => data.labels[id] ?? "";
    const font = getComputedStyle(document.body).fontFamily;
    const gold = { heads: sentence.heads, level: levels(sentence.heads), texts: sentence.labels.map(name),
      kinds: kinds.map((kind) => kind === HEAD ? "lost" : "same") };
    const found = { heads, level: levels(heads), texts: labels.map((id, i) => ["", "≠ ", "✗ "][kinds[i]] + name(id)),
      kinds: kinds.map((kind) => ["same", "label", "head"][kind]) };
    const { centers, end } = places(sentence, [gold, found], font);
    const tall = ({ level }) => level.reduce((most, one) => Math.max(most, one), 1) * STEP + 24;
    const top = tall(gold), middle = 46;
    const line = { centers, font, y: (up) => up ? top : top + middle };
    const svg = draw("svg", { width: Math.ceil(end + 6), height: Math.ceil(top + middle + tall(found)), role: "img",
      "aria-label": `Sentence ${sentence.number}: gold tree above the words, predicted tree below; the table lists the errors` });
    svg.append(side(gold, line, true), side(found, line, false));
    sentence.forms.forEach((form, i) => {
      const word = draw("g", { class: ["", "warn", "bad"][kinds[i]] });
      word.append(draw("text", { class: "form", x: centers[i], y: top + 19 }, form),
        draw("text", { class: "tag", x: centers[i], y: top + 35 }, data.tags[sentence.tags[i]]));
      svg.append(word);
    });
    return svg;
  }

  function word(sentence, head) { return head === 0 ? "ROOT" : head < 0 ? "none" : `${head} ${sentence.forms[head - 1]}`; }

  function errors(sentence) {
    const table = make("table"), body = make("tbody"), row = make("tr");
    for (const text of ["word", "gold head", "gold label", "", "predicted head", "predicted label"]) {
      row.append(make("th", { class: "text", scope: "col" }, text));
    }
    const header = make("thead");
    header.append(row);
    sentence.predictions.forEach(([heads, labels], p) => sentence.forms.forEach((form, i) => {
      const kind = sentence.kinds[p][i];
      if (kind === RIGHT) return;
      const line = make("tr");
      const cells = [`${i + 1} ${form}`, word(sentence, sentence.heads[i]), data.labels[sentence.labels[i]],
        `${kind === HEAD ? "✗ head" : "≠ label"}${data.names.length > 1 ? ` (${data.names[p]})` : ""}`,
        word(sentence, heads[i]), data.labels[labels[i]]];
      for (const text of cells) line.append(make("td", { class: "text", dir: "auto" }, text));
      body.append(line);
    }));
    table.append(header, body);
    return table;
  }

  function reveal(sentence) { // the words in the middle; the first error, where it would be out of sight
    const box = $("tree"), words = box.getBoundingClientRect(), forms = box.querySelectorAll(".form");
    if (!forms.length) return;
    const middle = forms[0].getBoundingClientRect().top - words.top;
    box.scrollTop = box.scrollHeight > box.clientHeight ? middle - box.clientHeight / 2 : 0;
    const first = sentence.kinds[which()].findIndex((kind) => kind !== RIGHT);
    const place = first < 0 ? 0 : forms[first].getBoundingClientRect().left - words.left;
    box.scrollLeft = place > box.clientWidth - 80 ? place - 140 : 0;
  }

  function show() {
    $("tree").replaceChildren();
    $("tree").scrollTo(0, 0);
    $("errors").replaceChildren();
    if (!chosen) { $("which").textContent = "No sentence"; return; }
    const id = chosen.id ? ` (${chosen.id})` : "";
    $("which").textContent = `Sentence ${chosen.number}${id}`;
    $("tree").append(tree(chosen, which()));
    reveal(chosen);
    if (chosen.counts.some((count) => count)) $("errors").append(errors(chosen));
    root.dataset.sentence = chosen.number;
  }

  // --- Keys, fields, theme ---

  for (const name of FIELDS) $(name).addEventListener("input", () => update());
  $("reset").addEventListener("click", () => { for (const name of FIELDS) $(name).value = defaults[name]; update(); });
  const KEYS = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const letter = event.key === "j" || event.key === "k";
    if (event.key === "/") { $("text").focus(); event.preventDefault(); }
    else if (KEYS[event.key] && (letter || event.target === $("list"))) { move(KEYS[event.key]); event.preventDefault(); }
  });
  $("list").addEventListener("scroll", () => {
    const box = $("list");
    if (shown.length > limit && box.scrollTop + box.clientHeight > box.scrollHeight - 200) { limit += SHOWN; list(); }
  });
  const THEMES = ["auto", "light", "dark"];
  function theme(name) {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    $("theme").textContent = `Theme: ${name}`;
    try { localStorage.setItem("panparser-theme", name); } catch { /* no storage: it lasts as long as the page */ }
  }
  $("theme").addEventListener("click", () => theme(THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % 3]));
  let kept = "auto";
  try { kept = localStorage.getItem("panparser-theme") ?? "auto"; } catch { /* as above */ }
  theme(THEMES.includes(kept) ? kept : "auto");
  addEventListener("hashchange", () => {
    if (location.hash === "#sentences") return;
    readAddress();
    $("sentences").scrollIntoView(); // a link in a table or a chart led here
  });
  readAddress();
  root.dataset.ready = "yes";
})();
