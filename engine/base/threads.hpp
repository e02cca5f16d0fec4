// Work that several threads share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace panparser {

// Calls work(each) in up to `threads` threads, including this one; each(see) calls see(i) for numbers below `count`
// that no other thread has. A failure ends the work of its thread, and is thrown when all are done.
template <class Work>
void share_work(std::int64_t count, int threads, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  std::mutex failed;
  std::exception_ptr failure;
  const auto each = [&](const auto& see) {
    for (std::int64_t i; (i = next++) < count;) see(i);
  };
  const auto run = [&] {
    try {
      work(each);
    } catch (...) {
      const std::lock_guard guard(failed);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const std::int64_t most = std::min<std::int64_t>(threads, count);
  others.reserve(static_cast<std::size_t>(std::max<std::int64_t>(most, 0)));
  for (std::int64_t i = 1; i < most; ++i) {
    try {
      others.emplace_back(run);
    } catch (const std::system_error&) {  // no more threads: the existing ones do the work
      break;
    }
  }
  run();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// Threads that do one piece of work after the other together.
class ThreadTeam {
 public:
  explicit ThreadTeam(int threads) {
    others_.reserve(static_cast<std::size_t>(std::max(threads, 1)));
    for (int number = 1; number < threads; ++number) {
      try {
        others_.emplace_back([this, number] { serve(number); });
      } catch (const std::system_error&) {  // no more threads: the existing ones do the work
        break;
      }
    }
  }
  ~ThreadTeam() {
    work_ = nullptr;
    begin();
    for (std::thread& thread : others_) thread.join();
  }
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Calls work(number of the thread) in all of them, including this one, 0; a failure is thrown when all are done.
  void run(const std::function<void(int)>& work) {
    work_ = &work;
    failure_ = nullptr;
    left_ = static_cast<int>(others_.size());
    begin();
    attempt(0);
    for (int left; (left = left_) > 0;) left_.wait(left);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void begin() {
    ++round_;
    round_.notify_all();
  }
  void attempt(int number) {
    try {
      (*work_)(number);
    } catch (...) {
      const std::lock_guard guard(failed_);
      failure_ = std::current_exception();
    }
  }
  void serve(int number) {
    for (int round = 0;;) {
      round_.wait(round);
      round = round_;
      if (!work_) return;
      attempt(number);
      --left_;
      left_.notify_one();
    }
  }

  std::atomic<int> round_ = 0, left_ = 0;
  const std::function<void(int)>* work_ = nullptr;
  std::mutex failed_;
  std::exception_ptr failure_;
  std::vector<std::thread> others_;
};

}  // namespace panparser
