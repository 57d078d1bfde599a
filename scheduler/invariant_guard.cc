#include "scheduler/invariant_guard.h"

#include <algorithm>
#include <map>
#include <utility>

#include "api/types/time.h"
#include "base/doubled.h"
#include "base/log.h"

namespace bth::scheduler {

using types::Json;

Json InvariantRecord::ToJson() const {
  Json out = Json::MakeObject();
  out.Set("time", Json(types::FormatTimestamp(at)));
  out.Set("session", Json(session));
  out.Set("generation", Json(static_cast<int64_t>(generation)));
  out.Set("invariant", Json(invariant));
  out.Set("detail", Json(detail));
  if (!node.empty()) out.Set("node", Json(node));
  if (!queue.empty()) out.Set("queue", Json(queue));
  out.Set("heldBack", Json(held_back));
  out.Set("times", Json(times));
  out.Set("readAnewAfterSeconds", Json(absl::ToDoubleSeconds(read_anew)));
  return out;
}

InvariantRecord MakeRecord(const framework::Session& session, const framework::Violation& violation,
                           absl::Time now) {
  InvariantRecord out{.at = now,
                      .session = session.context().uid,
                      .generation = session.base().generation,
                      .invariant = violation.invariant,
                      .detail = violation.detail};
  if (violation.node.valid() && session.base().nodes[violation.node].has_object()) {
    out.node = session.node(violation.node).name;
  } else if (violation.queue.valid()) {
    out.queue = *session.queue(violation.queue).name;
  }
  return out;
}

void AddStop(const InvariantRecord& record, cache::WriteStops* stops) {
  if (!record.node.empty()) {
    stops->nodes.try_emplace(record.node, record.invariant);
  } else if (!record.queue.empty()) {
    stops->queues.try_emplace(record.queue, record.invariant);
  } else if (stops->everything.empty()) {
    stops->everything = record.invariant;
  }
}

absl::Duration InvariantGuard::NextDelay(absl::Duration now) {
  if (now - last_found_ > options_.calm) level_ = 0;
  const int level = level_++;
  if (level == 0) return absl::ZeroDuration();
  return Doubled(options_.backoff_initial, level - 1, options_.backoff_max);
}

void InvariantGuard::Note(std::vector<InvariantRecord> found, absl::Duration now) {
  if (found.empty()) return;
  const bool fresh = rebuild_at_ == absl::InfiniteDuration();
  if (fresh) rebuild_at_ = now + NextDelay(now);
  last_found_ = now;
  for (InvariantRecord& record : found) {
    AddStop(record, &stops_);
    // What is known and not mended yet is not told again.
    const auto same = [&record](const InvariantRecord& known) {
      return known.invariant == record.invariant && known.detail == record.detail;
    };
    const auto known = std::find_if(records_.rbegin(), records_.rend(), same);
    if (!fresh && known != records_.rend()) {
      ++known->times;
      known->held_back += record.held_back;
      continue;
    }
    record.read_anew = rebuild_at_ - now;
    Log(LogLevel::kError, "invariant.violated", {{"record", record.ToJson().Dump()}});
    records_.push_back(std::move(record));
    if (records_.size() > options_.records_max) records_.pop_front();
  }
}

void InvariantGuard::Doubt(absl::Duration now) {
  if (rebuild_at_ == absl::InfiniteDuration()) rebuild_at_ = now + NextDelay(now);
  last_found_ = now;
}

bool InvariantGuard::suspicious(absl::Duration now) const {
  return !stops_.empty() || now - last_found_ <= options_.calm;
}

void InvariantGuard::Rebuilt() {
  stops_ = {};
  rebuild_at_ = absl::InfiniteDuration();
  ++rebuilds_;
}

Json InvariantGuard::Page() const {
  Json out = Json::MakeObject();
  Json records = Json::MakeArray();
  for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
    records.MutableItems().push_back(record->ToJson());
  }
  out.Set("records", std::move(records));
  const auto stopped = [](const std::map<std::string, std::string>& by_name) {
    Json list = Json::MakeObject();
    for (const auto& [name, invariant] : by_name) list.Set(name, Json(invariant));
    return list;
  };
  out.Set("stoppedNodes", stopped(stops_.nodes));
  out.Set("stoppedQueues", stopped(stops_.queues));
  out.Set("everythingStopped", Json(!stops_.everything.empty()));
  out.Set("readAnew", Json(rebuilds_));
  return out;
}

}  // namespace bth::scheduler
