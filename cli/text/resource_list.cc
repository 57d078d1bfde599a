#include "cli/text/resource_list.h"

#include <string>
#include <vector>

#include "api/types/quantity.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr std::string_view kDigits = "0123456789";

void Skip(std::string_view characters, std::string_view* text) {
  const size_t end = text->find_first_not_of(characters);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end);
}

void SkipOne(std::string_view characters, std::string_view* text) {
  if (!text->empty() && StrContains(characters, text->substr(0, 1))) text->remove_prefix(1);
}

// A number and letters that may be a suffix, whether Kubernetes knows it or not.
bool HasQuantityShape(std::string_view text) {
  if (text.empty()) return false;
  SkipOne("+-", &text);
  Skip(kDigits, &text);
  SkipOne(".", &text);
  Skip(kDigits, &text);
  Skip("eEinumkKMGTP", &text);
  SkipOne("+-", &text);
  Skip(kDigits, &text);
  return text.empty();
}

absl::StatusOr<std::string> CanonicalQuantity(std::string_view text) {
  if (!HasQuantityShape(text)) {
    return absl::InvalidArgumentError(
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  const absl::StatusOr<types::Quantity> quantity = types::Quantity::Parse(text);
  if (quantity.ok()) return quantity->ToString();
  // Beyond what a quantity can hold: our own words, where Kubernetes takes its maximum in silence.
  if (absl::StrContains(quantity.status().message(), "larger")) return quantity.status();
  return absl::InvalidArgumentError("unable to parse quantity's suffix");
}

}  // namespace

absl::StatusOr<Json> ParseResourceList(std::string_view text) {
  if (text.empty()) return Json();
  Json list = Json::MakeObject();
  for (const absl::string_view piece : SplitText(text, ',')) {
    const std::vector<std::string> parts = SplitText(ToStd(piece), '=');
    if (parts.size() != 2) {
      return absl::InvalidArgumentError(
          StrCat("invalid argument syntax ", ToStd(piece), ", expected <resource>=<value>"));
    }
    BTH_ASSIGN_OR_RETURN(std::string quantity, CanonicalQuantity(parts[1]));
    list.Set(parts[0], std::move(quantity));
  }
  return list;
}

}  // namespace bth::cli
