/*
 * Variables of static storage of every shape that C has, and functions that are
 * inlined into each other. The tests find lines by the words in comments.
 */
#include <stddef.h>

struct vec {
	double x, y;
};

struct particle {
	struct vec pos;
	int id;
	union {
		int i;
		float f;
	};
	unsigned low : 3, high : 5;
	char tag[4];
};

typedef double row[5];
typedef struct {
	short a, b;
} pair;

int A[3][5];
struct particle P[10];
row typed[7];
static pair pairs[2][2] = { { { 1, 2 } } };
int deep[2][3][4][5][6];
double scalar = 1;
const char *names[4] = { "a", "b", "c", "d" };
extern int elsewhere[8];
_Thread_local int own[3];
static int hidden[6];

static inline __attribute__((always_inline)) int innermost(int i)
{
	return A[i][2] += i; /* innermost body */
}

static inline __attribute__((always_inline)) int middle(int i)
{
	return innermost(i) + 1; /* middle body */
}

__attribute__((noinline)) int outer(int i)
{
	static int counter[4];

	counter[i & 3]++;
	return middle(i) + hidden[i]; /* outer body */
}

int *local_static(void)
{
	static int counter[2];

	return counter;
}

int main(int argc, char **argv)
{
	(void)argv;
	own[0] = argc;
	P[argc].id = typed[0][0] > 1;
	hidden[argc] = pairs[0][1].b + deep[0][0][0][0][argc] + (names[0] != NULL);
	return outer(argc) + *local_static() + own[argc] + (int)scalar;
}
