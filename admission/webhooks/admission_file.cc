#include "admission/webhooks/admission_file.h"

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
                             client::FileWatchOptions options)
    : metrics_(metrics), watch_(executor, std::move(options)) {}

absl::StatusOr<AdmissionFile::Groups> AdmissionFile::Read() const {
  const absl::StatusOr<std::string> text = client::ReadSmallFile(watch_.path(), kFileBytesMax);
  if (!text.ok()) return Annotate(text.status(), "read admission file failed");
  absl::StatusOr<ResourceGroups> groups = ResourceGroups::Parse(*text);
  if (!groups.ok()) {
    return Annotate(groups.status(), StrCat("Unmarshal admission file failed: ", watch_.path()));
  }
  for (const conf::Finding& finding : groups->findings()) {
    Log(LogLevel::kWarning, "admission_file.finding", {{"finding", conf::ToString(finding)}});
  }
  return std::make_shared<const ResourceGroups>(*std::move(groups));
}

AdmissionFile::Groups AdmissionFile::Load() {
  if (watch_.path().empty()) return nullptr;
  watch_.Note();
  absl::StatusOr<Groups> groups = Read();
  metrics_.FileReloaded(groups.ok());
  if (groups.ok()) {
    Log(LogLevel::kInfo, "admission_file.loaded", {{"file", watch_.path()}});
    return *std::move(groups);
  }
  Log(LogLevel::kError, "admission_file.refused",
      {{"status", groups.status()}, {"effect", "pods are not changed until it is mended"}});
  return nullptr;
}

void AdmissionFile::Watch(Install install) {
  install_ = std::move(install);
  watch_.Start([this] { Reload(); });
}

void AdmissionFile::Reload() {
  absl::StatusOr<Groups> groups = Read();
  metrics_.FileReloaded(groups.ok());
  if (!groups.ok()) {
    Log(LogLevel::kError, "admission_file.refused",
        {{"status", groups.status()}, {"effect", "the former groups stay in force"}});
    return;
  }
  Log(LogLevel::kInfo, "admission_file.reloaded", {{"file", watch_.path()}});
  install_(*std::move(groups));
}

}  // namespace bth::admission
