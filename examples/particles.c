/*
 * An array of structures, of which the hot loop needs a part.
 *
 *	memlamp record ./particles
 *	memlamp info particles.mlt
 *	memlamp dump --region particles --count 20 particles.mlt
 *
 * What to look at: the loop in move() uses x and vx, 16 of the 64 bytes of each
 * particle, and still touches every cache line of the array. The fields have
 * their names in the dump: particles[3].vx.
 */
#include <stdio.h>

enum { COUNT = 20000, STEPS = 10 };

struct particle {
	double x, y, z;
	double vx, vy, vz;
	double mass;
	long id;
};

static struct particle particles[COUNT];

static void place(void)
{
	for (int i = 0; i < COUNT; i++) {
		particles[i].x = i;
		particles[i].vx = 1;
		particles[i].id = i;
	}
}

static void move(double dt)
{
	for (int i = 0; i < COUNT; i++)
		particles[i].x += particles[i].vx * dt;
}

int main(void)
{
	place();
	for (int step = 0; step < STEPS; step++)
		move(0.5);
	printf("particle %ld is at %g\n", particles[COUNT - 1].id,
	       particles[COUNT - 1].x);
	return 0;
}
