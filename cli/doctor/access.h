// What each daemon may do, against what it needs. Pure but for `ask`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/doctor/daemons.h"
#include "cli/doctor/points.h"

namespace bth::cli {

// One question of a SubjectAccessReview.
struct Access {
  std::string verb;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string ns;    // Empty: all of them, or cluster-wide.
  std::string name;  // Empty: all of them.

  std::string Text() const;  // "patch podgroups.scheduling.volcano.sh", "create leases in ns".
  friend auto operator<=>(const Access&, const Access&) = default;
};

// The rules of deploy/…/rbac.yaml that this program was built with.
std::string_view RolesOf(DaemonKind kind);
std::string_view EvictingRoles();

// What the Roles and ClusterRoles of a manifest grant, for this daemon: its lease, its Secret, its
// namespace. Sorted.
std::vector<Access> NeedsOf(const std::vector<types::Json>& manifests, const Daemon& daemon);

using AskAccess = std::function<absl::StatusOr<bool>(const Access&)>;
// `evicts`: its policy does, so that it needs those rights as well.
void CheckAccess(const Daemon& daemon, bool evicts, const AskAccess& ask,
                 std::vector<Point>* points);

// The review that asks for it, for a service account.
types::Json AccessReview(const Access& access, const Daemon& daemon);

}  // namespace bth::cli
