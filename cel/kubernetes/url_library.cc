#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"
#include "cel/kubernetes/opaque.h"
#include "cel/kubernetes/url.h"

namespace bth::cel {
namespace {

struct UrlTraits {
  static const TypePtr& type() {
    static const TypePtr kType = Type::Opaque("kubernetes.URL");
    return kType;
  }
  static bool Same(const Url& a, const Url& b) { return a == b; }
  static std::string Text(const Url& url) { return url.ToString(); }
};
using UrlValue = Opaque<Url, UrlTraits>;

Function UrlText(const char* name, const char* id, std::string (*get)(const Url&)) {
  return {name,
          {MemberCall(id, {UrlTraits::type()}, Type::String(),
                      OfOpaque<UrlValue>([get](const Url& url) { return Value::String(get(url)); }),
                      Nominal())}};
}

Value QueryOf(Arguments args) {
  const Url* url = UrlValue::Of(args[0]);
  if (url == nullptr) return NoSuchOverload();
  std::vector<std::pair<Value, Value>> entries;
  for (auto& [name, values] : url->Query()) {
    entries.emplace_back(Value::String(name), TextList(values));
  }
  return Value::Map(std::move(entries));
}

}  // namespace

absl::Status AddUrlLibrary(Environment& environment) {
  const TypePtr text = Type::String(), url = UrlTraits::type();
  return AddAll(
      environment,
      {{"url",
        {GlobalCall(
            "string_to_url", {text}, url,
            [](Arguments args) { return ValueOr(Url::Parse(args[0].AsString()), UrlValue::Make); },
            TextPrice(kTextFactor, true))}},
       {"isURL",
        {GlobalCall(
            "is_url_string", {text}, Type::Bool(),
            [](Arguments args) { return Value::Bool(Url::Parse(args[0].AsString()).ok()); })}},
       UrlText("getScheme", "url_get_scheme", [](const Url& value) { return value.scheme(); }),
       UrlText("getHost", "url_get_host", [](const Url& value) { return value.host(); }),
       UrlText("getHostname", "url_get_hostname",
               [](const Url& value) { return value.Hostname(); }),
       UrlText("getPort", "url_get_port", [](const Url& value) { return value.Port(); }),
       UrlText("getEscapedPath", "url_get_escaped_path",
               [](const Url& value) { return value.EscapedPath(); }),
       {"getQuery",
        {MemberCall("url_get_query", {url}, Type::Map(text, Type::List(text)), QueryOf,
                    Nominal())}}});
}

}  // namespace bth::cel
