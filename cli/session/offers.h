// Names of objects of the cluster, for shells that complete them. What the arguments point to are
// targets of flags, which are read before an offer is asked for and outlive it. An offer asks the
// server once, waits for a moment, and offers nothing where that fails.
#pragma once

#include <string>

#include "cli/command/offer.h"
#include "cli/session/session.h"

namespace bth::cli {

// `ns` is null for kinds without a namespace.
Offer OfferNames(const ClusterFlags* cluster, const types::ResourceType& type,
                 const std::string* ns);
Offer OfferNamespaces(const ClusterFlags* cluster);

// Of one batch job; `job` may be empty, which is all jobs.
struct JobPlace {
  const ClusterFlags* cluster;
  const std::string* ns;
  const std::string* job;
};
Offer OfferPodsOfJob(JobPlace place);
Offer OfferTasksOfJob(JobPlace place);

}  // namespace bth::cli
