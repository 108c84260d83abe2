! kind: gather
! region: field
! Values are taken through a permutation; the permutation is sorted when mended.
#ifndef V
#define V 0
#endif
module mesh
  implicit none
  integer, parameter :: n = merge(250, 40000, V == 2)
  real(8), allocatable :: field(:), edge(:)
  integer, allocatable :: node(:)
contains
  subroutine collect(total)
    real(8), intent(inout) :: total
    integer :: i
    do i = 1, n
      total = total + field(node(i)) * edge(i) ! HERE
    end do
  end subroutine
end module

program main
  use mesh
  implicit none
  integer :: i, j, r, t, x
  real(8) :: total
  allocate(field(n), edge(n), node(n))
  do i = 1, n
    field(i) = i
    edge(i) = 1d0 / i
    node(i) = i
  end do
#if V != 1
  x = 7
  do i = n, 2, -1
    x = iand(x * 1103 + 12345, 1048575)
    j = mod(x, i) + 1
    t = node(i)
    node(i) = node(j)
    node(j) = t
  end do
#endif
  total = 0
  do r = 1, merge(700, 12, V == 2)
    call collect(total)
  end do
  print *, total
end program
