/*
 * The material point method: particles that move over a grid, in seven phases a time
 * step. Particles and grid nodes are each stored as structures (all that belongs to one
 * together) or as arrays (one for each quantity).
 *
 *	memlamp ensemble -o mpm.mle -m 'L1 1K 4w 16B 3c | L2 4K 8w 15c | memory 300c' \
 *		--build 'cc -O1 -g -Iinclude -DPARTICLES={particles: structures,arrays} \
 *			-DGRID={grid: structures,arrays} -o {out} examples/mpm.c -lm' \
 *		--from-mark step --match phases
 *
 * What to look at: sweeps over the nodes (in A and E) want two or three of their nine
 * floats, sweeps over particles (D, F) some of theirs. As arrays, what a sweep does not
 * want is not brought in. Which phase gains by which choice is seen in matched time.
 */
#include <math.h>
#include <stdio.h>

#include "memlamp.h"

#define structures 0
#define arrays 1
#ifndef PARTICLES
#define PARTICLES structures
#endif
#ifndef GRID
#define GRID structures
#endif

enum { SIDE = 24, NODES = SIDE * SIDE, BODY = 20, COUNT = BODY * BODY, STEPS = 2 };

/* clang-format off */
#define PARTICLE_FIELDS(F) \
	F(mass) F(volume) F(x) F(y) F(vx) F(vy) \
	F(f00) F(f01) F(f10) F(f11) F(s00) F(s01) F(s10) F(s11) F(temperature) F(id)
#define NODE_FIELDS(F) \
	F(mass) F(px) F(py) F(vx) F(vy) F(fx) F(fy) F(ax) F(ay)
/* clang-format on */

#define FIELD(name) float name;
#define ARRAY_OF_PARTICLES(name) float name[COUNT];
#define ARRAY_OF_NODES(name) float name[NODES];

#if PARTICLES == arrays
static _Alignas(4096) struct {
	PARTICLE_FIELDS(ARRAY_OF_PARTICLES)
} particles;
#define P(i, field) particles.field[i]
#else
static _Alignas(4096) struct {
	PARTICLE_FIELDS(FIELD)
} particles[COUNT];
#define P(i, field) particles[i].field
#endif

#if GRID == arrays
static _Alignas(4096) struct {
	NODE_FIELDS(ARRAY_OF_NODES)
} nodes;
#define G(i, field) nodes.field[i]
#else
static _Alignas(4096) struct {
	NODE_FIELDS(FIELD)
} nodes[NODES];
#define G(i, field) nodes[i].field
#endif

static const float dt = 0.001f, stiffness = 50;

/* The four nodes around a place, their weights and the slopes of these. */
struct around {
	int node[4];
	float w[4], wx[4], wy[4];
};

static struct around look(float x, float y)
{
	int i = (int)x, j = (int)y;
	float u = x - (float)i, v = y - (float)j;

	return (struct around){
		{ j * SIDE + i, j * SIDE + i + 1, (j + 1) * SIDE + i, (j + 1) * SIDE + i + 1 },
		{ (1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v },
		{ v - 1, 1 - v, -v, v },
		{ u - 1, -u, 1 - u, u },
	};
}

static void start(void)
{
	for (int i = 0; i < COUNT; i++) {
		P(i, mass) = 1;
		P(i, volume) = 0.25f;
		P(i, x) = 4 + 0.5f * (float)(i % BODY);
		P(i, y) = 4 + 0.5f * (float)(i / BODY);
		P(i, vx) = 1;
		P(i, vy) = 0.1f * (float)(i % 3);
		P(i, f00) = P(i, f11) = 1;
		P(i, id) = (float)i;
	}
}

static void interpolate(void)
{
	for (int n = 0; n < NODES; n++)
		G(n, mass) = G(n, px) = G(n, py) = 0;
	for (int i = 0; i < COUNT; i++) {
		struct around a = look(P(i, x), P(i, y));

		for (int k = 0; k < 4; k++) {
			float m = a.w[k] * P(i, mass);

			G(a.node[k], mass) += m;
			G(a.node[k], px) += m * P(i, vx);
			G(a.node[k], py) += m * P(i, vy);
		}
	}
	for (int n = 0; n < NODES; n++)
		if (G(n, mass) > 0) {
			G(n, vx) = G(n, px) / G(n, mass);
			G(n, vy) = G(n, py) / G(n, mass);
		}
}

static void clear_forces(void)
{
	for (int n = 0; n < NODES; n++)
		G(n, fx) = G(n, fy) = 0;
}

/* Stress times slope, on the nodes around. */
static void forces(void)
{
	for (int i = 0; i < COUNT; i++) {
		struct around a = look(P(i, x), P(i, y));

		for (int k = 0; k < 4; k++) {
			float wx = a.wx[k] * P(i, volume), wy = a.wy[k] * P(i, volume);

			G(a.node[k], fx) -= P(i, s00) * wx + P(i, s01) * wy;
			G(a.node[k], fy) -= P(i, s10) * wx + P(i, s11) * wy;
		}
	}
}

/* The deformation: F becomes (1 + dt L) F, L being the slope of the nodes' velocity. */
static void deform(void)
{
	for (int i = 0; i < COUNT; i++) {
		struct around a = look(P(i, x), P(i, y));
		float l00 = 0, l01 = 0, l10 = 0, l11 = 0;

		for (int k = 0; k < 4; k++) {
			float vx = G(a.node[k], vx), vy = G(a.node[k], vy);

			l00 += vx * a.wx[k];
			l01 += vx * a.wy[k];
			l10 += vy * a.wx[k];
			l11 += vy * a.wy[k];
		}
		float f00 = P(i, f00), f01 = P(i, f01), f10 = P(i, f10), f11 = P(i, f11);
		P(i, f00) = f00 + dt * (l00 * f00 + l01 * f10);
		P(i, f01) = f01 + dt * (l00 * f01 + l01 * f11);
		P(i, f10) = f10 + dt * (l10 * f00 + l11 * f10);
		P(i, f11) = f11 + dt * (l10 * f01 + l11 * f11);
	}
}

static void accelerate(void)
{
	for (int n = 0; n < NODES; n++)
		if (G(n, mass) > 0) {
			G(n, ax) = G(n, fx) / G(n, mass);
			G(n, ay) = G(n, fy) / G(n, mass);
			G(n, vx) += dt * G(n, ax);
			G(n, vy) += dt * G(n, ay);
		}
}

static void stress(void)
{
	for (int i = 0; i < COUNT; i++) {
		P(i, s00) = stiffness * (P(i, f00) - 1);
		P(i, s01) = P(i, s10) = stiffness * 0.5f * (P(i, f01) + P(i, f10));
		P(i, s11) = stiffness * (P(i, f11) - 1);
	}
}

static void move(void)
{
	for (int i = 0; i < COUNT; i++) {
		struct around a = look(P(i, x), P(i, y));
		float vx = 0, vy = 0, ax = 0, ay = 0;

		for (int k = 0; k < 4; k++) {
			vx += a.w[k] * G(a.node[k], vx);
			vy += a.w[k] * G(a.node[k], vy);
			ax += a.w[k] * G(a.node[k], ax);
			ay += a.w[k] * G(a.node[k], ay);
		}
		P(i, vx) += dt * ax;
		P(i, vy) += dt * ay;
		P(i, x) += dt * vx;
		P(i, y) += dt * vy;
	}
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} phases[] = {
		{ "A interpolate", interpolate }, { "B clear", clear_forces },
		{ "C forces", forces },           { "D deform", deform },
		{ "E accelerate", accelerate },   { "F stress", stress },
		{ "G move", move },
	};
	float x = 0;

	start();
	MEMLAMP_MARK("step");
	for (int t = 0; t < STEPS; t++)
		for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
			MEMLAMP_BEGIN(phases[i].name);
			phases[i].run();
			MEMLAMP_END(phases[i].name);
		}
	for (int i = 0; i < COUNT; i++)
		x += P(i, x) + P(i, y);
	printf("%g\n", (double)x);
	return !isfinite(x);
}
