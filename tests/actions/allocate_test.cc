// What of a gang is handed over together.
#include <map>
#include <string>

#include "tests/plugins/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {
namespace {

TEST_CASE("allocate: a nominated pod that has its room is bound with the rest of its gang",
          "[actions][allocate]") {
  // a could be bound; b waits until its victim is gone; with c the gang has its minimum.
  const CycleOutcome outcome =
      RunCycle(Builtins(), MakePolicy("allocate", "priority,gang,predicates"),
               MakeWorld("node n1 cpu=1; node n2 cpu=1; node n3 cpu=1; job low prio=1 min=0;"
                         "task leaving job=low cpu=1 node=n2 status=releasing;"
                         "job gang prio=9 min=2; task a job=gang cpu=1 nominated=n1;"
                         "task b job=gang cpu=1 nominated=n2; task c job=gang cpu=1"));
  CHECK(outcome.binds == std::map<std::string, std::string>{{"a", "n1"}, {"c", "n3"}});
  CHECK(outcome.pipelined == std::map<std::string, std::string>{{"b", "n2"}});
}

TEST_CASE("allocate: what the sink refuses of a gang is not bound in part", "[actions][allocate]") {
  PluginBed bed(Builtins(), MakePolicy("allocate", "priority,gang,predicates"),
                MakeWorld("node n1 cpu=1; node n2 cpu=1; node n3 cpu=1; job low prio=1 min=0;"
                          "task leaving job=low cpu=1 node=n2 status=releasing;"
                          "job gang prio=9 min=2; task a job=gang cpu=1 nominated=n1;"
                          "task b job=gang cpu=1 nominated=n2; task c job=gang cpu=1"));
  bed.sink().answer = absl::ResourceExhaustedError("too many effects wait");
  const auto action = Builtins().actions.at("allocate")(MakeArguments("{}"));
  REQUIRE((*action)->Execute(bed.session()).ok());
  const auto status = [&bed](std::string_view task) {
    return bed.session().state(bed.world().task(task)).status;
  };
  CHECK(status("a") == model::TaskStatus::kAllocated);  // As it was before.
  CHECK(status("c") == model::TaskStatus::kPending);
  const framework::JobFit* hold = bed.session().notes().HoldOf(bed.world().job("gang"));
  REQUIRE(hold != nullptr);
  CHECK(hold->gate == framework::Gate::kBinding);
}

}  // namespace
}  // namespace bth::test
