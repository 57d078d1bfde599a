#include "cli/session/bus_command.h"

#include "api/types/command.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/text/object.h"

namespace bth::cli {

using types::Json;

Json BusCommandFor(const types::ResourceType& type, const Json& target, std::string_view action) {
  const Json reference = Json::MakeObject({{"apiVersion", type.ApiVersion()},
                                           {"kind", type.kind},
                                           {"name", NameIn(target)},
                                           {"uid", target.At({"metadata", "uid"}).AsString()},
                                           {"controller", true},
                                           {"blockOwnerDeletion", true}});
  Json command = Json::MakeObject();
  command.MutableAt({"metadata", "generateName"}) =
      StrCat(NameIn(target), "-", AsciiStrToLower(action), "-");
  command.MutableAt({"metadata", "ownerReferences"}) = Json::MakeArray({reference});
  command.Set("target", reference);
  command.Set("action", action);
  return command;
}

absl::Status SendBusCommand(Cluster& cluster, const Target& target, const std::string& ns,
                            std::string_view action) {
  BTH_ASSIGN_OR_RETURN(const Json object, cluster.Get(target));
  Json command = BusCommandFor(target.type, object, action);
  command.MutableAt({"metadata", "namespace"}) = ns;
  const types::ResourceType& commands = types::ResourceTraits<types::Command>::type();
  return cluster.Create({commands, ns, ""}, std::move(command)).status();
}

}  // namespace bth::cli
