// Names of properties as expressions must write them: CEL knows fewer names than JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bth::apiserver {

// "a-b" is "a__dash__b", "in" is "__in__". Nothing: no expression can name it.
std::optional<std::string> EscapeProperty(std::string_view name);
// The other way. Nothing: no escape is written so.
std::optional<std::string> UnescapeProperty(std::string_view name);

}  // namespace bth::apiserver
