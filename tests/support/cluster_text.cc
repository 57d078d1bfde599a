#include "tests/support/cluster_text.h"

#include <map>
#include <set>
#include <stdexcept>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::test {
namespace {

[[noreturn]] void Refuse(std::string_view what, std::string_view text) {
  throw std::invalid_argument(std::string(what) + ": \"" + std::string(text) + "\"");
}

Statement ParseStatement(const std::string& line) {
  const std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() < 2) Refuse("a statement needs a kind and a name", line);
  Statement statement{.kind = words[0], .name = words[1], .args = {}};
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos) {
      statement.args.emplace_back(words[i], "");
    } else {
      statement.args.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
    }
  }
  return statement;
}

// The keys of each kind; one that ends with a dot stands for all that begin with it.
const std::map<std::string, std::set<std::string>>& KnownKeys() {
  static const auto* const kKnown = new std::map<std::string, std::set<std::string>>{
      {"node",
       {"cpu", "mem", "gpu", "pods", "res.", "kube.", "label.", "taint", "image.", "port",
        "cordoned", "gone", "numa", "layout", "free", "reserved", "shared"}},
      {"queue",
       {"weight", "prio", "state", "reclaimable", "parent", "hierarchy", "weights", "cap.",
        "deserved.", "guarantee.", "groups", "groups.", "limit.", "badlimits"}},
      {"job",
       {"queue", "min", "prio", "phase", "minres", "minres.", "quota.", "wait", "budget.",
        "created", "roles", "preemptable", "ns", "group.", "nogroup", "tasks", "together", "apart",
        "order"}},
      {"task", {"job",     "cpu",      "mem",         "gpu",       "pods",    "res.",
                "node",    "status",   "prio",        "role",      "ns",      "sub",
                "fixed",   "critical", "gated",       "owngate",   "need.",   "nominated",
                "names",   "port",     "unsupported", "revocable", "budgets", "protected",
                "select.", "prefer.",  "tolerate",    "image",     "own",     "policy"}},
      {"budget", {"allowed", "disrupted"}},
      {"quota", {"ns", "hard.", "used."}}};
  return *kKnown;
}

bool IsKnown(const std::string& kind, const std::string& key) {
  const std::set<std::string>& keys = KnownKeys().at(kind);
  const std::string family = key.substr(0, key.find('.') + 1);  // Empty without a dot.
  return keys.contains(key) || keys.contains(family);
}

}  // namespace

void RefuseUnknownWords(const std::vector<Statement>& statements) {
  for (const Statement& s : statements) {
    if (!KnownKeys().contains(s.kind)) Refuse("no such kind", s.kind);
    const bool makes_tasks = s.kind == "job" && s.Has("tasks");
    for (const auto& [key, value] : s.args) {
      const bool of_its_tasks = makes_tasks && (key == "taskprio" || IsKnown("task", key));
      if (!IsKnown(s.kind, key) && !of_its_tasks) Refuse("no such word of a " + s.kind, key);
    }
  }
}

std::string Statement::Text(std::string_view key, std::string_view fallback) const {
  std::string text(fallback);
  for (const auto& [word, value] : args) {
    if (word == key) text = value;
  }
  return text;
}

int64_t Statement::Int(std::string_view key, int64_t fallback) const {
  if (!Has(key)) return fallback;
  int64_t value = 0;
  if (!absl::SimpleAtoi(Text(key), &value)) Refuse("not a whole number", Text(key));
  return value;
}

bool Statement::Has(std::string_view key) const {
  return !All(key).empty();
}

std::vector<std::string> Statement::All(std::string_view key) const {
  std::vector<std::string> values;
  for (const auto& [word, value] : args) {
    if (word == key) values.push_back(value);
  }
  return values;
}

std::vector<std::pair<std::string, std::string>> Statement::Under(std::string_view prefix) const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [word, value] : args) {
    if (word.starts_with(prefix)) pairs.emplace_back(word.substr(prefix.size()), value);
  }
  return pairs;
}

std::vector<Statement> ParseStatements(std::string_view text) {
  std::vector<Statement> statements;
  for (const std::string& line : SplitText(text, '\n')) {
    const std::string code = line.substr(0, line.find('#'));
    for (const std::string& part : SplitText(code, ';')) {
      if (part.find_first_not_of(" \t") == std::string::npos) continue;
      statements.push_back(ParseStatement(part));
    }
  }
  return statements;
}

double ParseQuantity(std::string_view text) {
  static const auto* const kSuffixes = new std::map<std::string, double>{
      {"", 1},     {"m", 1e-3},      {"k", 1e3},       {"M", 1e6},       {"G", 1e9},
      {"T", 1e12}, {"Ki", 0x1.0p10}, {"Mi", 0x1.0p20}, {"Gi", 0x1.0p30}, {"Ti", 0x1.0p40}};
  const size_t end = text.find_last_of("0123456789.");
  if (end == std::string_view::npos) Refuse("not a quantity", text);
  double number = 0;
  const auto suffix = kSuffixes->find(std::string(text.substr(end + 1)));
  if (!SimpleAtod(text.substr(0, end + 1), &number) || suffix == kSuffixes->end()) {
    Refuse("not a quantity", text);
  }
  return number * suffix->second;
}

std::vector<std::string> SplitText(std::string_view text, char separator) {
  return bth::SplitText(text, separator);
}

}  // namespace bth::test
