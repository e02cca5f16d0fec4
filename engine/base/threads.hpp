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

}  // namespace panparser
