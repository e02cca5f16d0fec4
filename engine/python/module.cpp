// The Python face of the engine. Only the files of this folder know nanobind; they convert, and the engine checks.
#include "python/module.hpp"

#include <cstdlib>

#include "systems/random_walk.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

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

// From now on freed memory is kept for what comes next, and not given back to the system: for programs that do the same
// work over and over, and would otherwise wait for new pages each time.
static void keep_memory() {
#ifdef __GLIBC__
  constexpr int kLargest = 64 << 20, kKept = 512 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

NB_MODULE(_engine, m) {
  m.doc() = "The native engine of panparser. Its interface is private and may change at any time.";
  nb::exception<Stuck>(m, "Stuck", PyExc_RuntimeError);
  nb::set_leak_warnings(false);  // values that scripts keep until the interpreter ends are no leaks

  m.def("keep_memory", &keep_memory, "Freed memory is kept for what comes next.");
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
