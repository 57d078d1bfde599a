// The daemons of an installation, as their Deployments and StatefulSets tell, and the leases they
// act under. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "cli/doctor/points.h"

namespace bth::cli {

enum class DaemonKind { kScheduler, kControllers, kWebhooks, kAgentScheduler };

// What may run a daemon.
struct WorkloadsRead {
  ObjectsRead deployments;
  ObjectsRead stateful_sets;
};

// A workload of one of the programs, ours or Volcano's: they have the same names and flags.
struct Daemon {
  DaemonKind kind = DaemonKind::kScheduler;
  bool is_stateful = false;  // By a StatefulSet, not a Deployment.
  std::string ns;
  std::string name;
  std::string image;
  std::string account;  // Service account.
  std::string priority_class;
  std::vector<std::string> args;
  std::vector<std::string> config_maps;  // Names of those it mounts.
  int64_t replicas = 1;
  int64_t ready = 0;

  // "volcano-system/volcano-scheduler", "n/s (StatefulSet)": the two may have the same name.
  std::string Key() const { return ns + "/" + name + (is_stateful ? " (StatefulSet)" : ""); }
  // For kubectl: "deployment volcano-scheduler".
  std::string Workload() const { return (is_stateful ? "statefulset " : "deployment ") + name; }
  // Values of a flag that is no boolean, in their order: of `--name=v` and `--name v`. `_` and `-`
  // mean the same.
  std::vector<std::string> Flag(std::string_view flag) const;
  // The last value, else `fallback`.
  std::string Flag(std::string_view flag, std::string_view fallback) const;
  // By its image; of images under other names nobody can tell.
  bool is_volcanos() const { return image.find("volcanosh/") != std::string::npos; }
  bool is_electing() const;
  // Namespace and name of its lease.
  std::pair<std::string, std::string> Lease() const;
  // The schedulerNames it serves.
  std::vector<std::string> SchedulerNames() const;
};

// In order of kind, namespace and name.
std::vector<Daemon> FindDaemons(const WorkloadsRead& workloads);

// Whether each runs, and whether two of them do the same work.
void CheckDaemons(const WorkloadsRead& workloads, const std::vector<Daemon>& daemons,
                  const ObjectsRead& priority_classes, std::vector<Point>* points);

struct LeaseFacts {
  std::map<std::string, ObjectsRead> leases;  // By namespace.
  std::map<std::string, ObjectsRead> pods;    // Likewise.
  absl::Time now;                             // As the server's clock shows, where it is known.
};

// Held, renewed lately, by somebody who is there.
void CheckLeases(const std::vector<Daemon>& daemons, const LeaseFacts& facts,
                 std::vector<Point>* points);

}  // namespace bth::cli
