#include "controllers/core/command_taker.h"

#include <utility>

#include "base/log.h"
#include "client/api_error.h"
#include "client/typed_client.h"

namespace bth::controllers {

CommandTaker::CommandTaker(const ControllerContext& context, CommandTarget target,
                           LaneOptions options, std::function<void(const types::Command&)> on_taken)
    : api_(context.api),
      commands_(context.watches.Of<types::Command>()),
      target_(std::move(target)),
      on_taken_(std::move(on_taken)),
      lanes_(context.executor(), options, Hooks()) {
  commands_.Subscribe(*this);
}

LaneHooks CommandTaker::Hooks() {
  LaneHooks hooks;
  hooks.work = [this](std::string key) { return Take(std::move(key)); };
  hooks.give_up = [](std::string key, absl::Status status) -> net::Awaitable<void> {
    Log(LogLevel::kError, "command.dropped", {{"command", key}, {"status", status}});
    co_return;
  };
  return hooks;
}

void CommandTaker::OnAdd(const types::Command& command) {
  if (!command.target.has_value() || command.target->api_version != target_.api_version ||
      command.target->kind != target_.kind) {
    return;
  }
  lanes_.Add(StoreKey(command.meta.ns, command.meta.name));
}

net::Awaitable<LaneHooks::Outcome> CommandTaker::Take(std::string key) {
  LaneHooks::Outcome outcome;
  ObjectStore<types::Command>::Pointer command = commands_.FindKey(key);
  const auto doubtful = doubtful_.find(key);
  const bool is_doubtful = doubtful != doubtful_.end();
  if (is_doubtful) {
    command = doubtful->second;
    doubtful_.erase(doubtful);
  }
  if (command == nullptr) co_return std::move(outcome);
  client::ApiPath path = client::PathOf<types::Command>(command->meta.ns, command->meta.name);
  client::DeleteOptions options;
  options.uid = command->meta.uid;
  const client::ApiClient::Text text = co_await api_.Delete(std::move(path), std::move(options));
  // Without an answer it is asked once more: if it is gone then, we have deleted it before.
  if (text.ok() || (is_doubtful && absl::IsNotFound(text.status()))) {
    on_taken_(*command);
  } else if (!absl::IsNotFound(text.status())) {  // Else somebody else has taken it.
    if (client::OutcomeUnknown(text.status())) doubtful_[key] = command;
    outcome.status = text.status();
  }
  co_return std::move(outcome);
}

}  // namespace bth::controllers
