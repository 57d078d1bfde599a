// The short way from a text to tokens. Every loop ends at the zero bytes behind the text.
#include <bit>
#include <cstring>

#include "api/types/json_tokens.h"
#include "api/types/text_codec.h"

namespace bth::types {
namespace {

using Kind = JsonToken::Kind;

// The character that a backslash and `c` stand for, or 0: an error, or one in hexadecimal digits.
char Unescaped(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

class Scanner {
 public:
  // *tokens is as large as it may become before it has to grow.
  Scanner(char* text, int depth_max, JsonTokens* tokens)
      : at_(text), depth_max_(depth_max), tokens_(*tokens) {}

  // Where the document ended, or null.
  const char* Scan() {
    const char* const end = ScanValues();
    tokens_.resize(used_);
    return end;
  }

 private:
  const char* ScanValues() {
    for (;;) {
      bool goes_on = false;  // Into an array or object.
      if (!ReadValue(&goes_on)) return nullptr;
      if (goes_on) continue;
      // A value has ended: now what it stands in goes on, or ends too.
      for (;;) {
        SkipBlanks();
        if (open_.empty()) return at_;
        JsonToken& container = tokens_[open_.back()];
        const bool is_array = container.kind == Kind::kArray;
        ++container.size;
        if (*at_ == ',') {
          ++at_;
          if (!is_array && !ReadKey()) return nullptr;
          break;
        }
        if (*at_ != (is_array ? ']' : '}')) return nullptr;
        ++at_;
        open_.pop_back();
      }
    }
  }
  void SkipBlanks() {
    if (static_cast<unsigned char>(*at_) > ' ') return;
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
  }
  JsonToken& Add(Kind kind) {
    if (used_ == tokens_.size()) tokens_.resize(2 * used_ + 1);
    JsonToken& token = tokens_[used_++];
    token.kind = kind;
    return token;
  }
  bool ReadValue(bool* goes_on) {
    SkipBlanks();
    switch (*at_) {
      case '"':
        return ReadText();
      case '{':
      case '[':
        return ReadOpening(goes_on);
      case 't':
        Add(Kind::kBool).truth = true;
        return SkipWord("true");
      case 'f':
        Add(Kind::kBool).truth = false;
        return SkipWord("false");
      case 'n':
        Add(Kind::kNull);
        return SkipWord("null");
      default:
        return ReadWhole();
    }
  }
  bool SkipWord(std::string_view word) {
    if (std::strncmp(at_, word.data(), word.size()) != 0) return false;
    at_ += word.size();
    return true;
  }
  bool ReadOpening(bool* goes_on) {
    const bool is_array = *at_++ == '[';
    if (static_cast<int>(open_.size()) >= depth_max_) return false;
    Add(is_array ? Kind::kArray : Kind::kObject);
    SkipBlanks();
    if (*at_ == (is_array ? ']' : '}')) {
      ++at_;
      return true;
    }
    open_.push_back(used_ - 1);
    *goes_on = true;
    return is_array || ReadKey();
  }
  bool ReadKey() {
    SkipBlanks();
    if (*at_ != '"' || !ReadText()) return false;
    SkipBlanks();
    return *at_++ == ':';
  }
  bool ReadText() {
    char* const begin = ++at_;
    SkipPlainText();
    if (*at_ == '\\' && !Unescape()) return false;
    if (*at_ != '"') return false;  // A control character, or the end.
    JsonToken& token = Add(Kind::kText);
    token.text = begin;
    token.size = static_cast<uint32_t>((unescaped_ != nullptr ? unescaped_ : at_) - begin);
    unescaped_ = nullptr;
    ++at_;
    return true;
  }
  // Up to a quote, a backslash or a control character.
  void SkipPlainText() {
    constexpr uint64_t kOnes = 0x0101010101010101u;
    const auto has_zero = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
    for (;; at_ += sizeof(uint64_t)) {
      uint64_t block = 0;
      std::memcpy(&block, at_, sizeof(block));
      const uint64_t control = (block - kOnes * 0x20) & ~block;
      const uint64_t found =
          (control | has_zero(block ^ kOnes * '"') | has_zero(block ^ kOnes * '\\')) & kOnes * 0x80;
      if (found == 0) continue;
      if constexpr (std::endian::native == std::endian::little) {
        at_ += std::countr_zero(found) / 8;  // The first one is found for sure.
      } else {
        while (*at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
      }
      return;
    }
  }
  // Moves what follows over the backslashes.
  bool Unescape() {
    char* out = at_;
    while (*at_ == '\\') {
      const char meant = Unescaped(at_[1]);
      if (meant == '\0') return false;
      *out++ = meant;
      at_ += 2;
      const char* const plain = at_;
      SkipPlainText();
      const auto size = static_cast<size_t>(at_ - plain);
      std::memmove(out, plain, size);
      out += size;
    }
    unescaped_ = out;
    return true;
  }
  // A whole number that surely fits.
  bool ReadWhole() {
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    const char* const begin = at_;
    int64_t whole = 0;
    constexpr int kDigitsMax = 18;
    while (IsDigit(*at_) && at_ - begin < kDigitsMax) whole = whole * 10 + (*at_++ - '0');
    if (at_ == begin || (*begin == '0' && at_ - begin > 1)) return false;
    if (IsDigit(*at_) || *at_ == '.' || *at_ == 'e' || *at_ == 'E') return false;
    Add(Kind::kInt).whole = negative ? -whole : whole;
    return true;
  }

  char* at_;
  const int depth_max_;
  JsonTokens& tokens_;
  size_t used_ = 0;            // Of the tokens.
  std::vector<size_t> open_;   // Where arrays and objects begin whose ends are to come.
  char* unescaped_ = nullptr;  // Of a text with escapes: its end, once they are resolved.
};

}  // namespace

bool ScanTokens(std::string* own, int depth_max, JsonTokens* tokens) {
  const size_t size = own->size() - kReaderPadding;
  tokens->clear();
  tokens->resize(size / kTextPerToken + 1);
  const char* const end = Scanner(own->data(), depth_max, tokens).Scan();
  return end == own->data() + size;
}

}  // namespace bth::types
