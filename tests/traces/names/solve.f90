! Several arrays of one allocate in a main program, as for LAPACK. n is one of two
! constants, so that gfortran -O2 copies one of the four calls of malloc.
subroutine factor(n, a, b, c, ipiv)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: a(n, *), b(n, *), c(n, *)
  integer, intent(out) :: ipiv(*)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      c(i, j) = c(i, j) + a(i, j) * b(j, i)
    end do
    ipiv(j) = j
  end do
end subroutine

program solve
  implicit none
  integer :: n
  double precision, allocatable :: a(:,:), b(:,:), c(:,:)
  integer :: i, j
  integer, allocatable :: ipiv(:)
  double precision, allocatable :: first(:), second(:), third(:)
  external :: factor
  n = 40; if (command_argument_count() > 0) n = 20
  allocate(a(n,n), b(n,n), c(n,n), ipiv(n)) ! -> a&b&c&ipiv real(kind=8)|integer(kind=4) * 40,40|40
  do j = 1, n
    do i = 1, n
      a(i,j) = 1d0 / (i + 2*j) ; b(i,j) = i - j ; c(i,j) = 0
    end do
    a(j,j) = a(j,j) + n
  end do
  call factor(n, a, b, c, ipiv)
  allocate(first(n), second(2*n), &
           third(3*n)) ! -> first&second&third real(kind=8) 8 40|80|120
  first = 1; second = 2; third = 3
  call factor(3, first, second, third, ipiv)
  print *, c(3,4), a(5,5), ipiv(2), sum(third)
end program
