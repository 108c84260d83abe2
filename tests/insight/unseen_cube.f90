! kind: stride
! region: u
! A cube whose innermost loop runs over the last index, which is the slowest in Fortran.
#ifndef V
#define V 0
#endif
program cube
  implicit none
  integer, parameter :: n = 40
  real(8), allocatable :: u(:, :, :)
  real(8) :: s
  integer :: t
  allocate (u(n, n, n))
  u = 1
  s = 0
  do t = 1, merge(1, 8, V == 2)
    call heat(u, s)
  end do
  print *, s
contains
  subroutine heat(a, s)
    real(8), intent(inout) :: a(n, n, n), s
    integer :: i, j, k
#if V == 0
    do i = 1, n
      do j = 1, n
        do k = 1, n
          a(i, j, k) = a(i, j, k) * 0.99d0 + 0.01d0 ! HERE
        end do
      end do
    end do
#else
    do k = 1, n
      do j = 1, n
        do i = 1, n
          a(i, j, k) = a(i, j, k) * 0.99d0 + 0.01d0
        end do
      end do
    end do
#endif
    s = s + a(3, 4, 5)
  end subroutine
end program
