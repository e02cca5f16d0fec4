// Texts that are hard to read: less than 4.5 to 1 against what is behind them.
() => {
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const linear = (value) => value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  const light = (color) => { const [r, g, b] = numbers(color).map(linear); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const over = (color, share, other) => `rgb(${numbers(color).slice(0, 3).map((value, i) => share * value + (1 - share) * numbers(other)[i])})`;
  const bar = (element) => { // what a text of a drawing stands on
    const box = element.parentNode.querySelector("rect");
    if (!box || element.matches(".bare")) return behind(element);
    const style = getComputedStyle(box);
    return over(style.fill, style.opacity * style.fillOpacity, behind(element));
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor, alpha = numbers(color)[3] ?? 1;
      if (alpha === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const found = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent.trim()).join("");
    const style = getComputedStyle(element);
    if (!text || !element.getClientRects().length || style.visibility === "hidden" || element.closest(".skip, noscript, option")) continue;
    if (element.matches(":disabled")) continue; // need not be read
    const isDrawn = element.namespaceURI.endsWith("svg");
    const [one, two] = [isDrawn ? style.fill : style.color, isDrawn && element.matches("g > text, a > text") ? bar(element) : behind(element)].map(light);
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (ratio < 4.5) found.add(`${element.localName}.${element.getAttribute("class") ?? ""} ${text.slice(0, 20)}: ${ratio.toFixed(2)}`);
  }
  return [...found];
}
