! kind: nodes
! region: *
! Cells that point to numbers, each allocated alone; to parts of one array when mended.
#ifndef V
#define V 0
#endif
module cells
  implicit none
  type cell
    real(8), pointer :: heat
  end type
  integer, parameter :: n = merge(100, 10000, V == 2)
  type(cell) :: all(n)
contains
  subroutine warm(by, total)
    real(8), intent(in) :: by
    real(8), intent(inout) :: total
    integer :: i
    do i = 1, n
      total = total + all(i)%heat * by ! HERE
    end do
  end subroutine
end module

program main
  use cells
  implicit none
  real(8), allocatable, target :: pool(:)
  real(8) :: total
  integer :: i, r
  if (V == 1) allocate(pool(n))
  do i = 1, n
    if (V == 1) then
      all(i)%heat => pool(i)
    else
      allocate(all(i)%heat)
    end if
    all(i)%heat = mod(i, 9)
  end do
  total = 0
  do r = 1, merge(3000, 150, V == 2)
    call warm(real(r, 8), total)
  end do
  print *, total
end program
