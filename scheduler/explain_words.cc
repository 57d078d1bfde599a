#include "scheduler/explain_words.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "api/model/quantity_text.h"
#include "base/strings.h"
#include "framework/report/condition_texts.h"

namespace bth::scheduler {
namespace {

using framework::Session;
using model::JobId;
using model::NodeId;
using model::ResourceVec;
using model::ShapeId;
using model::TaskId;
using model::TaskStatus;

constexpr size_t kUidBytes = 36;
constexpr uint32_t kWaitingGroup = model::StatusBit(TaskStatus::kPending) |
                                   model::StatusBit(TaskStatus::kPipelined) |
                                   model::StatusBit(TaskStatus::kAllocated);

// `kubectl -n default describe vcjob train`: of the batch job where there is one.
std::string Describe(const model::JobFacts& facts) {
  const std::string_view group = facts.name;
  const std::string_view job =
      group.substr(0, group.size() - std::min(group.size(), kUidBytes + 1));
  const bool batch = !job.empty() && IsGroupOfBatchJob(group, job);
  return StrCat("kubectl -n ", facts.ns, " describe ", batch ? "vcjob " : "podgroup ",
                batch ? job : group);
}

// The most of each resource that a node has; nothing when the cluster has no nodes.
std::optional<ResourceVec> LargestAmounts(const Session& session) {
  std::optional<ResourceVec> largest;
  for (NodeId node : *session.base().nodes_by_name) {
    const ResourceVec& amounts = session.base().allocatable[node];
    if (!largest.has_value()) largest = amounts;
    for (int d = 0; d < model::kDims; ++d) (*largest)[d] = std::max((*largest)[d], amounts[d]);
  }
  return largest;
}

bool SomeNodeHolds(const Session& session, const ResourceVec& request) {
  const std::vector<NodeId>& nodes = *session.base().nodes_by_name;
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](NodeId node) { return request.FitsIn(session.base().allocatable[node]); });
}

std::string NeverFits(const Session& session, TaskId task, const ResourceVec& largest) {
  constexpr absl::string_view kRemedy =
      "no node of this cluster can ever hold it; lower the request or add a node that is large "
      "enough";
  const ResourceVec& request = session.request(task);
  if (SomeNodeHolds(session, request)) return "";
  const std::string pod = session.task(task).names->Key();
  const model::DimensionTable& dims = session.dims();
  const model::DimMask over = (request - largest).Positive() & request.Positive();
  if (over != 0) {
    return StrCat(pod, " asks for ", model::AmountsText(over, request, dims),
                  " and the largest node has ", model::AmountsText(over, largest, dims), ": ",
                  kRemedy);
  }
  const model::DimMask asked = request.Positive() & ~(model::DimMask{1} << model::kPods);
  return StrCat(pod, " asks for ", model::AmountsText(asked, request, dims),
                " and no node has all of it, even when nothing runs there: ", kRemedy);
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' || c == '.';
  });
}

// `kubectl -n default describe KIND NAME`; empty when that is no "ns/name".
std::string DescribeUnknown(std::string_view key, absl::string_view kind) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return "";
  const std::string_view ns = key.substr(0, slash);
  const std::string_view name = key.substr(slash + 1);
  if (!IsName(ns) || !IsName(name)) return "";
  return StrCat("kubectl -n ", ns, " describe ", kind, " ", name);
}

constexpr absl::string_view kUnknown = "the last cycle knew no such pod or job";
constexpr absl::string_view kNoKey = ": a namespace and a name are asked for, as in default/train";

}  // namespace

bool IsGroupOfBatchJob(std::string_view group, std::string_view job) {
  if (group.size() != job.size() + 1 + kUidBytes || !group.starts_with(job)) return false;
  const std::string_view uid = group.substr(job.size());
  return uid[0] == '-' && uid[9] == '-' && uid[14] == '-' && uid[19] == '-' && uid[24] == '-';
}

std::string LostWords(const Session& session, TaskId task) {
  const model::TaskState& state = session.state(task);
  if (!model::InGroup(state.status, model::kPreemptableGroup)) return "";
  if (state.node.valid() && session.base().nodes[state.node].has_object()) return "";
  return StrCat(session.task(task).names->Key(),
                " is bound to a node that does not exist: see its spec.nodeName");
}

std::string UnheldWords(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  if (counts.total() == 0) {
    return counts.phase == model::PodGroupPhase::kCompleted ? "no pod of it is left"
                                                            : "no pod of it is known here";
  }
  if (counts.Count(kWaitingGroup) > 0) return "";
  for (TaskId task : *session.job(job).tasks) {
    if (std::string lost = LostWords(session, task); !lost.empty()) return lost;
  }
  return StrCat("no pod of it waits for a node: ",
                absl::StrJoin(framework::CountsByStatus(counts), ", "));
}

std::string WhyNoPods(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  if (counts.total() > 0 || counts.phase == model::PodGroupPhase::kCompleted) return "";
  if (session.IsPendingPhase(job)) return "";  // Pods are made after the admission.
  return StrCat("either no pods were made, or they name another scheduler (spec.schedulerName): ",
                Describe(*session.job(job).facts));
}

std::string NeverFits(const Session& session, JobId job) {
  constexpr size_t kShapesMax = 100;
  if (session.counts(job).count(TaskStatus::kPending) == 0) return "";
  const std::optional<ResourceVec> largest = LargestAmounts(session);
  if (!largest.has_value()) return "";
  absl::flat_hash_set<ShapeId> seen;
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != TaskStatus::kPending) continue;
    if (!seen.insert(session.task(task).shape).second) continue;
    if (std::string words = NeverFits(session, task, *largest); !words.empty()) return words;
    if (seen.size() == kShapesMax) break;
  }
  return "";
}

std::string NeverFits(const Session& session, TaskId task) {
  if (session.state(task).status != TaskStatus::kPending) return "";
  const std::optional<ResourceVec> largest = LargestAmounts(session);
  return largest.has_value() ? NeverFits(session, task, *largest) : "";
}

std::string UnknownJobWords(std::string_view job) {
  const std::string look = DescribeUnknown(job, "vcjob");
  if (look.empty()) return StrCat(kUnknown, kNoKey);
  return StrCat(kUnknown, ": the name is wrong, or the controllers hold the job back: ", look);
}

std::string UnknownPodWords(std::string_view pod) {
  const std::string look = DescribeUnknown(pod, "pod");
  if (look.empty()) return StrCat(kUnknown, kNoKey);
  return StrCat(kUnknown, ": the name is wrong, or the pod names another scheduler: ", look);
}

}  // namespace bth::scheduler
