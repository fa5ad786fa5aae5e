// The clumsy user of a simulated fleet: copies manifests of every kind and forgets a line, edits labels,
// lists, references and owners, deletes what others still need, and holds or strips finalizers. What came of
// it is taken back some time later, or stays until the Cluster goes. Every sort of act has an enumerator, so
// that one can be played alone (`sim --act`). What is drawn comes from the seed. Threads of the world.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/client.h"
#include "test/fakes/baton.h"
#include "test/simulation/auditor.h"
#include "test/simulation/fleet_manifests.h"

namespace capstan::simulation {

enum class ClumsyAct {
  CopyMachine,          // under a new name with its spec: providerID, references, perhaps owners and labels
  TypeProviderId,       // a copy of a Machine names a Node that was made by hand
  MistypeNumber,        // a Machine has a word where a number belongs, and its definition lets it pass
  ShareProviderId,      // a Machine of another provider says that it is a VM which a Machine has
  PoolOfForeignIds,     // a MachinePool lists the VM of a Machine
  CopyCluster,          // names the same infrastructure object
  TakeReference,        // a living Cluster's infrastructureRef is pointed at another Cluster's object
  CopyDeployment,       // selects the Machines of the original
  CopySet,              // with its owner and labels, or without the owner
  RemediateByTemplate,  // a MachineHealthCheck whose templateRef names the infrastructure template
  ReleaseMachine,       // a label edit: its MachineSet selects it no more
  RelabelObject,        // an infrastructure or bootstrap object loses a label that its Machine has
  InsistOnLabel,        // another manager puts its own value back, every second for two minutes
  ChangeSelector,       // of the MachineDeployment, and the labels of its template with it
  CopyInfrastructure,   // an infrastructure object with its instance key and providerID
  DropOwners,           // the owner references of an object
  ResetManagedFields,   // of everything, before a label is taken out of the template (when all is repaired)
  ForgetReplicas,       // spec.replicas goes, under an autoscaler's annotations
  RenameCluster,        // spec.clusterName of a Machine, MachineSet or MachineDeployment in place
  MisplaceReference,    // a Machine's infrastructureRef at another Machine's object
  MistypeKind,          // a Machine whose infrastructureRef names a kind that there is not
  EditKind,             // the infrastructureRef of a Machine gets such a kind, and the Machine is deleted
  RestoreMachine,       // a Machine is taken away by force and made again at once, its objects first
  StrayMachine,         // labelled with the Cluster, with another spec.clusterName
  DeleteDefinition,     // the CRD of a Machine's infrastructure object
  UnlabelDefinition,    // the CRD of a pool's infrastructure object, which a second pool names, or loses its
                        // owner
  OrphanMachines,       // a MachineSet is deleted with --cascade=orphan
  OrphanSets,           // the MachineDeployment is, and made again
  StripFinalizers,      // of one object that is not being deleted
  HoldFinalizer,        // a finalizer on a MachineSet or a Machine for hours, while it is deleted
};
inline constexpr std::array kClumsyActs = {ClumsyAct::CopyMachine,
                                           ClumsyAct::TypeProviderId,
                                           ClumsyAct::MistypeNumber,
                                           ClumsyAct::ShareProviderId,
                                           ClumsyAct::PoolOfForeignIds,
                                           ClumsyAct::CopyCluster,
                                           ClumsyAct::TakeReference,
                                           ClumsyAct::CopyDeployment,
                                           ClumsyAct::CopySet,
                                           ClumsyAct::RemediateByTemplate,
                                           ClumsyAct::ReleaseMachine,
                                           ClumsyAct::RelabelObject,
                                           ClumsyAct::InsistOnLabel,
                                           ClumsyAct::ChangeSelector,
                                           ClumsyAct::CopyInfrastructure,
                                           ClumsyAct::DropOwners,
                                           ClumsyAct::ResetManagedFields,
                                           ClumsyAct::ForgetReplicas,
                                           ClumsyAct::RenameCluster,
                                           ClumsyAct::MisplaceReference,
                                           ClumsyAct::MistypeKind,
                                           ClumsyAct::EditKind,
                                           ClumsyAct::RestoreMachine,
                                           ClumsyAct::StrayMachine,
                                           ClumsyAct::DeleteDefinition,
                                           ClumsyAct::UnlabelDefinition,
                                           ClumsyAct::OrphanMachines,
                                           ClumsyAct::OrphanSets,
                                           ClumsyAct::StripFinalizers,
                                           ClumsyAct::HoldFinalizer};
std::string_view to_string(ClumsyAct act);  // "copy-machine"

// Which runs have a clumsy user is decided by the seed alone, whatever else it decides.
bool has_clumsy_user(std::uint64_t seed);

class ClumsyUser {
 public:
  struct Deps {
    fakes::Baton& baton;
    kube::Client& client;  // no other actor does anything between two of its calls
    const apiserver::Api& api;
    std::function<std::shared_ptr<kube::Client>()> workload = {};  // of the workload cluster; null: none
    Auditor& auditor;
    std::function<void(std::string_view)> tell = {};
    std::function<void(std::string)> broke = {};
  };
  ClumsyUser(Deps deps, std::vector<ClumsyAct> acts) : deps_(std::move(deps)), can_(std::move(acts)) {}

  // Copies of a MachineDeployment or MachineSet select what the original does, and may adopt what it lost.
  bool has_rival_selectors() const;
  bool has_renamed_clusters() const;
  bool has_changed_selector() const { return acts_.contains("change-selector"); }
  bool can(ClumsyAct act) const { return std::ranges::find(can_, act) != can_.end(); }
  // A few acts, with time in between, until stopped.
  void run(const std::stop_token& stop);
  // Takes back what keeps the fleet from becoming as wished, and of the rest what is not to stay.
  void make_peace();
  // What he has yet to do to a fleet that is as wished; false: nothing.
  bool come_back();
  // Takes back all that holds up a deletion.
  void let_go();
  // Once the Cluster is gone: deletes what never belonged to it.
  void clear_away();

  // Of what is there beyond the wishes of the fleet's user: a copy, what came of it, a Machine released.
  bool is_extra(std::string_view name) const;
  // Is there although it was deleted, because of the clumsy user's finalizer.
  bool is_held(const json::object& object) const;
  // Stays when the Cluster has gone: never belonged to it, or belongs to a copy as well.
  bool outlives_cluster(const json::object& object) const;
  // What should have been put right by now, by the manager or by himself; empty: nothing.
  std::string wrong() const;

  const std::map<std::string, std::uint64_t>& acts() const { return acts_; }

 private:
  using Do = bool (ClumsyUser::*)();  // false: there was nothing to do it to
  struct Mistake {
    ClumsyAct act = {};
    std::string what = {};
    std::function<void()> mend = {};
    bool may_stay = false;
    bool holds = false;  // up a deletion: a finalizer, or what no controller deletes
  };
  struct Object {
    kube::Resource kind = {};
    std::string name = {};
  };

  static Do method_of(ClumsyAct act);
  void await_vm();
  void do_something();
  void mend(std::size_t at);
  void mend_all(const std::function<bool(const Mistake&)>& which);

  bool copy_machine();
  bool type_provider_id();
  bool mistype_number();
  bool has_mistyped_number(const Object& machine) const;
  bool share_provider_id();
  bool pool_of_foreign_ids();
  bool copy_cluster();
  bool take_reference();
  bool copy_deployment();
  bool copy_set();
  bool remediate_by_template();
  void remove_health_marks();
  bool has_set_labelled(std::string_view value) const;
  std::string deployment_uid() const;
  bool has_misplaced_references() const;
  bool release_machine();
  bool relabel_object();
  bool insist_on_label();
  bool change_selector();
  bool copy_infrastructure();
  bool drop_owners();
  bool reset_managed_fields();
  bool forget_replicas();
  bool rename_cluster();
  bool misplace_reference();
  bool mistype_kind();
  bool edit_kind();
  bool restore_machine();
  bool stray_machine();
  bool delete_definition();
  bool unlabel_definition();
  void disown_group(const Object& group);
  bool make_pool(ClumsyAct act, const std::string& name, const json::object& reference);
  bool orphan_machines();
  bool strip_finalizers();
  void strip(const Object& object);
  bool hold_finalizer();

  std::vector<MachineFacts> workers() const;
  std::optional<MachineFacts> draw_of(const std::vector<MachineFacts>& machines);
  std::optional<MachineFacts> draw_worker();
  std::optional<MachineFacts> draw_worker_with_vm();
  std::optional<Object> draw_object(bool with_cluster);
  std::vector<Object> objects(bool with_cluster) const;
  std::string new_name();
  std::optional<json::object> read(const Object& object) const;
  bool write(const Object& object, const json::value& body, std::string_view subresource = {});
  bool create(const kube::Resource& kind, const json::object& object);
  void remove(const Object& object);
  // The mistake whose mend is to delete this copy, and with it what would stay otherwise.
  void note_copy(ClumsyAct act, const Object& copy, bool may_stay, std::vector<Object> along = {});
  void note(ClumsyAct act, const std::string& line);
  std::optional<json::object> copied_machine(const MachineFacts& original, const std::string& name) const;
  std::optional<std::string> make_cluster(ClumsyAct act);
  bool install_kind(std::string_view word);
  void remove_forsaken();
  bool has_orphans() const;
  bool is_owned(const Object& object) const;
  std::string wrong_with_objects() const;
  std::string wrong_with_copies() const;
  void rest(Nanoseconds span, const std::stop_token& stop = {});
  void rest_up_to(Nanoseconds span, const std::stop_token& stop = {});

  const Deps deps_;
  const std::vector<ClumsyAct> can_;
  std::stop_token stop_;
  std::vector<Mistake> mistakes_;
  std::set<std::string> copies_;     // names that are there because he made them and has not deleted them yet
  std::set<std::string> outliving_;  // of these, what does not go with the Cluster
  std::set<std::string> released_;   // Machines and their objects
  std::set<std::string> held_;
  std::map<std::string, std::uint64_t> acts_;
  bool has_template_label_ = false;
  std::string labelled_deployment_ = {};  // uid of the one whose template got it
  int named_ = 0;
};

}  // namespace capstan::simulation
