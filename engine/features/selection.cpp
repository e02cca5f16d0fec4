#include "features/selection.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace panparser {

namespace {

constexpr int kMostChildren = 7;  // larger counts are not distinguished
constexpr int kMostBetween = 3;
constexpr std::size_t kLongest = 4;  // of templates that are hashed without a loop over their atoms

int bin(int distance) {
  if (distance <= 5) return distance;
  return distance <= 10 ? 6 : 7;
}

std::vector<int> all_templates(const Program& program) {
  std::vector<int> numbers(static_cast<std::size_t>(program.templates()));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

Selection::Selection(const Program& program, const std::vector<std::vector<int>>& sections) : program_(&program) {
  std::vector<std::int32_t> places(Program::kMaxAtoms, -1);  // by atom of the program: where its value goes
  for (const auto& numbers : sections) sections_.push_back(section(numbers, places));
}

Selection::Selection(const Program& program) : Selection(program, {all_templates(program)}) {}

int Selection::size() const {
  int all = 0;
  for (const Section& section : sections_) all += section.size();
  return all;
}

Selection::Section Selection::section(std::span<const int> numbers, std::vector<std::int32_t>& places) const {
  Section made;
  std::vector<int> sorted(numbers.begin(), numbers.end());
  const auto length = [&](int number) { return program_->atoms_of(number).size(); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return length(a) < length(b); });
  std::vector<bool> known(Program::kMaxAtoms), reached(kAddresses);
  const auto know = [&](const Atom& atom) { reached[atom.first] = reached[atom.second] = true; };
  for (const Section& first : std::span(sections_).first(sections_.empty() ? 0 : 1)) {
    for (const auto* atoms : {&first.attributes, &first.others}) {
      for (const PlacedAtom& atom : *atoms) {
        known[std::find(places.begin(), places.end(), atom.place) - places.begin()] = true;
        know(atom);
      }
    }
  }
  for (const int number : sorted) {
    for (const std::int32_t a : program_->atoms_of(number)) {
      if (known[a]) continue;
      known[a] = true;
      if (places[a] < 0) places[a] = *std::max_element(places.begin(), places.end()) + 1;
      const Atom& atom = program_->atom(a);
      (atom.kind == AtomKind::kAttribute ? made.attributes : made.others)
          .push_back({atom, static_cast<std::size_t>(places[a])});
      for (const std::int32_t address : {atom.first, atom.second}) {
        if (!reached[address]) made.addresses.push_back(address);
      }
      know(atom);
    }
  }
  for (const int number : sorted) {
    if (made.runs.empty() || made.runs.back().length != length(number)) made.runs.push_back({length(number), 0});
    ++made.runs.back().count;
    made.seeds.push_back(template_seed(static_cast<std::size_t>(number)));
    made.numbers.push_back(static_cast<std::uint16_t>(number));
    for (const std::int32_t a : program_->atoms_of(number)) made.atoms.push_back(static_cast<std::uint16_t>(places[a]));
  }
  return made;
}

std::int32_t Selection::own(std::int32_t label) const {
  const auto& numbers = program_->own_labels();
  return label < 0 || numbers.empty() ? label : numbers[static_cast<std::size_t>(label)];
}

// A bit of a set stands for the first label that has it: with more than 64 labels, sets may collide.
std::uint64_t Selection::own_set(std::uint64_t labels) const {
  const auto& numbers = program_->own_labels();
  if (numbers.empty()) return labels;
  std::uint64_t own = 0;
  for (; labels; labels &= labels - 1) own |= std::uint64_t(1) << (numbers[std::countr_zero(labels)] & 63);
  return own;
}

void Selection::gather(int section, const Window& window, const SentenceTokens& tokens, Gathered& gathered) const {
  const Section& wanted = sections_[section];
  for (const std::int32_t address : wanted.addresses) {
    Place& place = gathered.places[address];
    static_cast<Program::Place&>(place) = Program::resolve(window, address);
    const Token row = place.token == kNone ? tokens.absent() : place.token;
    place.values = tokens.values + std::int64_t(row) * tokens.attributes;
  }
  for (const PlacedAtom& atom : wanted.attributes) {
    gathered.atoms[atom.place] = gathered.places[atom.first].values[atom.parameter];
  }
  for (const PlacedAtom& atom : wanted.others) gathered.atoms[atom.place] = value(atom, window, tokens, gathered);
}

Value Selection::value(const Atom& atom, const Window& window, const SentenceTokens& tokens,
                       const Gathered& gathered) const {
  const Place& place = gathered.places[atom.first];
  const Token token = place.token, second = gathered.places[atom.second].token;
  const Record* const record = place.record;
  switch (atom.kind) {
    case AtomKind::kAttribute:
      return place.values[atom.parameter];
    case AtomKind::kLabel:
      return hash_number(own(place.label));
    case AtomKind::kLeftValency:
      return hash_number(record ? std::min(record->left_valency, kMostChildren) : 0);
    case AtomKind::kRightValency:
      return hash_number(record ? std::min(record->right_valency, kMostChildren) : 0);
    case AtomKind::kLeftLabels:
      return hash_set(record ? own_set(record->left_labels) : 0);
    case AtomKind::kRightLabels:
      return hash_set(record ? own_set(record->right_labels) : 0);
    case AtomKind::kDistance:
      return hash_number(token == kNone || second == kNone ? -1 : bin(std::abs(second - token)));
    case AtomKind::kHistory:
      return hash_number(window.history >> 8 * atom.parameter & 0xFF);
    case AtomKind::kBetween:
      return hash_number(token == kNone || second == kNone
                             ? -1
                             : std::min(tokens.between(token, second, atom.parameter), kMostBetween));
    case AtomKind::kGiven:
      return hash_number(tokens.relation(token, second));
  }
  return 0;
}

void Selection::extract(int number_of_section, const Gathered& gathered, Key* keys) const {
  const Section& section = sections_[number_of_section];
  const Value* const values = gathered.atoms.data();
  const std::uint16_t* atom = section.atoms.data();
  const Key* seed = section.seeds.data();
  const std::uint16_t* number = section.numbers.data();
  const auto each = [&](const Run& run, std::size_t length) {  // a constant where the templates are short
    for (std::size_t i = 0; i < run.count; ++i, atom += length) {
      *keys++ = feature_key(*seed++, *number++, values, atom, atom + length);
    }
  };
  for (const Run& run : section.runs) {
    switch (run.length) {
      case 1:
        each(run, 1);
        break;
      case 2:
        each(run, 2);
        break;
      case 3:
        each(run, 3);
        break;
      case kLongest:
        each(run, kLongest);
        break;
      default:
        each(run, run.length);
    }
  }
}

void Selection::extract(int sections, const Window& window, const SentenceTokens& tokens, Key* keys) const {
  Gathered gathered;
  for (int s = 0; s < sections; ++s) {
    gather(s, window, tokens, gathered);
    extract(s, gathered, keys);
    keys += size(s);
  }
}

}  // namespace panparser
