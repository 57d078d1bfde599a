// The stages of policies (declared in policy_book.h).
#include <utility>

#include "apiserver/policies/check_policy.h"
#include "apiserver/policies/mutate_write.h"
#include "apiserver/policies/policy_book.h"
#include "apiserver/policies/validate_write.h"
#include "apiserver/rest/errors.h"

namespace bth::apiserver {
namespace {

// Does not wait: everything a policy needs is here.
class PolicyStage final : public Stage {
 public:
  explicit PolicyStage(std::shared_ptr<PolicyBook> book) : book_(std::move(book)) {}
  std::string_view name() const override { return "validating-policies"; }
  bool Concerns(const WriteContext& write) const override { return book_->MayConcern(write); }
  absl::Status Apply(WriteContext& write) override { return ValidateByPolicies(*book_, write); }

 private:
  const std::shared_ptr<PolicyBook> book_;
};

class PolicyMutator final : public Mutator {
 public:
  explicit PolicyMutator(std::shared_ptr<PolicyBook> book) : book_(std::move(book)) {}
  bool Concerns(const WriteContext& write) const override {
    return write.operation != Operation::kDelete && book_->MayConcern(write);
  }
  net::Awaitable<absl::Status> Mutate(WriteContext& write, Ledger& ledger) override {
    co_return MutateByPolicies(*book_, write, ledger);
  }

 private:
  const std::shared_ptr<PolicyBook> book_;
};

// Defaults at kDefault, rules at kValidate.
class PolicyKindsStage final : public Stage {
 public:
  explicit PolicyKindsStage(bool judges) : judges_(judges) {}
  std::string_view name() const override { return judges_ ? "policy-rules" : "policy-defaults"; }
  bool Concerns(const WriteContext& write) const override {
    return write.type->group == "admissionregistration.k8s.io" && write.subresource.empty() &&
           write.operation != Operation::kDelete &&
           write.type->kind.find("AdmissionPolicy") != std::string::npos;
  }
  absl::Status Apply(WriteContext& write) override {
    const bool mutating = write.type->kind.starts_with("Mutating");
    const bool binding = write.type->kind.ends_with("Binding");
    if (!judges_) {
      binding ? DefaultBinding(write.object) : DefaultPolicy(write.object);
      return absl::OkStatus();
    }
    const Json* old = write.old.has_value() ? &*write.old : nullptr;
    const rules::FieldErrors errors =
        binding ? CheckBinding(write.object, mutating) : CheckPolicy(write.object, old, mutating);
    return errors.empty() ? absl::OkStatus() : Invalid(write.subject(), CausesOf(errors));
  }

 private:
  const bool judges_;
};

}  // namespace

std::unique_ptr<Mutator> ServePolicies(const std::shared_ptr<Core>& core,
                                       const std::shared_ptr<Outside>& outside) {
  auto mutating = std::make_shared<PolicyBook>(outside, true);
  auto validating = std::make_shared<PolicyBook>(outside, false);
  mutating->Start();
  validating->Start();
  core->stages.Add(StagePoint::kDefault, std::make_unique<PolicyKindsStage>(false));
  core->stages.Add(StagePoint::kValidate, std::make_unique<PolicyKindsStage>(true));
  core->stages.Add(StagePoint::kValidateOutside,
                   std::make_unique<PolicyStage>(std::move(validating)));
  return std::make_unique<PolicyMutator>(std::move(mutating));
}

}  // namespace bth::apiserver
