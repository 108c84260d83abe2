! kind: cleared
! region: f
! An array is set to zero before each step writes all of it.
#ifndef V
#define V 0
#endif
module work
  implicit none
#if V == 2
  integer, parameter :: n = 400, steps = 400
#else
  integer, parameter :: n = 16000, steps = 14
#endif
  real(8), save :: f(n), g(n)
contains
  subroutine clear()
#if V != 1
    f = 0 ! HERE
#endif
  end subroutine
  subroutine fill(t)
    integer, intent(in) :: t
    integer :: i
    do i = 1, n
#if V == 2
      f(i) = f(i) + g(i) * t
#else
      f(i) = g(i) * t
#endif
    end do
  end subroutine
end module
program main
  use work
  integer :: t
  real(8) :: s
  s = 0
  g = 3
  do t = 1, steps
    call clear()
    call fill(t)
    s = s + sum(f)
  end do
  print *, s
end program
