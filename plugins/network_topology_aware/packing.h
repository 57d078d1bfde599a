// How full HyperNodes would be.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "api/model/resource_vec.h"
#include "framework/session/session.h"
#include "framework/topology/domain_sums.h"
#include "plugins/network_topology_aware/options.h"

namespace bth::plugins::network_topology {

// The weights of one session, by dimension. Thread: scheduling.
class Packing {
 public:
  Packing(const framework::Session& session, const Options& options);

  // From 0 to 1: the weighted mean, over the resources that are requested and count, of what would
  // be in use; 0 when one of them would be exceeded, or when none counts.
  double Score(const model::ResourceVec& request, const framework::DomainSum& sum) const;
  // The same, at most, once tasks that ask for `before` together or for less are there too.
  double MostScore(const model::ResourceVec& request, const model::ResourceVec& before,
                   const framework::DomainSum& sum) const;
  // The same of how little would be left, measured by what `all` have.
  double Tightness(const model::ResourceVec& request, const framework::DomainSum& sum,
                   const framework::DomainSum& all) const;
  double MostTightness(const model::ResourceVec& request, const model::ResourceVec& before,
                       const framework::DomainSum& sum, const framework::DomainSum& all) const;

 private:
  struct Part {
    int dim = 0;
    double weight = 0;
  };
  // `grade` gives one resource from 0 to 1: (dimension, what would be in use).
  template <typename Grade>
  double Mean(const model::ResourceVec& request, const framework::DomainSum& sum,
              const Grade& grade) const;

  std::vector<Part> parts_;
};

// How much each tier counts for pods that ask for nothing: fading^(tier - 1), for each whole number
// from the lowest tier to the highest. Tiers that no HyperNode has count as full everywhere.
struct TierWeights {
  std::vector<double> weights;  // Of the tiers that exist, in order.
  double full = 0;              // Sum of those that do not.
  double sum = 0;               // Of all.
};
TierWeights WeightsOf(absl::Span<const int32_t> tiers, double fading);

}  // namespace bth::plugins::network_topology
