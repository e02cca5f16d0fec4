// Sentences that are prepared for a system and its features.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "features/program.hpp"
#include "search/constraint.hpp"
#include "systems/system.hpp"
#include "treebank/conllu.hpp"

namespace panparser {

struct Example {  // a sentence to learn from
  SentenceTokens tokens;
  const Reference& reference;
  std::span<const std::int32_t> labels;    // of words 1..n; -1 unknown
  const Constraint* constraint = nullptr;  // kept by the search
};

// Throws std::invalid_argument unless each form of the treebank has the row of its vector, if templates use vectors;
// returns the rows that are used.
std::span<const std::int32_t> used_rows(std::span<const std::int32_t> rows, const Program& program,
                                        const TreebankData& data);
// Throws std::out_of_range if a row is not below `known`.
void check_rows(std::span<const std::int32_t> rows, std::int32_t known);

class Corpus {
 public:
  // Sentences to parse; once there are references, to learn from. `rows`: for each form of the treebank the row of its
  // vector, where templates use vectors. Program, system and treebank must outlive the corpus.
  Corpus(const Program& program, const System& system, const TreebankData& data,
         std::span<const std::int32_t> rows = {});

  // Other heads (Root is 0; marks are those of Gold) and labels (-1 unknown) for the same sentences. Throws
  // std::invalid_argument, and changes nothing, on heads that are no reference.
  void replace(std::span<const std::int32_t> heads, std::span<const std::int32_t> labels);
  // From now on search keeps these constraints, and features read them. They must outlive the corpus.
  void constrain(const Constraints& constraints);

  // While it is held, the references do not change.
  std::mutex& mutex() const { return mutex_; }
  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  bool has_references() const { return !references_.empty() || size() == 0; }
  std::int64_t version() const { return version_; }  // incremented by each change
  const System& system() const { return system_; }
  const Program& program() const { return program_; }
  std::int32_t labels() const { return most_labels_; }          // how many there must be for all that occur
  std::span<const std::int32_t> rows() const { return rows_; }  // of vectors, by form
  SentenceTokens tokens(std::int64_t sentence) const { return (*tokens_)[sentence]; }
  const Reference* reference(std::int64_t sentence) const {
    return references_.empty() ? nullptr : &references_[sentence];
  }
  std::optional<Constraint> constraint(std::int64_t sentence) const {
    return constraints_ ? (*constraints_)[sentence] : std::nullopt;
  }
  // Without its constraint.
  Example operator[](std::int64_t sentence) const {
    const auto words = static_cast<std::size_t>(offsets_[sentence + 1] - offsets_[sentence]);
    return {(*tokens_)[sentence], references_[sentence], {labels_.data() + offsets_[sentence], words}, nullptr};
  }

 private:
  const Program& program_;
  const System& system_;
  const TreebankData& data_;
  const Constraints* constraints_ = nullptr;
  std::vector<std::int64_t> offsets_;
  std::unique_ptr<Tokens> tokens_;
  std::vector<Reference> references_;
  std::vector<std::int32_t> labels_, rows_;
  std::int32_t most_labels_ = 0;
  std::int64_t version_ = 0;
  mutable std::mutex mutex_;
};

}  // namespace panparser
