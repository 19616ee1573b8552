#include "extender/cli/flags/groups/record_flags.h"

#include "cluster/api/quantity.h"
#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {
namespace {

void add_record_flags(CLI::App& serve, RecordFlags& flags) {
  CLI::Option* const record =
      serve.add_option("--record", flags.dir, "Record calls, and what they see, for replay [off]")
          ->type_name("DIR");
  const auto read = [&flags](const std::string& text) {
    const auto size = Quantity::parse(text);
    if (!size || size->value() < static_cast<std::int64_t>(RecordFlags::kLeastBytes))
      throw CLI::ValidationError("--record-size", "\"" + text + "\" is no size from 1Mi on, such as 1Gi");
    flags.bytes = static_cast<std::uint64_t>(size->value());
  };
  serve
      .add_option_function<std::string>(
          "--record-size", read,
          "The most that it keeps, with what is in DIR already;\nthe oldest files go [1Gi]")
      ->type_name("SIZE")
      ->needs(record);
}

}  // namespace

void add_record(CLI::App& serve, RecordFlags& flags) {
  add_with_own_help(
      serve, flags, add_record_flags,
      {"--help-record", "Record what is seen and answered, for winnow replay", "winnow serve --record DIR"});
}

}  // namespace winnow
