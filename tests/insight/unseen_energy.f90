! kind: fuse
! region: v or m
! Energy and momentum are summed in two loops over the same two arrays; in one loop when mended.
#ifndef V
#define V 0
#endif
module observe
  implicit none
  integer, parameter :: n = merge(400, 50000, V == 2)
  real(8), allocatable :: m(:), v(:)
contains
  subroutine totals(energy, momentum)
    real(8), intent(out) :: energy, momentum
    real(8) :: e, p
    integer :: i
    e = 0
    p = 0
#if V == 1
    do i = 1, n
      e = e + 0.5d0 * m(i) * v(i) * v(i)
      p = p + m(i) * v(i)
    end do
#else
    do i = 1, n ! HERE
      e = e + 0.5d0 * m(i) * v(i) * v(i) ! HERE
    end do
    do i = 1, n ! HERE
      p = p + m(i) * v(i) ! HERE
    end do
#endif
    energy = e
    momentum = p
  end subroutine
end module

program main
  use observe
  implicit none
  real(8) :: e, p, s
  integer :: i, t
  allocate (m(n), v(n))
  do i = 1, n
    m(i) = 1d0 + mod(i, 5)
    v(i) = mod(i, 17) - 8d0
  end do
  s = 0
  do t = 1, merge(600, 6, V == 2)
    v(mod(t * 11, n) + 1) = t
    call totals(e, p)
    s = s + e - p
  end do
  print *, s
end program
