#include "cli/doctor/access.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/manifests/manifest.h"
#include "base/strings.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr size_t kRightsTold = 4;

// Kinds that one can do without: what follows is a feature less, not a daemon that does not work.
bool IsOptional(const Access& access) {
  static const std::set<std::string, std::less<>> kGroups = {
      "custom.metrics.k8s.io", "flow.volcano.sh",  "networking.k8s.io", "policy",
      "resource.k8s.io",       "shard.volcano.sh", "storage.k8s.io",    "topology.volcano.sh",
      "config.volcano.sh"};
  static const std::set<std::string, std::less<>> kResources = {
      "configmaps",  "persistentvolumeclaims", "persistentvolumes", "replicationcontrollers",
      "replicasets", "resourcequotas",         "secrets",           "services",
      "statefulsets"};
  return kGroups.contains(access.group) || kResources.contains(access.resource);
}

// The name in a rule as it is where the daemon was told another one.
std::string NameForDaemon(const std::string& resource, const std::string& name,
                          const Daemon& daemon) {
  if (resource == "leases") return daemon.Lease().second;
  if (resource == "secrets") return daemon.Flag("certificate-secret", name);
  return name;
}

void AddRule(const Json& rule, bool is_cluster_wide, const Daemon& daemon,
             std::set<Access>* needs) {
  std::vector<std::string> names;
  for (const Json& name : rule["resourceNames"].items()) names.emplace_back(name.AsString());
  if (names.empty()) names.emplace_back();
  for (const Json& group : rule["apiGroups"].items()) {
    for (const Json& resource : rule["resources"].items()) {
      const std::string_view word = resource.AsString();
      const size_t slash = word.find('/');
      for (const Json& verb : rule["verbs"].items()) {
        for (const std::string& name : names) {
          Access access;
          access.verb = verb.AsString();
          access.group = group.AsString();
          access.resource = word.substr(0, slash);
          if (slash != std::string_view::npos) access.subresource = word.substr(slash + 1);
          if (!name.empty()) access.name = NameForDaemon(access.resource, name, daemon);
          if (!is_cluster_wide) {
            access.ns = access.resource == "leases" ? daemon.Lease().first : daemon.ns;
          }
          needs->insert(std::move(access));
        }
      }
    }
  }
}

// Leases are for those who are elected, the Secret for those who keep their certificate in one.
bool IsNeeded(const Access& access, const Daemon& daemon) {
  if (access.resource == "leases") return daemon.is_electing();
  if (daemon.kind == DaemonKind::kWebhooks &&
      (access.resource == "secrets" || access.group == "admissionregistration.k8s.io")) {
    return !daemon.Flag("certificate-secret").empty();
  }
  return true;
}

struct Denied {
  std::vector<std::string> needed;
  std::vector<std::string> optional;
};

std::string SomeRights(std::vector<std::string> rights) {
  const size_t more = rights.size() - std::min(rights.size(), kRightsTold);
  rights.resize(rights.size() - more);
  return StrCat(absl::StrJoin(rights, ", "), more > 0 ? StrCat(" and ", more, " more") : "");
}

std::string_view FolderOf(DaemonKind kind) {
  static constexpr std::string_view kFolders[] = {"scheduler", "controllers", "admission",
                                                  "agent_scheduler"};
  return kFolders[static_cast<size_t>(kind)];
}

}  // namespace

std::string Access::Text() const {
  return StrCat(verb, " ", resource, subresource.empty() ? "" : "/", subresource,
                group.empty() ? "" : ".", group, name.empty() ? "" : " ", name,
                ns.empty() ? "" : " in ", ns);
}

std::vector<Access> NeedsOf(const std::vector<Json>& manifests, const Daemon& daemon) {
  std::set<Access> needs;
  for (const Json& manifest : manifests) {
    const std::string_view kind = manifest["kind"].AsString();
    if (kind != "Role" && kind != "ClusterRole") continue;
    for (const Json& rule : manifest["rules"].items()) {
      AddRule(rule, kind == "ClusterRole", daemon, &needs);
    }
  }
  std::vector<Access> out;
  for (const Access& access : needs) {
    if (IsNeeded(access, daemon)) out.push_back(access);
  }
  return out;
}

void CheckAccess(const Daemon& daemon, bool evicts, const AskAccess& ask,
                 std::vector<Point>* points) {
  const PointsOf area("roles", points);
  const std::string subject = StrCat(daemon.ns, "/", daemon.account);
  if (daemon.is_volcanos()) {
    return area.NotChecked(subject, StrCat(daemon.Key(), " is Volcano's (", daemon.image,
                                           "), which needs other rights than ours"));
  }
  std::string text(RolesOf(daemon.kind));
  if (evicts) StrAppend(&text, "\n---\n", EvictingRoles());
  const auto manifests = manifests::ObjectsFromYaml(text, "roles");
  if (!manifests.ok()) return area.NotChecked(subject, std::string(manifests.status().message()));
  std::vector<Access> needs = NeedsOf(*manifests, daemon);
  // Patches of pods are for a feature gate, which is off by default.
  std::erase_if(needs, [&daemon](const Access& access) {
    return daemon.kind == DaemonKind::kScheduler && access.resource == "pods" &&
           access.subresource.empty() && access.verb == "patch";
  });
  Denied denied;
  for (const Access& access : needs) {
    const absl::StatusOr<bool> allowed = ask(access);
    if (!allowed.ok()) return area.NotChecked(subject, std::string(allowed.status().message()));
    if (*allowed) continue;
    (IsOptional(access) ? denied.optional : denied.needed).push_back(access.Text());
  }
  const std::string remedy =
      StrCat("bind it to the roles of deploy/", FolderOf(daemon.kind), "/rbac.yaml",
             evicts ? " and deploy/overlays/evicting/rbac.yaml" : "", " (of the chart)");
  if (!denied.needed.empty()) {
    area.Fault(subject, StrCat("may not ", SomeRights(denied.needed)), remedy);
  }
  if (!denied.optional.empty()) {
    area.Warning(subject,
                 StrCat("may not ", SomeRights(denied.optional), ": what these serve is missing"),
                 remedy);
  }
  if (denied.needed.empty() && denied.optional.empty()) {
    area.Ok(subject, StrCat("has the ", needs.size(), " rights that it needs"));
  }
}

Json AccessReview(const Access& access, const Daemon& daemon) {
  Json attributes = Json::MakeObject({{"verb", access.verb},
                                      {"group", access.group},
                                      {"resource", access.resource},
                                      {"subresource", access.subresource},
                                      {"namespace", access.ns},
                                      {"name", access.name}});
  const std::string accounts = "system:serviceaccounts";
  Json groups = Json::MakeArray(
      {Json(accounts), Json(StrCat(accounts, ":", daemon.ns)), Json("system:authenticated")});
  Json review = Json::MakeObject();
  review.Set(
      "spec",
      Json::MakeObject({{"user", StrCat("system:serviceaccount:", daemon.ns, ":", daemon.account)},
                        {"groups", std::move(groups)},
                        {"resourceAttributes", std::move(attributes)}}));
  return review;
}

}  // namespace bth::cli
