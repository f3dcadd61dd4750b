/* The director's process as the core sees it: started with a document, told it whole, restarted
 * when it fails, ended when the tree is dissolved. The program starts itself as its own director,
 * as the daemon does; what that does, the first word of the document says. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "captured.h"
#include "daemon/steering.h"
#include "scarce.h"
#include "unit.h"

/* -- The other process ------------------------------------------------------------------------ */

static void say(const struct message *message)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    size_t used = 0;
    if (!message_put(packet, &used, message) || send(POLLER_FD, packet, used, 0) != (ssize_t)used)
        _exit(9);
}

static void say_kind(uint32_t kind)
{
    const struct message message = {kind, sizeof message};
    say(&message);
}

static void say_role(bool is_root, const char *reason)
{
    struct tree_message_role role = {
        .head = {TREE_MESSAGE_ROLE, sizeof role}, .is_root = is_root, .term = 3, .root = "r1"};
    snprintf(role.reason, sizeof role.reason, "%s", reason);
    say(&role.head);
}

static void say_row(const char *name)
{
    struct tree_message_row row = {.head = {TREE_MESSAGE_ROW, sizeof row}, .state = TREE_UP};
    snprintf(row.name, sizeof row.name, "%s", name);
    say(&row.head);
}

static void say_found(const char *name, enum tree_found found)
{
    struct tree_message_row row = {
        .head = {TREE_MESSAGE_ROW, sizeof row}, .state = TREE_UP, .found = found, .group = "web"};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.address, sizeof row.address, "udp:192.0.2.1:161%s", name);
    say(&row.head);
}

static void say_line(const char *text)
{
    struct tree_message_log line = {.head = {TREE_MESSAGE_LOG, sizeof line}, .level = 1};
    snprintf(line.text, sizeof line.text, "%s", text);
    say(&line.head);
}

static void say_known(const struct tree_message_known *known)
{
    char line[200];
    snprintf(line, sizeof line, "knows %s of %s", known->address, known->group);
    say_line(line);
}

/* What a director has heard. */
struct heard {
    char *text;
    uint32_t length, told;
    unsigned documents;
};

/* All of the document, as its order says; otherwise the process ends with 4. */
static bool hear_part(struct heard *heard, const struct tree_message_document *part)
{
    if (part->offset == 0) {
        heard->told = 0;
        heard->length = part->length;
        heard->text = realloc(heard->text, part->length + 1);
    }
    if (!heard->text || part->offset != heard->told || part->length != heard->length ||
        strcmp(part->self, "r1") != 0 || part->digest[31] != 0xdd)
        _exit(4);
    memcpy(heard->text + part->offset, part->text, part->n);
    heard->told += part->n;
    heard->text[heard->told] = '\0';
    return heard->told == heard->length;
}

static unsigned sum_of(const struct heard *heard)
{
    unsigned sum = 0;
    for (uint32_t i = 0; i < heard->length; i++)
        sum = sum * 31 + (unsigned char)heard->text[i];
    return sum;
}

static void act(struct heard *heard, const struct tree_message_document *part)
{
    char reason[64];
    snprintf(reason, sizeof reason, "term %u epoch %u length %u sum %u document %u", part->term,
             part->epoch, heard->length, sum_of(heard), ++heard->documents);
    say_role(strcmp(part->root, part->self) == 0, reason);
    if (strncmp(heard->text, "dies", 4) == 0)
        _exit(3);
    if (strncmp(heard->text, "freezes", 7) == 0)
        raise(SIGSTOP);
    if (strncmp(heard->text, "garbage", 7) == 0 && send(POLLER_FD, "garbage", 7, 0) != 7)
        _exit(9);
    if (strncmp(heard->text, "echoes", 6) == 0)
        say(&part->head);
    if (strncmp(heard->text, "rows", 4) == 0) {
        say_row("a");
        say_row("b");
        say_kind(MESSAGE_ALIVE);
        say_line("two nodes\x1b");
    }
    if (strncmp(heard->text, "found", 5) == 0) {
        say_found("a", TREE_LISTED);
        say_found("b", TREE_ANNOUNCED);
        say_found("c", TREE_IN_RANGE);
    }
    if (strncmp(heard->text, "one", 3) == 0) {
        struct tree_message_gone gone = {{TREE_MESSAGE_GONE, sizeof gone}, "a"};
        say_row("a");
        say_row("b");
        say(&gone.head);
    }
}

static int fake_director(void)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    struct heard heard = {.text = NULL};
    ssize_t n;
    while ((n = recv(POLLER_FD, packet, sizeof packet, 0)) > 0) {
        const struct message *message;
        size_t at = 0;
        while ((message = tree_message_next(packet, (size_t)n, &at))) {
            const void *content = message;
            if (message->kind == TREE_MESSAGE_DOCUMENT && hear_part(&heard, content))
                act(&heard, content);
            if (message->kind == TREE_MESSAGE_KNOWN)
                say_known(content);
            if (message->kind == TREE_MESSAGE_DISSOLVE && strncmp(heard.text, "stubborn", 8) != 0)
                say_kind(TREE_MESSAGE_DONE);
            if (message->kind == TREE_MESSAGE_DISSOLVE)
                say_role(true, "dissolves");
        }
        if (at != (size_t)n)
            return 8;
    }
    free(heard.text);
    return 0;
}

/* -- The core --------------------------------------------------------------------------------- */

struct core {
    struct steering steering;
    struct tree_in_force tree;
    struct tree_view view;
    struct role role;
    pthread_mutex_t lock;
    struct moment now; /* of a clock of the test's own */
    char log[CAPTURED_SIZE];
};

static struct core *core_new(void)
{
    struct core *core = calloc(1, sizeof *core);
    assert_non_null(core);
    core->now.mono_ns = NS_PER_S;
    pthread_mutex_init(&core->lock, NULL);
    tree_view_open(&core->view);
    assert_int_equal(steering_begin(&core->steering, &core->tree, "r1", &core->view, &core->role,
                                    &core->lock, NULL),
                     0);
    return core;
}

static void core_free(struct core *core)
{
    steering_end(&core->steering);
    tree_view_close(&core->view);
    free(core->tree.text);
    pthread_mutex_destroy(&core->lock);
    free(core);
}

/* text NULL: there is to be no document. */
static void order(struct core *core, const char *text, uint32_t epoch, const char *root)
{
    struct tree_in_force *tree = &core->tree;
    free(tree->text);
    tree->text = text ? strdup(text) : NULL;
    tree->len = text ? strlen(text) : 0;
    tree->order = (struct order){.term = 3, .epoch = epoch, .digest[31] = 0xdd};
    snprintf(tree->order.root, sizeof tree->order.root, "%s", root);
    tree->changes++;
}

static uint64_t step(struct core *core)
{
    struct pollfd fd = {.fd = steering_fd(&core->steering), .events = POLLIN};
    uint64_t due = steering_step(&core->steering, core->now);
    poll(&fd, 1, 2);
    return due;
}

static bool runs(const struct core *core)
{
    return core->steering.directing.process.state == POLLER_RUNNING;
}

static bool rests(const struct core *core)
{
    return core->steering.directing.process.state == POLLER_IDLE;
}

static void wait_reason(struct core *core, const char *part)
{
    for (int i = 0; i < 20000 && !strstr(core->view.reason, part); i++)
        step(core);
    if (!strstr(core->view.reason, part))
        fail_msg("\"%s\" was not told, but \"%s\"", part, core->view.reason);
}

static void wait_rest(struct core *core)
{
    for (int i = 0; i < 20000 && !rests(core); i++)
        step(core);
    assert_true(rests(core));
}

static void pass(struct core *core, uint64_t ns)
{
    core->now.mono_ns += ns;
    step(core);
}

/* -- Documents --------------------------------------------------------------------------------- */

static void no_document_no_process(void **state)
{
    (void)state;
    struct core *core = core_new();
    assert_int_equal(step(core), UINT64_MAX);
    assert_true(rests(core));
    order(core, NULL, 1, "r1");
    assert_int_equal(step(core), UINT64_MAX);
    directing_done(&core->steering.directing);
    assert_int_equal(step(core), UINT64_MAX);
    core_free(core);
}

static void rows_are_shown(void **state)
{
    (void)state;
    struct captured captured = captured_begin();
    struct core *core = core_new();
    order(core, "rows", 1, "r1");
    for (int i = 0; i < 20000 && core->view.rows.count < 2; i++)
        step(core);
    assert_int_equal(core->view.rows.count, 2);
    assert_true(core->view.is_root);
    for (int i = 0; i < 5; i++)
        step(core); /* the line behind them */
    order(core, "one", 2, "r1");
    wait_reason(core, "epoch 2");
    for (int i = 0; i < 20000 && core->view.rows.count != 1; i++)
        step(core);
    assert_int_equal(core->view.rows.count, 1);
    char log[CAPTURED_SIZE];
    core_free(core);
    captured_end(&captured, log);
    assert_non_null(strstr(log, "warning tree: two nodes?\n"));
    assert_non_null(strstr(log, "info tree: director is process "));
}

/* Of every length around the bounds of parts, and far more than waits in memory at once. */
static void documents_come_whole(void **state)
{
    (void)state;
    static const size_t lengths[] = {0,
                                     1,
                                     TREE_PART_MAX - 1,
                                     TREE_PART_MAX,
                                     TREE_PART_MAX + 1,
                                     3 * TREE_PART_MAX,
                                     100 * TREE_PART_MAX + 7,
                                     TREE_DOCUMENT_MAX};
    struct core *core = core_new();
    for (uint32_t i = 0; i < N_OF(lengths); i++) {
        char *text = malloc(lengths[i] + 1), told[64];
        assert_non_null(text);
        for (size_t k = 0; k < lengths[i]; k++)
            text[k] = (char)('a' + (k * 7 + k / 97) % 26);
        text[lengths[i]] = '\0';
        struct heard same = {.text = text, .length = (uint32_t)lengths[i]};
        snprintf(told, sizeof told, "epoch %u length %zu sum %u document %u", i + 1, lengths[i],
                 sum_of(&same), i + 1);
        order(core, text, i + 1, "r1");
        wait_reason(core, told);
        free(text);
    }
    struct directing_order more = {.self = "r1"};
    assert_int_equal(directing_begin(&core->steering.directing, &more, "", TREE_DOCUMENT_MAX + 1),
                     E2BIG);
    step(core);
    assert_true(runs(core));
    core_free(core);
}

/* One comes while the one before is still being told. */
static void the_newest_document_counts(void **state)
{
    (void)state;
    struct core *core = core_new();
    char *text = malloc(TREE_DOCUMENT_MAX + 1);
    assert_non_null(text);
    memset(text, 'x', TREE_DOCUMENT_MAX);
    text[TREE_DOCUMENT_MAX] = '\0';
    order(core, text, 1, "r1");
    free(text);
    step(core);
    step(core);
    order(core, "short", 2, "r1");
    wait_reason(core, "epoch 2 length 5 ");
    assert_non_null(strstr(core->view.reason, "document 1"));
    core_free(core);
}

static void without_memory(void **state)
{
    (void)state;
    struct core *core = core_new();
    order(core, "first", 1, "r1");
    wait_reason(core, "epoch 1");
    struct captured captured = captured_begin();
    order(core, "second", 2, "r1"); /* which cannot be copied at first, */
    scarce_fail(1);
    assert_int_equal(steering_step(&core->steering, core->now), core->now.mono_ns + NS_PER_S);
    assert_true(scarce_stop());
    assert_string_equal(core->steering.directing.text, "first");
    assert_int_equal(core->steering.directing.order.epoch, 1);
    wait_reason(core, "epoch 2");
    order(core, "third", 3, "r1"); /* and one that cannot be told at first */
    scarce_fail(2);
    steering_step(&core->steering, core->now);
    assert_true(scarce_stop());
    wait_rest(core);
    pass(core, POLLER_BACKOFF_MIN_NS);
    wait_reason(core, "epoch 3");
    captured_end(&captured, core->log);
    assert_non_null(strstr(core->log, "cannot be told of the tree document: Cannot allocate"));
    assert_non_null(strstr(core->log, "cannot be told the tree document for want of memory"));
    core_free(core);
}

/* -- The process ------------------------------------------------------------------------------- */

static void one_that_dies_is_restarted(void **state)
{
    (void)state;
    struct captured captured = captured_begin();
    struct core *core = core_new();
    order(core, "dies", 1, "r1");
    wait_reason(core, "epoch 1");
    wait_rest(core);
    assert_int_equal(step(core), core->now.mono_ns + POLLER_BACKOFF_MIN_NS);
    pass(core, POLLER_BACKOFF_MIN_NS);
    assert_true(runs(core));
    wait_rest(core);
    assert_int_equal(step(core), core->now.mono_ns + 2 * POLLER_BACKOFF_MIN_NS);
    order(core, "lives", 2, "r1");
    pass(core, 2 * POLLER_BACKOFF_MIN_NS);
    wait_reason(core, "epoch 2");
    captured_end(&captured, core->log);
    assert_non_null(strstr(core->log, "error tree: director (process "));
    assert_non_null(strstr(core->log, "has ended with exit status 3"));
    core_free(core);
}

static void one_that_is_silent_is_killed(void **state)
{
    (void)state;
    struct captured captured = captured_begin();
    struct core *core = core_new();
    order(core, "freezes", 1, "r1");
    wait_reason(core, "epoch 1");
    pass(core, POLLER_SILENT_NS);
    assert_true(runs(core));
    pass(core, POLLER_CHANCE_NS);
    wait_rest(core);
    captured_end(&captured, core->log);
    assert_non_null(strstr(core->log, "is alive but silent"));
    core_free(core);
}

static void one_that_talks_nonsense_is_killed(void **state)
{
    (void)state;
    static const char *const how[] = {"garbage", "echoes"}; /* as if it were the core */
    for (size_t i = 0; i < N_OF(how); i++) {
        struct captured captured = captured_begin();
        struct core *core = core_new();
        order(core, how[i], 1, "r1");
        wait_reason(core, "epoch 1");
        wait_rest(core);
        captured_end(&captured, core->log);
        assert_non_null(strstr(core->log, "said what is no message"));
        core_free(core);
    }
}

/* While there is none, what the last one said stays to be read; the next one says it anew. */
static void the_view_outlives_a_crash(void **state)
{
    (void)state;
    struct core *core = core_new();
    order(core, "rows", 1, "r1");
    for (int i = 0; i < 20000 && core->view.rows.count < 2; i++)
        step(core);
    kill(core->steering.directing.process.pid, SIGKILL);
    wait_rest(core);
    assert_int_equal(core->view.rows.count, 2);
    order(core, "nothing", 2, "r1");
    core->now.mono_ns += POLLER_BACKOFF_MIN_NS;
    steering_step(&core->steering, core->now);
    assert_true(runs(core));
    assert_int_equal(core->view.rows.count, 0);
    core_free(core);
}

/* Those that have announced themselves, only the one before knows. */
static void the_next_one_is_told(void **state)
{
    (void)state;
    struct captured captured = captured_begin();
    struct core *core = core_new();
    order(core, "found", 1, "r1");
    for (int i = 0; i < 20000 && core->view.rows.count < 3; i++)
        step(core);
    kill(core->steering.directing.process.pid, SIGKILL);
    wait_rest(core);
    core->now.mono_ns += POLLER_BACKOFF_MIN_NS;
    step(core);
    for (int i = 0; i < 20000 && core->view.rows.count < 3; i++)
        step(core);
    captured_end(&captured, core->log);
    assert_non_null(strstr(core->log, "knows udp:192.0.2.1:161b of web"));
    assert_null(strstr(core->log, "knows udp:192.0.2.1:161a"));
    assert_null(strstr(core->log, "knows udp:192.0.2.1:161c"));
    core_free(core);
}

static void add_child(struct config *config, const char *name, const char *address,
                      enum child_kind kind)
{
    struct child_row *child = (struct child_row *)row_new(ROW_CHILD, name);
    assert_non_null(child);
    snprintf(child->address, sizeof child->address, "%s", address);
    snprintf(child->group, sizeof child->group, "db");
    child->kind = kind;
    assert_true(config_add(config, &child->row));
}

/* Who becomes root tells it of the children that it polls. */
static void a_new_root_is_told_of_children(void **state)
{
    (void)state;
    struct captured captured = captured_begin();
    struct core *core = core_new();
    struct config *config = config_new();
    assert_non_null(config);
    add_child(config, "web1", "udp:192.0.2.7:161", CHILD_OF_DCAMP);
    add_child(config, "switch1", "udp:192.0.2.8:161", CHILD_OF_SNMP);
    assert_false(steering_has_become_root(&core->steering));
    order(core, "rows", 1, "r1");
    for (int i = 0; i < 20000 && core->view.rows.count < 2; i++)
        step(core);
    assert_true(steering_has_become_root(&core->steering));
    assert_false(steering_has_become_root(&core->steering));
    steering_know_children(&core->steering, config, core->now.mono_ns);
    order(core, "one", 2, "r1"); /* what it says to this comes after what it says to those */
    for (int i = 0; i < 20000 && core->view.rows.count != 1; i++)
        step(core);
    assert_false(steering_has_become_root(&core->steering)); /* it is as before */
    captured_end(&captured, core->log);
    assert_non_null(strstr(core->log, "knows udp:192.0.2.7:161 of db"));
    assert_null(strstr(core->log, "192.0.2.8"));
    config_free(config);
    core_free(core);
}

/* -- The end of a tree ------------------------------------------------------------------------- */

static void a_root_dissolves_the_tree(void **state)
{
    (void)state;
    struct captured captured = captured_begin();
    struct core *core = core_new();
    order(core, "rows", 1, "r1");
    for (int i = 0; i < 20000 && core->view.rows.count < 2; i++)
        step(core);
    order(core, NULL, 2, "r1");
    assert_int_equal(steering_step(&core->steering, core->now),
                     core->now.mono_ns + POLLER_SILENT_NS);
    wait_rest(core);
    assert_int_equal(step(core), UINT64_MAX);
    assert_int_equal(core->view.rows.count, 0);
    assert_false(core->view.is_root);
    captured_end(&captured, core->log);
    assert_non_null(strstr(core->log, "info tree: the tree is dissolved"));
    assert_non_null(strstr(core->log, "it is not needed any more"));
    core_free(core);
}

static void nobody_waits_for_a_stubborn_one(void **state)
{
    (void)state;
    struct captured captured = captured_begin();
    struct core *core = core_new();
    order(core, "stubborn", 1, "r1");
    wait_reason(core, "epoch 1");
    order(core, NULL, 2, "r1");
    wait_reason(core, "dissolves");
    core->steering.directing.process.heard.last_ns += DIRECTING_DISSOLVE_NS; /* it is not silent */
    pass(core, DIRECTING_DISSOLVE_NS - 1);
    assert_true(runs(core));
    pass(core, 1);
    wait_rest(core);
    assert_int_equal(step(core), UINT64_MAX);
    captured_end(&captured, core->log);
    assert_non_null(strstr(core->log, "has not reached all nodes within 60 s"));
    core_free(core);
}

/* One that is killed while it is at it begins anew, with the document and the order to dissolve. */
static void dissolving_outlives_a_crash(void **state)
{
    (void)state;
    struct core *core = core_new();
    order(core, "rows", 1, "r1");
    wait_reason(core, "epoch 1");
    kill(core->steering.directing.process.pid, SIGKILL);
    order(core, NULL, 2, "r1");
    wait_rest(core);
    pass(core, POLLER_BACKOFF_MIN_NS);
    assert_true(runs(core));
    wait_rest(core);
    assert_int_equal(step(core), UINT64_MAX);
    core_free(core);
}

/* The document is kept while the tree is taken apart, and is there for a daemon that begins with
 * that. */
static void what_is_to_end_is_told_first(void **state)
{
    (void)state;
    for (int started = 0; started < 2; started++) {
        struct core *core = core_new();
        order(core, "stubborn", 1, "r1");
        if (!started)
            wait_reason(core, "epoch 1");
        order(core, "stubborn", 2, "r1");
        core->tree.ends = true;
        assert_false(steering_has_ended(&core->steering));
        wait_reason(core, "dissolves");
        assert_false(steering_has_ended(&core->steering));
        directing_done(&core->steering.directing);
        assert_true(steering_has_ended(&core->steering));
        wait_rest(core);
        order(core, NULL, 2, "r1");
        core->tree.ends = false;
        step(core);
        assert_false(steering_has_ended(&core->steering));
        core_free(core);
    }
}

static void a_standby_only_ends(void **state)
{
    (void)state;
    struct core *core = core_new();
    order(core, "rows", 1, "r2");
    wait_reason(core, "epoch 1");
    order(core, NULL, 2, "r2");
    step(core);
    assert_false(core->steering.directing.dissolves);
    wait_rest(core);
    assert_int_equal(step(core), UINT64_MAX);
    core_free(core);
}

/* An old root that is told by the new one that there is no tree any more. */
static void an_old_root_only_ends(void **state)
{
    (void)state;
    struct core *core = core_new();
    order(core, "rows", 1, "r1");
    wait_reason(core, "epoch 1");
    order(core, NULL, 1, "r2");
    step(core);
    assert_false(core->steering.directing.dissolves);
    wait_rest(core);
    core_free(core);
}

/* A document that comes while the tree is dissolved goes to a new process. */
static void a_new_tree_begins_anew(void **state)
{
    (void)state;
    struct core *core = core_new();
    order(core, "stubborn", 1, "r1");
    wait_reason(core, "epoch 1");
    order(core, NULL, 2, "r1");
    wait_reason(core, "dissolves");
    pid_t old = core->steering.directing.process.pid;
    order(core, "other", 1, "r1");
    wait_rest(core);
    pass(core, POLLER_BACKOFF_MIN_NS);
    wait_reason(core, "length 5 ");
    assert_non_null(strstr(core->view.reason, "document 1"));
    assert_int_not_equal(core->steering.directing.process.pid, old);
    pass(core, POLLER_SILENT_NS - 1);
    assert_true(runs(core));
    core_free(core);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0)
        return strcmp(argv[1], "--director") == 0 ? fake_director() : 7;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_document_no_process),
        cmocka_unit_test(rows_are_shown),
        cmocka_unit_test(documents_come_whole),
        cmocka_unit_test(the_newest_document_counts),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(one_that_dies_is_restarted),
        cmocka_unit_test(one_that_is_silent_is_killed),
        cmocka_unit_test(one_that_talks_nonsense_is_killed),
        cmocka_unit_test(the_view_outlives_a_crash),
        cmocka_unit_test(the_next_one_is_told),
        cmocka_unit_test(a_new_root_is_told_of_children),
        cmocka_unit_test(a_root_dissolves_the_tree),
        cmocka_unit_test(nobody_waits_for_a_stubborn_one),
        cmocka_unit_test(dissolving_outlives_a_crash),
        cmocka_unit_test(what_is_to_end_is_told_first),
        cmocka_unit_test(a_standby_only_ends),
        cmocka_unit_test(an_old_root_only_ends),
        cmocka_unit_test(a_new_tree_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
