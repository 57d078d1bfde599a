// `vcctl job run` and `vsub`: a batch job of one task, or that of a file.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "cli/command/command.h"
#include "cli/job/flags.h"

namespace bth::cli {

struct RunFlags {
  JobFlags job;
  std::string image = "busybox";
  int64_t min = 1;
  int64_t replicas = 1;
  std::string requests = "cpu=1000m,memory=100Mi";
  std::string limits = "cpu=1000m,memory=100Mi";
  std::string scheduler = "volcano";
  std::string file;     // vcctl only
  std::string command;  // vsub only
};

// The job that the flags describe. Pure.
absl::StatusOr<types::Json> JobFromFlags(const RunFlags& flags);

// The first document of a job file; the flags do not matter then.
absl::StatusOr<types::Json> JobFromFile(const std::string& path);

absl::Status RunJob(Session& session, const RunFlags& flags);

// Those that are spelled the same in both programs.
void AddShapeFlags(RunFlags* target, FlagSet* flags);

Command RunJobCommand();

}  // namespace bth::cli
