#include "cmd/common/embedded_crds.h"

#include <utility>

#include "api/types/crd/generate.h"
#include "base/status.h"

namespace bth::cmd {

absl::StatusOr<std::vector<types::Json>> EmbeddedCrds() {
  BTH_ASSIGN_OR_RETURN(std::vector<types::crd::Definition> definitions,
                       types::crd::GenerateDefinitions());
  std::vector<types::Json> out;
  for (types::crd::Definition& definition : definitions) {
    out.push_back(std::move(definition.object));
  }
  return out;
}

}  // namespace bth::cmd
