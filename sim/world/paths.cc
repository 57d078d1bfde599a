#include "sim/world/paths.h"

#include "base/strings.h"

namespace bth::sim {

apiserver::ResourcePath PathOf(const net::Request& request) {
  const std::string_view target = request.target;
  return apiserver::ParseResourcePath(target.substr(0, target.find('?')))
      .value_or(apiserver::ResourcePath());
}

std::string KeyOf(const apiserver::ResourcePath& path) {
  return StrCat(path.ns, "/", path.name);
}

std::string CollectionIn(const std::string& collection, std::string_view ns) {
  if (ns.empty()) return collection;
  const size_t slash = collection.rfind('/');
  return StrCat(collection.substr(0, slash), "/namespaces/", ns, collection.substr(slash));
}

std::string ObjectIn(const std::string& collection, std::string_view ns, std::string_view name) {
  return StrCat(CollectionIn(collection, ns), "/", name);
}

}  // namespace bth::sim
