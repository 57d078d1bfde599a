#include "cache/object_names.h"

#include <tuple>

#include "api/types/pod_group.h"
#include "api/types/resource.h"

namespace bth::cache {

std::pair<std::string, std::string> SplitKey(const std::string& key) {
  const size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

client::EventObject PodObject(const std::string& key, std::string_view uid) {
  client::EventObject object;
  object.kind = "Pod";
  std::tie(object.namespace_name, object.name) = SplitKey(key);
  object.uid = std::string(uid);
  return object;
}

client::EventObject PodGroupObject(const std::string& key, std::string_view uid) {
  client::EventObject object = PodObject(key, uid);
  object.api_version = types::ResourceTraits<types::PodGroup>::type().ApiVersion();
  object.kind = "PodGroup";
  return object;
}

}  // namespace bth::cache
