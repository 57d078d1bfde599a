#include "cli/jobflow/files.h"

#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/session/confirm.h"
#include "cli/session/user_file.h"
#include "cli/text/object.h"
#include "cli/text/typed_yaml.h"

namespace bth::cli {
namespace {

using types::Json;

std::string_view WithoutBlanksAround(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// What is done to each object of a file.
struct FileAct {
  std::string_view verb;  // "create"
  std::string_view done;  // "Created"
  absl::Status (*act)(Cluster& cluster, const Target& target, const Json& object);
  bool is_asked = false;  // At a terminal, before it is done to more than one.
};

absl::Status ConfirmPieces(Session& session, const FlowKind& kind,
                           const std::vector<std::string_view>& pieces) {
  std::vector<std::string> names;
  for (const std::string_view piece : pieces) {
    const absl::StatusOr<Json> object = FlowOf(kind, piece);
    // The command ends there, when it comes to it.
    names.push_back(object.ok() ? StrCat(NamespaceIn(*object), "/", NameIn(*object))
                                : std::string("what cannot be read"));
  }
  return Confirm(session, StrCat("Delete these ", pieces.size(), " ", kind.words, "s?"), names);
}

absl::Status ForEachInFile(Session& session, const FlowKind& kind, const FlowFlags& flags,
                           const FileAct& act) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  BTH_ASSIGN_OR_RETURN(const std::string text, ReadUserFile(flags.file));
  const std::vector<std::string_view> pieces = PiecesOf(text);
  if (act.is_asked && pieces.size() > 1 && !flags.yes) {
    BTH_RETURN_IF_ERROR(ConfirmPieces(session, kind, pieces));
  }
  for (const std::string_view piece : pieces) {
    BTH_ASSIGN_OR_RETURN(const Json object, FlowOf(kind, piece));
    const Target target{kind.type, std::string(NamespaceIn(object)), std::string(NameIn(object))};
    const absl::Status done = act.act(*cluster, target, object);
    if (done.ok()) {
      session.out() << act.done << " " << kind.type.kind << ": " << target.ns << "/" << target.name
                    << "\n";
    } else {
      session.out() << "Failed to " << act.verb << " " << kind.type.kind << ": "
                    << ToStd(done.message()) << "\n";
    }
  }
  return absl::OkStatus();
}

constexpr FileAct kCreateEach = {"create", "Created",
                                 [](Cluster& cluster, const Target& target, const Json& object) {
                                   const Target collection{target.type, target.ns, ""};
                                   return cluster.Create(collection, object).status();
                                 }};
constexpr FileAct kDeleteEach = {
    "delete", "Deleted",
    [](Cluster& cluster, const Target& target, const Json&) { return cluster.Delete(target); },
    true};

}  // namespace

std::vector<std::string_view> PiecesOf(std::string_view text) {
  constexpr std::string_view kDashes = "---";
  std::vector<std::string_view> pieces;
  for (;;) {
    const size_t end = text.find(kDashes);
    const std::string_view piece = WithoutBlanksAround(text.substr(0, end));
    if (!piece.empty()) pieces.push_back(piece);
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + kDashes.size());
  }
}

absl::StatusOr<Json> FlowOf(const FlowKind& kind, std::string_view piece) {
  BTH_ASSIGN_OR_RETURN(Json object, ObjectFromYaml(piece, kind.schema(), kind.words));
  BTH_RETURN_IF_ERROR(kind.check(object));
  if (NamespaceIn(object).empty()) object.MutableAt({"metadata", "namespace"}) = "default";
  return object;
}

absl::Status CreateFlows(Session& session, const FlowKind& kind, const FlowFlags& flags) {
  return ForEachInFile(session, kind, flags, kCreateEach);
}

absl::Status DeleteFlows(Session& session, const FlowKind& kind, const FlowFlags& flags) {
  if (!flags.file.empty()) return ForEachInFile(session, kind, flags, kDeleteEach);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (flags.name.empty()) {
    return absl::InvalidArgumentError(StrCat(kind.words, " name must be specified"));
  }
  const Target target{kind.type, flags.ns, flags.name};
  BTH_RETURN_IF_ERROR(cluster->Get(target));
  BTH_RETURN_IF_ERROR(cluster->Delete(target));
  session.out() << "Deleted " << kind.type.kind << ": " << flags.ns << "/" << flags.name << "\n";
  return absl::OkStatus();
}

}  // namespace bth::cli
