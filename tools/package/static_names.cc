// For the static binary alone: names of hosts are looked up in /etc/hosts and by DNS, whatever nsswitch.conf says. glibc
// has these two built in. Any other service is a shared object of the machine's own glibc, which may be another version.
#include <nss.h>

namespace {

[[gnu::constructor]] void choose_name_services() { __nss_configure_lookup("hosts", "files dns"); }

}  // namespace
