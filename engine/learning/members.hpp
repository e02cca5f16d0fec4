// The mean of several learners, members of one training.
#pragma once

#include <cstdint>
#include <span>

#include "learning/parser_learner.hpp"
#include "learning/sequence_learner.hpp"
#include "search/parser_model.hpp"
#include "weights/model.hpp"

namespace panparser {

// Finished weights, without those smaller than `least` updates. Throws std::invalid_argument unless the members are
// alike, and there is one.
Model::Arrays compact(std::span<const ParserLearner* const> members, double least);
Model::Arrays compact(std::span<const SequenceLearner* const> members, double least);

// Heads and labels of every word, by weights that have not become bytes yet. Not for parsers with vectors.
Trees parse_averaged(std::span<const ParserLearner* const> members, const TreebankData& data, int beam);

}  // namespace panparser
