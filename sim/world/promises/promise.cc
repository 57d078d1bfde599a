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
  const std::string holder = ledger().HolderOf(StrCat(kWorldNamespace, "/", lease));
  if (holder == write.from.name()) return;
  // It leads without knowing of its own lease only for a moment.
  Break(StrCat(write.Words(), ", while ", holder.empty() ? "nobody" : holder, " leads"));
}

std::vector<PromisePtr> MakePromises(const Sight& sight) {
  std::vector<PromisePtr> out;
  for (const auto make :
       {MakeBoundOnce, MakeRoom, MakeDeviceOnce, MakeWholeGangs, MakeQueueCapability, MakeJobPhases,
        MakeTimeoutsAct, MakeOnlyOurs, MakeOneLeader, MakeByIdentity, MakeCommandsCount,
        MakeEndedJobs, MakeAllRun, MakeDeletionsEnd, MakeNoOrphans, MakeTrueSums}) {
    out.push_back(make(sight));
  }
  return out;
}

}  // namespace bth::sim
