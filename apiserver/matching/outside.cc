#include "apiserver/matching/outside.h"

#include <algorithm>
#include <utility>

namespace bth::apiserver {

void Ledger::Begin(int round, const Json& object) {
  round_ = round;
  if (round > 0 && !interested_.empty() && !(last_ == object)) again_ = interested_;
}

void Ledger::Asked(const std::string& id, bool again, bool changed, const Json& object) {
  again_.erase(id);
  if (changed) {
    again_.insert(interested_.begin(), interested_.end());
    again_.erase(id);
    wants_round_ = true;
  }
  if (again) interested_.insert(id);
  if (!interested_.empty()) last_ = object;
}

namespace {

constexpr int kRounds = 2;

class MutationStage final : public Stage {
 public:
  MutationStage(Core& core, std::vector<std::unique_ptr<Mutator>> mutators)
      : core_(core), mutators_(std::move(mutators)) {}

  std::string_view name() const override { return "outside-mutation"; }
  bool waits() const override { return true; }
  bool Concerns(const WriteContext& write) const override {
    return std::any_of(mutators_.begin(), mutators_.end(),
                       [&](const auto& mutator) { return mutator->Concerns(write); });
  }
  // For RunAgain: it is this stage that asks for the others.
  absl::Status Apply(WriteContext&) override { return absl::OkStatus(); }

  net::Awaitable<absl::Status> ApplyLater(WriteContext& write) override {
    std::vector<Ledger> ledgers(mutators_.size());
    for (int round = 0; round < kRounds; ++round) {
      if (round > 0) {
        absl::Status status = core_.stages.RunAgain(StagePoint::kMutate, write);
        if (!status.ok()) co_return status;
      }
      for (size_t i = 0; i < mutators_.size(); ++i) {
        ledgers[i].Begin(round, write.object);
        if (!mutators_[i]->Concerns(write)) continue;
        absl::Status status = co_await mutators_[i]->Mutate(write, ledgers[i]);
        if (!status.ok()) co_return status;
      }
      const bool more = std::any_of(ledgers.begin(), ledgers.end(),
                                    [](const Ledger& ledger) { return ledger.wants_round(); });
      if (!more) break;
    }
    co_return absl::OkStatus();
  }

 private:
  Core& core_;
  const std::vector<std::unique_ptr<Mutator>> mutators_;
};

}  // namespace

std::unique_ptr<Stage> MakeMutationStage(Core& core,
                                         std::vector<std::unique_ptr<Mutator>> mutators) {
  return std::make_unique<MutationStage>(core, std::move(mutators));
}

}  // namespace bth::apiserver
