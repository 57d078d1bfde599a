#include "framework/nodes/node_judge.h"

#include <algorithm>
#include <limits>

#include "base/row_at.h"
#include "base/strings.h"
#include "framework/nodes/global_scan.h"
#include "framework/nodes/static_fit.h"

namespace bth::framework {
namespace {

using model::NodeId;
using model::NodeRange;
using model::ShapeId;
using model::TaskId;

NodeRange OnlyNode(NodeId node) {
  return {node.index(), node.index() + 1};
}

// What the filter says to the subject, a task or a shape, about the node.
template <typename Filter, typename Subject>
ReasonId Ask(const Filter& filter, const Subject& subject, NodeId node) {
  ReasonId verdict = kFits;
  filter(subject, OnlyNode(node), absl::Span<ReasonId>(&verdict, 1));
  return verdict;
}

}  // namespace

NodeJudge::NodeJudge(Session& session) : session_(session) {
  for (int d = 0; d < session.dims().size(); ++d) {
    missing_.push_back(session.reasons().RegisterLack(
        static_cast<size_t>(d), StrCat("Insufficient ", session.dims().name(d))));
  }
}

AskedRoom NodeJudge::RoomAskedBy(TaskId task) const {
  const model::ResourceVec& request = session_.request(task);
  const model::DimensionTable& dims = session_.dims();
  AskedRoom out;
  for (int d = 0; d < dims.size(); ++d) {
    if (request[d] > 0) out.dims[out.count++] = static_cast<uint8_t>(d);
  }
  const auto named = std::find_if(out.dims.begin(), out.dims.begin() + out.count,
                                  [](uint8_t d) { return d >= model::kFixedDims; });
  std::sort(named, out.dims.begin() + out.count,
            [&dims](uint8_t a, uint8_t b) { return dims.name(a) < dims.name(b); });
  return out;
}

// kFits: what the task asks for is free, now or when releasing pods have left.
ReasonId NodeJudge::MissingOf(const model::ResourceVec& request, const AskedRoom& asked,
                              NodeId node) const {
  const model::Usage& usage = session_.usage();
  const model::ResourceVec& idle = usage.idle[node];
  const model::ResourceVec& releasing = usage.releasing[node];
  const model::ResourceVec& pipelined = usage.pipelined[node];
  for (size_t i = 0; i < asked.count; ++i) {
    const int d = asked.dims[i];
    if (request[d] > idle[d] + releasing[d] - pipelined[d]) return missing_[asked.dims[i]];
  }
  return kFits;
}

ReasonId NodeJudge::HoldsOff(TaskId task) const {
  for (const auto& entry : session_.hooks().pre_filter) {
    if (const ReasonId reason = entry.fn(task); reason != kFits) return reason;
  }
  return kFits;
}

bool NodeJudge::PassesStatic(TaskId task, NodeId node) const {
  if (!session_.base().nodes.Contains(node) || !session_.base().nodes[node].has_object())
    return false;
  const auto fit = session_.context().static_fits->Get(
      session_, session_.shape(session_.task(task).shape).constraints);
  return RowAt(fit->refusal, node) == kFits;
}

ReasonId NodeJudge::BeyondHelp(TaskId task, NodeId node) const {
  for (const auto& entry : session_.hooks().usage_filter) {
    const ReasonId verdict = Ask(entry.fn, session_.task(task).shape, node);
    if (session_.reasons().Aborts(verdict)) return verdict;
  }
  for (const auto& entry : session_.hooks().global_filter) {
    if (!entry.fn.concerns(task)) continue;
    const ReasonId verdict = Ask(entry.fn, task, node);
    if (session_.reasons().Aborts(verdict)) return verdict;
  }
  return kFits;
}

NodeJudge::Objection NodeJudge::Against(TaskId task, NodeId node) const {
  const model::TaskRow& row = session_.task(task);
  if (!session_.request(task).FitsIn(session_.usage().FutureIdle(node))) return {Rule::kRoom};
  if (!session_.votes().Allocatable(session_.job(row.job).queue, task)) return {Rule::kQueue};
  for (const auto& entry : session_.hooks().usage_filter) {
    const ReasonId verdict = Ask(entry.fn, row.shape, node);
    if (verdict != kFits) return {Rule::kFilter, verdict};
  }
  const ReasonId verdict = GlobalRefusal(session_, task, node);
  return verdict == kFits ? Objection() : Objection{Rule::kFilter, verdict};
}

bool NodeJudge::HasRoomNow(TaskId task, NodeId node) const {
  if (!session_.request(task).FitsIn(session_.usage().idle[node])) return false;
  const auto& filters = session_.hooks().now_filter;
  return std::all_of(filters.begin(), filters.end(), [&](const auto& entry) {
    return Ask(entry.fn, session_.task(task).shape, node) == kFits;
  });
}

void NodeJudge::CollectReasons(TaskId task, NodeId node, bool check_resources,
                               std::vector<ReasonId>* out) const {
  if (!check_resources) return CollectReasons(task, node, AskedRoom(), out);
  CollectReasons(task, node, RoomAskedBy(task), out);
}

void NodeJudge::CollectReasons(TaskId task, NodeId node, const AskedRoom& asked,
                               std::vector<ReasonId>* out) const {
  const HookTable& hooks = session_.hooks();
  const ShapeId shape = session_.task(task).shape;
  if (session_.shard().Refuses(node)) {
    out->push_back(session_.shard().reason());
    return;
  }
  const ReasonId missing = MissingOf(session_.shape(shape).request, asked, node);
  if (missing != kFits) {
    out->push_back(missing);
    return;
  }
  const model::PodConstraints& constraints = session_.base().constraints_of(shape);
  // Filters are asked in order of registration. Those of one plugin are all asked unless one
  // aborts; those of a later plugin only if nothing was found before.
  std::string_view refused_by;
  bool aborted = false;
  const auto skip = [&](const HookOrigin& origin) {
    return aborted || (!out->empty() && origin.plugin != refused_by);
  };
  const auto take = [&](const HookOrigin& origin, ReasonId verdict) {
    if (verdict == kFits) return;
    out->push_back(verdict);
    refused_by = origin.plugin;
    aborted = session_.reasons().Aborts(verdict);
  };
  const auto ask = [&](const auto& entry, const auto& subject) {
    if (!skip(entry.origin)) take(entry.origin, Ask(entry.fn, subject, node));
  };
  size_t u = 0;
  size_t s = 0;
  size_t g = 0;
  const auto position = [](const auto& list, size_t i) {
    return i < list.size() ? list[i].origin.position : std::numeric_limits<int>::max();
  };
  for (size_t left =
           hooks.usage_filter.size() + hooks.static_filter.size() + hooks.global_filter.size();
       left > 0; --left) {
    const int pu = position(hooks.usage_filter, u);
    const int ps = position(hooks.static_filter, s);
    const int pg = position(hooks.global_filter, g);
    if (pu < ps && pu < pg) {
      ask(hooks.usage_filter[u++], shape);
    } else if (ps < pg) {
      ask(hooks.static_filter[s++], constraints);
    } else {
      ask(hooks.global_filter[g++], task);
    }
  }
}

bool NodeJudge::MayTakeKindOf(TaskId task, NodeId node) const {
  if (session_.shard().Refuses(node) || !PassesStatic(task, node)) return false;
  const ShapeId shape = session_.task(task).shape;
  const model::ShapeRow& row = session_.shape(shape);
  if (!row.best_effort && !row.request.FitsIn(session_.usage().FutureIdle(node))) return false;
  for (const auto& entry : session_.hooks().usage_filter) {
    if (Ask(entry.fn, shape, node) != kFits) return false;
  }
  const auto& filters = session_.hooks().global_filter;
  return std::none_of(filters.begin(), filters.end(), [&](const auto& entry) {
    return entry.fn.by_queue && entry.fn.concerns(task) && Ask(entry.fn, task, node) != kFits;
  });
}

bool NodeJudge::HasDevicesFor(TaskId task, NodeId node) const {
  const auto& filters = session_.hooks().global_filter;
  const bool fits = std::none_of(filters.begin(), filters.end(), [&](const auto& entry) {
    return Has(entry.fn.follows, AnswerSource::kDevices) && entry.fn.concerns(task) &&
           Ask(entry.fn, task, node) != kFits;
  });
  // A search that was given up because others had searched says nothing about this task.
  return fits || !FollowsOnly(session_, task, kNodeByNode);
}

}  // namespace bth::framework
