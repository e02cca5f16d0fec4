// The Python face of batches of states: checks every index and size, then calls.
#include "search/batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "python/module.hpp"
#include "search/beams.hpp"
#include "search/corpus.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

template <class Value>
using Out = nb::ndarray<Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Value>
using OutMatrix = nb::ndarray<Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = Array<std::int32_t>;

void require_size(std::size_t found, std::size_t expected) {
  if (found != expected) {
    throw std::invalid_argument("expected an array of " + std::to_string(expected) + " numbers, found one of " +
                                std::to_string(found));
  }
}

// Threads may share one: each call waits for the one before, without Python's lock.
class BatchHandle {
 public:
  BatchHandle(const System& system, const Program& program, const Corpus& corpus, const std::vector<std::int32_t>& ties)
      : corpus_(corpus), batch_(system, program, ties) {
    if (&corpus.system() != &system) throw std::invalid_argument("the corpus was made for another system");
    std::uint32_t seen = 0;
    for (const std::int32_t action : ties) {
      if (action < 0 || action >= system.actions()) throw std::out_of_range("no such action");
      seen |= std::uint32_t(1) << action;
    }
    if (std::popcount(seen) != system.actions()) throw std::invalid_argument("ties must have every action");
  }

  void start(Array<std::int64_t> sentences) {
    for (const std::int64_t sentence : values(sentences)) {
      if (sentence < 0 || sentence >= corpus_.size()) {
        throw std::invalid_argument("expected sentences from 0 to " + std::to_string(corpus_.size() - 1) + ", found " +
                                    std::to_string(sentence));
      }
    }
    const Lock lock(mutex_);
    const std::lock_guard references(corpus_.mutex());
    beams_.reset();
    chosen_.clear();
    constraints_.clear();
    for (const std::int64_t sentence : values(sentences)) constraints_.push_back(corpus_.constraint(sentence));
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::int64_t sentence = values(sentences)[i];
      chosen_.push_back(
          {corpus_.tokens(sentence), corpus_.reference(sentence), constraints_[i] ? &*constraints_[i] : nullptr});
    }
    version_ = corpus_.version();
    batch_.start(chosen_);
  }
  void select(Numbers states, const std::optional<Numbers>& focus) {
    if (focus) require_size(focus->size(), states.size());
    const Lock lock(mutex_);
    has_steps_ = false;
    batch_.select(values(states), focus ? values(*focus) : std::span<const std::int32_t>());
  }
  std::size_t rows() {
    const Lock lock(mutex_);
    return batch_.rows();
  }
  std::int32_t states() {
    const Lock lock(mutex_);
    return batch_.states();
  }

  template <void (Batch::*list)(std::int32_t*) const>
  void each_row(Out<std::int32_t> out) {
    const Lock lock(mutex_);
    require_size(out.size(), batch_.rows());
    (batch_.*list)(out.data());
  }
  void last_arcs(OutMatrix<std::int32_t> out) {
    const Lock lock(mutex_);
    require_matrix(out, 3);
    batch_.list_arcs(out.data());
  }
  auto derivation(std::int32_t state) {
    std::vector<std::int32_t> states, actions;
    {
      const Lock lock(mutex_);
      batch_.check_states({&state, 1});
      states.resize(batch_.length(state));
      actions.resize(states.size());
      batch_.derivation(state, states.data(), actions.data());
    }
    return std::pair{owned(std::move(states)), owned(std::move(actions))};
  }
  void legal(OutMatrix<bool> out) {
    const Lock lock(mutex_);
    require_matrix(out, batch_.system().actions());
    batch_.legal(out.data());
  }
  void costs(OutMatrix<std::int32_t> out) {
    const Lock lock(mutex_);
    const std::lock_guard references(corpus_.mutex());
    require_references();
    require_matrix(out, batch_.system().actions());
    batch_.costs(out.data());
  }
  void oracle(Out<std::int32_t> out) {
    const Lock lock(mutex_);
    const std::lock_guard references(corpus_.mutex());
    require_references();
    require_size(out.size(), batch_.rows());
    batch_.oracle(out.data());
  }
  void positions(Numbers addresses, OutMatrix<std::int32_t> out) {
    require_addresses(addresses);
    const Lock lock(mutex_);
    require_matrix(out, addresses.size());
    batch_.positions(values(addresses), out.data());
  }
  void places(Numbers addresses, Array<std::int64_t> first, std::int64_t none, OutMatrix<std::int64_t> out) {
    require_addresses(addresses);
    const Lock lock(mutex_);
    require_size(first.size(), batch_.sentences());
    require_matrix(out, addresses.size());
    batch_.places(values(addresses), values(first), none, out.data());
  }
  void arc_places(std::int64_t width, OutMatrix<std::int64_t> out) {
    if (width < 0 || width > std::numeric_limits<std::int32_t>::max()) throw std::out_of_range("no such width");
    const Lock lock(mutex_);
    require_matrix(out, batch_.system().actions());
    batch_.arc_places(width, out.data());
  }
  void labels(Numbers addresses, OutMatrix<std::int32_t> out) {
    require_addresses(addresses);
    const Lock lock(mutex_);
    require_matrix(out, addresses.size());
    batch_.labels(values(addresses), out.data());
  }
  void history(OutMatrix<std::int32_t> out) {
    const Lock lock(mutex_);
    const std::size_t count = out.shape(1);
    if (count > Batch::kHistory) throw std::out_of_range("a state remembers fewer actions");
    require_matrix(out, count);
    batch_.history(count, out.data());
  }
  std::int32_t deepest() {
    const Lock lock(mutex_);
    return batch_.deepest();
  }
  void stacks(OutMatrix<std::int32_t> out) {
    const Lock lock(mutex_);
    require_matrix(out, static_cast<std::size_t>(batch_.deepest()));
    batch_.stacks(out.data());
  }
  void keys(OutMatrix<Key> out) {
    const Lock lock(mutex_);
    require_matrix(out, batch_.program().templates());
    batch_.keys(out.data());
  }
  void arcs(Numbers rows, Numbers actions, Out<std::int32_t> heads, Out<std::int32_t> dependents) {
    require_size(actions.size(), rows.size());
    require_size(heads.size(), rows.size());
    require_size(dependents.size(), rows.size());
    const Lock lock(mutex_);
    batch_.arcs(values(rows), values(actions), heads.data(), dependents.data());
  }
  // Without rows: of all of them.
  void apply(const std::optional<Numbers>& rows, Numbers actions, const std::optional<Numbers>& labels,
             Out<std::int32_t> out) {
    const Lock lock(mutex_);
    if (!rows) {
      while (all_.size() < batch_.rows()) all_.push_back(static_cast<std::int32_t>(all_.size()));
    }
    const auto from = rows ? values(*rows) : std::span<const std::int32_t>(all_).first(batch_.rows());
    require_size(actions.size(), from.size());
    require_size(out.size(), from.size());
    if (labels) require_size(labels->size(), from.size());
    has_steps_ = false;
    batch_.apply(from, values(actions), labels ? values(*labels) : std::span<const std::int32_t>(), out.data());
  }
  void start_beams(std::size_t width, bool restarts) {
    const Lock lock(mutex_);
    if (width == 0) throw std::invalid_argument("a beam has room for one hypothesis or more");
    require_references();
    beams_.emplace(batch_, width, restarts);
    has_steps_ = false;
  }
  auto choose_steps(OutMatrix<double> scores) {
    std::vector<std::int32_t> rows, actions;
    {
      const Lock lock(mutex_);
      const std::lock_guard references(corpus_.mutex());
      require_beams();
      require_references();
      require_matrix(scores, batch_.system().actions());
      beams_->choose({scores.data(), scores.size()});
      has_steps_ = true;
      rows.assign(beams_->rows().begin(), beams_->rows().end());
      actions.assign(beams_->actions().begin(), beams_->actions().end());
    }
    return std::pair{owned(std::move(rows)), owned(std::move(actions))};
  }
  void take_steps(const std::optional<Numbers>& labels) {
    const Lock lock(mutex_);
    require_beams();
    if (!has_steps_) throw std::invalid_argument("no steps of the beams have been chosen");
    if (labels) require_size(labels->size(), beams_->rows().size());
    has_steps_ = false;
    beams_->take(labels ? values(*labels) : std::span<const std::int32_t>());
  }
  std::int64_t wrong_searches() {
    const Lock lock(mutex_);
    require_beams();
    return beams_->wrong();
  }
  template <Beams::Steps (Beams::*list)() const>
  auto beam_steps() {
    Beams::Steps found;
    {
      const Lock lock(mutex_);
      require_beams();
      found = (*beams_.*list)();
    }
    return std::tuple{owned(std::move(found.states)),   owned(std::move(found.places)),
                      owned(std::move(found.actions)),  owned(std::move(found.paths)),
                      owned(std::move(found.searches)), owned(std::move(found.correct))};
  }
  void is_final(Numbers states, Out<bool> out) {
    require_size(out.size(), states.size());
    const Lock lock(mutex_);
    batch_.is_final(values(states), out.data());
  }
  void latest(Out<std::int32_t> out) {
    const Lock lock(mutex_);
    require_size(out.size(), batch_.sentences());
    batch_.list_latest(out.data());
  }
  void trees(Numbers states, Out<std::int32_t> heads, Out<std::int32_t> labels) {
    const Lock lock(mutex_);
    require_size(states.size(), batch_.sentences());
    require_size(heads.size(), static_cast<std::size_t>(batch_.words()));
    require_size(labels.size(), heads.size());
    batch_.trees(values(states), heads.data(), labels.data());
  }

 private:
  static void require_addresses(Numbers addresses) {
    for (const std::int32_t address : values(addresses)) {
      if (!Program::is_address(address)) throw std::out_of_range("no such address");
    }
  }
  class Lock {  // releases Python's lock first: a waiting thread must not hold it
   public:
    explicit Lock(std::mutex& mutex) : guard_(mutex) {}

   private:
    nb::gil_scoped_release release_;
    std::lock_guard<std::mutex> guard_;
  };
  template <class Value>
  void require_matrix(const OutMatrix<Value>& out, std::size_t width) const {
    if (out.shape(0) != batch_.rows() || out.shape(1) != width) {
      throw std::invalid_argument("expected an array of shape (" + std::to_string(batch_.rows()) + ", " +
                                  std::to_string(width) + "), found (" + std::to_string(out.shape(0)) + ", " +
                                  std::to_string(out.shape(1)) + ")");
    }
  }
  void require_beams() const {
    if (!beams_) throw std::invalid_argument("no beams have been started");
  }
  void require_references() const {
    if (batch_.rows() > 0 && !batch_.has_references()) throw std::invalid_argument("the sentences have no gold");
    if (version_ != corpus_.version()) throw std::invalid_argument("the gold has changed; start again");
  }

  const Corpus& corpus_;
  Batch batch_;
  std::optional<Beams> beams_;
  bool has_steps_ = false;  // of the beams, chosen in the rows that there are
  std::mutex mutex_;
  std::vector<Batch::Sentence> chosen_;
  std::vector<std::optional<Constraint>> constraints_;  // of the sentences
  std::vector<std::int32_t> all_;                       // 0, 1, ...
  std::int64_t version_ = 0;                            // of the corpus, when the sentences were started
};

}  // namespace

void bind_batch(nb::module_& m) {
  using B = BatchHandle;
  const auto plain = [](const char* name) { return nb::arg(name).noconvert(); };
  nb::class_<B>(m, "Batch", "States of many sentences; arrays are filled in place.")
      .def(nb::init<const System&, const Program&, const Corpus&, const std::vector<std::int32_t>&>(), "system"_a,
           "program"_a, "corpus"_a, "ties"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("start", &B::start, plain("sentences"))
      .def("select", &B::select, plain("states"), plain("focus").none())
      .def("__len__", &B::rows)
      .def_prop_ro("states", &B::states, "How many there are, from number 0 on.")
      .def("list_states", &B::each_row<&Batch::list_states>, plain("out"))
      .def("list_parents", &B::each_row<&Batch::list_parents>, plain("out"))
      .def("list_sentences", &B::each_row<&Batch::list_sentences>, plain("out"))
      .def("list_actions", &B::each_row<&Batch::list_actions>, plain("out"))
      .def("list_focus", &B::each_row<&Batch::list_focus>, plain("out"))
      .def("list_violations", &B::each_row<&Batch::list_violations>, plain("out"))
      .def("last_arcs", &B::last_arcs, plain("out"))
      .def("derivation", &B::derivation, "state"_a)
      .def("legal", &B::legal, plain("out"))
      .def("costs", &B::costs, plain("out"))
      .def("oracle", &B::oracle, plain("out"))
      .def("positions", &B::positions, plain("addresses"), plain("out"))
      .def("places", &B::places, plain("addresses"), plain("first"), "none"_a, plain("out"))
      .def("arc_places", &B::arc_places, "width"_a, plain("out"))
      .def("labels", &B::labels, plain("addresses"), plain("out"))
      .def("history", &B::history, plain("out"))
      .def_prop_ro("deepest", &B::deepest, "How many words the largest stack of a row has.")
      .def("stacks", &B::stacks, plain("out"))
      .def("keys", &B::keys, plain("out"))
      .def("arcs", &B::arcs, plain("rows"), plain("actions"), plain("heads"), plain("dependents"))
      .def("apply", &B::apply, plain("rows").none(), plain("actions"), plain("labels").none(), plain("out"))
      .def("start_beams", &B::start_beams, "width"_a, "restarts"_a,
           "A beam for each sentence, to learn from. A beam that loses what is correct may begin again there.")
      .def("choose_steps", &B::choose_steps, plain("scores"), "Rows and actions that the beams go on with.")
      .def("take_steps", &B::take_steps, plain("labels").none())
      .def_prop_ro("wrong_searches", &B::wrong_searches,
                   "How many have ended with another derivation on top than the best correct one.")
      .def(
          "contested_steps", &B::beam_steps<&Beams::contested>,
          "Derivations that searches ended with, where some were wrong: the states that steps are taken in; of each "
          "step its place among them, action and derivation; of each derivation its search, and whether it is correct.")
      .def("correct_steps", &B::beam_steps<&Beams::correct>, "The same of the best correct one of each search.")
      .def("is_final", &B::is_final, plain("states"), plain("out"))
      .def("latest", &B::latest, plain("out"))
      .def("trees", &B::trees, plain("states"), plain("heads"), plain("labels"));
}
