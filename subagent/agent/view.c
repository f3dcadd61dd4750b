#include "agent/view.h"

#include "daemon/dcampd.h"

struct view view_of(struct dcampd *core, struct moment now)
{
    return (struct view){.now = now,
                         .started_ns = core->started.mono_ns,
                         .applied_ns = core->applied_ns,
                         .boot = core->boot,
                         .config = core->config,
                         .measure = &core->measure,
                         .dictionary = &core->publisher.dictionary,
                         .watches = &core->watches,
                         .alarms = &core->alarms,
                         .children = &core->children,
                         .relays = &core->relays,
                         .aggregates = &core->aggregates,
                         .report = &core->report,
                         .push = &core->push,
                         .announcing = &core->announcing,
                         .tree = &core->tree,
                         .inventory = &core->inventory,
                         .ranked = &core->ranked,
                         .listed = &core->listed,
                         .costs = &core->costs,
                         .outlet = &core->outlet,
                         .documents = &core->documents,
                         .role = &core->role,
                         .self = &core->self,
                         .saver = core->saver,
                         .core = core};
}

void view_wake(const struct view *view)
{
    dcampd_wake(view->core);
}

bool view_is_dirty(const struct view *view)
{
    return dcampd_dirty(view->core);
}
