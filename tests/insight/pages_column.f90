! kind: pages or stride
! region: a
! machine: L1 32K 8w 64B 4c | L2 256K 8w 8c | L3 8M 16w 12c | memory 200c | TLB 16e 4w 4K | TLB2 64e 4w 7c | walk 60c
! One row of a matrix with long columns: each element is in another page.
#ifndef V
#define V 0
#endif
program column
  implicit none
  integer, parameter :: n = merge(8, 520, V == 1), m = merge(12, 200, V == 2)
  real(8), allocatable :: a(:, :)
  real(8) :: s
  integer :: i, r
  allocate (a(n, m))
  do i = 1, m
    a(3, i) = i
  end do
  s = 0
  do r = 1, 60 * 200 / m
    do i = 1, m
      s = s + a(3, i) ! HERE
    end do
  end do
  print *, s
end program
