#include "api/rules/labels.h"

#include <string>

#include "api/rules/names.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

constexpr size_t kAnnotationBytesMax = size_t{256} << 10;

void CheckRequirement(const Part& part) {
  const std::string_view op = part.Text("operator");
  const size_t values = part.Texts("values").size();
  if (op == "In" || op == "NotIn") {
    if (values == 0) {
      part.Required("values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (values > 0) {
      part.Forbidden("values",
                     "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    part.Invalid("operator", Json(op), "not a valid selector operator");
  }
  CheckLabelName(part, "key");
  const Place list = part.at().Field("values");
  for (size_t i = 0; i < values; ++i) {
    const std::string_view value = part["values"][i].AsString();
    for (const std::string& fault : CheckLabelValue(value)) {
      part.Add(Invalid(list.Item(i).Text(), Json(value), fault));
    }
  }
}

}  // namespace

void CheckLabels(const Part& holder, std::string_view key) {
  for (const auto& [name, value] : holder.TextMap(key)) {
    holder.Invalid(key, name, CheckQualifiedName(name));
    holder.Invalid(key, value, CheckLabelValue(value));
  }
}

void CheckAnnotations(const Part& holder, std::string_view key) {
  size_t bytes = 0;
  for (const auto& [name, value] : holder.TextMap(key)) {
    bytes += name.size() + value.size();
    // Names are compared without regard to case.
    const std::string lower = AsciiStrToLower(name);
    holder.Invalid(key, name, CheckQualifiedName(lower));
  }
  if (bytes > kAnnotationBytesMax) {
    holder.Add(TooLong(holder.at().Field(key).Text(), static_cast<int64_t>(kAnnotationBytesMax)));
  }
}

void CheckLabelSelector(const Part& holder, std::string_view key) {
  holder.Within(key, [](const Part& selector) {
    CheckLabels(selector, "matchLabels");
    selector.ForEach("matchExpressions", [](const Part& part, size_t) { CheckRequirement(part); });
  });
}

void CheckLabelName(const Part& holder, std::string_view key) {
  const std::string_view name = holder.Text(key);
  holder.Invalid(key, name, CheckQualifiedName(name));
}

}  // namespace bth::rules
