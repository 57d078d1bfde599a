#include "scheduler/cycle_worker.h"

#include <iterator>
#include <utility>

#include "base/defect.h"
#include "base/strings.h"
#include "framework/session/invariants.h"

namespace bth::scheduler {
namespace {

// Two 64-bit numbers in the form of a UUID, from the seeded generator: sessions have the same
// names in every run of a simulation.
std::string SessionUid(Rng& rng) {
  const uint64_t a = rng.Next();
  const uint64_t b = rng.Next();
  const std::string hex = StrCat(absl::Hex(a, absl::kZeroPad16), absl::Hex(b, absl::kZeroPad16));
  return StrCat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-",
                hex.substr(16, 4), "-", hex.substr(20));
}

}  // namespace

CycleWorker::CycleWorker(CycleWorkerContext context, const CycleWorkerOptions& options)
    : context_(context),
      rng_(options.seed),
      check_every_(options.check_every),
      lifts_queue_gates_(options.lifts_queue_gates),
      scores_volumes_(options.scores_volumes) {}

CycleWorker::Result CycleWorker::Run(std::shared_ptr<const model::Snapshot> snapshot,
                                     cache::WriteStops stops, bool check) {
  Result result;
  try {
    TryRun(std::move(snapshot), std::move(stops), check, &result);
    return result;
  } catch (const std::exception& error) {
    result.defect = DefectOf(error);
  }
  cache::WriteStops everything;
  everything.everything = "defect";
  context_.sink.EndCycle(std::move(everything));
  cycle_.reset();
  result.violations.clear();
  result.status = absl::InternalError(result.defect->what);
  return result;
}

void CycleWorker::TryRun(std::shared_ptr<const model::Snapshot> snapshot, cache::WriteStops stops,
                         bool check, Result* result) {
  cycle_.reset();  // The old session's hooks point into the old policy.
  if (next_policy_ != nullptr) policy_ = std::move(next_policy_);
  framework::SessionContext session;
  session.snapshot = std::move(snapshot);
  session.sink = &context_.sink;
  session.clock = &context_.clock;
  session.metrics = context_.metrics;
  session.extender = &context_.extender;
  session.uid = SessionUid(rng_);
  session.lifts_queue_gates = lifts_queue_gates_;
  session.scores_volumes = scores_volumes_;
  cycle_ = std::make_unique<framework::Cycle>(*policy_, std::move(session));
  stops.KeepOff(cycle_->session());
  check |= ++count_ % static_cast<uint64_t>(check_every_) == 0;
  context_.sink.BeginCycle(stops, check);
  result->status = cycle_->Run();
  if (check) result->violations = Check(std::move(stops));
}

std::vector<InvariantRecord> CycleWorker::Check(cache::WriteStops stops) {
  const framework::Session& session = cycle_->session();
  const auto& report = context_.sink.buffered_report();
  std::vector<InvariantRecord> out;
  for (const framework::Violation& violation : framework::CheckCycle(
           session, context_.sink.buffered_batches(), report ? &*report : nullptr)) {
    out.push_back(MakeRecord(session, violation, context_.clock.Now()));
    AddStop(out.back(), &stops);
    if (context_.metrics != nullptr) context_.metrics->InvariantViolated(violation.invariant);
  }
  const int64_t held_back = context_.sink.EndCycle(std::move(stops));
  for (InvariantRecord& record : out) record.held_back = held_back;
  return out;
}

CycleDefect CycleWorker::DefectOf(const std::exception& error) const {
  CycleDefect defect{.what = error.what(), .where = WhereOf(error), .job = "", .job_uid = ""};
  if (cycle_ == nullptr || !cycle_->session().culprit().valid()) return defect;
  const model::JobFacts* job = cycle_->session().job(cycle_->session().culprit()).facts.get();
  if (job == nullptr) return defect;
  defect.job = job->Key();
  defect.job_uid = job->uid;
  return defect;
}

}  // namespace bth::scheduler
