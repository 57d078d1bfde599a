#include "sim/trace/figures.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace bth::trace {
namespace {

// Jobs that belong together while they are counted.
struct Gathered {
  GroupFigures figures;
  std::vector<double> waits_s;
  std::vector<double> slowdowns;

  void Add(const TraceJob& job, const JobCourse& course, const model::ResourceVec& shape) {
    if (course.submitted_ms < 0) return;
    ++figures.jobs;
    figures.evictions += course.evictions;
    for (size_t d = 0; d < model::kDims; ++d) {
      figures.lost[d] += __int128{shape.q[d]} * course.lost_ms;
    }
    if (course.started_ms < 0) {
      ++figures.never_started;
      return;
    }
    waits_s.push_back(static_cast<double>(course.started_ms - course.submitted_ms) / 1000);
    if (course.end == JobCourse::End::kOpen) ++figures.unended;
    if (course.end == JobCourse::End::kFailed) ++figures.failed;
    if (course.end != JobCourse::End::kDone) return;
    ++figures.done;
    const double response_s = static_cast<double>(course.ended_ms - course.submitted_ms) / 1000;
    slowdowns.push_back(BoundedSlowdown(response_s, static_cast<double>(job.run_s)));
  }
  GroupFigures Take() {
    figures.wait_s = SpreadOf(std::move(waits_s));
    figures.slowdown = SpreadOf(std::move(slowdowns));
    return std::move(figures);
  }
};

std::vector<GroupFigures> Gather(const Trace& trace, const Replay& replay, const NameTable& names,
                                 const std::function<size_t(const TraceJob&)>& group_of) {
  std::vector<Gathered> groups(names.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].figures.name = names[static_cast<uint32_t>(i)];
  }
  for (size_t i = 0; i < trace.jobs.size(); ++i) {
    const TraceJob& job = trace.jobs[i];
    groups[group_of(job)].Add(job, replay.courses[i], trace.shapes[job.shape]);
  }
  std::vector<GroupFigures> out;
  out.reserve(groups.size());
  for (Gathered& group : groups) out.push_back(group.Take());
  return out;
}

// Of the whole, in time that is there.
double ShareOf(__int128 amount_ms, int64_t capacity, double span_ms) {
  if (capacity <= 0 || span_ms <= 0) return 0;
  return static_cast<double>(amount_ms) / static_cast<double>(capacity) / span_ms;
}

void Weigh(const QueueUse& queue, const model::ResourceVec& capacity, double span_ms,
           QueueFigures* out) {
  for (size_t d = 0; d < model::kDims; ++d) {
    if (d == model::kPods) continue;
    const double share = ShareOf(queue.used[d], capacity.q[d], span_ms);
    const double deserved = ShareOf(queue.deserved[d], capacity.q[d], span_ms);
    // Who got nothing is judged by what it deserved most of.
    if (share < out->share || (share == out->share && deserved <= out->deserved)) continue;
    out->share = share;
    out->deserved = deserved;
  }
  out->ratio = out->deserved > 0 ? out->share / out->deserved : 0;
}

}  // namespace

Spread SpreadOf(std::vector<double> numbers) {
  Spread out;
  if (numbers.empty()) return out;
  std::sort(numbers.begin(), numbers.end());
  double sum = 0;
  for (const double number : numbers) sum += number;
  const auto rank = [&](int64_t percent) {
    const auto count = static_cast<int64_t>(numbers.size());
    return numbers[static_cast<size_t>((count * percent + 99) / 100 - 1)];
  };
  out.count = static_cast<int64_t>(numbers.size());
  out.mean = sum / static_cast<double>(numbers.size());
  out.median = rank(50);
  out.p90 = rank(90);
  out.p99 = rank(99);
  out.max = numbers.back();
  return out;
}

double BoundedSlowdown(double response_s, double run_s) {
  constexpr double kThreshold = 10;
  return std::max(1.0, response_s / std::max(run_s, kThreshold));
}

double JainIndex(const std::vector<double>& x) {
  double sum = 0;
  double squares = 0;
  for (const double each : x) {
    sum += each;
    squares += each * each;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(x.size()) * squares) : 1;
}

Figures FiguresOf(const Trace& trace, const ClusterParts& parts, const Replay& replay) {
  Figures out;
  NameTable all;
  all.Add("all");
  out.all = std::move(Gather(trace, replay, all, [](const TraceJob&) { return 0; }).front());
  int64_t last_ms = -1;
  for (const JobCourse& course : replay.courses) last_ms = std::max(last_ms, course.ended_ms);
  const bool runs_on = out.all.unended > 0;
  if (runs_on) last_ms = replay.use.now_ms();
  const std::vector<QueueUse>& uses =
      runs_on ? replay.use.queues() : replay.use.queues_at_last_end();
  const int64_t first_ms = trace.jobs.front().submit_s * 1000;
  const double span_ms = static_cast<double>(std::max<int64_t>(0, last_ms - first_ms));
  out.makespan_s = span_ms / 1000;
  const AmountTime used = UsedInAll(uses);
  for (size_t d = 0; d < model::kDims; ++d) {
    out.use.push_back(ShareOf(used[d], parts.capacity.q[d], span_ms));
  }
  std::vector<double> ratios;
  std::vector<GroupFigures> queues =
      Gather(trace, replay, trace.queues, [](const TraceJob& job) { return job.queue; });
  for (size_t i = 0; i < queues.size(); ++i) {
    QueueFigures& queue = out.queues.emplace_back();
    queue.group = std::move(queues[i]);
    queue.weight = parts.claims[i].weight;
    Weigh(uses[i], parts.capacity, span_ms, &queue);
    if (queue.deserved > 0) ratios.push_back(queue.ratio);
  }
  out.jain = JainIndex(ratios);
  std::sort(out.queues.begin(), out.queues.end(), [](const QueueFigures& a, const QueueFigures& b) {
    return a.group.name < b.group.name;
  });
  out.users = Gather(trace, replay, trace.users, [](const TraceJob& job) { return job.user; });
  out.priorities =
      Gather(trace, replay, trace.priorities, [](const TraceJob& job) { return job.priority; });
  for (std::vector<GroupFigures>* const groups : {&out.users, &out.priorities}) {
    std::sort(groups->begin(), groups->end(), [](const GroupFigures& a, const GroupFigures& b) {
      return a.jobs != b.jobs ? a.jobs > b.jobs : a.name < b.name;
    });
    // A trace that does not tell them apart has no groups.
    if (groups->size() == 1 && groups->front().name.empty()) groups->clear();
  }
  if (out.users.size() > kUsersMax) out.users.resize(kUsersMax);
  return out;
}

}  // namespace bth::trace
