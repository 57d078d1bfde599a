// Claims of devices beyond what one object says: who may look at devices that others use, and what
// goes with devices that are given back.
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "apiserver/admission/builtin.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr std::string_view kAdminLabel = "resource.kubernetes.io/admin-access";

// Where in the list such access is asked for; nothing: nowhere.
std::optional<size_t> FirstWithAccess(const Json& list, const char* part) {
  for (size_t i = 0; i < list.size(); ++i) {
    const Json& entry = part == nullptr ? list[i] : list[i][part];
    if (entry["adminAccess"].AsBool()) return i;
  }
  return std::nullopt;
}

// Empty: none is asked for that was not granted before.
std::string FieldWithAccess(const WriteContext& write) {
  const Json& object = write.object;
  if (write.subresource == "status") {
    const auto results = [](const Json& claim) -> const Json& {
      return claim["status"]["allocation"]["devices"]["results"];
    };
    if (write.old && FirstWithAccess(results(*write.old), nullptr)) return "";
    const std::optional<size_t> at = FirstWithAccess(results(object), nullptr);
    return at ? StrCat("status.allocation.devices.results[", *at, "].adminAccess") : "";
  }
  if (write.operation != Operation::kCreate) return "";
  const bool is_template = write.type->kind == "ResourceClaimTemplate";
  const Json& spec = is_template ? object["spec"]["spec"] : object["spec"];
  const std::optional<size_t> at = FirstWithAccess(spec["devices"]["requests"], "exactly");
  return at ? StrCat("spec.devices.requests[", *at, "].adminAccess") : "";
}

// What tells one device that is allocated from another.
std::string DeviceId(const Json& entry) {
  std::string id;
  for (const char* key : {"driver", "pool", "device", "shareID"}) {
    StrAppend(&id, entry[key].AsString(), "/");
  }
  return id;
}

}  // namespace

absl::Status CheckDeviceAccess(Core& core, const WriteContext& write) {
  const std::string field = FieldWithAccess(write);
  if (field.empty()) return absl::OkStatus();
  const ObjectPtr stored = core.store->Find("namespaces")->Get({"", write.ns});
  if (stored != nullptr &&
      ParseStored(*stored)["metadata"]["labels"][kAdminLabel].AsString() == "true") {
    return absl::OkStatus();
  }
  return Invalid(
      write.subject(),
      {FieldForbidden(field, StrCat("admin access to devices requires the `", kAdminLabel,
                                    ": true` label on the containing namespace"))});
}

void DropLostDevices(WriteContext& write) {
  if (!write.old) return;
  std::set<std::string> lost;
  const Json& before = std::as_const(*write.old)["status"]["allocation"]["devices"]["results"];
  for (const Json& result : before.items()) lost.insert(DeviceId(result));
  const Json& now = std::as_const(write.object)["status"]["allocation"]["devices"]["results"];
  for (const Json& result : now.items()) lost.erase(DeviceId(result));
  Json* status = write.object.Find("status");
  Json* devices = status == nullptr ? nullptr : status->Find("devices");
  if (devices == nullptr || !devices->is_array() || lost.empty()) return;
  Json kept = Json::MakeArray();
  for (const Json& device : std::as_const(*devices).items()) {
    if (!lost.contains(DeviceId(device))) kept.MutableItems().push_back(device);
  }
  if (kept.empty()) {
    status->Erase("devices");
  } else {
    *devices = std::move(kept);
  }
}

}  // namespace bth::apiserver
