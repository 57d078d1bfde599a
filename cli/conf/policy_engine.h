// What commands borrow of the scheduler's engine. The engine lies above this folder, so the program
// brings it.
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "conf/finding.h"
#include "conf/load.h"
#include "conf/policy.h"

namespace bth::cli {

// What plugins and actions say of their arguments.
struct ArgumentReview {
  std::vector<std::string> refusals;  // The scheduler would refuse the policy for these.
  std::vector<conf::Finding> findings;
};

struct NamedText {
  std::string name;  // Of the file, for messages.
  std::string text;
};

struct PolicyComparison {
  NamedText before;
  NamedText after;
  std::string world;           // A file or folder of objects, or "-" for `in`.
  std::istream* in = nullptr;  // Outlives the call.
  int cycles = 1;
};

// Thread: one.
class PolicyEngine {
 public:
  virtual ~PolicyEngine() = default;
  // Valid as long as the engine.
  virtual conf::KnownNames names() const = 0;
  virtual ArgumentReview ReviewArguments(const conf::Policy& policy) const = 0;
  // The engine as vc-agent-scheduler has it.
  virtual std::unique_ptr<PolicyEngine> ForSinglePods() const = 0;
  // What becomes of the pods of a cluster under two policies (sim/compare.h has the form).
  // kInvalidArgument: what was given cannot be used, with file and place; kInternal: a bug.
  virtual absl::StatusOr<types::Json> Compare(const PolicyComparison& comparison) const = 0;
};

}  // namespace bth::cli
