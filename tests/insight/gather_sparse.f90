! kind: gather
! region: x
! A sparse matrix times a vector, with columns in random order; bands when mended.
#ifndef V
#define V 0
#endif
program sparse
  implicit none
#if V == 2
  integer, parameter :: n = 600, m = 300, rounds = 1500
#else
  integer, parameter :: n = 20000, m = 15000, rounds = 30
#endif
  real(8), save :: x(n), val(m)
  real(8) :: s
  integer, save :: col(m)
  integer :: i, r, k
  integer(8) :: seed
  seed = 11
  do i = 1, n
    x(i) = i
  end do
  do i = 1, m
    seed = mod(seed * 1103515245_8 + 12345_8, 2147483648_8)
    col(i) = int(mod(seed / 16, int(n, 8))) + 1
#if V == 1
    col(i) = i + i / 3
#endif
    val(i) = i
  end do
  s = 0
  do r = 1, rounds
    do k = 1, m
      s = s + val(k) * x(col(k)) ! HERE
    end do
  end do
  print *, s
end program
