#include "controllers/core/command_taker.h"

#include <algorithm>
#include <utility>

#include "api/types/json.h"
#include "base/strings.h"
#include "client/typed_client.h"
#include "controllers/core/events.h"
#include "controllers/core/version.h"
#include "controllers/core/writes.h"

namespace bth::controllers {
namespace {

// Somebody waits for a Command to be carried out.
constexpr absl::Duration kPauseMax = absl::Seconds(30);

LaneOptions WithPause(LaneOptions options) {
  options.queue.backoff_max = kPauseMax;
  return options;
}

}  // namespace

using types::Command;

bool IsFor(const Command& command, std::string_view uid) {
  return command.target->uid.empty() || command.target->uid == uid;
}

CommandTaker::CommandTaker(const ControllerContext& context, const types::ResourceType& target,
                           LaneOptions options, std::function<CommandTurn(const Command&)> begin)
    : api_(context.api),
      commands_(context.watches.Of<Command>()),
      events_(context.events),
      target_(target),
      begin_(std::move(begin)),
      lanes_(context.executor(), WithPause(options), Hooks()) {
  commands_.Subscribe(*this);
}

LaneHooks CommandTaker::Hooks() {
  LaneHooks hooks;
  hooks.work = [this](std::string target) { return Work(std::move(target)); };
  return hooks;
}

bool CommandTaker::IsForUs(const Command& command) const {
  return command.target.has_value() && command.target->api_version == target_.ApiVersion() &&
         command.target->kind == target_.kind;
}

std::string CommandTaker::TargetOf(const Command& command) const {
  return StoreKey(target_.namespaced ? command.meta.ns : "", command.target->name);
}

void CommandTaker::OnAdd(const Command& command) {
  // One that is being deleted was carried out, or taken back: something else keeps it.
  if (!IsForUs(command) || command.meta.deletion_time.has_value()) return;
  const std::string target = TargetOf(command);
  Line& line = lines_[target];
  const auto older = [](const Command& version, const Pointer& other) {
    return IsNewerVersion(other->meta.resource_version, version.meta.resource_version);
  };
  const auto from = line.commands.begin() + (line.state == State::kWaiting ? 0 : 1);
  line.commands.insert(std::upper_bound(from, line.commands.end(), command, older),
                       commands_.Find(command.meta.ns, command.meta.name));
  lanes_.Add(target);
}

void CommandTaker::OnDelete(const Command& command) {
  if (!IsForUs(command)) return;
  const auto found = lines_.find(TargetOf(command));
  if (found == lines_.end()) return;
  Line& line = found->second;
  // The first one is left to its lane, once it was begun.
  const auto from = line.commands.begin() + (line.state == State::kWaiting ? 0 : 1);
  const auto gone = std::find_if(from, line.commands.end(), [&](const Pointer& other) {
    return other->meta.uid == command.meta.uid;
  });
  if (gone != line.commands.end()) line.commands.erase(gone);
  if (line.commands.empty()) lines_.erase(found);
}

void CommandTaker::Done(const std::string& target, std::string_view uid) {
  const auto found = lines_.find(target);
  if (found == lines_.end() || found->second.state != State::kBegun) return;
  if (found->second.commands.front()->meta.uid != uid) return;
  found->second.state = State::kOver;
  lanes_.Add(target);
}

void CommandTaker::Drop(const std::string& target) {
  const auto found = lines_.find(target);
  if (found == lines_.end()) return;
  const std::string uid = found->second.commands.front()->meta.uid;
  Done(target, uid);
}

net::Awaitable<LaneHooks::Outcome> CommandTaker::Work(std::string target) {
  LaneHooks::Outcome outcome;
  for (;;) {
    const auto line = lines_.find(target);
    if (line == lines_.end() || line->second.state == State::kBegun) break;
    if (line->second.state == State::kWaiting) {
      outcome.status = co_await Begin(target);
    } else {
      outcome.status = co_await Delete(target);
    }
    if (!outcome.status.ok()) break;
  }
  co_return std::move(outcome);
}

net::Awaitable<absl::Status> CommandTaker::Begin(std::string target) {
  Line& line = lines_.at(target);
  const Pointer command = line.commands.front();
  line.state = State::kBegun;
  const bool has_target = !command->target->name.empty();
  const CommandTurn turn = has_target ? begin_(*command) : CommandTurn::kOver;
  if (turn == CommandTurn::kOver) line.state = State::kOver;
  if (turn != CommandTurn::kUnknown) co_return absl::OkStatus();
  line.state = State::kWaiting;
  client::ApiPath path = client::PathOf(target_, command->meta.ns, command->target->name);
  const client::ApiClient::Text there = co_await api_.Get(std::move(path));
  const auto found = lines_.find(target);
  if (found == lines_.end() || found->second.commands.front() != command)
    co_return absl::OkStatus();
  if (absl::IsNotFound(there.status()) || absl::IsInvalidArgument(there.status())) {
    found->second.state = State::kOver;  // There is nothing of that name.
    co_return absl::OkStatus();
  }
  BTH_CO_RETURN_IF_ERROR(there);
  BTH_CO_ASSIGN_OR_RETURN(const types::Json object, types::Json::Parse(*there));
  const std::string_view uid = object.At({"metadata", "uid"}).AsString();
  if (!IsFor(*command, uid)) {
    Warn(events_, *command, "TargetReplaced",
         StrCat("nobody carries out this Command: its target has the uid ", command->target->uid,
                ", and the ", target_.kind, " of that name now has ", uid,
                ": create it with that uid, or with none to mean whichever has the name"));
    found->second.state = State::kOver;
    co_return absl::OkStatus();
  }
  co_return absl::UnavailableError("the watch has not told of the target yet");
}

net::Awaitable<absl::Status> CommandTaker::Delete(std::string target) {
  const Pointer command = lines_.at(target).commands.front();
  absl::Status status = co_await DeleteObject(api_, *command);
  // Aborted: another one has its name.
  if (!status.ok() && !absl::IsAborted(status)) co_return std::move(status);
  const auto found = lines_.find(target);
  found->second.commands.erase(found->second.commands.begin());
  found->second.state = State::kWaiting;
  if (found->second.commands.empty()) lines_.erase(found);
  co_return absl::OkStatus();
}

}  // namespace bth::controllers
