! kind: fields
! region: p
! Particles as a derived type of which the step uses two components of ten.
#ifndef V
#define V 0
#endif
module particles
  implicit none
  integer, parameter :: n = merge(60, 3000, V == 2), steps = merge(2500, 50, V == 2)
  type particle
    real(8) :: x, v, mass, charge, spin, a, b, c
    integer(8) :: id, cell
  end type
  type(particle), allocatable :: p(:)
  real(8), allocatable :: px(:), pv(:)
contains
  subroutine push(dt)
    real(8), intent(in) :: dt
    integer :: i
    do i = 1, n
#if V == 1
      px(i) = px(i) + dt * pv(i)
#else
      p(i)%x = p(i)%x + dt * p(i)%v ! HERE
#endif
    end do
  end subroutine
end module
program main
  use particles
  integer :: i
  allocate (p(n), px(n), pv(n))
  do i = 1, n
    p(i) = particle(i, 0.5d0 * i, 1, 1, 0, 0, 0, 0, i, 0)
    px(i) = i
    pv(i) = 0.5d0 * i
  end do
  do i = 1, steps
    call push(1d-3)
  end do
  print *, p(7)%x + px(7)
end program
