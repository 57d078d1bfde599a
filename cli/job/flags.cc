#include "cli/job/flags.h"

#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"

namespace bth::cli {

void AddJobFlags(JobFlags* target, JobLetters letters, FlagSet* flags) {
  AddClusterFlags(&target->cluster, flags);
  flags->Text(&target->ns, {"namespace", letters.ns}, "the namespace of job");
  flags->Text(&target->name, {"name", letters.name}, "the name of job");
  flags->OfferFor("namespace", OfferNamespaces(&target->cluster));
  flags->OfferFor("name", OfferNames(&target->cluster, JobType(), &target->ns));
}

}  // namespace bth::cli
