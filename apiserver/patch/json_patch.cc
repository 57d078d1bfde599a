#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "apiserver/patch/patch.h"
#include "apiserver/rest/request.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr size_t kOperationsMax = 10'000;
// Of all copied values together, as text: what kube-apiserver allows.
constexpr size_t kCopyBytesMax = kBodyBytesMax;
constexpr size_t kPathStepsMax = 128;
// Of all operations together, a second or two. A member that is passed in search of another counts
// once. A value that is measured, or moved to make or fill a gap, takes longer and counts more.
constexpr size_t kEffortMax = 1'000'000'000;
constexpr size_t kValueEffort = 5;

absl::Status NotThere(std::string_view path) {
  return absl::FailedPreconditionError(StrCat("path \"", path, "\" does not exist"));
}

// RFC 6901.
absl::StatusOr<std::vector<std::string>> Pointer(std::string_view text) {
  std::vector<std::string> steps;
  if (text.empty()) return steps;
  if (text.front() != '/') {
    return absl::InvalidArgumentError(
        StrCat("\"", text, "\" is not a JSON pointer: it must begin with \"/\""));
  }
  for (absl::string_view step : SplitText(text.substr(1), '/')) {
    steps.push_back(absl::StrReplaceAll(step, {{"~1", "/"}, {"~0", "~"}}));
  }
  if (steps.size() > kPathStepsMax) {
    return absl::InvalidArgumentError("a JSON pointer may have 128 steps at most");
  }
  return steps;
}

// Array indexes have no sign and no leading zero.
std::optional<size_t> Index(const std::string& step) {
  uint64_t index = 0;
  if (step.empty() || (step.size() > 1 && step[0] == '0') ||
      step.find_first_not_of("0123456789") != step.npos || !absl::SimpleAtoi(step, &index)) {
    return std::nullopt;
  }
  return index;
}

// Runs one patch; keeps the depth of the document, the total of what was copied and the effort
// within bounds.
class Runner {
 public:
  explicit Runner(Json document) : document_(std::move(document)) {}

  absl::Status Run(const Json& operation) {
    BTH_RETURN_IF_ERROR(RunUnchecked(operation));
    if (effort_ <= kEffortMax) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "the patch takes too much effort: it searches or moves too many members and items; patch "
        "the end of large lists, or replace them as a whole");
  }
  Json Finish() { return std::move(document_); }

 private:
  absl::Status RunUnchecked(const Json& operation) {
    const std::string_view op = operation["op"].AsString();
    const Json& path_json = operation["path"];
    if (!path_json.is_string()) return absl::InvalidArgumentError("path must be a string");
    const std::string_view path = path_json.AsString();
    BTH_ASSIGN_OR_RETURN(const std::vector<std::string> steps, Pointer(path));
    if (op == "add" || op == "replace" || op == "test") {
      const Json* value = operation.Find("value");
      if (value == nullptr) return absl::InvalidArgumentError("value is missing");
      return WithValue(op, path, steps, *value);
    }
    if (op == "remove") return Remove(path, steps).status();
    if (op == "move" || op == "copy") return FromPlace(op, path, steps, operation["from"]);
    return absl::InvalidArgumentError(StrCat("unknown op \"", op, "\""));
  }

  absl::Status WithValue(std::string_view op, std::string_view path,
                         const std::vector<std::string>& steps, const Json& value) {
    if (op == "add") return Add(path, steps, value);
    Json* present = WalkSteps(steps, steps.size());
    if (present == nullptr) return NotThere(path);
    if (op == "replace") {
      BTH_RETURN_IF_ERROR(CheckDepth(path, steps, value));
      *present = value;
      return absl::OkStatus();
    }
    if (*present == value) return absl::OkStatus();
    return absl::AbortedError(StrCat("testing value at \"", path, "\" failed"));
  }

  absl::Status FromPlace(std::string_view op, std::string_view path,
                         const std::vector<std::string>& steps, const Json& from_json) {
    if (!from_json.is_string()) return absl::InvalidArgumentError("from must be a string");
    const std::string_view from = from_json.AsString();
    BTH_ASSIGN_OR_RETURN(const std::vector<std::string> source, Pointer(from));
    if (op == "move") {
      if (path.size() > from.size() && path.starts_with(from) && path[from.size()] == '/') {
        return absl::InvalidArgumentError("a value cannot be moved into itself");
      }
      BTH_ASSIGN_OR_RETURN(Json value, Remove(from, source));
      return Add(path, steps, std::move(value));
    }
    const Json* present = WalkSteps(source, source.size());
    if (present == nullptr) return NotThere(from);
    copied_bytes_ += present->Dump().size();
    if (copied_bytes_ > kCopyBytesMax) {
      return absl::InvalidArgumentError(
          StrCat("Unable to complete the copy, the accumulated size increase of copy is ",
                 copied_bytes_, ", exceeding the limit ", kCopyBytesMax));
    }
    return Add(path, steps, Json(*present));
  }

  absl::Status Add(std::string_view path, const std::vector<std::string>& steps, Json value) {
    BTH_RETURN_IF_ERROR(CheckDepth(path, steps, value));
    if (steps.empty()) {
      document_ = std::move(value);
      return absl::OkStatus();
    }
    Json* parent = WalkSteps(steps, steps.size() - 1);
    if (parent == nullptr) return NotThere(path);
    if (parent->is_object()) {
      effort_ += parent->size();
      parent->Set(steps.back(), std::move(value));
      return absl::OkStatus();
    }
    if (!parent->is_array()) return NotThere(path);
    Json::Array& items = parent->MutableItems();
    if (steps.back() == "-") {
      items.push_back(std::move(value));
      return absl::OkStatus();
    }
    const std::optional<size_t> index = Index(steps.back());
    if (!index.has_value() || *index > items.size()) return NotThere(path);
    effort_ += kValueEffort * (items.size() - *index);
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return absl::OkStatus();
  }

  absl::StatusOr<Json> Remove(std::string_view path, const std::vector<std::string>& steps) {
    if (steps.empty()) return std::exchange(document_, Json());
    Json* parent = WalkSteps(steps, steps.size() - 1);
    Json* present = parent == nullptr ? nullptr : Step(*parent, steps.back());
    if (present == nullptr) return NotThere(path);
    Json gone = std::move(*present);
    if (parent->is_object()) {
      effort_ += kValueEffort * parent->size();
      parent->Erase(steps.back());
    } else {
      Json::Array& items = parent->MutableItems();
      const size_t index = *Index(steps.back());
      effort_ += kValueEffort * (items.size() - index);
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
    }
    return gone;
  }

  Json* Step(Json& at, const std::string& step) {
    if (at.is_object()) {
      effort_ += at.size();
      return at.Find(step);
    }
    if (!at.is_array()) return nullptr;
    const std::optional<size_t> index = Index(step);
    if (!index.has_value() || *index >= at.size()) return nullptr;
    return &at.MutableItems()[*index];
  }

  Json* WalkSteps(const std::vector<std::string>& steps, size_t count) {
    Json* at = &document_;
    for (size_t i = 0; i < count && at != nullptr; ++i) at = Step(*at, steps[i]);
    return at;
  }

  // Whether the document stays as flat as an object must be, with this value at that place. Moves
  // and copies could otherwise stack what they find until a walk over it runs out of stack.
  absl::Status CheckDepth(std::string_view path, const std::vector<std::string>& steps,
                          const Json& value) {
    if (HasLevels(value, kJsonDepthMax - static_cast<int>(steps.size()))) return absl::OkStatus();
    return absl::InvalidArgumentError(
        StrCat("the object is nested too deeply with this value at \"", path, "\": it may have ",
               kJsonDepthMax, " levels"));
  }

  // True if the value has so many levels at most; looks no deeper.
  bool HasLevels(const Json& value, int levels_max) {
    if (levels_max <= 0) return false;
    effort_ += kValueEffort;
    const auto below = [&](const Json& part) { return HasLevels(part, levels_max - 1); };
    return std::all_of(value.items().begin(), value.items().end(), below) &&
           std::all_of(value.members().begin(), value.members().end(),
                       [&](const Json::Member& member) { return below(member.second); });
  }

  Json document_;
  size_t copied_bytes_ = 0;
  size_t effort_ = 0;
};

}  // namespace

absl::StatusOr<Json> ApplyJsonPatch(const Json& document, const Json& patch) {
  if (!patch.is_array()) return absl::InvalidArgumentError("a JSON patch must be an array");
  if (patch.size() > kOperationsMax) {
    return absl::InvalidArgumentError("a JSON patch may have 10000 operations at most");
  }
  Runner runner(document);
  for (size_t i = 0; i < patch.size(); ++i) {
    if (!patch[i].is_object()) return absl::InvalidArgumentError("an operation must be an object");
    BTH_RETURN_IF_ERROR(Annotate(runner.Run(patch[i]), StrCat("operation ", i)));
  }
  return runner.Finish();
}

}  // namespace bth::apiserver
