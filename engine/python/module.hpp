// Shared by the files of the Python bindings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "treebank/conllu.hpp"

namespace panparser {

namespace nb = nanobind;

// The data with the bytes that its strings point into.
class TreebankStore {
 public:
  TreebankStore(nb::bytes text, bool conllx, bool single_root, std::int64_t first_line) : text_(std::move(text)) {
    const std::string_view view(text_.c_str(), text_.size());
    nb::gil_scoped_release release;
    data_ = std::make_unique<TreebankData>(view,
                                           Rules{conllx ? Format::kConllx : Format::kConllu, single_root, first_line});
  }
  TreebankData& data() const { return *data_; }
  void check(std::int64_t sentence) const {
    if (sentence < 0 || sentence >= data_->sentences()) throw std::out_of_range("no such sentence");
  }
  static Column column(int column) {
    if (column < 0 || column >= kColumns) throw std::out_of_range("no such column");
    return Column(column);
  }

 private:
  nb::bytes text_;
  std::unique_ptr<TreebankData> data_;
};

template <class Value>
using Array = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Value>
std::span<const Value> values(const Array<Value>& array) {
  return {array.data(), array.shape(0)};
}

// An array that owns its numbers.
template <class Value, class Allocator>
nb::ndarray<nb::numpy, Value, nb::ndim<1>> owned(std::vector<Value, Allocator>&& numbers) {
  using Numbers = std::vector<Value, Allocator>;
  auto* kept = new Numbers(std::move(numbers));
  nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<Numbers*>(data); });
  return {kept->data(), {kept->size()}, owner};
}

template <class Value>
std::vector<Value> copied(const Array<Value>& array) {
  return {values(array).begin(), values(array).end()};
}

template <class Value>
using Numpy = nb::ndarray<nb::numpy, Value, nb::ndim<1>>;

// An array of a vector in a bound struct, which it keeps alive.
template <class Owner, auto member>
auto view(nb::handle_t<Owner> self) {
  auto& numbers = nb::cast<Owner&>(self).*member;
  using Value = typename std::remove_reference_t<decltype(numbers)>::value_type;
  return Numpy<Value>(numbers.data(), {numbers.size()}, self);
}

// An array that is copied from numbers that may change.
template <class Value>
Numpy<Value> copy_of(const std::vector<Value>& numbers) {
  return owned(std::vector<Value>(numbers));
}

}  // namespace panparser
