// The objects of one resource with a window of their latest changes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/store/object.h"
#include "apiserver/store/selector.h"
#include "apiserver/store/watcher.h"

namespace bth::apiserver {

// How much of the past each collection keeps; what is older answers 410 Expired.
struct HistoryLimits {
  size_t events_max = 10'000;
  size_t bytes_max = size_t{32} << 20;
};

// One page of a list.
struct Page {
  std::vector<ObjectPtr> objects;
  int64_t revision = 0;              // The list is the state at this revision.
  bool more = false;                 // Objects after the last one match too, or may.
  std::optional<int64_t> remaining;  // How many; known only without selectors.
};

struct ListQuery {
  Selection selection;
  std::optional<int64_t> at;       // State at this revision rather than now.
  std::optional<ObjectKey> after;  // Paging: only keys beyond.
  size_t limit = 0;                // 0: all.
};

// Thread: the executor's. Lifetime: the store's; never moves.
class Collection {
 public:
  Collection(std::string name, std::vector<SelectableField> fields)
      : name_(std::move(name)), fields_(std::move(fields)) {}
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<SelectableField>& fields() const { return fields_; }
  size_t size() const { return objects_.size(); }
  // Null when absent.
  ObjectPtr Get(const ObjectKey& key) const;
  bool HasAny(const std::string& ns) const;
  // In key order.
  std::vector<ObjectPtr> All(const std::string& ns) const;
  // Errors: kOutOfRange when `at` is older than the window. `now` is the store's revision.
  absl::StatusOr<Page> List(const ListQuery& query, int64_t now) const;
  // Events after `revision`, oldest first. Errors: kOutOfRange as above.
  absl::StatusOr<std::vector<StoreEvent>> Since(int64_t revision) const;

  // For the store only: applies an event and remembers it.
  void Apply(const StoreEvent& event, const HistoryLimits& limits);
  // For loading: puts an object without an event. History begins after the last such revision.
  void Restore(ObjectPtr object);
  void ForgetHistoryUpTo(int64_t revision);
  // Re-indexes every object; for custom resources whose definition names other fields.
  void SetFields(std::vector<SelectableField> fields);

 private:
  void DropOldest();

  const std::string name_;
  std::vector<SelectableField> fields_;
  std::map<ObjectKey, ObjectPtr> objects_;
  std::deque<StoreEvent> history_;
  size_t history_bytes_ = 0;
  int64_t forgotten_ = 0;  // Events up to this revision are gone.
};

}  // namespace bth::apiserver
