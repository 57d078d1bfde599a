// The constants of the grammar: which tokens begin what, the operators of each level, names that
// are reserved.
#pragma once

#include <string_view>

#include "cel/syntax/token.h"

namespace bth::cel {

inline constexpr TokenSet kMemberStarts = SetOf(
    TokenKind::kLeftBracket, TokenKind::kLeftBrace, TokenKind::kLeftParen, TokenKind::kDot,
    TokenKind::kMinus, TokenKind::kTrue, TokenKind::kFalse, TokenKind::kNull, TokenKind::kFloat,
    TokenKind::kInt, TokenKind::kUint, TokenKind::kString, TokenKind::kBytes, TokenKind::kIdent);
inline constexpr TokenSet kExprStarts = kMemberStarts | SetOf(TokenKind::kNot);
// Of items of lists, keys of maps and indices, which may have a question mark.
inline constexpr TokenSet kOptionalStarts = kExprStarts | SetOf(TokenKind::kQuestion);
inline constexpr TokenSet kFieldStarts =
    SetOf(TokenKind::kQuestion, TokenKind::kIdent, TokenKind::kQuotedIdent);

inline constexpr TokenSet kMemberOps = SetOf(TokenKind::kDot, TokenKind::kLeftBracket);
inline constexpr TokenSet kFactorOps =
    SetOf(TokenKind::kStar, TokenKind::kSlash, TokenKind::kPercent);
inline constexpr TokenSet kTermOps = SetOf(TokenKind::kPlus, TokenKind::kMinus);
inline constexpr TokenSet kRelationOps =
    SetOf(TokenKind::kLess, TokenKind::kLessEquals, TokenKind::kGreaterEquals, TokenKind::kGreater,
          TokenKind::kEquals, TokenKind::kNotEquals, TokenKind::kIn);

// Words that no variable and no function may have for a name, though a field may.
bool IsReserved(std::string_view name);
// The function of an operator of relations, terms or factors.
const char* OperatorName(TokenKind kind);

}  // namespace bth::cel
