C     Fixed form, continued lines, modules used elsewhere, common blocks.
      module work
      type cell
        double precision, allocatable :: t(:,:)
      end type
      type(cell) :: cells(4)
      integer, allocatable :: index(:)
      real, pointer :: window(:,:)
      end module

      subroutine make(nx, ny)
      use work
      integer nx, ny, i
      allocate(index(nx*2),
     &         window(0:nx, 5)) ! -> index|window real(kind=4)|integer(kind=4) 4 24|0:12,5
      do i = 1, 4
        if (nx .gt. 3) allocate(cells(i)%t(nx, ny)) ! -> cells(i)%t real(kind=8) 8 12,7
        cells(i)%t = 1
      end do
      index = 2
      window = 3
      end subroutine

      program fixed
      use work
      integer nx, ny, i, j
      double precision grid(10, 0:5) ! -> grid real(kind=8) 8 10,0:5
      double precision, allocatable :: copy(:,:)
      double precision s
      common /mesh/ grid
      nx = 12; ny = 7
      call make(nx, ny)
      grid = 4
      copy = cells(2)%t ! -> copy real(kind=8) 8
      s = 0
      do j = 1, ny
        do i = 1, nx
          s = s + copy(i, j) + index(i) + window(i, 2)
        end do
      end do
      print *, s + grid(2, 2)
      end program
