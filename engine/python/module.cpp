// The Python face of the engine. Only the files of this folder know nanobind; they convert, and the engine checks.
#include "python/module.hpp"

#include "systems/walk.hpp"

namespace nb = nanobind;
using namespace panparser;

void bind_treebank(nb::module_& m);
void bind_text(nb::module_& m);
void bind_systems(nb::module_& m);
void bind_constraint(nb::module_& m);
void bind_states(nb::module_& m);
void bind_features(nb::module_& m);
void bind_strategy(nb::module_& m);
void bind_models(nb::module_& m);
void bind_learner(nb::module_& m);
void bind_keyed(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_sequence(nb::module_& m);
void bind_trees(nb::module_& m);

NB_MODULE(_engine, m) {
  m.doc() = "The native engine of panparser. Its interface is private and may change at any time.";
  nb::exception<Stuck>(m, "Stuck", PyExc_RuntimeError);
  nb::set_leak_warnings(false);  // values that scripts keep until the interpreter ends are no leaks

  bind_treebank(m);
  bind_text(m);
  bind_systems(m);
  bind_constraint(m);
  bind_states(m);
  bind_features(m);
  bind_strategy(m);
  bind_models(m);
  bind_learner(m);
  bind_keyed(m);
  bind_batch(m);
  bind_sequence(m);
  bind_trees(m);
}
