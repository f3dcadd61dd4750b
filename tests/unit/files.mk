# One program each.
unit_tests = \
	tests/unit/test_agent_agent \
	tests/unit/test_agent_agentx \
	tests/unit/test_agent_announce \
	tests/unit/test_agent_applications \
	tests/unit/test_agent_cells \
	tests/unit/test_agent_child \
	tests/unit/test_agent_codec \
	tests/unit/test_agent_dates \
	tests/unit/test_agent_dispatch \
	tests/unit/test_agent_errors \
	tests/unit/test_agent_fields \
	tests/unit/test_agent_master \
	tests/unit/test_agent_memory \
	tests/unit/test_agent_notify \
	tests/unit/test_agent_notify_memory \
	tests/unit/test_agent_set \
	tests/unit/test_agent_set_phases \
	tests/unit/test_agent_set_rows \
	tests/unit/test_agent_set_state \
	tests/unit/test_agent_sinks \
	tests/unit/test_agent_tables \
	tests/unit/test_agent_tree \
	tests/unit/test_agent_values \
	tests/unit/test_agent_walk \
	tests/unit/test_agent_wire \
	tests/unit/test_aggregate_aggregate \
	tests/unit/test_aggregate_top \
	tests/unit/test_analysis_bootstrap \
	tests/unit/test_analysis_capacity \
	tests/unit/test_analysis_fit \
	tests/unit/test_analysis_forecast \
	tests/unit/test_analysis_memory \
	tests/unit/test_analysis_series \
	tests/unit/test_alarm_alarm \
	tests/unit/test_alarm_key \
	tests/unit/test_alarm_log \
	tests/unit/test_alarm_maintenance \
	tests/unit/test_alarm_memory \
	tests/unit/test_alarm_notice \
	tests/unit/test_alarm_queue \
	tests/unit/test_alarm_restore \
	tests/unit/test_alarm_semantics \
	tests/unit/test_application_buckets \
	tests/unit/test_application_contention \
	tests/unit/test_application_copies \
	tests/unit/test_application_directory \
	tests/unit/test_application_figures \
	tests/unit/test_application_endpoints \
	tests/unit/test_application_exposed \
	tests/unit/test_application_exposed_name \
	tests/unit/test_application_fit \
	tests/unit/test_application_flow \
	tests/unit/test_application_jvm \
	tests/unit/test_application_jvm_helper \
	tests/unit/test_application_jvm_message \
	tests/unit/test_application_jvm_names \
	tests/unit/test_application_jvm_slots \
	tests/unit/test_application_listing \
	tests/unit/test_application_memory \
	tests/unit/test_application_openmetrics \
	tests/unit/test_application_owner \
	tests/unit/test_application_perfdata \
	tests/unit/test_application_program \
	tests/unit/test_application_relay \
	tests/unit/test_application_scrape \
	tests/unit/test_application_segment \
	tests/unit/test_application_sequence \
	tests/unit/test_application_slots \
	tests/unit/test_application_steps \
	tests/unit/test_application_trouble \
	tests/unit/test_base_account \
	tests/unit/test_base_atomicfile \
	tests/unit/test_base_credentials \
	tests/unit/test_base_date \
	tests/unit/test_base_directory \
	tests/unit/test_base_hex \
	tests/unit/test_base_hostport \
	tests/unit/test_base_local_url \
	tests/unit/test_base_index \
	tests/unit/test_base_item \
	tests/unit/test_base_log \
	tests/unit/test_base_nearest \
	tests/unit/test_base_oid \
	tests/unit/test_base_pool \
	tests/unit/test_base_procfile \
	tests/unit/test_base_restart \
	tests/unit/test_base_rotatefile \
	tests/unit/test_base_table \
	tests/unit/test_base_text \
	tests/unit/test_calculate_calculate \
	tests/unit/test_calculate_expression \
	tests/unit/test_calculate_expression_cycle \
	tests/unit/test_calculate_expression_error \
	tests/unit/test_calculate_expression_random \
	tests/unit/test_calculate_expression_unit \
	tests/unit/test_calculate_histogram \
	tests/unit/test_calculate_histogram_cbor \
	tests/unit/test_calculate_histogram_packed \
	tests/unit/test_calculate_incomplete_gamma \
	tests/unit/test_calculate_keys \
	tests/unit/test_calculate_statistics \
	tests/unit/test_calculate_unit \
	tests/unit/test_children_alarms \
	tests/unit/test_children_bound \
	tests/unit/test_children_children \
	tests/unit/test_children_device \
	tests/unit/test_children_faults \
	tests/unit/test_children_input \
	tests/unit/test_children_memory \
	tests/unit/test_children_names \
	tests/unit/test_children_numbers \
	tests/unit/test_children_objects \
	tests/unit/test_children_polling \
	tests/unit/test_children_push \
	tests/unit/test_children_records \
	tests/unit/test_children_series \
	tests/unit/test_children_size \
	tests/unit/test_children_sorted \
	tests/unit/test_children_tops \
	tests/unit/test_children_window \
	tests/unit/test_cli_acknowledge \
	tests/unit/test_cli_address \
	tests/unit/test_cli_answer \
	tests/unit/test_cli_alarms \
	tests/unit/test_cli_assign \
	tests/unit/test_cli_cell \
	tests/unit/test_cli_census \
	tests/unit/test_cli_check \
	tests/unit/test_cli_checkup \
	tests/unit/test_cli_client \
	tests/unit/test_cli_command \
	tests/unit/test_cli_dcamp_file \
	tests/unit/test_cli_deviations \
	tests/unit/test_cli_diff \
	tests/unit/test_cli_doctor \
	tests/unit/test_cli_export \
	tests/unit/test_cli_show \
	tests/unit/test_cli_forest \
	tests/unit/test_cli_history \
	tests/unit/test_cli_http \
	tests/unit/test_cli_machine \
	tests/unit/test_cli_maintenance \
	tests/unit/test_cli_memory \
	tests/unit/test_cli_node_document \
	tests/unit/test_cli_output \
	tests/unit/test_cli_packed \
	tests/unit/test_cli_range \
	tests/unit/test_cli_revoke \
	tests/unit/test_cli_progress \
	tests/unit/test_cli_promote \
	tests/unit/test_cli_serial \
	tests/unit/test_cli_set \
	tests/unit/test_cli_sheet \
	tests/unit/test_cli_snmpconf \
	tests/unit/test_cli_snmpd_files \
	tests/unit/test_cli_span \
	tests/unit/test_cli_spark \
	tests/unit/test_cli_status \
	tests/unit/test_cli_thresholds \
	tests/unit/test_cli_tree \
	tests/unit/test_cli_top \
	tests/unit/test_cli_top_model \
	tests/unit/test_cli_values \
	tests/unit/test_cli_zabbix \
	tests/unit/test_collect_load \
	tests/unit/test_collect_memory \
	tests/unit/test_collect_message \
	tests/unit/test_collect_pollers \
	tests/unit/test_collect_process \
	tests/unit/test_config_errors \
	tests/unit/test_config_field \
	tests/unit/test_config_load \
	tests/unit/test_config_memory \
	tests/unit/test_config_ordered \
	tests/unit/test_config_parcel \
	tests/unit/test_config_restarts \
	tests/unit/test_config_rows \
	tests/unit/test_config_schema \
	tests/unit/test_config_share \
	tests/unit/test_config_share_random \
	tests/unit/test_config_state \
	tests/unit/test_config_state_damage \
	tests/unit/test_config_tree \
	tests/unit/test_config_tree_address \
	tests/unit/test_config_tree_errors \
	tests/unit/test_config_tree_memory \
	tests/unit/test_daemon_audit \
	tests/unit/test_daemon_daemon \
	tests/unit/test_daemon_documents \
	tests/unit/test_daemon_footprint \
	tests/unit/test_daemon_inventory \
	tests/unit/test_daemon_learning \
	tests/unit/test_daemon_loop \
	tests/unit/test_daemon_memory \
	tests/unit/test_daemon_parts \
	tests/unit/test_daemon_polling \
	tests/unit/test_daemon_restart \
	tests/unit/test_daemon_rows \
	tests/unit/test_daemon_saver \
	tests/unit/test_daemon_role \
	tests/unit/test_daemon_saving \
	tests/unit/test_daemon_selftest \
	tests/unit/test_daemon_sink_alarms \
	tests/unit/test_daemon_steps \
	tests/unit/test_daemon_tidying \
	tests/unit/test_director_announced \
	tests/unit/test_director_coordination \
	tests/unit/test_director_direct \
	tests/unit/test_director_etcd \
	tests/unit/test_director_etcd_json \
	tests/unit/test_director_etcd_tree \
	tests/unit/test_director_hearing \
	tests/unit/test_director_lead \
	tests/unit/test_director_look \
	tests/unit/test_director_members \
	tests/unit/test_director_reach \
	tests/unit/test_director_memory \
	tests/unit/test_director_shares \
	tests/unit/test_director_target \
	tests/unit/test_filter_filter \
	tests/unit/test_filter_level \
	tests/unit/test_libdcamp_bucket \
	tests/unit/test_libdcamp_clock \
	tests/unit/test_libdcamp_counters \
	tests/unit/test_libdcamp_failures \
	tests/unit/test_libdcamp_file \
	tests/unit/test_libdcamp_fork \
	tests/unit/test_libdcamp_layout \
	tests/unit/test_libdcamp_lock \
	tests/unit/test_libdcamp_memory \
	tests/unit/test_libdcamp_sensor \
	tests/unit/test_libdcamp_space_saving \
	tests/unit/test_libdcamp_steps \
	tests/unit/test_libdcamp_threads \
	tests/unit/test_libdcamp_top \
	tests/unit/test_http_listener \
	tests/unit/test_jvm_candidates \
	tests/unit/test_jvm_maps \
	tests/unit/test_load_action \
	tests/unit/test_load_arrivals \
	tests/unit/test_load_data \
	tests/unit/test_load_due \
	tests/unit/test_load_ramp \
	tests/unit/test_load_scenario \
	tests/unit/test_load_source \
	tests/unit/test_load_tally \
	tests/unit/test_load_walk \
	tests/unit/test_metric_list \
	tests/unit/test_metric_registry \
	tests/unit/test_mib_mib \
	tests/unit/test_outlet_backlog \
	tests/unit/test_outlet_cursors \
	tests/unit/test_outlet_outlet \
	tests/unit/test_plugins_judge \
	tests/unit/test_plugins_options \
	tests/unit/test_plugins_range \
	tests/unit/test_plugins_result \
	tests/unit/test_plugins_values \
	tests/unit/test_poller_cursor \
	tests/unit/test_poller_device \
	tests/unit/test_poller_device_bad \
	tests/unit/test_poller_device_pdu \
	tests/unit/test_poller_memory \
	tests/unit/test_poller_outbox \
	tests/unit/test_poller_pace \
	tests/unit/test_poller_peer \
	tests/unit/test_poller_process \
	tests/unit/test_poller_query \
	tests/unit/test_poller_receiver \
	tests/unit/test_poller_senders \
	tests/unit/test_publish_alarms \
	tests/unit/test_plot_ticks \
	tests/unit/test_publish_catalog \
	tests/unit/test_publish_cells \
	tests/unit/test_publish_chronicle \
	tests/unit/test_publish_chronicle_files \
	tests/unit/test_publish_chronicle_limits \
	tests/unit/test_publish_curve \
	tests/unit/test_publish_elapsed \
	tests/unit/test_publish_digest \
	tests/unit/test_publish_events \
	tests/unit/test_publish_feed \
	tests/unit/test_publish_influx \
	tests/unit/test_publish_otlp \
	tests/unit/test_publish_kafka \
	tests/unit/test_publish_openmetrics_present \
	tests/unit/test_publish_openmetrics_writing \
	tests/unit/test_publish_known \
	tests/unit/test_publish_points \
	tests/unit/test_publish_progress \
	tests/unit/test_publish_undigested \
	tests/unit/test_relay_relays \
	tests/unit/test_report_pace \
	tests/unit/test_report_block \
	tests/unit/test_report_feed \
	tests/unit/test_report_memory \
	tests/unit/test_report_push \
	tests/unit/test_report_keys \
	tests/unit/test_report_record \
	tests/unit/test_report_ring \
	tests/unit/test_report_store \
	tests/unit/test_report_window \
	tests/unit/test_report_window_decode \
	tests/unit/test_rollup_aggregates \
	tests/unit/test_rollup_alarms \
	tests/unit/test_rollup_levels \
	tests/unit/test_rollup_memory \
	tests/unit/test_rollup_tops \
	tests/unit/test_runs_compare \
	tests/unit/test_runs_copy \
	tests/unit/test_runs_discovery \
	tests/unit/test_runs_file \
	tests/unit/test_runs_lag \
	tests/unit/test_runs_pairs \
	tests/unit/test_runs_print \
	tests/unit/test_runs_profile \
	tests/unit/test_sample_cgroup \
	tests/unit/test_sample_cpu \
	tests/unit/test_sample_disk \
	tests/unit/test_sample_filesystem \
	tests/unit/test_sample_filesystem_hang \
	tests/unit/test_sample_filesystem_real \
	tests/unit/test_sample_hardware \
	tests/unit/test_sample_kernel \
	tests/unit/test_sample_load \
	tests/unit/test_sample_memory \
	tests/unit/test_sample_network \
	tests/unit/test_sample_pressure \
	tests/unit/test_sample_process_ask \
	tests/unit/test_sample_process_events \
	tests/unit/test_sample_process_exited \
	tests/unit/test_sample_process_names \
	tests/unit/test_sample_process_process \
	tests/unit/test_sample_process_processes \
	tests/unit/test_sample_process_processes_input \
	tests/unit/test_sample_process_processes_kernel \
	tests/unit/test_sample_process_task_exits \
	tests/unit/test_sample_process_usage \
	tests/unit/test_sample_protocol \
	tests/unit/test_sample_replay \
	tests/unit/test_sample_resource \
	tests/unit/test_sample_sample \
	tests/unit/test_sample_scan \
	tests/unit/test_sample_slot \
	tests/unit/test_series_derive \
	tests/unit/test_series_levels \
	tests/unit/test_series_measure \
	tests/unit/test_series_pass \
	tests/unit/test_series_statistics \
	tests/unit/test_series_tell_keys \
	tests/unit/test_snmpv3_engine_time \
	tests/unit/test_snmpv3_envelope \
	tests/unit/test_snmpv3_keys \
	tests/unit/test_snmpv3_link \
	tests/unit/test_snmpv3_secrets \
	tests/unit/test_snmpv3_session \
	tests/unit/test_snmpv3_session_events \
	tests/unit/test_statsd_line \
	tests/unit/test_statsd_options \
	tests/unit/test_statsd_receive \
	tests/unit/test_statsd_sensors \
	tests/unit/test_threshold_damper \
	tests/unit/test_threshold_levels \
	tests/unit/test_threshold_threshold \
	tests/unit/test_threshold_season \
	tests/unit/test_threshold_trend \
	tests/unit/test_trap_active \
	tests/unit/test_trap_format \
	tests/unit/test_trap_format_text \
	tests/unit/test_trap_nagios_objects \
	tests/unit/test_trap_objects \
	tests/unit/test_trap_parse \
	tests/unit/test_trap_sender \
	tests/unit/test_trap_sequence \
	tests/unit/test_trap_service \
	tests/unit/test_trap_spool \
	tests/unit/test_trap_stream \
	tests/unit/test_trap_value \
	tests/unit/test_tree_announcing \
	tests/unit/test_tree_claim \
	tests/unit/test_tree_directing \
	tests/unit/test_tree_election \
	tests/unit/test_tree_lease \
	tests/unit/test_tree_message \
	tests/unit/test_tree_plan \
	tests/unit/test_tree_view \
	tests/unit/test_watch_children \
	tests/unit/test_watch_conditions \
	tests/unit/test_watch_dependency_semantics \
	tests/unit/test_watch_inhibition \
	tests/unit/test_watch_learned \
	tests/unit/test_watch_restart \
	tests/unit/test_watch_semantics \
	tests/unit/test_watch_watch \
	tests/unit/test_web_access \
	tests/unit/test_web_request \
	tests/unit/test_watch_watches

# What tests share, one concept a file.
check_LIBRARIES = libtest.a
libtest_a_SOURCES = \
	tests/unit/aggregates.c \
	tests/unit/aggregates.h \
	tests/unit/alarms.c \
	tests/unit/alarms.h \
	tests/unit/answers.c \
	tests/unit/answers.h \
	tests/unit/bad.c \
	tests/unit/bad.h \
	tests/unit/captured.c \
	tests/unit/captured.h \
	tests/unit/collector.c \
	tests/unit/collector.h \
	tests/unit/devices.c \
	tests/unit/devices.h \
	tests/unit/distributions.c \
	tests/unit/distributions.h \
	tests/unit/documents.c \
	tests/unit/documents.h \
	tests/unit/events.c \
	tests/unit/events.h \
	tests/unit/fingerprint.c \
	tests/unit/fingerprint.h \
	tests/unit/fit_truth.h \
	tests/unit/forged.c \
	tests/unit/forged.h \
	tests/unit/full.c \
	tests/unit/full.h \
	tests/unit/heap.c \
	tests/unit/heap.h \
	tests/unit/leaves.c \
	tests/unit/leaves.h \
	tests/unit/manager.c \
	tests/unit/manager.h \
	tests/unit/masters.c \
	tests/unit/masters.h \
	tests/unit/near.h \
	tests/unit/node.c \
	tests/unit/node.h \
	tests/unit/outlets.c \
	tests/unit/outlets.h \
	tests/unit/performance.c \
	tests/unit/performance.h \
	tests/unit/polled.c \
	tests/unit/polled.h \
	tests/unit/pollers.c \
	tests/unit/pollers.h \
	tests/unit/printed.c \
	tests/unit/printed.h \
	tests/unit/processes.c \
	tests/unit/processes.h \
	tests/unit/programs.c \
	tests/unit/programs.h \
	tests/unit/published.c \
	tests/unit/published.h \
	tests/unit/remove_all.c \
	tests/unit/remove_all.h \
	tests/unit/rings.c \
	tests/unit/rings.h \
	tests/unit/said.c \
	tests/unit/said.h \
	tests/unit/sampling.c \
	tests/unit/sampling.h \
	tests/unit/scarce.c \
	tests/unit/scarce.h \
	tests/unit/secrets.c \
	tests/unit/secrets.h \
	tests/unit/segments.c \
	tests/unit/segments.h \
	tests/unit/semantics.c \
	tests/unit/semantics.h \
	tests/unit/sets.c \
	tests/unit/sets.h \
	tests/unit/states.c \
	tests/unit/states.h \
	tests/unit/switch.c \
	tests/unit/switch.h \
	tests/unit/traps.c \
	tests/unit/traps.h \
	tests/unit/tree.c \
	tests/unit/tree.h \
	tests/unit/unit.h \
	tests/unit/volumes.c \
	tests/unit/volumes.h \
	tests/unit/walk.c \
	tests/unit/walk.h \
	tests/unit/watched.c \
	tests/unit/watched.h \
	tests/unit/writers.c \
	tests/unit/writers.h
$(libtest_a_OBJECTS): generated/dcamp_mib.h
EXTRA_DIST += tests/unit/fit_truth.py

# Memory that fails: what the project's own code allocates goes through tests/unit/scarce.c.
scarce_flags = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
scarce_snmp_flags = $(scarce_flags) -Wl,--wrap=snmp_pdu_create,--wrap=snmp_clone_pdu,--wrap=snmp_pdu_add_variable,--wrap=snmp_add_null_var,--wrap=snmp_varlist_add_variable,--wrap=snmp_set_var_objid,--wrap=snmp_set_var_typed_value
# Locks that tell on those who break their rules: tests/unit/locks.c.
locks_flags = $(AM_LDFLAGS) -Wl,--wrap=pthread_mutex_init,--wrap=pthread_mutex_lock,--wrap=pthread_mutex_unlock,--wrap=pthread_cond_wait
tests_unit_test_daemon_inventory_SOURCES = tests/unit/test_daemon_inventory.c tests/unit/locks.c
tests_unit_test_daemon_inventory_LDFLAGS = $(locks_flags)
tests_unit_test_daemon_saver_SOURCES = tests/unit/test_daemon_saver.c tests/unit/locks.c
tests_unit_test_daemon_saver_LDFLAGS = $(locks_flags)
tests_unit_test_agent_agent_LDFLAGS = $(scarce_flags)
tests_unit_test_agent_agentx_SOURCES = tests/unit/test_agent_agentx.c tests/unit/scarce_snmp.c
tests_unit_test_agent_agentx_LDFLAGS = $(scarce_snmp_flags)
tests_unit_test_agent_dispatch_SOURCES = tests/unit/test_agent_dispatch.c tests/unit/scarce_snmp.c
tests_unit_test_agent_dispatch_LDFLAGS = $(scarce_snmp_flags)
tests_unit_test_agent_dates_LDFLAGS = $(scarce_flags)
tests_unit_test_agent_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_agent_notify_memory_SOURCES = tests/unit/test_agent_notify_memory.c tests/unit/scarce_snmp.c
tests_unit_test_agent_notify_memory_LDFLAGS = $(scarce_snmp_flags)
tests_unit_test_agent_wire_LDFLAGS = $(scarce_flags)
tests_unit_test_application_buckets_LDFLAGS = $(scarce_flags)
tests_unit_test_application_endpoints_LDFLAGS = $(scarce_flags)
tests_unit_test_application_exposed_LDFLAGS = $(scarce_flags)
tests_unit_test_application_relay_LDFLAGS = $(scarce_flags)
tests_unit_test_application_scrape_LDFLAGS = $(scarce_flags)
tests_unit_test_application_listing_LDFLAGS = $(scarce_flags)
tests_unit_test_application_openmetrics_LDFLAGS = $(scarce_flags)
tests_unit_test_alarm_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_children_memory_LDFLAGS = $(scarce_flags)
# What a walk over the series of very many children does.
tests_unit_test_children_sorted_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=index_next,--wrap=oid_compare
tests_unit_test_cli_snmpd_files_LDFLAGS = $(scarce_flags)
tests_unit_test_collect_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_config_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_config_ordered_LDFLAGS = $(scarce_flags)
tests_unit_test_config_parcel_LDFLAGS = $(scarce_flags)
tests_unit_test_config_tree_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_daemon_documents_LDFLAGS = $(scarce_flags)
tests_unit_test_daemon_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_daemon_parts_LDFLAGS = $(scarce_flags)
tests_unit_test_outlet_cursors_LDFLAGS = $(scarce_flags)
tests_unit_test_poller_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_rollup_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_snmpv3_keys_LDFLAGS = $(scarce_flags)
tests_unit_test_snmpv3_session_events_LDFLAGS = $(scarce_flags)
tests_unit_test_director_announced_LDFLAGS = $(scarce_flags)
tests_unit_test_tree_plan_LDFLAGS = $(scarce_flags)
tests_unit_test_tree_directing_LDFLAGS = $(scarce_flags)
tests_unit_test_tree_view_LDFLAGS = $(scarce_flags)
# A kernel whose answers are those of the test.
tests_unit_test_sample_process_ask_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=netlink_open
tests_unit_test_director_memory_LDFLAGS = $(scarce_flags) -Wl,--wrap=node_run
# Nodes of a director that the test asks itself.
tests_unit_test_director_etcd_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dlopen
tests_unit_test_director_direct_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=node_run,--wrap=node_restart
# Sessions that have the outcomes that the test says.
tests_unit_test_poller_peer_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=session_open,--wrap=session_close,--wrap=session_fd,--wrap=session_rest,--wrap=session_forget_keys,--wrap=session_discover,--wrap=session_ask,--wrap=session_read,--wrap=session_expire,--wrap=session_forget_time
engine_sources = tests/unit/engines.c tests/unit/engines.h tests/sim/codec.c tests/sim/usm.c
agent_sources = tests/unit/agents.c tests/unit/agents.h $(engine_sources)
tests_unit_test_director_hearing_SOURCES = tests/unit/test_director_hearing.c $(engine_sources)
tests_unit_test_snmpv3_session_SOURCES = tests/unit/test_snmpv3_session.c $(engine_sources)
tests_unit_test_cli_client_SOURCES = tests/unit/test_cli_client.c $(agent_sources)
tests_unit_test_cli_alarms_SOURCES = tests/unit/test_cli_alarms.c $(agent_sources)
asking_sources = tests/unit/asking.c tests/unit/asking.h $(agent_sources)
tree_cells_sources = tests/unit/tree_cells.c tests/unit/tree_cells.h $(asking_sources)
tests_unit_test_cli_deviations_SOURCES = tests/unit/test_cli_deviations.c $(asking_sources)
tests_unit_test_cli_diff_SOURCES = tests/unit/test_cli_diff.c $(tree_cells_sources)
tests_unit_test_cli_node_document_SOURCES = tests/unit/test_cli_node_document.c $(tree_cells_sources)
tests_unit_test_cli_doctor_SOURCES = tests/unit/test_cli_doctor.c $(tree_cells_sources)
tests_unit_test_cli_census_SOURCES = tests/unit/test_cli_census.c $(tree_cells_sources)
tests_unit_test_cli_export_SOURCES = tests/unit/test_cli_export.c $(tree_cells_sources)
tests_unit_test_cli_show_SOURCES = tests/unit/test_cli_show.c $(tree_cells_sources)
tests_unit_test_cli_memory_SOURCES = tests/unit/test_cli_memory.c $(tree_cells_sources)
tests_unit_test_cli_promote_SOURCES = tests/unit/test_cli_promote.c $(tree_cells_sources)
tests_unit_test_cli_acknowledge_SOURCES = tests/unit/test_cli_acknowledge.c $(asking_sources)
tests_unit_test_cli_maintenance_SOURCES = tests/unit/test_cli_maintenance.c $(asking_sources)
tests_unit_test_cli_set_SOURCES = tests/unit/test_cli_set.c $(asking_sources)
tests_unit_test_cli_status_SOURCES = tests/unit/test_cli_status.c $(asking_sources)
tests_unit_test_cli_thresholds_SOURCES = tests/unit/test_cli_thresholds.c $(asking_sources)
tests_unit_test_cli_tree_SOURCES = tests/unit/test_cli_tree.c $(tree_cells_sources)
tests_unit_test_cli_top_SOURCES = tests/unit/test_cli_top.c $(asking_sources)
tests_unit_test_cli_values_SOURCES = tests/unit/test_cli_values.c $(asking_sources)
tests_unit_test_children_bound_SOURCES = tests/unit/test_children_bound.c tests/sim/hostile.c
tests_unit_test_cli_acknowledge_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_maintenance_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_alarms_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_census_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_check_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_dcamp_file_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_deviations_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_diff_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_node_document_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_doctor_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_export_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_show_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_checkup_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_forest_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_memory_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_http_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_http_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dlopen
tests_unit_test_cli_top_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_top_model_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_output_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_packed_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_range_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_spark_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_revoke_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_progress_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_promote_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_tree_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_command_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_machine_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_serial_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_sheet_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_snmpconf_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_snmpd_files_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_span_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_assign_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_set_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_status_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_thresholds_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_zabbix_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_cli_values_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_plugins_judge_LDADD = libtest.a libplugin.a $(LDADD)
tests_unit_test_plugins_options_LDADD = libtest.a libplugin.a $(LDADD)
tests_unit_test_plugins_range_LDADD = libtest.a libplugin.a $(LDADD)
tests_unit_test_plugins_result_LDADD = libtest.a libplugin.a $(LDADD)
tests_unit_test_plugins_values_LDADD = libtest.a libplugin.a $(LDADD)
tests_unit_test_load_action_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_load_arrivals_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_load_data_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_load_due_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_load_ramp_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_load_scenario_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_load_source_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_load_tally_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_load_walk_LDADD = libtest.a libload.a $(LDADD)
tests_unit_test_daemon_learning_LDFLAGS = $(scarce_flags)
tests_unit_test_watch_learned_LDFLAGS = $(scarce_flags)
tests_unit_test_threshold_season_LDFLAGS = $(scarce_flags)
tests_unit_test_load_action_LDFLAGS = $(scarce_flags)
tests_unit_test_load_due_LDFLAGS = $(scarce_flags)
tests_unit_test_load_scenario_LDFLAGS = $(scarce_flags)
tests_unit_test_load_source_LDFLAGS = $(scarce_flags)
tests_unit_test_load_tally_LDFLAGS = $(scarce_flags)
tests_unit_test_analysis_bootstrap_LDADD = $(analysis_libs) $(LDADD)
tests_unit_test_analysis_capacity_LDADD = $(analysis_libs) $(LDADD)
tests_unit_test_analysis_fit_LDADD = $(analysis_libs) $(LDADD)
tests_unit_test_analysis_forecast_LDADD = $(analysis_libs) $(LDADD)
tests_unit_test_analysis_memory_LDADD = libtest.a $(analysis_libs) $(LDADD)
tests_unit_test_analysis_series_LDADD = $(analysis_libs) $(LDADD)
tests_unit_test_analysis_memory_LDFLAGS = $(scarce_flags)
tests_unit_test_plot_ticks_LDADD = libplot.a $(CAIRO_LIBS) $(LDADD)
made_run_sources = tests/unit/made_run.c tests/unit/made_run.h
tests_unit_test_runs_compare_SOURCES = tests/unit/test_runs_compare.c $(made_run_sources)
tests_unit_test_runs_compare_LDADD = libtest.a $(runs_libs) $(LDADD)
tests_unit_test_runs_copy_SOURCES = tests/unit/test_runs_copy.c $(scribe_sources)
tests_unit_test_runs_lag_SOURCES = tests/unit/test_runs_lag.c $(scribe_sources)
tests_unit_test_runs_lag_LDADD = libtest.a $(runs_libs) $(LDADD)
tests_unit_test_runs_copy_LDADD = libtest.a $(runs_libs) $(LDADD)
tests_unit_test_runs_discovery_LDADD = libtest.a $(runs_libs) $(LDADD)
tests_unit_test_runs_file_SOURCES = tests/unit/test_runs_file.c $(made_run_sources)
tests_unit_test_runs_file_LDADD = libtest.a $(runs_libs) $(LDADD)
tests_unit_test_runs_pairs_SOURCES = tests/unit/test_runs_pairs.c $(made_run_sources)
tests_unit_test_runs_print_SOURCES = tests/unit/test_runs_print.c $(made_run_sources)
tests_unit_test_runs_print_LDADD = libtest.a $(runs_libs) $(LDADD)
tests_unit_test_runs_profile_SOURCES = tests/unit/test_runs_profile.c $(made_run_sources)
tests_unit_test_runs_profile_LDADD = libtest.a $(runs_libs) $(LDADD)
tests_unit_test_runs_pairs_LDADD = libtest.a $(runs_libs) $(LDADD)
scribe_sources = tests/unit/scribe.c tests/unit/scribe.h
tests_unit_test_publish_alarms_SOURCES = tests/unit/test_publish_alarms.c $(scribe_sources)
tests_unit_test_cli_history_SOURCES = tests/unit/test_cli_history.c $(scribe_sources) $(asking_sources)
tests_unit_test_cli_history_LDADD = libtest.a libcommand.a libanalysis.a $(publish_libs) $(LDADD)
tests_unit_test_publish_catalog_SOURCES = tests/unit/test_publish_catalog.c $(scribe_sources)
tests_unit_test_publish_curve_SOURCES = tests/unit/test_publish_curve.c $(scribe_sources)
tests_unit_test_publish_alarms_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_catalog_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_cells_LDADD = $(publish_libs) $(LDADD)
chronicle_world = tests/unit/chronicle_world.c tests/unit/chronicle_world.h
tests_unit_test_publish_chronicle_SOURCES = tests/unit/test_publish_chronicle.c $(chronicle_world)
tests_unit_test_publish_chronicle_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_chronicle_files_SOURCES = tests/unit/test_publish_chronicle_files.c $(chronicle_world)
tests_unit_test_publish_chronicle_files_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_chronicle_limits_SOURCES = tests/unit/test_publish_chronicle_limits.c $(chronicle_world)
tests_unit_test_publish_chronicle_limits_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_curve_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_catalog_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=qsort
tests_unit_test_publish_elapsed_LDADD = libtest.a $(publish_libs) $(LDADD)
tests_unit_test_publish_events_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_feed_LDADD = libtest.a $(publish_libs) $(LDADD)
tests_unit_test_publish_influx_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_otlp_LDADD = libtest.a $(publish_libs) $(LDADD)
tests_unit_test_publish_otlp_LDFLAGS = $(scarce_flags)
# What the module has that is pure; the rest of it is tested by tests/sinks/kafka.py.
tests_unit_test_publish_kafka_SOURCES = tests/unit/test_publish_kafka.c publish/kafka/message.c publish/kafka/target.c
tests_unit_test_publish_kafka_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_openmetrics_present_SOURCES = tests/unit/test_publish_openmetrics_present.c $(scrape_sources)
tests_unit_test_publish_openmetrics_present_LDADD = libtest.a $(publish_libs) $(LDADD)
tests_unit_test_publish_openmetrics_present_LDFLAGS = $(scarce_flags)
tests_unit_test_publish_openmetrics_writing_SOURCES = tests/unit/test_publish_openmetrics_writing.c $(scrape_sources)
tests_unit_test_publish_openmetrics_writing_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_known_SOURCES = tests/unit/test_publish_known.c publish/postgresql/known.c
tests_unit_test_publish_digest_LDADD = libtest.a $(publish_libs) $(LDADD)
tests_unit_test_publish_digest_LDFLAGS = $(scarce_flags)
tests_unit_test_publish_points_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_progress_LDADD = $(publish_libs) $(LDADD)
tests_unit_test_publish_undigested_LDADD = libtest.a $(publish_libs) $(LDADD)
tests_unit_test_publish_undigested_LDFLAGS = $(scarce_flags)
tests_unit_test_web_access_LDADD = libweb.a $(LDADD)
tests_unit_test_http_listener_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=getaddrinfo
tests_unit_test_http_listener_LDADD = libweb.a $(LDADD)
tests_unit_test_web_request_LDADD = libweb.a $(LDADD)

# The library, with what is inside of it.
sensors_libs = libtest.a libdcamp/libsensors.la libdcamp.a -lm $(CMOCKA_LIBS) $(ATOMIC_LIBS)
tests_unit_test_application_copies_LDADD = $(sensors_libs)
tests_unit_test_application_directory_LDADD = $(sensors_libs)
tests_unit_test_report_keys_LDFLAGS = $(scarce_flags)
tests_unit_test_children_tops_LDFLAGS = $(scarce_flags)
tests_unit_test_calculate_keys_LDADD = $(sensors_libs)
tests_unit_test_calculate_keys_LDFLAGS = $(scarce_flags)
tests_unit_test_application_memory_LDADD = $(sensors_libs)
tests_unit_test_application_memory_LDFLAGS = $(scarce_flags) -Wl,--wrap=pread
tests_unit_test_application_program_LDADD = $(sensors_libs)
tests_unit_test_application_segment_LDADD = $(sensors_libs)
tests_unit_test_application_sequence_LDFLAGS = $(scarce_flags)
tests_unit_test_application_slots_LDADD = $(sensors_libs)
tests_unit_test_application_slots_LDFLAGS = $(scarce_flags)
tests_unit_test_application_jvm_slots_LDFLAGS = $(scarce_flags)
tests_unit_test_jvm_candidates_LDADD = libtest.a libjvm.a $(LDADD)
tests_unit_test_jvm_candidates_LDFLAGS = $(scarce_flags)
tests_unit_test_jvm_maps_LDADD = libtest.a libjvm.a $(LDADD)
tests_unit_test_statsd_line_LDADD = libtest.a libstatsd.a $(LDADD)
tests_unit_test_statsd_options_LDADD = libtest.a libstatsd.a $(LDADD)
tests_unit_test_statsd_receive_LDADD = libtest.a libstatsd.a $(LDADD)
tests_unit_test_statsd_receive_LDFLAGS = -Wl,--wrap=recvmmsg
tests_unit_test_statsd_sensors_LDADD = libtest.a libstatsd.a $(sensors_libs)
tests_unit_test_libdcamp_bucket_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_clock_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_counters_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_failures_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_file_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_fork_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_layout_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_lock_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_memory_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_sensor_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_space_saving_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_steps_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_threads_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_top_LDADD = $(sensors_libs)
tests_unit_test_libdcamp_file_LDFLAGS = -Wl,--wrap=fallocate
tests_unit_test_libdcamp_fork_LDFLAGS = -Wl,--wrap=mmap
tests_unit_test_libdcamp_lock_LDFLAGS = -Wl,--wrap=dcamp_clock_now
tests_unit_test_libdcamp_memory_LDFLAGS = $(scarce_flags) -Wl,--wrap=aligned_alloc,--wrap=mmap,--wrap=pthread_setspecific
tests_unit_test_libdcamp_top_LDFLAGS = -Wl,--wrap=getrandom

# Their long forms: a million threads that come and go, 20,000 processes that are killed; both again under
# dcampd, which is killed, too; and by Valgrind and ThreadSanitizer. Valgrind runs one thread at a time: without
# fair turns, one that counts all the time lets no other in. One test has a thousand threads at once. Valgrind
# does not search for leaks at the end of each child, since with -q it would print nothing of them without
# --leak-check=full; tests/integration/libdcamp.sh does that.
sensor_tests = \
	tests/unit/test_libdcamp_counters \
	tests/unit/test_libdcamp_fork \
	tests/unit/test_libdcamp_lock \
	tests/unit/test_libdcamp_sensor \
	tests/unit/test_libdcamp_steps \
	tests/unit/test_libdcamp_threads \
	tests/unit/test_libdcamp_top
sensors-long: all tests/unit/test_libdcamp_threads tests/unit/test_libdcamp_failures \
		tests/integration/applications-driver
	DCAMP_THREADS=1000000 tests/unit/test_libdcamp_threads
	DCAMP_KILLS=20000 tests/unit/test_libdcamp_failures
	DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/integration/churn.sh --threads 1000000 --kills 200
	$(MAKE) sensors-valgrind sensors-tsan
sensors-valgrind: $(sensor_tests)
	for test in $(sensor_tests); do \
	  DCAMP_THREADS=500 valgrind -q --leak-check=no --fair-sched=yes --max-threads=1100 \
	    --error-exitcode=9 $$test || exit; \
	done
# In a build of its own. It does not know fences: those that readers of other processes need do not matter
# here, and that of dcamp_process_incarnation() stands between atomic variables, of which it reports nothing.
sensors-tsan:
	$(MKDIR_P) tsan
	cd tsan && { test -e Makefile || \
	  $(abs_srcdir)/configure CC='$(CC)' CFLAGS='-g -O1 -fsanitize=thread -Wno-tsan' >configure.log; }
	$(MAKE) -C tsan $(sensor_tests)
	cd tsan && for test in $(sensor_tests); do ./$$test || exit; done
.PHONY: sensors-long sensors-valgrind sensors-tsan
