! kind: same lines
! region: sample
! machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
! flags: -fopenmp
! Each thread reads all samples and adds those of its own bin; a part of them when mended.
#ifndef V
#define V 0
#endif
module work
  implicit none
#if V == 2
  integer, parameter :: n = 400, rounds = 100
#else
  integer, parameter :: n = 50000, rounds = 1
#endif
  real(8), save :: sample(n)
contains
  function bin(me, first, last) result(s)
    integer, intent(in) :: me, first, last
    real(8) :: s
    integer :: i
    s = 0
    do i = first, last ! HERE
      if (mod(int(sample(i)), 4) == me) s = s + sample(i) ! HERE
    end do
  end function
end module
program main
  use work
  integer :: me, r
  real(8) :: s
  s = 0
  do me = 1, n
    sample(me) = me
  end do
!$omp parallel do num_threads(4) schedule(static, 1) reduction(+:s) private(r)
  do me = 0, 3
    do r = 1, rounds
#if V == 1
      s = s + bin(me, me * (n / 4) + 1, (me + 1) * (n / 4))
#else
      s = s + bin(me, 1, n)
#endif
    end do
  end do
!$omp end parallel do
  print *, s
end program
