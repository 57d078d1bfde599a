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

TEST_CASE("controller flags: a feature that is switched is acted on or told", "[cmd][unit]") {
  ControllerFlags flags;
  flags.feature_gates = "VolcanoJobSupport=false,PriorityClass=false";
  CHECK(flags.Notes().empty());
  CHECK_FALSE(flags.Options().gates.volcano_job_support);
  flags.feature_gates = "PodDisruptionBudgetsSupport=false";
  CHECK(flags.Notes() ==
        std::vector<std::string>{"--feature-gates: PodDisruptionBudgetsSupport=false: only "
                                 "vc-scheduler acts on it"});
}

TEST_CASE("controller flags: a controller that does not exist is refused", "[cmd][unit]") {
  ControllerFlags flags;
  flags.options.controllers = {"job-controler"};
  CHECK(flags.Check().message() ==
        "--controllers: job-controler: no such controller (did you mean \"job-controller\"?)");
  flags.options.controllers = {"*", "-job-controler"};
  CHECK(flags.Check().ok());
  CHECK(flags.Notes().size() == 1);
}

}  // namespace
}  // namespace bth::cmd
