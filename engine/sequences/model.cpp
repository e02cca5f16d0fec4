#include "sequences/model.hpp"

#include <stdexcept>

#include "base/require.hpp"
#include "base/threads.hpp"

namespace panparser {

SequenceModel::SequenceModel(const SequenceProgram& program, SequenceClasses classes, const ClassModel& weights)
    : program_(program), classes_(std::move(classes)), weights_(weights) {
  require(weights_.templates() == program.templates(), "the weights are of other templates");
  require(program.parts() == classes_.parts(), "the templates see other parts of classes");
}

std::vector<std::int32_t> SequenceModel::predict(const Items& items, int beam, int threads) const {
  items.check(program_, classes_);
  require(beam >= 0, "a beam must not be below 0");
  std::vector<std::int32_t> classes(items.all().items());
  share_work(items.size(), threads, [&](const auto& each) {
    SequenceDecoder decoder(program_, classes_, weights_);
    each([&](std::int64_t s) { decoder.decode(items[s], beam, classes.data() + items.all().first(s)); });
  });
  return classes;
}

std::vector<Labeling> SequenceModel::best(const Items& items, std::int64_t sequence, int beam, int count) const {
  items.check(program_, classes_);
  require(beam >= 0, "a beam must not be below 0");
  if (sequence < 0 || sequence >= items.size()) throw std::out_of_range("no such sequence");
  return SequenceDecoder(program_, classes_, weights_).best(items[sequence], beam, count);
}

}  // namespace panparser
