// The Python face of perceptrons whose states live outside the engine: features come as keys.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "features/selection.hpp"
#include "python/module.hpp"
#include "search/scoring_plan.hpp"
#include "search/state_description.hpp"
#include "weights/perceptron.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using Keys = nb::ndarray<const Key, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = Array<std::int32_t>;

class KeyedPerceptron {
 public:
  KeyedPerceptron(int actions, int labels) : actions_(checked(actions)), labels_count_(labels) {
    if (labels < 0 || labels > 1 << 15) throw std::invalid_argument("expected at most 32768 labels");
  }

  // [row][action] Sums of the weights of a row's keys; 0 is no key.
  void score(Keys keys, Scores out) const {
    require_shape(out, keys.shape(0), actions_.classes());
    nb::gil_scoped_release release;
    for (std::size_t row = 0; row < keys.shape(0); ++row) {
      std::int32_t* const sums = out.data() + row * out.shape(1);
      std::fill_n(sums, out.shape(1), 0);
      actions_.add_to(keys.data() + row * keys.shape(1), static_cast<int>(keys.shape(1)), sums);
    }
  }
  // [row][label] The same for the arc that an action makes in each row.
  void score_labels(Keys keys, Numbers actions, Scores out) const {
    require_shape(out, keys.shape(0), labels_count_);
    require_size(actions.size(), keys.shape(0));
    if (keys.shape(1) > Program::kMaxTemplates) throw std::invalid_argument("too many keys in a row");
    nb::gil_scoped_release release;
    std::vector<Key> own(keys.shape(1));
    for (std::size_t row = 0; row < keys.shape(0); ++row) {
      std::int32_t* const sums = out.data() + row * out.shape(1);
      std::fill_n(sums, out.shape(1), 0);
      const Key* const first = keys.data() + row * keys.shape(1);
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = label_key(first[i], values(actions)[row]);
      labels_.add_to(own.data(), static_cast<int>(own.size()), sums);
    }
  }

  // Changes the weight of each row's action, at a time that the average counts.
  void reward(Keys keys, Numbers actions, Numbers by, std::int64_t time) {
    require_size(actions.size(), keys.shape(0));
    require_size(by.size(), keys.shape(0));
    require_below(values(actions), actions_.classes());
    nb::gil_scoped_release release;
    for (std::size_t row = 0; row < keys.shape(0); ++row) {
      for (std::size_t i = 0; i < keys.shape(1); ++i) {
        const Key key = keys.data()[row * keys.shape(1) + i];
        if (key) actions_.change(&key, 1, values(actions)[row], values(by)[row], time);
      }
    }
  }
  void reward_labels(Keys keys, Numbers actions, Numbers labels, Numbers by, std::int64_t time) {
    require_size(actions.size(), keys.shape(0));
    require_size(labels.size(), keys.shape(0));
    require_size(by.size(), keys.shape(0));
    require_below(values(labels), labels_count_);
    nb::gil_scoped_release release;
    for (std::size_t row = 0; row < keys.shape(0); ++row) {
      for (std::size_t i = 0; i < keys.shape(1); ++i) {
        const Key key = keys.data()[row * keys.shape(1) + i];
        if (!key) continue;
        const Key own = label_key(key, values(actions)[row]);
        labels_.change(&own, 1, values(labels)[row], values(by)[row], time);
      }
    }
  }

  DenseWeights::Rows actions() const { return actions_.rows(); }
  SparseWeights::Rows labels() const { return labels_.rows(); }
  void load(const DenseWeights::Rows& actions, const SparseWeights::Rows& labels) {
    std::int64_t sum = 0;
    for (const std::int32_t count : labels.counts) sum += count > 0 && count <= labels_count_ ? count : -(1ll << 40);
    const std::size_t all = labels.labels.size();
    if (actions.weights.size() != actions.keys.size() * static_cast<std::size_t>(actions_.classes()) ||
        actions.dated.size() != actions.weights.size() || labels.counts.size() != labels.keys.size() ||
        sum != static_cast<std::int64_t>(all) || labels.weights.size() != all || labels.dated.size() != all) {
      throw std::invalid_argument("the weights have the wrong shape");
    }
    require_rising(actions.keys);
    require_rising(labels.keys);
    std::size_t entry = 0;
    for (const std::int32_t count : labels.counts) {
      for (std::int32_t i = 0; i < count; ++i, ++entry) {
        const std::int32_t label = labels.labels[entry];
        if (label < 0 || label >= labels_count_ || (i > 0 && label <= labels.labels[entry - 1])) {
          throw std::invalid_argument("no such label, or out of order");
        }
      }
    }
    actions_.load(actions);
    labels_.load(labels);
  }

 private:
  static int checked(int actions) {
    if (actions < 1 || actions > 1 << 15) throw std::invalid_argument("expected 1 to 32768 actions");
    return actions;
  }
  static void require_size(std::size_t found, std::size_t expected) {
    if (found != expected) throw std::invalid_argument("expected one number for each row");
  }
  static void require_shape(const Scores& out, std::size_t rows, int width) {
    if (out.shape(0) != rows || out.shape(1) != static_cast<std::size_t>(width)) {
      throw std::invalid_argument("expected an array of shape (" + std::to_string(rows) + ", " + std::to_string(width) +
                                  ")");
    }
  }
  static void require_below(std::span<const std::int32_t> numbers, int bound) {
    for (const std::int32_t number : numbers) {
      if (number < 0 || number >= bound) throw std::invalid_argument("no such action or label");
    }
  }
  static void require_rising(std::span<const Key> keys) {
    Key last = 0;
    for (const Key key : keys) {
      if (key <= last) throw std::invalid_argument("the keys are out of order");
      last = key;
    }
  }

  DenseWeights actions_;
  SparseWeights labels_;
  int labels_count_;
};

// States that Python describes, row by row; features and positions as templates see them.
class DescribedStates {
 public:
  using Tokens2 = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  DescribedStates(const Program& program, const TreebankStore& store, bool root_first,
                  const std::optional<std::pair<Numbers, Numbers>>& given)
      : program_(program), selection_(program), offsets_(store.data().offsets()), root_first_(root_first) {
    GivenColumns columns;
    if (given) {
      const auto words = static_cast<std::size_t>(offsets_.back());
      if (given->first.size() != words || given->second.size() != words) {
        throw std::invalid_argument("one given head and label a word");
      }
      columns = {values(given->first), values(given->second)};
    }
    nb::gil_scoped_release release;
    tokens_ = std::make_unique<Tokens>(program.attributes(), program.counters(), store.data(),
                                       std::span<const std::int32_t>(), -1, columns);
  }

  // [row][template]
  void keys(Array<std::int64_t> sentences, Tokens2 stack, Tokens2 buffer, Numbers heads, Numbers labels,
            Array<std::uint32_t> history, nb::ndarray<Key, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) const {
    if (out.shape(0) != sentences.size() || out.shape(1) != static_cast<std::size_t>(program_.templates())) {
      throw std::invalid_argument("expected a key for each row and template");
    }
    std::vector<Key> found(out.shape(1));
    Key* at = out.data();
    each(sentences, stack, buffer, heads, labels, history, [&](const Window& window, std::int64_t sentence) {
      selection_.extract(1, window, (*tokens_)[sentence], found.data());
      for (const Key key : found) at[template_of(key)] = key;
      at += found.size();
    });
  }
  // [row][address]: 1..n words, 0 Root, -1 none
  void positions(Array<std::int64_t> sentences, Tokens2 stack, Tokens2 buffer, Numbers heads, Numbers labels,
                 Array<std::uint32_t> history, Numbers addresses, Scores out) const {
    for (const std::int32_t address : values(addresses)) {
      if (!Program::is_address(address)) throw std::out_of_range("no such address");
    }
    if (out.shape(0) != sentences.size() || out.shape(1) != addresses.size()) {
      throw std::invalid_argument("expected a number for each row and address");
    }
    std::int32_t* at = out.data();
    each(sentences, stack, buffer, heads, labels, history, [&](const Window& window, std::int64_t sentence) {
      const auto root = static_cast<Token>(root_first_ ? 0 : offsets_[sentence + 1] - offsets_[sentence] + 1);
      for (const std::int32_t address : values(addresses)) {
        const Token token = program_.token(window, address);
        *at++ = token == root ? 0 : token;
      }
    });
  }

 private:
  template <class Use>
  void each(const Array<std::int64_t>& sentences, const Tokens2& stack, const Tokens2& buffer, const Numbers& heads,
            const Numbers& labels, const Array<std::uint32_t>& history, const Use& use) const {
    std::size_t words = 0;
    for (const std::int64_t sentence : values(sentences)) {
      if (sentence < 0 || sentence + 1 >= static_cast<std::int64_t>(offsets_.size())) {
        throw std::out_of_range("no such sentence");
      }
      words += static_cast<std::size_t>(offsets_[sentence + 1] - offsets_[sentence]);
    }
    if (stack.shape(0) != sentences.size() || buffer.shape(0) != sentences.size() || heads.size() != words ||
        labels.size() != words || history.size() != sentences.size()) {
      throw std::invalid_argument("expected a stack, a buffer, heads, labels and a history for each row");
    }
    for (const std::int32_t label : values(labels)) {
      if (label < -1 || label >= 1 << 15) throw std::out_of_range("no such label");
    }
    DescribedState state(root_first_);
    std::size_t first = 0;
    for (std::size_t row = 0; row < sentences.size(); ++row) {
      const std::int64_t sentence = values(sentences)[row];
      const auto count = static_cast<std::size_t>(offsets_[sentence + 1] - offsets_[sentence]);
      const auto part = [&](const Tokens2& tokens) {
        return std::span(tokens.data() + row * tokens.shape(1), tokens.shape(1));
      };
      use(state.window({part(stack), part(buffer), values(heads).subspan(first, count),
                        values(labels).subspan(first, count), values(history)[row]}),
          sentence);
      first += count;
    }
  }

  const Program& program_;
  Selection selection_;
  std::vector<std::int64_t> offsets_;
  bool root_first_;
  std::unique_ptr<Tokens> tokens_;
};

}  // namespace

void bind_keyed(nb::module_& m) {
  using P = KeyedPerceptron;
  const auto plain = [](const char* name) { return nb::arg(name).noconvert(); };
  nb::class_<P>(m, "KeyedPerceptron", "Weights by the keys of features, for states that live outside the engine.")
      .def(nb::init<int, int>(), "actions"_a, "labels"_a)
      .def("score", &P::score, plain("keys"), plain("out"))
      .def("score_labels", &P::score_labels, plain("keys"), plain("actions"), plain("out"))
      .def("reward", &P::reward, plain("keys"), plain("actions"), plain("by"), "time"_a)
      .def("reward_labels", &P::reward_labels, plain("keys"), plain("actions"), plain("labels"), plain("by"), "time"_a)
      .def("actions", &P::actions)
      .def("labels", &P::labels)
      .def("load", &P::load, "actions"_a, "labels"_a);

  using D = DescribedStates;
  nb::class_<D>(m, "DescribedStates", "States that live outside the engine, as templates see them.")
      .def(nb::init<const Program&, const TreebankStore&, bool, const std::optional<std::pair<Numbers, Numbers>>&>(),
           "program"_a, "store"_a, "root_first"_a, "given"_a.none() = nb::none(), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def("keys", &D::keys, plain("sentences"), plain("stack"), plain("buffer"), plain("heads"), plain("labels"),
           plain("history"), plain("out"))
      .def("positions", &D::positions, plain("sentences"), plain("stack"), plain("buffer"), plain("heads"),
           plain("labels"), plain("history"), plain("addresses"), plain("out"));

  m.def(
      "label_templates",
      [](const System& system, const Program& program) {
        const Labels labels({true}, {true});
        return ScoringPlan{system, program, labels}.label_templates(program);
      },
      "system"_a, "program"_a, "Numbers of the templates that labels of arcs see.");
}
