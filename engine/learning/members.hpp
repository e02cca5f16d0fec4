// The mean of several learners, members of one training.
#pragma once

#include <cstdint>
#include <span>

#include "learning/parser_learner.hpp"
#include "learning/sequence_learner.hpp"
#include "search/parser_model.hpp"
#include "weights/averages.hpp"

namespace panparser {

// What they have learned so far. Throws std::invalid_argument unless there are members, all of the same shape.
Averages averages_of(std::span<const ParserLearner* const> members, int threads);
Averages averages_of(std::span<const SequenceLearner* const> members, int threads);

// Heads and labels of every word, by weights before rounding to bytes. Not for parsers with vectors.
Trees parse_averaged(std::span<const ParserLearner* const> members, const TreebankData& data, int beam, int threads);

}  // namespace panparser
