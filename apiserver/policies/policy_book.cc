#include "apiserver/policies/policy_book.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr std::string_view kGroupSuffix = ".admissionregistration.k8s.io";

std::string CollectionNamed(bool mutating, std::string_view what) {
  return StrCat(mutating ? "mutating" : "validating", what, kGroupSuffix);
}

std::string PolicyCollection(bool mutating) {
  return CollectionNamed(mutating, "admissionpolicies");
}

std::string BindingCollection(bool mutating) {
  return CollectionNamed(mutating, "admissionpolicybindings");
}

}  // namespace

PolicyBook::PolicyBook(std::shared_ptr<Outside> outside, bool mutating)
    : outside_(std::move(outside)), mutating_(mutating) {}

void PolicyBook::Start() {
  Store& store = *outside_->core.store;
  for (const ObjectPtr& stored : store.Find(PolicyCollection(mutating_))->All("")) {
    PutPolicy(ParseStored(*stored));
  }
  for (const ObjectPtr& stored : store.Find(BindingCollection(mutating_))->All("")) {
    PutBinding(ParseStored(*stored));
  }
  store.OnCommit([self = shared_from_this()](Collection& collection, const StoreEvent& event) {
    self->OnCommit(collection, event);
  });
}

void PolicyBook::OnCommit(const Collection& collection, const StoreEvent& event) {
  if (!collection.name().ends_with(kGroupSuffix)) return;
  const bool policy = collection.name() == PolicyCollection(mutating_);
  if (!policy && collection.name() != BindingCollection(mutating_)) return;
  const std::string& name = event.object->key.name;
  if (event.type == EventType::kDeleted) {
    policy ? policies_.erase(name) : bindings_.erase(name);
  } else if (policy) {
    PutPolicy(ParseStored(*event.object));
  } else {
    PutBinding(ParseStored(*event.object));
  }
}

void PolicyBook::PutPolicy(const Json& object) {
  const Json& meta = object["metadata"];
  PolicyPtr& slot = policies_[std::string(meta["name"].AsString())];
  const bool same = slot != nullptr && slot->uid == meta["uid"].AsString() &&
                    slot->generation == meta["generation"].AsInt();
  if (!same) slot = CompilePolicy(object, mutating_);
}

void PolicyBook::PutBinding(const Json& object) {
  bindings_[std::string(object["metadata"]["name"].AsString())] = ReadBinding(object);
}

bool PolicyBook::MayConcern(const WriteContext& write) const {
  if (policies_.empty() || bindings_.empty() || IsExempt(write)) return false;
  return std::any_of(bindings_.begin(), bindings_.end(), [&](const auto& entry) {
    const auto policy = policies_.find(entry.second->policy);
    return policy != policies_.end() && policy->second->terms.MayMatch(write);
  });
}

std::vector<BindingPtr> PolicyBook::BindingsOf(const std::string& policy) const {
  std::vector<BindingPtr> found;
  for (const auto& [name, binding] : bindings_) {
    if (binding->policy == policy) found.push_back(binding);
  }
  return found;
}

}  // namespace bth::apiserver
