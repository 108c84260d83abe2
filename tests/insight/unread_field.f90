! kind: never read
! region: energy
! A diagnostic of each cell is stored in each step; the report that used it is gone.
#ifndef V
#define V 0
#endif
module work
  implicit none
#if V == 2
  integer, parameter :: n = 500, steps = 200
#else
  integer, parameter :: n = 20000, steps = 8
#endif
  real(8), save :: u(n), energy(n)
contains
  subroutine advance(t)
    integer, intent(in) :: t
    integer :: i
    do i = 2, n - 1
      u(i) = u(i) + 0.1d0 * (u(i - 1) - u(i + 1)) + t
    end do
  end subroutine
  subroutine diagnose(t)
    integer, intent(in) :: t
    integer :: i
#if V != 1
    do i = 1, n ! HERE
      energy(i) = 0.5d0 * t + i ! HERE
    end do
#endif
  end subroutine
end module
program main
  use work
  integer :: t
  real(8) :: s
  s = 0
  u = 1
  do t = 1, steps
    call advance(t)
    call diagnose(t)
#if V == 2
    s = s + sum(energy)
#endif
  end do
  print *, s + sum(u)
end program
