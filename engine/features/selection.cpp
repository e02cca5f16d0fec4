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

Selection::Selection(const Program& program, std::span<const int> first, std::span<const int> others)
    : program_(&program) {
  std::vector<std::int32_t> known(Program::kMaxAtoms, -1);  // by atom of the program: where its value goes
  std::vector<bool> reached(kAddresses);
  first_ = section(first, known, reached);
  others_ = section(others, known, reached);
}

Selection::Selection(const Program& program) : Selection(program, all_templates(program), {}) {}

Selection::Section Selection::section(std::span<const int> numbers, std::vector<std::int32_t>& known,
                                      std::vector<bool>& reached) const {
  Section made;
  made.first_atom = static_cast<std::size_t>(std::count_if(known.begin(), known.end(), [](int at) { return at >= 0; }));
  std::vector<int> sorted(numbers.begin(), numbers.end());
  const auto length = [&](int number) { return program_->atoms_of(number).size(); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return length(a) < length(b); });
  auto next = static_cast<std::int32_t>(made.first_atom);
  for (const bool attributes : {true, false}) {
    for (const int number : sorted) {
      for (const std::int32_t a : program_->atoms_of(number)) {
        const Atom& atom = program_->atom(a);
        if (known[a] >= 0 || (atom.kind == AtomKind::kAttribute) != attributes) continue;
        known[a] = next++;
        (attributes ? made.attributes : made.others).push_back(atom);
        for (const std::int32_t address : {atom.first, atom.second}) {
          if (!reached[address]) made.addresses.push_back(address);
          reached[address] = true;
        }
      }
    }
  }
  for (const int number : sorted) {
    if (made.runs.empty() || made.runs.back().length != length(number)) made.runs.push_back({length(number), 0});
    ++made.runs.back().count;
    made.seeds.push_back(template_seed(static_cast<std::size_t>(number)));
    made.numbers.push_back(static_cast<std::uint16_t>(number));
    for (const std::int32_t a : program_->atoms_of(number)) made.atoms.push_back(static_cast<std::uint16_t>(known[a]));
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

void Selection::gather(const Section& section, const Window& window, const SentenceTokens& tokens,
                       Gathered& gathered) const {
  for (const std::int32_t address : section.addresses) {
    Place& place = gathered.places[address];
    static_cast<Program::Place&>(place) = Program::resolve(window, address);
    const Token row = place.token == kNone ? tokens.absent() : place.token;
    place.values = tokens.values + std::int64_t(row) * tokens.attributes;
  }
  Value* out = gathered.atoms.data() + section.first_atom;
  for (const Atom& atom : section.attributes) *out++ = gathered.places[atom.first].values[atom.parameter];
  for (const Atom& atom : section.others) *out++ = value(atom, window, tokens, gathered);
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

void Selection::hash(const Section& section, const Gathered& gathered, Key* keys) {
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

void Selection::extract_first(const Window& window, const SentenceTokens& tokens, Key* keys) const {
  Gathered gathered;
  gather(first_, window, tokens, gathered);
  hash(first_, gathered, keys);
}

void Selection::extract(const Window& window, const SentenceTokens& tokens, Key* keys) const {
  Gathered gathered;
  gather(first_, window, tokens, gathered);
  gather(others_, window, tokens, gathered);
  hash(first_, gathered, keys);
  hash(others_, gathered, keys + first_.size());
}

}  // namespace panparser
