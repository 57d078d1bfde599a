#include "cmd/common/standalone.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cmd {
namespace {

TEST_CASE("standalone flags: the manual has them all", "[cmd][unit]") {
  FlagSet set("vc-standalone", "");
  StandaloneFlags flags;
  flags.AddTo(set);
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  CHECK(set.Values().size() > 20);
  for (const auto& [name, value] : set.Values()) {
    INFO(name);
    CHECK((manual.find("`--" + name + "`") != manual.npos ||
           manual.find("`-" + name + "`") != manual.npos));
  }
}

TEST_CASE("standalone flags: debug pages stay on loopback", "[cmd][unit]") {
  StandaloneFlags flags;
  CHECK(flags.Check().ToString() == "OK");
  flags.debug_bind_address = GENERATE("", "0.0.0.0:0", ":80", "10.0.0.1:80");
  CHECK_THAT(std::string(flags.Check().message()), Catch::StartsWith("--debug-bind-address: "));
}

}  // namespace
}  // namespace bth::cmd
