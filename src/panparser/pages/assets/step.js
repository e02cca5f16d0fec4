// The page of derivations in one file.
import { data, root } from "./elements.js";
import "./theme.js";
import { load, toAddress } from "./derivation.js";

load(data);
addEventListener("hashchange", () => { if (location.hash !== "#step") toAddress(); });
toAddress();
root.dataset.ready = "yes";
