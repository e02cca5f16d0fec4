// CoNLL-U: sentences with their words, lines and text.
const COLUMNS = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "label", "deps", "misc"];

function sentence(block) {
  const lines = block.split("\n"), comments = lines.filter((line) => line.startsWith("#"));
  const tokens = lines.filter((line) => line && !line.startsWith("#")).map((line) => {
    const cells = line.split("\t");
    return Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i] ?? "_"]));
  });
  const words = tokens.filter(({ id }) => /^\d+$/.test(id));
  const text = comments.find((line) => line.startsWith("# text = "))?.slice(9) ?? words.map(({ form }) => form).join(" ");
  return { block, text, tokens, words, heads: words.map(({ head }) => /^\d+$/.test(head) ? Number(head) : -1) };
}

export function readConllu(text) {
  return text.split(/\n\n+/).filter((block) => /^\d/m.test(block)).map(sentence);
}

// An entry of MISC, such as HeadConfidence=0.98; null if there is none.
export function misc(word, key) {
  const entry = word.misc.split("|").find((each) => each.startsWith(`${key}=`));
  return entry === undefined ? null : entry.slice(key.length + 1);
}
