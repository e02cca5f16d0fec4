// Sequences whose items are classified from left to right: words with tags, characters with boundaries.
// Features of an item are its attributes, those of its neighbours, and the classes already given.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "features/program.hpp"
#include "features/tokens.hpp"

namespace panparser {

// Attributes of one column of a treebank, their source, lie side by side.
struct SequenceAtom {
  bool is_class;           // one that was given
  std::int32_t offset;     // items from the current one; of a class, how long ago
  std::int32_t parameter;  // an attribute, or a part of classes
};

// Templates over a window of items, and over the classes given before.
class SequenceProgram {
 public:
  static constexpr int kMaxReach = 16;  // items to the left and to the right
  static constexpr int kMaxDepth = 4;   // classes given before
  static constexpr int kMaxPlaces = 256;
  static constexpr int kMaxTurned = 4 * Program::kMaxAtoms;

  // Attributes are those of a treebank, then as many columns of numbers. Throws std::invalid_argument on a number out
  // of range.
  SequenceProgram(std::vector<Attribute> attributes, std::int32_t columns, std::int32_t parts,
                  const std::vector<SequenceAtom>& atoms, const std::vector<std::vector<std::int32_t>>& templates);

  int templates() const { return fixed_.size() + given_.size(); }
  int fixed() const { return fixed_.size(); }  // templates that read only items
  int given() const { return given_.size(); }  // templates that read classes
  int depth() const { return depth_; }         // previous classes read, at most
  std::int32_t parts() const { return parts_; }
  std::int32_t columns() const { return columns_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  struct Source {
    Column column;
    std::vector<Attribute> attributes;
  };
  const std::vector<Source>& sources() const { return sources_; }

  // The features of an item: those of items alone, and those that also see classes. `items` is the window around it:
  // row(source, offset) is where the attributes of a source begin, number(column, offset) the value of a number;
  // `class_value(ago, part)` is a part of a class.
  template <class Window>
  void extract_fixed(const Window& items, Key* keys) const {
    fixed_.extract(items, [](int, int) { return Value(0); }, keys);
  }
  template <class Window, class ClassValue>
  void extract_given(const Window& items, const ClassValue& class_value, Key* keys) const {
    given_.extract(items, class_value, keys);
  }

 private:
  struct Place {
    std::int32_t source, offset;
  };
  static constexpr std::int32_t kClass = -1, kNumber = -2;
  struct Reading {        // of an atom
    std::int32_t place;   // or kClass, kNumber
    std::int32_t index;   // in the row; of a class, how long ago; of a number, its column
    std::int32_t detail;  // of a class, its part; of a number, the offset of its item
    friend bool operator==(const Reading&, const Reading&) = default;
  };
  struct Turned {
    std::uint16_t reading, by;
    friend bool operator==(const Turned&, const Turned&) = default;
  };
  struct Feature {
    Key seed;
    std::uint16_t number, slot;  // of the template: among all, and among the keys
  };
  // Values are turned by their place in a template before they are added up: each turned value is made once, for all
  // templates that have it there. Templates of one length follow each other.
  struct Part {
    std::vector<Place> places;
    std::vector<Reading> readings;
    std::vector<Turned> turned;
    std::vector<Feature> features;
    std::vector<std::size_t> lengths;  // of the features, in order
    std::vector<std::uint16_t> flat;   // turned values of all features

    int size() const { return static_cast<int>(features.size()); }
    template <class Window, class ClassValue>
    void extract(const Window& items, const ClassValue& class_value, Key* keys) const {
      std::array<const Value*, kMaxPlaces> found;
      for (std::size_t p = 0; p < places.size(); ++p) found[p] = items.row(places[p].source, places[p].offset);
      std::array<Value, Program::kMaxAtoms> values;
      for (std::size_t r = 0; r < readings.size(); ++r) {
        const auto [place, index, detail] = readings[r];
        values[r] = place >= 0         ? found[place][index]
                    : place == kNumber ? items.number(index, detail)
                                       : class_value(index, detail);
      }
      std::array<Value, kMaxTurned> parts;
      for (std::size_t i = 0; i < turned.size(); ++i) parts[i] = std::rotl(values[turned[i].reading], turned[i].by);
      add_up(parts.data(), keys);
    }
    void add_up(const Value* parts, Key* keys) const;
  };
  void add_template(Part& part, const Feature& feature, std::span<const SequenceAtom> atoms);
  std::int32_t place(Part& part, std::int32_t source, std::int32_t offset);
  Reading reading(Part& part, const SequenceAtom& atom);

  std::vector<Attribute> attributes_;
  std::int32_t columns_, parts_;
  std::vector<Source> sources_;
  // Of an attribute: its source, and where in its row; of a number: kNumber, and its column.
  std::vector<std::pair<std::int32_t, std::int32_t>> homes_;
  Part fixed_, given_;
  int depth_ = 0;
};

// A number for each item; those of a table may stand side by side.
struct NumberColumn {
  const std::int32_t* first;
  std::int64_t size, step;
};

// The items of many sequences, as a program sees them.
class Sequences {
 public:
  // `data` may be null where the program reads no treebank. `columns` are numbers, one for each item.
  Sequences(const SequenceProgram& program, std::vector<std::int64_t> offsets, const TreebankData* data,
            std::span<const NumberColumn> columns);

  bool fits(const SequenceProgram& program) const;  // are there rows for all that it reads?
  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::int64_t items() const { return offsets_.back(); }
  std::int64_t first(std::int64_t sequence) const { return offsets_[sequence]; }
  std::int32_t length(std::int64_t sequence) const {
    return static_cast<std::int32_t>(offsets_[sequence + 1] - offsets_[sequence]);
  }
  const Value* row(std::int32_t source, std::int64_t item) const {
    const Table& table = tables_[source];
    return table.values.data() + std::int64_t(table.ids[item]) * table.width;
  }
  Value number(std::int32_t column, std::int64_t item) const { return hash_number(numbers_[item * columns_ + column]); }
  const Value* boundary() const { return boundary_.data(); }  // the attributes of what is beside a sequence

 private:
  struct Table {
    std::vector<Value> values;      // [row][attribute]
    std::vector<std::int32_t> ids;  // the row of each item
    std::int32_t width;
  };
  std::vector<std::int64_t> offsets_;
  std::vector<Table> tables_;  // by source
  std::int32_t columns_;
  std::vector<std::int32_t> numbers_;  // [item][column]
  std::vector<Value> boundary_;
};

// Which classes items may have: those of a set, by the number of the set; all, where there is no set.
struct ClassSets {
  std::vector<std::int32_t> of_item;  // -1: all classes; empty: no item has a set
  std::vector<std::int32_t> starts;   // of sets in `classes`, and the end
  std::vector<std::int32_t> classes;  // of all sets, those of each in order

  // Throws std::invalid_argument on a number out of range, and on an empty set.
  void check(std::int64_t items, std::int32_t known) const;
  std::span<const std::int32_t> of(std::int64_t item) const {  // empty: all
    const std::int32_t set = of_item.empty() ? -1 : of_item[item];
    if (set < 0) return {};
    return std::span(classes).subspan(starts[set], starts[set + 1] - starts[set]);
  }
};

// The classes, and the values of their parts as features see them.
class SequenceClasses {
 public:
  // `parts`: a number for each part and class, [part][class].
  SequenceClasses(std::int32_t size, std::span<const std::int32_t> parts);
  std::int32_t size() const { return size_; }
  std::int32_t parts() const { return static_cast<std::int32_t>(values_.size() / (size_ + 1)); }
  Value value(int part, std::int32_t c) const { return values_[std::int64_t(part) * (size_ + 1) + c + 1]; }  // -1: none

 private:
  std::int32_t size_;
  std::vector<Value> values_;  // [part][1 + class]
};

}  // namespace panparser
