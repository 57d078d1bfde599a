// How a text may be written in YAML. Private to this folder.
#pragma once

#include <string_view>

namespace bth::cli {

enum class YamlStyle { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };

struct YamlScalarShape {
  YamlStyle style = YamlStyle::kPlain;
  // May be a key before a colon; other keys follow a question mark.
  bool is_simple_key = true;
};
YamlScalarShape ShapeOfYamlScalar(std::string_view text);

// True when the text without quotes would be read as a number, boolean, null or time.
bool YamlResolvesToOther(std::string_view text);

// Whether the character may stand in YAML as it is.
bool IsYamlPrintable(char32_t rune);
bool IsYamlBreak(char32_t rune);

}  // namespace bth::cli
