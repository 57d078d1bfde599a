#include <utility>

#include "base/strings.h"
#include "cel/kubernetes/code_points.h"
#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/format_calls.h"
#include "cel/kubernetes/libraries.h"
#include "cel/kubernetes/text_format.h"
#include "cel/kubernetes/text_functions.h"

namespace bth::cel {
namespace {

Value IntOr(const absl::StatusOr<int64_t>& result) {
  return ValueOr(result, [](int64_t value) { return Value::Int(value); });
}

Price SearchPrice() {
  return {[](Arguments args, const Value&) { return WalkCost(args[0]); },
          [](ArgSizes args) -> CallEstimate {
            return {ScaledCost(args[0], kTextFactor), {}};
          }};
}

// How long a text becomes in which `part` is replaced by `with`.
SizeRange ReplacedSize(const SizeRange& text, const SizeRange& part, const SizeRange& with) {
  const auto per = [](uint64_t size, uint64_t step) { return size / step + (size % step != 0); };
  uint64_t most = 0, most_kept = text.max, least = 0, least_kept = text.min;
  if (part.min == 0) {
    most = CostSum(text.max, 1);
  } else if (with.max > part.min) {
    most = per(text.max, part.min);
    most_kept = 0;
  }
  if (part.max == 0) {
    least = CostSum(text.min, 1);
  } else if (part.max > with.min) {
    least = per(text.min, part.max);
    least_kept = 0;
  }
  return {CostSum(CostProduct(least, with.min), least_kept),
          CostSum(CostProduct(most, with.max), most_kept)};
}

Price ReplacePrice() {
  Price price = TextPrice(2 * kTextFactor);
  price.estimate = [](ArgSizes args) -> CallEstimate {
    return {ScaledCost(args[0], 2 * kTextFactor), ReplacedSize(args[0], args[1], args[2])};
  };
  return price;
}

Price SplitPrice() {
  Price price = TextPrice(2 * kTextFactor);
  price.estimate = [](ArgSizes args) -> CallEstimate {
    uint64_t most = args[0].max;
    if (args.size() > 2 && args[2].literal.has_value()) {
      most = static_cast<uint64_t>(*args[2].literal);  // A negative limit is none.
    }
    return {ScaledCost(args[0], 2 * kTextFactor), {0, most}};
  };
  return price;
}

Price JoinPrice() {
  return {[](Arguments, const Value& result) -> uint64_t {
            return ScaledCost(result.is(ValueKind::kString) ? SizeOf(result) : 1, 2 * kTextFactor);
          },
          [](ArgSizes args) -> CallEstimate {
            SizeRange size{0, CostProduct(args[0].max, args[0].element_max)};
            if (args.size() > 1) {
              const auto gaps = [](uint64_t count) { return count == 0 ? 0 : count - 1; };
              size.min = CostProduct(gaps(args[0].min), args[1].min);
              size.max = CostSum(size.max, CostProduct(gaps(args[0].max), args[1].max));
            }
            return {ScaledCost(size, kTextFactor), size};
          }};
}

Value Join(const Value& list, std::string_view separator) {
  const ListView& items = list.AsList();
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    Value item = items.at(i);
    if (item.is_error()) return item;
    if (!item.is(ValueKind::kString)) {
      return Value::Error(StrCat("join: invalid input: ", item.DebugText()));
    }
    StrAppend(&out, i == 0 ? "" : separator, item.AsString());
  }
  return Value::String(std::move(out));
}

Function CharacterFunction() {
  const TypePtr text = Type::String(), number = Type::Int();
  return {"charAt", {MemberCall("string_char_at_int", {text, number}, text, [](Arguments args) {
            return TextOr(CharAt(args[0].AsString(), args[1].AsInt()));
          })}};
}

std::vector<Function> SearchFunctions() {
  const TypePtr text = Type::String(), number = Type::Int();
  return {
      {"indexOf",
       {MemberCall(
            "string_index_of_string", {text, text}, number,
            [](Arguments args) {
              return IntOr(IndexOf(args[0].AsString(), args[1].AsString(), 0));
            },
            SearchPrice()),
        MemberCall(
            "string_index_of_string_int", {text, text, number}, number,
            [](Arguments args) {
              return IntOr(IndexOf(args[0].AsString(), args[1].AsString(), args[2].AsInt()));
            },
            SearchPrice())}},
      {"lastIndexOf",
       {MemberCall(
            "string_last_index_of_string", {text, text}, number,
            [](Arguments args) {
              return Value::Int(LastIndexOf(args[0].AsString(), args[1].AsString()));
            },
            SearchPrice()),
        MemberCall(
            "string_last_index_of_string_int", {text, text, number}, number,
            [](Arguments args) {
              return IntOr(LastIndexOf(args[0].AsString(), args[1].AsString(), args[2].AsInt()));
            },
            SearchPrice())}},
  };
}

std::vector<Function> CutFunctions() {
  const TypePtr text = Type::String(), number = Type::Int();
  return {
      {"substring",
       {MemberCall(
            "string_substring_int", {text, number}, text,
            [](Arguments args) { return TextOr(Substring(args[0].AsString(), args[1].AsInt())); },
            TextPrice(kTextFactor, true)),
        MemberCall(
            "string_substring_int_int", {text, number, number}, text,
            [](Arguments args) {
              return TextOr(Substring(args[0].AsString(), args[1].AsInt(), args[2].AsInt()));
            },
            TextPrice(kTextFactor, true))}},
      {"split",
       {MemberCall(
            "string_split_string", {text, text}, Type::List(text),
            [](Arguments args) {
              return TextList(Split(args[0].AsString(), args[1].AsString(), -1));
            },
            SplitPrice()),
        MemberCall(
            "string_split_string_int", {text, text, number}, Type::List(text),
            [](Arguments args) {
              return TextList(Split(args[0].AsString(), args[1].AsString(), args[2].AsInt()));
            },
            SplitPrice())}},
  };
}

Function WholeTextFunction(const char* name, const char* id,
                           std::string (*change)(std::string_view)) {
  return {name,
          {MemberCall(
              id, {Type::String()}, Type::String(),
              [change](Arguments args) { return Value::String(change(args[0].AsString())); },
              TextPrice(kTextFactor, true))}};
}

std::vector<Function> JoinFunctions() {
  const TypePtr text = Type::String(), list = Type::List(text);
  return {
      {"join",
       {MemberCall(
            "list_join", {list}, text, [](Arguments args) { return Join(args[0], ""); },
            JoinPrice()),
        MemberCall(
            "list_join_string", {list, text}, text,
            [](Arguments args) { return Join(args[0], args[1].AsString()); }, JoinPrice())}},
      {"replace",
       {MemberCall(
            "string_replace_string_string", {text, text, text}, text,
            [](Arguments args) {
              return Value::String(
                  Replace(args[0].AsString(), args[1].AsString(), args[2].AsString(), -1));
            },
            ReplacePrice()),
        MemberCall(
            "string_replace_string_string_int", {text, text, text, Type::Int()}, text,
            [](Arguments args) {
              return Value::String(Replace(args[0].AsString(), args[1].AsString(),
                                           args[2].AsString(), args[3].AsInt()));
            },
            ReplacePrice())}},
  };
}

std::vector<Function> PrintFunctions() {
  const TypePtr text = Type::String();
  return {
      {"strings.quote",
       {GlobalCall(
           "strings_quote", {text}, text,
           [](Arguments args) { return Value::String(Quote(args[0].AsString())); },
           TextPrice(kTextFactor))}},
      {"format",
       {MemberCall(
           "string_format", {text, Type::List(Type::Dyn())}, text,
           [](Arguments args) { return TextOr(FormatText(args[0].AsString(), args[1].AsList())); },
           TextPrice(kTextFactor))}},
  };
}

}  // namespace

absl::Status AddStringsLibrary(Environment& environment) {
  std::vector<Function> all = {CharacterFunction(),
                               WholeTextFunction("lowerAscii", "string_lower_ascii", LowerAscii),
                               WholeTextFunction("upperAscii", "string_upper_ascii", UpperAscii),
                               WholeTextFunction("trim", "string_trim", Trim)};
  for (auto* part : {SearchFunctions, CutFunctions, JoinFunctions, PrintFunctions}) {
    for (Function& function : part()) all.push_back(std::move(function));
  }
  environment.AddRule(CheckFormatCalls);
  return AddAll(environment, std::move(all));
}

}  // namespace bth::cel
