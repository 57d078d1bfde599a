#include "sim/compare.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "sim/simulation.h"

namespace bth::sim {
namespace {

using types::Json;

constexpr std::string_view kGroupNameAnnotation = "scheduling.k8s.io/group-name";
constexpr std::string_view kJobNameLabel = "volcano.sh/job-name";
constexpr std::string_view kFates[] = {"stays", "placed", "promised", "waits", "evicted"};

struct Fate {
  std::string_view fate = "waits";  // One of kFates.
  std::string node;
  std::string reason;
  std::string message;
};

// Whose pod it is.
struct Owner {
  std::string key;  // "ns/name", or empty.
  std::string kind;
  std::string queue;

  friend auto operator<=>(const Owner&, const Owner&) = default;
};

// Under one policy; pods by "ns/name".
struct Course {
  std::map<std::string, Fate> fates;
  std::map<std::string, Owner> owners;
  std::set<std::string> notes;
};

Json FateJson(const Fate& fate) {
  if (fate.fate != "waits") {
    return Json::MakeObject({{"fate", std::string(fate.fate)}, {"node", fate.node}});
  }
  return Json::MakeObject({{"fate", "waits"}, {"message", fate.message}, {"reason", fate.reason}});
}

// Each run of digits becomes one.
std::string WithoutNumbers(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      out.push_back(c);
    } else if (out.empty() || out.back() != '0') {
      out.push_back('0');
    }
  }
  return out;
}

bool SameFate(const Fate& a, const Fate& b) {
  return a.fate == b.fate && a.node == b.node && a.reason == b.reason &&
         WithoutNumbers(a.message) == WithoutNumbers(b.message);
}

bool Counts(const Cluster& cluster, const types::Pod& pod) {
  return cluster.IsOurs(pod) && pod.status.phase != "Succeeded" && pod.status.phase != "Failed";
}

// What a cycle did with pods that had a fate before it.
void FollowCycle(const Json& cycle, std::map<std::string, Fate>* fates) {
  const auto set = [fates](std::string_view pod, std::string_view fate, std::string_view node) {
    const auto found = fates->find(std::string(pod));
    if (found == fates->end()) return;
    // A victim goes from where it is.
    std::string at = node.empty() ? found->second.node : std::string(node);
    found->second = {fate, std::move(at), "", ""};
  };
  for (const auto& [pod, node] : cycle["binds"].members()) set(pod, "placed", node.AsString());
  for (const Json& pod : cycle["evictions"].items()) set(pod.AsString(), "evicted", "");
}

// Whoever still waits after the last cycle, and for what.
void TellWaiting(const Json& cycle, std::map<std::string, Fate>* fates) {
  for (const auto& [pod, why] : cycle["pending"].members()) {
    const auto found = fates->find(pod);
    if (found == fates->end() || found->second.fate != "waits") continue;
    found->second.reason = why["reason"].AsString();
    found->second.message = why["message"].AsString();
  }
  for (const auto& [pod, node] : cycle["pipelined"].members()) {
    const auto found = fates->find(pod);
    if (found == fates->end() || found->second.fate != "waits") continue;
    found->second = {"promised", std::string(node.AsString()), "", ""};
  }
}

Owner OwnerOf(const types::Pod& pod, const Cluster& cluster) {
  const std::string_view group = pod.meta.Annotation(kGroupNameAnnotation);
  if (group.empty()) return {};
  Owner owner{StrCat(pod.meta.ns, "/", group), "PodGroup", ""};
  const auto found = cluster.pod_groups().find(owner.key);
  if (found != cluster.pod_groups().end()) owner.queue = found->second.spec.queue;
  if (const std::string_view job = pod.meta.Label(kJobNameLabel); !job.empty()) {
    owner.key = StrCat(pod.meta.ns, "/", job);
    owner.kind = "Job";
  }
  return owner;
}

absl::StatusOr<Course> Follow(Cluster cluster, const ComparedPolicy& side, int cycles,
                              const framework::Registry& registry) {
  Course course;
  for (const auto& [kind, count] : cluster.unused()) {
    course.notes.insert(StrCat(count, " of kind ", kind, " have no effect here"));
  }
  std::vector<conf::Finding> findings;
  auto simulation =
      Simulation::Create(std::move(cluster), side.policy, registry, {.apply = true}, &findings);
  if (!simulation.ok()) return Annotate(simulation.status(), side.name);
  for (const conf::Finding& finding : findings) {
    course.notes.insert(StrCat(side.name, ": ", conf::ToString(finding)));
  }
  const Cluster& filled = (*simulation)->cluster();  // With the pods of batch jobs.
  for (const auto& [key, pod] : filled.pods()) {
    if (!Counts(filled, pod)) continue;
    course.owners[key] = OwnerOf(pod, filled);
    const bool runs = !pod.spec.node_name.empty();
    course.fates[key] = {runs ? "stays" : "waits", pod.spec.node_name, "", ""};
  }
  for (int cycle = 0; cycle < cycles; ++cycle) {
    BTH_RETURN_IF_ERROR(Annotate((*simulation)->RunCycle(), side.name));
    FollowCycle((*simulation)->cycles().back(), &course.fates);
  }
  TellWaiting((*simulation)->cycles().back(), &course.fates);
  return course;
}

struct JobDifferences {
  int64_t pods = 0;
  Json list = Json::MakeArray();
};

Json JobsJson(const std::map<Owner, JobDifferences>& jobs) {
  Json out = Json::MakeArray();
  for (const auto& [owner, differences] : jobs) {
    if (differences.list.items().empty()) continue;
    out.MutableItems().push_back(Json::MakeObject({{"differences", differences.list},
                                                   {"job", owner.key},
                                                   {"kind", owner.kind},
                                                   {"pods", differences.pods},
                                                   {"queue", owner.queue}}));
  }
  return out;
}

Json FatesJson(const Course& before, const Course& after) {
  Json out = Json::MakeArray();
  for (const std::string_view fate : kFates) {
    const auto count = [fate](const Course& course) {
      int64_t pods = 0;
      for (const auto& [pod, had] : course.fates) pods += had.fate == fate ? 1 : 0;
      return pods;
    };
    const int64_t counts[] = {count(before), count(after)};
    if (counts[0] == 0 && counts[1] == 0) continue;
    out.MutableItems().push_back(Json::MakeObject(
        {{"after", counts[1]}, {"before", counts[0]}, {"fate", std::string(fate)}}));
  }
  return out;
}

}  // namespace

absl::StatusOr<Json> ComparePolicies(const Cluster& cluster, const ComparedPolicy& before,
                                     const ComparedPolicy& after, int cycles,
                                     const framework::Registry& registry) {
  BTH_ASSIGN_OR_RETURN(const Course old_course, Follow(cluster, before, cycles, registry));
  BTH_ASSIGN_OR_RETURN(const Course new_course, Follow(cluster, after, cycles, registry));
  std::map<Owner, JobDifferences> jobs;
  int64_t differ = 0;
  for (const auto& [key, old_fate] : old_course.fates) {
    const Fate& new_fate = new_course.fates.at(key);
    JobDifferences& job = jobs[old_course.owners.at(key)];
    ++job.pods;
    if (SameFate(old_fate, new_fate)) continue;
    ++differ;
    job.list.MutableItems().push_back(Json::MakeObject(
        {{"after", FateJson(new_fate)}, {"before", FateJson(old_fate)}, {"pod", key}}));
  }
  std::set<std::string> notes = old_course.notes;
  notes.insert(new_course.notes.begin(), new_course.notes.end());
  Json told = Json::MakeArray();
  for (const std::string& note : notes) told.MutableItems().push_back(Json(note));
  return Json::MakeObject({{"after", after.name},
                           {"before", before.name},
                           {"cycles", int64_t{cycles}},
                           {"differ", differ},
                           {"fates", FatesJson(old_course, new_course)},
                           {"jobs", JobsJson(jobs)},
                           {"notes", std::move(told)},
                           {"pods", static_cast<int64_t>(old_course.fates.size())}});
}

}  // namespace bth::sim
