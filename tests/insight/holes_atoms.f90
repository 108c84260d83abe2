! kind: holes
! region: atoms
! A flag before each coordinate: the compiler pads it to eight bytes.
#ifndef V
#define V 0
#endif
module work
  implicit none
#if V == 2
  integer, parameter :: n = 100, steps = 200
#else
  integer, parameter :: n = 5000, steps = 20
#endif
  type atom
#if V == 1
    real(8) :: x, y
    logical(1) :: moves, counts
    integer(2) :: kind, group
#else
    logical(1) :: moves
    real(8) :: x
    logical(1) :: counts
    real(8) :: y
    integer(2) :: kind
    integer(2) :: group
#endif
  end type
  type(atom), save :: atoms(n)
contains
  function push(t) result(s)
    integer, intent(in) :: t
    real(8) :: s
    integer :: i
    s = 0
    do i = 1, n ! HERE
      if (atoms(i)%moves) atoms(i)%x = atoms(i)%x + t ! HERE
      if (atoms(i)%counts) s = s + atoms(i)%x * atoms(i)%y ! HERE
      s = s + atoms(i)%kind + atoms(i)%group ! HERE
    end do
  end function
end module
program main
  use work
  integer :: t
  real(8) :: s
  s = 0
  do t = 1, n
    atoms(t)%moves = .true.
    atoms(t)%counts = .true.
    atoms(t)%x = t
    atoms(t)%y = 1
    atoms(t)%kind = 2
    atoms(t)%group = 3
  end do
  do t = 1, steps
    s = s + push(t)
  end do
  print *, s
end program
