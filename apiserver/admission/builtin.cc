#include "apiserver/admission/builtin.h"

#include <functional>
#include <utility>

#include "api/types/time.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/schema/coerce.h"
#include "apiserver/schema/definition_rules.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// A stage that is one function. The core is held weakly because it owns the stages.
class FunctionStage final : public Stage {
 public:
  using Function = std::function<absl::Status(Core&, WriteContext&)>;
  using Filter = bool (*)(const WriteContext&);

  FunctionStage(std::string_view name, std::weak_ptr<Core> core, Filter filter, Function function)
      : name_(name), core_(std::move(core)), filter_(filter), function_(std::move(function)) {}
  std::string_view name() const override { return name_; }
  bool Concerns(const WriteContext& write) const override { return filter_(write); }
  absl::Status Apply(WriteContext& write) override { return function_(*core_.lock(), write); }

 private:
  const std::string_view name_;
  const std::weak_ptr<Core> core_;
  const Filter filter_;
  const Function function_;
};

bool IsWholeObject(const WriteContext& write) {
  return write.subresource.empty() && write.operation != Operation::kDelete;
}

bool IsPodCreation(const WriteContext& write) {
  return IsWholeObject(write) && write.operation == Operation::kCreate && write.Is("", "pods");
}

bool IsPodWrite(const WriteContext& write) {
  return IsWholeObject(write) && write.Is("", "pods");
}

bool IsObject(const WriteContext& write) {
  return IsWholeObject(write) && !write.Is("", "pods");
}

// Status writes too: their metadata must stay valid.
bool IsObjectOrStatus(const WriteContext& write) {
  return write.operation != Operation::kDelete &&
         (write.subresource.empty() || write.subresource == "status");
}

bool IsCustom(const WriteContext& write) {
  return IsObjectOrStatus(write) && write.type->structural != nullptr;
}

bool IsDefinition(const WriteContext& write) {
  return IsObjectOrStatus(write) && write.Is("apiextensions.k8s.io", "customresourcedefinitions");
}

bool IsPriorityClass(const WriteContext& write) {
  return IsWholeObject(write) && write.Is("scheduling.k8s.io", "priorityclasses");
}

bool IsDeviceClaim(const WriteContext& write) {
  return IsObjectOrStatus(write) && (write.Is("resource.k8s.io", "resourceclaims") ||
                                     write.Is("resource.k8s.io", "resourceclaimtemplates"));
}

bool IsDeviceClaimStatus(const WriteContext& write) {
  return IsDeviceClaim(write) && write.subresource == "status";
}

bool IsLimitRange(const WriteContext& write) {
  return IsWholeObject(write) && write.Is("", "limitranges");
}

bool IsSystemDeletion(const WriteContext& write) {
  return write.operation == Operation::kDelete &&
         ((write.Is("", "namespaces") && (write.name == "default" || write.name == "kube-system" ||
                                          write.name == "kube-public")) ||
          (write.Is("scheduling.k8s.io", "priorityclasses") && write.name.starts_with("system-")));
}

// Whoever was asked outside may have left fields out, or made some up.
absl::Status CoerceAgain(Core& core, WriteContext& write) {
  if (!core.stages.MayWait(write)) return absl::OkStatus();
  PruneFields(*write.type->structural, write.object, nullptr);
  DefaultFields(write.type->structural->root(), write.object);
  return absl::OkStatus();
}

absl::Status Validate(Core&, WriteContext& write) {
  std::vector<Cause> causes = CheckObject(write);
  const bool pod = write.Is("", "pods") && write.subresource.empty();
  if (pod && write.operation == Operation::kCreate) {
    const std::vector<Cause> more = CheckPod(write.object);
    causes.insert(causes.end(), more.begin(), more.end());
  } else if (pod) {
    const std::vector<Cause> more = CheckPodUpdate(*write.old, write.object);
    causes.insert(causes.end(), more.begin(), more.end());
  }
  return causes.empty() ? absl::OkStatus() : Invalid(write.subject(), causes);
}

absl::Status ReadDefinition(Core&, WriteContext& write) {
  const absl::Status keywords = CheckDefinitionKeywords(write.object);
  if (!keywords.ok()) {
    return BadRequest(
        StrCat("CustomResourceDefinition in version \"v1\" cannot be handled as a "
               "CustomResourceDefinition: ",
               keywords.message()));
  }
  // The status is the server's; a definition that was read elsewhere brings one.
  if (!write.old.has_value()) write.object.Erase("status");
  DefaultDefinition(write.object);
  return absl::OkStatus();
}

absl::Status AdmitDefinition(Core& core, WriteContext& write) {
  const absl::StatusOr<std::vector<ResourceType>> types = TypesOfDefinition(write.object);
  if (!types.ok()) {
    return Invalid(
        write.subject(),
        {{"FieldValueInvalid", StrCat("Invalid value: ", types.status().message()), "spec"}});
  }
  for (const ResourceType& type : *types) {
    const ResourceTypePtr present = core.registry.Find(type.group, type.version, type.plural);
    if (present != nullptr && !present->custom) {
      return Invalid(write.subject(), {FieldForbidden("spec.group", "the resource is built in")});
    }
  }
  const TakenNames taken = core.registry.NamesBeside(
      std::as_const(write.object)["spec"]["group"].AsString(), write.name);
  EstablishDefinition(write.object, taken, types::FormatTimestamp(core.Now()));
  for (std::string& warning : DefinitionWarnings(write.object)) {
    write.warnings.push_back(std::move(warning));
  }
  return absl::OkStatus();
}

}  // namespace

void AddBuiltinStages(const std::shared_ptr<Core>& core) {
  auto add = [&](StagePoint point, std::string_view name, FunctionStage::Filter filter,
                 FunctionStage::Function function) {
    core->stages.Add(point,
                     std::make_unique<FunctionStage>(name, core, filter, std::move(function)));
  };
  add(StagePoint::kDefault, "pod-defaults", IsPodCreation, [](Core&, WriteContext& write) {
    DefaultPod(write.object);
    return absl::OkStatus();
  });
  add(StagePoint::kDefault, "object-defaults", IsObject, [](Core&, WriteContext& write) {
    DefaultObject(write, write.object);
    return absl::OkStatus();
  });
  add(StagePoint::kDefault, "lost-devices", IsDeviceClaimStatus, [](Core&, WriteContext& write) {
    DropLostDevices(write);
    return absl::OkStatus();
  });
  add(StagePoint::kDefault, "definition-defaults", IsDefinition, ReadDefinition);
  add(StagePoint::kMutate, "priority", IsPodCreation, SetPriority);
  add(StagePoint::kMutate, "default-tolerations", IsPodWrite, [](Core&, WriteContext& write) {
    TolerateSilentNodes(write.object);
    return absl::OkStatus();
  });
  add(StagePoint::kValidate, "schema", IsCustom, CoerceAgain);
  add(StagePoint::kValidate, "rules", IsObjectOrStatus, Validate);
  add(StagePoint::kValidate, "device-access", IsDeviceClaim, CheckDeviceAccess);
  add(StagePoint::kValidate, "priority-class", IsPriorityClass, CheckPriorityClass);
  add(StagePoint::kValidate, "definition", IsDefinition, AdmitDefinition);
  add(StagePoint::kValidate, "limit-range", IsLimitRange, [](Core&, WriteContext& write) {
    write.warnings.push_back(
        "this server keeps limit ranges and applies none: pods get no default requests or limits "
        "from them, and are not refused for them");
    return absl::OkStatus();
  });
  add(StagePoint::kValidate, "system-objects", IsSystemDeletion, [](Core&, WriteContext& write) {
    return Forbidden(write.subject(),
                     "this " + std::string(write.type->singular) + " may not be deleted");
  });
}

}  // namespace bth::apiserver
