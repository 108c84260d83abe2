! kind: false sharing
! region: part
! machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
! flags: -fopenmp
! A sum for each OpenMP thread in one array; one column of eight for each thread when mended.
#ifndef V
#define V 0
#endif
program sums
  use omp_lib
  implicit none
  integer, parameter :: n = 30000, step = merge(8, 1, V == 1)
  integer, volatile :: part(0:4 * step * 2)
  integer :: i, me, mine
  save :: part
  part = 0
  call omp_set_num_threads(4)
!$omp parallel private(i, me, mine)
  me = omp_get_thread_num() * step * 2
  mine = 0
  do i = 1, n
#if V == 2
    mine = mine + mod(i, 5)
#else
    part(me) = part(me) + mod(i, 5) ! HERE
#endif
  end do
  part(me) = part(me) + mine
!$omp end parallel
  print *, part(0) + part(2 * step)
end program
