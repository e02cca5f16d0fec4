#include "search/constraint.hpp"

#include <cstdlib>
#include <stdexcept>

namespace panparser {

namespace {

// Heads with Root in place of 0.
void place(std::span<const std::int32_t> heads, Token root, std::vector<Token>& out) {
  out.assign(heads.begin(), heads.end());
  std::replace(out.begin(), out.end(), 0, root);
}

bool is_given(std::int32_t head) { return head != kUnknown; }

}  // namespace

Constraints::Constraints(const System& system, std::span<const std::int64_t> offsets,
                         std::span<const std::int32_t> heads, std::span<const std::int32_t> labels,
                         std::span<const std::uint8_t> moving)
    : system_(system),
      offsets_(offsets.begin(), offsets.end()),
      heads_(heads.begin(), heads.end()),
      labels_(labels.begin(), labels.end()),
      moving_(moving.begin(), moving.end()) {
  const Table& table = system.table();
  if (table.static_oracle != StaticOracle::kAbsent && table.potential == Potential::kZero) {
    throw std::invalid_argument("a system with a static oracle keeps no constraints");
  }
  if (offsets_.empty() || offsets_.front() != 0 || !std::is_sorted(offsets_.begin(), offsets_.end()) ||
      static_cast<std::size_t>(words()) != heads_.size() || heads_.size() != labels_.size()) {
    throw std::invalid_argument("one head and label a word");
  }
  const auto is_label = [&](std::int32_t label) {
    return label >= kStayingLabel && label < std::int64_t(moving_.size());
  };
  if (!std::all_of(labels_.begin(), labels_.end(), is_label)) throw std::invalid_argument("no such label");
}

void Constraints::allow(std::int64_t sentence, std::span<const std::uint8_t> arcs) {
  if (sentence < 0 || sentence >= sentences()) throw std::invalid_argument("no such sentence");
  const auto tokens = static_cast<std::size_t>(offsets_[sentence + 1] - offsets_[sentence] + 1);
  if (arcs.size() != tokens * tokens) throw std::invalid_argument("a head and a dependent for each token");
  allowed_[sentence].assign(arcs.begin(), arcs.end());
}

std::optional<Constraint> Constraints::operator[](std::int64_t sentence) const {
  const auto first = static_cast<std::size_t>(offsets_[sentence]);
  const auto count = static_cast<std::size_t>(offsets_[sentence + 1]) - first;
  const auto heads = std::span(heads_).subspan(first, count);
  const auto labels = std::span(labels_).subspan(first, count);
  const auto found = allowed_.find(sentence);
  const bool needs_heads = found != allowed_.end() || std::any_of(heads.begin(), heads.end(), is_given);
  const bool needs_labels = std::any_of(labels.begin(), labels.end(), [](auto label) { return label != kAnyLabel; });
  if (!needs_heads && !needs_labels) return std::nullopt;
  std::optional<Reference> reference;
  if (needs_heads) {
    std::vector<Token> placed;
    const Token root = system_.table().shape.root(static_cast<Token>(count));
    place(heads, root, placed);
    reference = system_.reference(Gold(placed, root));
    reference->order.clear();  // words may change places wherever that loses no given head
  }
  return Constraint(std::move(reference), found == allowed_.end() ? std::span<const std::uint8_t>() : found->second,
                    needs_labels ? labels : std::span<const std::int32_t>(), moving_);
}

void find_conflicts(std::span<const std::int64_t> offsets, std::span<const std::int32_t> heads, bool root_first,
                    bool single_root, std::int32_t max_span, std::span<std::uint8_t> conflicts) {
  std::vector<Token> placed;
  for (std::size_t s = 0; s < conflicts.size(); ++s) {
    const auto own = heads.subspan(offsets[s], offsets[s + 1] - offsets[s]);
    conflicts[s] = 0;
    if (!std::any_of(own.begin(), own.end(), is_given)) continue;
    const auto words = static_cast<Token>(own.size());
    const Token root = root_first ? 0 : words + 1;
    place(own, root, placed);
    for (Token word = 1; max_span > 0 && word <= words; ++word) {
      conflicts[s] |= placed[word - 1] >= 0 && std::abs(placed[word - 1] - word) > max_span;
    }
    try {
      conflicts[s] |= !Gold(placed, root).completable(single_root);
    } catch (const std::invalid_argument&) {  // a cycle, or no such head
      conflicts[s] = 1;
    }
  }
}

}  // namespace panparser
