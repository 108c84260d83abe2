! Allocatable arrays, pointers, module and common variables of Fortran.
! "-> name type bytes shape": the shape as a programmer says it, with lower bounds.
module grids
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), allocatable :: field(:,:)
  integer :: table(0:3, 10) ! -> table? integer(kind=4) 4 0:3,10
  type level
    real(dp), allocatable :: u(:,:)
    integer, pointer :: map(:)
  end type
  type(level) :: coarse
contains
  subroutine setup(n)
    integer, intent(in) :: n
    allocate(field(0:n+1, -1:n)) ! -> field real(kind=8) 8 0:31,-1:30
    field = 1
    allocate(coarse%u(n, 2*n)) ! -> coarse%u real(kind=8) 8 30,60
    allocate(coarse%map(n)) ! -> coarse%map integer(kind=4) 4 30
    coarse%u = 2; coarse%map = 3
    table = 4
  end subroutine
  subroutine local(n, s)
    integer, intent(in) :: n
    real(dp), intent(out) :: s
    real(dp), allocatable :: work(:), next(:,:)
    complex, pointer :: wave(:)
    integer :: i
    allocate(work(n), next(n, n)) ! -> work|next real(kind=8) 8 30|30,30
    allocate(wave(n)); work = 5; next = 6 ! -> wave complex(kind=4) 8
    wave = 1
    s = 0
    do i = 1, n
      s = s + work(i) + next(i, 3) + real(wave(i))
    end do
    deallocate(work, next, wave)
  end subroutine
  subroutine automatic(n, s)
    integer, intent(in) :: n
    real(dp), intent(inout) :: s
    real(dp) :: bar(n), scratch(n, 4) ! -> bar|scratch real(kind=8) 8 30|30,4
    integer, dimension(0:n, 2) :: order ! -> order integer(kind=4) 4 0:30,2
    character(len=12), allocatable :: words(:)
    allocate(words(n)) ! -> words? character(len=12) 12 30
    words = 'abc'
    bar = s; scratch = 2; order = n
    s = s + sum(bar) + sum(scratch) + sum(order) + len_trim(words(n / 2))
  end subroutine
end module

program stencil
  use grids
  implicit none
  real, allocatable :: u(:,:)
  real(dp), allocatable :: hot(:,:), zero(:,:)
  real(dp) :: shared(20, 10) ! -> shared real(kind=8) 8 20,10
  real(dp) :: s
  integer :: i, j, n
  common /block/ shared
  n = 30
  call setup(n)
  allocate(u(n, &
           40)) ! -> u real(kind=4) 4 30,40
  allocate(hot(40, 30), zero(40, 30)) ! -> hot|zero real(kind=8) 8 40,30
  zero = 0; hot = 8
  call local(n, s)
  call automatic(n, s)
  do j = 1, 40
    do i = 1, n
      u(i, j) = real(i + j)
    end do
  end do
  shared = 7
  s = s + sum(hot) + sum(zero)
  print *, s + u(3, 4) + field(2, 2) + shared(2, 3) + coarse%u(1, 1) + coarse%map(2) + table(2, 2)
end program
