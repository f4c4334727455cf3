#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

#include "harness/core/iteration_row.h"
#include "harness/core/ledger.h"
#include "harness/store/connection.h"
#include "harness/system/pulse.h"

namespace harness::store {

/// The real Ledger: an SQLite file. Two processes may write to one store at once: every call is one short transaction
/// that waits for others up to the connection's patience, and for a minute once it writes to a campaign. What a call
/// has recorded survives `kill -9` of everything; an attempt, and everything before it, survives the death of the
/// machine too. Errors: see Connection::open; an unknown campaign or attempt is Error(bad_input). Not thread-safe.
class Store : public Ledger {
 public:
  static std::unique_ptr<Store> open(const std::string& path, Mode mode);
  /// Vanishes with the object: `eval --no-record`, tests.
  static std::unique_ptr<Store> in_memory();
  explicit Store(Connection connection) : connection_(std::move(connection)) {}

  std::int64_t begin_campaign(const CampaignRecord& record) override;
  void resume_campaign(std::int64_t campaign, const CampaignRecord& record) override;
  void keep_options(std::int64_t campaign, const json& options) override;
  void end_campaign(std::int64_t campaign, EndReason reason, double spent_s, std::optional<double> usd) override;
  std::int64_t record_decision(std::int64_t campaign, const Decision& decision, const std::optional<ArmId>& from,
                               const ScriptIdentity& script, std::int64_t now_unix, double decide_s) override;
  std::int64_t begin_attempt(const AttemptRecord& record) override;
  std::int64_t end_attempt(std::int64_t attempt, const Evaluation& evaluation, bool confirmed) override;
  /// "prepare" runs beside the device's wall time: it adds nothing to spent_seconds and costs nothing by itself.
  std::vector<RecordedSource> recorded_sources(const TwinQuery& asked) override;
  std::optional<RecordedTwin> same_source(const TwinQuery& asked, const std::string& source_hash) override;
  std::optional<RecordedTwin> same_proposal(const TwinQuery& asked, const std::string& normal_hash) override;
  std::vector<RecordedWinner> recorded_winners(const TwinQuery& asked, int limit) override;
  std::vector<RecordedFailure> recorded_failures(const TwinQuery& asked, int limit) override;
  std::vector<std::string> recorded_notes(const std::string& kernel, int limit) override;
  void record_note(std::int64_t campaign, const std::string& kernel, const std::string& text) override;
  std::int64_t same_binary_before(const TwinQuery& asked, const std::string& binary_hash) override;
  ProposerHistory proposer_history(const std::string& spec, const std::string& device_name,
                                   std::int64_t before_campaign) override;
  std::int64_t record_proposal(const ProposalRecord& record) override;
  std::vector<ProposalRecord> proposals(std::int64_t campaign) override;
  void record_profile(std::int64_t iteration, const Profile& profile) override;
  std::vector<ProfileRecord> profiles(std::int64_t campaign) override;
  void charge(std::int64_t campaign, const std::string& stage, double seconds) override;

  /// The newest campaign that has not ended or ended as interrupted, device_lost or store_error; never an eval, an
  /// imported one, or one that another living process is writing.
  std::optional<std::int64_t> latest_resumable() override;
  CampaignRecord campaign(std::int64_t id) override;
  /// As told by end_campaign, plus the wall seconds recorded since: right also after a kill.
  double spent_seconds(std::int64_t campaign) override;
  UsualSeconds usual_seconds(const std::string& device_name, const std::string& device_key) override;
  std::vector<IterationSummary> iterations(std::int64_t campaign) override;
  std::vector<DecisionRecord> decisions(std::int64_t campaign) override;
  /// One for each candidate, workload, ask and purpose that has no iteration since; `attempt` is the last try.
  std::vector<Orphan> orphans(std::int64_t campaign) override;
  std::vector<Begun> begun(std::int64_t campaign) override;
  Experience experience(const ExperienceQuery& query) override;
  std::vector<PatternApplication> pattern_applications(std::int64_t before_campaign,
                                                       const std::string& device_name) override;
  std::vector<EarlierResult> earlier_results(std::int64_t campaign, const std::string& kernel,
                                             const std::string& device) override;
  std::optional<Admission> admission(const std::string& hash, const std::string& device_key) override;
  void record_admission(const Admission& admission) override;
  std::optional<json> admission_part(const std::string& hash, const std::string& device_key,
                                     const std::string& part) override;
  void keep_admission_part(const std::string& hash, const std::string& device_key, const std::string& kernel,
                           const std::string& part, const json& found) override;
  AdmissionParts imported_admission(const std::string& hash, const std::string& device_key) override;
  /// As stage "lost": what the pulse of a writer that has ended says, less what it recorded itself.
  void settle_lost_time() override;
  std::optional<MeasuredPeaks> peaks(const DeviceInfo& device) override;
  void record_peaks(const DeviceInfo& device, const MeasuredPeaks& peaks) override;
  void record_card_check(std::int64_t campaign, const CardCheck& check) override;
  std::optional<CardCalibration> first_calibration(const std::string& device_uuid, const std::string& driver_release,
                                                   const std::string& method) override;
  std::vector<IterationSummary> same_fingerprint(const std::string& kernel, const std::string& variant,
                                                 const std::string& fingerprint, int limit) override;
  std::vector<FailedGate> failed_gates(std::int64_t campaign) override;
  /// Only iterations that ran to a result count: passed, screened, wrong_answer, rejected, abandoned.
  std::int64_t same_binary(std::int64_t campaign, const std::string& workload, const std::string& binary_hash) override;

  Connection& connection() { return connection_; }
  /// From now on this process writes to the campaign, inside the caller's transaction.
  void claim(std::int64_t campaign);

 private:
  void note_devices(std::int64_t campaign, const CampaignRecord& record);
  double lease_left(std::int64_t campaign);
  double wall_of(std::int64_t campaign, double device_seconds) const;
  void keep_pulse();

  Connection connection_;
  std::map<std::int64_t, double> devices_;  // of campaigns with several: their seconds pass at once
  std::set<std::int64_t> claimed_;          // campaigns known to carry this process as owner
  std::unique_ptr<Pulse> pulse_;            // while there are any
  double lived_before_ = 0;                 // by this process when its last campaign had ended
};

}  // namespace harness::store
