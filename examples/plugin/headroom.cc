// headroom: prefers the node that keeps the larger share of its CPU free, as a plugin outside of
// the tree. README.md here says how to build and load it.
#include <memory>
#include <string_view>

#include "base/status.h"
#include "framework/hooks/plugin_abi.h"

namespace {

using bth::conf::Arguments;
using bth::framework::HookRegistrar;
using bth::framework::Plugin;
using bth::framework::Session;
using bth::model::NodeId;
using bth::model::NodeRange;
using bth::model::ShapeId;

constexpr int kCpu = 0;  // Dimension of milli-CPU.

// Thread: scheduling; the score runs on any worker and only reads.
class Headroom final : public Plugin {
 public:
  // Argument `headroom.weight`: a number from 0, 1 without it.
  static absl::StatusOr<std::unique_ptr<Plugin>> Create(const Arguments& args) {
    BTH_ASSIGN_OR_RETURN(const double weight, args.Double("headroom.weight", 1.0));
    if (!(weight >= 0)) return absl::InvalidArgumentError("headroom.weight: must be >= 0");
    return std::make_unique<Headroom>(weight);
  }
  explicit Headroom(double weight) : weight_(weight) {}
  std::string_view name() const override { return "headroom"; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    hooks.ScoreUsage([this, &session](ShapeId shape, NodeRange block, absl::Span<double> sum) {
      const int64_t asked = session.shape(shape).request[kCpu];
      for (const NodeId node : block) {
        const int64_t left = session.usage().idle[node][kCpu] - asked;
        const int64_t total = session.base().allocatable[node][kCpu];
        if (total <= 0) continue;
        sum[block.Offset(node)] +=
            weight_ * 100 * static_cast<double>(left) / static_cast<double>(total);
      }
    });
    return absl::OkStatus();
  }

 private:
  const double weight_;
};

}  // namespace

BTH_PLUGIN_ENTRY(registry) {
  registry.plugins["headroom"] = Headroom::Create;
}
