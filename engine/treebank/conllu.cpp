#include "treebank/conllu.hpp"

#include <algorithm>

#include "treebank/line.hpp"
#include "treebank/rules.hpp"

namespace panparser {

namespace {

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result(1, '\'');
  result += text.substr(0, kLongest);
  result += text.size() > kLongest ? "...'" : "'";
  return result;
}

}  // namespace

// One sentence while it is being read.
struct TreebankData::Reading {
  std::int64_t sentence;
  std::int32_t words = 0;
  std::int32_t range_end = 0;  // last word of the last multiword range
  std::int64_t range_line = 0;
  std::int32_t minor = 0;  // last empty node after the last word
  std::size_t ranges, empty_nodes, problems;
  std::vector<std::int64_t> lines;  // of the words
};

TreebankData::TreebankData(std::string_view text, const Rules& rules) : text_(text) { read(rules); }

void TreebankData::problem(std::int64_t line, std::string rule, std::string expected, std::string found,
                           std::string hint, bool fatal) {
  problems_.push_back({line, std::move(rule), std::move(expected), std::move(found), std::move(hint), fatal});
}

void TreebankData::read(const Rules& rules) {
  const auto guess =
      static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));  // lines: words, and a few more
  heads_.reserve(guess);
  for (auto& column : columns_) column.reserve(guess);
  std::size_t at = 0;
  std::int64_t line_number = rules.first_line;
  if (line_number == 1 && text_.starts_with("\xEF\xBB\xBF")) {
    problem(1, "encoding", "UTF-8 without a byte-order mark", "a byte-order mark", "save the file as plain UTF-8");
    mark_ = text_.substr(0, 3);
    at = mark_.size();
  }
  std::size_t begin = at;  // of the sentence, blank lines before it included
  Reading reading{};
  Cells cells;
  while (at < text_.size()) {
    // Blank lines before a sentence.
    const std::size_t sentence_begin = at;
    const std::int64_t first_line = line_number;
    reading.sentence = sentences();
    reading.words = reading.range_end = reading.minor = 0;
    reading.ranges = ranges_.size();
    reading.empty_nodes = empty_nodes_.size();
    reading.problems = problems_.size();
    reading.lines.clear();
    bool blank = false;
    bool some = false;
    while (at < text_.size() && !blank) {
      const bool comment = text_[at] == '#' && rules.format == Format::kConllu;
      std::size_t end;
      if (comment) {
        end = std::min(text_.find('\n', at), text_.size());
        read_comment(without_return(text_.substr(at, end - at)), line_number, reading);
      } else {
        end = static_cast<std::size_t>(cells.split(text_.data() + at, text_.data() + text_.size()) - text_.data());
        blank = cells.line.empty();
        if (!blank) read_line(cells, line_number, rules, reading);
      }
      at = std::min(end + 1, text_.size());
      if (!blank) {
        some = true;
      } else if (!some) {
        problem(line_number, "blank-line", "one blank line after each sentence", "a blank line too many");
      }
      ++line_number;
    }
    if (!some) continue;
    if (!blank) {
      problem(line_number - 1, "blank-line", "a blank line after the last sentence", "the end of the file",
              "add an empty line at the end");
    }
    finish(rules, reading, first_line, text_.substr(sentence_begin, at - sentence_begin));
    auto from = problems_.begin() + static_cast<std::ptrdiff_t>(reading.problems);
    std::stable_sort(from, problems_.end(), [](const Problem& a, const Problem& b) { return a.line < b.line; });
    if (has_fatal(reading)) {
      drop(reading);
    } else {
      offsets_.push_back(static_cast<std::int64_t>(heads_.size()));
      begins_.push_back(static_cast<std::int64_t>(begin));
      ends_.push_back(static_cast<std::int64_t>(at));
      first_lines_.push_back(first_line);
    }
    begin = at;
  }
  if (!ends_.empty() && static_cast<std::size_t>(ends_.back()) == begin) ends_.back() = static_cast<std::int64_t>(at);
  if (sentences() == 0 && dropped_ == 0) mark_ = text_;  // blank lines alone
}

bool TreebankData::has_fatal(const Reading& reading) const {
  const auto from = problems_.begin() + static_cast<std::ptrdiff_t>(reading.problems);
  return std::any_of(from, problems_.end(), [](const Problem& p) { return p.fatal; });
}

void TreebankData::drop(const Reading& reading) {
  ++dropped_;
  const auto words = static_cast<std::size_t>(offsets_.back());
  heads_.resize(words);
  for (auto& column : columns_) column.resize(words);
  ranges_.resize(reading.ranges);
  empty_nodes_.resize(reading.empty_nodes);
}

void TreebankData::read_comment(std::string_view line, std::int64_t number_of_line, const Reading& reading) {
  if (reading.words > 0 || ranges_.size() > reading.ranges || empty_nodes_.size() > reading.empty_nodes) {
    problem(number_of_line, "comment", "comments before the first word of the sentence", quoted(line),
            "a blank line may be missing before it");
  }
}

void TreebankData::read_line(const Cells& cells, std::int64_t number_of_line, const Rules& rules, Reading& reading) {
  if (cells.count != kCells) {
    const std::string_view line = cells.line;
    const bool empty = line.find_first_not_of(' ') == std::string_view::npos;
    const bool spaces = cells.count == 1 && line.find(' ') != std::string_view::npos;
    problem(number_of_line, "columns", "10 columns separated by tabs",
            cells.count == 1 ? "one column" : std::to_string(cells.count) + " columns",
            empty    ? "a blank line must be empty"
            : spaces ? "the columns are separated by spaces"
                     : "",
            true);
    if (number(cells.cell[kIdCell]) == reading.words + 1) ++reading.words;  // so that the next word is not blamed
    return;
  }
  if (!cells.plain) check_edges(cells, number_of_line);
  const std::string_view id = cells.cell[kIdCell];
  if (const auto word = number(id)) {
    read_word(cells, word, number_of_line, reading);
  } else if (id.find('-') != std::string_view::npos) {
    read_range(cells, number_of_line, rules, reading);
  } else if (id.find('.') != std::string_view::npos) {
    read_empty_node(cells, number_of_line, rules, reading);
  } else {
    read_word(cells, word, number_of_line, reading);
  }
}

void TreebankData::check_edges(const Cells& cells, std::int64_t number_of_line) {
  for (int i = 0; i < kCells; ++i) {
    const std::string_view cell = cells.cell[i];
    if (cell.empty()) {
      problem(number_of_line, "cell", std::string("a value or _ in ") + kNames[i], "nothing", "", true);
    } else if (cell.front() == ' ' || cell.back() == ' ') {
      problem(number_of_line, "cell", std::string("no space at the ends of ") + kNames[i], quoted(cell));
    }
  }
}

void TreebankData::read_word(const Cells& cells, std::optional<std::int32_t> id, std::int64_t line, Reading& reading) {
  if (id != reading.words + 1) {
    problem(line, "id", "word " + std::to_string(reading.words + 1), quoted(cells.cell[kIdCell]),
            id == 1 ? "a blank line may be missing before it" : "", true);
  }
  const std::string_view head_cell = cells.cell[kHeadCell];
  std::int32_t head = -1;
  if (head_cell != "_") {
    const auto value = number(head_cell);
    if (!value) problem(line, "head", "a number or _ as HEAD", quoted(head_cell), "", true);
    head = value.value_or(-1);
  }
  heads_.push_back(head);
  for (int c = 0; c < kColumns; ++c) columns_[c].push_back(vocabularies_[c].intern(cells.cell[kCellOf[c]]));
  reading.words = id.value_or(reading.words + 1);  // one wrong id does not make all that follow wrong
  reading.minor = 0;
  reading.lines.push_back(line);
}

// The two numbers of a range or an empty node; neither if the ID is no such pair.
std::pair<std::optional<std::int32_t>, std::optional<std::int32_t>> TreebankData::read_pair(std::string_view id,
                                                                                            char separator,
                                                                                            std::int64_t line,
                                                                                            const Rules& rules) {
  const std::size_t middle = id.find(separator);
  const auto first = number(id.substr(0, middle));
  const auto second = number(id.substr(middle + 1));
  const bool conllx = rules.format == Format::kConllx;
  if (first && second && !conllx) return {first, second};
  problem(line, "id", conllx ? "a number as ID" : "a word, a range or an empty node as ID", quoted(id), "", true);
  return {};
}

void TreebankData::read_range(const Cells& cells, std::int64_t line, const Rules& rules, Reading& reading) {
  const std::string_view id = cells.cell[kIdCell];
  const auto [first, last] = read_pair(id, '-', line, rules);
  if (!first || !last) return;
  if (*first != reading.words + 1 || *last < *first || *first <= reading.range_end) {
    const std::int32_t next = std::max(reading.words, reading.range_end) + 1;
    problem(line, "range", "a range that starts with word " + std::to_string(next), quoted(id),
            "a multiword token stands right before its first word", true);
    return;
  }
  for (const int cell : {2, 3, 4, 6, 7, 8}) {
    if (cells.cell[cell] != "_") {
      problem(line, "range", std::string("_ as ") + kNames[cell] + " of a multiword token", quoted(cells.cell[cell]));
    }
  }
  reading.range_end = *last;
  reading.range_line = line;
  ranges_.push_back({reading.sentence, *first, *last, cells.line});
}

void TreebankData::read_empty_node(const Cells& cells, std::int64_t line, const Rules& rules, Reading& reading) {
  const std::string_view id = cells.cell[kIdCell];
  const auto [after, minor] = read_pair(id, '.', line, rules);
  if (!after || !minor) return;
  if (*after != reading.words || *minor != reading.minor + 1) {
    problem(line, "id", "empty node " + std::to_string(reading.words) + "." + std::to_string(reading.minor + 1),
            quoted(id));
  }
  for (const int cell : {kHeadCell, 7}) {
    if (cells.cell[cell] != "_") {
      problem(line, "empty-node", std::string("_ as ") + kNames[cell] + " of an empty node", quoted(cells.cell[cell]));
    }
  }
  reading.minor = *minor;
  empty_nodes_.push_back({reading.sentence, *after, *minor, cells.line});
}

void TreebankData::finish(const Rules& rules, const Reading& reading, std::int64_t first_line, std::string_view text) {
  if (const std::size_t good = valid_utf8(text); good < text.size()) {
    const auto line = first_line + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(good), '\n');
    problem(line, "encoding", "UTF-8", "a byte that is not", "convert the file, for example with iconv", true);
  }
  if (reading.words == 0 && !has_fatal(reading)) {
    problem(first_line, "words", "a sentence with at least one word", "only comments", "", true);
  }
  if (reading.range_end > reading.words) {
    problem(reading.range_line, "range",
            "a range that ends within the sentence, at word " + std::to_string(reading.words),
            "word " + std::to_string(reading.range_end), "", true);
  }
  if (has_fatal(reading)) return;
  check_tree(rules, reading);
  check_cells(rules, reading);
}

void TreebankData::check_tree(const Rules& rules, const Reading& reading) {
  const auto first = heads_.size() - reading.words;
  const std::int32_t* heads = heads_.data() + first - 1;  // by word, from 1
  int roots = 0;
  std::int32_t last_root = 1;
  bool complete = true;
  bool in_range = true;
  for (std::int32_t word = 1; word <= reading.words; ++word) {
    if (heads[word] == 0 && ++roots == 2) last_root = word;
    complete &= heads[word] >= 0;
    if (heads[word] > reading.words) {
      in_range = false;
      problem(reading.lines[word - 1], "head", "a HEAD up to " + std::to_string(reading.words),
              std::to_string(heads[word]), "", true);
    }
  }
  if (!in_range) return;
  std::vector<std::int32_t>& seen = scratch_;
  seen.assign(reading.words + 1, 0);  // the word whose climb passed here first
  for (std::int32_t word = 1; word <= reading.words; ++word) {
    std::int32_t at = word;
    while (at > 0 && seen[at] == 0) {
      seen[at] = word;
      at = heads[at];
    }
    if (at > 0 && seen[at] == word) {
      std::string cycle = std::to_string(at);
      for (std::int32_t next = heads[at]; next != at; next = heads[next]) cycle += " <- " + std::to_string(next);
      problem(reading.lines[at - 1], "cycle", "a tree", "the cycle " + cycle + " <- " + std::to_string(at));
    }
  }
  if (rules.single_root && (roots > 1 || (complete && roots == 0))) {
    problem(reading.lines[last_root - 1], "root", "one word with HEAD 0", roots == 0 ? "none" : std::to_string(roots));
  }
}

void TreebankData::check_cells(const Rules& rules, const Reading& reading) {
  const auto first = heads_.size() - reading.words;
  for (std::int32_t i = 0; i < reading.words; ++i) {
    const std::int32_t deps = columns_[kDeps][first + i];
    const std::int32_t feats = columns_[kFeats][first + i];
    if (feats == 0 && deps == 0) continue;
    const std::string_view deps_cell = vocabularies_[kDeps][deps];
    if (rules.format == Format::kConllx) {
      if (deps != 0 && !number(deps_cell)) {
        problem(reading.lines[i], "phead", "a number or _ as PHEAD", quoted(deps_cell));
      }
      continue;
    }
    if (feats != 0) {  // each distinct value of FEATS is judged once
      if (static_cast<std::size_t>(feats) >= good_feats_.size()) good_feats_.resize(feats + 1, -1);
      if (good_feats_[feats] < 0) good_feats_[feats] = good_feats(vocabularies_[kFeats][feats]);
      if (good_feats_[feats] == 0) {
        problem(reading.lines[i], "feats", "FEATS like Case=Nom|Number=Sing", quoted(vocabularies_[kFeats][feats]));
      }
    }
    if (deps != 0 && !good_deps(deps_cell, reading.words)) {
      problem(reading.lines[i], "deps", "DEPS like 2:nsubj|4:nsubj, sorted by head, within the sentence",
              quoted(deps_cell));
    }
  }
}

}  // namespace panparser
