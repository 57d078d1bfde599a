// The accounts of all queues that have jobs.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "algo/fair_share.h"
#include "algo/queue_job_sums.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::plugins::proportion {

// A queue in one session. Queues without jobs have no account.
struct Account {
  bool has_jobs = false;
  model::ResourceSet real_capability;
  model::ResourceVec deserved;
  model::ResourceVec request;
  model::ResourceVec elastic;    // As the session opened.
  model::ResourceVec allocated;  // Now.
  model::ResourceVec inqueue;    // Now.
  double share = 0;              // Dominant share of `allocated` in `deserved`, now.
};

// Keeps sums over jobs from session to session by what changed; divides the cluster again only
// when a claim changed. Thread: scheduling.
class QueueLedger {
 public:
  // Starts a session.
  void Open(const model::Snapshot& base);

  const Account& operator[](model::QueueId queue) const { return accounts_[queue]; }
  // What the queue's admitted jobs counted as inqueue when the session opened.
  const model::ResourceVec& InqueueAtOpen(model::QueueId queue) const {
    return sums_[queue].inqueue;
  }
  void Place(model::QueueId queue, const model::ResourceVec& amount);
  void Remove(model::QueueId queue, const model::ResourceVec& amount);
  void Enqueue(model::QueueId queue, const model::ResourceVec& amount);

 private:
  void OpenAccounts(const model::Snapshot& base);
  void Divide(const model::ResourceVec& total);
  static void UpdateShare(Account& account);

  algo::QueueJobSums sums_;  // As of the present snapshot.
  IdVector<model::QueueId, Account> accounts_;

  // The last division: what it was made of, and its outcome.
  model::ResourceVec divided_total_;
  std::vector<model::QueueId> claimants_;  // By name.
  std::vector<algo::QueueClaim> claims_;
  std::vector<algo::QueueClaim> divided_claims_;
  algo::FairShares shares_;
};

}  // namespace bth::plugins::proportion
