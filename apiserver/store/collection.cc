#include "apiserver/store/collection.h"

#include <algorithm>

#include "base/status.h"

namespace bth::apiserver {
namespace {

size_t Weight(const StoreEvent& event) {
  return event.object->bytes.size();
}

// The first key of a namespace, or of everything.
ObjectKey FirstKey(const std::string& ns) {
  return {ns, ""};
}

}  // namespace

ObjectPtr Collection::Get(const ObjectKey& key) const {
  auto it = objects_.find(key);
  return it == objects_.end() ? nullptr : it->second;
}

bool Collection::HasAny(const std::string& ns) const {
  auto it = objects_.lower_bound(FirstKey(ns));
  return it != objects_.end() && it->first.ns == ns;
}

std::vector<ObjectPtr> Collection::All(const std::string& ns) const {
  std::vector<ObjectPtr> all;
  for (auto it = objects_.lower_bound(FirstKey(ns)); it != objects_.end(); ++it) {
    if (!ns.empty() && it->first.ns != ns) break;
    all.push_back(it->second);
  }
  return all;
}

absl::StatusOr<Page> Collection::List(const ListQuery& query, int64_t now) const {
  Page page;
  page.revision = query.at.value_or(now);
  // The past is the present with the later events undone: what each changed key held before the
  // first of them. Cost: the events since, not the objects.
  std::map<ObjectKey, ObjectPtr> undone;
  if (page.revision < now) {
    BTH_ASSIGN_OR_RETURN(std::vector<StoreEvent> later, Since(page.revision));
    for (const StoreEvent& event : later) undone.emplace(event.object->key, event.previous);
  }
  const ObjectKey from = query.after.has_value()
                             ? std::max(*query.after, FirstKey(query.selection.ns))
                             : FirstKey(query.selection.ns);
  int64_t beyond = 0;
  auto consider = [&](const ObjectPtr& object) {
    if (object == nullptr || (query.after.has_value() && object->key <= *query.after)) return;
    if (!query.selection.Matches(*object)) return;
    if (query.limit > 0 && page.objects.size() == query.limit) {
      ++beyond;
    } else {
      page.objects.push_back(object);
    }
  };
  auto past = undone.lower_bound(from);
  auto inside = [&](const ObjectKey& key) {
    return query.selection.ns.empty() || key.ns == query.selection.ns;
  };
  for (auto it = objects_.lower_bound(from); it != objects_.end() && inside(it->first); ++it) {
    for (; past != undone.end() && past->first < it->first; ++past) consider(past->second);
    if (past != undone.end() && past->first == it->first) {
      consider(past->second);
      ++past;
    } else {
      consider(it->second);
    }
    // Counting the rest is free without selectors only in the sense that it touches no object;
    // with them, one further match is all that has to be known.
    if (beyond > 0 && query.selection.selective()) break;
  }
  for (; past != undone.end() && inside(past->first); ++past) consider(past->second);
  page.more = beyond > 0;
  if (page.more && !query.selection.selective()) page.remaining = beyond;
  return page;
}

absl::StatusOr<std::vector<StoreEvent>> Collection::Since(int64_t revision) const {
  if (revision < forgotten_) {
    return absl::OutOfRangeError("too old resource version");
  }
  auto first =
      std::upper_bound(history_.begin(), history_.end(), revision,
                       [](int64_t r, const StoreEvent& event) { return r < event.revision; });
  return std::vector<StoreEvent>(first, history_.end());
}

void Collection::Apply(const StoreEvent& event, const HistoryLimits& limits) {
  if (event.type == EventType::kDeleted) {
    objects_.erase(event.object->key);
  } else {
    objects_[event.object->key] = event.object;
  }
  history_.push_back(event);
  history_bytes_ += Weight(event);
  while (!history_.empty() &&
         (history_.size() > limits.events_max || history_bytes_ > limits.bytes_max)) {
    DropOldest();
  }
}

void Collection::DropOldest() {
  forgotten_ = history_.front().revision;
  history_bytes_ -= Weight(history_.front());
  history_.pop_front();
}

void Collection::Restore(ObjectPtr object) {
  objects_[object->key] = std::move(object);
}

void Collection::ForgetHistoryUpTo(int64_t revision) {
  while (!history_.empty() && history_.front().revision <= revision) DropOldest();
  forgotten_ = std::max(forgotten_, revision);
}

void Collection::SetFields(std::vector<SelectableField> fields) {
  fields_ = std::move(fields);
  for (auto& [key, object] : objects_) object = MakeStored(ParseStored(*object), fields_);
}

}  // namespace bth::apiserver
