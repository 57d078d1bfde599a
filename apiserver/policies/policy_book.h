// The policies of one kind with their bindings.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/matching/outside.h"
#include "apiserver/policies/policy.h"

namespace bth::apiserver {

// Follows the store; a policy is compiled once per generation. Thread: the executor's. Lifetime:
// the store's observer and stages hold it.
class PolicyBook final : public std::enable_shared_from_this<PolicyBook> {
 public:
  PolicyBook(std::shared_ptr<Outside> outside, bool mutating);

  void Start();
  // Whether a policy with a binding may match the write.
  bool MayConcern(const WriteContext& write) const;
  // By name; bindings of a policy are by name, too.
  const std::map<std::string, PolicyPtr>& policies() const { return policies_; }
  std::vector<BindingPtr> BindingsOf(const std::string& policy) const;
  Outside& outside() const { return *outside_; }

 private:
  void OnCommit(const Collection& collection, const StoreEvent& event);
  void PutPolicy(const Json& object);
  void PutBinding(const Json& object);

  const std::shared_ptr<Outside> outside_;
  const bool mutating_;
  std::map<std::string, PolicyPtr> policies_;
  std::map<std::string, BindingPtr> bindings_;
};

// Serves the four kinds: their rules, the validating stage, and the mutator that is to be put
// before the one of webhooks.
std::unique_ptr<Mutator> ServePolicies(const std::shared_ptr<Core>& core,
                                       const std::shared_ptr<Outside>& outside);

}  // namespace bth::apiserver
