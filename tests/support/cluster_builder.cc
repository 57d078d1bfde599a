#include "tests/support/cluster_builder.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "tests/support/cluster_text.h"
#include "tests/support/limits_text.h"
#include "tests/support/numa_text.h"
#include "tests/support/pod_text.h"

namespace bth::test {
namespace {

using model::JobId;
using model::NodeId;
using model::QueueId;
using model::ResourceSet;
using model::ResourceVec;
using model::RoleId;
using model::ShapeId;
using model::SubJobId;
using model::TaskId;
using model::TaskStatus;

std::string ResourceName(const std::string& key) {
  if (key == "mem") return "memory";
  if (key == "gpu") return "nvidia.com/gpu";
  return key;
}

// Names and texts of the amounts among a statement's words.
std::vector<std::pair<std::string, std::string>> AmountsOf(const Statement& statement) {
  std::vector<std::pair<std::string, std::string>> amounts = statement.Under("res.");
  for (const char* key : {"cpu", "mem", "gpu", "pods"}) {
    if (statement.Has(key)) amounts.emplace_back(ResourceName(key), statement.Text(key));
  }
  return amounts;
}

template <typename Enum>
Enum Lookup(const std::map<std::string, Enum>& names, const std::string& text) {
  const auto it = names.find(text);
  if (it == names.end()) throw std::invalid_argument("unknown word: " + text);
  return it->second;
}

TaskStatus ReadStatus(const Statement& task) {
  const std::string text = task.Text("status", task.Has("node") ? "running" : "pending");
  for (int s = 0; s < model::kTaskStatuses; ++s) {
    std::string name(model::StatusName(static_cast<TaskStatus>(s)));
    name[0] = static_cast<char>(std::tolower(name[0]));
    if (name == text) return static_cast<TaskStatus>(s);
  }
  throw std::invalid_argument("unknown status: " + text);
}

model::PodGroupPhase ReadPhase(const std::string& text) {
  using model::PodGroupPhase;
  return Lookup<PodGroupPhase>({{"none", PodGroupPhase::kNone},
                                {"pending", PodGroupPhase::kPending},
                                {"inqueue", PodGroupPhase::kInqueue},
                                {"running", PodGroupPhase::kRunning},
                                {"unknown", PodGroupPhase::kUnknown},
                                {"completed", PodGroupPhase::kCompleted}},
                               text);
}

// Invalid for unknown names.
template <typename Id>
Id IdOf(const std::map<std::string, Id, std::less<>>& ids, const std::string& name) {
  const auto it = ids.find(name);
  return it == ids.end() ? Id() : it->second;
}

class Builder {
 public:
  explicit Builder(std::string_view description) : statements_(ParseStatements(description)) {
    world_.symbols = std::make_shared<Interner>();
    snapshot_ = std::make_shared<model::Snapshot>();
    snapshot_->generation = 1;
    snapshot_->taken_at = absl::UnixEpoch();
  }

  World Build() {
    RefuseUnknownWords(statements_);
    ExpandJobs();
    GiveDimensions();
    ForEach("node", [this](const Statement& s) { AddNode(s); });
    ForEach("queue", [this](const Statement& s) { AddQueue(s); });
    ForEach("budget", [this](const Statement& s) { AddBudget(s); });
    snapshot_->quotas = ReadQuotas(statements_);
    ForEach("job", [this](const Statement& s) { AddJob(s); });
    ForEach("task", [this](const Statement& s) { AddTask(s); });
    Finish();
    world_.snapshot = snapshot_;
    return std::move(world_);
  }

 private:
  template <typename Body>
  void ForEach(std::string_view kind, const Body& body) {
    for (const Statement& statement : statements_) {
      if (statement.kind == kind) body(statement);
    }
  }

  // `tasks=n` of a job becomes n statements.
  void ExpandJobs() {
    std::vector<Statement> tasks;
    for (const Statement& job : statements_) {
      if (job.kind != "job") continue;
      for (int64_t i = 0; i < job.Int("tasks", 0); ++i) {
        Statement task{.kind = "task", .name = StrCat(job.name, "-", i), .args = job.args};
        task.args.emplace_back("job", job.name);
        tasks.push_back(std::move(task));
      }
    }
    statements_.insert(statements_.end(), tasks.begin(), tasks.end());
  }

  void GiveDimensions() {
    auto dims = std::make_shared<model::DimensionTable>();
    ForEach("task", [&dims](const Statement& task) {
      for (const auto& [name, amount] : AmountsOf(task)) {
        if (!dims->Add(name)) throw std::invalid_argument("too many resources: " + name);
      }
    });
    snapshot_->dims = std::move(dims);
  }

  ResourceSet ReadSet(const std::vector<std::pair<std::string, std::string>>& amounts) const {
    ResourceSet set;
    for (const auto& [key, text] : amounts) {
      const std::optional<int> dim = snapshot_->dims->Find(ResourceName(key));
      if (!dim) continue;  // Nobody asks for it.
      const double scale = snapshot_->dims->IsMilli(*dim) ? 1000 : 1;
      set.Set(*dim, std::llround(ParseQuantity(text) * scale));
    }
    return set;
  }

  // One second later for each object.
  int64_t NextCreation() { return created_us_ += 1'000'000; }

  void AddNode(const Statement& s) {
    const NodeId id = NodeId::FromIndex(snapshot_->nodes.size());
    world_.nodes[s.name] = id;
    if (s.Has("gone")) gone_.insert(id);
    auto facts = std::make_shared<model::NodeFacts>();
    facts->name = s.name;
    facts->name_symbol = world_.symbols->Intern(s.name);
    ReadNodeFacts(s, *world_.symbols, facts.get());
    ResourceVec whole = ReadSet(AmountsOf(s)).v;
    if (!s.Has("pods")) whole[model::kPods] = 110;
    facts->kube_allocatable = whole;
    const ResourceSet kube = ReadSet(s.Under("kube."));
    for (int d = 0; d < model::kDims; ++d) {
      if (kube.Has(d)) facts->kube_allocatable[d] = kube.v[d];
    }
    model::NodeRow row;
    row.facts = std::move(facts);
    row.numa = ReadNuma(s);
    if (row.numa != nullptr) ++snapshot_->numa_reports;
    if (s.Has("port")) {
      auto ports = std::make_shared<std::vector<model::HostPort>>();
      for (const std::string& text : s.All("port")) ports->push_back(ReadPort(text));
      row.ports = std::move(ports);
    }
    snapshot_->nodes.EnsureContains(id);
    snapshot_->nodes.Mutable(id) = std::move(row);
    snapshot_->allocatable.EnsureContains(id);
    snapshot_->allocatable.Mutable(id) = whole;
    snapshot_->total += whole;
    model::Usage& usage = snapshot_->usage;
    usage.idle.EnsureContains(id);
    usage.idle.Mutable(id) = whole;
    usage.releasing.EnsureContains(id);
    usage.pipelined.EnsureContains(id);
    usage.nonzero.EnsureContains(id);
  }

  void AddQueue(const Statement& s) {
    using model::QueueState;
    const QueueId id = QueueId::FromIndex(snapshot_->queues.size());
    world_.queues[s.name] = id;
    snapshot_->queues.EnsureContains(id);
    model::QueueRow& row = snapshot_->queues.Mutable(id);
    row.name = std::make_shared<const std::string>(s.name);
    row.uid = StrCat("uid-", s.name);
    row.created_us = NextCreation();
    row.weight = static_cast<int32_t>(s.Int("weight", 1));
    row.priority = static_cast<int32_t>(s.Int("prio", 0));
    row.reclaimable = s.Text("reclaimable", "true") == "true";
    row.parent = s.Text("parent");
    row.state = Lookup<QueueState>({{"open", QueueState::kOpen},
                                    {"closed", QueueState::kClosed},
                                    {"closing", QueueState::kClosing},
                                    {"unknown", QueueState::kUnknown}},
                                   s.Text("state", "open"));
    row.capability = ReadSet(s.Under("cap."));
    row.deserved = ReadSet(s.Under("deserved."));
    row.guarantee = ReadSet(s.Under("guarantee."));
    row.hierarchy = s.Text("hierarchy");
    row.hierarchy_weights = s.Text("weights");
    row.node_groups = ReadNodeGroups(s, [this](const Pairs& pairs) { return ReadSet(pairs); });
  }

  void AddBudget(const Statement& s) {
    const auto id = model::BudgetId::FromIndex(snapshot_->budgets.size());
    budgets_[s.name] = id;
    snapshot_->budgets.EnsureContains(id);
    snapshot_->budgets.Mutable(id) = ReadBudget(s);
  }

  QueueId QueueNamed(const std::string& name) {
    if (!IdOf(world_.queues, name).valid()) AddQueue({.kind = "queue", .name = name, .args = {}});
    return world_.queues[name];
  }

  void AddJob(const Statement& s) {
    const JobId id = JobId::FromIndex(snapshot_->jobs.size());
    world_.jobs[s.name] = id;
    auto facts = std::make_shared<model::JobFacts>();
    facts->ns = s.Text("ns", "ns");
    facts->name = s.name;
    facts->uid = StrCat("uid-", s.name);
    facts->created_us = NextCreation();
    if (s.Has("created")) facts->created_us = s.Int("created", 0) * 1'000'000;
    if (s.Has("wait")) {
      absl::Duration wait;
      if (!absl::ParseDuration(s.Text("wait"), &wait)) throw std::invalid_argument(s.Text("wait"));
      facts->waiting_ms = absl::ToInt64Milliseconds(wait);
    }
    facts->budget_min_available = s.Text("budget.min");
    facts->budget_max_unavailable = s.Text("budget.max");
    facts->quota_request = ReadQuota(s.Under("quota."));
    facts->task_topology = ReadTopology(s);
    const QueueId queue = QueueNamed(s.Text("queue", "default"));
    snapshot_->jobs.EnsureContains(id);
    snapshot_->usage.jobs.EnsureContains(id);
    model::JobRow& row = snapshot_->jobs.Mutable(id);
    row.facts = facts;
    row.queue = queue;
    row.min_available = static_cast<int32_t>(s.Int("min", 1));
    row.priority = static_cast<int32_t>(s.Int("prio", 0));
    row.has_pod_group = !s.Has("nogroup");
    row.preemptable = s.Has("preemptable");
    row.has_min_resources = s.Has("minres") || !s.Under("minres.").empty();
    row.min_resources = ReadSet(s.Under("minres."));
    AddRoles(s, id, row);
    AddGroups(s, id, row, *facts);
    snapshot_->usage.jobs.Mutable(id).phase = ReadPhase(s.Text("phase", "inqueue"));
    tasks_of_[id] = {};
  }

  void AddRoles(const Statement& s, JobId job, model::JobRow& row) {
    auto minimums = std::make_shared<std::vector<RoleId>>();
    if (s.Has("roles")) {
      std::vector<std::string> roles = SplitText(s.Text("roles"), ',');
      std::sort(roles.begin(), roles.end());
      for (const std::string& role : roles) {
        const std::vector<std::string> parts = SplitText(role, ':');
        int32_t minimum = 0;
        if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &minimum)) {
          throw std::invalid_argument("roles=<name>:<minimum>,…: " + role);
        }
        const RoleId id = RoleNamed(job, parts[0]);
        snapshot_->roles.Mutable(id).min_available = minimum;
        row.role_minimum_sum += minimum;
        minimums->push_back(id);
      }
    }
    row.roles = std::move(minimums);
  }

  RoleId RoleNamed(JobId job, const std::string& name) {
    const auto key = std::make_pair(job, name);
    if (const auto it = roles_.find(key); it != roles_.end()) return it->second;
    const RoleId id = RoleId::FromIndex(snapshot_->roles.size());
    snapshot_->roles.EnsureContains(id);
    snapshot_->usage.roles.EnsureContains(id);
    model::RoleRow& row = snapshot_->roles.Mutable(id);
    row.job = job;
    row.name = std::make_shared<const std::string>(name);
    return roles_[key] = id;
  }

  // The default sub-job, and the minimums per group.
  void AddGroups(const Statement& s, JobId job, model::JobRow& row, const model::JobFacts& facts) {
    auto minimums = std::make_shared<std::vector<std::pair<std::string, int32_t>>>();
    for (const auto& [group, numbers] : s.Under("group.")) {
      const std::vector<std::string> parts = SplitText(numbers, ':');
      int32_t size = 0;
      int32_t minimum = 0;
      if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &size) ||
          !absl::SimpleAtoi(parts[1], &minimum)) {
        throw std::invalid_argument("group.<name>=<size>:<minimum>: " + numbers);
      }
      group_sizes_[{job, group}] = {static_cast<int32_t>(minimums->size()), size};
      minimums->emplace_back(group, minimum);
    }
    row.has_sub_group_policy = !minimums->empty();
    const int32_t default_minimum = row.has_sub_group_policy ? 1 : row.min_available;
    row.group_minimums = std::move(minimums);
    AddSubJob(job, "", facts.Key(), -1, default_minimum);
  }

  SubJobId AddSubJob(JobId job, const std::string& name, const std::string& key, int32_t group,
                     int32_t minimum) {
    const SubJobId id = SubJobId::FromIndex(snapshot_->sub_jobs.size());
    snapshot_->sub_jobs.EnsureContains(id);
    snapshot_->usage.sub_jobs.EnsureContains(id);
    model::SubJobRow& row = snapshot_->sub_jobs.Mutable(id);
    auto facts = std::make_shared<model::SubJobFacts>();
    facts->group = group < 0 ? key : SplitText(name, '/')[0];
    facts->key = key;
    row.facts = std::move(facts);
    row.job = job;
    row.group = group;
    row.min_available = minimum;
    row.match_index = static_cast<int64_t>(sub_jobs_of_[job].size());
    sub_jobs_of_[job].push_back(id);
    return sub_jobs_[{job, name}] = id;
  }

  // "<group>/<value>"; empty: the default one.
  SubJobId SubJobNamed(JobId job, const std::string& name) {
    if (const auto it = sub_jobs_.find({job, name}); it != sub_jobs_.end()) return it->second;
    const auto size = group_sizes_.find({job, SplitText(name, '/')[0]});
    if (size == group_sizes_.end()) throw std::invalid_argument("no such group: " + name);
    const std::string key = StrCat(snapshot_->jobs[job].facts->Key(), "/", name);
    return AddSubJob(job, name, key, size->second.first, size->second.second);
  }

  ShapeId ShapeOf(const Statement& s) {
    const ResourceSet asked = ReadSet(AmountsOf(s));
    ResourceVec request = asked.v;
    request[model::kPods] = 1;
    const std::string words = ConstraintWords(s);
    const std::string key = StrCat(absl::StrJoin(request.q, ","), "|", words);
    if (const auto it = shapes_.find(key); it != shapes_.end()) return it->second;
    auto [constraints, added] =
        constraints_.try_emplace(words, model::ConstraintsId::FromIndex(constraints_.size()));
    if (added) {
      snapshot_->constraints.EnsureContains(constraints->second);
      snapshot_->constraints.Mutable(constraints->second) =
          std::make_shared<const model::PodConstraints>(ReadConstraints(s, *world_.symbols));
    }
    const ShapeId id = ShapeId::FromIndex(snapshot_->shapes.size());
    snapshot_->shapes.EnsureContains(id);
    model::ShapeRow& row = snapshot_->shapes.Mutable(id);
    row.request = request;
    row.constraints = constraints->second;
    row.best_effort = request.IsEmpty();
    row.nonzero.cpu_milli = asked.Has(model::kCpu) ? request[model::kCpu] : 100;
    row.nonzero.memory_bytes =
        asked.Has(model::kMemory) ? request[model::kMemory] : int64_t{200} << 20;
    return shapes_[key] = id;
  }

  std::shared_ptr<const model::TaskNames> NamesOf(const Statement& s) {
    auto names = std::make_shared<model::TaskNames>();
    names->ns = s.Text("ns", "ns");
    names->name = s.name;
    names->uid = StrCat("uid-", s.name);
    names->role = s.Text("role");
    names->created_us = NextCreation();
    const std::vector<std::string> parts = SplitText(s.name, '-');
    int64_t index = 0;
    if (parts.size() >= 3 && absl::SimpleAtoi(parts.back(), &index)) names->index = index;
    return names;
  }

  void AddBudgetsOf(const Statement& s, model::TaskRow* row) {
    if (!s.Has("budgets")) return;
    auto budgets = std::make_shared<std::vector<model::BudgetId>>();
    for (const std::string& name : SplitText(s.Text("budgets"), '|')) {
      budgets->push_back(budgets_.at(name));
    }
    row->budgets = std::move(budgets);
  }

  void AddTask(const Statement& s) {
    const TaskId id = TaskId::FromIndex(snapshot_->tasks.size());
    world_.tasks[s.name] = id;
    model::TaskRow row;
    row.names = NamesOf(s);
    row.shape = ShapeOf(s);
    if (s.Has("nominated")) row.nominated_node = world_.node(s.Text("nominated"));
    row.job = IdOf(world_.jobs, s.Text("job"));
    if (s.Has("job") && !row.job.valid()) throw std::invalid_argument("no job for " + s.name);
    row.priority = static_cast<int32_t>(s.Int(s.Has("tasks") ? "taskprio" : "prio", 1));
    row.preemptable = !s.Has("fixed");
    row.critical = s.Has("critical");
    row.protected_until_us = s.Int("protected", 0) * 1'000'000;
    AddBudgetsOf(s, &row);
    row.own_gate_only = s.Has("owngate");
    row.gated = s.Has("gated") || s.Has("owngate");
    if (row.job.valid()) {
      tasks_of_[row.job].push_back(id);
      row.sub_job = SubJobNamed(row.job, s.Text("sub"));
      model::SubJobRow& sub_job = snapshot_->sub_jobs.Mutable(row.sub_job);
      sub_job.priority = std::max(sub_job.priority, row.priority);
      if (s.Has("role")) row.role = RoleNamed(row.job, s.Text("role"));
    }
    model::TaskState state{.status = ReadStatus(s)};
    if (s.Has("node")) state.node = world_.node(s.Text("node"));
    model::Usage& usage = snapshot_->usage;
    usage.tasks.EnsureContains(id);
    usage.tasks.Mutable(id) = state;
    usage.Count(row, snapshot_->shapes[row.shape], state, +1);
    if (state.node.valid()) HoldPorts(state.node, snapshot_->constraints_of(row.shape).ports);
    snapshot_->tasks.EnsureContains(id);
    snapshot_->tasks.Mutable(id) = std::move(row);
  }

  void HoldPorts(NodeId node, const std::vector<model::HostPort>& ports) {
    if (ports.empty()) return;
    model::NodeRow& row = snapshot_->nodes.Mutable(node);
    auto held = std::make_shared<std::vector<model::HostPort>>();
    if (row.ports != nullptr) *held = *row.ports;
    held->insert(held->end(), ports.begin(), ports.end());
    row.ports = std::move(held);
  }

  void Finish() {
    auto nodes = std::make_shared<std::vector<NodeId>>();
    std::map<Symbol, int32_t> holders;
    for (const auto& [name, id] : world_.nodes) {
      if (gone_.contains(id)) {
        snapshot_->nodes.Mutable(id).facts = nullptr;
        snapshot_->allocatable.Mutable(id) = {};
        continue;
      }
      snapshot_->nodes.Mutable(id).name_rank = static_cast<uint32_t>(nodes->size());
      nodes->push_back(id);
      for (const auto& [image, size] : snapshot_->node_facts(id).images) ++holders[image];
    }
    snapshot_->nodes_by_name = std::move(nodes);
    auto images = std::make_shared<std::vector<model::ImageSpread>>();
    for (const auto& [image, count] : holders) images->push_back({image, count});
    snapshot_->images = std::move(images);
    auto queues = std::make_shared<std::vector<QueueId>>();
    for (const auto& [name, id] : world_.queues) queues->push_back(id);
    snapshot_->queues_by_name = std::move(queues);
    FinishJobs();
  }

  // Ids follow the order of creation.
  void FinishJobs() {
    auto all = std::make_shared<std::vector<JobId>>();
    auto active = std::make_shared<std::vector<JobId>>();
    for (JobId id : snapshot_->jobs.ids()) {
      model::JobRow& row = snapshot_->jobs.Mutable(id);
      row.tasks = std::make_shared<const std::vector<TaskId>>(std::move(tasks_of_[id]));
      row.sub_jobs = std::make_shared<const std::vector<SubJobId>>(std::move(sub_jobs_of_[id]));
      if (!row.has_pod_group) continue;
      all->push_back(id);
      const model::JobCounts& counts = snapshot_->usage.jobs[id];
      const bool done = counts.count(TaskStatus::kPending) == 0 &&
                        counts.phase == model::PodGroupPhase::kRunning &&
                        counts.ready() >= row.min_available;
      if (!done) active->push_back(id);
    }
    snapshot_->all_jobs = std::move(all);
    snapshot_->active_jobs = std::move(active);
  }

  std::vector<Statement> statements_;
  World world_;
  std::set<NodeId> gone_;  // Nodes without an object.
  std::shared_ptr<model::Snapshot> snapshot_;
  int64_t created_us_ = 0;
  std::map<JobId, std::vector<TaskId>> tasks_of_;
  std::map<JobId, std::vector<SubJobId>> sub_jobs_of_;
  std::map<std::pair<JobId, std::string>, SubJobId> sub_jobs_;
  // Position among the job's groups, and size of its sub-jobs.
  std::map<std::pair<JobId, std::string>, std::pair<int32_t, int32_t>> group_sizes_;
  std::map<std::pair<JobId, std::string>, RoleId> roles_;
  std::map<std::string, model::ConstraintsId> constraints_;
  std::map<std::string, ShapeId> shapes_;
  std::map<std::string, model::BudgetId> budgets_;
};

}  // namespace

World MakeWorld(std::string_view description) {
  return Builder(description).Build();
}

}  // namespace bth::test
