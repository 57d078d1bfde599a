#include "controllers/job_plugins/flags.h"

#include "base/strings.h"

namespace bth::controllers {

std::string WrongPortText(std::string_view flag, int32_t port) {
  if (port >= 1 && port <= 65535) return "";
  return StrCat("-", flag, "=", port, " is no port: name one from 1 to 65535 in spec.plugins");
}

}  // namespace bth::controllers
