#include "api/types/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <tuple>

#include "api/types/raw_tree.h"
#include "api/types/text_codec.h"
#include "api/types/text_writer.h"

namespace bth::types {
namespace {

// Up to this many members a scan is faster than sorting.
constexpr size_t kScanMax = 16;

// Indices of `members` ordered by key, then by position.
std::vector<size_t> OrderByKey(const Json::Object& members) {
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&members](size_t a, size_t b) { return members[a].first < members[b].first; });
  return order;
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

// Most keys that are compared differ in length or at their beginning.
bool IsKey(const std::string& member, std::string_view key) {
  return member.size() == key.size() &&
         (key.empty() || (member.front() == key.front() &&
                          std::memcmp(member.data(), key.data(), key.size()) == 0));
}

// Equal keys have equal marks.
uint64_t MarkOf(std::string_view key) {
  if (key.empty()) return 0;
  const auto byte = [key](size_t at) { return uint64_t{static_cast<unsigned char>(key[at])}; };
  return key.size() << 24 | byte(0) << 16 | byte(key.size() / 2) << 8 | byte(key.size() - 1);
}

void AppendTo(TextWriter& out, const Json& value);

void AppendMembers(TextWriter& out, const Json::Object& members) {
  char separator = '{';
  for (const Json::Member& member : members) {
    out.Byte(separator);
    separator = ',';
    out.Quoted(member.first);
    out.Byte(':');
    AppendTo(out, member.second);
  }
  if (members.empty()) out.Byte('{');
  out.Byte('}');
}

void AppendItems(TextWriter& out, const Json::Array& items) {
  char separator = '[';
  for (const Json& item : items) {
    out.Byte(separator);
    separator = ',';
    AppendTo(out, item);
  }
  if (items.empty()) out.Byte('[');
  out.Byte(']');
}

void AppendTo(TextWriter& out, const Json& value) {
  if (value.is_string()) return out.Quoted(value.AsString());
  if (value.is_object()) return AppendMembers(out, value.members());
  if (value.is_array()) return AppendItems(out, value.items());
  if (value.is_null()) return out.Plain("null");
  if (value.is_bool()) return out.Plain(value.AsBool() ? "true" : "false");
  std::string number;
  if (value.is_int()) {
    AppendJsonInt(value.AsInt(), &number);
  } else {
    AppendJsonDouble(value.AsDouble(), &number);
  }
  out.Plain(number);
}

// The length of the value as text; more when something in it must be escaped or has a fraction.
size_t PlainLength(const Json& value) {
  if (value.is_string()) return value.AsString().size() + 2;
  size_t length = 2;
  for (const Json::Member& member : value.members()) {
    length += member.first.size() + 4 + PlainLength(member.second);
  }
  for (const Json& item : value.items()) length += PlainLength(item) + 1;
  if (length > 2) return length - 1;  // One separator fewer.
  if (value.is_null() || value.is_bool()) return value.AsBool(true) ? 4 : 5;
  if (!value.is_int()) return length;  // Fractions are rare.
  const int64_t whole = value.AsInt();
  for (int64_t rest = whole; rest > 99 || rest < -9; rest /= 10) ++length;
  return whole >= 0 && whole < 10 ? 1 : length;
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
    std::array<uint64_t, kScanMax> marks;
    for (size_t i = 0; i < count; ++i) marks[i] = MarkOf((*members)[i].first);
    for (size_t i = 0; i + 1 < count; ++i) {
      for (size_t j = i + 1; j < count; ++j) {
        if (marks[i] == marks[j] && (*members)[i].first == (*members)[j].first) {
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
  TextWriter writer(out, PlainLength(*this));
  AppendTo(writer, *this);
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
    if (IsKey(member.first, key)) return &member.second;
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
    if (IsKey(member.first, key)) return member.second;
  }
  return members
      .emplace_back(std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple())
      .second;
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
