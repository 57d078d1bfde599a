// The parser's view of the tokens: looks ahead, matches, and recovers from what does not fit.
//
// Recovery follows the error strategy of ANTLR, with which cel-go parses, so that messages and
// their places are the same: a token too many is left out, one that is missing is taken as there,
// else the rule ends and tokens are skipped up to one that may follow. Between a fault and the next
// token that matches nothing more is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cel/syntax/diagnostics.h"
#include "cel/syntax/source_text.h"
#include "cel/syntax/token.h"

namespace bth::cel {

class TokenReader {
 public:
  // All must outlive this. `tokens` are of Tokenize().
  TokenReader(const SourceText& source, const std::vector<Token>& tokens, Diagnostics* diagnostics);
  TokenReader(const TokenReader&) = delete;

  struct FollowSets {
    TokenSet next = 0;  // What may stand right behind the current rule.
    TokenSet any = 0;   // What may stand behind it or any rule around it.
  };

  // What may follow the rule that is read in it, for recovery. `ends`: the rule around it may end
  // right behind it, so what follows that one follows it too.
  class Rule {
   public:
    Rule(TokenReader* reader, TokenSet follow, bool ends)
        : reader_(*reader), outer_(reader->follow_) {
      reader_.follow_.next = follow | (ends ? outer_.next : 0);
      reader_.follow_.any |= follow;
    }
    Rule(const Rule&) = delete;
    ~Rule() { reader_.follow_ = outer_; }

   private:
    TokenReader& reader_;
    const FollowSets outer_;
  };

  TokenKind kind(size_t ahead = 0) const { return token(ahead).kind; }
  const Token& token(size_t ahead = 0) const;
  std::string Text(const Token& token) const;
  std::u32string_view Points(const Token& token) const;
  // Takes the current token, which the caller has looked at.
  Token Take();

  // Expects a token. `after`: what may stand behind it; `ends`: also what follows the rule. False:
  // it is not there, which was reported; the rule has to Recover and end. `*matched` is the token,
  // or the place of one that is missing.
  bool Match(TokenKind kind, TokenSet after, bool ends, Token* matched);
  // A choice is to be made among `expected`. False: as above. True says nothing of the token while
  // an earlier fault is not behind us.
  bool Sync(TokenSet expected);
  // Behind one round of a loop with at least one round: skips what does not fit.
  void SyncLoop(TokenSet expected);
  // Nothing begins with the tokens from here to `ahead`.
  void ReportNoViable(size_t ahead);
  // Ends a rule: skips up to a token that may follow. `site` tells apart the places that recover.
  void Recover(int site);
  // Reads no further; what is left is as if it were not there.
  void Stop();
  bool stopped() const { return stopped_; }

 private:
  bool CountAttempt();
  bool DeleteOne(TokenSet expected);
  void SkipUntil(TokenSet set);
  void ReportMatch();
  void Report(const Token& at, std::string what);
  std::string Shown(const Token& token) const;
  void Advance();

  const SourceText& source_;
  const std::vector<Token>& tokens_;  // With hidden ones.
  std::vector<size_t> visible_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  FollowSets follow_;
  bool recovering_ = false;
  bool stopped_ = false;
  int attempts_ = 0;
  size_t recovered_at_ = SIZE_MAX;
  std::set<int> recovered_sites_;
};

}  // namespace bth::cel
