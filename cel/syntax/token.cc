#include "cel/syntax/token.h"

#include <array>
#include <cstddef>

namespace bth::cel {

std::string_view KindName(TokenKind kind) {
  static constexpr std::array<std::string_view, static_cast<size_t>(TokenKind::kHidden) + 1>
      kNames = {"<EOF>",     "'=='",     "'!='",   "'in'",    "'<'",        "'<='",
                "'>='",      "'>'",      "'&&'",   "'||'",    "'['",        "']'",
                "'{'",       "'}'",      "'('",    "')'",     "'.'",        "','",
                "'-'",       "'!'",      "'?'",    "':'",     "'+'",        "'*'",
                "'/'",       "'%'",      "'true'", "'false'", "'null'",     "NUM_FLOAT",
                "NUM_INT",   "NUM_UINT", "STRING", "BYTES",   "IDENTIFIER", "ESC_IDENTIFIER",
                "WHITESPACE"};
  return kNames[static_cast<size_t>(kind)];
}

std::string ToString(TokenSet set) {
  std::string list;
  int count = 0;
  for (int bit = 0; bit <= static_cast<int>(TokenKind::kHidden); ++bit) {
    const auto kind = static_cast<TokenKind>(bit);
    if (!Contains(set, kind)) continue;
    if (count++ > 0) list += ", ";
    list += KindName(kind);
  }
  return count == 1 ? list : "{" + list + "}";
}

}  // namespace bth::cel
