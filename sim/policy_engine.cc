#include "sim/policy_engine.h"

#include <utility>
#include <vector>

#include "actions/single_pods/single_pods.h"
#include "base/status.h"
#include "conf/load.h"
#include "framework/hooks/plugin.h"
#include "framework/session/cycle.h"
#include "sim/compare.h"
#include "sim/run.h"

namespace bth::sim {
namespace {

class SimulatorEngine final : public cli::PolicyEngine {
 public:
  explicit SimulatorEngine(framework::Registry registry) : registry_(std::move(registry)) {}

  conf::KnownNames names() const override { return registry_.Names(); }

  // As the daemon does once a file was read (scheduler/policy_file.h).
  cli::ArgumentReview ReviewArguments(const conf::Policy& policy) const override {
    cli::ArgumentReview review;
    const auto made =
        framework::PolicyInstance::Create(std::make_shared<const conf::Policy>(policy), registry_,
                                          &review.findings, &review.refusals);
    if (!made.ok() && review.refusals.empty()) {
      review.refusals.emplace_back(made.status().message());
    }
    return review;
  }

  std::unique_ptr<cli::PolicyEngine> ForSinglePods() const override {
    framework::Registry registry = registry_;
    actions::KeepForSinglePods(registry, actions::SinglePodOptions());
    return std::make_unique<SimulatorEngine>(std::move(registry));
  }

  absl::StatusOr<types::Json> Compare(const cli::PolicyComparison& comparison) const override {
    BTH_ASSIGN_OR_RETURN(const ComparedPolicy before, Read(comparison.before));
    BTH_ASSIGN_OR_RETURN(const ComparedPolicy after, Read(comparison.after));
    BTH_ASSIGN_OR_RETURN(const Cluster cluster, ReadCluster({comparison.world}, *comparison.in));
    return ComparePolicies(cluster, before, after, comparison.cycles, registry_);
  }

 private:
  absl::StatusOr<ComparedPolicy> Read(const cli::NamedText& file) const {
    auto loaded = conf::ParsePolicy(file.text, registry_.Names());
    if (!loaded.ok()) return Annotate(loaded.status(), file.name);
    return ComparedPolicy{file.name,
                          std::make_shared<const conf::Policy>(std::move(loaded->policy))};
  }

  const framework::Registry registry_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<cli::PolicyEngine>> MakePolicyEngine(
    const std::string& plugins_dir) {
  BTH_ASSIGN_OR_RETURN(framework::Registry registry, MakeRegistry(plugins_dir));
  return std::make_unique<SimulatorEngine>(std::move(registry));
}

}  // namespace bth::sim
