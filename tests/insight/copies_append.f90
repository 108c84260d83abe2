! kind: copies
! region: list or bigger
! An allocatable array that grows by one block at a time; allocated once when mended.
#ifndef V
#define V 0
#endif
program append
  implicit none
  integer, parameter :: n = merge(200, 9000, V == 2), blk = merge(n, 300, V == 1)
  real(8), allocatable :: list(:)
  real(8) :: s
  integer :: r
  s = 0
  do r = 1, merge(200, 8, V == 2)
    call collect(s)
  end do
  print *, s
contains
  subroutine grow(cap)
    integer, intent(in) :: cap
    real(8), allocatable :: bigger(:)
    allocate (bigger(cap)) ! HERE
    if (allocated(list)) bigger(1:size(list)) = list ! HERE
    call move_alloc(bigger, list)
  end subroutine
  subroutine collect(s)
    real(8), intent(inout) :: s
    integer :: i
    call grow(blk)
    do i = 1, n
      if (i > size(list)) call grow(size(list) + blk)
      list(i) = i
    end do
    do i = 1, n
      s = s + list(i)
    end do
    deallocate (list)
  end subroutine
end program
