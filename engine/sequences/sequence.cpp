#include "sequences/sequence.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/require.hpp"

namespace panparser {

namespace {

// The place of an item in a list, added where it is not there yet.
template <class Item>
std::size_t number_in(std::vector<Item>& list, const Item& item) {
  const auto found = std::find(list.begin(), list.end(), item);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(item);
  return list.size() - 1;
}

// Adds up `kLength` parts for each of some features; where the parts of the next begin.
template <std::size_t kLength, class Features>
const std::uint16_t* add_each(const Features& features, const std::uint16_t* part, const Value* parts, Key* keys) {
  for (const auto& feature : features) {
    Key key = feature.seed;
    for (std::size_t i = 0; i < kLength; ++i) key += parts[part[i]];
    keys[feature.slot] = finished_key(key, feature.number);
    part += kLength;
  }
  return part;
}

}  // namespace

SequenceProgram::SequenceProgram(std::vector<Attribute> attributes, std::int32_t columns, std::int32_t parts,
                                 const std::vector<SequenceAtom>& atoms,
                                 const std::vector<std::vector<std::int32_t>>& templates)
    : attributes_(std::move(attributes)), columns_(columns), parts_(parts) {
  require(columns >= 0 && parts >= 1, "a number of columns or parts is out of range");
  require(!templates.empty() && templates.size() <= Program::kMaxTemplates && atoms.size() <= Program::kMaxAtoms,
          "no templates, or too many");
  for (const Attribute& attribute : attributes_) {
    const auto found = std::find_if(sources_.begin(), sources_.end(),
                                    [&](const Source& source) { return source.column == attribute.source; });
    const auto number = static_cast<std::int32_t>(found - sources_.begin());
    if (found == sources_.end()) sources_.push_back({attribute.source, {}});
    homes_.emplace_back(number, static_cast<std::int32_t>(sources_[number].attributes.size()));
    sources_[number].attributes.push_back(attribute);
  }
  for (std::int32_t c = 0; c < columns_; ++c) homes_.emplace_back(kNumber, c);
  for (const SequenceAtom& atom : atoms) {
    if (atom.is_class) {
      require(atom.offset >= 1 && atom.offset <= kMaxDepth, "no such class");
      require(atom.parameter >= 0 && atom.parameter < parts_, "no such part of a class");
      depth_ = std::max(depth_, static_cast<int>(atom.offset));
    } else {
      require(atom.offset >= -kMaxReach && atom.offset <= kMaxReach, "too far away");
      require(atom.parameter >= 0 && std::size_t(atom.parameter) < homes_.size(), "no such attribute");
    }
  }
  std::vector<std::vector<SequenceAtom>> of_template;
  for (const auto& numbers : templates) {
    require(!numbers.empty(), "a template without atoms");
    auto& own = of_template.emplace_back();
    for (const std::int32_t atom : numbers) {
      require(atom >= 0 && std::size_t(atom) < atoms.size(), "no such atom");
      own.push_back(atoms[atom]);
    }
  }
  std::size_t longest = 0;
  for (const auto& own : of_template) longest = std::max(longest, own.size());
  std::vector<std::uint16_t> slots(templates.size());
  std::array<std::uint16_t, 2> counts = {};
  const auto sees_classes = [&](std::size_t t) {
    return std::any_of(of_template[t].begin(), of_template[t].end(), [](const auto& atom) { return atom.is_class; });
  };
  for (std::size_t t = 0; t < templates.size(); ++t) slots[t] = counts[sees_classes(t)]++;
  for (std::size_t length = 1; length <= longest; ++length) {
    for (std::size_t t = 0; t < templates.size(); ++t) {
      if (of_template[t].size() != length) continue;
      add_template(sees_classes(t) ? given_ : fixed_, {template_seed(t), std::uint16_t(t), slots[t]}, of_template[t]);
    }
  }
}

void SequenceProgram::add_template(Part& part, const Feature& feature, std::span<const SequenceAtom> atoms) {
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const std::size_t read = number_in(part.readings, reading(part, atoms[i]));
    const Turned wanted{static_cast<std::uint16_t>(read), static_cast<std::uint16_t>(i * kTurn % 64)};
    part.flat.push_back(static_cast<std::uint16_t>(number_in(part.turned, wanted)));
  }
  require(part.turned.size() <= kMaxTurned && part.flat.size() <= std::numeric_limits<std::uint16_t>::max(),
          "the templates have too many atoms");
  part.features.push_back(feature);
  part.lengths.push_back(atoms.size());
}

void SequenceProgram::Part::add_up(const Value* parts, Key* keys) const {
  const std::uint16_t* part = flat.data();
  auto feature = features.begin();
  while (feature != features.end()) {
    const std::size_t length = lengths[feature - features.begin()];
    const auto after = std::upper_bound(lengths.begin(), lengths.end(), length) - lengths.begin();
    const std::span some(feature, features.begin() + after);
    switch (length) {
      case 1:
        part = add_each<1>(some, part, parts, keys);
        break;
      case 2:
        part = add_each<2>(some, part, parts, keys);
        break;
      case 3:
        part = add_each<3>(some, part, parts, keys);
        break;
      case 4:
        part = add_each<4>(some, part, parts, keys);
        break;
      case 5:
        part = add_each<5>(some, part, parts, keys);
        break;
      default:
        for (const Feature& long_one : some) {
          Key key = long_one.seed;
          for (std::size_t i = 0; i < length; ++i) key += parts[*part++];
          keys[long_one.slot] = finished_key(key, long_one.number);
        }
    }
    feature = features.begin() + after;
  }
}

SequenceProgram::Reading SequenceProgram::reading(Part& part, const SequenceAtom& atom) {
  if (atom.is_class) return {kClass, atom.offset, atom.parameter};
  const auto [source, index] = homes_[atom.parameter];
  if (source == kNumber) return {kNumber, index, atom.offset};
  return {place(part, source, atom.offset), index, 0};
}

std::int32_t SequenceProgram::place(Part& part, std::int32_t source, std::int32_t offset) {
  const auto found = std::find_if(part.places.begin(), part.places.end(),
                                  [&](const Place& other) { return other.source == source && other.offset == offset; });
  const auto number = static_cast<std::int32_t>(found - part.places.begin());
  if (found == part.places.end()) {
    require(part.places.size() < kMaxPlaces, "too many places");
    part.places.push_back({source, offset});
  }
  return number;
}

Sequences::Sequences(const SequenceProgram& program, std::vector<std::int64_t> offsets, const TreebankData* data,
                     std::span<const NumberColumn> columns)
    : offsets_(std::move(offsets)), columns_(program.columns()) {
  require(!offsets_.empty() && offsets_.front() == 0 && std::is_sorted(offsets_.begin(), offsets_.end()),
          "offsets must begin with 0 and not fall");
  for (std::int64_t s = 0; s < size(); ++s) {
    require(offsets_[s + 1] - offsets_[s] < std::numeric_limits<std::int32_t>::max(), "a sequence is too long");
  }
  require(data || program.attributes().empty(), "the templates read a treebank, and there is none");
  require(!data || data->words() == items(), "the treebank has another number of words");
  require(columns.size() == static_cast<std::size_t>(program.columns()), "the templates read other columns");
  std::size_t widest = 0;
  for (const SequenceProgram::Source& source : program.sources()) {
    Table& table = tables_.emplace_back();
    table.width = static_cast<std::int32_t>(source.attributes.size());
    widest = std::max(widest, source.attributes.size());
    const auto& ids = data->ids(source.column);
    table.ids.assign(ids.begin(), ids.end());
    const Vocabulary& vocabulary = data->vocabulary(source.column);
    table.values.reserve(std::size_t(vocabulary.size()) * table.width);
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
      for (const Attribute& attribute : source.attributes) table.values.push_back(value_of(attribute, vocabulary[id]));
    }
  }
  for (const NumberColumn& column : columns) {
    require(column.size == items(), "a column must have a number for each item");
  }
  numbers_.reserve(items() * columns.size());
  for (std::int64_t i = 0; i < items(); ++i) {
    for (const NumberColumn& column : columns) numbers_.push_back(column.first[i * column.step]);
  }
  boundary_.assign(widest, kRootValue);
}

bool Sequences::fits(const SequenceProgram& program) const {
  if (tables_.size() != program.sources().size() || columns_ != program.columns()) return false;
  for (std::size_t s = 0; s < program.sources().size(); ++s) {
    if (std::size_t(tables_[s].width) != program.sources()[s].attributes.size()) return false;
  }
  return true;
}

void ClassSets::check(std::int64_t items, std::int32_t known) const {
  require(of_item.empty() || of_item.size() == static_cast<std::size_t>(items), "one set for each item, or -1");
  require(!starts.empty() && starts.front() == 0 && std::size_t(starts.back()) == classes.size(),
          "the sets are not those of the classes");
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    require(starts[s] < starts[s + 1] && std::size_t(starts[s + 1]) <= classes.size(),
            "an item must be allowed some class");
    for (std::int32_t c = starts[s] + 1; c < starts[s + 1]; ++c) {
      require(classes[c - 1] < classes[c], "the classes of a set must rise");
    }
  }
  for (const std::int32_t c : classes) require(c >= 0 && c < known, "no such class");
  const auto sets = static_cast<std::int32_t>(starts.size()) - 1;
  for (const std::int32_t set : of_item) require(set >= -1 && set < sets, "no such set of classes");
}

SequenceClasses::SequenceClasses(std::int32_t size, std::span<const std::int32_t> parts) : size_(size) {
  require(size >= 1 && size <= 1 << 15, "too few classes, or too many");
  require(!parts.empty() && parts.size() % size == 0, "each part needs a number for each class");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i % size == 0) values_.push_back(kRootValue);
    values_.push_back(hash_number(parts[i]));
  }
}

}  // namespace panparser
