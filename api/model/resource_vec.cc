#include "api/model/resource_vec.h"

#include "absl/strings/match.h"
#include "base/check.h"
#include "base/strings.h"

namespace bth::model {
namespace {

bool HasPrefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool IsByteSized(std::string_view name) {
  return name == "ephemeral-storage" || HasPrefix(name, "hugepages-");
}

}  // namespace

DimensionTable::DimensionTable() : names_{"cpu", "memory", "pods"} {}

std::optional<int> DimensionTable::Find(std::string_view name) const {
  for (size_t d = 0; d < names_.size(); ++d) {
    if (names_[d] == name) return static_cast<int>(d);
  }
  return std::nullopt;
}

std::optional<int> DimensionTable::Add(std::string_view name) {
  if (const std::optional<int> found = Find(name)) return found;
  if (size() == kDims) return std::nullopt;
  names_.emplace_back(name);
  return size() - 1;
}

void DimensionTable::Rename(int dim, std::string_view name) {
  BTH_CHECK(dim >= kFixedDims && dim < size());
  names_[static_cast<size_t>(dim)] = name;
}

bool DimensionTable::IsMilli(int dim) const {
  return dim == kCpu || (dim >= kFixedDims && !IsByteSized(name(dim)));
}

int64_t DimensionTable::DisplayFactor(int dim) const {
  return dim >= kFixedDims && IsByteSized(name(dim)) ? 1000 : 1;
}

bool IsCountedResource(std::string_view name) {
  if (name == "cpu" || name == "memory" || name == "pods") return true;
  if (IsByteSized(name) || HasPrefix(name, "attachable-volumes-")) return true;
  if (HasPrefix(name, "requests.") || HasPrefix(name, "count/")) return false;
  // A native name is unqualified or in a kubernetes.io domain; the qualified ones of the latter
  // count as scalars too, by their prefix.
  const size_t slash = name.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < name.size();
}

}  // namespace bth::model
