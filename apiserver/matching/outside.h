// What webhooks and policies share while the server runs.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "apiserver/admission/stage.h"
#include "apiserver/matching/admission_metrics.h"
#include "apiserver/matching/notes.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

// Lifetime: the core's, which holds the stages that hold it. Thread: the executor's.
struct Outside {
  explicit Outside(Core& c) : core(c) {}
  Core& core;
  AdmissionMetrics metrics;
  AuditTrail audit;
};

// Who of one kind of mutators was asked about a write, and who is to be asked once more.
class Ledger {
 public:
  // Begins a round. In the second one all that may be asked again are, if the object has changed
  // since the last of them was asked.
  void Begin(int round, const Json& object);
  int round() const { return round_; }
  bool MayAsk(const std::string& id) const { return round_ == 0 || again_.contains(id); }
  // `again`: it wants to know of later changes. `object` is what it left.
  void Asked(const std::string& id, bool again, bool changed, const Json& object);
  bool wants_round() const { return wants_round_; }

 private:
  int round_ = 0;
  bool wants_round_ = false;
  std::set<std::string> interested_;
  std::set<std::string> again_;
  Json last_;  // Kept only when somebody is interested.
};

// One kind of mutators: policies, webhooks.
class Mutator {
 public:
  virtual ~Mutator() = default;
  virtual bool Concerns(const WriteContext& write) const = 0;
  virtual net::Awaitable<absl::Status> Mutate(WriteContext& write, Ledger& ledger) = 0;
};

// Asks all mutators in order. When one of them changed the object, the server's own mutations run
// again, and those mutators who want to know of later changes are asked once more. The stage goes
// behind the server's own.
std::unique_ptr<Stage> MakeMutationStage(Core& core,
                                         std::vector<std::unique_ptr<Mutator>> mutators);

}  // namespace bth::apiserver
