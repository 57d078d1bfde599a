#include <algorithm>
#include <utility>

#include "api/types/quantity.h"
#include "base/strings.h"
#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"
#include "cel/kubernetes/opaque.h"
#include "re2/re2.h"

namespace bth::cel {
namespace {

// A quantity, and whether it counts as a whole number: that is a matter of how it was written. 2 is
// one, 2000m and 2.0 are not.
struct ExactQuantity {
  types::Quantity value;
  bool whole = true;
};

// More digits than these are kept in another way, which has no whole numbers.
constexpr size_t kWholeDigitsMax = 18;

struct QuantityTraits {
  static const TypePtr& type() {
    static const TypePtr kType = Type::Opaque("kubernetes.Quantity");
    return kType;
  }
  static bool Same(const ExactQuantity& a, const ExactQuantity& b) { return a.value == b.value; }
  static std::string Text(const ExactQuantity& quantity) { return quantity.value.ToString(); }
};
using QuantityValue = Opaque<ExactQuantity, QuantityTraits>;

absl::Status BadQuantity(std::string_view text) {
  static constexpr char kForm[] = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
  static const re2::RE2 kPattern(kForm);
  const bool formed = re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kPattern);
  if (formed && text.find('.') == text.rfind('.')) {
    return absl::InvalidArgumentError("unable to parse quantity's suffix");
  }
  return absl::InvalidArgumentError(
      StrCat("quantities must match the regular expression '", kForm, "'"));
}

// The power of ten that a suffix stands for; those of two count as none.
int PowerOf(std::string_view suffix) {
  static constexpr std::pair<std::string_view, int> kPowers[] = {{"n", -9}, {"u", -6}, {"m", -3},
                                                                 {"k", 3},  {"M", 6},  {"G", 9},
                                                                 {"T", 12}, {"P", 15}, {"E", 18}};
  for (const auto& [name, power] : kPowers) {
    if (suffix == name) return power;
  }
  int power = 0;
  const bool exponent = suffix.size() > 1 && (suffix[0] == 'e' || suffix[0] == 'E') &&
                        SimpleAtoi(suffix.substr(1), &power);
  return exponent ? power : 0;
}

// `text` is a quantity.
bool IsWrittenWhole(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view suffix = text.substr(end);
  const std::string_view number = text.substr(0, end);
  const size_t dot = number.find('.');
  const size_t fraction = dot == number.npos ? 0 : number.size() - dot - 1;
  const size_t zeros = std::min(number.find_first_not_of('0'), number.size());
  const size_t digits = number.size() - zeros - (dot == number.npos ? 0 : 1);
  return digits <= kWholeDigitsMax && PowerOf(suffix) >= static_cast<int>(fraction);
}

absl::StatusOr<ExactQuantity> ReadQuantity(Arguments args) {
  const std::string_view text = args[0].AsString();
  const absl::StatusOr<types::Quantity> quantity = types::Quantity::Parse(text);
  if (quantity.ok()) return ExactQuantity{*quantity, IsWrittenWhole(text)};
  // Kubernetes knows larger ones.
  if (ToStd(quantity.status().message())
          .ends_with("larger than the maximum of 9223372036854775807"))
    return quantity.status();
  return BadQuantity(text);
}

template <typename Combine>
Implementation OfQuantities(Combine combine) {
  return [combine](Arguments args) {
    const ExactQuantity* a = QuantityValue::Of(args[0]);
    const ExactQuantity* b = QuantityValue::Of(args[1]);
    return a == nullptr || b == nullptr ? NoSuchOverload() : combine(*a, *b);
  };
}

template <typename Combine>
Implementation WithInt(Combine combine) {
  return [combine](Arguments args) {
    const ExactQuantity* quantity = QuantityValue::Of(args[0]);
    if (quantity == nullptr) return NoSuchOverload();
    return combine(*quantity, ExactQuantity{types::Quantity::FromValue(args[1].AsInt())});
  };
}

Value Combined(const absl::StatusOr<types::Quantity>& result, bool whole) {
  return ValueOr(result, [whole](const types::Quantity& value) {
    return QuantityValue::Make({value, whole});
  });
}

Value AddQuantity(const ExactQuantity& a, const ExactQuantity& b) {
  return Combined(a.value.Plus(b.value), a.whole && b.whole);
}

Value SubtractQuantity(const ExactQuantity& a, const ExactQuantity& b) {
  return Combined(a.value.Minus(b.value), a.whole && b.whole);
}

Value QuantityAsInt(const ExactQuantity& quantity) {
  if (!quantity.whole) return Value::Error("cannot convert value to integer");
  return Value::Int(quantity.value.Value());
}

std::vector<Function> QuantityNumbers() {
  const TypePtr type = QuantityTraits::type();
  return {
      {"sign",
       {GlobalCall("quantity_sign", {type}, Type::Int(),
                   OfOpaque<QuantityValue>([](const ExactQuantity& quantity) {
                     return Value::Int(quantity.value.Compare(types::Quantity()));
                   }),
                   Nominal())}},
      {"asApproximateFloat",
       {MemberCall("quantity_get_float", {type}, Type::Double(),
                   OfOpaque<QuantityValue>([](const ExactQuantity& quantity) {
                     return Value::Double(quantity.value.ApproximateValue());
                   }),
                   Nominal())}},
      {"asInteger",
       {MemberCall("quantity_get_int", {type}, Type::Int(), OfOpaque<QuantityValue>(QuantityAsInt),
                   Nominal())}},
      {"isInteger",
       {MemberCall("quantity_is_integer", {type}, Type::Bool(),
                   OfOpaque<QuantityValue>(
                       [](const ExactQuantity& quantity) { return Value::Bool(quantity.whole); }),
                   Nominal())}},
  };
}

std::vector<Function> QuantityPairs() {
  const TypePtr type = QuantityTraits::type(), flag = Type::Bool(), number = Type::Int();
  return {
      {"isGreaterThan",
       {MemberCall("quantity_is_greater_than", {type, type}, flag,
                   OfQuantities([](const ExactQuantity& a, const ExactQuantity& b) {
                     return Value::Bool(a.value.Compare(b.value) > 0);
                   }),
                   Nominal())}},
      {"isLessThan",
       {MemberCall("quantity_is_less_than", {type, type}, flag,
                   OfQuantities([](const ExactQuantity& a, const ExactQuantity& b) {
                     return Value::Bool(a.value.Compare(b.value) < 0);
                   }),
                   Nominal())}},
      {"compareTo",
       {MemberCall("quantity_compare_to", {type, type}, number,
                   OfQuantities([](const ExactQuantity& a, const ExactQuantity& b) {
                     return Value::Int(a.value.Compare(b.value));
                   }),
                   Nominal())}},
      {"add",
       {MemberCall("quantity_add", {type, type}, type, OfQuantities(AddQuantity), Nominal()),
        MemberCall("quantity_add_int", {type, number}, type, WithInt(AddQuantity), Nominal())}},
      {"sub",
       {MemberCall("quantity_sub", {type, type}, type, OfQuantities(SubtractQuantity), Nominal()),
        MemberCall("quantity_sub_int", {type, number}, type, WithInt(SubtractQuantity),
                   Nominal())}},
  };
}

}  // namespace

absl::Status AddQuantityLibrary(Environment& environment) {
  const TypePtr text = Type::String(), type = QuantityTraits::type();
  std::vector<Function> functions = {
      {"quantity",
       {GlobalCall(
           "string_to_quantity", {text}, type,
           [](Arguments args) { return ValueOr(ReadQuantity(args), QuantityValue::Make); },
           TextPrice(kTextFactor))}},
      {"isQuantity",
       {GlobalCall(
           "is_quantity_string", {text}, Type::Bool(),
           [](Arguments args) { return Value::Bool(ReadQuantity(args).ok()); },
           TextPrice(kTextFactor))}},
  };
  for (auto* part : {QuantityNumbers, QuantityPairs}) {
    for (Function& function : part()) functions.push_back(std::move(function));
  }
  return AddAll(environment, std::move(functions));
}

}  // namespace bth::cel
