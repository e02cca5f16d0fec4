// Memory for large tables that are read at random: in large pages where the system has them, so that fewer of them have
// to be found.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace panparser {

// Asks for the line of memory at an address, where the compiler can. The empty statement keeps compilers from taking
// functions that only do this for ones without effect, and dropping the calls.
inline void prefetch_line([[maybe_unused]] const void* address) {
#ifdef __GNUC__  // and Clang
  __builtin_prefetch(address);
  asm volatile("");
#endif
}

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (size < kPage) return static_cast<T*>(::operator new(size, std::align_val_t{kLine}));
    const std::size_t whole = (size + kPage - 1) / kPage * kPage;
    void* memory = ::operator new(whole, std::align_val_t{kPage});
#ifdef MADV_HUGEPAGE
    madvise(memory, whole, MADV_HUGEPAGE);  // a hint: it may fail
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    ::operator delete(memory, std::align_val_t{count * sizeof(T) < kPage ? kLine : kPage});
  }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }

 private:
  static constexpr std::size_t kLine = 64, kPage = std::size_t(2) << 20;
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace panparser
