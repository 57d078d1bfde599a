#include "cli/version/version.h"

#include "cli/session/session.h"

namespace bth::cli {

Command VersionCommand() {
  Command leaf;
  leaf.name = "version";
  leaf.short_text = "Print the version information";
  leaf.example = "vcctl version";
  leaf.run = [](Session& session) {
    session.out() << session.version_text();
    return absl::OkStatus();
  };
  return leaf;
}

}  // namespace bth::cli
