#include "cel/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"

namespace bth::cel {
namespace {

// What an error quotes of a text that is no token.
constexpr size_t kQuotedPointsMax = 1000;

bool IsDigit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
bool IsHexDigit(char32_t c) {
  return IsDigit(c) || (c >= U'a' && c <= U'f') || (c >= U'A' && c <= U'F');
}
bool IsOctalDigit(char32_t c) {
  return c >= U'0' && c <= U'7';
}
bool BeginsName(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c == U'_';
}
bool ContinuesName(char32_t c) {
  return BeginsName(c) || IsDigit(c);
}
bool IsBlank(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\r' || c == U'\n' || c == U'\f';
}
bool IsQuote(char32_t c) {
  return c == U'"' || c == U'\'';
}

// The longest token at a place, and where it stopped looking: without a token, the text up to and
// with that character is no token.
struct Match {
  TokenKind kind = TokenKind::kEnd;
  size_t end = 0;  // 0: no token.
  size_t failed_at = 0;
};

class Lexer final {
 public:
  explicit Lexer(const SourceText& source) : source_(source) {}

  Match Next(size_t at) const {
    const char32_t c = source_[at];
    if (IsBlank(c)) return Run(TokenKind::kHidden, at, IsBlank);
    if (c == U'/' && source_[at + 1] == U'/') {
      return Run(TokenKind::kHidden, at, [](char32_t point) { return point != U'\n'; });
    }
    if (IsQuote(c)) return Text(TokenKind::kString, at, at, false);
    if (BeginsName(c)) return NameOrText(at);
    if (IsDigit(c) || (c == U'.' && IsDigit(source_[at + 1]))) return Number(at);
    if (c == U'`') return QuotedName(at);
    return Operator(at);
  }

 private:
  template <typename Predicate>
  size_t SkipWhile(size_t at, Predicate predicate) const {
    while (!source_.AtEnd(at) && predicate(source_[at])) ++at;
    return at;
  }
  template <typename Predicate>
  Match Run(TokenKind kind, size_t at, Predicate predicate) const {
    return {kind, SkipWhile(at, predicate), 0};
  }

  // Names, keywords, and texts with a prefix: r, b, br.
  Match NameOrText(size_t at) const {
    const Match name = Name(at);
    const size_t length = name.end - at;
    if (length > 2 || !IsQuote(source_[name.end])) return name;
    const auto lower = [this](size_t i) { return source_[i] | U' '; };
    const bool bytes = lower(at) == U'b';
    const bool raw = lower(name.end - 1) == U'r';
    if (length == 2 ? !(bytes && raw) : !(bytes || raw)) return name;
    const Match text = Text(bytes ? TokenKind::kBytes : TokenKind::kString, at, name.end, raw);
    return text.end > 0 ? text : name;
  }

  Match Name(size_t at) const {
    static constexpr std::array<std::pair<std::u32string_view, TokenKind>, 4> kKeywords = {{
        {U"in", TokenKind::kIn},
        {U"true", TokenKind::kTrue},
        {U"false", TokenKind::kFalse},
        {U"null", TokenKind::kNull},
    }};
    const Match name = Run(TokenKind::kIdent, at, ContinuesName);
    for (const auto& [word, kind] : kKeywords) {
      if (source_.Points(at, name.end - at) == word) return {kind, name.end, 0};
    }
    return name;
  }

  Match QuotedName(size_t at) const {
    const size_t end = SkipWhile(at + 1, [](char32_t c) {
      return ContinuesName(c) || c == U'.' || c == U'-' || c == U'/' || c == U' ';
    });
    if (source_[end] != U'`' || end == at + 1) return {TokenKind::kEnd, 0, end};
    return {TokenKind::kQuotedIdent, end + 1, 0};
  }

  Match Number(size_t at) const {
    const auto with_suffix = [this](size_t end) -> Match {
      const bool is_unsigned = source_[end] == U'u' || source_[end] == U'U';
      return is_unsigned ? Match{TokenKind::kUint, end + 1, 0} : Match{TokenKind::kInt, end, 0};
    };
    if (source_[at] == U'0' && source_[at + 1] == U'x' && IsHexDigit(source_[at + 2])) {
      return with_suffix(SkipWhile(at + 2, IsHexDigit));
    }
    const size_t whole_end = SkipWhile(at, IsDigit);
    size_t end = whole_end;
    if (source_[end] == U'.' && IsDigit(source_[end + 1])) end = SkipWhile(end + 1, IsDigit);
    if (source_[end] == U'e' || source_[end] == U'E') {
      const size_t digits = end + (source_[end + 1] == U'+' || source_[end + 1] == U'-' ? 2 : 1);
      if (IsDigit(source_[digits])) end = SkipWhile(digits, IsDigit);
    }
    return end > whole_end ? Match{TokenKind::kFloat, end, 0} : with_suffix(whole_end);
  }

  // A quoted text whose quote is at `quote`; the token begins at `begin`, before its prefix.
  Match Text(TokenKind kind, size_t begin, size_t quote, bool raw) const {
    const char32_t mark = source_[quote];
    if (source_[quote + 1] != mark) return Rest(kind, quote, 1, raw);
    const Match empty = {kind, quote + 2, begin};
    if (source_[quote + 2] != mark) return empty;
    const Match block = Rest(kind, quote, 3, raw);
    return block.end > 0 ? block : empty;
  }

  // The rest of a text that opened with `marks` quotes, one or three, and ends with as many.
  Match Rest(TokenKind kind, size_t quote, size_t marks, bool raw) const {
    const bool is_block = marks == 3;
    const char32_t mark = source_[quote];
    for (size_t at = quote + marks;;) {
      const char32_t c = source_[at];
      if (source_.AtEnd(at) || (!is_block && (c == U'\n' || c == U'\r'))) return {kind, 0, at};
      if (c == mark && (!is_block || (source_[at + 1] == mark && source_[at + 2] == mark))) {
        return {kind, at + marks, 0};
      }
      if (c != U'\\' || raw) {
        ++at;
      } else if (const size_t end = Escape(at); end != 0) {
        at = end;
      } else {
        return {kind, 0, EscapeFailure(at)};
      }
    }
  }

  // How many digits an escape takes, and which.
  struct Digits {
    size_t count = 0;
    bool (*is_digit)(char32_t) = nullptr;
  };
  static Digits EscapeDigits(char32_t letter) {
    switch (letter) {
      case U'x':
      case U'X':
        return {2, IsHexDigit};
      case U'u':
        return {4, IsHexDigit};
      case U'U':
        return {8, IsHexDigit};
      default:
        return letter >= U'0' && letter <= U'3' ? Digits{2, IsOctalDigit} : Digits{};
    }
  }

  // The end of the escape at the backslash `at`; 0: it is none.
  size_t Escape(size_t at) const {
    static constexpr std::u32string_view kSimple = U"abfnrtv\"'\\?`";
    const char32_t letter = source_[at + 1];
    if (source_.AtEnd(at + 1)) return 0;
    if (kSimple.find(letter) != std::u32string_view::npos) return at + 2;
    const Digits digits = EscapeDigits(letter);
    if (digits.count == 0) return 0;
    for (size_t i = 0; i < digits.count; ++i) {
      if (!digits.is_digit(source_[at + 2 + i])) return 0;
    }
    return at + 2 + digits.count;
  }
  // The first character by which an escape is none.
  size_t EscapeFailure(size_t at) const {
    const Digits digits = EscapeDigits(source_[at + 1]);
    if (digits.count == 0) return at + 1;
    size_t failed = at + 2;
    while (digits.is_digit(source_[failed])) ++failed;
    return failed;
  }

  Match Operator(size_t at) const {
    static constexpr std::array<std::pair<std::u32string_view, TokenKind>, 24> kOperators = {{
        {U"==", TokenKind::kEquals},     {U"!=", TokenKind::kNotEquals},
        {U"<=", TokenKind::kLessEquals}, {U">=", TokenKind::kGreaterEquals},
        {U"&&", TokenKind::kAnd},        {U"||", TokenKind::kOr},
        {U"<", TokenKind::kLess},        {U">", TokenKind::kGreater},
        {U"[", TokenKind::kLeftBracket}, {U"]", TokenKind::kRightBracket},
        {U"{", TokenKind::kLeftBrace},   {U"}", TokenKind::kRightBrace},
        {U"(", TokenKind::kLeftParen},   {U")", TokenKind::kRightParen},
        {U".", TokenKind::kDot},         {U",", TokenKind::kComma},
        {U"-", TokenKind::kMinus},       {U"!", TokenKind::kNot},
        {U"?", TokenKind::kQuestion},    {U":", TokenKind::kColon},
        {U"+", TokenKind::kPlus},        {U"*", TokenKind::kStar},
        {U"/", TokenKind::kSlash},       {U"%", TokenKind::kPercent},
    }};
    for (const auto& [text, kind] : kOperators) {
      if (source_.Points(at, text.size()) == text) return {kind, at + text.size(), 0};
    }
    const char32_t c = source_[at];
    const bool half = c == U'=' || c == U'&' || c == U'|';
    return {TokenKind::kEnd, 0, half ? at + 1 : at};
  }

  const SourceText& source_;
};

std::string ShownText(const SourceText& source, size_t begin, size_t end) {
  std::string text = source.Utf8(begin, std::min(end - begin, kQuotedPointsMax));
  if (end - begin > kQuotedPointsMax) text += "...";
  return text;
}

}  // namespace

std::vector<Token> Tokenize(const SourceText& source, Diagnostics* diagnostics) {
  const Lexer lexer(source);
  std::vector<Token> tokens;
  for (size_t at = 0; !source.AtEnd(at);) {
    const Match match = lexer.Next(at);
    if (match.end > 0) {
      tokens.push_back(
          {match.kind, static_cast<int32_t>(at), static_cast<int32_t>(match.end - at)});
      at = match.end;
      continue;
    }
    const size_t end = std::min(match.failed_at + 1, source.size());
    diagnostics->Report(
        static_cast<int32_t>(at),
        StrCat("Syntax error: token recognition error at: '", ShownText(source, at, end), "'"));
    at = end;
  }
  tokens.push_back({TokenKind::kEnd, static_cast<int32_t>(source.size()), 0});
  return tokens;
}

}  // namespace bth::cel
