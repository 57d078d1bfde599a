#include "cli/print/watch.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/print/json_text.h"
#include "cli/print/yaml_text.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr std::string_view kUpTo = "\x1b[", kLinesUp = "A", kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

std::string_view NameOfEvent(WatchEventType type) {
  static constexpr std::string_view kNames[] = {"ADDED", "MODIFIED", "DELETED"};
  return kNames[static_cast<size_t>(type)];
}

}  // namespace

absl::StatusOr<WatchPrinter> WatchPrinter::Create(std::string_view output,
                                                  const PrintOptions& options, bool with_events) {
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<Printer> printer, MakePrinter(output, options));
  const std::string small = AsciiStrToLower(output);
  Style style = Style::kValueEvents;
  if (!with_events || output == "name") {
    style = Style::kObjects;
  } else if (output.empty() || output == "wide") {
    style = Style::kTableEvents;
  } else if (small == "json") {
    style = Style::kJsonEvents;
  } else if (small == "yaml") {
    style = Style::kYamlEvents;
  }
  return WatchPrinter(style, std::move(printer), options);
}

absl::Status WatchPrinter::PrintEvent(WatchEventType type, Json object, std::string& out) {
  Json* const metadata = object.Find("metadata");
  const bool drops = style_ != Style::kValueEvents && !options_.show_managed_fields;
  if (metadata != nullptr && drops) metadata->Erase("managedFields");
  if (style_ == Style::kJsonEvents) {
    // The type comes first here, whatever the order of keys elsewhere.
    StrAppend(&out, "{\"type\":\"", NameOfEvent(type), "\",\"object\":", CompactJson(object),
              "}\n");
    return absl::OkStatus();
  }
  const Json event = Json::MakeObject({{"type", NameOfEvent(type)}, {"object", std::move(object)}});
  if (style_ == Style::kValueEvents) {
    return printer_->Print({absl::MakeConstSpan(&event, 1), true}, out);
  }
  StrAppend(&out, has_printed_ ? "---\n" : "", YamlText(event));
  has_printed_ = true;
  return absl::OkStatus();
}

absl::Status WatchPrinter::Print(WatchEventType type, const Json& object, const TableView* view,
                                 std::string& out) {
  Objects objects = {absl::MakeConstSpan(&object, 1), true, view};
  switch (style_) {
    case Style::kObjects:
      return printer_->Print(objects, out);
    case Style::kTableEvents:
      objects.event = NameOfEvent(type);
      return printer_->Print(objects, out);
    default:
      return PrintEvent(type, object, out);
  }
}

void LiveScreen::Resize(const Terminal& terminal) {
  terminal_ = terminal;
  drawn_lines_ = 0;
}

void LiveScreen::Draw(std::string_view text, std::string& out) {
  if (!terminal_.can_redraw) {
    StrAppend(&out, has_drawn_ ? "\n" : "", text);
    has_drawn_ = true;
    return;
  }
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  // The cursor stands on a line of its own below the block.
  const size_t room = static_cast<size_t>(std::max(terminal_.height - 1, 1));
  std::string rest;
  if (lines.size() > room) {
    rest = StrCat("(", lines.size() - room + 1, " more lines)");
    lines.resize(room - 1);
    lines.push_back(rest);
  }
  if (drawn_lines_ > 0) StrAppend(&out, kUpTo, drawn_lines_, kLinesUp, "\r");
  for (const std::string_view line : lines) StrAppend(&out, line, kClearLine, "\n");
  out.append(kClearBelow);
  drawn_lines_ = static_cast<int>(lines.size());
}

}  // namespace bth::cli
