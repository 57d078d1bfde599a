// matchConditions: expressions that must all be true for a webhook or a policy to be asked.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/matching/expressions.h"

namespace bth::apiserver {

class MatchConditions {
 public:
  // Errors: kInvalidArgument: one does not compile, with its name.
  static absl::StatusOr<MatchConditions> Compile(
      const Json& conditions, const std::shared_ptr<const cel::Environment>& environment);

  // Of stored ones that do not compile: nobody can tell whether they hold.
  static MatchConditions Broken(absl::Status why);

  bool empty() const { return expressions_.empty() && broken_.ok(); }
  // One that is false decides, whatever others say. Errors: none is false, and some cannot be told.
  absl::StatusOr<bool> Hold(const cel::Activation& names) const;

 private:
  std::vector<Expression> expressions_;
  absl::Status broken_;
};

}  // namespace bth::apiserver
