! kind: first touch
! region: u
! machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c | remote 320c
! flags: -fopenmp
! The array is set in a serial loop and used in a parallel one.
#ifndef V
#define V 0
#endif
module work
  implicit none
#if V == 2
  integer, parameter :: n = 64, planes = 64
#else
  integer, parameter :: n = 2048, planes = 160
#endif
  real(8), save :: u(n, planes)
contains
  subroutine set(p)
    integer, intent(in) :: p
    u(:, p) = p ! HERE
  end subroutine
  subroutine smooth(p)
    integer, intent(in) :: p
    integer :: i, row, plane
    integer(8) :: at
    at = p
    do i = 1, 3000 ! any order, so that nothing else helps
      at = mod(at * 16807_8, 2147483647_8)
      row = 1 + int(mod(at, int(n, 8)))
      plane = 1 + int(mod(at / n, int(planes / 4, 8))) + (p - 1) / (planes / 4) * (planes / 4)
      u(row, plane) = u(row, plane) + i
    end do
  end subroutine
end module
program main
  use work
  integer :: p, t
#if V == 1
!$omp parallel do num_threads(4) schedule(static)
#endif
  do p = 1, planes
    call set(p)
  end do
  do t = 1, 1
!$omp parallel do num_threads(4) schedule(static)
    do p = 1, planes
      call smooth(p)
    end do
  end do
  print *, u(2, planes)
end program
