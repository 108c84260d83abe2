! kind: write allocate
! region: field
! A field is computed as a whole and written as a whole; plane by plane when mended.
#ifndef V
#define V 0
#endif
module work
  use iso_c_binding
  implicit none
  integer, parameter :: n = 512, planes = 200
  interface
    function c_open(path, flags) bind(c, name='open')
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: flags
      integer(c_int) :: c_open
    end function
    function c_write(file, data, bytes) bind(c, name='write')
      import
      integer(c_int), value :: file
      real(8), intent(in) :: data(*)
      integer(c_size_t), value :: bytes
      integer(c_size_t) :: c_write
    end function
  end interface
#if V == 0
  real(8), save :: field(n, planes)
#else
  real(8), save :: field(n / 2, 2)
#endif
contains
  subroutine compute(part, p)
    real(8), intent(out) :: part(n)
    integer, intent(in) :: p
    integer :: i
    do i = 1, n ! HERE
      part(i) = i * 0.5d0 + p ! HERE
    end do
  end subroutine
end module
program main
  use work
  integer :: p, file
  integer(c_size_t) :: done
  real(8) :: s
  s = 0
  file = c_open('/dev/null' // c_null_char, 1)
  do p = 1, planes
#if V == 0
    call compute(field(:, p), p)
#else
    call compute(field, p)
    done = c_write(file, field, int(8 * n, c_size_t))
#if V == 2
    s = s + sum(field)
#endif
#endif
  end do
#if V == 0
  done = c_write(file, field, int(8 * n * planes, c_size_t))
#endif
  print *, s, done
end program
