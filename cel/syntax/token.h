// The words of an expression, and sets of their kinds as the parser's messages print them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bth::cel {

// In the order in which messages list what they expect.
enum class TokenKind : uint8_t {
  kEnd,
  kEquals,
  kNotEquals,
  kIn,
  kLess,
  kLessEquals,
  kGreaterEquals,
  kGreater,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
  kTrue,
  kFalse,
  kNull,
  kFloat,
  kInt,
  kUint,
  kString,
  kBytes,
  kIdent,
  kQuotedIdent,  // `like-this`: only a name of a field.
  kHidden,       // Blanks and comments: kept for messages that quote the source.
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  int32_t offset = 0;  // In code points.
  int32_t length = 0;
};

// A set of kinds, one bit each.
using TokenSet = uint64_t;

constexpr TokenSet SetOf(TokenKind kind) {
  return TokenSet{1} << static_cast<int>(kind);
}
template <typename... Kinds>
constexpr TokenSet SetOf(TokenKind first, Kinds... rest) {
  return SetOf(first) | SetOf(rest...);
}
constexpr bool Contains(TokenSet set, TokenKind kind) {
  return (set & SetOf(kind)) != 0;
}

// "':'", "IDENTIFIER", "<EOF>".
std::string_view KindName(TokenKind kind);
// One name, or "{'}', ',', IDENTIFIER}".
std::string ToString(TokenSet set);

}  // namespace bth::cel
