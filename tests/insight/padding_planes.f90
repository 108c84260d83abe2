! kind: padding or stride
! region: a
! Twelve columns of 1024 bytes are used side by side: all start in the same set.
#ifndef V
#define V 0
#endif
module planes
  implicit none
  integer, parameter :: n = 128, m = merge(6, 12, V == 2)
  real(8), save :: a(n + merge(8, 0, V == 1), m), s(n)
contains
  subroutine add()
    integer :: i, k
    do i = 1, n
      do k = 1, m
        s(i) = s(i) + a(i, k) ! HERE
      end do
    end do
  end subroutine
end module
program main
  use planes
  integer :: r
  a = 2
  do r = 1, 60
    call add()
  end do
  print *, sum(s)
end program
