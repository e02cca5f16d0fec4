// The Python face of feature templates.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <stdexcept>
#include <string>

#include "base/hashing.hpp"
#include "features/program.hpp"
#include "features/tokens.hpp"
#include "python/module.hpp"
#include "sequences/sequence.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

void bind_hash(nb::module_& m) {
  m.attr("TEMPLATE_MASK") = kTemplateMask;
  m.attr("ROOT_VALUE") = kRootValue;
  m.attr("ABSENT_VALUE") = kAbsentValue;
  m.def("hash_text", &hash_text, "text"_a, "The value of an atom that is a string.");
  m.def("hash_number", &hash_number, "number"_a, "... a number: -1 is none.");
  m.def("hash_set", &hash_set, "bits"_a, "... a set of labels, with the bit label % 64 for each.");
  m.def(
      "feature_key",
      [](std::size_t number, const std::vector<Value>& values) {
        if (values.empty() || number > kTemplateMask) throw std::invalid_argument("no such template");
        std::vector<std::size_t> atoms(values.size());
        std::iota(atoms.begin(), atoms.end(), 0);
        return feature_key(template_seed(number), number, values.data(), atoms.data(), atoms.data() + atoms.size());
      },
      "template"_a, "values"_a, "The key of a feature, by the number of its template and the values of its atoms.");
  m.def("label_key", &label_key, "key"_a, "action"_a, "The key under which labels of an action's arcs have weights.");
}

void bind_addresses(nb::module_& m) {
  nb::enum_<Base>(m, "Base")
      .value("S0", kBaseS0)
      .value("S1", kBaseS1)
      .value("S2", kBaseS2)
      .value("S3", kBaseS3)
      .value("B0", kBaseB0)
      .value("B1", kBaseB1)
      .value("B2", kBaseB2)
      .value("B3", kBaseB3)
      .value("L0", kBaseL0);
  nb::enum_<Path>(m, "Path")
      .value("HERE", kHere)
      .value("LEFT_0", kLeft0)
      .value("LEFT_1", kLeft1)
      .value("RIGHT_0", kRight0)
      .value("RIGHT_1", kRight1)
      .value("HEAD", kHeadOf)
      .value("HEAD_HEAD", kHeadOfHead);
  m.def("address", &address, "base"_a, "path"_a, "An address as one number.");
}

}  // namespace

void bind_features(nb::module_& m) {
  bind_hash(m);
  bind_addresses(m);
  nb::enum_<Transform>(m, "Transform")
      .value("WHOLE", Transform::kWhole)
      .value("LOWER", Transform::kLower)
      .value("PREFIX", Transform::kPrefix)
      .value("SUFFIX", Transform::kSuffix)
      .value("KEY", Transform::kKey)
      .value("GIVEN_HEAD", Transform::kGivenHead)
      .value("GIVEN_LABEL", Transform::kGivenLabel)
      .value("SHAPE", Transform::kShape)
      .value("LOWER_PREFIX", Transform::kLowerPrefix)
      .value("LOWER_SUFFIX", Transform::kLowerSuffix);
  nb::enum_<AtomKind>(m, "AtomKind")
      .value("ATTRIBUTE", AtomKind::kAttribute)
      .value("LABEL", AtomKind::kLabel)
      .value("LEFT_VALENCY", AtomKind::kLeftValency)
      .value("RIGHT_VALENCY", AtomKind::kRightValency)
      .value("LEFT_LABELS", AtomKind::kLeftLabels)
      .value("RIGHT_LABELS", AtomKind::kRightLabels)
      .value("DISTANCE", AtomKind::kDistance)
      .value("HISTORY", AtomKind::kHistory)
      .value("BETWEEN", AtomKind::kBetween)
      .value("GIVEN", AtomKind::kGiven);

  nb::class_<Attribute>(m, "Attribute", "What features see of a column of a treebank.")
      .def(
          "__init__",
          [](Attribute* self, int column, Transform transform, std::int32_t number, std::string key) {
            new (self) Attribute{TreebankStore::column(column), transform, number, std::move(key)};
          },
          nb::kw_only(), "column"_a, "transform"_a, "number"_a = 0, "key"_a = "");
  nb::class_<Counter>(m, "Counter", "Counts tokens whose attribute has a value.")
      .def(
          "__init__",
          [](Counter* self, std::int32_t attribute, std::string value) {
            new (self) Counter{attribute, std::move(value)};
          },
          nb::kw_only(), "attribute"_a, "value"_a);
  nb::class_<Atom>(m, "Atom", "A value that features see of a state; addresses are `address(base, path)`.")
      .def(
          "__init__",
          [](Atom* self, AtomKind kind, std::int32_t first, std::int32_t second, std::int32_t parameter) {
            new (self) Atom{kind, first, second, parameter};
          },
          nb::kw_only(), "kind"_a, "first"_a = 0, "second"_a = 0, "parameter"_a = 0);
  nb::class_<Program>(m, "Program", "Feature templates over states.")
      .def(nb::init<std::vector<Attribute>, std::vector<Counter>, std::vector<Atom>,
                    const std::vector<std::vector<std::int32_t>>&, std::vector<std::int32_t>,
                    const std::vector<std::int32_t>&, std::vector<std::int32_t>>(),
           nb::kw_only(), "attributes"_a, "counters"_a, "atoms"_a, "templates"_a, "vectors"_a,
           "actions_only"_a = std::vector<std::int32_t>{}, "own_labels"_a = std::vector<std::int32_t>{})
      .def_prop_ro("templates", &Program::templates);

  nb::class_<SequenceAtom>(m, "SequenceAtom", "A value that features see of an item, or of a class given before.")
      .def(
          "__init__",
          [](SequenceAtom* self, bool is_class, std::int32_t offset, std::int32_t parameter) {
            new (self) SequenceAtom{is_class, offset, parameter};
          },
          nb::kw_only(), "is_class"_a, "offset"_a, "parameter"_a);
  nb::class_<SequenceProgram>(m, "SequenceProgram", "Feature templates over a window of items.")
      .def(nb::init<std::vector<Attribute>, std::int32_t, std::int32_t, const std::vector<SequenceAtom>&,
                    const std::vector<std::vector<std::int32_t>>&>(),
           nb::kw_only(), "attributes"_a, "columns"_a, "parts"_a, "atoms"_a, "templates"_a)
      .def_prop_ro("templates", &SequenceProgram::templates);
}
