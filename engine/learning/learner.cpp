#include "learning/learner.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "learning/sequence_task.hpp"
#include "learning/table_task.hpp"

namespace panparser {

namespace {

constexpr double kMostChanging = 0.65;  // above it, threads that search ahead would work in vain
constexpr double kFading = 0.98;        // of older examples

void append(const Changes& more, Changes& changes) {
  const auto add = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  add(more.class_keys, changes.class_keys);
  add(more.label_keys, changes.label_keys);
  add(more.classes, changes.classes);
  add(more.labels, changes.labels);
  add(more.vectors, changes.vectors);
}

}  // namespace

template <LearningTask Task>
void Learner<Task>::train(std::int64_t count, const Examples& examples, const Strategy& strategy,
                          const Listener& listener, const Sharing& sharing) {
  const auto threads = static_cast<std::size_t>(std::max(1, sharing.threads));
  while (learners_.size() < threads) {
    learners_.push_back(std::make_unique<ExampleLearner<Task>>(beam_, make_task_(weights_)));
  }
  // A search that starts again learns in between, and one with a horizon may.
  const bool is_whole = strategy.restart == Restart::kNever && strategy.horizon == 0 && !listener;
  if (sharing.batch > 1) {
    train_batches(count, examples, strategy, sharing);
  } else if (threads > 1 && is_whole && changing_ < kMostChanging) {
    train_ahead(count, examples, strategy, sharing.threads);
  } else {
    train_in_turn(count, examples, strategy, listener);
  }
}

template <LearningTask Task>
void Learner<Task>::train_in_turn(std::int64_t count, const Examples& examples, const Strategy& strategy,
                                  const Listener& listener) {
  for (std::int64_t i = 0; i < count; ++i) {
    bool changes = false;
    const auto apply = [&](const Changes& found) {
      weights_.apply(found, time_);
      changes = true;
    };
    examples(i, [&](const Example& example) {
      example_learner(0).learn(example, strategy, random_, listener, apply, progress_);
    });
    ++time_;
    changing_ = kFading * changing_ + (1 - kFading) * changes;
  }
}

// Most examples change nothing once much is learned. So threads search the next ones by the weights as they are, and
// the outcomes count up to the first that changes them: those are what they would have been in turn.
template <LearningTask Task>
void Learner<Task>::train_ahead(std::int64_t count, const Examples& examples, const Strategy& strategy, int threads) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(count));
  ThreadTeam team(threads);
  for (std::int64_t from = 0; from < count;) {
    std::atomic<std::int64_t> next = from, last = count - 1;  // the last one that counts
    team.run([&](int thread) {
      for (std::int64_t i; (i = next++) <= last;) {
        Outcome& outcome = outcomes[static_cast<std::size_t>(i)];
        outcome = {};
        const auto apply = [&](const Changes& found) { outcome.changes = found; };
        try {
          examples(i, [&](const Example& example) {
            example_learner(thread).learn(example, strategy, random_, {}, apply, outcome.progress,
                                          [&] { return last < i; });
          });
        } catch (...) {
          outcome.failure = std::current_exception();
        }
        if (outcome.changes.empty() && !outcome.failure) continue;
        for (std::int64_t known = last; i < known && !last.compare_exchange_weak(known, i);) {
        }
      }
    });
    for (; from <= last; ++from) commit(outcomes[static_cast<std::size_t>(from)]);
  }
}

template <LearningTask Task>
void Learner<Task>::train_batches(std::int64_t count, const Examples& examples, const Strategy& strategy,
                                  const Sharing& sharing) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(sharing.batch));
  ThreadTeam team(sharing.threads);
  for (std::int64_t from = 0; from < count; from += sharing.batch) {
    const std::int64_t size = std::min(sharing.batch, count - from);
    std::vector<Random> randoms;  // one for each example, so that threads draw the same numbers
    for (std::int64_t i = 0; i < size; ++i) randoms.emplace_back(random_.bits());
    std::atomic<std::int64_t> next = 0;
    team.run([&](int thread) {
      for (std::int64_t i; (i = next++) < size;) {
        Outcome& outcome = outcomes[static_cast<std::size_t>(i)];
        outcome.changes.clear();
        outcome.progress = {};
        const auto apply = [&](const Changes& found) { append(found, outcome.changes); };
        examples(from + i, [&](const Example& example) {
          example_learner(thread).learn(example, strategy, randoms[static_cast<std::size_t>(i)], {}, apply,
                                        outcome.progress);
        });
      }
    });
    for (std::int64_t i = 0; i < size; ++i) commit(outcomes[static_cast<std::size_t>(i)]);
  }
}

template <LearningTask Task>
void Learner<Task>::commit(const Outcome& outcome) {
  if (outcome.failure) std::rethrow_exception(outcome.failure);
  if (!outcome.changes.empty()) weights_.apply(outcome.changes, time_);
  changing_ = kFading * changing_ + (1 - kFading) * !outcome.changes.empty();
  ++time_;
  progress_ += outcome.progress;
}

template class Learner<TableTask>;
template class Learner<SequenceTask>;

}  // namespace panparser
