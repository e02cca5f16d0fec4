#include "learning/strategy.hpp"

#include "base/require.hpp"

namespace panparser {

void Strategy::check() const {
  require(exploration >= 0 && exploration <= 1, "exploration of a strategy must be from 0 to 1");
  require(temperature > 0, "temperature of a strategy must be above 0");
  require(horizon >= 0, "horizon of a strategy must be 0 or more");
  require(focus > 0 && focus <= 4, "focus of a strategy must be above 0 and at most 4");
}

}  // namespace panparser
