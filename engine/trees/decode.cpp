#include "trees/decode.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace panparser {

namespace {

constexpr double kForbidden = Eisner<double>::kImpossible;
constexpr double kLargest = 1e300;  // sums over a sentence stay finite

void check(Scores scores) {
  for (Token head = 0; head <= scores.words; ++head) {
    for (Token word = 1; word <= scores.words; ++word) {
      const double score = scores(head, word);
      if (head == word || score == kForbidden || std::abs(score) <= kLargest) continue;
      throw std::invalid_argument("expected numbers up to 1e300, or -inf for a forbidden arc; head " +
                                  std::to_string(head) + " of word " + std::to_string(word) + " has " +
                                  std::to_string(score));
    }
  }
}

// Edmonds' algorithm needs only an ordered group. Ordering first by the children of Root, the fewer the better, makes
// a single-root tree win whenever there is one; a large penalty would do so too, but rounds the scores.
struct Weight {
  double score;
  Token root_children;

  bool operator<(Weight other) const {
    return root_children != other.root_children ? root_children > other.root_children : score < other.score;
  }
  Weight operator-(Weight other) const { return {score - other.score, root_children - other.root_children}; }
};

struct Arc {
  Weight weight;
  Token head, dependent;
  bool forbidden() const { return weight.score == kForbidden; }
};

bool improves(const Arc& arc, const Arc& best) {
  return !arc.forbidden() && (best.forbidden() || best.weight < arc.weight);
}

// Grows a path from head to head, each the best of what the path has reached, and contracts the cycles that it runs
// into, until it meets Root or an earlier path. A node is a word or a contracted cycle.
class Edmonds {
 public:
  Edmonds(Scores scores, bool single_root);
  std::vector<Token> solve();

 private:
  struct Node {
    int whole = kNone;       // the cycle it was contracted into
    std::vector<int> parts;  // of a cycle
    Token row = kNone;       // the arcs into it, in `entering_`
    Arc best{};
  };
  std::span<Arc> entering(int node) { return {entering_.data() + std::size_t(nodes_[node].row) * size_, size_}; }
  void choose_best(int node);
  int contract(std::vector<int>& path, int first);
  std::vector<Token> expand() const;

  std::size_t size_;
  std::vector<Arc> entering_;  // by row and head
  std::vector<Node> nodes_;    // tokens, then cycles
  std::vector<int> node_of_;   // by token, the outermost
};

Edmonds::Edmonds(Scores scores, bool single_root)
    : size_(scores.words + 1), entering_(size_ * size_), nodes_(size_), node_of_(size_) {
  for (Token word = 0; word <= scores.words; ++word) {
    nodes_[word].row = word;
    node_of_[word] = word;
    if (word == 0) continue;
    for (Token head = 0; head <= scores.words; ++head) {
      entering(word)[head] = {{scores(head, word), single_root && head == 0}, head, word};
    }
  }
}

std::vector<Token> Edmonds::solve() {
  enum class Place : std::uint8_t { kElsewhere, kOnPath, kConnected };
  std::vector<Place> place(2 * size_, Place::kElsewhere);
  place[0] = Place::kConnected;
  std::vector<int> path;
  for (Token word = 1; word < Token(size_); ++word) {
    int node = node_of_[word];
    while (place[node] != Place::kConnected) {
      if (place[node] == Place::kOnPath) node = contract(path, node);
      place[node] = Place::kOnPath;
      path.push_back(node);
      choose_best(node);
      node = node_of_[nodes_[node].best.head];
    }
    for (int passed : path) place[passed] = Place::kConnected;
    path.clear();
  }
  return expand();
}

void Edmonds::choose_best(int node) {
  Arc best{{kForbidden, 0}, kNone, kNone};
  for (const Arc& arc : entering(node)) {
    if (node_of_[arc.head] != node && improves(arc, best)) best = arc;
  }
  if (best.forbidden()) {
    std::string words;
    for (Token word = 1; word < Token(size_); ++word) {
      if (node_of_[word] == node) words += (words.empty() ? "" : ", ") + std::to_string(word);
    }
    throw std::invalid_argument("expected a tree without forbidden arcs; all arcs into {" + words + "} are forbidden");
  }
  nodes_[node].best = best;
}

// The path from `first` on is a cycle. An arc into it replaces the best arc into the part that it enters.
int Edmonds::contract(std::vector<int>& path, int first) {
  const int whole = static_cast<int>(nodes_.size());
  Node cycle;
  cycle.row = nodes_[first].row;
  const std::span<Arc> merged = entering(first);
  for (Arc& arc : merged) arc.weight = arc.weight - nodes_[first].best.weight;
  for (int part = kNone; part != first; path.pop_back()) {
    part = path.back();
    cycle.parts.push_back(part);
    nodes_[part].whole = whole;
    if (part == first) continue;
    for (std::size_t head = 0; head < size_; ++head) {
      Arc arc = entering(part)[head];
      arc.weight = arc.weight - nodes_[part].best.weight;
      if (improves(arc, merged[head])) merged[head] = arc;
    }
  }
  nodes_.push_back(std::move(cycle));
  for (int& node : node_of_) {
    if (nodes_[node].whole == whole) node = whole;
  }
  return whole;
}

// The best arc into a cycle breaks it at the part that it enters; the other parts keep their own.
std::vector<Token> Edmonds::expand() const {
  std::vector<Token> heads(size_, kNone);
  std::vector<int> pending;
  for (int node = 1; node < int(nodes_.size()); ++node) {
    if (nodes_[node].whole == kNone) pending.push_back(node);
  }
  while (!pending.empty()) {
    const int node = pending.back();
    pending.pop_back();
    const Arc& arc = nodes_[node].best;
    heads[arc.dependent] = arc.head;
    for (int entered = arc.dependent; entered != node; entered = nodes_[entered].whole) {
      for (int part : nodes_[nodes_[entered].whole].parts) {
        if (part != entered) pending.push_back(part);
      }
    }
  }
  return heads;
}

}  // namespace

std::vector<Token> maximum_spanning_tree(Scores scores, bool single_root) {
  check(scores);
  std::vector<Token> heads = Edmonds(scores, single_root).solve();
  if (single_root && std::count(heads.begin(), heads.end(), 0) > 1) {
    throw std::invalid_argument("expected a tree with one child of Root; every such tree has a forbidden arc");
  }
  return heads;
}

std::vector<Token> projective_tree(Scores scores, bool single_root) {
  check(scores);
  auto weight = [&](Token head, Token word) { return word == 0 ? kForbidden : scores(head, word); };
  std::vector<Token> heads = best_projective_tree<double>(weight, scores.words, 0, single_root);
  if (heads.empty()) throw std::invalid_argument("expected a projective tree without forbidden arcs; there is none");
  heads.pop_back();
  return heads;
}

}  // namespace panparser
