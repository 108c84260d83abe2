! kind: overlap
! region: *
! machine: L1 8K 2w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
! Three arrays of a power of two in one common block; some elements between them when mended.
#ifndef V
#define V 0
#endif
subroutine step(n)
  implicit none
  integer, intent(in) :: n
  integer :: i
#if V == 1
  real(8) :: u(512), e1(192), w(512), e2(192), q(512)
  common /flow/ u, e1, w, e2, q
#else
  real(8) :: u(512), w(512), q(512)
  common /flow/ u, w, q
#endif
  do i = 1, n
#if V == 2
    u(i) = u(i) * 0.5d0 + q(i)
#else
    u(i) = u(i) * 0.5d0 + w(i) * q(i) ! HERE
#endif
  end do
end subroutine
program main
  implicit none
  integer :: r
#if V == 1
  real(8) :: u(512), e1(192), w(512), e2(192), q(512)
  common /flow/ u, e1, w, e2, q
#else
  real(8) :: u(512), w(512), q(512)
  common /flow/ u, w, q
#endif
  u = 1
  w = 2
  q = 3
  do r = 1, 200
    call step(160)
  end do
  print *, u(7)
end program
