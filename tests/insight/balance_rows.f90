! kind: imbalance
! region: *
! machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
! flags: -fopenmp
! The work of a row grows with its number; the last thread has most of it.
#ifndef V
#define V 0
#endif
module work
  implicit none
  integer, parameter :: n = 320
  real(8), save :: a(n, n)
contains
  subroutine update(row)
    integer, intent(in) :: row
    integer :: i, last
    last = row
#if V == 2
    last = n / 2
#endif
    do i = 1, last ! HERE
      a(i, row) = a(i, row) * 0.5d0 + i ! HERE
    end do
  end subroutine
end module
program main
  use work
  use omp_lib
  integer :: k, row, me
!$omp parallel num_threads(5) private(k, row, me)
  me = omp_get_thread_num() - 1
  if (me >= 0) then
    do k = 0, n / 4 - 1
#if V == 1
      row = k * 4 + me + 1
#else
      row = me * (n / 4) + k + 1
#endif
      call update(row)
    end do
  end if
!$omp end parallel
  print *, a(1, n)
end program
