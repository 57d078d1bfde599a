// The only file that knows yaml-cpp. It takes the parser's events, not its nodes: limits are
// checked while reading, and aliases are expanded against a budget.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <map>
#include <sstream>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/strings.h"
#include "conf/value.h"

namespace bth::conf {
namespace {

// Ends the parser's run from inside an event; caught in ParseYaml.
struct Refusal {
  int line = 0;
  std::string text;
};

int LineOf(const YAML::Mark& mark) {
  return mark.line < 0 ? 0 : mark.line + 1;
}

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

// What a scalar with an explicit tag means. Tags of other schemas leave the text a string.
Value ResolveTagged(std::string_view tag, const std::string& text, int line) {
  if (tag.substr(0, kTagPrefix.size()) != kTagPrefix) return Value::MakeString(text);
  const std::string_view type = tag.substr(kTagPrefix.size());
  if (type == "str" || type == "timestamp") return Value::MakeString(text);
  Value value = ResolvePlainScalar(text);
  if (type == "float" && value.is_int()) return Value::MakeDouble(value.AsDouble(), text);
  const bool fits = (type == "int" && value.is_int()) || (type == "float" && value.is_double()) ||
                    (type == "bool" && value.is_bool()) || (type == "null" && value.is_null());
  if (!fits) throw Refusal{line, StrCat("the value does not fit its tag !!", type)};
  return value;
}

// Values and bytes of text in a tree, and the lists and maps inside each other.
struct Weight {
  size_t values = 0;
  size_t text_bytes = 0;
  size_t depth = 0;
};

void Weigh(const Value& value, size_t depth, Weight& weight) {
  ++weight.values;
  weight.text_bytes += value.text().size();
  if (!value.is_scalar()) weight.depth = std::max(weight.depth, ++depth);
  for (const Value& item : value.items()) Weigh(item, depth, weight);
  for (const Value::Member& member : value.members()) {
    weight.text_bytes += member.key.size();
    Weigh(member.value, depth, weight);
  }
}

// Builds the tree of the first document; a second one is refused unless it is empty.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

  YamlDocument Take() { return std::move(document_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // yaml-cpp reports empty documents without end when a text begins with a stray `,` or `]`.
    if (documents_ > 0 && mark.pos <= document_pos_) {
      throw Refusal{LineOf(mark), "not valid YAML: a value cannot begin here"};
    }
    document_pos_ = mark.pos;
    ++documents_;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(Value::MakeNull(), anchor, LineOf(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const int line = LineOf(mark);
    if (tag.empty() || tag == "?") {
      // A plain `<<` as a key asks for a merge.
      plain_merge_ = text == "<<";
      Add(ResolvePlainScalar(text), anchor, line);
      plain_merge_ = false;
    } else {
      Add(tag == "!" ? Value::MakeString(text) : ResolveTagged(tag, text, line), anchor, line);
    }
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Refusal{LineOf(mark), "an alias may not stand inside the value it names"};
    }
    // Its parts count as if they were written here.
    Weight weight;
    Weigh(found->second, 0, weight);
    CheckDepth(frames_.size() + weight.depth, LineOf(mark));
    Charge({weight.values - 1, weight.text_bytes - found->second.text().size(), 0}, LineOf(mark));
    Add(found->second, 0, LineOf(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(LineOf(mark), anchor, false);
  }
  void OnSequenceEnd() override {
    Frame frame = Close();
    Add(Value::MakeList(std::move(frame.items)), frame.anchor, frame.line);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(LineOf(mark), anchor, true);
  }
  void OnMapEnd() override {
    Frame frame = Close();
    for (const Value& source : frame.merged) Merge(source, frame);
    Add(Value::MakeMap(std::move(frame.members)), frame.anchor, frame.line);
  }

 private:
  // A list or map that is still open.
  struct Frame {
    bool is_map = false;
    int line = 0;
    YAML::anchor_t anchor = 0;
    Value::List items;
    Value::Map members;
    absl::flat_hash_map<std::string, size_t> index;  // Key to position in `members`.
    std::vector<Value> merged;                       // Maps named by `<<`.
    bool has_key = false;                            // A key waits for its value.
    bool key_is_merge = false;
    Value key;
  };

  void Open(int line, YAML::anchor_t anchor, bool is_map) {
    if (documents_ > 1) RefuseSecondDocument(line);
    CheckDepth(frames_.size() + 1, line);
    frames_.emplace_back();
    frames_.back().is_map = is_map;
    frames_.back().line = line;
    frames_.back().anchor = anchor;
  }

  Frame Close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    return frame;
  }

  [[noreturn]] static void RefuseSecondDocument(int line) {
    throw Refusal{line, "a second document begins; one file holds one document"};
  }

  void CheckDepth(size_t depth, int line) const {
    if (depth > static_cast<size_t>(limits_.depth_max)) {
      throw Refusal{line, StrCat("nested deeper than ", limits_.depth_max, " levels")};
    }
  }

  void Charge(const Weight& weight, int line) {
    used_.values += weight.values;
    used_.text_bytes += weight.text_bytes;
    if (used_.values > limits_.values_max) {
      throw Refusal{line,
                    StrCat("more than ", limits_.values_max, " values after aliases are expanded")};
    }
    if (used_.text_bytes > limits_.text_bytes_max) {
      throw Refusal{line, StrCat("more than ", limits_.text_bytes_max,
                                 " bytes of text after aliases are expanded")};
    }
  }

  // Puts a finished value where it belongs: the root, an open list, a key or a member's value.
  void Add(Value value, YAML::anchor_t anchor, int line) {
    if (documents_ > 1) {
      if (!value.is_null()) RefuseSecondDocument(line);
      return;
    }
    Charge({1, value.text().size(), 0}, line);
    if (value.line() == 0) value.set_line(line);
    if (anchor != 0) anchors_[anchor] = value;
    if (frames_.empty()) {
      document_.root = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (!frame.is_map) {
      frame.items.push_back(std::move(value));
    } else if (!frame.has_key) {
      if (!value.is_scalar()) throw Refusal{line, "a key must be a scalar, not a list or map"};
      frame.key = std::move(value);
      frame.key.set_line(line);
      frame.key_is_merge = plain_merge_;
      frame.has_key = true;
    } else if (frame.key_is_merge) {
      frame.has_key = false;
      AddMergeSource(std::move(value), frame, line);
    } else {
      frame.has_key = false;
      AddMember(frame, std::move(value));
    }
  }

  void AddMember(Frame& frame, Value value) {
    std::string key = frame.key.is_null() ? "null" : frame.key.text();
    const int line = frame.key.line();
    const auto [found, inserted] = frame.index.emplace(key, frame.members.size());
    if (inserted) {
      frame.members.push_back({std::move(key), std::move(value), line, frame.key.is_string()});
      return;
    }
    Value::Member& member = frame.members[found->second];
    if (document_.duplicates.size() < kDuplicatesMax) {
      document_.duplicates.push_back({PathOf(key), line, member.line});
    }
    member.value = std::move(value);
    member.line = line;
  }

  void AddMergeSource(Value value, Frame& frame, int line) {
    constexpr const char* kWrong = "`<<` needs a map or a list of maps";
    if (value.is_map()) {
      frame.merged.push_back(std::move(value));
      return;
    }
    if (!value.is_list()) throw Refusal{line, kWrong};
    for (const Value& item : value.items()) {
      if (!item.is_map()) throw Refusal{line, kWrong};
      frame.merged.push_back(item);
    }
  }

  // Members the map does not have itself; the first source that has a key gives it.
  static void Merge(const Value& source, Frame& frame) {
    for (const Value::Member& member : source.members()) {
      if (frame.index.emplace(member.key, frame.members.size()).second) {
        frame.members.push_back(member);
      }
    }
  }

  // Where the parser stands, ending in `key`.
  std::string PathOf(const std::string& key) const {
    std::string path;
    for (size_t i = 0; i + 1 < frames_.size(); ++i) {
      const Frame& frame = frames_[i];
      if (!frame.is_map) {
        StrAppend(&path, "[", frame.items.size(), "]");
      } else {
        StrAppend(&path, path.empty() ? "" : ".", frame.key.text());
      }
    }
    return StrCat(path, path.empty() ? "" : ".", key);
  }

  const YamlLimits limits_;
  YamlDocument document_;
  int documents_ = 0;
  int document_pos_ = 0;  // Where the last one began.
  bool plain_merge_ = false;
  Weight used_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Value> anchors_;
};

absl::Status Refused(int line, std::string_view text) {
  if (line <= 0) return absl::InvalidArgumentError(ToAbsl(text));
  return absl::InvalidArgumentError(StrCat("line ", line, ": ", text));
}

// The length of the UTF-8 sequence at `at`, or 0 when there is none that YAML allows.
size_t SequenceLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return 0;
  uint32_t code = lead & (0xffu >> (length + 1));
  for (size_t i = at + 1; i < at + length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < least || code > 0x10ffff || surrogate ? 0 : length;
}

absl::Status CheckText(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return Refused(
        0, StrCat("the text has ", text.size(), " bytes; at most ", limits.bytes_max, " are read"));
  }
  int line = 1;
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceLength(text, at);
    if (length == 0) return Refused(line, "a control character, or bytes that are not UTF-8");
    if (text[at] == '\n') ++line;
    at += length;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<YamlDocument> ParseYaml(std::string_view text, const YamlLimits& limits) {
  if (absl::Status status = CheckText(text, limits); !status.ok()) return status;
  try {
    // yaml-cpp takes the end of the stream for the end of a quoted text when a line break comes
    // just before; an explicit end of the document makes it complain.
    const bool ends_line = text.empty() || text.back() == '\n';
    std::istringstream stream(StrCat(text, ends_line ? "...\n" : "\n...\n"));
    YAML::Parser parser(stream);
    TreeBuilder builder(limits);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.Take();
  } catch (const Refusal& refusal) {
    return Refused(refusal.line, refusal.text);
  } catch (const YAML::Exception& error) {
    if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR) {
      return Refused(LineOf(error.mark), "not valid YAML: a quoted text further up is not closed");
    }
    return Refused(LineOf(error.mark), StrCat("not valid YAML: ", error.msg));
  } catch (const std::exception& error) {
    return Refused(0, StrCat("not valid YAML: ", error.what()));
  }
}

}  // namespace bth::conf
