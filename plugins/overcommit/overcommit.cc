#include <string>

#include "algo/resource_algebra.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/admission_shortage.h"
#include "plugins/factories.h"
#include "plugins/overcommit/cluster_use.h"
#include "plugins/shortage_text.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;
using framework::Vote;
using model::DimMask;
using model::JobId;
using model::ResourceVec;

constexpr double kDefaultFactor = 1.2;

// Sums live from session to session; what one session admits is counted on top.
// Thread: scheduling.
class Overcommit final : public framework::Plugin {
 public:
  explicit Overcommit(double factor) : factor_(factor) {}
  std::string_view name() const override { return "overcommit"; }
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kQueueRoom);
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    use_.Advance(session.base());
    stretched_ = algo::Scaled(session.base().total, factor_);
    room_ = stretched_ - use_.used();
    inqueue_ = use_.inqueue();
    hooks.QueueRoom([this](model::QueueId) {
      return framework::QueueRoom{.share = framework::EndlessRoom(), .admission = room_ - inqueue_};
    });
    hooks.JobEnqueueable([this, &session](JobId job) { return VoteOn(session, job); });
    hooks.JobEnqueued([this, &session](JobId job) {
      const model::JobRow& row = session.job(job);
      if (!row.has_min_resources) return;
      inqueue_ += algo::WithoutGated(AskedForAdmission(session, job), session.counts(job).gated);
    });
    return absl::OkStatus();
  }

 private:
  Vote VoteOn(Session& session, JobId job) const {
    const model::JobRow& row = session.job(job);
    if (!row.has_min_resources) return Vote::kPermit;
    const ResourceVec asked = AskedForAdmission(session, job);
    const DimMask short_dims = algo::DimsOver(inqueue_ + asked, room_, algo::AskedDims(asked));
    if (short_dims == 0) return Vote::kPermit;
    const ResourceVec held = stretched_ - room_ + inqueue_;
    const AdmissionShortage shortage{
        .refusal =
            ShortageText("resource in cluster is overused", "overused", short_dims, session.dims()),
        .holder = StrCat("the cluster, counted ", factor_, " times (overcommit-factor),"),
        .short_dims = short_dims,
        .asked = asked,
        .held = held,
        .most = stretched_,
        .growth = "the cluster grows",
        .in_queue = false,
        .remedy = "raise overcommit-factor, or "};
    std::string text = shortage.Text(session);
    session.notes().AddEvent(job, {.warning = false, .reason = "Unschedulable", .message = text});
    session.notes().HoldAt(job, framework::Gate::kNotEnqueued, name(), std::move(text));
    return Vote::kReject;
  }

  const double factor_;
  overcommit::ClusterUse use_;
  ResourceVec stretched_;  // The cluster, as large as it is made out to be.
  ResourceVec room_;       // Of it, without what is used.
  ResourceVec inqueue_;    // Of that, what admitted jobs count for.
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateOvercommit(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(double factor, args.Double("overcommit-factor", kDefaultFactor));
  if (!(factor >= 1)) {
    args.Report("overcommit-factor", "is smaller than 1; 1.2 is used instead");
    factor = kDefaultFactor;
  }
  return std::make_unique<Overcommit>(factor);
}

}  // namespace bth::plugins
