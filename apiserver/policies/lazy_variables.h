// The value of `variables` while a policy runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/policies/policy.h"

namespace bth::apiserver {

// Each variable is computed when it is first named, and once. Lifetime: shorter than those of the
// policy, the names and the budget. Thread: one.
class LazyVariables final : public cel::ObjectView {
 public:
  static constexpr int kDepthMax = 128;

  // `names` must find this object under "variables".
  LazyVariables(const Policy& policy, const cel::Activation& names, Budget& budget);

  const cel::TypePtr& type() const override { return policy_.variables_type; }
  std::optional<cel::Value> Field(std::string_view name) const override;
  std::vector<std::string> SetFields() const override;

 private:
  cel::Value Compute(const PolicyVariable& variable) const;

  const Policy& policy_;
  const cel::Activation& names_;
  Budget& budget_;
  mutable std::vector<std::optional<cel::Value>> values_;  // As the variables of the policy.
  mutable int depth_ = 0;
};

}  // namespace bth::apiserver
