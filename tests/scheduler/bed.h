// A scheduler and an API server in one process, on virtual time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "actions/builtin.h"
#include "base/strings.h"
#include "metrics/registry.h"
#include "plugins/builtin.h"
#include "scheduler/scheduler.h"
#include "tests/support/api_bed.h"
#include "tests/support/catch.h"

namespace bth::scheduler::testing {

using test::Fault;
using test::FaultyLine;
using types::Json;

inline framework::Registry BuiltinRegistry() {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  return registry;
}

class Bed : public test::ApiBed {
 public:
  // The scheduler goes first: it writes through the bed's client.
  ~Bed() { scheduler.reset(); }

  void MakeScheduler(SchedulerOptions options = {}) {
    options.check_invariants_every = 1;
    scheduler = std::make_unique<Scheduler>(
        SchedulerContext{executor, *api, registry, runner, clock, &metrics}, options);
  }
  void Start(SchedulerOptions options = {}) {
    MakeScheduler(std::move(options));
    REQUIRE(scheduler->LoadPolicy().ToString() == "OK");
    scheduler->StartCache();
    scheduler->Lead();
    Settle();
  }

  void Node(const std::string& name, int cpu) {
    Create("/api/v1/nodes", StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name,
                                   R"("},"status":{"allocatable":{"cpu":")", cpu,
                                   R"(","memory":"16Gi","pods":"110"},"conditions":[)",
                                   R"({"type":"Ready","status":"True"}]}})"));
  }
  void Group(const std::string& name, int min_member) {
    Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
           StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"minMember":)", min_member,
                  R"(,"queue":"default"}})"));
  }
  void Pod(const std::string& name, const std::string& group, int cpu,
           const std::string& scheduler_name = "volcano") {
    const std::string annotations =
        group.empty() ? "{}" : StrCat(R"({"scheduling.k8s.io/group-name":")", group, R"("})");
    Create("/api/v1/namespaces/default/pods",
           StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                  R"(","annotations":)", annotations, R"(},"spec":{"schedulerName":")",
                  scheduler_name, R"(","containers":[{"name":"c",)",
                  R"("image":"i","resources":{"requests":{"cpu":")", cpu, R"("}}}]}})"));
  }
  std::string NodeOf(const std::string& pod) {
    return std::string(
        Get("/api/v1/namespaces/default/pods/" + pod).At({"spec", "nodeName"}).AsString());
  }
  // "status reason: message" of a condition of the object; empty when it has none of that type.
  std::string Condition(const std::string& target, std::string_view type) {
    const Json conditions = Get(target).At({"status", "conditions"});
    for (size_t i = 0; conditions.is_array() && i < conditions.size(); ++i) {
      const Json& condition = conditions[i];
      if (condition["type"].AsString() != type) continue;
      return StrCat(std::string(condition["status"].AsString()), " ",
                    std::string(condition["reason"].AsString()), ": ",
                    std::string(condition["message"].AsString()));
    }
    return "";
  }
  std::string PodCondition(const std::string& pod) {
    return Condition("/api/v1/namespaces/default/pods/" + pod, "PodScheduled");
  }
  // Value of the series with that name and labels; -1: there is none.
  double Metric(const std::string& series) const {
    const std::string text = metric_registry.RenderText();
    const size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }
  static std::string GroupPath(const std::string& name) {
    return "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/" + name;
  }

  framework::Registry registry = BuiltinRegistry();
  InlineRunner runner{executor};
  metrics::Registry metric_registry;
  metrics::SchedulerMetrics metrics{metric_registry};
  std::unique_ptr<Scheduler> scheduler;
};

}  // namespace bth::scheduler::testing
