#include "cmd/common/controller_flags.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cmd {
namespace {

TEST_CASE("controller flags: the manual has them all", "[cmd][unit]") {
  FlagSet set("vc-controller-manager", "");
  ControllerFlags flags;
  flags.AddTo(set);
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  CHECK(set.Values().size() > 20);
  for (const auto& [name, value] : set.Values()) {
    INFO(name);
    CHECK((manual.find("`--" + name + "`") != manual.npos ||
           manual.find("`-" + name + "`") != manual.npos));
  }
}

}  // namespace
}  // namespace bth::cmd
