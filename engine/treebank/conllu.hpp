// Treebanks: CoNLL-U and CoNLL-X, read into columns of numbers and written back with only the changed cells changed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/short_text.hpp"
#include "base/vocabulary.hpp"

namespace panparser {

struct Cells;

enum class Format { kConllu, kConllx };

// Columns of strings, in the order of the file; ID and HEAD are numbers and stand apart.
enum Column : std::uint8_t { kForm, kLemma, kUpos, kXpos, kFeats, kDeprel, kDeps, kMisc, kColumns };

struct Problem {
  std::int64_t line;  // 1-based
  std::string rule;   // columns, id, head, ...
  std::string expected, found, hint;
  bool fatal;  // the sentence cannot be read
};

// What the reader asks of a file beyond its shape.
struct Rules {
  Format format = Format::kConllu;
  bool single_root = false;
  std::int64_t first_line = 1;  // of the text, in its file
};

// Text that is written into the caller's memory, and into its own once that is full.
class Output {
 public:
  Output(char* memory, std::size_t capacity) : text_(memory), capacity_(capacity) {}

  void put(const char* from, std::size_t size) {
    if (size == 0) return;
    if (used_ + size > capacity_) grow(size);
    copy_text(text_ + used_, from, size);
    used_ += size;
  }
  void put(std::string_view piece) { put(piece.data(), piece.size()); }
  std::string_view view() const { return {text_, used_}; }

 private:
  void grow(std::size_t size) {
    capacity_ = 2 * (used_ + size);
    std::unique_ptr<char[]> larger(new char[capacity_]);
    if (used_ > 0) copy_text(larger.get(), text_, used_);
    own_ = std::move(larger);
    text_ = own_.get();
  }
  char* text_;
  std::size_t capacity_, used_ = 0;
  std::unique_ptr<char[]> own_;
};

class TreebankData {
 public:
  // Reads all of `text`, which must outlive the object. Sentences with a fatal problem are left out; all problems are
  // kept.
  TreebankData(std::string_view text, const Rules& rules);

  std::int64_t sentences() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::int64_t words() const { return offsets_.back(); }
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  std::vector<std::int64_t>& offsets() { return offsets_; }  // of each sentence's first word, and the end

  // By word: heads, -1 is "_", and ids. Callers may change them; columns never requested are written as they were read.
  std::vector<std::int32_t>& heads() {
    heads_shared_ = true;
    return heads_;
  }
  std::vector<std::int32_t>& column(Column column) {
    shared_[column] = true;
    return columns_[column];
  }
  const std::vector<std::int32_t>& ids(Column column) const { return columns_[column]; }  // to look at only
  Vocabulary& vocabulary(Column column) { return vocabularies_[column]; }
  const Vocabulary& vocabulary(Column column) const { return vocabularies_[column]; }
  const std::vector<Problem>& problems() const { return problems_; }
  std::int64_t dropped() const { return dropped_; }  // sentences that could not be read

  // Lines that are not words: multiword ranges (first, last) and empty nodes (after, minor), by sentence.
  struct Extra {
    std::int64_t sentence;
    std::int32_t first, second;
    std::string_view line;
  };
  const std::vector<Extra>& ranges() const { return ranges_; }
  const std::vector<Extra>& empty_nodes() const { return empty_nodes_; }

  std::int64_t line(std::int64_t sentence) const { return first_lines_[sentence]; }  // of its first line in the file
  std::vector<std::string> comments(std::int64_t sentence) const;  // whole lines, with '#', without line ends
  bool any_cell_has(Column column, std::string_view part) const;   // the cells are those that were ever read or set
  bool any_comment_has(std::string_view part) const;               // perhaps only a cell has it
  void set_comments(std::int64_t sentence, const std::vector<std::string>& lines);

  // Sentences as text, in any order. Throws std::invalid_argument on a head or an id out of range, naming the sentence.
  void write(const std::vector<std::int64_t>& sentences, Output& out) const;
  std::size_t written_size(const std::vector<std::int64_t>& sentences) const;  // about; enough if little changed

 private:
  struct Reading;
  void read(const Rules& rules);
  void read_comment(std::string_view line, std::int64_t number_of_line, const Reading& reading);
  void read_line(const Cells& cells, std::int64_t number_of_line, const Rules& rules, Reading& reading);
  void check_edges(const Cells& cells, std::int64_t number_of_line);
  void read_word(const Cells& cells, std::optional<std::int32_t> id, std::int64_t line, Reading& reading);
  std::pair<std::optional<std::int32_t>, std::optional<std::int32_t>> read_pair(std::string_view id, char separator,
                                                                                std::int64_t line, const Rules& rules);
  void read_range(const Cells& cells, std::int64_t line, const Rules& rules, Reading& reading);
  void read_empty_node(const Cells& cells, std::int64_t line, const Rules& rules, Reading& reading);
  void finish(const Rules& rules, const Reading& reading, std::int64_t first_line, std::string_view text);
  void check_tree(const Rules& rules, const Reading& reading);
  void check_cells(const Rules& rules, const Reading& reading);
  void drop(const Reading& reading);
  void write_sentence(Output& out, std::int64_t sentence, bool any_shared) const;
  void write_word(Output& out, std::string_view whole, const Cells& cells, std::int64_t word,
                  std::int64_t sentence) const;
  bool has_fatal(const Reading& reading) const;
  std::string_view body(std::int64_t sentence) const;
  void problem(std::int64_t line, std::string rule, std::string expected, std::string found, std::string hint = {},
               bool fatal = false);

  std::string_view text_;
  std::string_view mark_;  // text before the first sentence: a byte-order mark; or all, if there is no sentence
  std::int64_t dropped_ = 0;
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::int64_t> begins_, ends_, first_lines_;  // bytes and first line of each sentence
  std::vector<std::int32_t> heads_;
  std::array<std::vector<std::int32_t>, kColumns> columns_;
  std::array<Vocabulary, kColumns> vocabularies_;
  std::array<bool, kColumns> shared_ = {};
  bool heads_shared_ = false;
  std::vector<Extra> ranges_, empty_nodes_;
  std::map<std::int64_t, std::string> comments_;  // of sentences whose comments were replaced
  std::vector<Problem> problems_;
  std::vector<std::int32_t> scratch_;
  std::vector<signed char> good_feats_;  // by id: 1, 0, or -1 for not yet judged
};

}  // namespace panparser
