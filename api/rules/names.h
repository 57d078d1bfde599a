// What Kubernetes accepts as names, in its words (libraries v0.36). Empty: the name is well. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::rules {

std::vector<std::string> CheckDnsLabel(std::string_view name);      // RFC 1123, up to 63.
std::vector<std::string> CheckDnsSubdomain(std::string_view name);  // RFC 1123, up to 253.
// The same, where labels may have underscores: search domains.
std::vector<std::string> CheckDnsSubdomainWithUnderscore(std::string_view name);
std::vector<std::string> CheckDns1035Label(std::string_view name);
std::vector<std::string> CheckQualifiedName(std::string_view name);  // [prefix/]name of labels.
std::vector<std::string> CheckLabelValue(std::string_view value);
std::vector<std::string> CheckPathSegment(std::string_view name);  // Between slashes of a URL.
std::vector<std::string> CheckPortName(std::string_view name);     // IANA_SVC_NAME
std::vector<std::string> CheckEnvVarName(std::string_view name);
// What servers accept since 1.34: anything printable but '='.
std::vector<std::string> CheckRelaxedEnvVarName(std::string_view name);
std::vector<std::string> CheckConfigMapKey(std::string_view key);
std::vector<std::string> CheckHttpHeaderName(std::string_view name);

}  // namespace bth::rules
