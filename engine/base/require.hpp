// Checks of what comes from outside.
#pragma once

#include <stdexcept>

namespace panparser {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

}  // namespace panparser
