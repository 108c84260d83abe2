! kind: fuse
! region: p
! A pressure is computed in one loop and used in the next.
#ifndef V
#define V 0
#endif
module fields
  implicit none
#if V == 2
  integer, parameter :: n = 250, steps = 700
#else
  integer, parameter :: n = 12000, steps = 14
#endif
  real(8), save :: p(n), q(n), w(n)
contains
  subroutine advance(t)
    integer, intent(in) :: t
    integer :: i
#if V == 1
    do i = 1, n
      p(i) = q(i) * 0.5d0 + t
      w(i) = w(i) + p(i) * p(i)
    end do
#else
    do i = 1, n
      p(i) = q(i) * 0.5d0 + t
    end do
    do i = 1, n
      w(i) = w(i) + p(i) * p(i) ! HERE
    end do
#endif
  end subroutine
end module
program main
  use fields
  integer :: t, i
  do i = 1, n
    q(i) = mod(i, 11)
  end do
  do t = 1, steps
    call advance(t)
  end do
  print *, w(7)
end program
