! Calls of `sizes` through the Fortran module, which takes sizes from the arrays.
program use_sizes
    use iso_c_binding
    use sizes_interface
    implicit none
    type(c_ptr) :: handle
    real(c_double) :: a(3, 2), c(3), q(6), r(9), s(3)
    integer :: k
    a = reshape([1, 2, 3, 4, 5, 6], [3, 2])
    c = [10, 0, 0]
    q = [100, 200, 300, 400, 500, 600]
    r = 0
    r(1) = 1000
    s = 0
    handle = sizes_initialize(3_c_int64_t)
    call run
    k = sizes_set_size_m_1(handle, 3_c_int64_t)
    call run
    k = sizes_finalize(handle)
contains
    subroutine run
        call sizes_program(handle, a, c, q, r, s, 3_c_int64_t)
        print '(i0, " ", a, 3(" ", i0))', sizes_error(handle), sizes_message(handle), int(s)
    end subroutine
end program
