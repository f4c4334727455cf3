#include "harness/store/archive.h"

#include "harness/store/agent_sessions.h"
#include "harness/store/campaign_lesson.h"
#include "harness/store/campaigns.h"
#include "harness/store/compare.h"
#include "harness/store/copy.h"
#include "harness/store/diff.h"
#include "harness/store/figures.h"
#include "harness/store/history.h"
#include "harness/store/integrity.h"
#include "harness/store/live_campaigns.h"
#include "harness/store/lookups.h"
#include "harness/store/outside.h"
#include "harness/store/pattern_evidence.h"
#include "harness/store/read_only_sql.h"
#include "harness/store/recommend.h"
#include "harness/store/transfer.h"

namespace harness::store {
namespace {

std::unique_ptr<Store> open_store(const std::string& path, ArchiveAccess access) {
  if (path == ":memory:") return Store::in_memory();
  return Store::open(path, access == ArchiveAccess::write ? Mode::read_write : Mode::read_only);
}

class StoreArchive : public Archive, History, Transfer {
 public:
  explicit StoreArchive(std::unique_ptr<Store> store) : store_(std::move(store)), sessions_(*store_), live_(*store_) {}

  Ledger& ledger() override { return *store_; }
  History& history() override { return *this; }
  Transfer& transfer() override { return *this; }
  void copy_to(const std::string& folder) override { copy_store(store_->connection(), folder); }
  AgentSessions& sessions() override { return sessions_; }
  LiveCampaigns& live() override { return live_; }

 private:
  json iterations(const HistoryFilter& filter) override { return store::history(*store_, filter); }
  json best(const HistoryFilter& filter) override { return store::best(*store_, filter); }
  json cost(CostBy by, const HistoryFilter& filter) override { return store::cost(*store_, by, filter); }
  json campaigns(const HistoryFilter& filter) override { return store::campaigns(*store_, filter); }
  std::int64_t campaign_called(const std::string& text) override { return store::campaign_called(*store_, text); }
  std::optional<std::int64_t> campaign_before(std::int64_t campaign) override {
    return store::campaign_before(*store_, campaign);
  }
  std::pair<ComparedSide, ComparedSide> compared_sides(const std::string& a, const std::string& b) override {
    return store::compared_sides(*store_, a, b);
  }
  json compare(const ComparedSide& a, const ComparedSide& b) override { return store::compare(*store_, a, b); }
  json recommend(const HistoryFilter& filter) override { return store::recommend(*store_, filter); }
  CampaignFigures figures(std::int64_t campaign) override { return store::figures(*store_, campaign); }
  json iteration(std::int64_t id, bool with_source) override { return show(*store_, id, with_source); }
  json decision(std::int64_t id) override { return store::decision(*store_, id); }
  json decision_of(std::int64_t iteration) override { return store::decision_of(*store_, iteration); }
  json diff(std::int64_t a, std::int64_t b) override { return store::diff(*store_, a, b); }
  SqlAnswer query(const std::string& sql) override { return read_only_sql(store_->connection().path(), sql); }
  std::vector<ViewDescription> views() override { return store::views(*store_); }
  std::vector<PatternApplication> pattern_applications(const RulePatterns& rules) override {
    return store::pattern_applications(*store_, rules);
  }
  std::vector<std::string> integrity() override { return store::integrity(*store_); }
  RecordSize size() override { return record_size(*store_); }
  SqlAnswer proposal_table(const std::optional<std::int64_t>& campaign, std::int64_t limit) override {
    return store::proposal_table(*store_, campaign, limit);
  }
  json proposer_table(const std::optional<std::int64_t>& campaign) override {
    return store::proposer_table(*store_, campaign);
  }
  std::optional<std::int64_t> campaign_of_proposal(std::int64_t proposal) override {
    return store::campaign_of_proposal(*store_, proposal);
  }
  json timed_iterations(const std::string& kernel) override { return store::timed_iterations(*store_, kernel); }
  CampaignLesson lesson(std::int64_t campaign) override { return campaign_lesson(*store_, campaign); }

  ExportReport export_to(const std::string& file, const ExportOptions& options) override {
    return export_store(*store_, file, options);
  }
  ExportReport export_to(std::ostream& out, const ExportOptions& options) override {
    return export_store(*store_, out, options);
  }
  ImportReport import_from(std::istream& text, const std::string& name, const ImportOptions& options) override {
    return import_store(*store_, text, name, options);
  }
  ImportReport import_from(const std::string& file, const ImportOptions& options) override {
    return import_store(*store_, file, options);
  }
  std::int64_t import_outside(const std::string& file) override { return store::import_outside(*store_, file); }

  std::unique_ptr<Store> store_;
  StoredSessions sessions_;
  StoredLive live_;
};

}  // namespace

std::unique_ptr<Archive> open_archive(const std::string& path, ArchiveAccess access) {
  return std::make_unique<StoreArchive>(open_store(path, access));
}

}  // namespace harness::store
