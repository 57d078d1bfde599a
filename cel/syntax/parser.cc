#include "cel/syntax/parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/syntax/ast_builder.h"
#include "cel/syntax/diagnostics.h"
#include "cel/syntax/grammar.h"
#include "cel/syntax/lexer.h"
#include "cel/syntax/literals.h"
#include "cel/syntax/macros.h"
#include "cel/syntax/operators.h"
#include "cel/syntax/source_text.h"
#include "cel/syntax/token.h"
#include "cel/syntax/token_reader.h"

namespace bth::cel {
namespace {

constexpr size_t kUtf8BytesMax = 4;

// Places that recover, for TokenReader::Recover.
enum Site : int {
  kSiteStart,
  kSiteTernary,
  kSiteUnary,
  kSiteUnaryOps,
  kSiteSelect,
  kSiteFieldName,
  kSiteIndex,
  kSiteIndexEnd,
  kSitePrimary,
  kSiteParen,
  kSiteArgs,
  kSiteArgsEnd,
  kSiteList,
  kSiteListEnd,
  kSiteEntries,
  kSiteEntriesColon,
  kSiteEntriesEnd,
};

// Recursive descent, one function per rule of the grammar. What a function reads ends before a
// token of the follow set that its caller named, also behind a fault.
class SyntaxParser final {
  using enum TokenKind;

 public:
  SyntaxParser(TokenReader* tokens, const ParseOptions& options, Diagnostics* diagnostics)
      : tokens_(*tokens),
        options_(options),
        diagnostics_(*diagnostics),
        builder_(options.limits, diagnostics) {}

  ExprId Start() {
    ExprId root = kNoExpr;
    {
      const Rule rule(&tokens_, SetOf(kEnd), false);
      root = Expression();
    }
    Token end;
    if (!tokens_.Match(kEnd, 0, false, &end)) tokens_.Recover(kSiteStart);
    return root;
  }

  Ast Take(std::string source, ExprId root) { return builder_.Take(std::move(source), root); }

 private:
  using Rule = TokenReader::Rule;

  // Passes a new node on; beyond the limits of trees reading ends.
  ExprId Made(ExprId id) {
    if (builder_.limit_passed()) tokens_.Stop();
    return id;
  }
  ExprId Broken(Site site) {
    const ExprId broken = builder_.Broken(tokens_.token().offset);
    tokens_.Recover(site);
    return broken;
  }
  bool Match(TokenKind kind, TokenSet after, bool ends) {
    Token matched;
    return tokens_.Match(kind, after, ends, &matched);
  }
  bool At(TokenSet set) const { return Contains(set, tokens_.kind()); }
  bool Unsupported(const Token& at, std::string_view what) {
    if (options_.optional_syntax) return false;
    diagnostics_.Report(at.offset, StrCat("unsupported syntax '", what, "'"));
    return true;
  }

  // or ['?' or ':' expression]
  ExprId Expression() {
    if (depth_ >= options_.limits.depth_max) {
      if (!tokens_.stopped()) {
        diagnostics_.ReportWhole(
            StrCat("expression recursion limit exceeded: ", options_.limits.depth_max));
      }
      tokens_.Stop();
      return builder_.Broken(0);
    }
    ++depth_;
    const ExprId result = Conditional();
    --depth_;
    return result;
  }

  ExprId Conditional() {
    const ExprId test = Logical(kOr, SetOf(kQuestion), true);
    if (tokens_.kind() != kQuestion) return test;
    const Token question = tokens_.Take();
    const ExprId yes = Logical(kOr, SetOf(kColon), false);
    if (!Match(kColon, kExprStarts, false)) return Broken(kSiteTernary);
    const Rule rule(&tokens_, 0, true);
    const ExprId no = Expression();
    return Made(builder_.Call(question.offset, op::kConditional, {test, yes, no}));
  }

  // Chains of || and, within, of &&.
  ExprId Logical(TokenKind kind, TokenSet follow, bool ends) {
    const Rule rule(&tokens_, follow, ends);
    std::vector<ExprId> terms = {LogicalTerm(kind)};
    std::vector<int32_t> offsets;
    while (tokens_.kind() == kind) {
      offsets.push_back(tokens_.Take().offset);
      terms.push_back(LogicalTerm(kind));
    }
    return Made(builder_.Balanced(kind == kOr ? op::kOr : op::kAnd, terms, offsets));
  }
  ExprId LogicalTerm(TokenKind kind) {
    if (kind == kOr) return Logical(kAnd, SetOf(kOr), true);
    const Rule rule(&tokens_, SetOf(kAnd), true);
    return Chain(kRelationOps);
  }

  // Operators of one level of precedence, from the left.
  ExprId Chain(TokenSet ops) {
    ExprId left = Operand(ops);
    while (At(ops)) {
      const Token op = tokens_.Take();
      const ExprId right = Operand(ops);
      left = Made(builder_.Call(op.offset, OperatorName(op.kind), {left, right}));
    }
    return left;
  }
  ExprId Operand(TokenSet ops) {
    const Rule rule(&tokens_, ops, true);
    if (ops == kRelationOps) return Chain(kTermOps);
    if (ops == kTermOps) return Chain(kFactorOps);
    return Unary();
  }

  // Any number of ! or of -, then a member. A minus before a number belongs to the number.
  ExprId Unary() {
    if (!tokens_.Sync(kExprStarts) || !At(kExprStarts)) return Broken(kSiteUnary);
    if (tokens_.kind() == kNot) return Negations(kNot);
    const bool number = Contains(SetOf(kInt, kFloat), tokens_.kind(1));
    if (tokens_.kind() != kMinus || number) return OperandOfUnary();
    return Negations(kMinus);
  }

  ExprId Negations(TokenKind kind) {
    const int32_t offset = tokens_.token().offset;
    int count = 0;
    while (tokens_.kind() == kind) {
      if (kind == kMinus && !Contains(kMemberStarts, tokens_.kind(1))) {
        tokens_.ReportNoViable(1);
        return Broken(kSiteUnaryOps);
      }
      tokens_.Take();
      ++count;
      if (kind == kNot) tokens_.SyncLoop(kExprStarts);
    }
    const ExprId operand = OperandOfUnary();
    if (count % 2 == 0) return operand;
    return Made(builder_.Call(offset, kind == kNot ? op::kNot : op::kNegate, {operand}));
  }
  ExprId OperandOfUnary() {
    const Rule rule(&tokens_, 0, true);
    return Member();
  }

  // A primary with its selections, calls and indices.
  ExprId Member() {
    ExprId expr = kNoExpr;
    {
      const Rule rule(&tokens_, kMemberOps, true);
      expr = Primary();
    }
    while (At(kMemberOps)) {
      if (tokens_.kind() == kLeftBracket) {
        expr = Index(expr);
      } else if (tokens_.kind(1) == kIdent && tokens_.kind(2) == kLeftParen) {
        tokens_.Take();
        const Token name = tokens_.Take();
        expr = Called(expr, tokens_.Text(name));
      } else if (Contains(kFieldStarts, tokens_.kind(1))) {
        expr = Selection(expr);
      } else {
        tokens_.ReportNoViable(1);
        tokens_.Recover(kSiteSelect);
        return expr;
      }
    }
    return expr;
  }

  // .name, .`name`, .?name
  ExprId Selection(ExprId operand) {
    const Token dot = tokens_.Take();
    const bool optional = tokens_.kind() == kQuestion;
    if (optional) tokens_.Take();
    const Rule rule(&tokens_, kMemberOps, true);
    const Token name = tokens_.token();
    const std::optional<std::string> field = FieldName();
    if (!field) diagnostics_.Report(name.offset, "unsupported ident kind");
    if (!field || (optional && Unsupported(dot, ".?"))) return builder_.Broken(dot.offset);
    if (!optional) return Made(builder_.Select(dot.offset, operand, *field));
    const ExprId text = builder_.Literal(name.offset, *field);
    return Made(builder_.Call(dot.offset, op::kOptSelect, {operand, text}));
  }

  std::optional<std::string> FieldName() {
    constexpr TokenSet kNames = SetOf(kIdent, kQuotedIdent);
    if (!tokens_.Sync(kNames) || !At(kNames)) {
      tokens_.Recover(kSiteFieldName);
      return std::nullopt;
    }
    const Token name = tokens_.Take();
    std::string text = tokens_.Text(name);
    if (name.kind == kIdent) return text;
    if (!options_.quoted_names) diagnostics_.Report(name.offset, "unsupported syntax: '`'");
    return text.substr(1, text.size() - 2);
  }

  // [index], [?index]
  ExprId Index(ExprId operand) {
    const Token bracket = tokens_.Take();
    if (!tokens_.Sync(kOptionalStarts)) return Broken(kSiteIndex);
    const bool optional = tokens_.kind() == kQuestion;
    if (optional) tokens_.Take();
    ExprId index = kNoExpr;
    {
      const Rule rule(&tokens_, SetOf(kRightBracket), false);
      index = Expression();
    }
    if (!Match(kRightBracket, kMemberOps, true)) return Broken(kSiteIndexEnd);
    if (optional && Unsupported(bracket, "[?")) return builder_.Broken(bracket.offset);
    return Made(
        builder_.Call(bracket.offset, optional ? op::kOptIndex : op::kIndex, {operand, index}));
  }

  // The arguments of a call and the call itself, or what its macro makes of it.
  ExprId Called(ExprId target, std::string function) {
    const Token paren = tokens_.Take();
    MacroCall call{paren.offset, target, std::move(function), {}};
    // Behind a fault the call is made of what there is.
    const bool begun = tokens_.Sync(kExprStarts | SetOf(kRightParen));
    if (!begun) tokens_.Recover(kSiteArgs);
    if (begun && At(kExprStarts)) {
      const Rule list(&tokens_, SetOf(kRightParen), false);
      const Rule item(&tokens_, SetOf(kComma), true);
      call.args.push_back(Expression());
      while (tokens_.kind() == kComma) {
        tokens_.Take();
        call.args.push_back(Expression());
      }
    }
    const bool member = target != kNoExpr;
    if (begun && !Match(kRightParen, member ? kMemberOps : 0, true)) tokens_.Recover(kSiteArgsEnd);
    if (tokens_.stopped()) return builder_.Broken(paren.offset);
    if (const auto expanded = ExpandMacro(call, options_, &builder_, &diagnostics_)) {
      return Made(*expanded);
    }
    if (!member) return Made(builder_.Call(paren.offset, call.function, std::move(call.args)));
    return Made(builder_.MemberCall(paren.offset, target, call.function, std::move(call.args)));
  }

  ExprId Primary() {
    constexpr TokenSet kStarts = kMemberStarts;
    if (!tokens_.Sync(kStarts) || !At(kStarts)) return Broken(kSitePrimary);
    switch (tokens_.kind()) {
      case kDot:
      case kIdent:
        return NameOrStruct();
      case kLeftParen:
        return Parenthesized();
      case kLeftBracket:
        return List();
      case kLeftBrace:
        return MapLiteral();
      case kMinus:
        if (Contains(SetOf(kInt, kFloat), tokens_.kind(1))) return Literal();
        tokens_.ReportNoViable(1);
        return Broken(kSitePrimary);
      default:
        return Literal();
    }
  }

  ExprId Literal() {
    const Token first = tokens_.Take();
    const auto simple = [this, &first](Constant value) {
      return Made(builder_.Literal(first.offset, std::move(value)));
    };
    if (first.kind == kNull) return simple(nullptr);
    if (first.kind == kTrue || first.kind == kFalse) return simple(first.kind == kTrue);
    const bool negative = first.kind == kMinus;
    const Token token = negative ? tokens_.Take() : first;
    absl::StatusOr<Constant> value = ParseLiteral(token.kind, tokens_.Points(token), negative);
    if (value.ok()) return simple(*std::move(value));
    diagnostics_.Report(first.offset, std::string(value.status().message()));
    return builder_.Broken(first.offset);
  }

  ExprId Parenthesized() {
    tokens_.Take();
    ExprId inner = kNoExpr;
    {
      const Rule rule(&tokens_, SetOf(kRightParen), false);
      inner = Expression();
    }
    if (!Match(kRightParen, 0, true)) return Broken(kSiteParen);
    return inner;
  }

  // name, .name, name(args), a.b.Name{fields}
  ExprId NameOrStruct() {
    size_t ahead = tokens_.kind() == kDot ? 1 : 0;
    if (tokens_.kind(ahead) != kIdent) {
      tokens_.ReportNoViable(ahead);
      return Broken(kSitePrimary);
    }
    while (tokens_.kind(ahead + 1) == kDot && tokens_.kind(ahead + 2) == kIdent) ahead += 2;
    if (tokens_.kind(ahead + 1) == kLeftBrace) return StructLiteral();
    const Token first = tokens_.Take();
    const bool rooted = first.kind == kDot;
    const Token ident = rooted ? tokens_.Take() : first;
    const std::string word = tokens_.Text(ident);
    const bool reserved = IsReserved(word);
    if (reserved) diagnostics_.Report(first.offset, "reserved identifier: " + word);
    std::string name = rooted ? "." + word : word;
    ExprId expr = kNoExpr;
    if (tokens_.kind() == kLeftParen) {
      expr = Called(kNoExpr, std::move(name));
    } else {
      expr = Made(builder_.Ident(ident.offset, std::move(name)));
    }
    return reserved ? builder_.Broken(first.offset) : expr;
  }

  // A comma before the end of a list is read as more items only if an item follows.
  bool MoreItems(TokenSet starts) {
    if (tokens_.kind() != kComma || !Contains(starts, tokens_.kind(1))) return false;
    tokens_.Take();
    return true;
  }
  // [','] close. False: it is not there.
  bool EndItems(TokenKind close) {
    if (!tokens_.Sync(SetOf(kComma, close))) return false;
    if (tokens_.kind() == kComma) tokens_.Take();
    return Match(close, 0, true);
  }

  // ['?'] expression
  ExprId OptionalItem(bool* optional) {
    *optional = false;
    const Token first = tokens_.token();
    if (first.kind == kQuestion) {
      tokens_.Take();
      *optional = !Unsupported(first, "?");
    }
    const Rule rule(&tokens_, 0, true);
    return Expression();
  }

  ExprId List() {
    const Token bracket = tokens_.Take();
    std::vector<ExprId> items;
    std::vector<int32_t> optional_items;
    if (!tokens_.Sync(kOptionalStarts | SetOf(kComma, kRightBracket))) return Broken(kSiteList);
    if (At(kOptionalStarts)) {
      const Rule list(&tokens_, SetOf(kComma, kRightBracket), false);
      do {
        const Rule item(&tokens_, SetOf(kComma), true);
        bool optional = false;
        items.push_back(OptionalItem(&optional));
        if (optional) optional_items.push_back(static_cast<int32_t>(items.size()) - 1);
      } while (MoreItems(kOptionalStarts));
    }
    if (!EndItems(kRightBracket)) return Broken(kSiteListEnd);
    return Made(builder_.List(bracket.offset, std::move(items), std::move(optional_items)));
  }

  ExprId MapLiteral() {
    const Token brace = tokens_.Take();
    std::vector<Entry> entries;
    if (!Entries(kOptionalStarts, &entries)) return builder_.Broken(brace.offset);
    return Made(builder_.Map(brace.offset, std::move(entries)));
  }

  ExprId StructLiteral() {
    std::string name;
    while (tokens_.kind() != kLeftBrace) name += tokens_.Text(tokens_.Take());
    const Token brace = tokens_.Take();
    std::vector<Entry> entries;
    if (!Entries(kFieldStarts, &entries)) return builder_.Broken(brace.offset);
    return Made(builder_.Struct(brace.offset, std::move(name), std::move(entries)));
  }

  // The entries behind { up to and with }. Of a struct if they start with names of fields.
  bool Entries(TokenSet starts, std::vector<Entry>* entries) {
    if (!tokens_.Sync(starts | SetOf(kComma, kRightBrace))) {
      tokens_.Recover(kSiteEntries);
      return false;
    }
    if (At(starts)) {
      const Rule list(&tokens_, SetOf(kComma, kRightBrace), false);
      do {
        if (!OneEntry(starts, entries)) break;
      } while (MoreItems(starts));
    }
    if (EndItems(kRightBrace)) return true;
    tokens_.Recover(kSiteEntriesEnd);
    return false;
  }

  bool OneEntry(TokenSet starts, std::vector<Entry>* entries) {
    Entry entry;
    {
      const Rule rule(&tokens_, SetOf(kColon), false);
      if (starts == kFieldStarts) {
        FieldOfEntry(&entry);
      } else {
        entry.key = OptionalItem(&entry.optional);
      }
    }
    Token colon;
    if (!tokens_.Match(kColon, kExprStarts, false, &colon)) {
      tokens_.Recover(kSiteEntriesColon);
      return false;
    }
    entry.offset = colon.offset;
    const Rule rule(&tokens_, SetOf(kComma), true);
    entry.value = Expression();
    entries->push_back(std::move(entry));
    return true;
  }
  void FieldOfEntry(Entry* entry) {
    const Token first = tokens_.token();
    if (first.kind == kQuestion) {
      tokens_.Take();
      entry->optional = !Unsupported(first, "?");
    }
    const Rule rule(&tokens_, 0, true);
    entry->field = FieldName().value_or("");
  }

  TokenReader& tokens_;
  const ParseOptions& options_;
  Diagnostics& diagnostics_;
  AstBuilder builder_;
  int depth_ = 0;
};

}  // namespace

absl::StatusOr<Ast> Parse(std::string_view source, const ParseOptions& options) {
  const ParseLimits& limits = options.limits;
  const SourceText text(source.substr(0, limits.code_points_max * kUtf8BytesMax + 1));
  Diagnostics diagnostics(text, limits.errors_max);
  if (text.size() > limits.code_points_max) {
    const auto points =
        std::count_if(source.begin(), source.end(), [](char c) { return (c & 0xC0) != 0x80; });
    diagnostics.ReportWhole(StrCat("expression code point size exceeds limit: size: ", points,
                                   ", limit ", limits.code_points_max));
    return diagnostics.ToStatus();
  }
  const std::vector<Token> tokens = Tokenize(text, &diagnostics);
  TokenReader reader(text, tokens, &diagnostics);
  SyntaxParser parser(&reader, options, &diagnostics);
  const ExprId root = parser.Start();
  if (!diagnostics.empty()) return diagnostics.ToStatus();
  return parser.Take(std::string(source), root);
}

}  // namespace bth::cel
