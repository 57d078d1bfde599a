#include "admission/rules/queue_fields.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "admission/rules/hierarchy_annotations.h"
#include "admission/rules/resource_names.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

using rules::FieldErrors;
using types::Quantity;
using types::ResourceList;

// Of one kind; more than anybody reads, and a bound for hostile lists.
constexpr size_t kFindingsMax = 500;

bool IsWhole(const Quantity& quantity) {
  const absl::StatusOr<int64_t> milli = quantity.MilliValue();
  return milli.ok() ? *milli % 1000 == 0 : quantity == Quantity::FromValue(quantity.Value());
}

void CheckQuantities(const ResourceList& resources, std::string_view field, FieldErrors* errors) {
  for (const auto& [name, quantity] : resources) {
    if (errors->size() >= kFindingsMax) return;
    const std::string path = StrCat("requestBody.spec.", field, ".", name);
    if (quantity.is_negative()) {
      errors->push_back(
          rules::Invalid(path, quantity.ToString(), "must be greater than or equal to 0"));
    }
    if (IsWholeResource(name) && !IsWhole(quantity)) {
      errors->push_back(rules::Invalid(path, quantity.ToString(), "must be an integer"));
    }
  }
}

void CheckDeserved(const types::QueueSpec& spec, FieldErrors* errors) {
  for (const auto& [name, guarantee] : spec.guarantee) {
    if (errors->size() >= kFindingsMax) return;
    const std::string path = StrCat("requestBody.spec.deserved.", name);
    const Quantity* deserved = spec.deserved.Find(name);
    if (deserved == nullptr) {
      errors->push_back(rules::Invalid(
          path, "<nil>",
          StrCat("deserved[", name, "] must be >= guarantee[", name, "]=", guarantee.ToString())));
    } else if (deserved->Compare(guarantee) < 0) {
      errors->push_back(
          rules::Invalid(path, deserved->ToString(),
                         StrCat("deserved[", name, "]=", deserved->ToString(),
                                " must be >= guarantee[", name, "]=", guarantee.ToString())));
    }
  }
  for (const auto& [name, deserved] : spec.deserved) {
    if (errors->size() >= kFindingsMax) return;
    const Quantity* capability = spec.capability.Find(name);
    if (capability == nullptr || deserved.Compare(*capability) <= 0) continue;
    errors->push_back(
        rules::Invalid(StrCat("requestBody.spec.deserved.", name), deserved.ToString(),
                       StrCat("deserved[", name, "]=", deserved.ToString(),
                              " must be <= capability[", name, "]=", capability->ToString())));
  }
}

void Append(FieldErrors more, FieldErrors* errors) {
  errors->insert(errors->end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

}  // namespace

FieldErrors CheckQueueFields(const types::Queue& queue, const types::Queue* before,
                             const Known& known) {
  FieldErrors errors;
  CheckQuantities(queue.spec.capability, "capability", &errors);
  CheckQuantities(queue.spec.deserved, "deserved", &errors);
  CheckQuantities(queue.spec.guarantee, "guarantee.resource", &errors);
  CheckDeserved(queue.spec, &errors);
  const std::string& state = queue.status.state;
  const bool carried_over = before != nullptr && before->status.state == state;
  if (!state.empty() && state != "Open" && state != "Closed" && !carried_over) {
    errors.push_back(
        rules::Invalid("requestBody.spec.state", state, "queue state must be in [Open Closed]"));
  }
  Append(CheckHierarchyAnnotations(queue, known), &errors);
  return errors;
}

}  // namespace bth::admission
