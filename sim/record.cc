#include "sim/record.h"

#include <map>
#include <optional>
#include <set>

#include "absl/strings/str_join.h"
#include "algo/queue_quotas.h"
#include "api/model/device_claims.h"
#include "api/types/quantity.h"
#include "api/types/resource.h"
#include "base/strings.h"
#include "cache/intake/compile.h"
#include "cache/writes/status_patches.h"
#include "framework/report/condition_texts.h"
#include "framework/report/queue_account.h"
#include "framework/report/report.h"
#include "scheduler/explain.h"
#include "scheduler/scheduler.h"

namespace bth::sim {
namespace {

using framework::Session;
using model::TaskId;
using model::TaskStatus;
using types::Json;

Json FromMap(std::map<std::string, Json> members) {
  Json out = Json::MakeObject();
  for (auto& [key, value] : members) out.MutableMembers().emplace_back(key, std::move(value));
  return out;
}

Json ResourceJson(const types::ResourceList& list) {
  std::map<std::string, Json> out;
  for (const auto& [name, amount] : list) out.emplace(name, amount.ToString());
  return FromMap(std::move(out));
}

// Amounts of cpu and memory always, of others where there are any; what has no limit is not told.
Json AmountsJson(const model::ResourceVec& amounts, const model::DimensionTable& dims) {
  constexpr int64_t kNoLimit = algo::kUnlimited / 2;
  cache::NamedAmounts named;
  for (int d = 0; d < dims.size(); ++d) {
    if (amounts[d] >= kNoLimit || (amounts[d] == 0 && d >= model::kPods)) continue;
    named.emplace_back(dims.name(d), amounts[d]);
  }
  return ResourceJson(cache::ToResourceList(named));
}

// What a queue deserves counts while somebody asks; else it shows what its object says.
Json QueuesJson(const CycleView& view) {
  const model::Snapshot& base = view.session.base();
  const framework::QueueAccounts accounts(view.session);
  std::set<model::QueueId> busy;
  for (model::JobId job : *base.all_jobs) busy.insert(view.session.job(job).queue);
  std::map<std::string, Json> out;
  for (const framework::QueueReport& report : view.report.queues) {
    const std::string& name = *base.queues[report.queue].name;
    Json queue = Json::MakeObject(
        {{"allocated",
          ResourceJson(cache::ToResourceList(cache::AllocatedAmounts(report, *base.dims)))}});
    std::optional<model::ResourceVec> deserved;
    if (busy.contains(report.queue)) deserved = accounts.Of(report.queue).deserved;
    if (deserved) {
      queue.Set("deserved", AmountsJson(*deserved, *base.dims));
    } else if (const auto& own = view.cluster.queues().at(name).spec.deserved; !own.empty()) {
      queue.Set("deserved", ResourceJson(own));
    }
    out.emplace(name, std::move(queue));
  }
  return FromMap(std::move(out));
}

Json ConditionJson(const std::string& type, const std::string& status, const std::string& reason,
                   const std::string& message) {
  return Json::MakeObject(
      {{"message", message}, {"reason", reason}, {"status", status}, {"type", type}});
}

Json DevicesJson(const model::DevicePlan& plan) {
  Json out = Json::MakeArray();
  if (plan.held == nullptr) return out;
  for (const model::HeldDevices& held : plan.held->held) {
    for (const model::HeldDevice& part : held.devices) {
      out.MutableItems().push_back(Json::MakeObject({{"cores", Json(int64_t{part.cores})},
                                                     {"device", Json(part.id)},
                                                     {"memory", Json(part.memory)}}));
    }
  }
  return out;
}

// What each PodGroup shows once the reports are written. One that is left alone shows what was said
// of it when it was looked at last.
Json PodGroupsJson(const CycleView& view) {
  const Session& session = view.session;
  std::map<std::string, model::JobId> jobs;
  for (const framework::PodGroupReport& report : view.report.pod_groups) {
    jobs[session.job(report.job).facts->Key()] = report.job;
  }
  for (model::JobId job : *session.base().active_jobs) {
    jobs[session.job(job).facts->Key()] = job;
  }
  for (model::JobId job : *session.base().jobs_without_queue) {
    if (!session.notes().ConditionsOf(job).empty()) jobs[session.job(job).facts->Key()] = job;
  }
  std::map<std::string, Json> out;
  for (const auto& [key, group] : view.cluster.pod_groups()) {
    std::string phase = group.status.phase;
    std::map<std::string, Json> conditions;
    for (const types::Condition& shown : group.status.conditions) {
      conditions[shown.type] = ConditionJson(shown.type, shown.status, shown.reason, shown.message);
    }
    if (auto found = jobs.find(key); found != jobs.end()) {
      phase = std::string(model::PhaseName(framework::PhaseOf(session, found->second)));
      for (const framework::ConditionReport& said : session.notes().ConditionsOf(found->second)) {
        conditions[said.type] = ConditionJson(said.type, said.status, said.reason, said.message);
      }
    }
    Json list = Json::MakeArray();
    for (auto& [type, condition] : conditions) list.MutableItems().push_back(std::move(condition));
    out[key] = Json::MakeObject(
        {{"conditions", std::move(list)}, {"phase", phase.empty() ? "Pending" : phase}});
  }
  return FromMap(std::move(out));
}

Json PendingJson(std::string_view reason, std::string_view message, Json nodes) {
  return Json::MakeObject({{"message", message}, {"nodes", std::move(nodes)}, {"reason", reason}});
}

Json NodesJson(const Session& session, TaskId task) {
  std::map<std::string, Json> nodes;
  if (const framework::TaskFit* fit = session.notes().FitOf(task)) {
    for (const framework::ReasonCount& count : fit->counts) {
      if (!count.reason.empty()) nodes[count.reason] = Json(int64_t{count.nodes});
    }
  }
  return FromMap(std::move(nodes));
}

// Why this pod of ours is not placed.
Json WaitingJson(const CycleView& view, TaskId task) {
  constexpr std::string_view kUnschedulable = "Unschedulable";
  const Session& session = view.session;
  const model::TaskRow& row = session.task(task);
  if (row.gated) {
    return PendingJson("SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates",
                       Json::MakeObject());
  }
  if (!row.job.valid() || !session.job(row.job).has_pod_group) {
    const std::string group = row.job.valid() ? session.job(row.job).facts->Key() : std::string();
    return PendingJson(kUnschedulable, scheduler::GrouplessMessage(group), Json::MakeObject());
  }
  const framework::TaskWord word = framework::DescribeTask(session, task);
  const std::string message =
      word.message.empty() ? framework::JobMessage(session, row.job) : word.message;
  Json out = PendingJson(word.reason, message, NodesJson(session, task));
  if (const auto& searches = session.notes().VictimSearchesOf(row.job); !searches.empty()) {
    out.Set("victimSearches", scheduler::VictimSearchesPage(session, searches));
  }
  return out;
}

// What claims were given: "request: driver/pool/device", with what was consumed of a shared one.
void AddClaims(const model::ClaimPlan& plan, const std::string& pod,
               std::map<std::string, Json>* out) {
  for (const model::ClaimPlan::Claim& claim : plan.claims) {
    if (claim.allocation == nullptr) continue;
    Json given = Json::MakeArray();
    for (const model::AllocatedDeviceFacts& device : claim.allocation->devices) {
      std::string text = StrCat(device.request, ": ", device.Key());
      for (const model::CapacityAmount& amount : device.consumed) {
        const auto format = amount.binary ? types::Quantity::Format::kBinarySI
                                          : types::Quantity::Format::kDecimalSI;
        StrAppend(&text, " ", amount.name, "=",
                  types::Quantity::FromMilli(amount.milli, format).ToString());
      }
      given.MutableItems().emplace_back(std::move(text));
    }
    // What is made for extended resources is named after the pod.
    (*out)[claim.key.empty() ? StrCat(pod, "-extended-resources") : claim.key] = std::move(given);
  }
}

}  // namespace

Json RecordCycle(const CycleView& view) {
  const Session& session = view.session;
  const model::Snapshot& base = session.base();
  std::map<std::string, Json> binds;
  std::map<std::string, Json> volumes;  // By claim.
  std::map<std::string, Json> devices;  // By pod: what its binding says of them.
  std::map<std::string, Json> claims;   // By claim: what it is given.
  std::set<std::string> evictions;
  for (const framework::EffectBatch& batch : view.batches) {
    for (const framework::BindEffect& bind : batch.binds) {
      const std::string& node = base.node_facts(bind.node).name;
      binds[base.tasks[bind.task].names->Key()] = Json(node);
      if (bind.devices != nullptr) {
        devices[base.tasks[bind.task].names->Key()] = DevicesJson(*bind.devices);
      }
      if (bind.claims != nullptr) {
        AddClaims(*bind.claims, base.tasks[bind.task].names->Key(), &claims);
      }
      if (bind.volumes == nullptr) continue;
      for (const model::VolumePlan::Choice& choice : bind.volumes->choices) {
        volumes[choice.claim] = choice.volume.empty()
                                    ? Json::MakeObject({{"madeFor", Json(node)}})
                                    : Json::MakeObject({{"volume", Json(choice.volume)}});
      }
    }
    for (const framework::EvictEffect& eviction : batch.evictions) {
      evictions.insert(base.tasks[eviction.victim].names->Key());
    }
  }
  std::map<std::string, Json> pipelined;
  std::map<std::string, Json> pending;
  for (TaskId task : base.tasks.ids()) {
    const model::TaskRow& row = base.tasks[task];
    if (row.names == nullptr) continue;
    const std::string key = row.names->Key();
    const model::TaskState& state = session.state(task);
    if (state.status == TaskStatus::kPipelined) {
      pipelined[key] = Json(base.node_facts(state.node).name);
    }
    const types::Pod& pod = view.cluster.pods().at(key);
    const bool waits = state.status == TaskStatus::kPending ||
                       state.status == TaskStatus::kAllocated ||
                       state.status == TaskStatus::kPipelined;
    if (waits && view.cluster.IsOurs(pod)) pending[key] = WaitingJson(view, task);
  }
  Json evicted = Json::MakeArray();
  for (const std::string& key : evictions) evicted.MutableItems().push_back(Json(key));
  std::map<std::string, Json> out;
  out.emplace("binds", FromMap(std::move(binds)));
  out.emplace("cycle", Json(view.number));
  out.emplace("evictions", std::move(evicted));
  out.emplace("pending", FromMap(std::move(pending)));
  out.emplace("pipelined", FromMap(std::move(pipelined)));
  out.emplace("podgroups", PodGroupsJson(view));
  out.emplace("queues", QueuesJson(view));
  if (!claims.empty()) out.emplace("claims", FromMap(std::move(claims)));
  if (!devices.empty()) out.emplace("devices", FromMap(std::move(devices)));
  if (!volumes.empty()) out.emplace("volumes", FromMap(std::move(volumes)));
  return FromMap(std::move(out));
}

std::string CycleText(const Json& cycle) {
  std::string out =
      StrCat("cycle ", cycle["cycle"].AsInt(), ": ", cycle["binds"].size(), " bound, ",
             cycle["pipelined"].size(), " pipelined, ", cycle["evictions"].size(), " evicted, ",
             cycle["pending"].size(), " pending\n");
  const auto text = [](const Json& json) { return ToAbsl(json.AsString()); };
  for (const auto& [pod, node] : cycle["binds"].members()) {
    StrAppend(&out, "  bind      ", pod, " to ", text(node), "\n");
  }
  for (const Json& pod : cycle["evictions"].items()) {
    StrAppend(&out, "  evict     ", text(pod), "\n");
  }
  for (const auto& [pod, node] : cycle["pipelined"].members()) {
    StrAppend(&out, "  pipeline  ", pod, " to ", text(node), "\n");
  }
  for (const auto& [key, group] : cycle["podgroups"].members()) {
    StrAppend(&out, "  podgroup  ", key, " ", text(group["phase"]), "\n");
    for (const Json& condition : group["conditions"].items()) {
      StrAppend(&out, "            ", text(condition["type"]), ": ", text(condition["reason"]),
                ": ", text(condition["message"]), "\n");
    }
  }
  for (const auto& [name, queue] : cycle["queues"].members()) {
    std::vector<std::string> amounts;
    for (const auto& [resource, amount] : queue["allocated"].members()) {
      amounts.push_back(StrCat(resource, " ", text(amount)));
    }
    StrAppend(&out, "  queue     ", name, " allocated ", absl::StrJoin(amounts, ", "), "\n");
  }
  for (const auto& [pod, why] : cycle["pending"].members()) {
    StrAppend(&out, "  pending   ", pod, " ", text(why["reason"]), ": ", text(why["message"]),
              "\n");
  }
  return out;
}

}  // namespace bth::sim
