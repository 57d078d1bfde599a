#include "api/types/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/charconv.h"
#include "api/types/rapidjson_reader.h"
#include "api/types/raw_tree.h"
#include "api/types/text_codec.h"
#include "base/strings.h"

namespace bth::types {
namespace {

// Up to this many members a scan is faster than sorting.
constexpr size_t kScanMax = 16;

// Texts from this size on get stacks of this size to begin with.
constexpr size_t kSmallBytes = 1024;
constexpr size_t kOpenExpected = 16;
constexpr size_t kWaitingExpected = 64;

// Indices of `members` ordered by key, then by position.
std::vector<size_t> OrderByKey(const Json::Object& members) {
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&members](size_t a, size_t b) { return members[a].first < members[b].first; });
  return order;
}

// Receives the events of the RapidJSON reader and builds the tree. What a container holds waits on
// a stack until its end is there, so that it is made once and of the size it needs.
class TreeBuilder {
 public:
  // Where the whole of `text` is UTF-8 and without escapes, so is each string in it.
  TreeBuilder(Json* root, int depth_max, std::string_view text)
      : root_(root),
        depth_max_(depth_max),
        checks_texts_(StrContains(text, "\\") || Utf8ValidPrefix(text) < text.size()) {
    // Of a document of some size; small ones have few members.
    if (text.size() < kSmallBytes) return;
    open_.reserve(kOpenExpected);
    items_.reserve(kWaitingExpected);
    members_.reserve(kWaitingExpected);
  }

  // Why the builder stopped the reader, or empty.
  const std::string& refusal() const { return refusal_; }

  bool Null() { return Put(Json()); }
  bool Bool(bool value) { return Put(Json(value)); }
  // The reader checks the grammar of a number; what it means is read here, because RapidJSON's own
  // conversion takes 0e100 for an arbitrary number.
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const char* const end = text + size;
    if (std::string_view(text, size).find_first_of(".eE") == std::string_view::npos) {
      int64_t whole = 0;
      if (std::from_chars(text, end, whole).ec == std::errc()) return Put(Json(whole));
    }
    double real = 0;
    const absl::from_chars_result result = absl::from_chars(text, end, real);
    // Out of range is also what is too close to zero; that is zero, or next to it.
    if (result.ec != std::errc() && std::abs(real) > 1) {
      refusal_ = "a number is too large";
      return false;
    }
    return Put(Json(real));
  }
  // Not called: numbers come as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return CheckText({text, size}) && Put(Json(std::string(text, size)));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (!CheckText({text, size})) return false;
    members_.emplace_back(std::string(text, size), Json());
    return true;
  }
  bool StartObject() { return Open({.is_array = false, .begin = members_.size()}); }
  bool EndObject(rapidjson::SizeType) {
    Json object = Json::MakeObject();
    TakeFrom(open_.back().begin, &members_, &object.MutableMembers());
    KeepLastOfEachKey(&object.MutableMembers());
    open_.pop_back();
    return Put(std::move(object));
  }
  bool StartArray() { return Open({.is_array = true, .begin = items_.size()}); }
  bool EndArray(rapidjson::SizeType) {
    Json array = Json::MakeArray();
    TakeFrom(open_.back().begin, &items_, &array.MutableItems());
    open_.pop_back();
    return Put(std::move(array));
  }

 private:
  struct Container {
    bool is_array = false;
    size_t begin = 0;  // Of what it holds, on its stack.
  };

  // Escapes such as \ud800 can spell what the bytes of a document cannot.
  bool CheckText(std::string_view text) {
    if (!checks_texts_ || Utf8ValidPrefix(text) == text.size()) return true;
    refusal_ = "a string is not valid UTF-8";
    return false;
  }
  template <class T>
  static void TakeFrom(size_t begin, std::vector<T>* stack, std::vector<T>* out) {
    const auto first = stack->begin() + static_cast<std::ptrdiff_t>(begin);
    out->assign(std::make_move_iterator(first), std::make_move_iterator(stack->end()));
    stack->erase(first, stack->end());
  }
  bool Put(Json&& value) {
    if (open_.empty()) {
      *root_ = std::move(value);
    } else if (open_.back().is_array) {
      items_.push_back(std::move(value));
    } else {
      members_.back().second = std::move(value);
    }
    return true;
  }
  bool Open(Container container) {
    if (static_cast<int>(open_.size()) >= depth_max_) {
      refusal_ = StrCat("nested deeper than ", depth_max_, " levels");
      return false;
    }
    open_.push_back(container);
    return true;
  }

  Json* root_;
  int depth_max_;
  const bool checks_texts_;
  std::string refusal_;
  std::vector<Container> open_;
  Json::Array items_;     // Of the arrays that are open.
  Json::Object members_;  // Of the objects that are open.
};

absl::Status JsonError(size_t offset, std::string_view reason) {
  return absl::InvalidArgumentError(StrCat("JSON: byte ", offset, ": ", reason));
}

void PrettyTo(const Json& value, int indent, std::string* out) {
  const auto newline = [out](int depth) {
    out->push_back('\n');
    out->append(static_cast<size_t>(depth) * 2, ' ');
  };
  if (value.is_array() && !value.empty()) {
    out->push_back('[');
    bool first = true;
    for (const Json& item : value.items()) {
      if (!first) out->push_back(',');
      first = false;
      newline(indent + 1);
      PrettyTo(item, indent + 1, out);
    }
    newline(indent);
    out->push_back(']');
  } else if (value.is_object() && !value.empty()) {
    out->push_back('{');
    bool first = true;
    for (size_t index : OrderByKey(value.members())) {
      const Json::Member& member = value.members()[index];
      if (!first) out->push_back(',');
      first = false;
      newline(indent + 1);
      AppendJsonString(member.first, out);
      out->append(": ");
      PrettyTo(member.second, indent + 1, out);
    }
    newline(indent);
    out->push_back('}');
  } else {
    value.DumpTo(out);
  }
}

bool EqualNumbers(const Json& a, const Json& b) {
  if (a.is_int() && b.is_int()) return a.AsInt() == b.AsInt();
  if (a.is_double() && b.is_double()) return a.AsDouble() == b.AsDouble();
  const double real = a.is_double() ? a.AsDouble() : b.AsDouble();
  const int64_t whole = a.is_int() ? a.AsInt() : b.AsInt();
  if (std::trunc(real) != real || !(real >= -0x1p63 && real < 0x1p63)) return false;
  return static_cast<int64_t>(real) == whole;
}

bool EqualObjects(const Json::Object& a, const Json::Object& b) {
  if (a.size() != b.size()) return false;
  const bool same_order =
      std::equal(a.begin(), a.end(), b.begin(),
                 [](const auto& x, const auto& y) { return x.first == y.first; });
  if (same_order) {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [](const auto& x, const auto& y) { return x.second == y.second; });
  }
  const std::vector<size_t> order_a = OrderByKey(a);
  const std::vector<size_t> order_b = OrderByKey(b);
  for (size_t i = 0; i < order_a.size(); ++i) {
    const Json::Member& x = a[order_a[i]];
    const Json::Member& y = b[order_b[i]];
    if (x.first != y.first || !(x.second == y.second)) return false;
  }
  return true;
}

constinit const Json kNull;
constinit const Json::Array kNoItems;
constinit const Json::Object kNoMembers;

}  // namespace

void KeepLastOfEachKey(Json::Object* members) {
  std::vector<bool> drop;
  const size_t count = members->size();
  const auto mark = [&drop, count](size_t index) {
    if (drop.empty()) drop.resize(count, false);
    drop[index] = true;
  };
  if (count <= kScanMax) {
    for (size_t i = 0; i + 1 < count; ++i) {
      for (size_t j = i + 1; j < count; ++j) {
        if ((*members)[i].first == (*members)[j].first) {
          mark(i);
          break;
        }
      }
    }
  } else {
    const std::vector<size_t> order = OrderByKey(*members);
    for (size_t i = 0; i + 1 < count; ++i) {
      if ((*members)[order[i]].first == (*members)[order[i + 1]].first) mark(order[i]);
    }
  }
  if (drop.empty()) return;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (drop[i]) continue;
    if (kept != i) (*members)[kept] = std::move((*members)[i]);
    ++kept;
  }
  members->resize(kept);
}

absl::StatusOr<Json> Json::Parse(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.bytes_max) {
    return absl::InvalidArgumentError(
        StrCat("JSON: ", text.size(), " bytes exceed the limit of ", limits.bytes_max));
  }
  Json root;
  TreeBuilder builder(&root, limits.depth_max, text);
  // The reader unescapes in place.
  std::string own;
  own.reserve(text.size() + kReaderPadding);
  own.append(text).append(kReaderPadding, '\0');
  rapidjson::InsituStringStream stream(own.data());
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (!builder.refusal().empty()) return JsonError(result.Offset(), builder.refusal());
  if (result.IsError())
    return JsonError(result.Offset(), rapidjson::GetParseError_En(result.Code()));
  // The reader takes a NUL byte for the end of the text.
  if (stream.Tell() < text.size()) return JsonError(stream.Tell(), "unexpected NUL byte");
  return root;
}

std::string Json::Dump() const {
  std::string out;
  DumpTo(&out);
  return out;
}

std::string Json::Pretty() const {
  std::string out;
  PrettyTo(*this, 0, &out);
  return out;
}

void Json::DumpTo(std::string* out) const {
  if (const auto* text = std::get_if<std::string>(&value_)) {
    AppendJsonString(*text, out);
  } else if (const auto* members = std::get_if<Object>(&value_)) {
    out->push_back('{');
    bool first = true;
    for (const Member& member : *members) {
      if (!first) out->push_back(',');
      first = false;
      AppendJsonString(member.first, out);
      out->push_back(':');
      member.second.DumpTo(out);
    }
    out->push_back('}');
  } else if (const auto* items = std::get_if<Array>(&value_)) {
    out->push_back('[');
    bool first = true;
    for (const Json& item : *items) {
      if (!first) out->push_back(',');
      first = false;
      item.DumpTo(out);
    }
    out->push_back(']');
  } else if (const auto* whole = std::get_if<int64_t>(&value_)) {
    AppendJsonInt(*whole, out);
  } else if (const auto* real = std::get_if<double>(&value_)) {
    AppendJsonDouble(*real, out);
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    out->append(*truth ? "true" : "false");
  } else {
    out->append("null");
  }
}

std::string_view Json::TypeName() const {
  static constexpr std::string_view kNames[] = {"null",   "boolean", "integer", "number",
                                                "string", "array",   "object"};
  return kNames[value_.index()];
}

bool Json::AsBool(bool fallback) const {
  const auto* value = std::get_if<bool>(&value_);
  return value != nullptr ? *value : fallback;
}

int64_t Json::AsInt(int64_t fallback) const {
  const auto* value = std::get_if<int64_t>(&value_);
  return value != nullptr ? *value : fallback;
}

double Json::AsDouble(double fallback) const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  const auto* whole = std::get_if<int64_t>(&value_);
  return whole != nullptr ? static_cast<double>(*whole) : fallback;
}

std::string_view Json::AsString(std::string_view fallback) const {
  const auto* value = std::get_if<std::string>(&value_);
  return value != nullptr ? std::string_view(*value) : fallback;
}

const Json::Array& Json::items() const {
  const auto* value = std::get_if<Array>(&value_);
  return value != nullptr ? *value : kNoItems;
}

const Json::Object& Json::members() const {
  const auto* value = std::get_if<Object>(&value_);
  return value != nullptr ? *value : kNoMembers;
}

Json::Array& Json::MutableItems() {
  if (auto* value = std::get_if<Array>(&value_)) return *value;
  return value_.emplace<Array>();
}

Json::Object& Json::MutableMembers() {
  if (auto* value = std::get_if<Object>(&value_)) return *value;
  return value_.emplace<Object>();
}

size_t Json::size() const {
  return is_array() ? items().size() : members().size();
}

const Json* Json::Find(std::string_view key) const {
  for (const Member& member : members()) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

Json* Json::Find(std::string_view key) {
  return const_cast<Json*>(static_cast<const Json*>(this)->Find(key));
}

const Json& Json::operator[](std::string_view key) const {
  const Json* found = Find(key);
  return found != nullptr ? *found : kNull;
}

const Json& Json::operator[](size_t index) const {
  return index < items().size() ? items()[index] : kNull;
}

Json& Json::operator[](std::string_view key) {
  Object& members = MutableMembers();
  for (Member& member : members) {
    if (member.first == key) return member.second;
  }
  members.emplace_back(std::string(key), Json());
  return members.back().second;
}

bool Json::Erase(std::string_view key) {
  auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) return false;
  const auto removed = std::remove_if(members->begin(), members->end(),
                                      [key](const Member& member) { return member.first == key; });
  const bool found = removed != members->end();
  members->erase(removed, members->end());
  return found;
}

const Json& Json::At(std::initializer_list<std::string_view> path) const {
  const Json* here = this;
  for (std::string_view key : path) here = &(*here)[key];
  return *here;
}

Json& Json::MutableAt(std::initializer_list<std::string_view> path) {
  Json* here = this;
  for (std::string_view key : path) here = &(*here)[key];
  return *here;
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return EqualNumbers(a, b);
  if (a.is_object() && b.is_object()) return EqualObjects(a.members(), b.members());
  return a.value_ == b.value_;
}

}  // namespace bth::types
