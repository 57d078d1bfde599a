// ResourceQuotas: how much of each is used, what goes beyond one is refused, the status tells it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/admission/stage.h"
#include "apiserver/quota/usage.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

// Follows the store, so that what is used is true at the moment of each creation; namespaces
// without a quota cost a look-up. Statuses are written a moment later, many changes at once.
// Thread: the executor's. Lifetime: the store's, whose observer holds it; the core outlives it.
class QuotaBook final : public std::enable_shared_from_this<QuotaBook> {
 public:
  explicit QuotaBook(Core& core) : core_(core) {}
  ~QuotaBook() { core_.executor.CancelTimer(timer_); }

  // Takes over the quotas that are there and follows the store from now on.
  void Start();

  bool HasAny(const std::string& ns) const { return quotas_.contains(ns); }
  // Whether the object may be made. Errors: 403 in the words of the real server.
  absl::Status Check(const WriteContext& write) const;

 private:
  struct Quota {
    Json spec;
    Amounts hard;
    std::vector<QuotaScope> scopes;
    std::set<std::string> collections;  // Whose objects take from it.
    Amounts used;                       // By the names of `hard`.
    bool exact = true;                  // False: a sum was too large, so it is counted anew.
  };
  // An object that may take from quotas.
  struct Taker {
    Taker(const Collection& from, const StoredObject& stored);

    std::string_view collection;
    Json object;
    absl::StatusOr<Amounts> usage;
  };
  using Quotas = std::map<std::string, Quota>;  // By name.

  void OnCommit(Collection& collection, const StoreEvent& event);
  void Put(const StoredObject& stored);
  void Remove(const ObjectKey& key);
  // Everything that is there.
  void Count(const std::string& ns, Quota& quota) const;
  // Returns whether the object takes from the quota. `by` is +1 or -1.
  static bool Add(Quota& quota, const Taker& taker, int by);
  void WriteSoon(const ObjectKey& key);
  void WriteStatuses();
  void WriteStatus(const ObjectKey& key);

  Core& core_;
  std::map<std::string, Quotas> quotas_;  // By namespace; never empty.
  std::set<ObjectKey> unwritten_;
  net::Executor::TimerId timer_ = 0;
};

// Makes one that lives as long as the store of `core`, and its stage.
void EnforceQuotas(const std::shared_ptr<Core>& core);

}  // namespace bth::apiserver
