/* Loops of all kinds, whose iterations the test knows. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int sink[64];
static volatile long mem[4096];
static jmp_buf back;
__attribute__((noinline)) static void triangle(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      mem[i * n + j]++;
}
__attribute__((noinline)) static int exits(int n) {
  int i = 0;
  while (1) {
    mem[i]++;
    if (mem[i] > 1000000 || i >= n - 1)
      break;
    i++;
  }
  return i;
}
__attribute__((noinline)) static void sw(int n) {
  for (int i = 0; i < n; i++)
    switch (i % 5) {
    case 0:
      mem[1]++;
      break;
    case 1:
      mem[2] += 2;
      break;
    case 2:
      mem[3] += 3;
      break;
    case 3:
      mem[4] -= 1;
      break;
    default:
      mem[5] ^= 1;
    }
}
__attribute__((noinline)) static int early(int n) {
  for (int i = 0; i < n; i++)
    if (mem[i + 100]++ == 1 && i == 7)
      return i;
  return -1;
}
__attribute__((noinline)) static int odd(int n);
__attribute__((noinline)) static int even(int n) {
  mem[7]++;
  return n ? odd(n - 1) : 1;
}
__attribute__((noinline)) static int odd(int n) {
  mem[8]++;
  return n ? even(n - 1) : 0;
}
__attribute__((noinline)) static int deep(int n) {
  mem[9]++;
  int s = 0;
  for (int i = 0; i < 2 && n; i++)
    s += deep(n - 1);
  return s + 1;
}
__attribute__((noinline)) static void thrower(int n) {
  for (int i = 0; i < 10; i++) {
    mem[11]++;
    if (i == n)
      longjmp(back, 1);
  }
}
static void handler(int s) {
  (void)s;
  for (int i = 0; i < 3; i++)
    mem[12]++;
}
__attribute__((noinline)) static void go(int n) {
  int i = 0;
again:
  mem[13]++;
  i++;
  if (i < n)
    goto again;
}
static int cmp(const void *a, const void *b) {
  mem[14]++;
  return *(const int *)a - *(const int *)b;
}
int main(void) {
  triangle(10);
  exits(6);
  sw(20);
  mem[107] = 1;
  early(30);
  early(7);
  even(9);
  deep(4);
  go(12);
  for (volatile int k = 0; k < 4; k++)
    if (!setjmp(back))
      thrower(5);
  signal(SIGUSR1, handler);
  for (int i = 0; i < 5; i++) {
    mem[15]++;
    raise(SIGUSR1);
  }
  int v[20];
  for (int i = 0; i < 20; i++)
    v[i] = (i * 7) % 20;
  qsort(v, 20, sizeof *v, cmp);
  double x[400], y[400];
  for (int i = 0; i < 400; i++) {
    x[i] = i;
    y[i] = 0;
  }
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < 391; i++)
      y[i] += 2 * x[i];
  sink[0] = v[3] + (int)y[5];
  return 0;
}
