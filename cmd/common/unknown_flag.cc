#include "cmd/common/unknown_flag.h"

#include <algorithm>

#include "base/strings.h"
#include "base/suggest.h"

namespace bth::cmd {

std::string UnknownFlag(std::string_view arg, const std::vector<std::string>& known) {
  constexpr size_t kLetters = 2;  // Of so few everything is near.
  const std::string_view flag = arg.substr(0, arg.find('='));
  const std::string_view name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string_view nearest =
      name.size() > kLetters ? NearestName(name, names) : std::string_view();
  if (nearest.empty()) return StrCat("unknown flag: ", flag);
  return StrCat("unknown flag: ", flag, " (did you mean --", nearest, "?)");
}

}  // namespace bth::cmd
