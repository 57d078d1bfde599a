// From a text to a Json: first to tokens, then to the tree, of which each part is made once, where
// it stays and of the size it needs.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/charconv.h"
#include "api/types/json.h"
#include "api/types/rapidjson_reader.h"
#include "api/types/raw_tree.h"
#include "api/types/text_codec.h"
#include "base/strings.h"

namespace bth::types {
namespace {

// A value, or the key of the value that follows. Texts stay in the document.
struct JsonToken {
  enum class Kind : uint8_t { kNullWord, kBool, kInt, kDouble, kText, kArray, kObject };
  Kind kind = Kind::kNullWord;
  bool truth = false;
  uint32_t size = 0;  // Bytes of a text; items or members of what begins here.
  union {
    int64_t whole = 0;
    double real;
    const char* text;
  };
};
// Most documents of the API have fewer, and need no memory for them.
using JsonTokens = absl::InlinedVector<JsonToken, 512>;

// Receives the events of the RapidJSON reader.
class TokenWriter {
 public:
  TokenWriter(int depth_max, JsonTokens* tokens) : depth_max_(depth_max), tokens_(*tokens) {}

  // Why the reader was stopped, or empty.
  const std::string& refusal() const { return refusal_; }

  bool Null() {
    Add(JsonToken::Kind::kNullWord);
    return true;
  }
  bool Bool(bool value) {
    Add(JsonToken::Kind::kBool).truth = value;
    return true;
  }
  // The reader checks the grammar of a number; what it means is read here, because RapidJSON's own
  // conversion takes 0e100 for an arbitrary number.
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const char* const end = text + size;
    if (std::string_view(text, size).find_first_of(".eE") == std::string_view::npos) {
      int64_t whole = 0;
      if (std::from_chars(text, end, whole).ec == std::errc()) {
        Add(JsonToken::Kind::kInt).whole = whole;
        return true;
      }
    }
    double real = 0;
    const absl::from_chars_result result = absl::from_chars(text, end, real);
    // Out of range is also what is too close to zero; that is zero, or next to it.
    if (result.ec != std::errc() && std::abs(real) > 1) {
      refusal_ = "a number is too large";
      return false;
    }
    Add(JsonToken::Kind::kDouble).real = real;
    return true;
  }
  // Not called: numbers come as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }
  // Bytes of the document may be no UTF-8, and escapes such as \ud800 can spell what bytes cannot.
  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (Utf8ValidPrefix({text, size}) < size) {
      refusal_ = "a string is not valid UTF-8";
      return false;
    }
    JsonToken& token = Add(JsonToken::Kind::kText);
    token.size = size;
    token.text = text;
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) {
    return String(text, size, copy);
  }
  bool StartObject() { return Open(JsonToken::Kind::kObject); }
  bool EndObject(rapidjson::SizeType members) { return Close(members); }
  bool StartArray() { return Open(JsonToken::Kind::kArray); }
  bool EndArray(rapidjson::SizeType items) { return Close(items); }

 private:
  JsonToken& Add(JsonToken::Kind kind) {
    JsonToken& token = tokens_.emplace_back();
    token.kind = kind;
    return token;
  }
  bool Open(JsonToken::Kind kind) {
    if (static_cast<int>(open_.size()) >= depth_max_) {
      refusal_ = StrCat("nested deeper than ", depth_max_, " levels");
      return false;
    }
    open_.push_back(tokens_.size());
    Add(kind);
    return true;
  }
  bool Close(rapidjson::SizeType size) {
    tokens_[open_.back()].size = size;
    open_.pop_back();
    return true;
  }

  const int depth_max_;
  JsonTokens& tokens_;
  std::string refusal_;
  std::vector<size_t> open_;  // Where arrays and objects begin whose ends are to come.
};

// Makes the tree that tokens spell, which are as deep as their reader let them be.
class TreeMaker {
 public:
  explicit TreeMaker(const JsonTokens& tokens) : next_(tokens.data()) {}

  Json Make() {
    Json::Array root;
    MakeItems(1, &root);
    return std::move(root.front());
  }

 private:
  void MakeItems(size_t count, Json::Array* items) {
    items->reserve(count);
    for (; count > 0; --count) {
      MakeValue([items](auto&&... value) -> Json& {
        return items->emplace_back(std::forward<decltype(value)>(value)...);
      });
    }
  }
  void MakeMembers(size_t count, Json::Object* members) {
    members->reserve(count);
    for (; count > 0; --count) {
      const JsonToken& key = *next_++;
      MakeValue([members, &key](auto&&... value) -> Json& {
        return members
            ->emplace_back(std::piecewise_construct, std::forward_as_tuple(key.text, key.size),
                           std::forward_as_tuple(std::forward<decltype(value)>(value)...))
            .second;
      });
    }
    KeepLastOfEachKey(members);
  }
  // `emplace` makes a Json of what it is given, where it belongs.
  template <typename Emplace>
  void MakeValue(Emplace emplace) {
    const JsonToken& token = *next_++;
    switch (token.kind) {
      case JsonToken::Kind::kNullWord:
        emplace();
        return;
      case JsonToken::Kind::kBool:
        emplace(bool{token.truth});
        return;
      case JsonToken::Kind::kInt:
        emplace(int64_t{token.whole});
        return;
      case JsonToken::Kind::kDouble:
        emplace(double{token.real});
        return;
      case JsonToken::Kind::kText:
        emplace(std::string_view(token.text, token.size));
        return;
      case JsonToken::Kind::kArray:
        MakeItems(token.size, &emplace().MutableItems());
        return;
      case JsonToken::Kind::kObject:
        MakeMembers(token.size, &emplace().MutableMembers());
        return;
    }
  }

  const JsonToken* next_;
};

absl::Status JsonError(size_t offset, std::string_view reason) {
  return absl::InvalidArgumentError(StrCat("JSON: byte ", offset, ": ", reason));
}

// A copy of a text that the reader may change; short ones need no memory.
class OwnText final {
 public:
  explicit OwnText(std::string_view text) {
    const size_t size = text.size() + kReaderPadding;
    if (size > near_.size()) far_.resize(size);
    std::copy(text.begin(), text.end(), data());  // A text of nothing may have no address.
    std::memset(data() + text.size(), 0, kReaderPadding);
  }
  char* data() { return far_.empty() ? near_.data() : far_.data(); }

 private:
  std::array<char, 4096> near_;  // Not filled.
  std::string far_;
};

// Errors as Json::Parse has them. Tokens point into `own`, the copy of `text`.
absl::Status ReadTokens(std::string_view text, int depth_max, OwnText& own, JsonTokens* tokens) {
  TokenWriter writer(depth_max, tokens);
  InPlaceText stream(own.data());
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, writer);
  if (!writer.refusal().empty()) return JsonError(result.Offset(), writer.refusal());
  if (result.IsError()) {
    return JsonError(result.Offset(), rapidjson::GetParseError_En(result.Code()));
  }
  // The reader takes a NUL byte for the end of the text.
  if (stream.Tell() < text.size()) return JsonError(stream.Tell(), "unexpected NUL byte");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Json> Json::Parse(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.bytes_max) {
    return absl::InvalidArgumentError(
        StrCat("JSON: ", text.size(), " bytes exceed the limit of ", limits.bytes_max));
  }
  OwnText own(text);
  JsonTokens tokens;
  const absl::Status read = ReadTokens(text, limits.depth_max, own, &tokens);
  if (!read.ok()) return read;
  return TreeMaker(tokens).Make();
}

}  // namespace bth::types
