// The engine without Python: reads a treebank, trains an unlabeled arc-eager parser, parses another treebank, and
// prints the heads, a sentence a line.
//
//   cmake -S . -B build/native -DPANPARSER_PYTHON=OFF -DPANPARSER_EXAMPLES=ON && cmake --build build/native
//   build/native/engine_example train.conllu test.conllu [order.txt]
//
// Each line of order.txt has the sentences of an epoch, from 0; without it there are three epochs, in the order of the
// file.
#include <cstdint>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "features/program.hpp"
#include "learning/members.hpp"
#include "learning/parser_learner.hpp"
#include "search/corpus.hpp"
#include "search/parser_model.hpp"
#include "systems/system.hpp"
#include "treebank/conllu.hpp"

namespace {

using namespace panparser;

// A set of places, for words there and for Root.
std::int32_t region(std::initializer_list<Place> places) {
  std::int32_t mask = 0;
  for (const Place place : places) mask |= 3 << 2 * place;
  return mask;
}

// Nivre 2003, with the costs of Goldberg & Nivre 2012; Root comes last.
System arc_eager() {
  const auto stack = region({kAtS0, kAtS1, kAtS2, kDeeper}), deeper = region({kAtS1, kAtS2, kDeeper});
  const auto buffer = region({kAtB0, kBehind}), behind = region({kBehind});
  Table table;
  enum : std::uint8_t { kFrontIsWord, kTopIsWord, kTopIsFree, kTopIsAttached };
  table.literals = {{int(kIsWord) + kB0, 1, 1},
                    {int(kIsWord) + kS0, 1, 1},
                    {int(kIsAttached) + kS0, 0, 0},
                    {int(kIsAttached) + kS0, 1, 1}};
  enum : std::uint8_t {
    kFrontHeadInStack,
    kFrontChildren,
    kTopHeadBehind,
    kTopChildren,
    kFrontHeadBehind,
    kFrontHeadDeeper
  };
  table.probes = {{ProbeKind::kHead, kB0, stack, false, 0},  {ProbeKind::kChildren, kB0, stack, true, 0},
                  {ProbeKind::kHead, kS0, behind, false, 0}, {ProbeKind::kChildren, kS0, buffer, false, 0},
                  {ProbeKind::kHead, kB0, behind, false, 0}, {ProbeKind::kHead, kB0, deeper, false, 0}};
  const auto bit = [](int literal) { return Bits(1) << literal; };
  const Effect shift{EffectKind::kShift, 0, 0}, pop{EffectKind::kPop, kS0, 0};
  const Row shifting{bit(kFrontIsWord), {}, {shift}, {{kFrontHeadInStack, 0}, {kFrontChildren, 0}}, {}};
  const Row left{bit(kTopIsWord) | bit(kTopIsFree),
                 {},
                 {{EffectKind::kArc, kB0, kS0}, pop},
                 {{kTopHeadBehind, 0}, {kTopChildren, 0}},
                 {}};
  const Row right{bit(kFrontIsWord),
                  {},
                  {{EffectKind::kArc, kS0, kB0}, shift},
                  {{kFrontHeadBehind, 0}, {kFrontHeadDeeper, 0}, {kFrontChildren, 0}},
                  {}};
  const Row reduce{bit(kTopIsAttached), {}, {pop}, {{kTopChildren, 0}}, {}};
  table.rows = {shifting, left, right, reduce};
  return System(table);
}

// S0.form | S0.upos | B0.form | B0.upos | S0.upos B0.upos | S0.form B0.form | S0.upos B0.upos B1.upos |
// S0.left[0].upos S0.upos B0.upos | distance(S0,B0) S0.upos B0.upos
Program templates() {
  constexpr std::int32_t form = 0, upos = 1;
  const auto s0 = address(kBaseS0, kHere), b0 = address(kBaseB0, kHere), b1 = address(kBaseB1, kHere);
  const auto child = address(kBaseS0, kLeft0);
  const auto attribute = [](std::int32_t where, std::int32_t which) {
    return Atom{AtomKind::kAttribute, where, 0, which};
  };
  return Program({{Column::kForm, Transform::kWhole, 0, ""}, {Column::kUpos, Transform::kWhole, 0, ""}}, {},
                 {attribute(s0, form), attribute(s0, upos), attribute(b0, form), attribute(b0, upos),
                  attribute(b1, upos), attribute(child, upos), Atom{AtomKind::kDistance, s0, b0, 0}},
                 {{0}, {1}, {2}, {3}, {1, 3}, {0, 2}, {1, 3, 4}, {5, 1, 3}, {6, 1, 3}}, {});
}

struct Treebank {
  explicit Treebank(const std::string& path) : text(read(path)), data(text, Rules{}) {
    if (!data.problems().empty()) throw std::runtime_error(path + ": not valid CoNLL-U");
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string text;
  TreebankData data;
};

std::vector<std::vector<std::int64_t>> epochs(std::int64_t sentences, const char* path) {
  if (!path) {
    std::vector<std::int64_t> order(sentences);
    std::iota(order.begin(), order.end(), 0);
    return std::vector(3, order);
  }
  std::vector<std::vector<std::int64_t>> orders;
  std::istringstream file(Treebank::read(path));
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    orders.emplace_back(std::istream_iterator<std::int64_t>(numbers), std::istream_iterator<std::int64_t>());
  }
  return orders;
}

void run(const char* train_path, const char* test_path, const char* order_path) {
  constexpr int kBeam = 4;
  const System system = arc_eager();
  const Program program = templates();
  Treebank train(train_path);
  Corpus corpus(program, system, train.data);
  corpus.replace(train.data.heads(), std::vector<std::int32_t>(train.data.words(), -1));

  ParserLearner learner({system, program}, {.unit = 1, .beam = kBeam, .ties = {1, 2, 0, 3}, .seed = 1});
  const Strategy strategy{.update_at = UpdateAt::kMaxViolation};
  for (const auto& order : epochs(corpus.size(), order_path)) learner.train(corpus, order, strategy);

  const ParserLearner* const members[] = {&learner};
  const Model::Arrays weights = averages_of(members, 1).compact(0, 1);
  const auto layer = std::make_shared<const StoredLayer>(StoredLayer{Model(
      system.actions(), weights.labels, {weights.lines, weights.label_lines, weights.tables, weights.label_rows})});
  const ParserModel parser({system, program, {}, {{layer}}});
  const Treebank test(test_path);
  const Trees trees = parser.parse(test.data, {.beam = kBeam});
  for (std::int64_t s = 0; s < test.data.sentences(); ++s) {
    for (std::int64_t word = test.data.offsets()[s]; word < test.data.offsets()[s + 1]; ++word) {
      std::cout << (word > test.data.offsets()[s] ? " " : "") << trees.heads[word];
    }
    std::cout << "\n";
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    std::cerr << "usage: engine_example train.conllu test.conllu [order.txt]\n";
    return 2;
  }
  try {
    run(arguments[1], arguments[2], count == 4 ? arguments[3] : nullptr);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  return 0;
}
