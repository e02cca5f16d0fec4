#include "features/tokens.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace panparser {

namespace {

// Decodes one character; bytes that are no UTF-8 stand for themselves.
std::size_t character_size(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(size, text.size() - at);
}

bool pairs_from_even(unsigned code) {  // capital even, small letter next
  return (code >= 0x100 && code <= 0x137) || (code >= 0x14A && code <= 0x177) || (code >= 0x1DE && code <= 0x1EF) ||
         (code >= 0x1F8 && code <= 0x233) || (code >= 0x3D8 && code <= 0x3EF) || (code >= 0x460 && code <= 0x481) ||
         (code >= 0x48A && code <= 0x4BF) || (code >= 0x4D0 && code <= 0x52F) || (code >= 0x1E00 && code <= 0x1E95) ||
         (code >= 0x1EA0 && code <= 0x1EFF);
}
bool pairs_from_odd(unsigned code) {
  return (code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E) || (code >= 0x1CD && code <= 0x1DC) ||
         (code >= 0x4C1 && code <= 0x4CE);
}

unsigned lower_letter(unsigned code) {
  if (code >= 0xC0 && code <= 0xDE && code != 0xD7) return code + 32;
  if (code == 0x130) return 'i';  // the dotted capital of Turkish, whose small letter is the ordinary one
  if (code == 0x178) return 0xFF;
  if (code == 0x386) return 0x3AC;
  if (code >= 0x388 && code <= 0x38A) return code + 37;
  if (code == 0x38C) return 0x3CC;
  if (code == 0x38E || code == 0x38F) return code + 63;
  if (code >= 0x391 && code <= 0x3AB && code != 0x3A2) return code + 32;
  if (code >= 0x400 && code <= 0x40F) return code + 80;
  if (code >= 0x410 && code <= 0x42F) return code + 32;
  if (code >= 0x531 && code <= 0x556) return code + 48;
  if (pairs_from_even(code)) return code | 1;
  if (pairs_from_odd(code)) return code + (code & 1);
  return code;
}

std::string_view prefix(std::string_view text, int characters) {
  std::size_t end = 0;
  while (characters-- > 0 && end < text.size()) end += character_size(text, end);
  return text.substr(0, end);
}
std::string_view suffix(std::string_view text, int characters) {
  std::size_t begin = text.size();
  while (characters > 0 && begin > 0) characters -= (static_cast<unsigned char>(text[--begin]) & 0xC0) != 0x80;
  return text.substr(begin);
}
std::string_view value_of_key(std::string_view cell, std::string_view key) {  // empty if the cell has no such key
  while (!cell.empty()) {
    const std::string_view item = cell.substr(0, cell.find('|'));
    if (item.size() > key.size() && item[key.size()] == '=' && item.starts_with(key)) {
      return item.substr(key.size() + 1);
    }
    cell.remove_prefix(std::min(cell.size(), item.size() + 1));
  }
  return {};
}

// What features see of a head that is given: nothing, Root, or on which side and how far.
int given_code(std::int32_t head, std::int32_t word) {
  if (head == 0) return 1;
  if (head == kLeftward) return 2;
  if (head == kRightward) return 3;
  if (head < 0) return 0;
  const std::int32_t distance = head < word ? word - head : head - word;
  return (head < word ? 4 : 12) + (distance <= 5 ? distance : distance <= 10 ? 6 : 7);
}
Value given_value(std::int32_t code) { return mix(static_cast<Value>(code + 1) * kGolden); }

}  // namespace

std::string lower(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = character_size(text, at);
    if (size == 1) {
      result += lead >= 'A' && lead <= 'Z' ? static_cast<char>(lead + 32) : static_cast<char>(lead);
    } else if (size > 3 || (size == 3 && lead != 0xE1)) {  // of three bytes only U+1E00 to U+1EFF has capitals here
      result.append(text, at, size);
    } else {
      unsigned code = lead & (size == 2 ? 0x1Fu : 0x0Fu);
      for (std::size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
      code = lower_letter(code);
      if (code < 0x80) {
        result += static_cast<char>(code);
      } else if (code < 0x800) {
        result += static_cast<char>(0xC0 | code >> 6);
        result += static_cast<char>(0x80 | (code & 0x3F));
      } else {
        result += static_cast<char>(0xE0 | code >> 12);
        result += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        result += static_cast<char>(0x80 | (code & 0x3F));
      }
    }
    at += size;
  }
  return result;
}

std::string shape(std::string_view text) {
  std::string result;
  const std::string small = lower(text);
  std::size_t in_small = 0;  // a letter may be longer or shorter when it is small
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at), small_size = character_size(small, in_small);
    const auto lead = static_cast<unsigned char>(text[at]);
    char kind = static_cast<char>(lead);  // other ASCII characters are their own kind
    if (text.substr(at, size) != std::string_view(small).substr(in_small, small_size)) {
      kind = 'X';
    } else if (lead >= '0' && lead <= '9') {
      kind = 'd';
    } else if (lead >= 0x80 || (lead >= 'a' && lead <= 'z')) {
      kind = 'x';
    }
    if (result.empty() || result.back() != kind) result += kind;
    at += size;
    in_small += small_size;
  }
  return result;
}

Value value_of(const Attribute& attribute, std::string_view text) {
  switch (attribute.transform) {
    case Transform::kWhole:
      return hash_text(text);
    case Transform::kLower:
      return hash_text(panparser::lower(text));
    case Transform::kPrefix:
      return hash_text(prefix(text, attribute.number));
    case Transform::kSuffix:
      return hash_text(suffix(text, attribute.number));
    case Transform::kKey:
      return hash_text(value_of_key(text, attribute.key));
    case Transform::kGivenHead:
    case Transform::kGivenLabel:
      break;
    case Transform::kShape:
      return hash_text(shape(text));
    case Transform::kLowerPrefix:
      return hash_text(prefix(panparser::lower(text), attribute.number));
    case Transform::kLowerSuffix:
      return hash_text(suffix(panparser::lower(text), attribute.number));
  }
  return 0;
}

Tokens::Tokens(const std::vector<Attribute>& attributes, const std::vector<Counter>& counters, const TreebankData& data,
               std::span<const std::int32_t> rows_by_form, std::int64_t only, const GivenColumns& given)
    : offsets_(data.offsets()),
      attributes_(static_cast<std::int32_t>(attributes.size())),
      counters_(static_cast<std::int32_t>(counters.size())) {
  std::int64_t first_word = 0;
  if (only >= 0) {
    first_word = offsets_[only];
    offsets_ = {0, offsets_[only + 1] - first_word};
  }
  for (std::int64_t s = 0; s < sentences(); ++s) {
    if (offsets_[s + 1] - offsets_[s] > kMaxWords) throw std::invalid_argument("a sentence has too many words");
  }
  const std::int64_t rows = first_row(sentences());
  values_.resize(rows * attributes_);
  counts_.resize(rows * counters_);
  if (!rows_by_form.empty()) place_rows(rows_by_form, data.ids(Column::kForm).data() + first_word);
  if (!given.heads.empty()) {
    const auto words = static_cast<std::size_t>(offsets_.back());
    const auto heads = given.heads.subspan(first_word, words), labels = given.labels.subspan(first_word, words);
    given_.assign(heads.begin(), heads.end());
    given_labels_.assign(labels.begin(), labels.end());
  }
  std::vector<Value> by_id;
  for (std::int32_t a = 0; a < attributes_; ++a) {
    const Attribute& attribute = attributes[a];
    if (attribute.transform == Transform::kGivenHead || attribute.transform == Transform::kGivenLabel) {
      place_given(a, attribute.transform);
      continue;
    }
    const Vocabulary& vocabulary = data.vocabulary(attribute.source);
    by_id.resize(vocabulary.size());
    const std::int32_t* ids = data.ids(attribute.source).data() + first_word;
    if (only < 0) {
      for (std::int32_t id = 0; id < vocabulary.size(); ++id) by_id[id] = value_of(attribute, vocabulary[id]);
    } else {
      for (std::int64_t word = 0; word < offsets_[1]; ++word)
        by_id[ids[word]] = value_of(attribute, vocabulary[ids[word]]);
    }
    Value* out = values_.data() + a;
    for (std::int64_t s = 0; s < sentences(); ++s) {
      auto put = [&](Value v) {
        *out = v;
        out += attributes_;
      };
      put(kRootValue);
      for (std::int64_t word = offsets_[s]; word < offsets_[s + 1]; ++word) put(by_id[ids[word]]);
      put(kRootValue);
      put(kAbsentValue);
    }
  }
  for (std::int32_t c = 0; c < counters_; ++c) {
    const std::int32_t attribute = counters[c].attribute;
    const Value wanted = hash_text(counters[c].value);
    for (std::int64_t s = 0; s < sentences(); ++s) {
      std::uint16_t count = 0;
      for (std::int64_t row = first_row(s); row < first_row(s + 1); ++row) {
        count = static_cast<std::uint16_t>(count + (values_[row * attributes_ + attribute] == wanted));
        counts_[row * counters_ + c] = count;
      }
    }
  }
}

void Tokens::place_given(std::int32_t attribute, Transform transform) {
  Value* out = values_.data() + attribute;
  const auto put = [&](Value value) {
    *out = value;
    out += attributes_;
  };
  for (std::int64_t s = 0; s < sentences(); ++s) {
    put(kRootValue);
    for (std::int64_t word = offsets_[s]; word < offsets_[s + 1]; ++word) {
      const auto number = static_cast<std::int32_t>(word - offsets_[s] + 1);
      const bool is_head = transform == Transform::kGivenHead;
      const std::int32_t code = given_.empty() ? 0
                                : is_head      ? given_code(given_[word], number)
                                               : std::max(given_labels_[word], -1) + 1;
      put(given_value(code));
    }
    put(kRootValue);
    put(kAbsentValue);
  }
}

void Tokens::place_rows(std::span<const std::int32_t> rows, const std::int32_t* forms) {
  rows_.assign(first_row(sentences()), -1);
  for (std::int64_t s = 0; s < sentences(); ++s) {
    std::int32_t* out = rows_.data() + first_row(s) + 1;  // after Root
    for (std::int64_t word = offsets_[s]; word < offsets_[s + 1]; ++word) *out++ = rows[forms[word]];
  }
}

SentenceTokens Tokens::operator[](std::int64_t sentence) const {
  const std::int64_t row = first_row(sentence);
  return {static_cast<Token>(offsets_[sentence + 1] - offsets_[sentence]),
          attributes_,
          counters_,
          values_.data() + row * attributes_,
          counts_.data() + row * counters_,
          rows_.empty() ? nullptr : rows_.data() + row,
          given_.empty() ? nullptr : given_.data() + offsets_[sentence]};
}

}  // namespace panparser
