#include "sim/world/platter.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::sim {

class Platter::File final : public apiserver::DiskFile {
 public:
  File(Platter& platter, InodePtr inode)
      : platter_(platter), life_(platter.life_), inode_(std::move(inode)) {}
  absl::Status Append(std::string_view bytes) override {
    return Lives() ? platter_.Append(inode_.get(), bytes) : platter_.Gone();
  }
  absl::Status Sync() override { return Lives() ? platter_.Sync(inode_) : platter_.Gone(); }

 private:
  bool Lives() const { return platter_.Serves(life_); }

  Platter& platter_;
  const uint64_t life_;
  const InodePtr inode_;
};

class Platter::Handle final : public apiserver::Disk {
 public:
  Handle(Platter& platter, std::string folder)
      : platter_(platter), folder_(std::move(folder)), life_(platter.life_) {}

  const std::string& folder() const override { return folder_; }
  absl::Status Take() override { return Lives() ? absl::OkStatus() : platter_.Gone(); }
  absl::StatusOr<std::vector<std::string>> Names() const override {
    std::vector<std::string> names;
    for (const auto& [name, inode] : platter_.names_) names.push_back(name);
    return names;
  }
  absl::StatusOr<std::string> Read(const std::string& name) const override {
    const auto found = platter_.names_.find(name);
    if (found == platter_.names_.end()) return absl::UnavailableError(StrCat(name, " is missing"));
    return found->second->written;
  }
  absl::StatusOr<std::unique_ptr<apiserver::DiskFile>> Make(const std::string& name) override {
    if (!Lives()) return platter_.Gone();
    BTH_RETURN_IF_ERROR(platter_.Answer(platter_.Strike(false)));
    auto inode = std::make_shared<Inode>();
    platter_.Name(name, inode);
    return std::make_unique<File>(platter_, std::move(inode));
  }
  absl::StatusOr<std::unique_ptr<apiserver::DiskFile>> Continue(const std::string& name,
                                                                size_t bytes) override {
    if (!Lives()) return platter_.Gone();
    const InodePtr inode = platter_.names_[name];
    Cut(inode.get(), bytes);
    return std::make_unique<File>(platter_, inode);
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    if (!Lives()) return platter_.Gone();
    BTH_RETURN_IF_ERROR(platter_.Answer(platter_.Strike(false)));
    const InodePtr inode = platter_.names_[from];
    platter_.Name(to, inode);
    platter_.Name(from, nullptr);
    return absl::OkStatus();
  }
  void Remove(const std::string& name) override {
    if (Lives()) platter_.Name(name, nullptr);
  }
  absl::Status SyncNames() override { return Lives() ? platter_.SyncNames() : platter_.Gone(); }

 private:
  bool Lives() const { return platter_.Serves(life_); }

  Platter& platter_;
  const std::string folder_;
  const uint64_t life_;
};

std::unique_ptr<apiserver::Disk> Platter::Open(std::string folder) {
  ++life_;
  up_ = true;
  return std::make_unique<Handle>(*this, std::move(folder));
}

void Platter::Name(std::string name, InodePtr inode) {
  Settle();
  if (inode == nullptr) {
    names_.erase(name);
  } else {
    names_[name] = inode;
  }
  unsynced_.push_back({std::move(name), std::move(inode)});
}

void Platter::Settle() {
  if (settling_ != nullptr) settling_->settled_at = absl::ZeroDuration();
  settling_.reset();
}

Platter::Hit Platter::Strike(bool syncs) {
  Settle();
  const DiskFate fate = parts_.weather.FateOfDisk(syncs, parts_.timeline.Elapsed());
  if (fate.slow > absl::ZeroDuration()) parts_.wait(fate.slow);
  if (fate.dies) return Hit::kDies;
  if (fate.fails) return Hit::kFails;
  return fate.full ? Hit::kFull : Hit::kNone;
}

absl::Status Platter::Answer(Hit hit) {
  switch (hit) {
    case Hit::kNone:
      return absl::OkStatus();
    case Hit::kDies:
      up_ = false;
      parts_.die();
      return Gone();
    case Hit::kFull:
      parts_.fail();
      return absl::UnavailableError("No space left on device");
    case Hit::kFails:
      parts_.fail();
      return absl::UnavailableError("Input/output error");
  }
  return Gone();
}

absl::Status Platter::Append(Inode* inode, std::string_view bytes) {
  const Hit hit = Strike(false);
  const size_t part = hit == Hit::kNone ? bytes.size() : rng_.Below(bytes.size() + 1);
  inode->written.append(bytes.substr(0, part));
  return Answer(hit);
}

void Platter::Cut(Inode* inode, size_t bytes) {
  if (bytes < inode->written.size()) inode->whole_copies = 2;
  inode->written.resize(bytes);
}

// Cost: what was written since the last sync, of a file that only grew.
void Platter::Keep(Inode* inode) {
  if (inode->whole_copies > 0) {
    --inode->whole_copies;
    inode->before = std::exchange(inode->synced, inode->written);
    return;
  }
  inode->before.append(inode->synced, inode->before.size());
  inode->synced.append(inode->written, inode->synced.size());
}

absl::Status Platter::Sync(const InodePtr& inode) {
  Settle();
  const absl::Duration now = parts_.timeline.Elapsed();
  const DiskFate fate = parts_.weather.FateOfDisk(true, now);
  if (fate.dies) return Answer(Hit::kDies);
  if (fate.fails || fate.full) return Answer(fate.full ? Hit::kFull : Hit::kFails);
  if (lies_) return absl::OkStatus();
  Keep(inode.get());
  inode->settled_at = now + fate.slow;
  if (fate.slow > absl::ZeroDuration()) {
    settling_ = inode;
    parts_.wait(fate.slow);
  }
  return absl::OkStatus();
}

absl::Status Platter::SyncNames() {
  BTH_RETURN_IF_ERROR(Answer(Strike(true)));
  if (lies_) return absl::OkStatus();
  synced_names_ = names_;
  unsynced_.clear();
  return absl::OkStatus();
}

// What a crash leaves of a file.
std::string Platter::Left(const Inode& inode) {
  const bool settled = parts_.timeline.Elapsed() >= inode.settled_at;
  const std::string& sure = settled ? inode.synced : inode.before;
  const std::string_view written = inode.written;
  if (!written.starts_with(sure)) {
    // It was cut off before it grew again: that came through, or did not.
    if (rng_.Chance(0.5)) return sure;
    const auto differs = std::mismatch(written.begin(), written.end(), sure.begin(), sure.end());
    const auto kept = static_cast<size_t>(differs.first - written.begin());
    return std::string(written.substr(0, kept + rng_.Below(written.size() - kept + 1)));
  }
  const size_t tail = written.size() - sure.size();
  std::string left(written.substr(0, sure.size() + rng_.Below(tail + 1)));
  if (left.size() > sure.size() && rng_.Chance(0.3)) {
    const size_t from = sure.size() + rng_.Below(left.size() - sure.size());
    for (size_t i = from; i < left.size(); ++i) left[i] = static_cast<char>(rng_.Below(256));
  }
  return left;
}

void Platter::Crash() {
  up_ = false;
  settling_.reset();
  std::map<std::string, InodePtr> names = synced_names_;
  for (const Renaming& renaming : std::exchange(unsynced_, {})) {
    if (rng_.Chance(0.5)) continue;
    if (renaming.inode == nullptr) {
      names.erase(renaming.name);
    } else {
      names[renaming.name] = renaming.inode;
    }
  }
  std::map<const Inode*, InodePtr> left;  // A renamed file may be found by both of its names.
  for (auto& [name, inode] : names) {
    InodePtr& after = left[inode.get()];
    if (after == nullptr) {
      after = std::make_shared<Inode>();
      after->written = after->synced = after->before = Left(*inode);
    }
    inode = after;
  }
  names_ = synced_names_ = std::move(names);
}

}  // namespace bth::sim
