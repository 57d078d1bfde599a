// Reads the inside of one pair of braces. Private to this folder.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/print/jsonpath/template.h"

namespace bth::cli::jsonpath {

// What is left of the limits; shared by the parts of one template.
struct ParseBudget {
  size_t nodes = 0;
  int depth = 0;
};

// Reads `text` from `*at`, behind the opening brace, to behind the closing one.
class ActionParser {
 public:
  ActionParser(std::string_view text, size_t at, ParseBudget* budget)
      : text_(text), at_(at), budget_(*budget) {}

  absl::StatusOr<NodeList> Run();
  size_t at() const { return at_; }

 private:
  // One node, or none for blanks, `@` and `$`.
  absl::Status ParseNext();
  absl::Status ParseField();
  absl::Status ParseWord();
  absl::Status ParseNumber();
  absl::Status ParseQuoted(char quote);
  absl::Status ParseRecursive();
  absl::Status ParseBrackets();
  absl::Status ParseUnion(std::string_view inside);
  absl::Status ParseFilter();

  // The nodes of `inside` as if it stood alone in braces.
  absl::StatusOr<NodeList> ParseApart(const std::string& inside);
  absl::StatusOr<Condition> ParseCondition(std::string_view text);
  absl::Status Add(Node node);
  char32_t Peek() const;  // 0 at the end.

  const std::string_view text_;
  size_t at_;
  ParseBudget& budget_;
  NodeList nodes_;
};

// `[2]`, `[1:3]`, `[::2]`, `[*]`: what stands in the brackets.
absl::StatusOr<SliceNode> ParseSlice(std::string_view inside);

// A text in quotes of either kind, with Go's escapes.
absl::StatusOr<std::string> Unquote(std::string_view quoted);

}  // namespace bth::cli::jsonpath
