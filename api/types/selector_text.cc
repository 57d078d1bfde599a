// The query-string forms of label and field selectors.
#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "api/types/selector.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::types {
namespace {

// Far above any real selector; bounds the work on hostile queries.
constexpr size_t kSelectorBytesMax = 16384;

absl::Status SelectorError(std::string_view kind, std::string_view text, std::string_view reason) {
  return absl::InvalidArgumentError(
      StrCat(kind, " selector \"", text.substr(0, 300), "\": ", reason));
}

// Splits a label selector into words and the operators ( ) , ! = == != > <.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) { Advance(); }

  // Empty at the end.
  std::string_view token() const { return token_; }
  bool is_word() const { return !token_.empty() && !IsSpecial(token_[0]); }
  // The current token; moves on.
  std::string_view Take() {
    const std::string_view taken = token_;
    Advance();
    return taken;
  }
  bool TakeIf(std::string_view expected) {
    if (token_ != expected) return false;
    Advance();
    return true;
  }

 private:
  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool IsSpecial(char c) {
    return std::string_view("(),!=<>").find(c) != std::string_view::npos;
  }
  void Advance() {
    while (!rest_.empty() && IsBlank(rest_[0])) rest_.remove_prefix(1);
    size_t size = 0;
    if (!rest_.empty() && IsSpecial(rest_[0])) {
      const std::string_view two = rest_.substr(0, 2);
      size = two == "==" || two == "!=" ? 2 : 1;
    } else {
      while (size < rest_.size() && !IsBlank(rest_[size]) && !IsSpecial(rest_[size])) ++size;
    }
    token_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  std::string_view token_;
};

absl::Status Unexpected(std::string_view text, std::string_view token, std::string_view expected) {
  const std::string found = token.empty() ? "the end" : StrCat("\"", token.substr(0, 64), "\"");
  return SelectorError("label", text, StrCat("found ", found, ", expected ", expected));
}

// `(a,b,c)`; values may be empty.
absl::StatusOr<std::vector<std::string>> ParseSet(std::string_view text, Tokens* tokens) {
  if (!tokens->TakeIf("(")) return Unexpected(text, tokens->token(), "(");
  std::vector<std::string> values;
  while (true) {
    values.emplace_back(tokens->is_word() ? tokens->Take() : std::string_view());
    BTH_RETURN_IF_ERROR(Annotate(CheckLabelValue(values.back()), "label selector"));
    if (tokens->TakeIf(")")) break;
    if (!tokens->TakeIf(",")) return Unexpected(text, tokens->token(), ", or )");
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

absl::Status CheckInteger(std::string_view text, const Requirement& requirement) {
  LabelSelector probe;
  probe.match_expressions.push_back(requirement);
  const absl::Status status = probe.Check();
  return status.ok() ? status : SelectorError("label", text, ToStd(status.message()));
}

absl::StatusOr<Requirement> ParseRequirement(std::string_view text, Tokens* tokens) {
  Requirement requirement;
  const bool negated = tokens->TakeIf("!");
  if (!tokens->is_word()) return Unexpected(text, tokens->token(), "a label key");
  requirement.key = std::string(tokens->Take());
  BTH_RETURN_IF_ERROR(Annotate(CheckLabelKey(requirement.key), "label selector"));
  const std::string_view next = tokens->token();
  if (negated || next.empty() || next == ",") {
    requirement.op = negated ? SelectorOp::kDoesNotExist : SelectorOp::kExists;
    return requirement;
  }
  tokens->Take();
  if (next == "in" || next == "notin") {
    requirement.op = next == "in" ? SelectorOp::kIn : SelectorOp::kNotIn;
    BTH_ASSIGN_OR_RETURN(requirement.values, ParseSet(text, tokens));
    return requirement;
  }
  if (next == "=" || next == "==") {
    requirement.op = SelectorOp::kIn;
  } else if (next == "!=") {
    requirement.op = SelectorOp::kNotIn;
  } else if (next == ">" || next == "<") {
    requirement.op = next == ">" ? SelectorOp::kGt : SelectorOp::kLt;
  } else {
    return Unexpected(text, next, "one of = == != > < in notin");
  }
  requirement.values.emplace_back(tokens->is_word() ? tokens->Take() : std::string_view());
  BTH_RETURN_IF_ERROR(Annotate(CheckLabelValue(requirement.values[0]), "label selector"));
  BTH_RETURN_IF_ERROR(CheckInteger(text, requirement));
  return requirement;
}

// Undoes the escapes of one side of a field term.
absl::StatusOr<std::string> Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain.push_back(text[i]);
      continue;
    }
    ++i;
    if (i >= text.size() || std::string_view("\\,=").find(text[i]) == std::string_view::npos) {
      return SelectorError("field", text, "a backslash must stand before a backslash, , or =");
    }
    plain.push_back(text[i]);
  }
  return plain;
}

std::string Escape(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\\' || c == ',' || c == '=') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

// The position of the first unescaped `wanted`, or npos.
size_t FindPlain(std::string_view text, char wanted) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == wanted) {
      return i;
    }
  }
  return std::string_view::npos;
}

absl::StatusOr<FieldSelector::Term> ParseFieldTerm(std::string_view text) {
  FieldSelector::Term term;
  const size_t sign = FindPlain(text, '=');
  if (sign == std::string_view::npos) {
    return SelectorError("field", text, "expected field=value, field==value or field!=value");
  }
  std::string_view field = text.substr(0, sign);
  std::string_view value = text.substr(sign + 1);
  if (!field.empty() && field.back() == '!') {
    term.equal = false;
    field.remove_suffix(1);
  } else if (!value.empty() && value[0] == '=') {
    value.remove_prefix(1);
  }
  if (field.empty()) return SelectorError("field", text, "the field has no name");
  if (FindPlain(value, '=') != std::string_view::npos) {
    return SelectorError("field", text, "a = inside of the value must be written \\=");
  }
  BTH_ASSIGN_OR_RETURN(term.field, Unescape(field));
  BTH_ASSIGN_OR_RETURN(term.value, Unescape(value));
  return term;
}

}  // namespace

absl::StatusOr<LabelSelector> ParseLabelSelector(std::string_view text) {
  if (text.size() > kSelectorBytesMax) {
    return SelectorError("label", text, StrCat("longer than ", kSelectorBytesMax, " bytes"));
  }
  LabelSelector selector;
  Tokens tokens(text);
  if (tokens.token().empty()) return selector;
  while (true) {
    BTH_ASSIGN_OR_RETURN(Requirement requirement, ParseRequirement(text, &tokens));
    selector.match_expressions.push_back(std::move(requirement));
    if (tokens.token().empty()) return selector;
    if (!tokens.TakeIf(",")) return Unexpected(text, tokens.token(), ", or the end");
  }
}

absl::StatusOr<FieldSelector> ParseFieldSelector(std::string_view text) {
  if (text.size() > kSelectorBytesMax) {
    return SelectorError("field", text, StrCat("longer than ", kSelectorBytesMax, " bytes"));
  }
  FieldSelector selector;
  while (!text.empty()) {
    const size_t end = std::min(FindPlain(text, ','), text.size());
    // Empty terms are skipped, as the API server does.
    if (end > 0) {
      BTH_ASSIGN_OR_RETURN(FieldSelector::Term term, ParseFieldTerm(text.substr(0, end)));
      selector.terms.push_back(std::move(term));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return selector;
}

bool FieldSelector::Matches(
    const std::function<std::string_view(std::string_view)>& value_of) const {
  return std::all_of(terms.begin(), terms.end(), [&value_of](const Term& term) {
    return (value_of(term.field) == term.value) == term.equal;
  });
}

std::string FieldSelector::ToString() const {
  return absl::StrJoin(terms, ",", [](std::string* out, const Term& term) {
    StrAppend(out, Escape(term.field), term.equal ? "=" : "!=", Escape(term.value));
  });
}

}  // namespace bth::types
