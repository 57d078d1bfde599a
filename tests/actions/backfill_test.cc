// The order in which backfill takes up tasks that ask for nothing.
#include <memory>
#include <string>
#include <vector>

#include "actions/builtin.h"
#include "plugins/builtin.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {
namespace {

// Notes which tasks get a place, in order.
class Watch final : public framework::Plugin {
 public:
  explicit Watch(std::vector<model::TaskId>* placed) : placed_(placed) {}
  std::string_view name() const override { return "watch"; }
  absl::Status OnSessionOpen(framework::Session&, framework::HookRegistrar& hooks) override {
    hooks.OnPlace([this](const framework::TaskMove& move) { placed_->push_back(move.task); });
    return absl::OkStatus();
  }

 private:
  std::vector<model::TaskId>* const placed_;
};

TEST_CASE("backfill: job by job, the highest first, pipelined tasks taken up with the rest",
          "[actions][backfill]") {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  std::vector<model::TaskId> placed;
  registry.plugins["watch"] =
      [&placed](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<Watch>(&placed);
  };
  std::string text = "node n1 cpu=9 mem=9Gi;";
  for (const std::string job : {"low", "high"}) {
    text += "job " + job + " min=1 prio=" + (job == "low" ? "1;" : "2;");
    // Pods 1 and 3 are pending, 2 and 4 are pipelined; of either kind.
    for (const std::string pod : {"1", "2", "3", "4"}) {
      const std::string state = pod == "2" || pod == "4" ? " node=n1 status=pipelined" : "";
      const std::string rest = " job=" + job + " prio=" + pod + state;
      text += "task " + job + "-" + pod + rest + ";";
      text += "task " + job + "-cpu-" + pod + rest + " cpu=500m;";
    }
  }
  PluginBed bed(registry, MakePolicy("backfill", "priority,gang;drf,predicates,watch"),
                MakeWorld(text));
  const auto action = registry.actions.at("backfill")(MakeArguments("{}"));
  REQUIRE(action.ok());
  REQUIRE((*action)->Execute(bed.session()).ok());
  CHECK(bed.NamesOf(placed) == std::vector<std::string>{"high-4", "high-3", "high-2", "high-1",
                                                        "low-4", "low-3", "low-2", "low-1"});
}

}  // namespace
}  // namespace bth::test
