#include "features.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace panparser {

namespace {

constexpr int kMostChildren = 7;  // counts above are told no more apart
constexpr int kMostBetween = 3;

Value small(std::int64_t number) { return mix(static_cast<Value>(number + 3) * 0x9E3779B97F4A7C15u); }

int bin(int distance) {
  if (distance <= 5) return distance;
  return distance <= 10 ? 6 : 7;
}

void require(bool good, const char* what) {
  if (!good) throw std::invalid_argument(what);
}

}  // namespace

Program::Program(std::vector<Attribute> attributes, std::vector<Counter> counters, std::vector<Atom> atoms,
                 const std::vector<std::vector<std::int32_t>>& templates, std::vector<std::int32_t> vectors)
    : attributes_(std::move(attributes)),
      counters_(std::move(counters)),
      atoms_(std::move(atoms)),
      vectors_(std::move(vectors)) {
  const auto below = [](std::int32_t number, std::size_t bound) { return number >= 0 && std::size_t(number) < bound; };
  const auto is_address = [&](std::int32_t a) {
    return below(a, kAddresses) && a % 8 < kPaths && (a / 8 <= kBufferBase || a % 8 == kHere);
  };
  require(templates.size() <= kMaxTemplates && atoms_.size() <= kMaxAtoms, "too many templates");
  for (const Counter& counter : counters_) require(below(counter.attribute, attributes_.size()), "no such attribute");
  for (const Atom& atom : atoms_) {
    require(is_address(atom.first) && is_address(atom.second), "no such address");
    if (atom.kind == AtomKind::kAttribute) require(below(atom.parameter, attributes_.size()), "no such attribute");
    if (atom.kind == AtomKind::kBetween) require(below(atom.parameter, counters_.size()), "no such counter");
    if (atom.kind == AtomKind::kHistory) require(below(atom.parameter, 4), "no such action");
    addresses_.push_back(atom.first);
    if (atom.kind == AtomKind::kDistance || atom.kind == AtomKind::kBetween) addresses_.push_back(atom.second);
  }
  for (const std::int32_t address : vectors_) require(is_address(address), "no such address");
  std::sort(addresses_.begin(), addresses_.end());
  addresses_.erase(std::unique(addresses_.begin(), addresses_.end()), addresses_.end());
  for (std::size_t t = 0; t < templates.size(); ++t) {
    require(!templates[t].empty(), "a template without atoms");
    starts_.push_back(static_cast<std::int32_t>(flat_.size()));
    seeds_.push_back(mix(t + 1));
    for (const std::int32_t atom : templates[t]) {
      require(below(atom, atoms_.size()), "no such atom");
      flat_.push_back(static_cast<std::uint16_t>(atom));
    }
  }
  starts_.push_back(static_cast<std::int32_t>(flat_.size()));
}

// The head of the word at a depth of the stack, itself found on the stack: where else it could be, no system that
// attaches words on the stack leaves it.
Program::Place Program::head_of(const Window& window, int depth) {
  const Record* record = window.stack[depth];
  const Token head = record->head != kNone ? record->head : record->proposed;
  if (head == kNone) return {kNone, -1, nullptr};
  for (int d = depth + 1; d < Window::kDepth && window.stack[d]; ++d) {
    const Record* other = window.stack[d];
    if (other->token == head) return {head, other->label != -1 ? other->label : other->proposed_label, other};
  }
  return {head, -1, nullptr};
}

Program::Place Program::resolve(const Window& window, int address) {
  constexpr Place kAbsentPlace{kNone, -1, nullptr};
  const int base = address / 8;
  const Record* record = base < kBufferBase ? window.stack[base] : base == kBufferBase ? window.front : nullptr;
  if (!record)
    return address % 8 == kHere && base >= kBufferBase ? Place{window.buffer[base - kBufferBase], -1, nullptr}
                                                       : kAbsentPlace;
  switch (address % 8) {
    case kHere:
      return {record->token, record->label != -1 ? record->label : record->proposed_label, record};
    case kLeft0:
      return {record->left[0], record->left_label[0], nullptr};
    case kLeft1:
      return {record->left[1], record->left_label[1], nullptr};
    case kRight0:
      return {record->right[0], record->right_label[0], nullptr};
    case kRight1:
      return {record->right[1], record->right_label[1], nullptr};
    default:
      break;
  }
  if (base >= kBufferBase) return kAbsentPlace;
  const Place head = head_of(window, base);
  if (address % 8 == kHeadOf || head.token == kNone || !head.record)
    return address % 8 == kHeadOf ? head : kAbsentPlace;
  for (int depth = base + 1; depth < Window::kDepth; ++depth) {
    if (window.stack[depth] == head.record) return head_of(window, depth);
  }
  return kAbsentPlace;
}

void Program::gather(const Window& window, const SentenceTokens& tokens, Value* values) const {
  std::array<Place, kAddresses> places;
  for (const std::int32_t address : addresses_) places[address] = resolve(window, address);
  const auto row = [&](const Place& place) { return place.token == kNone ? tokens.absent() : place.token; };
  for (const Atom& atom : atoms_) {
    const Place& place = places[atom.first];
    const Record* record = place.record;
    Value value = 0;
    switch (atom.kind) {
      case AtomKind::kAttribute:
        value = tokens.value(row(place), atom.parameter);
        break;
      case AtomKind::kLabel:
        value = small(place.label);
        break;
      case AtomKind::kLeftValency:
        value = small(record ? std::min(record->left_valency, kMostChildren) : 0);
        break;
      case AtomKind::kRightValency:
        value = small(record ? std::min(record->right_valency, kMostChildren) : 0);
        break;
      case AtomKind::kLeftLabels:
        value = mix(record ? record->left_labels : 0);
        break;
      case AtomKind::kRightLabels:
        value = mix(record ? record->right_labels : 0);
        break;
      case AtomKind::kDistance: {
        const Token a = place.token, b = places[atom.second].token;
        value = small(a == kNone || b == kNone ? -1 : bin(a < b ? b - a : a - b));
        break;
      }
      case AtomKind::kHistory:
        value = small(window.history >> 8 * atom.parameter & 0xFF);
        break;
      case AtomKind::kBetween: {
        const Token a = place.token, b = places[atom.second].token;
        value = small(a == kNone || b == kNone ? -1 : std::min(tokens.between(a, b, atom.parameter), kMostBetween));
        break;
      }
    }
    *values++ = value;
  }
}

void Program::extract(const Window& window, const SentenceTokens& tokens, Key* keys) const {
  std::array<Value, kMaxAtoms> values;
  gather(window, tokens, values.data());
  const std::uint16_t* atom = flat_.data();
  for (std::size_t t = 0; t < seeds_.size(); ++t) {
    const std::uint16_t* end = flat_.data() + starts_[t + 1];
    // The values are well mixed: turned by their place in the template and added up, they are a good hash.
    Key key = seeds_[t] + values[*atom++];
    for (int turn = 13; atom != end; turn += 13) key += std::rotl(values[*atom++], turn);
    keys[t] = key ? key : 1;
  }
}

}  // namespace panparser
