// The Python face of transition systems.
#include <nanobind/stl/vector.h>

#include <string>

#include "python/module.hpp"
#include "systems/system.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

void bind_codes(nb::module_& m) {
  nb::enum_<Position>(m, "Position", nb::is_arithmetic())
      .value("S0", kS0)
      .value("S1", kS1)
      .value("S2", kS2)
      .value("B0", kB0)
      .value("L0", kL0)
      .value("ROOT", kRootToken)
      .value("LIST", kListTokens);
  nb::enum_<Fact> facts(m, "Fact", nb::is_arithmetic());
  facts.value("STACK_SIZE", kStackSize)
      .value("BUFFER_SIZE", kBufferSize)
      .value("LIST_SIZE", kListSize)
      .value("OPEN_WORDS", kOpenWords)
      .value("OPEN_ASIDE", kOpenAside)
      .value("ROOT_CHILDREN", kRootChildren);
  constexpr const char* kIsWordOf[] = {"IS_WORD_S0", "IS_WORD_S1", "IS_WORD_S2", "IS_WORD_B0", "IS_WORD_L0"};
  constexpr const char* kIsAttachedOf[] = {"IS_ATTACHED_S0", "IS_ATTACHED_S1", "IS_ATTACHED_S2", "IS_ATTACHED_B0",
                                           "IS_ATTACHED_L0"};
  constexpr const char* kTreeWordsOf[] = {"TREE_WORDS_S0", "TREE_WORDS_S1", "TREE_WORDS_S2", "TREE_WORDS_B0",
                                          "TREE_WORDS_L0"};
  constexpr const char* kTreeOpenOf[] = {"TREE_OPEN_S0", "TREE_OPEN_S1", "TREE_OPEN_S2", "TREE_OPEN_B0",
                                         "TREE_OPEN_L0"};
  for (int position = 0; position < kPositions; ++position) {
    facts.value(kIsWordOf[position], Fact(kIsWord + position));
    facts.value(kIsAttachedOf[position], Fact(kIsAttached + position));
    facts.value(kTreeWordsOf[position], Fact(kTreeWords + position));
    facts.value(kTreeOpenOf[position], Fact(kTreeOpen + position));
  }
  facts.value("DISTANCE_S0_B0", kFromS0ToB0).value("DISTANCE_S1_S0", kFromS1ToS0).value("DISTANCE_S2_S0", kFromS2ToS0);
  facts.value("DOMINATES_S0_B0", kS0OverB0).value("DOMINATES_B0_S0", kB0OverS0);
  facts.value("DOMINATES_S1_S0", kS1OverS0).value("DOMINATES_S0_S1", kS0OverS1);
  nb::enum_<EffectKind>(m, "EffectKind")
      .value("SHIFT", EffectKind::kShift)
      .value("POP", EffectKind::kPop)
      .value("DROP", EffectKind::kDrop)
      .value("BACK", EffectKind::kBack)
      .value("ASIDE", EffectKind::kAside)
      .value("RESTORE", EffectKind::kRestore)
      .value("CLEAR", EffectKind::kClear)
      .value("ARC", EffectKind::kArc)
      .value("PROPOSE", EffectKind::kPropose);
  nb::enum_<ProbeKind>(m, "ProbeKind")
      .value("HEAD", ProbeKind::kHead)
      .value("CHILDREN", ProbeKind::kChildren)
      .value("HEADLESS", ProbeKind::kHeadless)
      .value("WANTS", ProbeKind::kWants)
      .value("WANTING", ProbeKind::kWanting);
  nb::enum_<Potential>(m, "Potential")
      .value("ZERO", Potential::kZero)
      .value("BLOCKED_CHAIN", Potential::kBlockedChain)
      .value("CROSSING_ARCS", Potential::kCrossingArcs)
      .value("ARC_STANDARD", Potential::kArcStandard)
      .value("ATTARDI", Potential::kAttardi)
      .value("CYCLES", Potential::kCycles)
      .value("SWAP", Potential::kSwap);
  nb::enum_<StaticOracle>(m, "StaticOracle")
      .value("ABSENT", StaticOracle::kAbsent)
      .value("SWAP_EAGER", StaticOracle::kSwapEager)
      .value("SWAP_LAZY", StaticOracle::kSwapLazy);
  nb::enum_<Place>(m, "Place", nb::is_arithmetic())
      .value("S0", kAtS0)
      .value("S1", kAtS1)
      .value("S2", kAtS2)
      .value("DEEPER", kDeeper)
      .value("B0", kAtB0)
      .value("BEHIND", kBehind)
      .value("L0", kAtL0)
      .value("ON_LIST", kOnList);
}

void bind_rows(nb::module_& m) {
  nb::class_<Literal>(m, "Literal", "low <= fact <= high")
      .def(
          "__init__",
          [](Literal* self, std::int32_t fact, std::int32_t low, std::int32_t high) {
            new (self) Literal{fact, low, high};
          },
          nb::kw_only(), "fact"_a, "low"_a, "high"_a);
  nb::class_<Effect>(m, "Effect", "What a transition does.")
      .def(
          "__init__",
          [](Effect* self, EffectKind kind, std::int32_t first, std::int32_t second) {
            new (self) Effect{kind, first, second};
          },
          nb::kw_only(), "kind"_a, "first"_a = 0, "second"_a = 0,
          "Positions: of POP the token, of arcs head and dependent.");
  nb::class_<Probe>(m, "Probe", "A number that costs are made of.")
      .def(
          "__init__",
          [](Probe* self, ProbeKind kind, std::int32_t position, std::int32_t region, bool flag,
             std::int32_t direction) { new (self) Probe{kind, position, region, flag, direction}; },
          nb::kw_only(), "kind"_a, "position"_a, "region"_a, "flag"_a, "direction"_a);
  nb::class_<Term>(m, "Term", "Counts a probe where all literals of the guard, a bit for each, hold.")
      .def(
          "__init__", [](Term* self, std::int32_t probe, Bits guard) { new (self) Term{probe, guard}; }, nb::kw_only(),
          "probe"_a, "guard"_a);
  nb::class_<Row>(m, "Row", "A transition. Sets of literals are bits.")
      .def(
          "__init__",
          [](Row* self, Bits all, std::vector<Bits> clauses, std::vector<Effect> effects, std::vector<Term> terms,
             std::vector<Term> directed_terms) {
            new (self) Row{all, std::move(clauses), std::move(effects), std::move(terms), std::move(directed_terms)};
          },
          nb::kw_only(), "all"_a, "clauses"_a, "effects"_a, "terms"_a, "directed_terms"_a,
          "Literals that must all hold; sets of which one must hold; costs; costs of references with directions.");

  nb::class_<Final>(m, "Final", "When a derivation ends: as in Row; without conditions, when all but Root are gone.")
      .def(
          "__init__",
          [](Final* self, Bits all, std::vector<Bits> clauses, bool rest_to_root) {
            new (self) Final{all, std::move(clauses), rest_to_root};
          },
          nb::kw_only(), "all"_a = 0, "clauses"_a = std::vector<Bits>{}, "rest_to_root"_a = false,
          "`rest_to_root`: words that are left without a head become children of Root.");
}

}  // namespace

void bind_systems(nb::module_& m) {
  m.attr("ILLEGAL_COST") = kIllegalCost;
  m.attr("MAX_WORDS") = System::kMaxWords;
  m.attr("MAX_LITERALS") = System::kMaxLiterals;
  m.attr("MAX_ROWS") = System::kMaxRows;
  bind_codes(m);
  bind_rows(m);
  nb::class_<System>(m, "System", "A transition table.")
      .def(
          "__init__",
          [](System* self, bool has_root, bool root_first, bool starts_on_stack, bool ends_on_stack, bool free_focus,
             bool single_root, Potential potential, std::int32_t limit, StaticOracle static_oracle,
             std::vector<Literal> literals, std::vector<Probe> probes, std::vector<Row> rows, Final final) {
            new (self) System({{has_root, root_first, starts_on_stack, ends_on_stack, free_focus},
                               std::move(final),
                               single_root,
                               potential,
                               limit,
                               static_oracle,
                               std::move(literals),
                               std::move(probes),
                               std::move(rows)});
          },
          nb::kw_only(), "has_root"_a, "root_first"_a, "starts_on_stack"_a, "ends_on_stack"_a, "free_focus"_a,
          "single_root"_a, "potential"_a, "limit"_a, "static_oracle"_a, "literals"_a, "probes"_a, "rows"_a, "final"_a);
}
