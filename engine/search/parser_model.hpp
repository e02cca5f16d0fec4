// A trained parser: trees for treebanks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/constraint.hpp"
#include "search/model_assembly.hpp"
#include "search/parse.hpp"
#include "treebank/conllu.hpp"

namespace panparser {

struct ParseOptions {
  int beam = 1;
  int threads = 1;
  std::optional<Score> margin{};             // hypotheses further behind leave the beam; nullopt: they stay
  const Constraints* constraints = nullptr;  // of the treebank
  bool confidence = false;                   // are signals requested?
  std::span<const std::int32_t> rows{};      // by form: the row of its vector, where templates use vectors
};

struct Trees {
  std::vector<std::int32_t> heads, labels;  // by word; Root is 0, headless or without label -1
  std::vector<Score> behind;                // by sentence: the largest distance of its tree behind the best
  std::vector<Signals> signals;             // by word, if requested
};

struct Derived {
  std::vector<std::int32_t> lengths;          // by sentence: number of actions
  std::vector<std::int32_t> actions, labels;  // of all sentences; -1 where an action makes no arc
};

class ParserModel {
 public:
  explicit ParserModel(Parts parts) : assembly_(std::move(parts)) {}

  const ModelAssembly& assembly() const { return assembly_; }

  // The same for any number of threads: each sentence is parsed by one.
  Trees parse(const TreebankData& data, const ParseOptions& options) const;
  // Different trees of one sentence, best first, at most `count`; `threads`, `margin` and `confidence` do not matter.
  std::vector<Tree> best(const TreebankData& data, std::int64_t sentence, int count, const ParseOptions& options) const;
  // The derivations of the trees of `parse`; `threads`, `constraints` and `confidence` do not matter.
  Derived derivations(const TreebankData& data, const ParseOptions& options) const;

 private:
  void check(const TreebankData& data, const ParseOptions& options) const;
  Tokens tokens(const TreebankData& data, const ParseOptions& options, std::int64_t only = -1) const;

  ModelAssembly assembly_;
};

}  // namespace panparser
