#include "controllers/core/watches.h"

#include "base/log.h"

namespace bth::controllers {

client::InformerOptions Watches::OptionsOf(const types::ResourceType& type) {
  client::InformerOptions options;
  // Our own kinds may not be installed: then nobody uses them. The others always exist.
  options.reflector.absent_is_empty = type.group.find("volcano.sh") != std::string::npos;
  options.reflector.on_presence = [this, name = type.FullName()](bool is_there) {
    notices_.Presence(name, is_there);
  };
  options.reflector.on_error = [this, plural = type.plural](const absl::Status& status) {
    notices_.Failed(plural, status);
  };
  options.reflector.on_relist = [this, plural = type.plural] { metrics_.InformerRelisted(plural); };
  options.reflector.on_rewatch = [this, plural = type.plural] { metrics_.WatchRestarted(plural); };
  metrics_.Publish(type.plural);
  return options;
}

void Watches::NoteMalformed(const std::string& plural, const client::ObjectKey& key,
                            const absl::Status& status) {
  metrics_.MalformedObject(plural);
  Log(LogLevel::kError, "object.malformed",
      {{"resource", plural},
       {"object", StoreKey(key.namespace_name, key.name)},
       {"status", status}});
}

}  // namespace bth::controllers
