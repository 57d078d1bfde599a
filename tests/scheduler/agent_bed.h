// A scheduler of single pods beside an API server.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/common/agent_scheduler.h"
#include "tests/scheduler/short_bed.h"

namespace bth::scheduler::testing {

inline constexpr char kAgent[] = "agent-scheduler";

struct AgentPod {
  std::string cpu = "1";
  int priority = 0;
  std::string urgency = "";
  std::string spec = "";         // Members of its spec, each after a comma.
  std::string annotations = "";  // Likewise.
  std::string labels = "";
  std::string amounts = "";  // Of further resources that it requests, likewise.
};

class AgentBed : public ShortBed {
 public:
  explicit AgentBed(int workers = 1) : workers_(workers) {}
  ~AgentBed() { scheduler.reset(); }

  void BeginAgent(SchedulerOptions options = {}) {
    registry = BuiltinRegistry();
    if (adapt) adapt(registry);
    options.scheduler_names = {kAgent};
    cmd::ServeSinglePods(workers_, metric_registry, &registry, &options);
    Start(options);
  }
  // What the test wants of the plugins and actions that are compiled in.
  std::function<void(framework::Registry&)> adapt;

  void Single(const std::string& name, const AgentPod& pod = {}) {
    const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    const std::string of_pod =
        StrCat("p", pod.priority < 0 ? "-minus" : "", std::abs(pod.priority));
    if (pod.priority != 0 && Call("GET", StrCat(classes, "/", of_pod)).code == 404) {
      Create(classes,
             StrCat(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",)",
                    R"("metadata":{"name":")", of_pod, R"("},"value":)", pod.priority, "}"));
    }
    const std::string urgency =
        pod.urgency.empty() ? ""
                            : StrCat(R"(,"volcano.sh/scheduling-priority":")", pod.urgency, "\"");
    const std::string limits =
        pod.amounts.empty() ? "" : StrCat(R"(,"limits":{)", pod.amounts.substr(1), "}");
    const std::string priority =
        pod.priority == 0 ? "" : StrCat(R"(,"priorityClassName":")", of_pod, "\"");
    Create("/api/v1/namespaces/default/pods",
           StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                  R"(","labels":{"all":"yes")", pod.labels, R"(},"annotations":{"a":"b")", urgency,
                  pod.annotations, R"(}},"spec":{"schedulerName":"agent-scheduler")", priority,
                  pod.spec, R"(,"containers":[{"name":"c","image":"i",)",
                  R"("resources":{"requests":{"cpu":")", pod.cpu, "\"", pod.amounts, "}", limits,
                  "}}]}}"));
  }
  static std::string PodPath(const std::string& name) {
    return "/api/v1/namespaces/default/pods/" + name;
  }
  // Names of the pods that were bound, in the order in which the requests left.
  void NoteBindings() {
    line->on_request = [this](const net::Request& request) {
      if (!absl::EndsWith(request.target, "/binding")) return;
      const std::string pod = request.target.substr(0, request.target.rfind('/'));
      bound_in_order.push_back(pod.substr(pod.rfind('/') + 1));
      bound_at.push_back(executor.Now());
    };
  }
  std::vector<std::string> bound_in_order;
  std::vector<absl::Time> bound_at;

 private:
  const int workers_;
};

}  // namespace bth::scheduler::testing
