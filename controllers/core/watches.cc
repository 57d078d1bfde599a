#include "controllers/core/watches.h"

#include "base/log.h"

namespace bth::controllers {

void Watches::NoteMalformed(const std::string& plural, const client::ObjectKey& key,
                            const absl::Status& status) {
  metrics_.MalformedObject(plural);
  Log(LogLevel::kError, "object.malformed",
      {{"resource", plural},
       {"object", StoreKey(key.namespace_name, key.name)},
       {"status", status}});
}

}  // namespace bth::controllers
