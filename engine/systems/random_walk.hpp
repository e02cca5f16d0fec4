// Random derivations, for benchmarks and for tests of one kind of state against the other.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "systems/state.hpp"
#include "systems/system.hpp"

namespace panparser {

// A state that is not final has no legal action, or a derivation does not end: the transition system is
// broken.
struct Stuck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct WalkResult {
  std::int64_t transitions = 0;
  std::int64_t states = 0;        // visited, final ones left out
  std::uint64_t costs = 0;        // a digest of all costs
  std::int64_t approximated = 0;  // states where a loss was not exact
  std::vector<Token> heads;       // of the last sentence's words, Root as 0, kNone where headless
};

// Walks from initial to final states, sentence after sentence, choosing legal actions at random, until at
// least `transitions` were made. The same seed gives the same walks on both kinds of state.
WalkResult random_walk(const System& system, const std::vector<const Reference*>& references, std::uint64_t seed,
                       std::int64_t transitions, bool linked, bool with_costs);

}  // namespace panparser
