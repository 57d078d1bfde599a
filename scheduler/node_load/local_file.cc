// Source `local`: a file that something else on this machine writes.
#include "base/status.h"
#include "client/file.h"
#include "scheduler/node_load/source.h"

namespace bth::scheduler::node_load {
namespace {

constexpr size_t kFileBytesMax = size_t{4} << 20;

class FileSource final : public LoadSource {
 public:
  FileSource(net::Executor& executor, std::string path)
      : executor_(executor), path_(std::move(path)) {}

  net::Awaitable<absl::StatusOr<Reading>> Read(std::vector<std::string> nodes,
                                               absl::Duration deadline) override {
    static_cast<void>(nodes);
    static_cast<void>(deadline);
    const absl::StatusOr<std::string> text = client::ReadSmallFile(path_, kFileBytesMax);
    if (!text.ok()) co_return text.status();
    const absl::StatusOr<FileSamples> samples = ParseLoadFile(*text);
    if (!samples.ok()) co_return Annotate(samples.status(), path_);
    co_return Combine(samples->cpu, samples->memory, 1, executor_.Now());
  }

 private:
  net::Executor& executor_;
  const std::string path_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LoadSource>> MakeFileSource(const SourceContext& context,
                                                           const LoadSettings& settings) {
  const std::string path = Setting(settings, "address");
  if (path.front() != '/') {
    return absl::InvalidArgumentError("metrics address: type local needs an absolute file name");
  }
  return std::make_unique<FileSource>(context.executor, path);
}

}  // namespace bth::scheduler::node_load
