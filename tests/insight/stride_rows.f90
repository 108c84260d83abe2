! kind: stride
! region: a
! Fortran stores columns; the inner loop goes along a row.
#ifndef V
#define V 0
#endif
program rows
  implicit none
  integer, parameter :: n = 200
#if V == 2
  integer, parameter :: rounds = 1
#else
  integer, parameter :: rounds = 6
#endif
  real(8), save :: a(n, n), s(n)
  integer :: i, j, r
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i * j, 17)
    end do
  end do
  do r = 1, rounds
#if V == 1
  do j = 1, n
    do i = 1, n
      a(i, j) = a(i, j) * 0.5d0 + r
    end do
  end do
#elif V == 2
  do j = 1, n
    do i = 1, n
      s(i) = s(i) + a(i, j)
    end do
  end do
#else
  do i = 1, n
    do j = 1, n
      a(i, j) = a(i, j) * 0.5d0 + r ! HERE
    end do
  end do
#endif
  end do
  print *, sum(s) + a(3, 4)
end program
