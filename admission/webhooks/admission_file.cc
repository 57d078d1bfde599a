#include "admission/webhooks/admission_file.h"

#include <sys/stat.h>

#include <utility>

#include "admission/rules/resource_groups.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/file.h"
#include "conf/finding.h"

namespace bth::admission {
namespace {

constexpr size_t kFileBytesMax = 1 << 20;

}  // namespace

AdmissionFile::AdmissionFile(net::Executor& executor, metrics::AdmissionMetrics& metrics,
                             AdmissionFileOptions options)
    : executor_(executor), metrics_(metrics), options_(std::move(options)) {}

AdmissionFile::~AdmissionFile() {
  if (timer_ != 0) executor_.CancelTimer(timer_);
}

AdmissionFile::Stamp AdmissionFile::Look() const {
  struct stat found {};
  if (stat(options_.path.c_str(), &found) != 0) return {};
  return {.inode = found.st_ino,
          .modified_ns = int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec,
          .size = found.st_size};
}

absl::StatusOr<AdmissionFile::Groups> AdmissionFile::Read() const {
  const absl::StatusOr<std::string> text = client::ReadSmallFile(options_.path, kFileBytesMax);
  if (!text.ok()) return Annotate(text.status(), "read admission file failed");
  absl::StatusOr<ResourceGroups> groups = ResourceGroups::Parse(*text);
  if (!groups.ok()) {
    return Annotate(groups.status(), StrCat("Unmarshal admission file failed: ", options_.path));
  }
  for (const conf::Finding& finding : groups->findings()) {
    Log(LogLevel::kWarning, "admission_file.finding", {{"finding", conf::ToString(finding)}});
  }
  return std::make_shared<const ResourceGroups>(*std::move(groups));
}

AdmissionFile::Groups AdmissionFile::Load() {
  if (options_.path.empty()) return nullptr;
  stamp_ = seen_stamp_ = Look();
  absl::StatusOr<Groups> groups = Read();
  metrics_.FileReloaded(groups.ok());
  if (groups.ok()) {
    Log(LogLevel::kInfo, "admission_file.loaded", {{"file", options_.path}});
    return *std::move(groups);
  }
  Log(LogLevel::kError, "admission_file.refused",
      {{"status", groups.status()}, {"effect", "pods are not changed until it is mended"}});
  return nullptr;
}

void AdmissionFile::Watch(Install install) {
  install_ = std::move(install);
  if (!options_.path.empty()) LookAgainIn(options_.poll);
}

void AdmissionFile::LookAgainIn(absl::Duration delay) {
  timer_ = executor_.RunAfter(delay, [this] { Poll(); });
}

void AdmissionFile::Poll() {
  const Stamp now = Look();
  if (now == stamp_) return LookAgainIn(options_.poll);
  const bool rests = now == std::exchange(seen_stamp_, now);
  LookAgainIn(rests ? options_.poll : options_.rest);
  if (!rests) return;
  stamp_ = now;
  absl::StatusOr<Groups> groups = Read();
  metrics_.FileReloaded(groups.ok());
  if (!groups.ok()) {
    Log(LogLevel::kError, "admission_file.refused",
        {{"status", groups.status()}, {"effect", "the former groups stay in force"}});
    return;
  }
  Log(LogLevel::kInfo, "admission_file.reloaded", {{"file", options_.path}});
  install_(*std::move(groups));
}

}  // namespace bth::admission
