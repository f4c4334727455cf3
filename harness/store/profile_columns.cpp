#include <map>

#include "harness/store/columns.h"

namespace harness::store {
namespace {

constexpr const char* kAddNumber = "INSERT OR REPLACE INTO profile_number VALUES (?, ?, ?)";

/// In the order of the table, whatever order the rows have.
std::vector<ProfileNumber> read_numbers(Connection& connection, std::int64_t profile) {
  std::map<std::string, double, std::less<>> found;
  Statement query(connection, "SELECT metric, value FROM profile_number WHERE profile = ?", profile);
  while (query.next()) found.emplace(query.text(0), query.real(1));
  std::vector<ProfileNumber> numbers;
  for (const ProfileMetric& metric : profile_metrics())
    if (const auto known = found.find(metric.name); known != found.end())
      numbers.push_back({known->first, known->second});
  return numbers;
}

/// Columns: id, iteration, source, why, device, rule, diagnosis, page, launches, wall_s.
Profile profile_of(Connection& connection, Statement& query) {
  Profile profile;
  profile.source = named<ProfileSource>(query.text(2));
  profile.why = query.text(3);
  profile.device = query.text(4);
  if (const auto rule = query.maybe_text(5)) profile.diagnosis = Diagnosis{*rule, query.text(6), query.text(7)};
  profile.launches = query.parsed(8).get<std::vector<LaunchProfile>>();
  profile.wall_s = query.real(9);
  profile.numbers = read_numbers(connection, query.integer(0));
  return profile;
}

}  // namespace

void insert_profile(Connection& connection, std::int64_t iteration, const Profile& profile) {
  const Diagnosis said = profile.diagnosis.value_or(Diagnosis{});
  const std::optional<std::string> rule = profile.diagnosis ? std::optional(said.rule) : std::nullopt;
  Statement(connection,
            "INSERT INTO profile (iteration, source, why, device, rule, diagnosis, page, launches, wall_s) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            iteration, name(profile.source), profile.why, profile.device, rule, said.text, said.page,
            json_text(profile.launches), profile.wall_s)
      .run();
  const std::int64_t id = connection.database().getLastInsertRowid();
  for (const ProfileNumber& number : profile.numbers)
    Statement(connection, kAddNumber, id, number.name, number.value).run();
}

std::vector<ProfileRecord> read_profiles(Connection& connection, std::int64_t campaign) {
  std::vector<ProfileRecord> records;
  Statement query(connection,
                  "SELECT f.id, f.iteration, f.source, f.why, f.device, f.rule, f.diagnosis, f.page, f.launches, "
                  "f.wall_s FROM profile f JOIN iteration i ON i.id = f.iteration WHERE i.campaign = ? ORDER BY f.id",
                  campaign);
  while (query.next()) records.push_back({query.integer(1), profile_of(connection, query)});
  return records;
}

std::optional<Profile> read_profile(Connection& connection, std::int64_t iteration) {
  Statement query(connection,
                  "SELECT id, iteration, source, why, device, rule, diagnosis, page, launches, wall_s FROM profile "
                  "WHERE iteration = ? ORDER BY id DESC LIMIT 1",
                  iteration);
  return query.next() ? std::optional(profile_of(connection, query)) : std::nullopt;
}

}  // namespace harness::store
