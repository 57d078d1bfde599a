// Asking before much is lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cli/session/session.h"

namespace bth::cli {

// Says on stderr which of `names` would go, some of them if they are many, and asks `question`
// ("Delete 3 jobs?"). OK: yes, or nobody is there to be asked: scripts never wait. kCancelled: any
// other answer.
absl::Status Confirm(Session& session, std::string_view question,
                     const std::vector<std::string>& names);

}  // namespace bth::cli
