#include "treebank/text.hpp"

#include <charconv>

#include "base/require.hpp"

namespace panparser {
namespace {

// How many bytes the character has that begins with this one.
std::size_t width(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

bool breaks_cell(char byte) { return byte == '\t' || byte == '\n' || byte == '\r'; }

// A walk over a text that knows both its bytes and its code points.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // The piece from here to a code point, which must not lie before.
  std::string_view take(std::int64_t until) {
    const std::size_t begin = byte_;
    require(until >= point_, "tokens of a text must be in order and must not overlap");
    for (; point_ < until; ++point_) {
      require(byte_ < text_.size(), "a token ends after the text");
      byte_ += width(text_[byte_]);
    }
    return text_.substr(begin, byte_ - begin);
  }
  std::string_view rest() const { return text_.substr(byte_); }

 private:
  std::string_view text_;
  std::size_t byte_ = 0;
  std::int64_t point_ = 0;
};

// Does a gap, which holds white space alone, have this many line ends? Two of them are around a blank line.
bool has_line_ends(std::string_view gap, int wanted) {
  int lines = 0;
  for (std::size_t i = 0; i < gap.size(); ++i) {
    const bool alone = gap[i] == '\r' && (i + 1 == gap.size() || gap[i + 1] != '\n');
    lines += gap[i] == '\n' || alone;
  }
  return lines >= wanted || gap.find("\xE2\x80\xA9") != std::string_view::npos;  // U+2029, paragraph separator
}

class Writer {
 public:
  Writer(const TokenSpans& tokens, const std::vector<std::vector<std::string>>& words, const TextPlace& place,
         Output& out)
      : tokens_(tokens), words_(words), place_(place), out_(out) {}

  void write(std::string_view text) {
    Cursor cursor(text);
    std::string_view gap = tokens_.size() > 0 ? cursor.take(tokens_.starts[0]) : text;
    std::string_view before = gap;  // only the first token can record it
    for (std::size_t i = 0; i < tokens_.size();) {
      const std::size_t begin = i;
      pieces_.clear();
      for (bool going = true; going; ++i) {
        const std::string_view form = cursor.take(tokens_.ends[i]);
        require(!form.empty(), "a token of a text must have a character");
        const bool more = i + 1 < tokens_.size();
        pieces_.push_back({form, more ? cursor.take(tokens_.starts[i + 1]) : cursor.rest()});
        going = more && !tokens_.last[i];
      }
      comments(begin == 0, has_line_ends(gap, place_.lines ? 1 : 2) || (begin == 0 && place_.paragraph));
      std::int64_t id = 1;
      for (std::size_t k = 0; k < pieces_.size(); ++k) id = token(begin + k, pieces_[k], before, id), before = {};
      out_.put("\n");
      gap = pieces_.back().after;
    }
  }

 private:
  struct Piece {
    std::string_view form, after;
  };

  void number(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out_.put(digits, static_cast<std::size_t>(end - digits));
  }

  void comments(bool first, bool paragraph) {
    if (first && place_.begins) {
      out_.put("# newdoc");
      if (!place_.document.empty()) out_.put(" id = "), out_.put(place_.document);
      out_.put("\n# newpar\n");
    } else if (paragraph) {
      out_.put("# newpar\n");
    }
    out_.put("# sent_id = ");
    number(place_.sentence + sentences_++);
    out_.put("\n# text = ");
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      cell(pieces_[k].form);
      if (k + 1 < pieces_.size() && !pieces_[k].after.empty()) out_.put(" ");
    }
    out_.put("\n");
  }

  // A form: runs of tabs and line ends, with the spaces in them, are one space.
  void cell(std::string_view form) {
    std::size_t from = 0;
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (!breaks_cell(form[i])) continue;
      out_.put(form.substr(from, i - from));
      while (i + 1 < form.size() && (breaks_cell(form[i + 1]) || form[i + 1] == ' ')) ++i;
      out_.put(" ");
      from = i + 1;
    }
    out_.put(form.substr(from));
  }

  void escaped(std::string_view spaces) {
    constexpr std::string_view kFrom = " \t\r\n|\\", kTo = "strnp\\";
    for (const char& byte : spaces) {
      const std::size_t found = kFrom.find(byte);
      if (found == std::string_view::npos) {
        out_.put(&byte, 1);
      } else {
        out_.put("\\");
        out_.put(&kTo[found], 1);
      }
    }
  }

  void item(std::string_view key) {
    if (any_) out_.put("|");
    any_ = true;
    out_.put(key);
  }

  void misc(std::size_t index, const Piece& piece, std::string_view before) {
    any_ = false;
    if (piece.after.empty()) item("SpaceAfter=No");
    if (!before.empty()) item("SpacesBefore="), escaped(before);
    bool broken = false;
    for (const char byte : piece.form) broken |= breaks_cell(byte);
    if (broken) item("SpacesInToken="), escaped(piece.form);
    const bool ends = index + 1 == tokens_.size();  // if unspecified, it is a line end
    if (!piece.after.empty() && (piece.after != " " || ends)) item("SpacesAfter="), escaped(piece.after);
    if (place_.ranges) {
      item("TokenRange=");
      number(place_.offset + tokens_.starts[index]);
      out_.put(":");
      number(place_.offset + tokens_.ends[index]);
    }
    if (!any_) out_.put("_");
    out_.put("\n");
  }

  static constexpr std::string_view kEmpty = "\t_\t_\t_\t_\t_\t_\t_\t";

  // Writes a token and its words; the id of the next word.
  std::int64_t token(std::size_t index, const Piece& piece, std::string_view before, std::int64_t id) {
    const std::int32_t split = tokens_.splits.empty() ? -1 : tokens_.splits[index];
    require(split < static_cast<std::int32_t>(words_.size()), "a token names a list of words that is not there");
    const std::int64_t next = id + (split < 0 ? 1 : static_cast<std::int64_t>(words_[split].size()));
    number(id);
    if (split >= 0) out_.put("-"), number(next - 1);
    out_.put("\t");
    cell(piece.form);
    out_.put(kEmpty);
    misc(index, piece, before);
    if (split < 0) return next;
    for (const std::string& word : words_[split]) {
      number(id++);
      out_.put("\t");
      cell(word);
      out_.put(kEmpty);
      out_.put("_\n");
    }
    return next;
  }

  const TokenSpans& tokens_;
  const std::vector<std::vector<std::string>>& words_;
  const TextPlace& place_;
  Output& out_;
  std::vector<Piece> pieces_;
  std::int64_t sentences_ = 0;
  bool any_ = false;
};

void check_sizes(const TokenSpans& tokens) {
  const std::size_t size = tokens.size();
  require(tokens.ends.size() == size && tokens.last.size() == size &&
              (tokens.splits.empty() || tokens.splits.size() == size),
          "arrays over tokens must have the same length");
}

}  // namespace

DistinctForms distinct_forms(std::string_view text, const TokenSpans& tokens) {
  check_sizes(tokens);
  DistinctForms found;
  found.numbers.reserve(tokens.size());
  Cursor cursor(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    cursor.take(tokens.starts[i]);
    found.numbers.push_back(found.forms.intern(cursor.take(tokens.ends[i])));
  }
  return found;
}

void write_tokens(std::string_view text, const TokenSpans& tokens, const std::vector<std::vector<std::string>>& words,
                  const TextPlace& place, Output& out) {
  check_sizes(tokens);
  for (const auto& list : words) require(list.size() > 1, "a token is split into two words or more");
  Writer(tokens, words, place, out).write(text);
}

}  // namespace panparser
