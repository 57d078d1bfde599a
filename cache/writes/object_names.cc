#include "cache/writes/object_names.h"

#include <tuple>

#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "api/types/resource.h"
#include "cache/intake/object_key.h"
#include "client/event_object.h"

namespace bth::cache {

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

client::EventObject QueueObject(const std::string& name, std::string_view uid) {
  return client::EventObjectOf(types::ResourceTraits<types::Queue>::type(),
                               {.name = name, .uid = std::string(uid)});
}

}  // namespace bth::cache
