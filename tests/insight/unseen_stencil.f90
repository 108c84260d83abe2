! kind: stride
! region: u or w
! A stencil of seven points whose innermost loop runs over the last index; over the first when
! mended.
#ifndef V
#define V 0
#endif
module diffusion
  implicit none
  integer, parameter :: n = merge(7, 34, V == 2)
contains
  subroutine step(from, to)
    real(8), intent(in) :: from(n, n, n)
    real(8), intent(inout) :: to(n, n, n)
    integer :: i, j, k
#if V == 0
    do i = 2, n - 1
      do j = 2, n - 1
        do k = 2, n - 1
#else
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
#endif
          to(i, j, k) = 0.4d0 * from(i, j, k) + 0.1d0 * (from(i - 1, j, k) + & ! HERE
              from(i + 1, j, k) + from(i, j - 1, k) + from(i, j + 1, k) + & ! HERE
              from(i, j, k - 1) + from(i, j, k + 1)) ! HERE
        end do
      end do
    end do
  end subroutine
end module

program main
  use diffusion
  implicit none
  real(8), allocatable :: u(:, :, :), w(:, :, :)
  integer :: t
  allocate (u(n, n, n), w(n, n, n))
  u = 1
  u(3, 3, 3) = 100
  w = u
  do t = 1, merge(200, 4, V == 2)
    call step(u, w)
    call step(w, u)
  end do
  print *, u(3, 3, 3), u(4, 4, 4)
end program
