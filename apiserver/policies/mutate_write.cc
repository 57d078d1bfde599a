#include "apiserver/policies/mutate_write.h"

#include <chrono>
#include <utility>

#include "apiserver/patch/apply.h"
#include "apiserver/patch/merge_rules.h"
#include "apiserver/policies/built_types.h"
#include "apiserver/policies/lazy_variables.h"
#include "apiserver/policies/params.h"
#include "apiserver/rest/errors.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/kubernetes/environment.h"

namespace bth::apiserver {
namespace {

constexpr char kManager[] = "admission-policy";

absl::Status PolicyFailure(const WriteContext& write, const Policy& policy,
                           const PolicyBinding* binding, std::string_view why) {
  const std::string message = binding == nullptr
                                  ? StrCat("policy \"", policy.name, "\" denied request: ", why)
                                  : StrCat("policy '", policy.name, "' with binding '",
                                           binding->name, "' denied request: ", why);
  const Subject subject{write.type->group, write.type->plural, write.type->kind, write.name};
  Json document = StatusDocument(Forbidden(subject, "admission request denied by policy"));
  document["details"].Set("causes", Json::MakeArray({Json::MakeObject({{"message", message}})}));
  // As the real server puts it together.
  document.Set("message", message);
  document.Set("reason", "Invalid");
  return RefusedWith(std::move(document));
}

// Lists without keys belong to nobody in part, so that an apply configuration cannot change them.
std::string AtomicPart(const Json& value, const MergeRules& rules, std::vector<std::string>& path) {
  for (const auto& [key, member] : value.members()) {
    path.push_back(key);
    std::string found;
    if (member.is_array() && rules.List(path).list == MergeRule::List::kAtomic) {
      for (const std::string& step : path) StrAppend(&found, ".", step);
    } else if (member.is_array()) {
      for (const Json& item : member.items()) {
        if (found.empty()) found = AtomicPart(item, rules, path);
      }
    } else {
      found = AtomicPart(member, rules, path);
    }
    path.pop_back();
    if (!found.empty()) return found;
  }
  return "";
}

absl::StatusOr<Json> Configured(const ResourceType& type, const Json& object, Json wanted) {
  const Json& given = wanted;
  for (const char* key : {"apiVersion", "kind"}) {
    const Json& value = given[key];
    if (!value.is_null() && !(value == object[key])) {
      return absl::InvalidArgumentError("patch and original object are not of the same gvk");
    }
    wanted.Set(key, object[key]);
  }
  std::vector<std::string> path;
  const std::string atomic = AtomicPart(wanted, MergeRules(type), path);
  if (!atomic.empty()) {
    return absl::InvalidArgumentError(StrCat(
        "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ", atomic));
  }
  const ApplyInput input{object, wanted, kManager, true, "", ""};
  BTH_ASSIGN_OR_RETURN(Json applied, ServerSideApply(type, input));
  // Nobody owns what a policy sets.
  const Json& before = object["metadata"]["managedFields"];
  if (before.is_null()) {
    applied["metadata"].Erase("managedFields");
  } else {
    applied["metadata"].Set("managedFields", before);
  }
  return applied;
}

absl::StatusOr<Json> Mutated(const Mutation& mutation, const WriteDocuments& documents,
                             const cel::Activation& names, Budget& budget) {
  BTH_ASSIGN_OR_RETURN(const cel::Value value, Evaluate(mutation.expression, names, budget));
  const Json& object = documents.read().shown.object;
  if (mutation.is_patch) {
    BTH_ASSIGN_OR_RETURN(const Json patch, PatchOf(value));
    absl::StatusOr<Json> next = ApplyJsonPatch(object, patch);
    // A test that fails says that there is nothing to do.
    if (absl::IsAborted(next.status())) return object;
    if (!next.ok()) return Annotate(next.status(), "JSON Patch");
    return next;
  }
  BTH_ASSIGN_OR_RETURN(Json wanted, ConfigurationOf(value));
  absl::StatusOr<Json> next = Configured(*documents.as(), object, std::move(wanted));
  if (!next.ok()) return Annotate(next.status(), "error applying patch");
  return next;
}

class Round {
 public:
  Round(const PolicyBook& book, WriteContext& write, Ledger& ledger)
      : book_(book), write_(write), ledger_(ledger) {}

  absl::Status Run() {
    for (const auto& [name, policy] : book_.policies()) {
      if (!policy->terms.MayMatch(write_)) continue;
      for (const BindingPtr& binding : book_.BindingsOf(name)) {
        BTH_RETURN_IF_ERROR(RunBinding(*policy, *binding));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Fail(const Policy& policy, const PolicyBinding* binding, std::string_view why) {
    if (policy.ignores_failure) return absl::OkStatus();
    return PolicyFailure(write_, policy, binding, why);
  }

  absl::Status RunBinding(const Policy& policy, const PolicyBinding& binding) {
    const Core& core = book_.outside().core;
    // The object changes on the way: each binding looks at it as it is then.
    const Target target = TargetOf(write_, false);
    const absl::StatusOr<ResourceTypePtr> as = policy.terms.Match(core, target);
    if (!as.ok()) {
      return Fail(policy, nullptr,
                  StrCat("failed to configure policy: ", ToStd(as.status().message())));
    }
    if (*as == nullptr) return absl::OkStatus();
    if (binding.terms.has_value()) {
      const absl::StatusOr<ResourceTypePtr> bound = binding.terms->Match(core, target);
      if (!bound.ok()) {
        return Fail(policy, &binding,
                    StrCat("failed to configure binding: ", ToStd(bound.status().message())));
      }
      if (*bound == nullptr) return absl::OkStatus();
    }
    const auto params = ParamsOf(core, policy, binding, target);
    if (!params.ok()) {
      return Fail(policy, &binding,
                  StrCat("failed to configure binding: ", ToStd(params.status().message())));
    }
    for (size_t i = 0; i < params->size(); ++i) {
      const std::string id = StrCat(policy.name, "/", binding.name, "/", i);
      if (!ledger_.MayAsk(id)) continue;
      const Json before = write_.object;
      const auto start = std::chrono::steady_clock::now();
      const absl::Status status = RunOnce(policy, *as, (*params)[i].get());
      const auto took = std::chrono::steady_clock::now() - start;
      book_.outside().metrics.Checked({policy.name, binding.name,
                                       status.ok() ? "no_error" : "invalid_error", "",
                                       absl::FromChrono(took)});
      if (!status.ok()) {
        BTH_RETURN_IF_ERROR(Fail(policy, &binding, ToStd(status.message())));
      }
      ledger_.Asked(id, policy.invoked_again, !(before == write_.object), write_.object);
    }
    return absl::OkStatus();
  }

  // All mutations, each on what the one before left. One that fails ends the run only where that
  // refuses the write. Errors: the first of them.
  absl::Status RunOnce(const Policy& policy, const ResourceTypePtr& as, const Json* params) {
    if (!policy.broken.ok()) return policy.broken;
    absl::Status first;
    bool matched = policy.conditions.empty();
    for (const Mutation& mutation : policy.mutations) {
      const Core& core = book_.outside().core;
      const WriteDocuments documents(core, TargetOf(write_, false), as, false);
      WriteVariables names(documents);
      names.SetParams(params);
      if (!matched) {
        BTH_ASSIGN_OR_RETURN(matched, policy.conditions.Hold(names));
        if (!matched) return absl::OkStatus();
      }
      Budget budget(cel::kRuntimeBudget);
      names.SetVariables(std::make_shared<LazyVariables>(policy, names, budget));
      absl::StatusOr<Json> next = Mutated(mutation, documents, names, budget);
      names.SetVariables(nullptr);
      absl::Status status = next.status();
      if (next.ok() && *next != documents.read().shown.object) {
        status = Take(*as, *std::move(next));
      }
      if (!status.ok() && !policy.ignores_failure) return status;
      first.Update(std::move(status));
    }
    return first;
  }

  // Errors: the write stays as it was.
  absl::Status Take(const ResourceType& as, Json object) {
    Json before = write_.object;
    std::string name = write_.name;
    const bool name_is_generated = write_.name_is_generated;
    absl::Status status = TakeBack(book_.outside().core, as, std::move(object), write_);
    if (!status.ok()) {
      write_.object = std::move(before);
      write_.name = std::move(name);
      write_.name_is_generated = name_is_generated;
    }
    return status;
  }

  const PolicyBook& book_;
  WriteContext& write_;
  Ledger& ledger_;
};

}  // namespace

absl::Status MutateByPolicies(const PolicyBook& book, WriteContext& write, Ledger& ledger) {
  return Round(book, write, ledger).Run();
}

}  // namespace bth::apiserver
