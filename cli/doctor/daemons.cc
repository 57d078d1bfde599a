#include "cli/doctor/daemons.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "absl/strings/str_join.h"
#include "api/types/time.h"
#include "base/strings.h"
#include "cli/command/go_text.h"
#include "cli/print/times.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr std::string_view kPrograms[] = {"vc-scheduler", "vc-controller-manager",
                                          "vc-webhook-manager", "vc-agent-scheduler"};
constexpr std::string_view kLeaseNames[] = {"volcano", "vc-controller-manager", "",
                                            "agent-scheduler"};
constexpr std::string_view kDuties[] = {"scheduler", "controllers", "webhooks", "agent scheduler"};
constexpr char kLeaseNamespace[] = "volcano-system";
// Clocks of nodes are this far apart before anybody should care.
constexpr absl::Duration kClockSlack = absl::Seconds(10);

// "registry:5000/batholith/vc-scheduler:0.1.0" -> "vc-scheduler"
std::string_view LastPart(std::string_view image) {
  if (const size_t slash = image.rfind('/'); slash != std::string_view::npos) {
    image.remove_prefix(slash + 1);
  }
  return image.substr(0, image.find_first_of(":@"));
}

std::optional<DaemonKind> ProgramIn(const Json& container) {
  for (size_t kind = 0; kind < std::size(kPrograms); ++kind) {
    if (LastPart(container["image"].AsString()) == kPrograms[kind]) {
      return static_cast<DaemonKind>(kind);
    }
    for (const Json& word : container["command"].items()) {
      if (LastPart(word.AsString()) == kPrograms[kind]) return static_cast<DaemonKind>(kind);
    }
  }
  return std::nullopt;
}

Daemon DaemonOf(const Json& workload, const Json& container, DaemonKind kind) {
  const Json& pod = workload.At({"spec", "template", "spec"});
  Daemon daemon;
  daemon.kind = kind;
  daemon.ns = NamespaceIn(workload);
  daemon.name = NameIn(workload);
  daemon.image = container["image"].AsString();
  daemon.account = pod["serviceAccountName"].AsString("default");
  daemon.priority_class = pod["priorityClassName"].AsString();
  daemon.replicas = workload.At({"spec", "replicas"}).AsInt(1);
  daemon.ready = workload.At({"status", "readyReplicas"}).AsInt();
  // Volcano's come as one shell command.
  for (const std::string_view member : {"command", "args"}) {
    for (const Json& word : container[member].items()) {
      for (const absl::string_view part : SplitText(word.AsString(), ' ', absl::SkipWhitespace())) {
        daemon.args.emplace_back(part);
      }
    }
  }
  for (const Json& volume : pod["volumes"].items()) {
    const std::string_view map = volume.At({"configMap", "name"}).AsString();
    if (!map.empty()) daemon.config_maps.emplace_back(map);
  }
  return daemon;
}

// "--leader_elect" is --leader-elect.
bool IsFlag(std::string_view word, std::string_view flag) {
  if (!word.starts_with("--")) return false;
  word.remove_prefix(2);
  return std::equal(word.begin(), word.end(), flag.begin(), flag.end(),
                    [](char a, char b) { return (a == '_' ? '-' : a) == b; });
}

std::string_view DutyOf(const Daemon& daemon) {
  return kDuties[static_cast<size_t>(daemon.kind)];
}

bool ServesPods(const Daemon& daemon) {
  return daemon.kind == DaemonKind::kScheduler || daemon.kind == DaemonKind::kAgentScheduler;
}

// "volcano" when both serve it; empty: they do not meet.
std::string SharedName(const Daemon& a, const Daemon& b) {
  for (const std::string& name : a.SchedulerNames()) {
    const std::vector<std::string> theirs = b.SchedulerNames();
    if (std::find(theirs.begin(), theirs.end(), name) != theirs.end()) return name;
  }
  return "";
}

// A scheduler and an agent scheduler: neither stands by for the other.
void CheckUnlike(const Daemon& a, const Daemon& b, const PointsOf& area) {
  const std::string subject = StrCat(a.Key(), " and ", b.Key());
  const std::string what =
      StrCat(DutyOf(a), " and ", DutyOf(b), " (", a.image, ", ", b.image, ") ");
  if (const std::string shared = SharedName(a, b); !shared.empty()) {
    area.Fault(subject, StrCat(what, "both serve schedulerName ", shared),
               "give one of them another --scheduler-name");
  }
  if (a.is_electing() && b.is_electing() && a.Lease() == b.Lease()) {
    area.Fault(subject,
               StrCat(what, "share the lease ", a.Lease().first, "/", a.Lease().second,
                      ", so that only one of them is at work"),
               "give one of them another --leader-elect-resource-name");
  }
}

// One of two that are at work under the same names.
void CheckPair(const Daemon& a, const Daemon& b, const PointsOf& area) {
  if (a.kind != b.kind) return CheckUnlike(a, b, area);
  const std::string shared = SharedName(a, b);
  if (shared.empty()) return;
  const std::string subject = StrCat(a.Key(), " and ", b.Key());
  const std::string what = StrCat("both are ", DutyOf(a), " of schedulerName ", shared, " (",
                                  a.image, ", ", b.image, ")");
  if (a.is_electing() && b.is_electing() && a.Lease() == b.Lease()) {
    area.Warning(subject, StrCat(what, "; they share a lease, so that one of them stands by"),
                 StrCat("scale the one to 0 that should not be: kubectl -n ", b.ns, " scale ",
                        b.Workload(), " --replicas=0"));
  } else {
    area.Fault(subject, StrCat(what, ", and nothing keeps them apart"),
               StrCat("scale one of them to 0: kubectl -n ", b.ns, " scale ", b.Workload(),
                      " --replicas=0"));
  }
}

void CheckOne(const Daemon& daemon, const ObjectsRead& priority_classes, const PointsOf& area) {
  const std::string logs = StrCat("kubectl -n ", daemon.ns, " describe ", daemon.Workload(),
                                  " and the logs of its pods tell why");
  const std::string counted =
      StrCat(DutyOf(daemon), ", ", daemon.ready, " of ", daemon.replicas, " ready, ", daemon.image);
  if (daemon.replicas == 0) {
    area.Warning(daemon.Key(), StrCat(DutyOf(daemon), ", scaled to 0"),
                 StrCat("kubectl -n ", daemon.ns, " scale ", daemon.Workload(),
                        " --replicas=2, unless that is meant"));
  } else if (daemon.ready == 0) {
    area.Fault(daemon.Key(), counted, logs);
  } else if (daemon.ready < daemon.replicas) {
    area.Warning(daemon.Key(), counted, logs);
  } else {
    area.Ok(daemon.Key(), counted);
  }
  if (daemon.kind != DaemonKind::kWebhooks && daemon.replicas > 1 && !daemon.is_electing()) {
    area.Fault(daemon.Key(), StrCat(daemon.replicas, " replicas act at once: --leader-elect=false"),
               "set --leader-elect=true, or one replica");
  }
  const auto is_class = [&daemon](const Json& one) { return NameIn(one) == daemon.priority_class; };
  const std::vector<Json>& classes = priority_classes.items;
  if (!daemon.priority_class.empty() && priority_classes.is_read() &&
      std::none_of(classes.begin(), classes.end(), is_class)) {
    area.Fault(daemon.Key(),
               StrCat("its PriorityClass ", daemon.priority_class,
                      " does not exist: no pod of it can be made"),
               "create the class, or name another one (custom.priority_class_name of the chart)");
  }
}

// ---- leases

void CheckHolder(const Json& lease, const ObjectsRead& pods, const std::string& subject,
                 const PointsOf& area) {
  const std::string_view holder = lease.At({"spec", "holderIdentity"}).AsString();
  const std::string_view host = holder.substr(0, holder.rfind('_'));
  if (!pods.is_read()) {
    return area.NotChecked(StrCat(subject, " holder"), pods.unread);
  }
  for (const Json& pod : pods.items) {
    if (NameIn(pod) == host) {
      return area.Ok(subject, StrCat("held by ", holder));
    }
  }
  area.Warning(subject, StrCat("held by ", holder, ", and there is no such pod in this namespace"),
               "nothing, when it runs as a service of a machine; else see who renews it");
}

void CheckLease(const Json& lease, const LeaseFacts& facts, const std::string& ns,
                const PointsOf& area) {
  const std::string subject = StrCat(ns, "/", NameIn(lease));
  const Json& spec = lease["spec"];
  if (spec["holderIdentity"].AsString().empty()) {
    return area.Fault(subject, "nobody holds it: nothing is done under it",
                      "see whether its daemon has ready pods");
  }
  const auto renewed = types::ParseTimestamp(spec["renewTime"].AsString());
  if (!renewed.ok()) {
    return area.Fault(subject, "it was never renewed", "see whether its daemon has ready pods");
  }
  const absl::Duration age = facts.now - *renewed;
  const absl::Duration term = absl::Seconds(spec["leaseDurationSeconds"].AsInt(15));
  if (age > term + kClockSlack) {
    return area.Fault(subject,
                      StrCat("not renewed for ", AgeText(age), " by ",
                             spec["holderIdentity"].AsString(), ": nobody leads"),
                      "see whether its daemon has ready pods, and what their logs say");
  }
  if (age < -kClockSlack) {
    area.Warning(subject,
                 StrCat("renewed ", AgeText(-age), " in the future: the clock of ",
                        spec["holderIdentity"].AsString(), " goes ahead of the API server's"),
                 "set the clocks of the nodes (NTP)");
    return;
  }
  const auto pods = facts.pods.find(ns);
  static const ObjectsRead kNone;
  CheckHolder(lease, pods == facts.pods.end() ? kNone : pods->second, subject, area);
}

}  // namespace

std::vector<std::string> Daemon::Flag(std::string_view flag) const {
  std::vector<std::string> values;
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t equals = std::min(args[i].find('='), args[i].size());
    if (!IsFlag(std::string_view(args[i]).substr(0, equals), flag)) continue;
    if (equals < args[i].size()) {
      values.push_back(args[i].substr(equals + 1));
    } else {
      const bool has_value = i + 1 < args.size() && !args[i + 1].starts_with("-");
      values.push_back(has_value ? args[i + 1] : "");
    }
  }
  return values;
}

bool Daemon::is_electing() const {
  bool electing = true;
  for (const std::string& arg : args) {
    const size_t equals = arg.find('=');
    if (!IsFlag(std::string_view(arg).substr(0, equals), "leader-elect")) continue;
    // A word behind it is none of its own.
    electing = equals == std::string::npos || ParseGoBool(arg.substr(equals + 1)).value_or(true);
  }
  return electing;
}

std::string Daemon::Flag(std::string_view flag, std::string_view fallback) const {
  const std::vector<std::string> values = Flag(flag);
  return values.empty() ? std::string(fallback) : values.back();
}

std::pair<std::string, std::string> Daemon::Lease() const {
  const std::string older = Flag("lock-object-namespace", "");  // It wins, as with the daemons.
  return {older.empty() ? Flag("leader-elect-resource-namespace", kLeaseNamespace) : older,
          Flag("leader-elect-resource-name", kLeaseNames[static_cast<size_t>(kind)])};
}

std::vector<std::string> Daemon::SchedulerNames() const {
  std::vector<std::string> names = Flag("scheduler-name");
  // Of an agent scheduler the last one counts.
  if (!names.empty() && kind == DaemonKind::kAgentScheduler) return {names.back()};
  if (!names.empty()) return names;
  return {kind == DaemonKind::kAgentScheduler ? "agent-scheduler" : "volcano"};
}

std::vector<Daemon> FindDaemons(const WorkloadsRead& workloads) {
  std::vector<Daemon> daemons;
  for (const ObjectsRead* listing : {&workloads.deployments, &workloads.stateful_sets}) {
    for (const Json& workload : listing->items) {
      const Json& pod = workload.At({"spec", "template", "spec"});
      for (const Json& container : pod["containers"].items()) {
        const std::optional<DaemonKind> kind = ProgramIn(container);
        if (!kind) continue;
        daemons.push_back(DaemonOf(workload, container, *kind));
        daemons.back().is_stateful = listing == &workloads.stateful_sets;
      }
    }
  }
  std::sort(daemons.begin(), daemons.end(), [](const Daemon& a, const Daemon& b) {
    return std::tie(a.kind, a.ns, a.name, a.is_stateful) <
           std::tie(b.kind, b.ns, b.name, b.is_stateful);
  });
  return daemons;
}

void CheckDaemons(const WorkloadsRead& workloads, const std::vector<Daemon>& daemons,
                  const ObjectsRead& priority_classes, std::vector<Point>* points) {
  const PointsOf area("daemons", points);
  const auto& [deployments, stateful_sets] = workloads;
  if (!deployments.is_read()) area.NotChecked("Deployments", deployments.unread);
  if (!stateful_sets.is_read()) area.NotChecked("StatefulSets", stateful_sets.unread);
  std::set<DaemonKind> found;
  for (const Daemon& daemon : daemons) {
    found.insert(daemon.kind);
    CheckOne(daemon, priority_classes, area);
  }
  // Agent schedulers are for those who want one.
  for (const DaemonKind kind :
       {DaemonKind::kScheduler, DaemonKind::kControllers, DaemonKind::kWebhooks}) {
    if (found.contains(kind) || !deployments.is_read() || !stateful_sets.is_read()) continue;
    area.Warning(std::string(kDuties[static_cast<size_t>(kind)]),
                 StrCat("no Deployment or StatefulSet runs ", kPrograms[static_cast<size_t>(kind)]),
                 "nothing, when it runs as a service of a machine, or is not wanted");
  }
  for (size_t i = 0; i < daemons.size(); ++i) {
    for (size_t k = i + 1; k < daemons.size(); ++k) {
      const bool same_duty =
          daemons[i].kind == daemons[k].kind && daemons[i].kind != DaemonKind::kWebhooks;
      const bool meet = same_duty || (ServesPods(daemons[i]) && ServesPods(daemons[k]));
      if (meet && daemons[i].replicas > 0 && daemons[k].replicas > 0) {
        CheckPair(daemons[i], daemons[k], area);
      }
    }
  }
}

void CheckLeases(const std::vector<Daemon>& daemons, const LeaseFacts& facts,
                 std::vector<Point>* points) {
  const PointsOf area("leases", points);
  std::set<std::pair<std::string, std::string>> wanted;
  for (const Daemon& daemon : daemons) {
    const bool elects = daemon.kind != DaemonKind::kWebhooks && daemon.is_electing();
    if (elects && daemon.replicas > 0) wanted.insert(daemon.Lease());
  }
  for (const auto& [ns, leases] : facts.leases) {
    if (!leases.is_read()) {
      area.NotChecked(ns, leases.unread);
      continue;
    }
    for (const Json& lease : leases.items) {
      const std::string name(NameIn(lease));
      const bool is_usual =
          ns == kLeaseNamespace && (name == kLeaseNames[0] || name == kLeaseNames[1]);
      const bool is_wanted = wanted.erase({ns, name}) > 0;
      if (is_wanted || is_usual) CheckLease(lease, facts, ns, area);
    }
    for (auto at = wanted.begin(); at != wanted.end();) {
      if (at->first == ns) {
        area.Fault(StrCat(ns, "/", at->second), "is not there: nobody ever led",
                   "see what the logs of its daemon say");
        at = wanted.erase(at);
      } else {
        ++at;
      }
    }
  }
}

}  // namespace bth::cli
