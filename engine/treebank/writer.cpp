#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "treebank/conllu.hpp"
#include "treebank/line.hpp"

namespace panparser {

std::string_view TreebankData::body(std::int64_t sentence) const {
  return text_.substr(begins_[sentence], ends_[sentence] - begins_[sentence]);
}

std::vector<std::string> TreebankData::comments(std::int64_t sentence) const {
  const auto replaced = comments_.find(sentence);
  std::string_view text = replaced != comments_.end() ? replaced->second : body(sentence);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_return(text.substr(0, end));
    if (!line.empty() && line[0] == '#') lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool TreebankData::any_cell_has(Column column, std::string_view part) const {
  const Vocabulary& cells = vocabularies_[column];
  for (std::int32_t id = 0; id < cells.size(); ++id) {
    if (cells[id].find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool TreebankData::any_comment_has(std::string_view part) const {
  const auto has = [&](const auto& replaced) { return replaced.second.find(part) != std::string::npos; };
  return text_.find(part) != std::string_view::npos || std::any_of(comments_.begin(), comments_.end(), has);
}

void TreebankData::set_comments(std::int64_t sentence, const std::vector<std::string>& lines) {
  const bool returns = body(sentence).find("\r\n") != std::string_view::npos;
  std::string text;
  for (const std::string& line : lines) text += line + (returns ? "\r\n" : "\n");
  comments_[sentence] = std::move(text);
}

// Copies a line, with the cells that are not what they were replaced.
void TreebankData::write_word(Output& out, std::string_view whole, const Cells& cells, std::int64_t word,
                              std::int64_t sentence) const {
  const auto words = static_cast<std::int32_t>(offsets_[sentence + 1] - offsets_[sentence]);
  auto complain = [&](const std::string& what) {
    throw std::invalid_argument("sentence " + std::to_string(sentence + 1) + ", word " +
                                std::to_string(word - offsets_[sentence] + 1) + ": " + what);
  };
  const char* copied = whole.data();  // up to here
  auto replace = [&](std::string_view cell, std::string_view now) {
    out.put(copied, static_cast<std::size_t>(cell.data() - copied));
    out.put(now);
    copied = cell.data() + cell.size();
  };
  auto write_column = [&](Column c) {
    if (!shared_[c]) return;
    const std::int32_t id = columns_[c][word];
    const std::string_view cell = cells.cell[kCellOf[c]];
    if (id < 0 || id >= vocabularies_[c].size()) {
      complain("no " + std::string(kNames[kCellOf[c]]) + " has the id " + std::to_string(id));
    }
    if (const std::string_view now = vocabularies_[c][id]; !same_text(now, cell)) replace(cell, now);
  };
  for (const Column c : {kForm, kLemma, kUpos, kXpos, kFeats}) write_column(c);
  if (heads_shared_) {
    const std::int32_t head = heads_[word];
    if (head < -1 || head > words) {
      complain("expected a head from -1 to " + std::to_string(words) + ", found " + std::to_string(head));
    }
    char digits[16] = {'_'};
    const char* end = head < 0 ? digits + 1 : std::to_chars(digits, digits + sizeof digits, head).ptr;
    const std::string_view now(digits, static_cast<std::size_t>(end - digits));
    if (!same_text(now, cells.cell[kHeadCell])) replace(cells.cell[kHeadCell], now);
  }
  for (const Column c : {kDeprel, kDeps, kMisc}) write_column(c);
  out.put(copied, static_cast<std::size_t>(whole.data() + whole.size() - copied));
}

void TreebankData::write_sentence(Output& out, std::int64_t sentence, bool any_shared) const {
  std::string_view text = body(sentence);
  std::int64_t word = offsets_[sentence];
  const auto replaced = comments_.find(sentence);
  const bool new_comments = replaced != comments_.end();
  if (!any_shared && !new_comments) {
    out.put(text);
    return;
  }
  bool comments_written = !new_comments;
  Cells cells;
  while (!text.empty()) {
    const auto end_of_line =
        static_cast<std::size_t>(cells.split(text.data(), text.data() + text.size()) - text.data());
    const std::string_view whole = text.substr(0, end_of_line + 1);
    const std::string_view line = cells.line;
    text.remove_prefix(whole.size());
    if (!line.empty() && !comments_written) {
      out.put(replaced->second);
      comments_written = true;
    }
    if (!line.empty() && line[0] == '#' && new_comments) continue;
    const bool is_word = !line.empty() && line[0] != '#' &&
                         std::none_of(cells.cell[kIdCell].begin(), cells.cell[kIdCell].end(),
                                      [](char c) { return c == '-' || c == '.'; });
    if (is_word && word < offsets_[sentence + 1]) {
      write_word(out, whole, cells, word++, sentence);
    } else {
      out.put(whole);
    }
  }
}

std::size_t TreebankData::written_size(const std::vector<std::int64_t>& sentences) const {
  std::size_t size = 1024;
  for (const std::int64_t sentence : sentences) size += static_cast<std::size_t>(ends_[sentence] - begins_[sentence]);
  return size * 9 / 8;
}

void TreebankData::write(const std::vector<std::int64_t>& sentences, Output& out) const {
  const bool any_shared = heads_shared_ || std::find(shared_.begin(), shared_.end(), true) != shared_.end();
  if (sentences.empty() ? offsets_.size() == 1 : sentences.front() == 0) out.put(mark_);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    write_sentence(out, sentences[i], any_shared);
    const bool ended = out.view().ends_with("\n\n") || out.view().ends_with("\n\r\n");
    if (i + 1 < sentences.size() && !ended) {
      out.put(out.view().ends_with("\n") ? "\n" : "\n\n");  // the last sentence of the file, taken elsewhere
    }
  }
}

}  // namespace panparser
