// Which chip a part is cut off, and which ones a pod gets whole.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "devices/mindcluster/mindcluster.h"

namespace bth::devices::mindcluster {
namespace {

using model::Device;

// What stands on a chip beside amounts.
struct ChipUse {
  bool known = false;  // Somebody of ours is on it, be it leaving.
  bool parted = false;
  bool in_work = false;      // The device plugin is about to cut a part off.
  bool has_dvpp = false;     // Some part has the units,
  bool shares_dvpp = false;  // or does not care.
  uint64_t groups = 0;       // One bit each.
  int32_t groupless = 0;     // Parts of which nobody says where they lie.
};

struct Chips {
  absl::Span<const Device> devices;
  UseColumns used;
  absl::InlinedVector<ChipUse, 16> uses;
  bool coming_differ = false;
  int32_t coming = kWhole;  // The template of all parts that are not cut yet, if they do not.

  int32_t CoresLeft(size_t chip) const { return devices[chip].cores - used[chip].cores; }
  int64_t CpusLeft(size_t chip) const { return devices[chip].memory - used[chip].memory; }
};

void NotePart(const Part& part, ChipUse* use, Chips* chips) {
  if (part.number == kWhole) {
    use->shares_dvpp = true;
    return;
  }
  use->parted = true;
  use->in_work |= part.stage == Stage::kBound;
  if (part.group >= 0) {
    use->groups |= uint64_t{1} << part.group;
  } else {
    ++use->groupless;
  }
  if (part.number != kUnknownTemplate) {
    const Dvpp dvpp = TemplateOf(part.number).dvpp;
    use->has_dvpp |= dvpp == Dvpp::kYes;
    use->shares_dvpp |= dvpp == Dvpp::kNull;
  }
  if (part.stage == Stage::kCut) return;
  chips->coming_differ |= chips->coming != kWhole && chips->coming != part.number;
  chips->coming = part.number;
}

Chips ChipsOf(const Question& question) {
  Chips out{.devices = question.use.pool().devices, .used = question.use.Columns(question.future)};
  out.uses.resize(out.devices.size());
  for (const Holder& holder : question.use.holders()) {
    ChipUse& use = out.uses[static_cast<size_t>(holder.device)];
    use.known = true;
    if (question.future && holder.leaving) continue;
    NotePart(Part::OfMark(holder.mark), &use, &out);
  }
  return out;
}

bool MayUseGroups(const ChipUse& use, int32_t cores) {
  if (!use.parted) return true;
  constexpr int32_t kAllGroups = 4;
  constexpr int32_t kLargePart = 4;
  constexpr int32_t kMiddlePart = 2;
  const int32_t groups = std::min(std::popcount(use.groups) + use.groupless, kAllGroups);
  if (groups == kAllGroups) return cores < kMiddlePart;
  return groups < kAllGroups - 1 || cores < kLargePart;
}

bool MayUseDvpp(const ChipUse& use, Dvpp dvpp) {
  switch (dvpp) {
    case Dvpp::kYes:
      return !use.has_dvpp && !use.shares_dvpp;
    case Dvpp::kNull:
      return !use.has_dvpp;
    case Dvpp::kNo:
      return true;
  }
  return false;
}

bool FitsChip(const Chips& chips, size_t chip, const Template& part) {
  const ChipUse& use = chips.uses[chip];
  if (!chips.devices[chip].offered && !use.known) return false;
  return chips.CoresLeft(chip) >= part.cores && chips.CpusLeft(chip) >= part.cpus && !use.in_work &&
         MayUseGroups(use, part.cores) && MayUseDvpp(use, part.dvpp);
}

// The one with the least left that does; devices.size(): none.
size_t ChipFor(const Chips& chips, const Template& part) {
  size_t best = chips.devices.size();
  for (size_t chip = 0; chip < chips.devices.size(); ++chip) {
    if (!FitsChip(chips, chip, part)) continue;
    const bool less = best == chips.devices.size() ||
                      chips.CoresLeft(chip) < chips.CoresLeft(best) ||
                      (chips.CoresLeft(chip) == chips.CoresLeft(best) &&
                       chips.CpusLeft(chip) < chips.CpusLeft(best));
    if (less) best = chip;
  }
  return best;
}

bool Refuse(Refusal why, Choice* out) {
  out->devices.clear();
  out->refusal = why;
  return false;
}

bool ChoosePart(const Chips& chips, int32_t number, Choice* out) {
  size_t chip = ChipFor(chips, TemplateOf(number));
  if (const auto lower = LowerOf(number); chip == chips.devices.size() && lower) {
    number = *lower;
    out->lowered = true;
    chip = ChipFor(chips, TemplateOf(number));
  }
  if (chip == chips.devices.size()) return Refuse(kNoPart, out);
  // The plugin cuts parts for pods that it cannot tell apart: all of one kind, or nothing.
  if (chips.coming_differ || (chips.coming != kWhole && chips.coming != number)) {
    return Refuse(kOtherTemplate, out);
  }
  const Template& part = TemplateOf(number);
  out->devices.push_back({.device = static_cast<int32_t>(chip),
                          .memory = part.cpus,
                          .cores = part.cores,
                          .mark = Part{.number = number, .stage = Stage::kGiven}.Mark()});
  return true;
}

bool ChooseWhole(const Chips& chips, size_t count, Choice* out) {
  for (size_t chip = 0; chip < chips.devices.size() && out->devices.size() < count; ++chip) {
    const ChipUse& use = chips.uses[chip];
    const Device& device = chips.devices[chip];
    const bool whole = chips.used[chip] == DeviceUse() && !use.parted;
    if (!whole || (!device.offered && !use.known)) continue;
    out->devices.push_back({.device = static_cast<int32_t>(chip),
                            .memory = device.memory,
                            .cores = device.cores,
                            .mark = Part().Mark()});
  }
  return out->devices.size() == count || Refuse(kNoWhole, out);
}

}  // namespace

bool ChooseChips(const Question& question, Choice* out) {
  out->devices.clear();
  out->score = 0;
  out->lowered = false;
  out->refusal.reset();
  const model::DevicePool& pool = question.use.pool();
  if (pool.closed) return Refuse(kSetApart, out);
  if (pool.devices.empty()) return Refuse(kNoChips, out);
  const int32_t cores = question.request.containers.front().cores;
  const int32_t of_chip = pool.devices.front().cores;
  if (cores % of_chip == 0) {
    return ChooseWhole(ChipsOf(question), static_cast<size_t>(cores / of_chip), out);
  }
  const std::optional<Dvpp> dvpp = DvppOf(question.request);
  if (!dvpp) return Refuse(kWrongDvpp, out);
  const std::optional<int32_t> number = TemplateFor(cores, question.request.high, *dvpp);
  if (!number) return Refuse(kWrongCores, out);
  return ChoosePart(ChipsOf(question), *number, out);
}

}  // namespace bth::devices::mindcluster
