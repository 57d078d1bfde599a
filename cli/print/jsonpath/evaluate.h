// Runs a template on a value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "cli/print/jsonpath/template.h"

namespace bth::cli::jsonpath {

struct EvaluateOptions {
  bool allow_missing_keys = false;
  // Values at any one time, and all that are handed back; and the steps of the run. Recursive
  // descent, wildcards and ranges multiply.
  size_t results_max = 4'000'000;
  size_t steps_max = 200'000'000;
};

// A value of the object or of the template, which outlive it, or one that was made: a number, or
// null for nothing.
class Result {
 public:
  explicit Result(const types::Json* found) : found_(found) {}
  explicit Result(types::Json made) : made_(std::move(made)) {}
  const types::Json& value() const { return found_ != nullptr ? *found_ : made_; }
  bool is_made() const { return found_ == nullptr; }

 private:
  const types::Json* found_ = nullptr;
  types::Json made_;
};
using Results = std::vector<Result>;

// Results of the pieces in order; of those within a range, once per value. Members of objects are
// walked by key. kInvalidArgument with kubectl's text, such as "x is not found".
absl::StatusOr<std::vector<Results>> Evaluate(const Template& program, const types::Json& root,
                                              const EvaluateOptions& options);

// Appends what kubectl prints for the results: the values of one piece with blanks between, objects
// and lists as JSON. kResourceExhausted beyond `bytes_max` of output.
absl::Status PrintResults(const std::vector<Results>& results, size_t bytes_max, std::string& out);
// The same for jsonpath-as-json: a JSON list per piece.
absl::Status PrintResultsAsJson(const std::vector<Results>& results, size_t bytes_max,
                                std::string& out);

}  // namespace bth::cli::jsonpath
