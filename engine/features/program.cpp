#include "features/program.hpp"

#include <array>
#include <stdexcept>

#include "base/require.hpp"

namespace panparser {

namespace {

enum Sight : std::uint32_t {  // what an atom looks at
  kSeesBuffer = 1,
  kSeesS0 = 2,
  kSeesS1 = 4,
  kSeesS2 = 8,
  kSeesStackChildren = 16,  // all that is known of S0; the word that is its head too, but not that word's label
  kSeesFrontChildren = 32,
  kSeesMore = 64,
  kSeesAhead = 128,  // B1 and beyond
};

}  // namespace

Program::Program(std::vector<Attribute> attributes, std::vector<Counter> counters, std::vector<Atom> atoms,
                 std::vector<std::vector<std::int32_t>> templates, std::vector<std::int32_t> vectors,
                 const std::vector<std::int32_t>& actions_only, std::vector<std::int32_t> own_labels)
    : attributes_(std::move(attributes)),
      counters_(std::move(counters)),
      atoms_(std::move(atoms)),
      templates_(std::move(templates)),
      vectors_(std::move(vectors)),
      own_labels_(std::move(own_labels)) {
  const auto below = [](std::int32_t number, std::size_t bound) { return number >= 0 && std::size_t(number) < bound; };
  require(templates_.size() <= kMaxTemplates && atoms_.size() <= kMaxAtoms, "too many templates");
  for (const Counter& counter : counters_) require(below(counter.attribute, attributes_.size()), "no such attribute");
  for (const Atom& atom : atoms_) {
    require(is_address(atom.first) && is_address(atom.second), "no such address");
    if (atom.kind == AtomKind::kAttribute) require(below(atom.parameter, attributes_.size()), "no such attribute");
    if (atom.kind == AtomKind::kBetween) require(below(atom.parameter, counters_.size()), "no such counter");
    if (atom.kind == AtomKind::kHistory) require(below(atom.parameter, 4), "no such action");
  }
  for (const std::int32_t address : vectors_) require(is_address(address), "no such address");
  for (const std::int32_t label : own_labels_) require(label >= 0, "no such label");
  for (const auto& numbers : templates_) {
    require(!numbers.empty(), "a template without atoms");
    std::uint32_t sights = 0;
    for (const std::int32_t atom : numbers) {
      require(below(atom, atoms_.size()), "no such atom");
      sights |= sees(atoms_[atom]);
    }
    groups_.push_back(group_for(sights));
    reaches_.push_back(reach_for(sights));
  }
  for (const std::int32_t number : actions_only) {
    require(below(number, templates_.size()), "no such template");
    reaches_[number] = kActionsOnly;
  }
}

std::uint32_t Program::sees(const Atom& atom) {
  if (atom.kind == AtomKind::kHistory) return kSeesMore;
  const auto token = [](int address) -> std::uint32_t {
    const int base = address / 8;
    if (base == kBaseL0) return kSeesMore;
    if (base > kBufferBase) return kSeesBuffer | kSeesAhead;
    if (base == kBufferBase && address % 8 == kHere) return kSeesBuffer;
    if (base == kBufferBase) return address % 8 <= kHeadOf ? kSeesFrontChildren : kSeesMore;
    if (address % 8 == kHere) return base <= 2 ? kSeesS0 << base : std::uint32_t(kSeesMore);
    return base == 0 && address % 8 <= kHeadOf ? kSeesStackChildren : kSeesMore;
  };
  const auto record = [](int address) -> std::uint32_t {
    if (address == 0) return kSeesStackChildren;
    return address == kBufferBase * 8 ? kSeesFrontChildren : kSeesMore;
  };
  switch (atom.kind) {
    case AtomKind::kAttribute:
      return token(atom.first);
    case AtomKind::kDistance:
    case AtomKind::kBetween:
    case AtomKind::kGiven:
      return token(atom.first) | token(atom.second);
    case AtomKind::kLabel:  // a child's label is known where the child is; a head's, where the head is
      return atom.first % 8 != kHere && atom.first % 8 < kHeadOf ? token(atom.first) : record(atom.first);
    default:
      return record(atom.first);
  }
}

Group Program::group_for(std::uint32_t sights) {
  constexpr std::array<std::uint32_t, kOtherGroup> kSees = {
      kSeesBuffer,
      kSeesBuffer | kSeesS0,
      kSeesBuffer | kSeesS0 | kSeesS1,
      kSeesBuffer | kSeesS0 | kSeesS1 | kSeesS2,
      kSeesBuffer | kSeesS0 | kSeesStackChildren,
      kSeesBuffer | kSeesS0 | kSeesFrontChildren,
  };
  int group = 0;
  while (group < kOtherGroup && (sights & ~kSees[group] & ~kSeesAhead)) ++group;
  return Group(group);
}

Reach Program::reach_for(std::uint32_t sights) { return sights & kSeesAhead ? kAhead : kToFront; }

std::uint64_t Program::sight(Group group, const Window& window) {
  const auto stack = [&](int depth) {
    return static_cast<std::uint64_t>(window.stack[depth] ? window.stack[depth]->token + 1 : 0);
  };
  const auto front = static_cast<std::uint64_t>(window.buffer[0] + 1);
  switch (group) {
    case kBufferGroup:
      return front;
    case kPairGroup:
      return front | stack(0) << 16;
    case kTripleGroup:
      return front | stack(0) << 16 | stack(1) << 32;
    case kStackGroup:
      return front | stack(0) << 16 | stack(1) << 32 | stack(2) << 48;
    case kStackChildGroup:
      return mix(front | stack(0) << 16) + (window.stack[0] ? window.stack[0]->digest : 0);
    case kFrontChildGroup:
      return mix(front | stack(0) << 16) + (window.front ? window.front->digest : 0);
    default:
      return 0;
  }
}

std::uint64_t Program::whole_sight(const Window& window) {
  std::uint64_t seen = window.front ? window.front->digest : 0;
  for (const Token token : window.buffer) seen = mix(seen) + static_cast<std::uint64_t>(token + 1);
  for (const Record* record : window.stack) {
    seen = mix(seen) + (record ? static_cast<std::uint64_t>(record->token + 1) : 0);
    if (record) seen = mix(seen) + record->digest;
  }
  return seen;
}

bool Program::sees_history() const {
  for (const auto& numbers : templates_) {
    for (const std::int32_t atom : numbers) {
      if (atoms_[atom].kind == AtomKind::kHistory) return true;
    }
  }
  return false;
}

// The head of a word; what is known of it, if it is one of those that addresses begin with.
Program::Place Program::head_of(const Window& window, const Record& record) {
  const Token head = record.head != kNone ? record.head : record.proposed;
  if (head == kNone) return {kNone, -1, nullptr};
  const auto found = [&](const Record* other) -> Place {
    return {head, other->label != -1 ? other->label : other->proposed_label, other};
  };
  for (int d = 0; d < Window::kDepth && window.stack[d]; ++d) {
    if (window.stack[d]->token == head) return found(window.stack[d]);
  }
  for (const Record* other : {window.front, window.list}) {
    if (other && other->token == head) return found(other);
  }
  return {head, -1, nullptr};
}

Program::Place Program::resolve(const Window& window, int address) {
  constexpr Place kAbsentPlace{kNone, -1, nullptr};
  const int base = address / 8;
  const Record* const record = base < kBufferBase    ? window.stack[base]
                               : base == kBufferBase ? window.front
                               : base == kBaseL0     ? window.list
                                                     : nullptr;
  if (!record)
    return address % 8 == kHere && base >= kBufferBase && base < kBaseL0
               ? Place{window.buffer[base - kBufferBase], -1, nullptr}
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
  const Place head = head_of(window, *record);
  if (address % 8 == kHeadOf) return head;
  return head.record ? head_of(window, *head.record) : kAbsentPlace;
}

}  // namespace panparser
