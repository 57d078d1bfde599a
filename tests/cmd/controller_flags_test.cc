#include "cmd/common/controller_flags.h"

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.h"

namespace bth::cmd {
namespace {

TEST_CASE("controller flags: the manual has them all", "[cmd][unit]") {
  FlagSet set("vc-controller-manager", "");
  ControllerFlags flags;
  flags.AddTo(set);
  std::ifstream file(BTH_SOURCE "/docs/operations.md");
  const std::string manual(std::istreambuf_iterator<char>(file), {});
  CHECK(set.Values().size() > 20);
  for (const auto& [name, value] : set.Values()) {
    INFO(name);
    CHECK((manual.find("`--" + name + "`") != manual.npos ||
           manual.find("`-" + name + "`") != manual.npos));
  }
}

}  // namespace
}  // namespace bth::cmd
