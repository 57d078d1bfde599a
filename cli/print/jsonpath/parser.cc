#include "cli/print/jsonpath/parser.h"

#include <charconv>
#include <utility>
#include <variant>

#include "absl/strings/charconv.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/print/go_text.h"
#include "cli/print/utf8.h"

namespace bth::cli::jsonpath {
namespace {

absl::Status RefuseTemplate(std::string_view why) {
  return absl::InvalidArgumentError(ToAbsl(why));
}

bool IsLineEnd(char c) {
  return c == '\r' || c == '\n';
}

bool EndsName(char c) {
  static constexpr std::string_view kEnds = " \t\r\n.,[]$@{}";
  return kEnds.find(c) != std::string_view::npos;
}

bool IsDigit(char32_t rune) {
  return rune >= '0' && rune <= '9';
}

bool IsWordRune(char32_t rune) {
  return rune == '_' || IsDigit(rune) || IsLetter(rune);
}

bool IsOperator(char c) {
  return c == '!' || c == '<' || c == '>' || c == '=';
}

// The places of `sign` (such as `&&`) in `text` that are outside of quotes cut it into pieces.
std::vector<std::string_view> SplitOutsideQuotes(std::string_view text, std::string_view sign) {
  std::vector<std::string_view> pieces;
  size_t start = 0;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote && text[at - 1] != '\\') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (text.substr(at, sign.size()) == sign) {
      pieces.push_back(text.substr(start, at - start));
      at += sign.size() - 1;
      start = at + 1;
    }
  }
  pieces.push_back(text.substr(start));
  return pieces;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

char32_t ActionParser::Peek() const {
  if (at_ >= text_.size()) return 0;
  size_t at = at_;
  return NextRune(text_, &at);
}

absl::Status ActionParser::Add(Node node) {
  if (budget_.nodes == 0) return RefuseTemplate("the template has too many parts");
  --budget_.nodes;
  nodes_.push_back(std::move(node));
  return absl::OkStatus();
}

absl::StatusOr<NodeList> ActionParser::Run() {
  for (;;) {
    if (at_ < text_.size() && text_[at_] == '}') {
      ++at_;
      return std::move(nodes_);
    }
    BTH_RETURN_IF_ERROR(ParseNext());
  }
}

absl::Status ActionParser::ParseNext() {
  if (at_ >= text_.size() || IsLineEnd(text_[at_])) return RefuseTemplate("unclosed action");
  if (text_.substr(at_, 3) == "[?(") return ParseFilter();
  if (text_.substr(at_, 2) == "..") return ParseRecursive();
  const char c = text_[at_];
  switch (c) {
    case ' ':
    case '@':
    case '$':
      ++at_;
      return absl::OkStatus();
    case '[':
      return ParseBrackets();
    case '"':
    case '\'':
      return ParseQuoted(c);
    case '.':
      ++at_;
      return ParseField();
    default:
      break;
  }
  const char32_t rune = Peek();
  if (c == '+' || c == '-' || IsDigit(rune)) return ParseNumber();
  if (IsWordRune(rune)) return ParseWord();
  return RefuseTemplate(StrCat("unrecognized character in action: ", GoRune(rune)));
}

absl::Status ActionParser::ParseField() {
  std::string name;
  for (; at_ < text_.size() && !EndsName(text_[at_]); ++at_) {
    // Behind a backslash every character is part of the name; the backslash is not.
    if (text_[at_] == '\\') {
      ++at_;
      if (at_ >= text_.size()) break;
      if (text_[at_] == '\\') continue;
    }
    name.push_back(text_[at_]);
  }
  if (name == "*") return Add({WildcardNode{}});
  return Add({FieldNode{std::move(name)}});
}

absl::Status ActionParser::ParseWord() {
  const size_t start = at_;
  while (at_ < text_.size() && !EndsName(text_[at_])) ++at_;
  const std::string_view word = text_.substr(start, at_ - start);
  if (word == "true" || word == "false") return Add({LiteralNode{types::Json(word == "true")}});
  return Add({WordNode{std::string(word)}});
}

absl::Status ActionParser::ParseNumber() {
  const size_t start = at_;
  if (text_[at_] == '+' || text_[at_] == '-') ++at_;
  while (at_ < text_.size() && (text_[at_] == '.' || IsDigit(text_[at_]))) ++at_;
  const std::string_view whole = text_.substr(start, at_ - start);
  std::string_view text = whole;
  if (text[0] == '+') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  int64_t number = 0;
  const auto as_int = std::from_chars(text.data(), end, number);
  if (as_int.ec == std::errc() && as_int.ptr == end) return Add({LiteralNode{types::Json(number)}});
  double real = 0;
  const auto as_real = absl::from_chars(text.data(), end, real);
  if (as_real.ec == std::errc() && as_real.ptr == end) return Add({LiteralNode{types::Json(real)}});
  return RefuseTemplate(StrCat("cannot parse number ", whole));
}

absl::Status ActionParser::ParseQuoted(char quote) {
  const size_t start = at_++;
  for (;; ++at_) {
    if (at_ >= text_.size() || text_[at_] == '\n')
      return RefuseTemplate("unterminated quoted string");
    if (text_[at_] == quote && text_[at_ - 1] != '\\') break;
  }
  ++at_;
  const std::string_view quoted = text_.substr(start, at_ - start);
  absl::StatusOr<std::string> text = Unquote(quoted);
  if (!text.ok()) {
    return RefuseTemplate(
        StrCat("unquote string ", quoted, " error ", ToStd(text.status().message())));
  }
  return Add({TextNode{types::Json(*std::move(text))}});
}

absl::Status ActionParser::ParseRecursive() {
  if (!nodes_.empty() && std::holds_alternative<RecursiveNode>(nodes_.back().what)) {
    return RefuseTemplate("invalid multiple recursive descent");
  }
  at_ += 2;
  BTH_RETURN_IF_ERROR(Add({RecursiveNode{}}));
  return IsWordRune(Peek()) ? ParseField() : absl::OkStatus();
}

absl::StatusOr<NodeList> ActionParser::ParseApart(const std::string& inside) {
  if (budget_.depth == 0) return RefuseTemplate("the template is nested too deep");
  --budget_.depth;
  ActionParser parser(inside, 0, &budget_);
  absl::StatusOr<NodeList> nodes = parser.Run();
  ++budget_.depth;
  return nodes;
}

absl::Status ActionParser::ParseBrackets() {
  const size_t end = text_.find_first_of("]\n", at_);
  if (end == std::string_view::npos || text_[end] == '\n')
    return RefuseTemplate("unterminated array");
  const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  if (inside.find(',') != std::string_view::npos) return ParseUnion(inside);
  const bool is_key =
      inside.size() >= 2 && inside.front() == '\'' && inside.find('\'', 1) == inside.size() - 1;
  if (is_key) {
    // Dots in the key separate fields, as outside of brackets; a backslash keeps them.
    BTH_ASSIGN_OR_RETURN(NodeList nodes,
                         ParseApart(StrCat(".", inside.substr(1, inside.size() - 2), "}")));
    for (Node& node : nodes) nodes_.push_back(std::move(node));
    return absl::OkStatus();
  }
  BTH_ASSIGN_OR_RETURN(const SliceNode slice, ParseSlice(inside));
  return Add({slice});
}

absl::Status ActionParser::ParseUnion(std::string_view inside) {
  UnionNode all;
  for (const absl::string_view part : SplitText(inside, ',')) {
    BTH_ASSIGN_OR_RETURN(NodeList nodes, ParseApart(StrCat("[", Trim(ToStd(part)), "]}")));
    all.parts.push_back(std::move(nodes));
  }
  return Add({std::move(all)});
}

absl::Status ActionParser::ParseFilter() {
  at_ += 3;
  const size_t start = at_;
  char quote = 0;
  for (;; ++at_) {
    if (at_ >= text_.size() || text_[at_] == '\n') return RefuseTemplate("unterminated filter");
    const char c = text_[at_];
    if (quote != 0) {
      if (c == quote && text_[at_ - 1] != '\\') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ')') {
      break;
    }
  }
  const std::string_view inside = text_.substr(start, at_ - start);
  ++at_;
  if (at_ >= text_.size() || text_[at_] != ']') return RefuseTemplate("unclosed array expect ]");
  ++at_;
  FilterNode filter;
  for (const std::string_view group : SplitOutsideQuotes(inside, "||")) {
    filter.groups.emplace_back();
    for (const std::string_view part : SplitOutsideQuotes(group, "&&")) {
      BTH_ASSIGN_OR_RETURN(Condition condition, ParseCondition(part));
      filter.groups.back().push_back(std::move(condition));
    }
  }
  return Add({std::move(filter)});
}

absl::StatusOr<Condition> ActionParser::ParseCondition(std::string_view text) {
  size_t left_end = 0;
  while (left_end < text.size() && !IsOperator(text[left_end])) ++left_end;
  size_t op_end = left_end;
  while (op_end < text.size() && IsOperator(text[op_end])) ++op_end;
  // Something must be left to compare with, be it a part of the operator.
  if (op_end == text.size() && op_end > left_end) --op_end;
  Condition condition;
  if (left_end == 0 || op_end == left_end) {
    BTH_ASSIGN_OR_RETURN(condition.left, ParseApart(StrCat(text, "}")));
    return condition;
  }
  BTH_ASSIGN_OR_RETURN(condition.left, ParseApart(StrCat(text.substr(0, left_end), "}")));
  BTH_ASSIGN_OR_RETURN(condition.right, ParseApart(StrCat(text.substr(op_end), "}")));
  condition.op = std::string(text.substr(left_end, op_end - left_end));
  return condition;
}

}  // namespace bth::cli::jsonpath
