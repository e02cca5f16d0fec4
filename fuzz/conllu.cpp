// A libFuzzer target for the native CoNLL-U reader: no bytes may crash it, and what it reads it must write back.
#include "treebank/conllu.hpp"

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace panparser;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Format format : {Format::kConllu, Format::kConllx}) {
    TreebankData treebank(text, Rules{format, true, true, 1});
    treebank.heads();  // every column is shared now, so every cell is compared
    for (int column = 0; column < kColumns; ++column) treebank.column(Column(column));
    std::vector<std::int64_t> all(treebank.sentences());
    std::iota(all.begin(), all.end(), 0);
    Output written(nullptr, 0);
    treebank.write(all, written);
    bool whole = treebank.sentences() > 0;
    for (const Problem& problem : treebank.problems()) whole = whole && !problem.fatal;
    if (whole && written.view() != text) std::abort();
    for (std::int64_t sentence = 0; sentence < treebank.sentences(); ++sentence) treebank.comments(sentence);
    if (TreebankData(written.view(), Rules{format, true, true, 1}).sentences() != treebank.sentences()) std::abort();
  }
  return 0;
}
