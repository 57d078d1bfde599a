// The first thing that holds a job, in the order in which its way leads past them. Pure functions.
#pragma once

#include <string>

#include "api/types/json.h"
#include "cli/explain/job_facts.h"

namespace bth::cli {

struct HeldBy {
  bool waits = true;   // False: it has ended, or runs.
  std::string words;   // A sentence.
  std::string remedy;  // What to do; empty when there is nothing but to wait.
  // The scheduler may know more: false of jobs that are none of its business now.
  bool is_for_scheduler = true;
};

HeldBy WhatHolds(const JobFacts& facts);

// Why one pod has no place or does not start; empty when it runs or is over.
std::string PodWords(const types::Json& pod);

}  // namespace bth::cli
