// The Python face of sentences that are prepared for a system and its features.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "python/module.hpp"
#include "python/layers.hpp"
#include "search/constraint.hpp"
#include "features/program.hpp"
#include "learning/table_task.hpp"

namespace panparser {

// Sentences to learn from; without references, to parse.
class Corpus {
 public:
  Corpus(const Program& program, const System& system, const TreebankStore& store,
         const std::optional<Array<std::int32_t>>& heads, const std::optional<Array<std::int32_t>>& labels,
         const Rows& rows)
      : program_(program), system_(system), store_(store), offsets_(store.data().offsets()) {
    const auto checked = checked_rows(rows, program, store.data());
    rows_.assign(checked.begin(), checked.end());
    nb::gil_scoped_release release;
    tokens_ = std::make_unique<Tokens>(program.attributes(), program.counters(), store.data(), rows_);
    if (heads && labels) replace(values(*heads), values(*labels));
  }
  // Other heads (Root is 0; marks are those of Gold) and labels (-1 unknown) for the same sentences.
  void replace(std::span<const std::int32_t> heads, std::span<const std::int32_t> labels) {
    const auto words = static_cast<std::size_t>(offsets_.back());
    if (heads.size() != words || labels.size() != words) throw std::invalid_argument("one head and label a word");
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
    ++version_;
  }
  // From now on search keeps to these constraints, and features read them. They must outlive the corpus.
  void constrain(const Constraints& constraints) {
    if (&constraints.system() != &system_ || constraints.words() != offsets_.back()) {
      throw std::invalid_argument("the constraints are for another system or treebank");
    }
    auto tokens = std::make_unique<Tokens>(program_.attributes(), program_.counters(), store_.data(), rows_, -1,
                                           constraints.given());
    const std::lock_guard lock(mutex_);
    constraints_ = &constraints;
    tokens_ = std::move(tokens);
    ++version_;
  }
  std::optional<Constraint> constraint(std::int64_t sentence) const {
    return constraints_ ? (*constraints_)[sentence] : std::nullopt;
  }
  // Whoever holds it keeps the references that there are.
  std::mutex& mutex() const { return mutex_; }
  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  bool has_references() const { return !references_.empty() || size() == 0; }
  std::int64_t version() const { return version_; }  // another one after each `replace`
  const System& system() const { return system_; }
  SentenceTokens tokens(std::int64_t sentence) const { return (*tokens_)[sentence]; }
  const Reference* reference(std::int64_t sentence) const {
    return references_.empty() ? nullptr : &references_[sentence];
  }
  std::span<const std::int32_t> rows() const { return rows_; }  // of vectors, by form
  Example operator[](std::int64_t sentence) const {
    const auto words = static_cast<std::size_t>(offsets_[sentence + 1] - offsets_[sentence]);
    return {(*tokens_)[sentence], references_[sentence], {labels_.data() + offsets_[sentence], words}, nullptr};
  }

 private:
  const Program& program_;
  const System& system_;
  const TreebankStore& store_;
  const Constraints* constraints_ = nullptr;
  std::vector<std::int64_t> offsets_;
  std::unique_ptr<Tokens> tokens_;
  std::vector<Reference> references_;
  std::vector<std::int32_t> labels_, rows_;
  std::int64_t version_ = 0;
  mutable std::mutex mutex_;
};

}  // namespace panparser
