#include "conf/text.h"

#include "base/cut_text.h"
#include "base/strings.h"

namespace bth::conf {

std::string Clip(std::string_view text) {
  constexpr size_t kBytesMax = 64;
  const std::string_view cut = CutText(text, kBytesMax);
  return StrCat(cut, cut.size() < text.size() ? "..." : "");
}

std::string ElementPath(std::string_view list, size_t index) {
  return StrCat(list, "[", index, "]");
}

std::string Describe(const Value& value) {
  const std::string_view kind = value.KindName();
  const std::string article = value.is_int() ? "an" : "a";
  if (!value.is_scalar()) return StrCat(article, " ", kind);
  if (value.is_null()) return "null";
  const std::string quote = value.is_string() ? "\"" : "";
  return StrCat(quote, Clip(value.text()), quote, " (", article, " ", kind, ")");
}

std::string Sub(std::string_view path, std::string_view key) {
  return StrCat(path, path.empty() ? "" : ".", Clip(key));
}

std::string Place(int line, std::string_view path, std::string_view text) {
  return StrCat(line > 0 ? StrCat("line ", line, ": ") : "", path, path.empty() ? "" : ": ", text);
}

absl::Status WrongType(const Value& value, std::string_view path, std::string_view wanted) {
  return absl::InvalidArgumentError(
      Place(value.line(), path, StrCat("needs ", wanted, ", got ", Describe(value))));
}

absl::Status TooMany(const Value& value, std::string_view path, size_t limit) {
  return absl::InvalidArgumentError(
      Place(value.line(), path,
            StrCat("has ", value.items().size(), " entries; at most ", limit, " are allowed")));
}

}  // namespace bth::conf
