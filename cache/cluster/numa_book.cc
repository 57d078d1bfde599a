#include "cache/cluster/numa_book.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algo/numa_cpus.h"
#include "base/strings.h"

namespace bth::cache {

using model::CpuSet;
using model::NodeId;

namespace {

// Where the system is to keep more than there is, it keeps all.
CpuSet ReservedOf(const model::NumaFacts& facts) {
  return algo::TakeByTopology(facts.layout, facts.layout.all, facts.reserved_cpus)
      .value_or(facts.layout.all);
}

}  // namespace

void NumaBook::Put(CompiledNuma compiled) {
  Confirm(compiled);
  auto [known, fresh] = reports_.try_emplace(compiled.name);
  Report& report = known->second;
  report.uid = std::move(compiled.uid);
  if (fresh) report.node = nodes_.Mention(compiled.name);
  draft_.now.numa_reports = reports_.size();
  if (fresh || *report.facts != *compiled.facts) {
    report.facts = std::move(compiled.facts);
    report.reserved = ReservedOf(*report.facts);
  }
  report.pods.clear();
  report.pods.insert(compiled.pod_uids.begin(), compiled.pod_uids.end());
  report.pods.insert(compiled.pod_keys.begin(), compiled.pod_keys.end());
  WorkOut(compiled.name, report);
  if (WriteRow(compiled.name)) draft_.NoteRoom();
}

std::string NumaBook::DecisionFor(const std::string& node, const CpuSet& cpus) const {
  const auto known = reports_.find(node);
  return known == reports_.end() ? "" : DecisionText(known->second.facts->layout, cpus);
}

// In the order of UIDs, each what those before leave.
void NumaBook::WorkOut(const std::string& name, const Report& report) {
  const auto waiting = assumed_on_.find(name);
  if (waiting == assumed_on_.end()) return;
  const model::CpuLayout& layout = report.facts->layout;
  for (const std::string& uid : waiting->second) {
    Assumed& pod = assumed_.at(uid);
    if (pod.decided.empty()) continue;
    const CpuSet free = FreeOf(name, report) - report.reserved;
    for (const auto& [id, count] : pod.decided) {
      for (size_t n = 0; n < layout.numa_ids.size(); ++n) {
        if (layout.numa_ids[n] != id) continue;
        const CpuSet there = free & layout.numa_nodes[n];
        const int left = std::min(count, static_cast<int32_t>(there.size()));
        pod.cpus |= algo::TakeByTopology(layout, there, left).value_or(CpuSet());
      }
    }
    pod.decided.clear();
  }
}

void NumaBook::Recall(const CompiledPod& pod) {
  const auto report = reports_.find(pod.node_name);
  const bool is_known = report != reports_.end();
  if (is_known && (report->second.pods.contains(pod.names.uid) ||
                   report->second.pods.contains(pod.names.Key()))) {
    return;
  }
  assumed_[pod.names.uid] = {
      .pod_key = pod.names.Key(), .node = pod.node_name, .cpus = {}, .decided = pod.numa_decision};
  assumed_on_[pod.node_name].insert(pod.names.uid);
  if (!is_known) return;
  WorkOut(pod.node_name, report->second);
  if (WriteRow(pod.node_name)) draft_.NoteRoom();
}

void NumaBook::Remove(const std::string& name) {
  const auto known = reports_.find(name);
  if (known == reports_.end()) return;
  const NodeId node = known->second.node;
  reports_.erase(known);
  draft_.now.numa_reports = reports_.size();
  nodes_.SetNuma(node, nullptr);
  nodes_.Unmention(node);
  draft_.NoteRoom();
}

std::string_view NumaBook::UidOf(std::string_view node) const {
  const auto known = reports_.find(ToAbsl(node));
  return known == reports_.end() ? std::string_view() : std::string_view(known->second.uid);
}

void NumaBook::Confirm(const CompiledNuma& report) {
  const auto waiting = assumed_on_.find(report.name);
  if (waiting == assumed_on_.end()) return;
  const auto lists = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (auto uid = waiting->second.begin(); uid != waiting->second.end();) {
    const auto assumed = assumed_.find(*uid);
    if (lists(report.pod_uids, *uid) || lists(report.pod_keys, assumed->second.pod_key)) {
      assumed_.erase(assumed);
      uid = waiting->second.erase(uid);
    } else {
      ++uid;
    }
  }
  if (waiting->second.empty()) assumed_on_.erase(waiting);
}

void NumaBook::Assume(std::string_view uid, std::string_view pod_key, std::string_view node,
                      const CpuSet& cpus) {
  Forget(uid);
  const std::string name(node);
  assumed_[std::string(uid)] = {
      .pod_key = std::string(pod_key), .node = name, .cpus = cpus, .decided = {}};
  assumed_on_[name].emplace(uid);
  WriteRow(name);  // The cycle that decided this has counted it already.
}

void NumaBook::Forget(std::string_view uid) {
  const auto known = assumed_.find(ToAbsl(uid));
  if (known == assumed_.end()) return;
  const std::string node = std::move(known->second.node);
  assumed_.erase(known);
  const auto on_node = assumed_on_.find(node);
  on_node->second.erase(on_node->second.find(uid));
  if (on_node->second.empty()) assumed_on_.erase(on_node);
  if (WriteRow(node)) draft_.NoteRoom();
}

void NumaBook::Follow(const CompiledPod& pod) {
  if (assumed_.empty() && pod.numa_decision.empty()) return;
  const bool ended = model::InGroup(pod.status, model::kCompletedGroup);
  const auto known = assumed_.find(pod.names.uid);
  if (known == assumed_.end()) {
    if (!pod.numa_decision.empty() && !pod.node_name.empty() && !ended) Recall(pod);
    return;
  }
  const bool elsewhere = !pod.node_name.empty() && pod.node_name != known->second.node;
  if (elsewhere || ended) Forget(pod.names.uid);
}

CpuSet NumaBook::FreeOf(const std::string& name, const Report& report) const {
  CpuSet free = report.facts->allocatable;
  const auto waiting = assumed_on_.find(name);
  if (waiting == assumed_on_.end()) return free;
  for (const std::string& uid : waiting->second) free -= assumed_.at(uid).cpus;
  return free;
}

bool NumaBook::WriteRow(const std::string& name) {
  const auto known = reports_.find(name);
  if (known == reports_.end()) return false;
  const Report& report = known->second;
  const model::NodeNuma* shown = draft_.now.nodes[report.node].numa.get();
  const CpuSet free = FreeOf(name, report);
  if (shown != nullptr && shown->facts == report.facts && shown->free == free) return false;
  nodes_.SetNuma(report.node,
                 std::make_shared<const model::NodeNuma>(model::NodeNuma{
                     .facts = report.facts, .reserved = report.reserved, .free = free}));
  return true;
}

absl::Status NumaBook::Check(IdVector<NodeId, int32_t>* mentions) const {
  for (const auto& [name, report] : reports_) {
    mentions->EnsureContains(report.node);
    ++(*mentions)[report.node];
    const auto wrong = [&n = name](const char* what) {
      return absl::InternalError(StrCat("CPUs of node ", n, ": ", what));
    };
    if (nodes_.NameOf(report.node) != name) return wrong("in the row of another one");
    const model::NodeNuma* shown = draft_.now.nodes[report.node].numa.get();
    if (shown == nullptr || shown->facts != report.facts) return wrong("not in its row");
    if (shown->free != FreeOf(name, report)) return wrong("others are free than its row says");
  }
  if (draft_.now.numa_reports != reports_.size()) {
    return absl::InternalError("CPUs: other reports than snapshots say");
  }
  size_t waiting = 0;
  for (const auto& [node, uids] : assumed_on_) waiting += uids.size();
  if (waiting != assumed_.size()) return absl::InternalError("CPUs: pods wait twice or nowhere");
  return absl::OkStatus();
}

}  // namespace bth::cache
