// Flags and addresses that the commands on batch jobs share.
#pragma once

#include <string>

#include "api/types/batch_job.h"
#include "cli/command/flag_set.h"
#include "cli/session/cluster.h"
#include "cli/session/session.h"

namespace bth::cli {

// One job of one namespace.
struct JobFlags {
  ClusterFlags cluster;
  std::string ns = "default";
  std::string name;
  ShowFlags show;  // Of leaves that show something.
};

// vcctl and the stand-alone programs have the letters the other way round.
struct JobLetters {
  char ns;
  char name;
};
inline constexpr JobLetters kVcctlLetters = {'n', 'N'};
inline constexpr JobLetters kSlurmLetters = {'N', 'n'};

inline const types::ResourceType& JobType() {
  return types::ResourceTraits<types::BatchJob>::type();
}
inline Target TargetOf(const JobFlags& flags) {
  return {JobType(), flags.ns, flags.name};
}

void AddJobFlags(JobFlags* target, JobLetters letters, FlagSet* flags);

}  // namespace bth::cli
