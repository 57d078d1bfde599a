#include "cel/kubernetes/environment.h"

#include "base/check.h"
#include "cel/kubernetes/libraries.h"

namespace bth::cel {

std::shared_ptr<const Environment> KubernetesEnvironment() {
  static const std::shared_ptr<const Environment> kEnvironment = [] {
    std::shared_ptr<Environment> environment = Environment::Standard()->Extend();
    for (auto* add : {AddStringsLibrary, AddListsLibrary, AddListExtension, AddSetsLibrary,
                      AddRegexLibrary, AddUrlLibrary, AddAddressLibrary, AddQuantityLibrary,
                      AddSemverLibrary, AddFormatLibrary, AddOptionalLibrary}) {
      const absl::Status added = add(*environment);
      BTH_CHECK(added.ok());  // Our own tables.
    }
    return environment;
  }();
  return kEnvironment;
}

}  // namespace bth::cel
