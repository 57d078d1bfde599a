#include "cel/syntax/token_reader.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace bth::cel {
namespace {

// cel-go's: more attempts, or tokens skipped in one of them, end the parse.
constexpr int kRecoveryAttemptsMax = 30;
constexpr size_t kRecoveryTokensMax = 256;
constexpr size_t kShownBytesMax = 1000;

std::string EscapeBlanks(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kShownBytesMax)) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += c;
    }
  }
  if (text.size() > kShownBytesMax) out += "...";
  return out;
}

}  // namespace

TokenReader::TokenReader(const SourceText& source, const std::vector<Token>& tokens,
                         Diagnostics* diagnostics)
    : source_(source), tokens_(tokens), diagnostics_(*diagnostics) {
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != TokenKind::kHidden) visible_.push_back(i);
  }
}

const Token& TokenReader::token(size_t ahead) const {
  return tokens_[visible_[std::min(at_ + ahead, visible_.size() - 1)]];
}

std::string TokenReader::Text(const Token& token) const {
  return source_.Utf8(static_cast<size_t>(token.offset), static_cast<size_t>(token.length));
}

std::u32string_view TokenReader::Points(const Token& token) const {
  return source_.Points(static_cast<size_t>(token.offset), static_cast<size_t>(token.length));
}

void TokenReader::Advance() {
  at_ = std::min(at_ + 1, visible_.size() - 1);
}

Token TokenReader::Take() {
  const Token taken = token();
  Advance();
  ReportMatch();
  return taken;
}

bool TokenReader::Match(TokenKind kind, TokenSet after, bool ends, Token* matched) {
  *matched = token();
  if (matched->kind == kind) {
    Advance();
    ReportMatch();
    return true;
  }
  if (!CountAttempt()) return false;
  if (DeleteOne(SetOf(kind))) {
    *matched = Take();
    return true;
  }
  const TokenSet behind = after | (ends ? follow_.next : 0);
  const bool missing = Contains(behind, matched->kind);
  const std::string what =
      missing ? StrCat("missing ", KindName(kind), " at ", Shown(*matched))
              : StrCat("mismatched input ", Shown(*matched), " expecting ", KindName(kind));
  Report(*matched, what);
  return missing;
}

bool TokenReader::Sync(TokenSet expected) {
  if (recovering_ || Contains(expected, kind())) return true;
  if (DeleteOne(expected)) return true;
  Report(token(), StrCat("mismatched input ", Shown(token()), " expecting ", ToString(expected)));
  return false;
}

void TokenReader::SyncLoop(TokenSet expected) {
  if (recovering_ || Contains(expected, kind())) return;
  Report(token(), StrCat("extraneous input ", Shown(token()), " expecting ", ToString(expected)));
  SkipUntil(expected | follow_.any);
}

void TokenReader::ReportNoViable(size_t ahead) {
  const size_t last = std::min(at_ + ahead, visible_.size() - 1);
  std::string text;
  for (size_t i = visible_[at_]; i <= visible_[last]; ++i) {
    if (tokens_[i].kind != TokenKind::kEnd) text += Text(tokens_[i]);
    if (text.size() > kShownBytesMax) break;
  }
  if (kind() == TokenKind::kEnd) text = "<EOF>";
  if (text == ".true" || text == ".false" || text == ".null") {  // cel-go's words for these.
    return Report(token(ahead),
                  StrCat("mismatched input '", text.substr(1), "' expecting IDENTIFIER"));
  }
  Report(token(ahead), StrCat("no viable alternative at input '", EscapeBlanks(text), "'"));
}

void TokenReader::Recover(int site) {
  if (!CountAttempt()) return;
  // A second time at the same place: something has to move.
  if (recovered_at_ == at_ && recovered_sites_.contains(site)) Advance();
  if (recovered_at_ != at_) recovered_sites_.clear();
  recovered_at_ = at_;
  recovered_sites_.insert(site);
  SkipUntil(follow_.any);
}

void TokenReader::Stop() {
  stopped_ = true;
  recovering_ = true;
  at_ = visible_.size() - 1;
}

bool TokenReader::CountAttempt() {
  if (stopped_) return false;
  if (attempts_++ < kRecoveryAttemptsMax) return true;
  diagnostics_.Report(
      token().offset,
      StrCat("Syntax error: error recovery attempt limit exceeded: ", kRecoveryAttemptsMax));
  Stop();
  return false;
}

bool TokenReader::DeleteOne(TokenSet expected) {
  if (stopped_ || !Contains(expected, kind(1)) || kind() == TokenKind::kEnd) return false;
  Report(token(), StrCat("extraneous input ", Shown(token()), " expecting ", ToString(expected)));
  Advance();
  ReportMatch();
  return true;
}

void TokenReader::SkipUntil(TokenSet set) {
  for (size_t count = 0; !Contains(set | SetOf(TokenKind::kEnd), kind()); ++count) {
    if (count == kRecoveryTokensMax) {
      diagnostics_.ReportWhole(
          StrCat("error recovery token lookahead limit exceeded: ", kRecoveryTokensMax));
      return Stop();
    }
    Advance();
  }
}

void TokenReader::ReportMatch() {
  if (stopped_) return;
  recovering_ = false;
  recovered_at_ = SIZE_MAX;
  recovered_sites_.clear();
}

void TokenReader::Report(const Token& at, std::string what) {
  if (recovering_) return;
  recovering_ = true;
  diagnostics_.Report(at.offset, "Syntax error: " + std::move(what));
}

std::string TokenReader::Shown(const Token& token) const {
  if (token.kind == TokenKind::kEnd) return "'<EOF>'";
  return "'" + EscapeBlanks(Text(token)) + "'";
}

}  // namespace bth::cel
