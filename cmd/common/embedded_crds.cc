#include "cmd/common/embedded_crds.h"

#include <utility>

#include "base/status.h"
#include "cmd/common/yaml_objects.h"

namespace bth::cmd {

absl::StatusOr<std::vector<types::Json>> EmbeddedCrds() {
  std::vector<types::Json> out;
  for (const EmbeddedFile& file : EmbeddedCrdFiles()) {
    BTH_ASSIGN_OR_RETURN(std::vector<types::Json> objects, ObjectsFromYaml(file.text, file.name));
    for (types::Json& object : objects) out.push_back(std::move(object));
  }
  return out;
}

}  // namespace bth::cmd
