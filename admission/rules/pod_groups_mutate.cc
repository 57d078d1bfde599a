#include <optional>
#include <string>
#include <vector>

#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/types/pod_group.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kNamespaceQueueKey = "scheduling.volcano.sh/queue-name";

}  // namespace

Verdict MutatePodGroup(const Request& request, const Settings&, const Known& known) {
  const absl::StatusOr<types::PodGroup> group = ReadObject<types::PodGroup>(request);
  if (!group.ok()) return RefuseUnreadable(group.status());
  if (request.operation != "CREATE") {
    return Verdict::Refuse("operation", StrCat("invalid operation `", request.operation,
                                               "`, expect operation to be `CREATE`"));
  }
  if (group->spec.queue != "default") return Verdict::Allow();
  const std::string& ns = group->meta.ns.empty() ? request.ns : group->meta.ns;
  std::optional<std::string> queue = known.NamespaceAnnotation(ns, kNamespaceQueueKey);
  if (!queue.has_value()) return Verdict::Allow();
  Verdict verdict = Verdict::Allow();
  verdict.patch = std::vector<PatchOperation>{{"add", "/spec/queue", *std::move(queue)}};
  return verdict;
}

}  // namespace bth::admission
