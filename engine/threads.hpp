// Work that several threads share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace panparser {

// Calls make_worker() in up to `threads` threads, this one among them, and what it gives for each number below `count`,
// once whatever the thread. The first failure ends its thread's work, and is thrown when all are done.
template <class MakeWorker>
void share_work(std::int64_t count, int threads, const MakeWorker& make_worker) {
  std::atomic<std::int64_t> next = 0;
  std::mutex failed;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      auto worker = make_worker();
      for (std::int64_t i; (i = next++) < count;) worker(i);
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
      others.emplace_back(work);
    } catch (const std::system_error&) {  // there are no more; those that there are do the work
      break;
    }
  }
  work();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace panparser
