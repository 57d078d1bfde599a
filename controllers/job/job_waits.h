// What pods of a batch job wait for, by what schedulers say of them. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "api/types/batch_job.h"
#include "api/types/pod_group.h"
#include "controllers/job/job_book.h"

namespace bth::controllers {

// A scheduler that starts, or takes over from another, has so long to answer before it is said
// that nobody does.
inline constexpr absl::Duration kAnswerWithin = absl::Seconds(30);

struct WaitFacts {
  const JobView* view = nullptr;  // Null: nothing is known of its pods.
  const types::PodGroup* group = nullptr;
  absl::Time now;
  std::string_view said;  // What the job says at present (status.state.message).
};

struct UnservedNote {
  std::string text;  // Empty: there is nothing to tell.
  // When there may be, unless somebody answers meanwhile.
  std::optional<absl::Duration> look_again;
};

// The first task whose scheduler is none of `names` and has not answered for any of its pods, nor
// anybody for the pod group, in all the time that it was given. What was said stays until somebody
// answers.
UnservedNote UnservedTask(const types::BatchJobSpec& spec, const std::vector<std::string>& names,
                          const WaitFacts& facts);

// "2 of 5 pods wait for a node: pod j-a-3: 0/3 nodes are unavailable …"; empty: none does. Words
// that differ from what was said in numbers alone stay as they were.
std::string WaitingPodsText(const types::BatchJobSpec& spec, const WaitFacts& facts);

}  // namespace bth::controllers
