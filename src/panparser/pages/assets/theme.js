// Theme: that of the system, or one of choice.
import { $, root } from "./elements.js";

const THEMES = ["auto", "light", "dark"];
function setTheme(name) {
  if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
  $("theme").textContent = `Theme: ${name}`;
  try { localStorage.setItem("panparser-theme", name); } catch { /* no storage: it lasts as long as the page */ }
}
$("theme").addEventListener("click", () => setTheme(THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % 3]));
function keptTheme() {
  try { return localStorage.getItem("panparser-theme") ?? "auto"; } catch { return "auto"; }
}
setTheme(THEMES.includes(keptTheme()) ? keptTheme() : "auto");
