// Where texts of drawings are: none may leave its drawing, lie on another, or cross the end of its bar.
function corners(text) { // of its box as it is seen, which may be turned
  const { x, y, width, height } = text.getBBox(), m = text.getScreenCTM();
  return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
    .map(([a, b]) => [m.a * a + m.c * b + m.e, m.b * a + m.d * b + m.f]);
}
function apart(one, two) { // whether a line along one of their sides separates two boxes
  return [one, two].some((box) => [0, 1].some((i) => {
    const [dx, dy] = [box[i + 1][0] - box[i][0], box[i + 1][1] - box[i][1]];
    const [p, q] = [one, two].map((each) => each.map(([x, y]) => x * dx + y * dy));
    return Math.max(...p) <= Math.min(...q) || Math.max(...q) <= Math.min(...p);
  }));
}
function misplaced(svg) {
  const place = svg.getBoundingClientRect(), found = [];
  const texts = [...svg.querySelectorAll("text")].filter((text) => text.getBBox().width).map((text) => [text.textContent, corners(text)]);
  texts.forEach(([text, box], i) => {
    if (box.some(([x, y]) => x < place.left - 0.5 || x > place.right + 0.5 || y < place.top - 0.5 || y > place.bottom + 0.5)) found.push(`${text} leaves`);
    for (const [other, its] of texts.slice(i + 1)) if (!apart(box, its)) found.push(`${text} on ${other}`);
  });
  for (const text of svg.querySelectorAll("text.value")) {
    const [bar, whisker, own] = ["rect.bar", "path.whisker", "text.value"].map((name) => text.parentNode.querySelector(name).getBoundingClientRect());
    const inside = own.left > bar.left && own.right < Math.min(bar.right, whisker.left);
    const behind = own.left > Math.max(bar.right, whisker.right);
    if (!inside && !behind) found.push(`${text.textContent} crosses its bar`);
  }
  return [texts.length, found];
}
function judge(drawings) { // adds what it finds to the attributes of the page
  const seen = document.documentElement.dataset;
  for (const svg of drawings) {
    const [count, found] = misplaced(svg);
    seen.texts = Number(seen.texts ?? 0) + count;
    if (found.length) seen.misplaced = `${seen.misplaced ?? ""}${svg.getAttribute("aria-label")}: ${found.join("; ")}\n`;
  }
  seen.misplaced ??= "";
}
