// Accelerators that pods share: which nodes have them, which devices a pod gets, and what its
// binding says of them.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "devices/family.h"
#include "framework/session/session.h"
#include "plugins/deviceshare/arguments.h"
#include "plugins/deviceshare/chip_score.h"
#include "plugins/deviceshare/gauges.h"
#include "plugins/deviceshare/ledger.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using deviceshare::DeviceLedger;
using framework::FitCode;
using framework::HookRegistrar;
using framework::ReasonId;
using framework::Session;
using framework::TaskMove;
using model::NodeId;
using model::NodeRange;
using model::PodDeviceRequest;
using model::PodDeviceRequests;
using model::ShapeId;
using model::TaskId;

// The reasons of every family, by its number and its own.
class DeviceReasons {
 public:
  explicit DeviceReasons(framework::ReasonTable& table)
      : locked_(table.Register(FitCode::kUnschedulable,
                               "node(s) had their devices locked within 5 minutes")) {
    for (const devices::Family* family : devices::Families()) {
      std::vector<ReasonId>& own = by_family_.emplace_back();
      const absl::Span<const std::string_view> texts = family->refusals();
      for (size_t i = 0; i < texts.size(); ++i) {
        const FitCode code =
            family->EvictionsHelp(i) ? FitCode::kUnschedulable : FitCode::kUnresolvable;
        own.push_back(table.Register(code, texts[i]));
      }
    }
  }

  ReasonId Of(const DeviceLedger::Unserved& unserved) const {
    const devices::Family& family = devices::FamilyOf(unserved.request->kind.family);
    const auto families = devices::Families();
    for (size_t i = 0; i < families.size(); ++i) {
      if (families[i] == &family) return by_family_[i][unserved.refusal];
    }
    return locked_;
  }
  ReasonId locked() const { return locked_; }

 private:
  ReasonId locked_;
  std::vector<std::vector<ReasonId>> by_family_;
};

// Keeps what it counted of nodes between sessions. Thread: scheduling.
class DeviceShare final : public framework::Plugin {
 public:
  explicit DeviceShare(deviceshare::Options options) : options_(std::move(options)) {}
  std::string_view name() const override { return "deviceshare"; }
  // Locks of nodes run out.
  bool follows_clock() const override { return options_.node_lock; }
  framework::AnswerSources answers_follow() const override {
    const auto source = options_.node_lock ? framework::AnswerSource::kAnything
                                           : framework::AnswerSource::kNodeRoom;
    return framework::Bit(source);
  }
  void AddNeeds(framework::PluginNeeds& needs) const override {
    if (options_.settings->any()) needs.devices = options_.settings;
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    // Without settings, objects were not read for devices: this policy is not the feed's yet.
    if (!options_.settings->any() || session.base().devices == nullptr) return absl::OkStatus();
    auto& ledger = session.Keep<DeviceLedger>(session, options_, uses_);
    AddFilters(session, ledger, hooks);
    if (options_.weight > 0) {
      hooks.ScoreUsage([&session, &ledger](ShapeId shape, NodeRange block, absl::Span<double> sum) {
        const PodDeviceRequests* asked = session.base().constraints_of(shape).devices.get();
        if (asked == nullptr) return;
        for (NodeId node : block) sum[block.Offset(node)] += ledger.ScoreOf(*asked, node);
      });
    }
    if (options_.weight > 0 && options_.settings->mind_cluster)
      AddChipScore(session, ledger, hooks);
    hooks.OnPlace([&ledger](const TaskMove& move) { ledger.OnPlace(move); });
    hooks.OnRemove([&ledger](const TaskMove& move) { ledger.OnRemove(move); });
    hooks.PlanDevices([&ledger](TaskId task) { return ledger.PlanOf(task); });
    if (options_.settings->vgpu) {
      hooks.OnClose([this, &session] { gauges_.Tell(session); });
    }
    return absl::OkStatus();
  }

 private:
  void AddFilters(Session& session, DeviceLedger& ledger, HookRegistrar& hooks) const {
    const auto& reasons = session.Keep<DeviceReasons>(session.reasons());
    const auto why_not = [&session, &ledger, &reasons, locks = options_.node_lock](
                             const PodDeviceRequests& asked, NodeId node) {
      if (!session.base().nodes[node].has_object()) return framework::kFits;
      if (locks && ledger.IsLocked(asked, node)) return reasons.locked();
      const auto unserved = ledger.FirstUnserved(asked, node, /*future=*/true);
      return unserved ? reasons.Of(*unserved) : framework::kFits;
    };
    hooks.FilterUsage(
        [&session, why_not](ShapeId shape, NodeRange block, absl::Span<ReasonId> out) {
          const PodDeviceRequests* asked = session.base().constraints_of(shape).devices.get();
          if (asked == nullptr) return;
          for (NodeId node : block) {
            const ReasonId reason = why_not(*asked, node);
            if (reason != framework::kFits) out[block.Offset(node)] = reason;
          }
        });
    hooks.FilterNow(
        [&session, &ledger, &reasons](ShapeId shape, NodeRange block, absl::Span<ReasonId> out) {
          const PodDeviceRequests* asked = session.base().constraints_of(shape).devices.get();
          if (asked == nullptr) return;
          for (NodeId node : block) {
            const auto unserved = ledger.FirstUnserved(*asked, node, /*future=*/false);
            if (unserved) out[block.Offset(node)] = reasons.Of(*unserved);
          }
        });
  }

  // Of parts of chips: nodes are compared with each other.
  void AddChipScore(Session& session, DeviceLedger& ledger, HookRegistrar& hooks) const {
    const auto request_of = [&session](TaskId task) {
      return deviceshare::ChipRequestOf(session, task);
    };
    auto score = [this, &session, &ledger, request_of](TaskId task, absl::Span<const NodeId> nodes,
                                                       absl::Span<double> sum) {
      const PodDeviceRequest* request = request_of(task);
      if (request == nullptr) return;
      const auto lowers = [&](NodeId node) { return ledger.WouldLower(*request, node); };
      deviceshare::ScoreChips(session, {nodes, lowers, static_cast<double>(options_.weight)}, sum);
    };
    hooks.ScoreGlobal(
        {std::move(score), [request_of](TaskId task) { return request_of(task) != nullptr; }});
  }

  const deviceshare::Options options_;
  deviceshare::NodeUses uses_;
  deviceshare::DeviceGauges gauges_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateDeviceShare(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(deviceshare::Options options, deviceshare::ReadOptions(args));
  return std::make_unique<DeviceShare>(std::move(options));
}

}  // namespace bth::plugins
