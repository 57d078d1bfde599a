#include "cel/syntax/grammar.h"

#include <algorithm>
#include <array>

#include "cel/syntax/operators.h"

namespace bth::cel {

bool IsReserved(std::string_view name) {
  static constexpr std::array<std::string_view, 17> kReserved = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

const char* OperatorName(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEquals:
      return op::kEquals;
    case TokenKind::kNotEquals:
      return op::kNotEquals;
    case TokenKind::kIn:
      return op::kIn;
    case TokenKind::kLess:
      return op::kLess;
    case TokenKind::kLessEquals:
      return op::kLessEquals;
    case TokenKind::kGreaterEquals:
      return op::kGreaterEquals;
    case TokenKind::kGreater:
      return op::kGreater;
    case TokenKind::kPlus:
      return op::kAdd;
    case TokenKind::kMinus:
      return op::kSubtract;
    case TokenKind::kStar:
      return op::kMultiply;
    case TokenKind::kSlash:
      return op::kDivide;
    default:
      return op::kModulo;
  }
}

}  // namespace bth::cel
