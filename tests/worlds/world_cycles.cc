#include "tests/worlds/world_cycles.h"

#include <stdexcept>
#include <utility>

#include "actions/builtin.h"
#include "base/strings.h"
#include "conf/load.h"
#include "framework/report/report.h"
#include "framework/session/invariants.h"
#include "framework/topology/topology.h"
#include "plugins/builtin.h"
#include "tests/support/boundless.h"
#include "tests/support/counting_sink.h"

namespace bth::test {
namespace {

const framework::Registry& AllBuiltin() {
  static const auto* const registry = [] {
    auto* made = new framework::Registry();
    plugins::RegisterBuiltinPlugins(*made);
    actions::RegisterBuiltinActions(*made);
    RegisterBoundless(*made);
    return made;
  }();
  return *registry;
}

template <typename T>
T OrThrow(absl::StatusOr<T> result) {
  if (!result.ok()) throw std::runtime_error(std::string(result.status().message()));
  return *std::move(result);
}

}  // namespace

const char kFullConf[] = R"(
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
)";

absl::Status BindRecorder::Submit(framework::EffectBatch batch) {
  for (const framework::BindEffect& bind : batch.binds) {
    const std::string pod = batch.snapshot->tasks[bind.task].names->Key();
    const bool fresh = binds_.emplace(pod, batch.snapshot->node_facts(bind.node).name).second;
    if (!fresh) throw std::logic_error("bound twice: " + pod);
  }
  for (const framework::EvictEffect& evict : batch.evictions) {
    evictions_.insert(batch.snapshot->tasks[evict.victim].names->Key());
  }
  batches_.push_back(std::move(batch));
  return absl::OkStatus();
}

namespace {

std::unique_ptr<framework::PolicyInstance> MakePolicy(std::string_view conf) {
  const framework::Registry& registry = AllBuiltin();
  auto policy = std::make_shared<const conf::Policy>(
      OrThrow(conf::ParsePolicy(conf, registry.Names())).policy);
  std::vector<conf::Finding> findings;
  return OrThrow(framework::PolicyInstance::Create(policy, registry, &findings));
}

// What is kept of each HyperNode is what one counts who asks its nodes.
void RequireDomainSums(const framework::Session& session) {
  if (session.base().hyper_nodes == nullptr) return;
  const model::HyperNodeTree& tree = *session.base().hyper_nodes;
  for (size_t i = 0; i < tree.rows.size(); ++i) {
    const model::HyperNodeId id = model::HyperNodeId::FromIndex(i);
    const framework::DomainSum counted =
        framework::CountDomain(session.base(), session.usage(), tree[id]);
    if (!framework::SameAmounts(session.topology().sums().Of(id), counted)) {
      throw std::runtime_error(StrCat("sums of HyperNode ", tree[id].name, " are wrong"));
    }
  }
}

CycleResult ResultOf(const framework::Session& session, const BindRecorder& sink) {
  const model::Snapshot& snapshot = session.base();
  RequireDomainSums(session);
  CycleResult result;
  result.binds = sink.binds();
  result.evictions = sink.evictions();
  for (const framework::EffectBatch& batch : sink.batches()) {
    for (const framework::BindEffect& bind : batch.binds) {
      if (bind.devices == nullptr && bind.cpus == nullptr) continue;
      result.given[batch.snapshot->tasks[bind.task].names->Key()] = {bind.devices, bind.cpus};
    }
  }
  result.jobs_considered = static_cast<int64_t>(session.active_jobs().size());
  const std::set<model::JobId> active(session.active_jobs().begin(), session.active_jobs().end());
  for (const model::JobId job : *session.base().active_jobs) {
    if (active.contains(job)) continue;
    for (const model::TaskId task : *session.job(job).tasks) {
      result.left_alone.insert(snapshot.tasks[task].names->Key());
    }
  }
  for (const framework::PodGroupReport& group : sink.report().pod_groups) {
    result.phases[snapshot.jobs[group.job].facts->Key()] =
        std::string(model::PhaseName(group.phase));
  }
  for (const framework::PodReport& pod : sink.report().pods) {
    result.words[snapshot.tasks[pod.task].names->Key()] = StrCat(pod.reason, ": ", *pod.message);
  }
  for (const framework::QueueReport& queue : sink.report().queues) {
    std::vector<int64_t>& amounts = result.queues[*snapshot.queues[queue.queue].name];
    amounts.assign(queue.allocated.q.begin(), queue.allocated.q.end());
  }
  for (const auto& violations :
       {framework::CheckInvariants(session), framework::CheckEffects(session, sink.batches()),
        framework::CheckReport(session, sink.report())}) {
    for (const framework::Violation& violation : violations) {
      result.violations.push_back(violation.invariant + ": " + violation.detail);
    }
  }
  return result;
}

}  // namespace

namespace {

// What is kept of those who were left alone is what one counts who asks all of them.
void RequireGateCounts(const framework::Cycle& cycle) {
  using framework::Gate;
  const framework::Session& session = cycle.session();
  framework::GateCounts counted;
  for (const auto* jobs :
       {session.base().active_jobs.get(), session.base().jobs_without_queue.get()}) {
    for (const model::JobId job : *jobs) {
      const Gate gate = framework::ExplainJob(session, job).gate;
      const model::JobCounts& counts = session.counts(job);
      counted.Add({gate, int64_t{counts.count(model::TaskStatus::kPending)} +
                             counts.count(model::TaskStatus::kPipelined)});
    }
  }
  const framework::GateCounts kept = cycle.gate_counts();
  for (size_t i = 0; i < framework::kGates; ++i) {
    const auto gate = static_cast<Gate>(i);
    if (kept.jobs(gate) == counted.jobs(gate) && kept.tasks(gate) == counted.tasks(gate)) continue;
    throw std::runtime_error(StrCat("held at ", framework::GateName(gate), ": ", kept.jobs(gate),
                                    " jobs and ", kept.tasks(gate), " tasks, counted ",
                                    counted.jobs(gate), " and ", counted.tasks(gate)));
  }
}

}  // namespace

PolicyBed::PolicyBed(std::string_view conf)
    : clock_(absl::FromUnixSeconds(1'000'000)), policy_(MakePolicy(conf)) {}

size_t PolicyBed::RunOnce(std::shared_ptr<const model::Snapshot> snapshot) {
  CountingSink sink;
  Run(std::move(snapshot), sink);
  return sink.binds();
}

CycleResult PolicyBed::RunFully(std::shared_ptr<const model::Snapshot> snapshot) {
  BindRecorder sink;
  const std::unique_ptr<framework::Cycle> cycle = Run(std::move(snapshot), sink);
  RequireGateCounts(*cycle);
  return ResultOf(cycle->session(), sink);
}

CycleResult PolicyBed::LookAtAll(std::shared_ptr<const model::Snapshot> snapshot) {
  BindRecorder sink;
  const auto cycle = Run(std::move(snapshot), sink, /*looks_at_all=*/true);
  return ResultOf(cycle->session(), sink);
}

std::unique_ptr<framework::Cycle> PolicyBed::Run(std::shared_ptr<const model::Snapshot> snapshot,
                                                 framework::EffectSink& sink, bool looks_at_all) {
  framework::SessionContext context;
  context.snapshot = std::move(snapshot);
  context.sink = &sink;
  context.clock = &clock_;
  context.uid = "session";
  auto cycle = std::make_unique<framework::Cycle>(*policy_, std::move(context), looks_at_all);
  const absl::Status status = cycle->Run();
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
  jobs_considered_ = cycle->stats().jobs_considered;
  return cycle;
}

Bed::Bed(std::shared_ptr<const model::Snapshot> snapshot, std::string_view conf)
    : clock_(absl::FromUnixSeconds(1'000'000)), policy_(MakePolicy(conf)) {
  Reopen(std::move(snapshot));
}

void Bed::Reopen(std::shared_ptr<const model::Snapshot> snapshot) {
  cycle_.reset();
  framework::SessionContext context;
  context.snapshot = std::move(snapshot);
  context.sink = &sink_;
  context.clock = &clock_;
  context.uid = "session";
  cycle_ = std::make_unique<framework::Cycle>(*policy_, std::move(context));
}

namespace {

std::string Joined(const std::map<std::string, std::string>& binds) {
  std::string text;
  for (const auto& [pod, node] : binds) StrAppend(&text, " ", pod, ">", node);
  return text;
}

std::string GivenIn(const CycleResult& result) {
  std::string text;
  for (const auto& [pod, given] : result.given) {
    StrAppend(&text, " ", pod, " card ", result.CardOf(pod), " cpus");
    for (const int cpu : result.CpusOf(pod)) StrAppend(&text, " ", cpu);
  }
  return text;
}

}  // namespace

std::string CycleResult::CardOf(const std::string& pod) const {
  const auto known = given.find(pod);
  if (known == given.end() || known->second.devices == nullptr) return "";
  for (const auto& [key, value] : known->second.devices->annotations) {
    if (key == "volcano.sh/gpu-index") return value;
  }
  return "";
}

std::set<int> CycleResult::CpusOf(const std::string& pod) const {
  std::set<int> cpus;
  const auto known = given.find(pod);
  if (known == given.end() || known->second.cpus == nullptr) return cpus;
  known->second.cpus->ForEach([&cpus](int cpu) { cpus.insert(cpu); });
  return cpus;
}

std::string FirstContradiction(const CycleResult& part, const CycleResult& whole) {
  if (part.binds != whole.binds) {
    return StrCat("bindings: ", Joined(part.binds), " | ", Joined(whole.binds));
  }
  if (GivenIn(part) != GivenIn(whole)) {
    return StrCat("what pods are given: ", GivenIn(part), " | ", GivenIn(whole));
  }
  if (part.evictions != whole.evictions) return "evictions differ";
  if (part.queues != whole.queues) return "what queues hold differs";
  const auto counts_of = [](const std::string& text) {
    return text.substr(0, text.find(" Origin reason is "));
  };
  const auto contradicts = [&](const auto& told, const auto& all) {
    for (const auto& [key, value] : told) {
      const auto same = all.find(key);
      if (same == all.end()) return StrCat(key, ": ", value, " | nothing");
      if (part.left_alone.contains(key) && counts_of(same->second) == counts_of(value)) continue;
      if (same->second != value) return StrCat(key, ": ", value, " | ", same->second);
    }
    return std::string();
  };
  std::string phases = contradicts(part.phases, whole.phases);
  return phases.empty() ? contradicts(part.words, whole.words) : phases;
}

CycleResult RunCycle(std::shared_ptr<const model::Snapshot> snapshot, std::string_view conf) {
  return PolicyBed(conf).RunFully(std::move(snapshot));
}

}  // namespace bth::test
