// Memory for large tables that are read at random: in large pages where the system has them, so that fewer of them have
// to be found.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace panparser {

// Asks for the line of memory at an address. The empty statement keeps compilers from taking functions that only do
// this for ones without effect, and dropping the calls.
inline void prefetch_line(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    constexpr std::size_t kPage = std::size_t(2) << 20;
    const std::size_t size = count * sizeof(T);
    if (size < kPage) return static_cast<T*>(::operator new(size, kLine));
    void* memory = std::aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage);
    if (!memory) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(memory, (size + kPage - 1) / kPage * kPage, MADV_HUGEPAGE);  // a hint: it may fail
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < std::size_t(2) << 20) return ::operator delete(memory, kLine);
    std::free(memory);
  }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }

 private:
  static constexpr std::align_val_t kLine{64};
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace panparser
