#include "search/parser_model.hpp"

#include <stdexcept>

#include "base/require.hpp"
#include "base/threads.hpp"
#include "search/corpus.hpp"

namespace panparser {

void ParserModel::check(const TreebankData& data, const ParseOptions& options) const {
  require(options.beam >= 0, "a beam must not be below 0");
  require(!options.margin || *options.margin >= 0, "a margin must be >= 0");
  check_rows(used_rows(options.rows, assembly_.program(), data), assembly_.vectors().rows());
  const Constraints* const constraints = options.constraints;
  require(!constraints || (&constraints->system() == &assembly_.system() && constraints->words() == data.words() &&
                           constraints->sentences() == data.sentences() &&
                           constraints->labels() == static_cast<std::size_t>(assembly_.labels().size)),
          "the constraints are for another system, treebank or set of labels");
}

Tokens ParserModel::tokens(const TreebankData& data, const ParseOptions& options, std::int64_t only) const {
  const Program& program = assembly_.program();
  return Tokens(program.attributes(), program.counters(), data, used_rows(options.rows, program, data), only,
                options.constraints ? options.constraints->given() : GivenColumns());
}

Trees ParserModel::parse(const TreebankData& data, const ParseOptions& options) const {
  check(data, options);
  const auto words = static_cast<std::size_t>(data.words());
  Trees trees{std::vector<std::int32_t>(words), std::vector<std::int32_t>(words),
              std::vector<Score>(data.offsets().size() - 1), std::vector<Signals>(options.confidence ? words : 0)};
  const Tokens all = tokens(data, options);
  share_work(all.sentences(), options.threads, [&](const auto& each) {
    SentenceParser<LayeredModel> parser(assembly_.plan(), assembly_.model());
    each([&](std::int64_t s) {
      if (all[s].words == 0) return;
      const auto constraint = options.constraints ? (*options.constraints)[s] : std::nullopt;
      const std::int64_t first = data.offsets()[s];
      trees.behind[s] =
          parser.find_tree(all[s], options.beam, options.margin.value_or(parser.kAnyMargin), trees.heads.data() + first,
                           trees.labels.data() + first, constraint ? &*constraint : nullptr,
                           options.confidence ? trees.signals.data() + first : nullptr);
    });
  });
  return trees;
}

std::vector<Tree> ParserModel::best(const TreebankData& data, std::int64_t sentence, int count,
                                    const ParseOptions& options) const {
  if (sentence < 0 || sentence >= data.sentences()) throw std::out_of_range("no such sentence");
  check(data, options);
  const Tokens one = tokens(data, options, sentence);
  if (one[0].words == 0) return {};
  const auto constraint = options.constraints ? (*options.constraints)[sentence] : std::nullopt;
  SentenceParser<LayeredModel> parser(assembly_.plan(), assembly_.model());
  return parser.best(one[0], options.beam, count, constraint ? &*constraint : nullptr);
}

Derived ParserModel::derivations(const TreebankData& data, const ParseOptions& options) const {
  require(options.beam >= 1, "a beam must hold at least one hypothesis");
  check(data, options);
  Derived found;
  const Tokens all = tokens(data, options);
  SentenceParser<LayeredModel> parser(assembly_.plan(), assembly_.model());
  for (std::int64_t s = 0; s < all.sentences(); ++s) {
    const std::size_t before = found.actions.size();
    if (all[s].words > 0) {
      parser.derivation(all[s], options.beam, options.margin.value_or(parser.kAnyMargin), found.actions, found.labels);
    }
    found.lengths.push_back(static_cast<std::int32_t>(found.actions.size() - before));
  }
  return found;
}

}  // namespace panparser
