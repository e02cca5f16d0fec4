#include "learning/members.hpp"

#include <vector>

#include "base/require.hpp"
#include "base/threads.hpp"
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

Averages averages_of(std::span<const ParserLearner* const> members, int threads) {
  const std::vector<Model::Source> sources = sources_of(members);
  const ModelAssembly& assembly = members[0]->assembly();
  return {{assembly.program().templates(), assembly.labels().size, members[0]->unit()}, sources, threads};
}

Averages averages_of(std::span<const SequenceLearner* const> members, int threads) {
  require(!members.empty(), "no learner");
  const SequenceLearner& first = *members[0];
  std::vector<Model::Source> sources;
  for (const SequenceLearner* member : members) {
    require(member->templates() == first.templates() && member->unit() == first.unit() &&
                member->weights().classes() == first.weights().classes(),
            "the learners differ");
    sources.push_back(member->weights().source(member->time()));
  }
  return {{first.templates(), first.weights().stored_labels(), first.unit()}, sources, threads};
}

Trees parse_averaged(std::span<const ParserLearner* const> members, const TreebankData& data, int beam, int threads) {
  const AveragedWeights weights(sources_of(members), members[0]->unit());
  const ScoringPlan& plan = members[0]->assembly().plan();
  require(plan.program.vectors().empty(), "not for parsers with vectors");
  const auto words = static_cast<std::size_t>(data.words());
  Trees trees{std::vector<std::int32_t>(words), std::vector<std::int32_t>(words), {}, {}};
  const Tokens tokens(plan.program.attributes(), plan.program.counters(), data, {});
  share_work(tokens.sentences(), threads, [&](const auto& each) {
    SentenceParser<AveragedWeights> parser(plan, weights);
    each([&](std::int64_t s) {
      if (tokens[s].words == 0) return;
      parser.find_tree(tokens[s], beam, parser.kAnyMargin, trees.heads.data() + data.offsets()[s],
                       trees.labels.data() + data.offsets()[s]);
    });
  });
  return trees;
}

}  // namespace panparser
