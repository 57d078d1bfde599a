#include "sim/world/promises/promise.h"

#include "base/strings.h"
#include "sim/world/paths.h"
#include "sim/world/programs.h"

namespace bth::sim {

std::string Write::Words() const {
  return StrCat(from.name(), ": ", request.method, " ", request.target);
}

void Promise::MustConcern(const Write& write, std::string_view scheduler) {
  if (write.path.plural != "pods" || write.path.name.empty()) return;
  const types::Pod* const pod = Ledger::Find(ledger().pods(), KeyOf(write.path));
  if (pod == nullptr || pod->spec.scheduler_name == scheduler) return;
  Break(StrCat(write.Words(), " is about a pod of ", pod->spec.scheduler_name));
}

void Promise::MustLead(const Write& write, std::string_view lease) {
  // Nobody can call back what is on its way for longer than leaders may outlive their deadline.
  if (write.path.plural == "leases" || now() - write.sent_at > absl::Seconds(4)) return;
  Look();
  const types::LeaseSpec now_held = ledger().LeaseOf(StrCat(kWorldNamespace, "/", lease));
  const std::string& holder = now_held.holder_identity;
  if (holder == write.from.name()) return MustBeFresh(write, now_held);
  // It leads without knowing of its own lease only for a moment.
  Break(StrCat(write.Words(), ", while ", holder.empty() ? "nobody" : holder, " leads"));
}

// It has asked for its lease a short time ago, whenever that was answered.
void Promise::MustBeFresh(const Write& write, const types::LeaseSpec& lease) {
  // As the default has it, and stories that differ.
  const absl::Duration deadline = absl::Seconds(lease.lease_duration_seconds.value_or(15)) * 2 / 3;
  const std::string renewed =
      lease.renew_time.has_value() ? types::FormatMicroTimestamp(lease.renew_time->time) : "";
  const auto asked = sight_.asked_at.find(StrCat(lease.holder_identity, " ", renewed));
  if (asked == sight_.asked_at.end() || write.sent_at - asked->second <= deadline) return;
  Break(StrCat(write.Words(), " was sent ", absl::FormatDuration(write.sent_at - asked->second),
               " after its lease was asked for the last time"));
}

std::vector<PromisePtr> MakePromises(const Sight& sight) {
  std::vector<PromisePtr> out;
  for (const auto make :
       {MakeBoundOnce,       MakeRoom,         MakeDeviceOnce,   MakeDevicesStay, MakeWholeGangs,
        MakeQueueCapability, MakeJobPhases,    MakeTimeoutsAct,  MakeQueueStates, MakePhaseFirst,
        MakeOnlyOurs,        MakeOneLeader,    MakeByIdentity,   MakeUnhurried,   MakeCommandsCount,
        MakeEndedJobs,       MakeAllRun,       MakeDeletionsEnd, MakeNoOrphans,   MakeTrueSums,
        MakeKeptApart,       MakeFlowsInOrder, MakeFlowsEnd,     MakeCronOnce}) {
    out.push_back(make(sight));
  }
  return out;
}

}  // namespace bth::sim
