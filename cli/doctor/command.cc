#include "cli/doctor/command.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/types/crd/generate.h"
#include "api/types/pod_group.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/command/offer.h"
#include "cli/conf/check.h"
#include "cli/conf/policy_engine.h"
#include "cli/doctor/access.h"
#include "cli/doctor/daemons.h"
#include "cli/doctor/definitions.h"
#include "cli/doctor/queues.h"
#include "cli/doctor/report.h"
#include "cli/doctor/server.h"
#include "cli/doctor/webhooks.h"
#include "cli/job/flags.h"
#include "cli/queue/commands.h"
#include "cli/session/cluster_flags.h"

namespace bth::cli {
namespace {

using types::Json;
using types::ResourceType;

const ResourceType kDefinitionType = {"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                      "CustomResourceDefinition", false};
const ResourceType kMutatingType = {"admissionregistration.k8s.io", "v1",
                                    "mutatingwebhookconfigurations", "MutatingWebhookConfiguration",
                                    false};
const ResourceType kValidatingType = {"admissionregistration.k8s.io", "v1",
                                      "validatingwebhookconfigurations",
                                      "ValidatingWebhookConfiguration", false};
const ResourceType kDeploymentType = {"apps", "v1", "deployments", "Deployment"};
const ResourceType kStatefulSetType = {"apps", "v1", "statefulsets", "StatefulSet"};
const ResourceType kLeaseType = {"coordination.k8s.io", "v1", "leases", "Lease"};
const ResourceType kSliceType = {"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"};
const ResourceType kDoctorPodType = {"", "v1", "pods", "Pod"};
const ResourceType kDoctorMapType = {"", "v1", "configmaps", "ConfigMap"};
const ResourceType kNodeType = {"", "v1", "nodes", "Node", false};
const ResourceType kPriorityClassType = {"scheduling.k8s.io", "v1", "priorityclasses",
                                         "PriorityClass", false};
const ResourceType kAccessType = {"authorization.k8s.io", "v1", "subjectaccessreviews",
                                  "SubjectAccessReview", false};
constexpr char kInstallNamespace[] = "volcano-system";

struct DoctorFlags {
  ClusterFlags cluster;
  std::string output = "text";
  std::string plugins_dir;
  bool all = false;
};

// Looks at one installation from end to end. Reads, asks, tries; changes nothing.
class Visit final {
 public:
  Visit(Session& session, Cluster& cluster, const DoctorFlags& flags)
      : session_(session), cluster_(cluster), flags_(flags) {}

  // Fails when the server does not answer at all.
  absl::StatusOr<std::vector<Point>> Run() {
    BTH_ASSIGN_OR_RETURN(const Json version, cluster_.Read("/version"));
    CheckServerVersion(version, &points_);
    const auto date = ParseServerDate(cluster_.server_date());
    CheckClock(date, session_.now(), &points_);
    now_ = date.value_or(session_.now());
    BTH_RETURN_IF_ERROR(LookAtDefinitions());
    LookAtDaemons();
    LookAtWebhooks();
    LookAtQueues();
    SortPoints(&points_);
    return std::move(points_);
  }

 private:
  ObjectsRead List(const ResourceType& type, const std::string& ns = "") {
    absl::StatusOr<ObjectList> list = cluster_.List({type, ns, ""});
    if (list.ok()) return {std::move(list->items), ""};
    return {{},
            StrCat("cannot list ", type.FullName(), ns.empty() ? "" : " in ", ns, ": ",
                   list.status().message())};
  }

  absl::Status LookAtDefinitions() {
    BTH_ASSIGN_OR_RETURN(std::vector<types::crd::Definition> known,
                         types::crd::GenerateDefinitions());
    std::vector<Json> wanted;
    for (types::crd::Definition& one : known) wanted.push_back(std::move(one.object));
    CheckDefinitions(List(kDefinitionType), wanted, &points_);
    return absl::OkStatus();
  }

  void LookAtDaemons() {
    const WorkloadsRead workloads = {List(kDeploymentType), List(kStatefulSetType)};
    classes_ = List(kPriorityClassType);
    const std::vector<Daemon> daemons = FindDaemons(workloads);
    CheckDaemons(workloads, daemons, classes_, &points_);
    LeaseFacts leases;
    leases.now = now_;
    std::set<std::string> places = {kInstallNamespace};
    for (const Daemon& daemon : daemons) {
      if (daemon.kind != DaemonKind::kWebhooks) places.insert(daemon.Lease().first);
    }
    for (const std::string& place : places) {
      leases.leases[place] = List(kLeaseType, place);
      leases.pods[place] = List(kDoctorPodType, place);
    }
    CheckLeases(daemons, leases, &points_);
    for (const Daemon& daemon : daemons) {
      if (daemon.replicas == 0) continue;
      const bool evicts = HasPolicy(daemon) && LookAtPolicy(daemon);
      CheckAccess(
          daemon, evicts, [this, &daemon](const Access& access) { return MayDo(access, daemon); },
          &points_);
    }
  }

  absl::StatusOr<bool> MayDo(const Access& access, const Daemon& daemon) {
    BTH_ASSIGN_OR_RETURN(const Json answer,
                         cluster_.Create({kAccessType, "", ""}, AccessReview(access, daemon)));
    return answer.At({"status", "allowed"}).AsBool();
  }

  // Judges the policy of a scheduler, as far as it lies in a ConfigMap that its pods mount. Whether
  // it evicts.
  bool LookAtPolicy(const Daemon& daemon) {
    const PointsOf area("policy", &points_);
    for (const std::string& name : daemon.config_maps) {
      const std::string key = StrCat(daemon.ns, "/", name);
      const absl::StatusOr<Json> map = cluster_.Get({kDoctorMapType, daemon.ns, name});
      if (!map.ok()) {
        area.NotChecked(key, std::string(map.status().message()));
        continue;
      }
      std::vector<std::string_view> keys;
      for (const auto& [entry, value] : (*map)["data"].members()) keys.push_back(entry);
      const int entry = PolicyEntryOf(keys);
      if (entry < 0) continue;
      const auto engine = EngineOf(daemon);
      if (!engine.ok()) {
        area.NotChecked(key, std::string(engine.status().message()));
        return false;
      }
      const std::string more =
          StrCat("vcctl conf check ",
                 daemon.kind == DaemonKind::kAgentScheduler ? "--agent-scheduler " : "",
                 "--configmap ", key);
      const PolicyText policy{.key = key,
                              .text = (*map)["data"][keys[static_cast<size_t>(entry)]].AsString(),
                              .more = more};
      return JudgePolicy(policy, **engine, area);
    }
    return false;
  }

  static bool HasPolicy(const Daemon& daemon) {
    return daemon.kind == DaemonKind::kScheduler || daemon.kind == DaemonKind::kAgentScheduler;
  }

  absl::StatusOr<std::unique_ptr<PolicyEngine>> EngineOf(const Daemon& daemon) {
    BTH_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> engine, session_.Engine(flags_.plugins_dir));
    if (daemon.kind == DaemonKind::kAgentScheduler) engine = engine->ForSinglePods();
    return engine;
  }

  struct PolicyText {
    std::string key;  // Of the ConfigMap.
    std::string_view text;
    std::string more;  // The command that says more.
  };

  bool JudgePolicy(const PolicyText& given, const PolicyEngine& engine, const PointsOf& area) {
    ConfCheckOptions options;
    options.known = engine.names();
    options.review_arguments = [&engine](const conf::Policy& policy) {
      return engine.ReviewArguments(policy);
    };
    const ConfReport report = CheckConf(given.text, options);
    size_t warnings = 0;
    for (const ConfFinding& finding : report.findings) {
      warnings += finding.kind == ConfFindingKind::kWarning ? 1 : 0;
    }
    if (!report.is_accepted()) {
      area.Fault(given.key, StrCat("the scheduler refuses it: ", report.findings.front().text),
                 given.more);
    } else if (warnings > 0) {
      area.Warning(given.key, StrCat(warnings, " of what it says has no effect, or another one"),
                   given.more);
    } else {
      area.Ok(given.key, "accepted");
    }
    const conf::PolicyReview review = conf::ReviewPolicy(given.text, options.known);
    for (const char* action : {"preempt", "reclaim", "gangpreempt", "gangreclaim", "shuffle"}) {
      if (review.policy.HasAction(action)) return true;
    }
    return false;
  }

  void LookAtWebhooks() {
    WebhookFacts facts;
    facts.now = now_;
    facts.mutating = List(kMutatingType);
    facts.validating = List(kValidatingType);
    for (const std::string& ns : WebhookNamespaces(facts)) facts.slices[ns] = List(kSliceType, ns);
    CheckWebhooks(facts, &points_);
    const bool has_webhooks = std::any_of(points_.begin(), points_.end(), [](const Point& point) {
      return point.area == "webhooks" && point.level != PointLevel::kNotChecked;
    });
    CheckTrial(cluster_.TryCreate({JobType(), "default", ""}, BadJob()).status(), has_webhooks,
               &points_);
  }

  void LookAtQueues() {
    const ObjectsRead nodes = List(kNodeType);
    const ObjectsRead groups = List(types::ResourceTraits<types::PodGroup>::type());
    CheckNodes(nodes, &points_);
    CheckQueues(List(QueueType()), groups, AllocatableOf(nodes), &points_);
    CheckPriorityClasses(classes_, groups, &points_);
  }

  Session& session_;
  Cluster& cluster_;
  const DoctorFlags& flags_;
  absl::Time now_;
  ObjectsRead classes_;
  std::vector<Point> points_;
};

absl::Status RunDoctor(Session& session, const DoctorFlags& flags) {
  if (flags.output != "text" && flags.output != "json") {
    return absl::InvalidArgumentError(
        StrCat("--output: there is no form \"", flags.output, "\"; use text or json"));
  }
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  BTH_ASSIGN_OR_RETURN(const std::vector<Point> points, Visit(session, *cluster, flags).Run());
  if (flags.output == "json") {
    session.out() << DoctorJson(cluster->server(), points).Pretty() << "\n";
  } else {
    session.out() << DoctorText(cluster->server(), points, flags.all);
  }
  // What is wrong has been told.
  return HasFault(points) ? absl::FailedPreconditionError("") : absl::OkStatus();
}

}  // namespace

Command DoctorCommand() {
  auto flags = std::make_shared<DoctorFlags>();
  Command leaf;
  leaf.name = "doctor";
  leaf.short_text = "look whether an installation is in order";
  leaf.long_text =
      "Looks at the API server, the definitions, the daemons with their leases, roles and policy, "
      "the webhooks,\nthe queues and the nodes, and tells what is wrong and what to do. Changes "
      "nothing. Ends with 255 when there is\na fault.";
  leaf.example = "  vcctl doctor";
  AddClusterFlags(&flags->cluster, &leaf.flags);
  leaf.flags.Text(&flags->output, {"output", 'o'}, "text or json");
  leaf.flags.OfferFor("output", OfferWords({{"json", ""}, {"text", ""}}));
  leaf.flags.Bool(&flags->all, {"all", 'a'}, "show what is in order too");
  leaf.flags.Text(&flags->plugins_dir, {"plugins-dir"},
                  "folder of shared objects with further plugins, as the scheduler has it");
  leaf.run = [flags](Session& session) { return RunDoctor(session, *flags); };
  return leaf;
}

}  // namespace bth::cli
