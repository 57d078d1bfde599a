// contains, startsWith, endsWith, matches.
#include <span>

#include "cel/stdlib/overloads.h"
#include "cel/stdlib/pattern.h"
#include "cel/stdlib/standard.h"
#include "cel/values/work.h"

namespace bth::cel {
namespace {

using TextArgs = std::span<const Value>;

Value ContainsText(TextArgs args) {
  return Value::Bool(args[0].AsString().find(args[1].AsString()) != std::string_view::npos);
}

Value StartsWithText(TextArgs args) {
  return Value::Bool(args[0].AsString().starts_with(args[1].AsString()));
}

Value EndsWithText(TextArgs args) {
  return Value::Bool(args[0].AsString().ends_with(args[1].AsString()));
}

Value MatchesText(TextArgs args) {
  const Pattern pattern(args[1].AsString());
  Work own;
  Work::OfRun(own).Spend(pattern.steps());
  return pattern.Matches(args[0].AsString());
}

// A run counts the text's size, an estimate that of what is looked for.
CallCost CostOfAffix() {
  return {CostOfArgument(0).run, CostOfArgument(1).estimate};
}

}  // namespace

void AddTextFunctions(Environment& environment) {
  const Parameters texts = {Type::String(), Type::String()};
  const TypePtr truth = Type::Bool();
  Declare(
      environment, "contains",
      {WithCost(MemberOverload("contains_string", texts, truth, ContainsText), CostOfSearch())});
  Declare(environment, "startsWith",
          {WithCost(MemberOverload("starts_with_string", texts, truth, StartsWithText),
                    CostOfAffix())});
  Declare(
      environment, "endsWith",
      {WithCost(MemberOverload("ends_with_string", texts, truth, EndsWithText), CostOfAffix())});
  Declare(environment, "matches",
          {WithCost(GlobalOverload("matches", texts, truth, MatchesText), CostOfPattern()),
           WithCost(MemberOverload("matches_string", texts, truth, MatchesText), CostOfPattern())});
}

}  // namespace bth::cel
