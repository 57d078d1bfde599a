#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/binpack/fill_columns.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using binpack::FillColumns;
using binpack::Part;
using framework::HookRegistrar;
using framework::Session;
using model::NodeRange;
using model::ShapeId;

struct PackWeights {
  int64_t plugin = 1;
  std::map<std::string, int64_t> resources;  // By resource name; none is negative.
};

// The weight of one resource; a negative one counts as 1.
absl::StatusOr<int64_t> ReadResourceWeight(const conf::Arguments& args, const std::string& key) {
  BTH_ASSIGN_OR_RETURN(const int64_t weight, args.Int(key, 1));
  if (weight >= 0) return weight;
  args.Report(key, "is negative; 1 is used instead");
  return 1;
}

absl::StatusOr<PackWeights> ReadPackWeights(const conf::Arguments& args) {
  PackWeights weights;
  BTH_ASSIGN_OR_RETURN(weights.plugin, args.Int("binpack.weight", 1));
  BTH_ASSIGN_OR_RETURN(const std::vector<std::string> names, args.CommaList("binpack.resources"));
  for (const std::string& name : names) {
    BTH_ASSIGN_OR_RETURN(weights.resources[name],
                         ReadResourceWeight(args, StrCat("binpack.resources.", name)));
  }
  for (const std::string name : {"cpu", "memory"}) {
    BTH_ASSIGN_OR_RETURN(weights.resources[name],
                         ReadResourceWeight(args, StrCat("binpack.", name)));
  }
  return weights;
}

// Its weights by dimension are those of the present session. Thread: scheduling.
class BinPack final : public framework::Plugin {
 public:
  explicit BinPack(PackWeights weights) : weights_(std::move(weights)) {}
  std::string_view name() const override { return "binpack"; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    if (weights_.plugin == 0) return absl::OkStatus();
    counted_.clear();
    for (const auto& [name, weight] : weights_.resources) {
      // A resource without a dimension is one that no pod asks for.
      if (const std::optional<int> dim = session.dims().Find(name)) {
        counted_.push_back({.dim = *dim, .weight = static_cast<double>(weight)});
      }
    }
    auto& columns = session.Keep<FillColumns>(session, counted_);
    hooks.BeforeScan([&columns] { columns.CatchUp(); });
    hooks.ScoreUsage(
        [this, &session, &columns](ShapeId shape, NodeRange block, absl::Span<double> sum) {
          AddScores(session, columns, shape, block, sum);
        });
    return absl::OkStatus();
  }

 private:
  void AddScores(const Session& session, const FillColumns& columns, ShapeId shape, NodeRange block,
                 absl::Span<double> sum) const {
    const model::ResourceVec& request = session.shape(shape).request;
    std::array<Part, model::kDims> parts;
    size_t count = 0;
    double weight_sum = 0;
    for (const Part& counted : counted_) {
      if (request[counted.dim] <= 0) continue;
      parts[count] = counted;
      parts[count++].request = request[counted.dim];
      weight_sum += counted.weight;
    }
    if (weight_sum <= 0) return;
    columns.Add({.parts = absl::Span<const Part>(parts.data(), count),
                 .weight_sum = weight_sum,
                 .plugin_weight = static_cast<double>(weights_.plugin)},
                block, sum);
  }

  const PackWeights weights_;
  std::vector<Part> counted_;  // At most one per dimension.
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateBinPack(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(PackWeights weights, ReadPackWeights(args));
  return std::make_unique<BinPack>(std::move(weights));
}

}  // namespace bth::plugins
