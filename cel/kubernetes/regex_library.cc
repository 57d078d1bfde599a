#include <utility>

#include "base/strings.h"
#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"
#include "cel/stdlib/pattern.h"
#include "cel/values/work.h"
#include "re2/re2.h"

namespace bth::cel {
namespace {

// Memory that one pattern may take.
constexpr int64_t kFindPatternBytesMax = int64_t{1} << 20;

re2::StringPiece ToPiece(std::string_view text) {
  return {text.data(), text.size()};
}

Price FindPrice() {
  return {[](Arguments args, const Value&) -> uint64_t {
            return CostProduct(ScaledCost(CostSum(SizeOf(args[0]), 1), kTextFactor),
                               ScaledCost(SizeOf(args[1]), kRegexFactor));
          },
          [](ArgSizes args) -> CallEstimate {
            const SizeRange text{CostSum(args[0].min, 1), CostSum(args[0].max, 1)};
            return {CostProduct(ScaledCost(text, kTextFactor), ScaledCost(args[1], kRegexFactor)),
                    {0, args[0].max}};
          }};
}

// The matches in `text`, at most `limit`. An empty match right behind another is none.
template <typename Take>
void EachMatch(const re2::RE2& pattern, std::string_view text, size_t limit, const Take& take) {
  size_t from = 0, last_end = std::string_view::npos;
  for (size_t found = 0; found < limit && from <= text.size();) {
    re2::StringPiece match;
    if (!pattern.Match(ToPiece(text), from, text.size(), re2::RE2::UNANCHORED, &match, 1)) return;
    const auto begin = static_cast<size_t>(match.data() - text.data());
    const size_t end = begin + match.size();
    if (!match.empty() || end != last_end) {
      take(text.substr(begin, match.size()));
      ++found;
    }
    last_end = end;
    from = end;
    if (!match.empty()) continue;
    // On to the next code point.
    do {
      ++from;
    } while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U);
  }
}

template <typename Use>
Value WithPattern(std::string_view source, const Use& use) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kFindPatternBytesMax);
  const re2::RE2 pattern(ToPiece(source), options);
  Work own;
  Work::OfRun(own).Spend(StepsOfPattern(pattern));
  if (!pattern.ok()) return Value::Error(StrCat("Illegal regex: ", pattern.error()));
  return use(pattern);
}

Value FindFirst(Arguments args) {
  return WithPattern(args[1].AsString(), [&](const re2::RE2& pattern) {
    std::string first;
    EachMatch(pattern, args[0].AsString(), 1, [&](std::string_view match) { first = match; });
    return Value::String(std::move(first));
  });
}

Value FindAll(Arguments args) {
  const int64_t limit = args.size() > 2 ? args[2].AsInt() : -1;
  return WithPattern(args[1].AsString(), [&](const re2::RE2& pattern) {
    std::vector<std::string> matches;
    EachMatch(pattern, args[0].AsString(), limit < 0 ? SIZE_MAX : static_cast<size_t>(limit),
              [&](std::string_view match) { matches.emplace_back(match); });
    return TextList(std::move(matches));
  });
}

}  // namespace

absl::Status AddRegexLibrary(Environment& environment) {
  const TypePtr text = Type::String();
  return AddAll(
      environment,
      {{"find", {MemberCall("string_find_string", {text, text}, text, FindFirst, FindPrice())}},
       {"findAll",
        {MemberCall("string_find_all_string", {text, text}, Type::List(text), FindAll, FindPrice()),
         MemberCall("string_find_all_string_int", {text, text, Type::Int()}, Type::List(text),
                    FindAll, FindPrice())}}});
}

}  // namespace bth::cel
