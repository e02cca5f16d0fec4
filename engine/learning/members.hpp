// The mean of several learners, members of one training.
#pragma once

#include <cstdint>
#include <span>

#include "learning/parser_learner.hpp"
#include "learning/sequence_learner.hpp"
#include "search/parser_model.hpp"
#include "weights/model.hpp"

namespace panparser {

// Trained weights, without those smaller than `least` updates. Throws std::invalid_argument unless there are members,
// all of the same shape.
Model::Arrays compact(std::span<const ParserLearner* const> members, double least);
Model::Arrays compact(std::span<const SequenceLearner* const> members, double least);

// Heads and labels of every word, by weights before rounding to bytes. Not for parsers with vectors.
Trees parse_averaged(std::span<const ParserLearner* const> members, const TreebankData& data, int beam);

}  // namespace panparser
