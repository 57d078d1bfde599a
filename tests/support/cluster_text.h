// The little language in which tests describe clusters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bth::test {

// `kind name key=value key=value flag …`; statements end at ';' or at the end of a line, '#' starts
// a comment. A flag is a key without a value. Keys may be repeated.
struct Statement {
  std::string kind;
  std::string name;
  std::vector<std::pair<std::string, std::string>> args;

  // The last value of `key`, or `fallback`.
  std::string Text(std::string_view key, std::string_view fallback = "") const;
  int64_t Int(std::string_view key, int64_t fallback) const;
  bool Has(std::string_view key) const;
  std::vector<std::string> All(std::string_view key) const;
  // Pairs (rest of the key, value) of the keys that begin with `prefix`.
  std::vector<std::pair<std::string, std::string>> Under(std::string_view prefix) const;
};

// Throws std::invalid_argument that quotes what it cannot read.
std::vector<Statement> ParseStatements(std::string_view text);

// Throws std::invalid_argument for a kind or a key that cluster_builder.h does not list.
void RefuseUnknownWords(const std::vector<Statement>& statements);

// "500m", "1.5", "4Gi", "2G", "3k" as a number.
double ParseQuantity(std::string_view text);

std::vector<std::string> SplitText(std::string_view text, char separator);

}  // namespace bth::test
