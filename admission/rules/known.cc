#include "admission/rules/known.h"

#include <algorithm>

#include "base/strings.h"

namespace bth::admission {

bool Settings::IsOurs(std::string_view scheduler_name) const {
  return std::find(scheduler_names.begin(), scheduler_names.end(), scheduler_name) !=
         scheduler_names.end();
}

bool IsOpen(const types::Queue& queue) {
  return queue.status.state.empty() || queue.status.state == "Open";
}

std::string QueueNotFound(std::string_view name) {
  return StrCat("queue.scheduling.volcano.sh \"", name, "\" not found");
}

}  // namespace bth::admission
