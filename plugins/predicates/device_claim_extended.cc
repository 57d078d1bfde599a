// Extended resources that devices serve: the claims that stand for them.
#include <utility>

#include "api/model/pod_extras.h"
#include "base/strings.h"
#include "plugins/predicates/device_claim_book.h"
#include "plugins/predicates/extended_claims.h"

namespace bth::plugins::predicates {

using model::DeviceClaimFacts;
using model::TaskId;

void DeviceClaimBook::ListServed() {
  for (int d = model::kFixedDims; d < session_.dims().size(); ++d) {
    const auto known = view_.extended->find(session_.dims().name(d));
    if (known == view_.extended->end()) continue;
    served_ |= model::DimMask{1} << d;
    class_of_.emplace_back(d, known->second);
  }
}

model::DimMask DeviceClaimBook::ServedOn(model::DimMask extended,
                                         const model::NodeFacts& node) const {
  model::DimMask out = extended;
  for (const auto& [dim, name] : class_of_) {
    if (node.kube_allocatable[dim] > 0) out &= ~(model::DimMask{1} << dim);
  }
  return out;
}

std::shared_ptr<const model::ExtendedClaimFacts> DeviceClaimBook::ExtendedClaimFor(
    TaskId task, model::DimMask served) const {
  ServedResources resources;
  for (const auto& [dim, device_class] : class_of_) {
    if ((served >> dim & 1) != 0) resources[std::string(session_.dims().name(dim))] = device_class;
  }
  const auto& extras = session_.base().constraints_of(session_.task(task).shape).extras;
  return std::make_shared<const model::ExtendedClaimFacts>(
      ExtendedClaimOf(extras->requests, resources));
}

const DeviceClaimBook::Unmade& DeviceClaimBook::UnmadeFor(TaskId task, model::DimMask served) {
  std::unique_ptr<Unmade>& known = unmade_[{task, served}];
  if (known != nullptr) return *known;
  known = std::make_unique<Unmade>();
  known->extended = ExtendedClaimFor(task, served);
  model::DeviceClaimFacts& facts = known->facts;
  const model::TaskNames& names = *session_.task(task).names;
  facts.name = kUnmadeName;
  facts.key = StrCat(names.ns, "/", facts.name);
  facts.owner_uid = names.uid;
  facts.for_extended = true;
  facts.requests = known->extended->requests;
  return *known;
}

// One that is left of an earlier attempt is used again, if it asks for what the pod needs.
void DeviceClaimBook::AddMade(TaskId task, Claims* out) const {
  const model::DimMask extended = ExtendedOf(task);
  if (extended == 0) return;
  const model::TaskNames& names = *session_.task(task).names;
  const DeviceClaimFacts* made = view_.MadeFor(names.ns, names.uid);
  if (made == nullptr) return;
  out->extended = ExtendedClaimFor(task, extended);
  if (made->deleting || !SameRequests(made->requests, out->extended->requests)) {
    out->why_nowhere = "cannot schedule extended resource claim";
    return;
  }
  out->all.push_back(made);
  if (AllocationOf(*made) == nullptr) out->why_nowhere = WhyNotAllocatable(*made);
}

}  // namespace bth::plugins::predicates
