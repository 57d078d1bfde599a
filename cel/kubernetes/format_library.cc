#include "base/strings.h"
#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"
#include "cel/kubernetes/name_formats.h"
#include "cel/kubernetes/opaque.h"

namespace bth::cel {
namespace {

// What any format counts as before it is known which one it is: its pattern, and its name where it
// is compared.
constexpr size_t kFormatPatternMax = 128;
constexpr uint64_t kFormatNameMax = 64;

struct FormatTraits {
  static const TypePtr& type() {
    static const TypePtr kType =
        Type::WithSizeMax(Type::Opaque("kubernetes.NamedFormat"), kFormatNameMax);
    return kType;
  }
  static bool Same(const NamedFormat* a, const NamedFormat* b) { return a == b; }
  static std::string Text(const NamedFormat* format) { return std::string(format->title); }
};
using FormatValue = Opaque<const NamedFormat*, FormatTraits>;

Price ValidatePrice() {
  return {
      [](Arguments args, const Value&) -> uint64_t {
        const NamedFormat* const* format = FormatValue::Of(args[0]);
        const size_t pattern = format == nullptr ? kFormatPatternMax : (*format)->pattern_size;
        return CostProduct(ScaledCost(CostSum(SizeOf(args[1]), 1), kTextFactor),
                           ScaledCost(pattern, kRegexFactor));
      },
      [](ArgSizes args) -> CallEstimate {
        const CostRange text = ScaledCost(args[1], kTextFactor);
        return {ScaledCost(SizeRange{text.min, text.max}, kFormatPatternMax * kRegexFactor), {}};
      }};
}

Value Validate(Arguments args) {
  const NamedFormat* const* format = FormatValue::Of(args[0]);
  if (format == nullptr) return NoSuchOverload();
  std::vector<std::string> faults = (*format)->check(args[1].AsString());
  if (faults.empty()) return Value::OptionalNone();
  return Value::OptionalOf(TextList(std::move(faults)));
}

Value FormatByName(Arguments args) {
  const NamedFormat* format = FindNamedFormat(args[0].AsString());
  return format == nullptr ? Value::OptionalNone() : Value::OptionalOf(FormatValue::Make(format));
}

}  // namespace

absl::Status AddFormatLibrary(Environment& environment) {
  const TypePtr text = Type::String(), format = FormatTraits::type();
  std::vector<Function> functions = {
      {"validate",
       {MemberCall("format-validate", {format, text}, Type::Optional(Type::List(text)), Validate,
                   ValidatePrice())}},
      {"format.named",
       {GlobalCall("format-named", {text}, Type::Optional(format), FormatByName, Nominal())}},
  };
  for (const std::string_view name : NamedFormats()) {
    Value value = FormatValue::Make(FindNamedFormat(name));
    const std::string function = StrCat("format.", name);
    functions.push_back(
        {function, {GlobalCall(function, {}, format, [value](Arguments) { return value; })}});
  }
  return AddAll(environment, std::move(functions));
}

}  // namespace bth::cel
