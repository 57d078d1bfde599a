#include "api/model/storage_view.h"

#include <algorithm>

#include "api/model/find_label.h"
#include "api/model/node_affinity.h"
#include "base/strings.h"

namespace bth::model {
namespace {

std::string Prefix(std::string_view text) {
  std::string out(text);
  out.push_back('\0');  // Not part of any name.
  return out;
}

}  // namespace

bool Matches(const std::vector<NodeRequirement>& selector, const SymbolLabels& labels) {
  return std::all_of(selector.begin(), selector.end(), [&labels](const NodeRequirement& r) {
    const Symbol* value = FindLabel(labels, r.key);
    const bool in =
        value != nullptr && std::binary_search(r.values.begin(), r.values.end(), *value);
    switch (r.op) {
      case SelectorOp::kIn:
        return in;
      case SelectorOp::kNotIn:
        return !in;
      case SelectorOp::kExists:
        return value != nullptr;
      case SelectorOp::kDoesNotExist:
        return value == nullptr;
      case SelectorOp::kGt:
      case SelectorOp::kLt:
        return false;
    }
    return false;
  });
}

bool VolumeFacts::Reaches(const NodeFacts& node) const {
  return anywhere || std::any_of(node_terms.begin(), node_terms.end(),
                                 [&node](const NodeTerm& t) { return model::Matches(t, node); });
}

bool ClassFacts::provisions() const {
  return !provisioner.empty() && provisioner != "kubernetes.io/no-provisioner";
}

bool StorageView::TracksCapacity(std::string_view driver) const {
  if (tracks_capacity == nullptr) return false;
  const auto known = tracks_capacity->find(driver);
  return known != tracks_capacity->end() && known->second;
}

std::string StorageView::FreePrefix(std::string_view storage_class) {
  return Prefix(storage_class);
}

std::string StorageView::FreeKey(const VolumeFacts& volume) {
  return StrCat(
      Prefix(volume.storage_class),
      absl::Hex(static_cast<uint64_t>(std::max<int64_t>(volume.bytes, 0)), absl::kZeroPad16),
      volume.name);
}

std::string StorageView::ClaimedPrefix(std::string_view claim) {
  return Prefix(claim);
}

std::string StorageView::ClaimedKey(const VolumeFacts& volume) {
  return StrCat(Prefix(volume.claim), volume.name);
}

std::string StorageView::CapacityPrefix(std::string_view storage_class) {
  return Prefix(storage_class);
}

std::string StorageView::CapacityKey(std::string_view storage_class, std::string_view key) {
  return StrCat(Prefix(storage_class), key);
}

std::string StorageView::AttachmentPrefix(std::string_view node) {
  return Prefix(node);
}

std::string StorageView::AttachmentKey(std::string_view node, std::string_view name) {
  return StrCat(Prefix(node), name);
}

}  // namespace bth::model
