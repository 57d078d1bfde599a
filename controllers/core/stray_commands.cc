#include "controllers/core/stray_commands.h"

#include <string>

#include "api/types/batch_job.h"
#include "api/types/queue.h"
#include "api/types/resource.h"
#include "base/strings.h"
#include "controllers/core/events.h"

namespace bth::controllers {
namespace {

using types::Command;

template <typename T>
bool IsOfKind(const Command& command) {
  const types::ResourceType& type = types::ResourceTraits<T>::type();
  return command.target->kind == type.kind && command.target->api_version == type.ApiVersion();
}

template <typename T>
std::string KindText() {
  const types::ResourceType& type = types::ResourceTraits<T>::type();
  return StrCat(type.ApiVersion(), " ", type.kind);
}

}  // namespace

StrayCommands::StrayCommands(const ControllerContext& context) : events_(context.events) {
  context.watches.Of<Command>().Subscribe(*this);
}

void StrayCommands::OnAdd(const Command& command) {
  if (command.meta.deletion_time.has_value()) return;
  const bool has_target = command.target.has_value();
  if (has_target && (IsOfKind<types::BatchJob>(command) || IsOfKind<types::Queue>(command))) return;
  const std::string target = !has_target ? "it has no target"
                                         : StrCat("its target is a ", command.target->api_version,
                                                  " ", command.target->kind);
  Warn(events_, command, "UnknownTarget",
       StrCat("nobody carries out this Command: ", target, ", and Commands are for ",
              KindText<types::BatchJob>(), " and ", KindText<types::Queue>(),
              ": delete it and create it with one of them"));
}

}  // namespace bth::controllers
