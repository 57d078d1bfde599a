#include "apiserver/collector/misplaced_owner.h"

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/types/time.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr size_t kNameBytesMax = 253;
constexpr char kComponent[] = "garbage-collector-controller";

}  // namespace

void TellOfMisplacedOwner(Core& core, const StoredObject& object, const OwnerReference& owner) {
  const std::string ns = object.key.ns.empty() ? "default" : object.key.ns;
  const ObjectPtr home = core.store->Find("namespaces")->Get({"", ns});
  if (home == nullptr || home->deleting) return;
  const Json about = ParseStored(object);
  Json involved = Json::MakeObject({{"apiVersion", about["apiVersion"]},
                                    {"kind", about["kind"]},
                                    {"name", object.key.name},
                                    {"uid", object.uid},
                                    {"resourceVersion", StrCat(object.revision)}});
  if (!object.key.ns.empty()) involved.Set("namespace", object.key.ns);
  const std::string suffix = absl::StrFormat(".%016x", core.rng.Next());
  const std::string now = types::FormatTimestamp(core.Now());
  Json metadata =
      Json::MakeObject({{"name", object.key.name.substr(0, kNameBytesMax - suffix.size()) + suffix},
                        {"namespace", ns},
                        {"uid", core.NewUid()},
                        {"creationTimestamp", now}});
  const std::string message = absl::StrFormat(
      "ownerRef [%s/%s, namespace: %s, name: %s, uid: %s] does not exist in namespace \"%s\"",
      owner.api_version, owner.kind, object.key.ns, owner.name, owner.uid, object.key.ns);
  core.store->Put(*core.store->Find("events"),
                  Json::MakeObject({{"apiVersion", "v1"},
                                    {"kind", "Event"},
                                    {"metadata", std::move(metadata)},
                                    {"involvedObject", std::move(involved)},
                                    {"reason", "OwnerRefInvalidNamespace"},
                                    {"message", message},
                                    {"source", Json::MakeObject({{"component", kComponent}})},
                                    {"firstTimestamp", now},
                                    {"lastTimestamp", now},
                                    {"count", 1},
                                    {"type", "Warning"},
                                    {"eventTime", nullptr},
                                    {"reportingComponent", kComponent},
                                    {"reportingInstance", ""}}));
}

}  // namespace bth::apiserver
