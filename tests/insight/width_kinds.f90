! kind: value width
! region: kinds
! options: --values
! The kind of each cell is a number up to 1000 in eight bytes; in two when mended.
#ifndef V
#define V 0
#endif
module work
  implicit none
#if V == 1
  integer, parameter :: k = 2
#else
  integer, parameter :: k = 8
#endif
#if V == 2
  integer, parameter :: n = 500
#else
  integer, parameter :: n = 50000
#endif
  integer(k), save :: kinds(n)
contains
  subroutine sort_out()
    integer :: i
    do i = 1, n ! HERE
      kinds(i) = int(mod(i * 13, 1000), k) ! HERE
    end do
  end subroutine
  function count_of(which) result(c)
    integer, intent(in) :: which
    integer :: c, i
    c = 0
    do i = 1, n ! HERE
      if (kinds(i) > which) c = c + 1 ! HERE
    end do
  end function
end module
program main
  use work
  integer :: c, which
  c = 0
  call sort_out()
  do which = 1, 3
    c = c + count_of(which)
    kinds(which) = 5
  end do
  print *, c
end program
