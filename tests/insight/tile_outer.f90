! kind: tile
! region: table
! Each point is compared with the whole table; the table goes through the cache once a point.
program outer
  implicit none
#ifndef V
#define V 0
#endif
#if V == 2
  integer, parameter :: n = 400, m = 2000
#else
  integer, parameter :: n = 9000, m = 150
#endif
  real(8), save :: table(n), point(m), best(m)
  integer :: i, j, k
  do j = 1, n
    table(j) = mod(j * 7919, 1000)
  end do
  do i = 1, m
    point(i) = i * 3
    best(i) = 1d9
  end do
#if V == 1
  do k = 1, n, 450
    do i = 1, m
      do j = k, k + 449
        best(i) = min(best(i), abs(table(j) - point(i)))
      end do
    end do
  end do
#else
  k = 0
  do i = 1, m
    do j = 1, n
      best(i) = min(best(i), abs(table(j) - point(i))) ! HERE
    end do
  end do
#endif
  print *, sum(best)
end program
