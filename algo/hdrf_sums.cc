#include "algo/hdrf_sums.h"

#include <algorithm>
#include <bit>

namespace bth::algo {
namespace {

// From sorted nodes of one level to the nodes above them; false at the root.
bool GoUp(std::vector<size_t>& nodes) {
  if (nodes.front() == 1) return false;
  for (size_t& node : nodes) node /= 2;
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return true;
}

}  // namespace

HdrfSums::HdrfSums(size_t children, DimMask dims)
    : blocks_(std::bit_ceil(std::max<size_t>(1, (children + kBlock - 1) / kBlock))),
      children_(children),
      least_(2 * blocks_, kNobody),
      unsaturated_(children),
      is_touched_(blocks_) {
  for (int d = 0; d < model::kDims; ++d) {
    if ((dims >> d & 1u) != 0) dims_.push_back(d);
  }
  held_.resize(dims_.size() * children);
  terms_.resize(dims_.size() * children);
  runs_.resize(dims_.size() * 2 * blocks_);
}

size_t HdrfSums::EndOf(size_t block) const {
  return std::min(children_.size(), (block + 1) * kBlock);
}

void HdrfSums::Touch(size_t block) {
  if (is_touched_[block]) return;
  is_touched_[block] = true;
  touched_.push_back(block);
}

void HdrfSums::Set(size_t child, const Amounts& amounts, double share, bool saturated) {
  Child& row = children_[child];
  bool changed = row.share != share || row.saturated != saturated;
  unsaturated_ += static_cast<size_t>(row.saturated);
  unsaturated_ -= static_cast<size_t>(saturated);
  row = {share, saturated};
  for (size_t slot = 0; slot < dims_.size(); ++slot) {
    double& held = held_[slot * children_.size() + child];
    const double now = amounts[static_cast<size_t>(dims_[slot])];
    changed = changed || held != now;
    held = now;
  }
  if (changed) Touch(child / kBlock);
}

void HdrfSums::Refresh() {
  if (touched_.empty()) return;
  RefreshLeast();
  const double least = std::min(1.0, least_[1]);
  if (least != scaled_to_) {
    scaled_to_ = least;
    for (size_t block = 0; block < blocks_; ++block) {
      if (least_[blocks_ + block] != kNobody) Touch(block);
    }
  }
  for (size_t block : touched_) Rescale(block);
  RefreshRuns();
  for (size_t block : touched_) is_touched_[block] = false;
  touched_.clear();
  for (size_t slot = 0; slot < dims_.size(); ++slot) {
    amounts_[static_cast<size_t>(dims_[slot])] = std::bit_cast<double>(SumFrom(slot, 1, 0));
  }
}

double HdrfSums::LeastOf(size_t block) const {
  double least = kNobody;
  for (size_t i = block * kBlock; i < EndOf(block); ++i) {
    const Child& child = children_[i];
    if (child.share != 0 && !child.saturated) least = std::min(least, child.share);
  }
  return least;
}

void HdrfSums::RefreshLeast() {
  std::sort(touched_.begin(), touched_.end());
  level_.clear();
  for (size_t block : touched_) {
    least_[blocks_ + block] = LeastOf(block);
    level_.push_back(blocks_ + block);
  }
  while (GoUp(level_)) {
    for (size_t node : level_) least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
  }
}

// A term and its sum are rounded one by one: no target may join them in one instruction, because
// terms pass through memory.
void HdrfSums::Rescale(size_t block) {
  ++work_;
  for (size_t i = block * kBlock; i < EndOf(block); ++i) {
    const Child& child = children_[i];
    const bool counts = child.share != 0;
    const double scale = child.saturated || !counts ? 1 : scaled_to_ / child.share;
    for (size_t slot = 0; slot < dims_.size(); ++slot) {
      const size_t at = slot * children_.size() + i;
      terms_[at] = counts ? held_[at] * scale : 0;
    }
  }
}

double HdrfSums::AboutOf(size_t slot, size_t block) const {
  double about = 0;
  for (size_t i = block * kBlock; i < EndOf(block); ++i) {
    const double term = terms_[slot * children_.size() + i];
    about += term >= 0 ? term : std::numeric_limits<double>::quiet_NaN();
  }
  return about;
}

void HdrfSums::RefreshRuns() {
  std::sort(touched_.begin(), touched_.end());
  level_.clear();
  for (size_t block : touched_) {
    level_.push_back(blocks_ + block);
    for (size_t slot = 0; slot < dims_.size(); ++slot) {
      RunAt(slot, blocks_ + block) = {.about = AboutOf(slot, block)};
    }
  }
  while (GoUp(level_)) {
    for (size_t slot = 0; slot < dims_.size(); ++slot) {
      for (size_t node : level_) {
        const double about = RunAt(slot, 2 * node).about + RunAt(slot, 2 * node + 1).about;
        RunAt(slot, node) = {.about = about};
      }
    }
  }
}

double HdrfSums::Added(size_t slot, size_t block, double sum) const {
  for (size_t i = block * kBlock; i < EndOf(block); ++i) {
    sum += terms_[slot * children_.size() + i];
  }
  return sum;
}

// Doubles of one sign are ordered as their bits are: the next one is one spacing up. Zero and the
// numbers below the smallest normal one are a range like the others, with exponent 0.
void HdrfSums::Summarize(size_t slot, size_t node, uint64_t exponent) {
  Run& run = RunAt(slot, node);
  if (run.exponent == exponent) return;
  ++work_;
  run.exponent = exponent;
  if (node >= blocks_) {
    for (size_t odd : {0u, 1u}) {
      const uint64_t start = exponent << kMantissaBits | odd;
      const double end = Added(slot, node - blocks_, std::bit_cast<double>(start));
      const auto bits = std::bit_cast<uint64_t>(end);
      run.spacings[odd] = bits >> kMantissaBits == exponent ? bits - start : kSpacings;
    }
    return;
  }
  Summarize(slot, 2 * node, exponent);
  Summarize(slot, 2 * node + 1, exponent);
  const Run& first = RunAt(slot, 2 * node);
  const Run& second = RunAt(slot, 2 * node + 1);
  for (size_t odd : {0u, 1u}) {
    const uint64_t there = first.spacings[odd];
    run.spacings[odd] = std::min(kSpacings, there + second.spacings[(odd + there) % 2]);
  }
}

// The bits of a sum, and those of it with the terms below `node`.
uint64_t HdrfSums::SumFrom(size_t slot, size_t node, uint64_t sum) {
  ++work_;
  const double about = RunAt(slot, node).about;
  if (about == 0) return sum;
  const uint64_t exponent = sum >> kMantissaBits;
  // Only a guess, so that few runs are summarized in vain.
  if (exponent < kExponentEnd &&
      std::bit_cast<double>(sum) + about < std::bit_cast<double>((exponent + 1) << kMantissaBits)) {
    Summarize(slot, node, exponent);
    const uint64_t end = sum + RunAt(slot, node).spacings[sum % 2];
    if (end >> kMantissaBits == exponent) return end;
  }
  if (node >= blocks_) {
    return std::bit_cast<uint64_t>(Added(slot, node - blocks_, std::bit_cast<double>(sum)));
  }
  return SumFrom(slot, 2 * node + 1, SumFrom(slot, 2 * node, sum));
}

}  // namespace bth::algo
