! Some calls of checked.c through the Fortran module.
program use_checked
    use iso_c_binding
    use checked_interface
    implicit none
    type(c_ptr) :: handle
    real(c_double) :: a(3, 4), b(3), s(1), none(4)
    a = 0
    b = 0
    s = 0
    none = 0
    handle = checked_initialize(3_c_int32_t, 4_c_int64_t, 0_c_int64_t)
    call run(3, 4)
    call run(3, -4)
    call run(-3, 4)
    call run(3, 0)
    call run(3, 4)
contains
    subroutine run(m, n)
        integer, intent(in) :: m, n
        call checked_program(handle, a, b, none, none, s, int(m, c_int32_t), int(n, c_int64_t), 0_c_int64_t)
        print '(i0, " ", a)', checked_error(handle), checked_message(handle)
    end subroutine
end program
