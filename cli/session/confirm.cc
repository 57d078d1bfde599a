#include "cli/session/confirm.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/strings.h"

namespace bth::cli {
namespace {

constexpr size_t kNamesShown = 10;

}  // namespace

absl::Status Confirm(Session& session, std::string_view question,
                     const std::vector<std::string>& names) {
  if (!session.is_interactive()) return absl::OkStatus();
  std::ostream& err = session.err();
  const size_t shown = names.size() <= kNamesShown ? names.size() : kNamesShown - 1;
  for (size_t i = 0; i < shown; ++i) err << "  " << names[i] << "\n";
  if (shown < names.size()) err << "  and " << names.size() - shown << " more\n";
  err << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(session.in(), answer);
  answer = absl::AsciiStrToLower(absl::StripAsciiWhitespace(answer));
  if (answer == "y" || answer == "yes") return absl::OkStatus();
  return absl::CancelledError("nothing was deleted, as it was not confirmed");
}

}  // namespace bth::cli
