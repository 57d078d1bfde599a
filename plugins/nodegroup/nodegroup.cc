#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algo/resource_algebra.h"
#include "base/status.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/node_text_column.h"
#include "plugins/nodegroup/group_rules.h"

namespace bth::plugins {
namespace {

using framework::FitCode;
using framework::HookRegistrar;
using framework::ReasonId;
using framework::Session;
using framework::TaskMove;
using model::JobId;
using model::NodeId;
using model::NodeRange;
using model::QueueId;
using model::ResourceSet;
using model::ResourceVec;
using model::TaskId;

struct NodeGroupOptions {
  bool strict = true;
  bool preferred_order = false;
};

struct Reasons {
  ReasonId bad_limits = 0;
  ReasonId no_group = 0;
  ReasonId no_affinity = 0;
  ReasonId refused = 0;
  ReasonId over_limit = 0;
};

// What a session knows of one queue. Groups are numbers of the column.
struct QueueView {
  bool bad_limits = false;
  bool unset = true;                                  // No affinity, or one that lists nothing.
  std::vector<nodegroup::GroupVerdict> verdicts;      // By group.
  absl::flat_hash_map<uint32_t, ResourceSet> limits;  // By limited group.
  absl::flat_hash_map<uint32_t, ResourceVec> used;    // Of limited groups.
};

// What one session knows of its queues and of what they hold in groups of nodes. Made in time
// linear in queues x groups and in the tasks of queues with limits. Thread: scheduling.
class QueueViews {
 public:
  QueueViews(const Session& session, const NodeTextColumn& groups, bool preferred_order,
             bool inherit)
      : session_(session), groups_(groups), preferred_order_(preferred_order) {
    for (QueueId queue : *session.base().queues_by_name) queues_[queue] = ViewOf(queue, inherit);
    CountUse();
  }

  // Null: the task belongs to no queue.
  const QueueView* Of(TaskId task) const {
    const JobId job = session_.task(task).job;
    if (!job.valid() || !session_.job(job).queue.valid()) return nullptr;
    return &queues_.at(session_.job(job).queue);
  }

  // The task comes to the node with this amount, or leaves it with less than nothing.
  void Count(TaskId task, NodeId node, const ResourceVec& amount) {
    const JobId job = session_.task(task).job;
    if (!job.valid() || !session_.job(job).queue.valid() || !node.valid()) return;
    Add(queues_.at(session_.job(job).queue), groups_[node], amount);
  }

 private:
  QueueView ViewOf(QueueId id, bool inherit) const {
    QueueView view;
    // Limits are a queue's own.
    if (const auto& own = session_.queue(id).node_groups; own != nullptr) {
      view.bad_limits = own->limits_invalid;
      for (const auto& [group, limit] : own->limits) {
        const auto& texts = groups_.texts();
        const auto at = std::find(texts.begin() + 1, texts.end(), group);
        if (at == texts.end()) continue;  // No node of this group is known.
        view.limits[static_cast<uint32_t>(at - texts.begin())] = limit;
      }
    }
    const model::NodeGroupRules* rules = nodegroup::AffinityOf(session_.base(), id, inherit);
    if (rules == nullptr) return view;
    view.unset = rules->lists_nothing();
    for (const std::string& group : groups_.texts()) {
      view.verdicts.push_back(nodegroup::Judge(*rules, group, preferred_order_));
    }
    return view;
  }

  // What the tasks of queues with limits hold.
  void CountUse() {
    for (JobId job : *session_.base().all_jobs) {
      QueueView& queue = queues_.at(session_.job(job).queue);
      if (queue.limits.empty()) continue;
      for (TaskId task : *session_.job(job).tasks) {
        const model::TaskState& state = session_.state(task);
        if (!model::InGroup(state.status, model::kAllocatedGroup) || !state.node.valid()) continue;
        Add(queue, groups_[state.node], session_.request(task));
      }
    }
  }

  static void Add(QueueView& queue, uint32_t group, const ResourceVec& amount) {
    if (queue.limits.contains(group)) queue.used[group] += amount;
  }

  const Session& session_;
  const NodeTextColumn& groups_;
  const bool preferred_order_;
  absl::flat_hash_map<QueueId, QueueView> queues_;
};

// Keeps the groups of nodes between sessions. Thread: scheduling.
class NodeGroup final : public framework::Plugin {
 public:
  explicit NodeGroup(NodeGroupOptions options) : options_(options) {}
  std::string_view name() const override { return "nodegroup"; }
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kNodeRoom);
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    groups_.Advance(session.base());
    auto& queues = session.Keep<QueueViews>(session, groups_, options_.preferred_order,
                                            hooks.hierarchy_enabled());
    AddFilters(session, queues, hooks);
    const auto score = [this, &queues](TaskId task, absl::Span<const NodeId> nodes,
                                       absl::Span<double> sum) {
      const QueueView* queue = queues.Of(task);
      if (queue == nullptr || queue->verdicts.empty()) return;
      for (size_t i = 0; i < nodes.size(); ++i) {
        const uint32_t group = groups_[nodes[i]];
        if (group != 0) sum[i] += queue->verdicts[group].score;
      }
    };
    hooks.ScoreGlobal({score,
                       [&queues](TaskId task) {
                         const QueueView* queue = queues.Of(task);
                         return queue != nullptr && !queue->verdicts.empty();
                       },
                       /*only_by_queue=*/true});
    hooks.OnPlace([&session, &queues](const TaskMove& move) {
      queues.Count(move.task, move.after.node, session.request(move.task));
    });
    hooks.OnRemove([&session, &queues](const TaskMove& move) {
      queues.Count(move.task, move.before.node, ResourceVec() - session.request(move.task));
    });
    return absl::OkStatus();
  }

 private:
  // What affinity says holds all session long; what limits leave, other nodes of the group decide.
  void AddFilters(Session& session, const QueueViews& queues, HookRegistrar& hooks) {
    const Reasons reasons = RegisterReasons(session);
    const auto by_affinity = [this, &queues, reasons](TaskId task, NodeRange block,
                                                      absl::Span<ReasonId> out) {
      const QueueView* queue = queues.Of(task);
      if (queue == nullptr) return;
      for (NodeId node : block) {
        out[block.Offset(node)] = Verdict(*queue, groups_[node], reasons);
      }
    };
    hooks.FilterGlobal({by_affinity, [&queues](TaskId task) { return queues.Of(task) != nullptr; },
                        /*only_by_queue=*/true});
    const auto by_limits = [this, &session, &queues, over = reasons.over_limit](
                               TaskId task, NodeRange block, absl::Span<ReasonId> out) {
      const QueueView* queue = queues.Of(task);
      if (queue == nullptr) return;
      for (NodeId node : block) {
        if (OverLimit(*queue, groups_[node], session.request(task))) {
          out[block.Offset(node)] = over;
        }
      }
    };
    hooks.FilterGlobal({by_limits, [&queues](TaskId task) {
                          const QueueView* queue = queues.Of(task);
                          return queue != nullptr && !queue->limits.empty();
                        }});
  }

  static Reasons RegisterReasons(Session& session) {
    const auto reason = [&session](std::string_view text) {
      return session.reasons().Register(FitCode::kUnresolvable, text);
    };
    return {.bad_limits = reason("node group resource limit annotation invalid"),
            .no_group = reason("node group label not found"),
            .no_affinity = reason("node group affinity not specified"),
            .refused = reason("node does not satisfy the node group affinity"),
            .over_limit = reason("node group resource limit exceeded")};
  }

  ReasonId Verdict(const QueueView& queue, uint32_t group, const Reasons& reasons) const {
    if (queue.bad_limits) return reasons.bad_limits;
    if (group == 0) {
      return !options_.strict && queue.unset ? framework::kFits : reasons.no_group;
    }
    if (queue.unset) return reasons.no_affinity;
    return queue.verdicts[group].allowed ? framework::kFits : reasons.refused;
  }

  static bool OverLimit(const QueueView& queue, uint32_t group, const ResourceVec& request) {
    const auto limit = queue.limits.find(group);
    if (limit == queue.limits.end()) return false;
    const auto used = queue.used.find(group);
    const ResourceVec future = used == queue.used.end() ? request : used->second + request;
    return algo::DimsOver(future, limit->second.v, limit->second.present) != 0;
  }

  const NodeGroupOptions options_;
  NodeTextColumn groups_{
      [](const model::NodeFacts& facts) -> const std::string& { return facts.node_group; }};
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNodeGroup(const conf::Arguments& args) {
  NodeGroupOptions options;
  BTH_ASSIGN_OR_RETURN(options.strict, args.Bool("strict", true));
  BTH_ASSIGN_OR_RETURN(options.preferred_order, args.Bool("enablePreferredOrder", false));
  return std::make_unique<NodeGroup>(options);
}

}  // namespace bth::plugins
