#include "cache/cluster/dimension_book.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace bth::cache {

using model::DimensionTable;
using model::kDims;
using model::kFixedDims;

namespace {

// Of a name that nobody asks for.
constexpr int kIdle = 0;

}  // namespace

int DimensionBook::Name::rank() const {
  if (pinned) return 3;
  if (asks == 0) return kIdle;
  return offers > 0 ? 2 : 1;
}

bool DimensionBook::IsBuiltIn(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "pods";
}

DimensionBook::DimensionBook() : table_(std::make_shared<const DimensionTable>()) {}

DimensionBook::Name& DimensionBook::NameOf(const std::string& text) {
  const auto [known, fresh] = names_.try_emplace(text);
  if (fresh) known->second.came = ++came_;
  return known->second;
}

void DimensionBook::Count(const NamedAmounts& amounts, int64_t Name::*counter, int sign) {
  for (const auto& [text, amount] : amounts) {
    if (amount == 0 || IsBuiltIn(text)) continue;
    Name& name = NameOf(text);
    const int before = name.rank();
    name.*counter += sign;
    const bool same = name.rank() == before && (name.asks > 0 || name.offers > 0);
    if (!same) Refile(text, name);
  }
}

void DimensionBook::Refile(const std::string& text, Name& name) {
  if (name.waits) waiting_.erase(*std::exchange(name.waits, std::nullopt));
  if (name.dim < 0 && name.rank() > kIdle) {
    name.waits = Turn(-name.rank(), name.came);
    waiting_[*name.waits] = text;
  }
  // Who has a dimension and counts less from now on may have to leave it to one that waits.
  const bool counts = name.dim >= 0 && name.rank() > kIdle;
  if (std::exchange(name.counts, counts) != counts) turned_.push_back(text);
  unsettled_ = !waiting_.empty() || !turned_.empty();
  if (name.dim < 0 && name.rank() == kIdle && name.offers == 0) names_.erase(text);
}

void DimensionBook::Pin(const std::vector<std::string>& names) {
  std::vector<std::string> changed;
  for (const auto& [text, name] : names_) {
    const bool wanted = std::find(names.begin(), names.end(), text) != names.end();
    if (name.pinned && !wanted) changed.push_back(text);
  }
  std::sort(changed.begin(), changed.end());
  for (const std::string& text : changed) {
    Name& name = NameOf(text);
    name.pinned = false;
    Refile(text, name);
  }
  for (const std::string& text : names) {
    if (!model::IsCountedResource(text) || IsBuiltIn(text)) continue;
    Name& name = NameOf(text);
    if (std::exchange(name.pinned, true)) continue;
    Refile(text, name);
  }
}

void DimensionBook::StartOver() {
  std::vector<std::string> texts;
  for (const auto& [text, name] : names_) texts.push_back(text);
  for (const std::string& text : texts) {
    Name& name = NameOf(text);
    name.asks = 0;
    name.offers = 0;
    Refile(text, name);
  }
}

std::optional<int> DimensionBook::RoomFor(int rank) const {
  if (table_->size() < kDims) return table_->size();
  std::optional<int> room;
  int least = rank;
  for (int dim = kFixedDims; dim < kDims; ++dim) {
    const int taken = names_.find(ToAbsl(table_->name(dim)))->second.rank();
    if (taken >= least) continue;
    least = taken;
    room = dim;
  }
  return room;
}

std::vector<std::string> DimensionBook::Settle() {
  while (!waiting_.empty()) {
    const std::string text = waiting_.begin()->second;
    const std::optional<int> dim = RoomFor(names_.find(text)->second.rank());
    if (!dim) break;  // Nor is there any for those who come after it.
    auto table = std::make_shared<DimensionTable>(*table_);
    if (*dim == table->size()) {
      table->Add(text);
    } else {
      const std::string loser(table->name(*dim));
      table->Rename(*dim, text);
      Name& left = names_.find(loser)->second;
      left.dim = -1;
      Refile(loser, left);
    }
    table_ = std::move(table);
    Name& name = names_.find(text)->second;
    name.dim = *dim;
    Refile(text, name);
  }
  unsettled_ = false;
  std::vector<std::string> changed = std::exchange(turned_, {});
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

bool DimensionBook::Counts(const std::string& resource) const {
  if (IsBuiltIn(resource)) return true;
  const auto known = names_.find(resource);
  return known != names_.end() && known->second.counts;
}

std::optional<std::string> DimensionBook::FindUncounted(const NamedAmounts& amounts) const {
  for (const auto& [name, amount] : amounts) {
    if (amount != 0 && !table_->Find(name)) return name;
  }
  return std::nullopt;
}

int DimensionBook::used() const {
  int count = kFixedDims;
  for (int dim = kFixedDims; dim < table_->size(); ++dim) {
    count += static_cast<int>(names_.find(ToAbsl(table_->name(dim)))->second.rank() > kIdle);
  }
  return count;
}

}  // namespace bth::cache
