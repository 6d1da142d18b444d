#include "base/secrets/programs.h"

#include <string>
#include <unordered_map>

namespace wtool::secrets {

namespace {

constexpr std::string_view any_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#";
constexpr std::string_view curl_flags = "sSfkLvgiIGNOaqjlnpJZRB#0123456";
constexpr std::string_view with_login =
    "docker podman nerdctl buildah skopeo helm oras crane regctl oc az cf ibmcloud "
    "cloudctl harbor registry kubectl acr npm jfrog jf";
constexpr std::string_view mongo =
    "mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop "
    "mongofiles bsondump";
constexpr std::string_view mysql =
    "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlslap mysqlpump "
    "mysqlbinlog mysqlsh mariadb mariadb-dump mariadb-admin mariadb-import mycli xtrabackup";
constexpr std::string_view ldap =
    "ldapsearch ldapadd ldapmodify ldapdelete ldapmodrdn ldapwhoami ldapcompare ldappasswd "
    "ldapexop";
constexpr std::string_view smb = "smbclient rpcclient smbget smbcacls smbcquotas smbtree net nmblookup wmic winexe";
constexpr std::string_view snmp = "snmpget snmpgetnext snmpwalk snmpbulkwalk snmpset snmptrap snmpstatus snmptable";
constexpr std::string_view web = "http https xh xhs";

constexpr SecretOption rows[] = {
    {"curl", "uU", "", Part::behind_colon, "", curl_flags},
    {"curl", "E", "", Part::behind_colon, "", curl_flags},
    {"curl", "b", "", Part::behind_equals, "", curl_flags},
    {"curl wget", "", "--user", Part::behind_colon},
    {"curl", "", "--proxy-user", Part::behind_colon},
    {"curl", "", "--cert", Part::behind_colon},
    {web, "a", "--auth", Part::bearer_or_pair},
    {"etcdctl", "", "--user", Part::behind_colon},
    {"siege ab wrk hey", "A", "", Part::behind_colon},
    {with_login, "p", "", Part::whole, "login"},
    {"gh", "b", "--body", Part::whole, "secret"},
    {"aws", "", "--value", Part::whole, "put-parameter"},
    {"redis-cli valkey-cli keydb-cli", "a", "", Part::whole, "", any_letters},
    {"zip unzip zipcloak funzip zipinfo", "P", "", Part::whole, "", any_letters},
    {"7z 7za 7zr 7zz rar unrar p7zip", "p", "", Part::whole, "", "", true},
    {mongo, "p", ""},
    {mysql, "p", "", Part::whole, "", "", true},
    {ldap, "w", "", Part::whole, "", any_letters},
    {"ldappasswd", "sa", ""},
    {smb, "U", "--user", Part::behind_percent},
    {"ssh-keygen", "NP", "", Part::whole, "", any_letters},
    {"sshpass twine sqlcmd-go rdesktop xfreerdp nxc crackmapexec evil-winrm", "p", ""},
    {"sqlcmd bcp tsql osql isql ipmitool mosquitto_pub mosquitto_sub mosquitto_rr", "P", ""},
    {snmp, "AX", ""},
    {"lftp", "u", "", Part::behind_comma},
    {"useradd usermod adduser", "p", ""},
    {"openssl", "kK", ""},
    {"openssl", "", "-passin", Part::named_source},
    {"openssl", "", "-passout", Part::named_source},
    {"openssl", "", "-pass", Part::named_source},
    {"openssl", "", "-password", Part::named_source},
};

std::unordered_map<std::string_view, std::vector<const SecretOption*>> indexed() {
  std::unordered_map<std::string_view, std::vector<const SecretOption*>> index;
  for (const SecretOption& row : rows) {
    for (std::size_t at = 0; at < row.programs.size();) {
      const std::size_t end = std::min(row.programs.find(' ', at), row.programs.size());
      index[row.programs.substr(at, end - at)].push_back(&row);
      at = end + 1;
    }
  }
  return index;
}

}  // namespace

const std::vector<const SecretOption*>& secret_options_of(std::string_view program) {
  static const auto index = indexed();
  static const std::vector<const SecretOption*> nothing;
  const auto found = index.find(program);
  return found == index.end() ? nothing : found->second;
}

}  // namespace wtool::secrets
