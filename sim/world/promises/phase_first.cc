// What is wanted of a whole job stands in its phase before the first pod goes for it.
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "sim/world/paths.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

using types::JobPhase;

bool IsActive(const types::BatchJob& job) {
  const JobPhase phase = job.status.state.phase.value();
  return phase == JobPhase::kNone || phase == JobPhase::kPending || phase == JobPhase::kRunning;
}

// Where users command and scale, and policies are about parts of jobs, pods go for other reasons.
class PhaseFirst final : public Promise {
 public:
  explicit PhaseFirst(const Sight& sight) : Promise("phase-first", sight) {}

  void On(const Change<types::Command>& change) override {
    if (change.any().target.has_value()) exempt_.insert(change.any().target->uid);
  }
  void OnWrite(const Write& write) override {
    if (!absl::StartsWith(write.from.name(), "controllers") || write.request.method != "DELETE" ||
        write.path.plural != "pods" || !write.path.subresource.empty()) {
      return;
    }
    const types::Pod* const pod = Ledger::Find(ledger().pods(), KeyOf(write.path));
    const types::OwnerReference* const owner = pod == nullptr ? nullptr : pod->meta.Controller();
    if (owner == nullptr || HasEnded(*pod) || pod->meta.deletion_time.has_value()) return;
    // An earlier one of that name: refused.
    if (!absl::StrContains(write.request.body, pod->meta.uid)) return;
    const types::BatchJob* const job =
        Ledger::Find(ledger().jobs(), StrCat(pod->meta.ns, "/", owner->name));
    if (job == nullptr || job->meta.uid != owner->uid || !IsActive(*job)) return;
    killed_[owner->uid] = pod->meta.name;
  }
  void On(const Change<types::BatchJob>& change) override {
    const std::string& uid = change.any().meta.uid;
    if (change.after == nullptr || change.before == nullptr || change.before->meta.uid != uid) {
      killed_.erase(uid);
      return;
    }
    const types::BatchJob& job = *change.after;
    if (!(change.before->spec == job.spec)) exempt_.insert(uid);
    if (change.before->status.state.phase == job.status.state.phase) return;
    if (IsActive(*change.before) && !IsActive(job) && !IsOver(job)) Judge(job, *change.before);
    killed_.erase(uid);
  }

 private:
  void Judge(const types::BatchJob& job, const types::BatchJob& before) {
    if (IsRestartedInParts(job) || exempt_.contains(job.meta.uid) ||
        job.status.version == before.status.version) {
      return;
    }
    Look();
    const auto killed = killed_.find(job.meta.uid);
    if (killed == killed_.end()) return;
    Break(StrCat("pod ", killed->second, " was told to go before its job ", job.meta.Key(),
                 " became ", job.status.state.phase.text()));
  }

  std::set<std::string> exempt_;  // Jobs, by uid.
  // By uid of the job: a pod that its phase does not explain.
  std::map<std::string, std::string> killed_;
};

}  // namespace

PromisePtr MakePhaseFirst(const Sight& sight) {
  return std::make_unique<PhaseFirst>(sight);
}

}  // namespace bth::sim
