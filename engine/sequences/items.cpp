#include "sequences/items.hpp"

#include "base/require.hpp"

namespace panparser {

void Items::check(const SequenceProgram& program, const SequenceClasses& classes) const {
  require(all_.fits(program), "the items were prepared for other templates");
  require(known_ == 0 || known_ == classes.size(), "the sets are of other classes");
  require(program.parts() == classes.parts(), "the templates see other parts of classes");
}

}  // namespace panparser
