#include "lib/query/trace/open/player.h"

#include <string.h>

#include "lib/analyse/passes/future.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/walk.h"

struct ml_player {
	struct ml_engine *engine;
	struct ml_future *future; /* hints for policies that need them */
	unsigned want;            /* position of the simulator */
	uint64_t position;
	uint64_t used; /* count of requests at its last use; the older player is moved */
};

/*
 * The players of one simulation. The anchor stays a little before the moment that was
 * last reached from far away, so that a step back from there need not begin at a
 * checkpoint. Policies that need hints have none: their hints go forwards only.
 */
struct players {
	pthread_mutex_t lock; /* held while a player moves or is looked at */
	struct ml_player *at[2], *anchor;
};

/* References between the anchor and the moment. */
enum { BEHIND = 1 << 15, PLAYER_WANT = ML_SIM_MOVES | ML_SIM_USE };

enum { PLAYERS = sizeof(((struct players *)0)->at) / sizeof(void *) };

/* A walk that feeds a player. */
struct feed {
	struct ml_open_sim *s;
	const struct ml_work *work;
	struct ml_player *p;
	uint64_t from; /* position from which `access` of movements counts */
	ml_player_fn *fn;
	void *arg;
	struct ml_move *moves;
	size_t cap;
	const struct ml_player_watch *watch; /* or NULL */
};

static void close_player(struct ml_player *p)
{
	ml_engine_close(p->engine);
	if (p->future)
		ml_future_close(p->future);
	ml_free(p);
}

static void *make_players(void)
{
	struct players *x = ml_resize(NULL, sizeof(*x));

	*x = (struct players){ .at = { NULL } };
	pthread_mutex_init(&x->lock, NULL);
	return x;
}

static void close_players(void *data)
{
	struct players *x = data;

	for (size_t i = 0; i < PLAYERS; i++)
		if (x->at[i])
			close_player(x->at[i]);
	if (x->anchor)
		close_player(x->anchor);
	pthread_mutex_destroy(&x->lock);
	ml_free(x);
}

static struct players *players_of(struct ml_open_sim *s)
{
	return ml_open_sim_attach(s, "player", make_players, close_players);
}

static bool feed(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct feed *f = arg;
	const struct ml_batch *b = w->e.refs;
	struct ml_accesses a = { b->count,  b->addr, b->what,
				 w->e.core, b->site, w->e.region };
	size_t count;

	if (f->watch)
		f->watch->now(f->watch->arg, w);
	if (!ml_engine_run(f->p->engine, &a, NULL, err))
		return false;
	f->p->position = w->e.position + b->count;
	if (!f->fn)
		return true;
	const struct ml_move *moves = ml_engine_moves(f->p->engine, &count);
	f->moves = ml_grow(f->moves, &f->cap, count + 1, sizeof(*f->moves));
	for (size_t i = 0; i < count; i++) {
		f->moves[i] = moves[i];
		f->moves[i].access += (uint32_t)(w->e.position - f->from);
	}
	f->fn(f->arg, f->moves, count);
	return true;
}

static bool advance(struct feed *f, uint64_t to, struct ml_err *err)
{
	bool ok = f->p->position >= to ||
		  ml_walk(f->s, f->work, f->p->position, to, 0, feed, f, err);

	ml_free(f->moves);
	return ok;
}

static bool open_engine(struct ml_open_sim *s, struct ml_player *p, struct ml_err *err)
{
	struct ml_engine_job job = { .want = p->want, .restores = true, .looks = true };

	ml_engine_close(p->engine);
	p->engine = ml_engine_open(&s->simulation.profile->machine, &job, err);
	return p->engine;
}

static struct ml_player *open_player(struct ml_open_sim *s, unsigned want,
				     struct ml_err *err)
{
	struct ml_player *p = ml_resize(NULL, sizeof(*p));
	struct ml_replay_options o = { .machine = s->simulation.profile->machine };

	*p = (struct ml_player){ .want = want };
	if (!open_engine(s, p, err) ||
	    (ml_future_needed(&s->simulation.profile->machine) &&
	     !ml_future_open(&p->future, &s->trace->trace, &o, err))) {
		close_player(p);
		return NULL;
	}
	return p;
}

/* Brings a player to the last checkpoint at or before a position. */
static bool restore(struct ml_open_sim *s, struct ml_player *p, uint64_t position,
		    struct ml_err *err)
{
	struct ml_buf state = { 0 };

	pthread_mutex_lock(&s->lock);
	bool ok = ml_result_checkpoint(&s->simulation.result, position, &p->position,
				       &state, err);
	pthread_mutex_unlock(&s->lock);
	if (ok && state.size) {
		struct ml_bytes in = { state.data, state.data + state.size, false };

		ok = ml_engine_restore(p->engine, &in, err);
	} else if (ok) {
		ok = open_engine(s, p, err);
	}
	if (ok && p->future)
		ok = ml_future_attach(p->future, p->engine, err);
	ml_buf_release(&state);
	return ok;
}

static uint64_t checkpoint_before(const struct ml_result *r, uint64_t position)
{
	size_t i = r->checkpoints.count;

	while (i && r->checkpoints.at[i - 1].position > position)
		i--;
	return i ? r->checkpoints.at[i - 1].position : 0;
}

/* The player that is nearest before a position, or the one that was used longest ago. */
static struct ml_player *choose(struct ml_open_sim *s, struct players *x,
				uint64_t position, bool *near, struct ml_err *err)
{
	struct ml_player **oldest = &x->at[0], *best = NULL;
	uint64_t now = 0;

	for (size_t i = 0; i < PLAYERS; i++) {
		struct ml_player *p = x->at[i];

		if (!p || (*oldest && p->used < (*oldest)->used))
			oldest = &x->at[i];
		if (p && p->used > now)
			now = p->used;
		if (p && p->position <= position &&
		    (!best || p->position > best->position))
			best = p;
	}
	uint64_t from = checkpoint_before(&s->simulation.result, position);
	if (x->anchor && x->anchor->used && x->anchor->position <= position &&
	    x->anchor->position > from)
		from = x->anchor->position;
	*near = best && best->position >= from;
	if (!*near) {
		if (!*oldest)
			*oldest = open_player(s, PLAYER_WANT, err);
		best = *oldest;
	}
	if (best)
		best->used = now + 1;
	return best;
}

/* Brings the anchor before a position; NULL with a sentence. */
static struct ml_player *drop_anchor(struct ml_open_sim *s, struct players *x,
				     const struct ml_work *work, uint64_t position,
				     struct ml_err *err)
{
	uint64_t aim = position > BEHIND ? position - BEHIND : 0;

	if (!x->anchor)
		x->anchor = open_player(s, PLAYER_WANT, err);
	if (!x->anchor)
		return NULL;
	struct feed f = { .s = s, .work = work, .p = x->anchor };
	bool near = x->anchor->used && x->anchor->position <= position &&
		    x->anchor->position >=
			    checkpoint_before(&s->simulation.result, position);
	if ((near || restore(s, x->anchor, position, err)) && advance(&f, aim, err)) {
		x->anchor->used = 1;
		return x->anchor;
	}
	x->anchor->used = 0;
	return NULL;
}

/* Brings a player from wherever it is to some position before the one wanted. */
static bool move_near(struct ml_open_sim *s, struct players *x,
		      const struct ml_work *work, struct ml_player *p, uint64_t position,
		      struct ml_err *err)
{
	if (p->future)
		return restore(s, p, position, err);
	struct ml_player *anchor = drop_anchor(s, x, work, position, err);
	if (!anchor)
		return false;
	ml_engine_copy(p->engine, anchor->engine);
	p->position = anchor->position;
	return true;
}

/* The lock of the players is held. */
static struct ml_player *bring(struct ml_open_sim *s, struct players *x,
			       const struct ml_work *work, uint64_t position,
			       struct ml_err *err)
{
	bool near;
	struct ml_player *p = choose(s, x, position, &near, err);
	struct feed f = { .s = s, .work = work, .p = p };

	if (!p)
		return NULL;
	if ((near || move_near(s, x, work, p, position, err)) &&
	    advance(&f, position, err))
		return p;
	p->position = UINT64_MAX; /* no position: the state of the simulator is unknown */
	return NULL;
}

struct ml_engine *ml_player_take(struct ml_open_sim *s, const struct ml_work *work,
				 uint64_t position, struct ml_err *err)
{
	struct players *x = players_of(s);

	pthread_mutex_lock(&x->lock);
	struct ml_player *p = bring(s, x, work, position, err);
	if (!p)
		pthread_mutex_unlock(&x->lock);
	return p ? p->engine : NULL;
}

void ml_player_give(struct ml_open_sim *s)
{
	pthread_mutex_unlock(&players_of(s)->lock);
}

bool ml_player_moves(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
		     uint64_t to, ml_player_fn *fn, void *arg, struct ml_err *err)
{
	struct players *x = players_of(s);

	pthread_mutex_lock(&x->lock);
	struct ml_player *p = bring(s, x, work, from, err);
	struct feed f = {
		.s = s, .work = work, .p = p, .from = from, .fn = fn, .arg = arg
	};
	bool ok = p && advance(&f, to, err);
	if (p && !ok)
		p->position = UINT64_MAX;
	pthread_mutex_unlock(&x->lock);
	return ok;
}

bool ml_player_watch(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
		     uint64_t to, const struct ml_player_watch *w, struct ml_err *err)
{
	struct ml_player *p = open_player(s, ML_SIM_USE, err);
	struct feed f = { .s = s, .work = work, .p = p };

	if (!p)
		return false;
	bool ok = restore(s, p, from, err) && advance(&f, from, err);
	if (ok) {
		w->begin(w->arg, p->engine);
		ml_engine_observe(p->engine, &w->observer, NULL);
		f.watch = w;
		ok = advance(&f, to, err);
	}
	if (ok)
		ml_engine_flush(p->engine);
	close_player(p);
	return ok;
}
