// Progress of training.
#pragma once

#include <cstdint>

namespace panparser {

struct Progress {
  std::int64_t sentences = 0, words = 0, updates = 0, transitions = 0;
  std::int64_t valued = 0, approximated = 0;  // as in System::Scratch

  Progress& operator+=(const Progress& more) {
    sentences += more.sentences;
    words += more.words;
    updates += more.updates;
    transitions += more.transitions;
    valued += more.valued;
    approximated += more.approximated;
    return *this;
  }
};

}  // namespace panparser
