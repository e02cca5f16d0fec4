// Shared by the Python bindings of trained parsers and of learners.
#pragma once

#include <memory>
#include <vector>

#include "search/model_assembly.hpp"

namespace panparser {

Parts make_parts(const System& system, const Program& program, const std::vector<bool>& of_root,
                 const std::vector<bool>& of_words, std::vector<ScaledLayer> layers, const Vectors* vectors,
                 std::vector<std::shared_ptr<const Program>> further = {});

}  // namespace panparser
