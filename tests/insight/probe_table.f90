! kind: probes
! region: keys
! A hash table that is sixteen times as large as its keys need; twice as large when mended.
#ifndef V
#define V 0
#endif
module hashing
  implicit none
  integer, parameter :: n = merge(100, 400, V == 2)
  integer, parameter :: slots = merge(256, merge(1024, 16384, V == 1), V == 2)
  integer(8), save :: keys(0:slots - 1)
contains
  integer function place(key)
    integer(8), intent(in) :: key
    integer(8) :: h
    h = iand(key * 40503_8, 2147483647_8)
    place = int(iand(h / 16, int(slots - 1, 8)))
  end function
  subroutine insert(key)
    integer(8), intent(in) :: key
    integer :: h
    h = place(key)
    do while (keys(h) /= 0)
      h = iand(h + 1, slots - 1)
    end do
    keys(h) = key
  end subroutine
  logical function has(key)
    integer(8), intent(in) :: key
    integer :: h
    h = place(key)
    do while (keys(h) /= 0 .and. keys(h) /= key) ! HERE
      h = iand(h + 1, slots - 1)
    end do
    has = keys(h) == key ! HERE
  end function
end module
program main
  use hashing
  integer :: i, found
  integer(8) :: x
  x = 7
  found = 0
  do i = 1, n
    call insert(i * 977_8 + 1)
  end do
  do i = 1, 150000
    x = mod(x * 1103515245_8 + 12345_8, 2147483648_8)
    if (has((mod(x / 256, int(n, 8)) + 1) * 977_8 + 1)) found = found + 1
  end do
  print *, found
end program
