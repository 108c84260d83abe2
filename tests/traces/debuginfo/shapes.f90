! Static storage of Fortran: a module's array, a saved local, a common block.
module data
	real(8) :: grid(10, 20)
end module

subroutine work(i)
	use data
	integer, save :: local(3000)
	real :: shared(5, 7)
	common /block/ shared
	local(i) = i
	shared(i, 1) = 1
	grid(i, 2) = local(i) + shared(1, i)
end subroutine

program main
	call work(3)
end program
