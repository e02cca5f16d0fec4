#include "learning/members.hpp"

#include <vector>

#include "base/require.hpp"
#include "search/parse.hpp"

namespace panparser {

namespace {

std::vector<Model::Source> sources_of(std::span<const ParserLearner* const> members) {
  require(!members.empty(), "no learner");
  const ParserLearner& first = *members[0];
  std::vector<Model::Source> sources;
  for (const ParserLearner* member : members) {
    require(member->assembly().labels().size == first.assembly().labels().size && member->unit() == first.unit() &&
                &member->assembly().system() == &first.assembly().system() &&
                &member->assembly().program() == &first.assembly().program(),
            "the learners differ");
    sources.push_back(member->source());
  }
  return sources;
}

}  // namespace

Model::Arrays compact(std::span<const ParserLearner* const> members, double least) {
  const std::vector<Model::Source> sources = sources_of(members);
  const Assembly& assembly = members[0]->assembly();
  return Model::compact(assembly.program().templates(), assembly.labels().size, sources, members[0]->unit(), least);
}

Model::Arrays compact(std::span<const SequenceLearner* const> members, double least) {
  require(!members.empty(), "no learner");
  const SequenceLearner& first = *members[0];
  std::vector<Model::Source> sources;
  for (const SequenceLearner* member : members) {
    require(member->templates() == first.templates() && member->unit() == first.unit() &&
                member->weights().classes() == first.weights().classes(),
            "the learners differ");
    sources.push_back(member->weights().source(member->time()));
  }
  return Model::compact(first.templates(), first.weights().stored_labels(), sources, first.unit(), least);
}

Trees parse_averaged(std::span<const ParserLearner* const> members, const TreebankData& data, int beam) {
  const AveragedWeights weights(sources_of(members), members[0]->unit());
  const Grammar& grammar = members[0]->assembly().grammar();
  require(grammar.program.vectors().empty(), "not for parsers with vectors");
  const auto words = static_cast<std::size_t>(data.words());
  Trees trees{std::vector<std::int32_t>(words), std::vector<std::int32_t>(words), {}, {}};
  const Tokens tokens(grammar.program.attributes(), grammar.program.counters(), data, {});
  TreeParser<AveragedWeights> parser(grammar, weights);
  for (std::int64_t s = 0; s < tokens.sentences(); ++s) {
    if (tokens[s].words == 0) continue;
    parser.parse(tokens[s], beam, parser.kAnyMargin, trees.heads.data() + data.offsets()[s],
                 trees.labels.data() + data.offsets()[s]);
  }
  return trees;
}

}  // namespace panparser
