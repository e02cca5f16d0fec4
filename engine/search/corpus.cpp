#include "search/corpus.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/require.hpp"

namespace panparser {

std::span<const std::int32_t> used_rows(std::span<const std::int32_t> rows, const Program& program,
                                        const TreebankData& data) {
  if (program.vectors().empty()) return {};
  require(rows.size() >= static_cast<std::size_t>(data.vocabulary(Column::kForm).size()),
          "each form needs the row of its vector");
  return rows;
}

void check_rows(std::span<const std::int32_t> rows, std::int32_t known) {
  for (const std::int32_t row : rows) {
    if (row < 0 || row >= known) throw std::out_of_range("no such vector");
  }
}

Corpus::Corpus(const Program& program, const System& system, const TreebankData& data,
               std::span<const std::int32_t> rows)
    : program_(program), system_(system), data_(data), offsets_(data.offsets()) {
  const auto used = used_rows(rows, program, data);
  rows_.assign(used.begin(), used.end());
  tokens_ = std::make_unique<Tokens>(program.attributes(), program.counters(), data, rows_);
}

void Corpus::replace(std::span<const std::int32_t> heads, std::span<const std::int32_t> labels) {
  const auto words = static_cast<std::size_t>(offsets_.back());
  require(heads.size() == words && labels.size() == words, "one head and label a word");
  std::vector<Reference> references;
  std::vector<Token> placed;
  for (std::int64_t s = 0; s < size(); ++s) {
    const auto own = heads.subspan(offsets_[s], offsets_[s + 1] - offsets_[s]);
    const Token root = system_.table().shape.root(static_cast<Token>(own.size()));
    placed.assign(own.begin(), own.end());
    std::replace(placed.begin(), placed.end(), 0, root);
    try {
      references.push_back(system_.reference(Gold(placed, root)));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("sentence " + std::to_string(s + 1) + ": " + error.what());
    }
  }
  const std::lock_guard lock(mutex_);
  references_ = std::move(references);
  labels_.assign(labels.begin(), labels.end());
  most_labels_ = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
  ++version_;
}

void Corpus::constrain(const Constraints& constraints) {
  require(&constraints.system() == &system_ && constraints.words() == offsets_.back(),
          "the constraints are for another system or treebank");
  auto tokens =
      std::make_unique<Tokens>(program_.attributes(), program_.counters(), data_, rows_, -1, constraints.given());
  const std::lock_guard lock(mutex_);
  constraints_ = &constraints;
  tokens_ = std::move(tokens);
  ++version_;
}

}  // namespace panparser
