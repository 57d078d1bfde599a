#include "scheduler/extender/wire.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "api/types/time.h"
#include "base/row_at.h"
#include "base/strings.h"
#include "scheduler/extender/json_text.h"

namespace bth::scheduler::extender {
namespace {

using framework::Session;
using model::JobId;
using model::NodeId;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;

// Scalars in thousandths, pods whole, as Volcano counts them.
std::string ResourceText(const ResourceVec& amounts, const model::DimensionTable& dims,
                         int64_t pods_max = 0) {
  ObjectText scalars;
  bool any = false;
  for (int d = 0; d < dims.size(); ++d) {
    if (d == model::kCpu || d == model::kMemory || amounts[d] == 0) continue;
    int64_t shown = 0;
    if (__builtin_mul_overflow(amounts[d], dims.DisplayFactor(d), &shown)) {
      shown = std::numeric_limits<int64_t>::max();
    }
    scalars.Int(dims.name(d), shown);
    any = true;
  }
  ObjectText out;
  out.Int("MilliCPU", amounts[model::kCpu]).Int("Memory", amounts[model::kMemory]);
  out.Raw("ScalarResources", any ? scalars.Take() : "null").Int("MaxTaskNum", pods_max);
  return out.Take();
}

std::string TimeText(int64_t us) {
  return us == 0 ? "null" : types::Json(types::FormatTimestamp(absl::FromUnixMicros(us))).Dump();
}

// A resource list of the API: cpu and extended resources in thousandths, the rest in units.
std::string ListText(const model::ResourceSet& set, const model::DimensionTable& dims) {
  ObjectText out;
  for (int d = 0; d < dims.size(); ++d) {
    if (!set.Has(d)) continue;
    out.Text(dims.name(d), StrCat(set.v[d], dims.IsMilli(d) ? "m" : ""));
  }
  return out.Take();
}

// Keys alone of a task without its pod take that much.
constexpr size_t kTaskBytesMin = 512;

bool Keeps(const std::shared_ptr<const std::string>& document, Documents* documents) {
  return document != nullptr && (documents == nullptr || documents->Keeps(*document));
}

std::string PodText(const model::TaskRow& task, std::string_view node, Documents* documents) {
  if (Keeps(task.document, documents)) return *task.document;
  ObjectText meta;
  meta.Text("name", task.names->name).Text("namespace", task.names->ns);
  meta.Text("uid", task.names->uid);
  ObjectText spec;
  if (!node.empty()) spec.Text("nodeName", node);
  ObjectText out;
  out.Raw("metadata", meta.Take()).Raw("spec", spec.Take()).Raw("status", "{}");
  return out.Take();
}

std::string NodeNameOf(const Session& session, NodeId node) {
  if (!node.valid() || !session.base().nodes[node].has_object()) return "";
  return session.node(node).name;
}

std::string JobKey(const Session& session, JobId job) {
  return job.valid() ? session.job(job).facts->Key() : "";
}

std::string QueueOf(const Session& session, JobId id) {
  const model::JobRow& job = session.job(id);
  return job.queue.valid() ? *session.queue(job.queue).name : job.facts->queue;
}

std::string AmountsText(const std::vector<model::QuotaAmount>& amounts) {
  ObjectText out;
  for (const model::QuotaAmount& amount : amounts) out.Text(amount.name, amount.text);
  return out.Take();
}

// Minimums by role.
std::string RolesText(const Session& session, const model::JobRow& job) {
  ObjectText out;
  if (job.roles == nullptr) return out.Take();
  for (model::RoleId role : *job.roles) {
    out.Int(*session.base().roles[role].name, session.base().roles[role].min_available);
  }
  return out.Take();
}

// What the job itself asks of the network, as the API has it.
std::string TopologyText(const model::JobFacts& facts) {
  using Mode = model::NetworkTopologySpec::Mode;
  if (facts.topology.empty() || facts.topology.front().mode == Mode::kNone) return "null";
  const model::NetworkTopologySpec& wanted = facts.topology.front();
  ObjectText out;
  out.Text("mode", wanted.mode == Mode::kSoft ? "soft" : "hard");
  if (wanted.highest_tier) out.Int("highestTierAllowed", *wanted.highest_tier);
  if (!wanted.highest_tier_name.empty()) out.Text("highestTierName", wanted.highest_tier_name);
  return out.Take();
}

std::string PodGroupText(const Session& session, JobId id) {
  const model::JobRow& job = session.job(id);
  const model::JobCounts& counts = session.counts(id);
  ObjectText meta;
  meta.Text("name", job.facts->name).Text("namespace", job.facts->ns);
  meta.Text("uid", job.facts->uid).Raw("creationTimestamp", TimeText(job.facts->created_us));
  ObjectText spec;
  spec.Int("minMember", job.min_available).Text("queue", QueueOf(session, id));
  if (job.roles != nullptr) spec.Raw("minTaskMember", RolesText(session, job));
  // Under all their names, also those that no pod asks for.
  if (job.has_min_resources) spec.Raw("minResources", AmountsText(job.facts->quota_request));
  if (const std::string topology = TopologyText(*job.facts); topology != "null") {
    spec.Raw("networkTopology", topology);
  }
  ObjectText status;
  status.Text("phase", model::PhaseName(counts.phase));
  status.Int("running", counts.count(model::TaskStatus::kRunning));
  status.Int("succeeded", counts.count(model::TaskStatus::kSucceeded));
  status.Int("failed", counts.count(model::TaskStatus::kFailed));
  ObjectText out;
  out.Raw("metadata", meta.Take()).Raw("spec", spec.Take()).Raw("status", status.Take());
  out.Text("Version", "v1beta1");
  return out.Take();
}

// {status code: {UID: task}} of some tasks, without their pods.
std::string StatusIndexText(const Session& session, const std::vector<TaskId>& tasks) {
  std::map<uint32_t, ObjectText> by_code;
  for (TaskId task : tasks) {
    by_code[model::StatusBit(session.state(task).status)].Raw(
        session.task(task).names->uid, TaskText(session, task, /*with_pod=*/false));
  }
  ObjectText out;
  for (auto& [code, text] : by_code) out.Raw(StrCat(code), text.Take());
  return out.Take();
}

std::string SubJobText(const Session& session, JobId job, model::SubJobId id) {
  const model::SubJobRow& row = session.base().sub_jobs[id];
  std::vector<TaskId> members;
  ObjectText tasks;
  for (TaskId task : *session.job(job).tasks) {
    if (session.task(task).sub_job != id) continue;
    members.push_back(task);
    tasks.Raw(session.task(task).names->uid, TaskText(session, task, /*with_pod=*/false));
  }
  ObjectText out;
  out.Text("GID", row.facts->group).Text("UID", row.facts->key).Text("Job", JobKey(session, job));
  out.Int("MinAvailable", row.min_available).Int("Priority", row.priority);
  out.Int("MatchIndex", row.match_index).Raw("Tasks", tasks.Take());
  out.Raw("TaskStatusIndex", StatusIndexText(session, members));
  out.Text("AllocatedHyperNode", "").Text("NominatedHyperNode", "").Null("NetworkTopology");
  return out.Take();
}

std::string LoadText(const Session& session, const std::string& node) {
  ObjectText out;
  const model::NodeLoads* loads = session.base().loads.get();
  const auto load = loads == nullptr ? model::NodeLoads::const_iterator() : loads->find(node);
  if (loads == nullptr || load == loads->end()) {
    return out.Null("MetricsTime").Raw("CPUUsageAvg", "{}").Raw("MEMUsageAvg", "{}").Take();
  }
  ObjectText cpu;
  ObjectText memory;
  cpu.Double("10m", load->second.cpu_percent);
  memory.Double("10m", load->second.memory_percent);
  out.Raw("MetricsTime", TimeText(load->second.measured_at_us));
  return out.Raw("CPUUsageAvg", cpu.Take()).Raw("MEMUsageAvg", memory.Take()).Take();
}

std::string NamespacesText(const Session& session) {
  ObjectText out;
  if (session.base().quotas == nullptr) return out.Take();
  for (const auto& [ns, rows] : *session.base().quotas) {
    ObjectText quotas;
    for (const model::QuotaRow& row : rows) {
      ObjectText quota;
      quota.Raw("hard", AmountsText(row.hard)).Raw("used", AmountsText(row.used));
      quotas.Raw(row.name, quota.Take());
    }
    ObjectText entry;
    out.Raw(ns, entry.Text("Name", ns).Raw("QuotaStatus", quotas.Take()).Take());
  }
  return out.Take();
}

}  // namespace

bool Documents::Keeps(const std::string& document) {
  if (document.size() <= bytes_max) return true;
  ++left_out[document.size()];
  return false;
}

const std::vector<TaskId>& NodeTasks::On(const Session& session, NodeId node) {
  if (!known_ || version_ != session.placements().version()) {
    by_node_.assign(session.base().nodes.size(), {});
    for (TaskId task : session.base().tasks.ids()) {
      const model::TaskState& state = session.state(task);
      if (session.task(task).names == nullptr || !state.node.valid()) continue;
      RowAt(by_node_, state.node).push_back(task);
    }
    known_ = true;
    version_ = session.placements().version();
  }
  return RowAt(by_node_, node);
}

std::string TaskText(const Session& session, TaskId id, bool with_pod, Documents* documents) {
  const model::TaskRow& task = session.task(id);
  const model::TaskState& state = session.state(id);
  const model::ShapeRow& shape = session.shape(task.shape);
  const model::PodConstraints& pod = session.base().constraints_of(task.shape);
  const std::string request = ResourceText(shape.request, session.dims());
  const std::string node = NodeNameOf(session, state.node);
  ObjectText out;
  out.Text("UID", task.names->uid).Text("Job", JobKey(session, task.job));
  out.Text("Name", task.names->name).Text("Namespace", task.names->ns);
  out.Text("TaskRole", task.names->role).Raw("Resreq", request).Raw("InitResreq", request);
  out.Null("DRAResreq").Null("ResourceClaimKeys").Null("ResourceClaimDRAResreq");
  out.Text("NodeName", node).Bool("EvictionOccurred", state.evicts);
  out.Text("JobAllocatedHyperNode", "").Int("Status", model::StatusBit(state.status));
  out.Null("LastTransaction").Int("Priority", task.priority).Bool("VolumeReady", false);
  out.Bool("Preemptable", task.preemptable).Bool("BestEffort", shape.best_effort);
  out.Bool("HasRestartableInitContainer", pod.has_sidecar).Bool("SchGated", task.gated);
  out.Text("RevocableZone", pod.revocable ? "*" : "").Null("NumaInfo");
  out.Raw("Pod", with_pod ? PodText(task, node, documents) : "null").Null("PodAnnotations");
  out.Bool("CustomBindErrHandlerSucceeded", false);
  return out.Take();
}

std::string NodeText(const Session& session, NodeId id, const std::vector<TaskId>& on_node,
                     Documents* documents) {
  const model::NodeFacts& facts = session.node(id);
  const model::DimensionTable& dims = session.dims();
  const ResourceVec& allocatable = session.base().allocatable[id];
  const ResourceVec& idle = session.usage().idle[id];
  ResourceVec capacity;
  capacity[model::kCpu] = facts.capacity_cpu_milli;
  capacity[model::kMemory] = facts.capacity_memory_bytes;
  const ResourceVec lent = allocatable - facts.kube_allocatable;
  ObjectText tasks;
  for (TaskId task : on_node) {
    tasks.Raw(session.task(task).names->uid, TaskText(session, task, /*with_pod=*/true, documents));
  }
  ObjectText out;
  out.Text("Name", facts.name);
  if (Keeps(facts.document, documents)) {
    out.Raw("Node", *facts.document);
  } else {
    ObjectText meta;
    ObjectText node;
    out.Raw("Node", node.Raw("metadata", meta.Text("name", facts.name).Take()).Take());
  }
  out.Raw("State", R"({"Phase":1,"Reason":""})");
  out.Raw("Releasing", ResourceText(session.usage().releasing[id], dims));
  out.Raw("Pipelined", ResourceText(session.usage().pipelined[id], dims));
  const int64_t pods = allocatable[model::kPods];
  out.Raw("Idle", ResourceText(idle, dims, pods));
  out.Raw("Used", ResourceText(allocatable - idle, dims));
  out.Raw("Allocatable", ResourceText(allocatable, dims, pods));
  out.Raw("Capacity", ResourceText(capacity, dims, pods));
  out.Raw("ResourceUsage", LoadText(session, facts.name)).Raw("Tasks", tasks.Take());
  out.Null("NumaInfo").Null("UnassignedNumaPods").Null("NumaSchedulerInfo");
  out.Text("RevocableZone", facts.revocable_zone).Null("Others");
  out.Bool("OversubscriptionNode", lent != ResourceVec()).Bool("OfflineJobEvicting", false);
  out.Raw("OversubscriptionResource", ResourceText(lent, dims)).Null("ImageStates");
  out.Int("Generation", 0).Int("BindGeneration", 0);
  return out.Take();
}

size_t TaskBytesMin(const Session& session, TaskId task) {
  const auto& document = session.task(task).document;
  return kTaskBytesMin + (document == nullptr ? 0 : document->size());
}

size_t JobBytesMin(const Session& session, JobId job) {
  size_t bytes = 0;
  // Each is there a second time, without its pod, by its status.
  for (TaskId task : *session.job(job).tasks) bytes += TaskBytesMin(session, task) + kTaskBytesMin;
  return bytes;
}

size_t NodeBytesMin(const Session& session, NodeId node, const std::vector<TaskId>& tasks) {
  const auto& document = session.node(node).document;
  size_t bytes = document == nullptr ? 0 : document->size();
  for (TaskId task : tasks) bytes += TaskBytesMin(session, task);
  return bytes;
}

std::string JobText(const Session& session, JobId id, Documents* documents) {
  const model::JobRow& job = session.job(id);
  const model::JobFacts& facts = *job.facts;
  const model::JobCounts& counts = session.counts(id);
  ObjectText tasks;
  ObjectText sub_job_of;
  for (TaskId task : *job.tasks) {
    tasks.Raw(session.task(task).names->uid, TaskText(session, task, /*with_pod=*/true, documents));
    const model::SubJobId sub_job = session.task(task).sub_job;
    if (!sub_job.valid()) continue;
    sub_job_of.Text(session.task(task).names->uid, session.base().sub_jobs[sub_job].facts->key);
  }
  ObjectText sub_jobs;
  if (job.sub_jobs != nullptr) {
    for (model::SubJobId sub_job : *job.sub_jobs) {
      sub_jobs.Raw(session.base().sub_jobs[sub_job].facts->key, SubJobText(session, id, sub_job));
    }
  }
  ObjectText groups;
  if (job.group_minimums != nullptr) {
    for (const auto& [group, minimum] : *job.group_minimums) groups.Int(group, minimum);
  }
  ObjectText budget;
  budget.Text("MinAvailable", facts.budget_min_available);
  budget.Text("MaxUnavailable", facts.budget_max_unavailable);
  ObjectText out;
  out.Text("UID", facts.Key()).Text("PgUID", facts.uid).Text("Name", facts.name);
  out.Text("Namespace", facts.ns).Text("Queue", QueueOf(session, id)).Int("Priority", job.priority);
  out.Int("MinAvailable", job.min_available);
  constexpr int64_t kNanosPerMilli = 1'000'000;
  out.Raw("WaitingTime", facts.waiting_ms ? StrCat(*facts.waiting_ms * kNanosPerMilli) : "null");
  out.Text("JobFitErrors", "").Raw("NodesFitErrors", "{}").Text("AllocatedHyperNode", "");
  out.Raw("NetworkTopology", TopologyText(facts)).Raw("SubJobs", sub_jobs.Take());
  out.Raw("TaskToSubJob", sub_job_of.Take()).Raw("MinSubJobs", groups.Take());
  out.Raw("TaskStatusIndex", StatusIndexText(session, *job.tasks)).Raw("Tasks", tasks.Take());
  out.Raw("TaskMinAvailable", RolesText(session, job))
      .Int("TaskMinAvailableTotal", job.role_minimum_sum);
  out.Raw("Allocated", ResourceText(counts.allocated, session.dims()));
  out.Raw("TotalRequest", ResourceText(counts.request, session.dims()));
  out.Raw("CreationTimestamp", TimeText(facts.created_us));
  out.Raw("PodGroup", PodGroupText(session, id)).Null("ScheduleStartTimestamp");
  out.Bool("Preemptable", job.preemptable).Text("RevocableZone", facts.revocable_zone);
  out.Raw("Budget", budget.Take());
  return out.Take();
}

std::string QueueText(const Session& session, QueueId id) {
  const model::QueueRow& queue = session.queue(id);
  constexpr std::string_view kStates[] = {"Open", "Closed", "Closing", "Unknown"};
  ObjectText meta;
  meta.Text("name", *queue.name).Text("uid", queue.uid);
  meta.Raw("creationTimestamp", TimeText(queue.created_us));
  ObjectText guarantee;
  guarantee.Raw("resource", ListText(queue.guarantee, session.dims()));
  ObjectText spec;
  spec.Int("weight", queue.weight).Raw("capability", ListText(queue.capability, session.dims()));
  spec.Bool("reclaimable", queue.reclaimable).Raw("guarantee", guarantee.Take());
  if (!queue.parent.empty()) spec.Text("parent", queue.parent);
  spec.Raw("deserved", ListText(queue.deserved, session.dims()));
  if (queue.priority != 0) spec.Int("priority", queue.priority);
  if (!queue.dequeue_strategy.empty()) spec.Text("dequeueStrategy", queue.dequeue_strategy);
  ObjectText status;
  status.Text("state", kStates[static_cast<size_t>(queue.state)]);
  ObjectText object;
  object.Raw("metadata", meta.Take()).Raw("spec", spec.Take()).Raw("status", status.Take());
  ObjectText out;
  out.Text("UID", *queue.name).Text("Name", *queue.name).Int("Weight", queue.weight);
  out.Text("Weights", queue.hierarchy_weights).Text("Hierarchy", queue.hierarchy);
  return out.Raw("Queue", object.Take()).Take();
}

namespace {

size_t SessionBytesMin(const Session& session, NodeTasks& node_tasks) {
  size_t bytes = 0;
  for (JobId job : *session.base().all_jobs) bytes += JobBytesMin(session, job);
  for (NodeId node : *session.base().nodes_by_name) {
    bytes += NodeBytesMin(session, node, node_tasks.On(session, node));
  }
  return bytes;
}

}  // namespace

std::string SessionText(const Session& session, NodeTasks& node_tasks, size_t bytes_max,
                        Documents* documents) {
  const bool has_all = documents == nullptr || documents->has_all();
  if (has_all && SessionBytesMin(session, node_tasks) > bytes_max) return "";
  ObjectText jobs;
  for (JobId job : *session.base().all_jobs) {
    jobs.Raw(session.job(job).facts->Key(), JobText(session, job, documents));
    if (jobs.size() > bytes_max) return "";
  }
  ObjectText nodes;
  ObjectText revocable;
  for (NodeId node : *session.base().nodes_by_name) {
    const std::string text = NodeText(session, node, node_tasks.On(session, node), documents);
    nodes.Raw(session.node(node).name, text);
    if (!session.node(node).revocable_zone.empty()) {
      // What is left out of it is counted a second time by writing it anew.
      revocable.Raw(
          session.node(node).name,
          has_all ? text : NodeText(session, node, node_tasks.On(session, node), documents));
    }
    if (nodes.size() + revocable.size() + jobs.size() > bytes_max) return "";
  }
  ObjectText queues;
  for (QueueId queue : *session.base().queues_by_name) {
    queues.Raw(*session.queue(queue).name, QueueText(session, queue));
  }
  ObjectText out;
  out.Raw("Jobs", jobs.Take()).Raw("Nodes", nodes.Take()).Raw("Queues", queues.Take());
  out.Raw("NamespaceInfo", NamespacesText(session)).Raw("RevocableNodes", revocable.Take());
  std::string text = out.Null("NodeList").Take();
  return text.size() > bytes_max ? "" : text;
}

std::string TextWithin(TextBounds bounds, absl::FunctionRef<std::string(Documents&)> write,
                       Documents& documents) {
  const auto fits = [&](const std::string& text) {
    return !text.empty() && text.size() <= bounds.bytes_max;
  };
  std::string text = write(documents);
  if (fits(text)) return text;
  documents = {.bytes_max = 0};
  text = write(documents);
  if (!fits(text)) return "";
  size_t room = bounds.trimmed_bytes_max - std::min(text.size(), bounds.trimmed_bytes_max);
  size_t kept_bytes_max = 0;
  for (const auto& [bytes, count] : documents.left_out) {
    if (bytes > room / count) break;
    room -= bytes * count;
    kept_bytes_max = bytes;
  }
  if (kept_bytes_max == 0) return text;
  documents = {.bytes_max = kept_bytes_max};
  return write(documents);
}

}  // namespace bth::scheduler::extender
