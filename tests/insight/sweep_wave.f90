! kind: sweep
! region: u
! A wave on a line, sweep by sweep, in place.
#ifndef V
#define V 0
#endif
program wave
  implicit none
#if V == 2
  integer, parameter :: n = 800, sweeps = 500
#else
  integer, parameter :: n = 13000, sweeps = 32
#endif
  real(8), save :: u(n)
  integer :: i, t
  do i = 1, n
    u(i) = mod(i, 13)
  end do
  do t = 1, sweeps
#if V == 1
    if (mod(t, 2) == 0) then
      do i = n, 2, -1
        u(i) = u(i) * 0.5d0 + u(i - 1) * 0.25d0
      end do
      cycle
    end if
#endif
    do i = 2, n
      u(i) = u(i) * 0.5d0 + u(i - 1) * 0.25d0 ! HERE
    end do
  end do
  print *, sum(u)
end program
