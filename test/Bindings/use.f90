! Calls `kinds` through its Fortran module; prints the same lines as use.c. Row-major arrays have their extents in reverse here.
module callbacks
    use, intrinsic :: iso_c_binding
    implicit none
contains
    function blend(element, all) result(mixed) bind(C)
        real(c_double), value :: element
        real(c_double), intent(in) :: all(4)
        real(c_double) :: mixed
        mixed = 1000 * element + all(4)
    end function
end module

program use
    use, intrinsic :: iso_c_binding
    use kinds_interface
    use callbacks
    implicit none
    integer(c_int32_t), parameter :: n = 4, k = 2
    integer(c_int64_t), parameter :: m = 3
    real(c_double) :: a(3, 4), w(4), returned(3)
    real(c_double), target :: val(2)
    integer(c_int32_t), target :: ptr(3) = [5, 6, 7]
    real(c_float) :: f(4, 3), v(4, 2)
    integer(c_int16_t) :: h(4)
    logical(c_bool) :: l(4)
    type(Point) :: p(2)
    type(Csr) :: s
    complex(c_double_complex) :: z(4)
    integer(c_int8_t), allocatable, target :: memory(:)
    type(c_ptr) :: handle
    integer :: i, j

    do i = 1, 4
        do j = 1, 3
            a(j, i) = 10 * (i - 1) + j - 1
        end do
        l(i) = mod(i, 2) == 1
        z(i) = i
    end do
    w = 0.5
    h = int(z'3c00', c_int16_t)
    do i = 1, 2
        p(i)%x = i - 1
        p(i)%n = i - 1
        v(:, i) = [(4 * (i - 1) + j, j = 0, 3)]
    end do
    s%ptr = c_loc(ptr)
    s%rows = k
    s%val = c_loc(val)

    handle = kinds_initialize(k, m, n, c_funloc(blend))
    if (.not. c_associated(handle)) stop 1
    allocate(memory(kinds_size_CPU_Heap(handle, k, m, n, c_funloc(blend))))
    call kinds_set_CPU_Heap(handle, c_loc(memory), k, m, n, c_funloc(blend))
    call kinds_program(handle, a, f, h, l, p, s, v, w, z, returned, k, m, n, c_funloc(blend), (0d0, 1d0), (2.0, 0.0), &
                       .true._c_bool, int(z'4000', c_int16_t), 3_c_int8_t, 2d0)
    if (kinds_error(handle) /= 0) then
        print '(a)', kinds_message(handle)
        stop 1
    end if
    if (len(kinds_message(handle)) /= 0) stop 1
    print '(a, i0)', 'external ', size(memory)
    print '(a, i0, 1x, i0)', 'F ', nint(f(1, 2)), nint(f(4, 3))
    print '(a, i0)', 'H ', h(1)
    print '(a, i0, 1x, i0)', 'L ', merge(1, 0, l(1)), merge(1, 0, l(2))
    print '(a, f3.1, 1x, i0)', 'P ', p(2)%x, p(2)%n
    print '(a, i0)', 'V ', nint(v(4, 2))
    print '(a, i0, 1x, i0)', 'Z ', nint(real(z(2))), nint(aimag(z(2)))
    print '(a, i0, 1x, i0)', 'S ', nint(val(1)), nint(val(2))
    print '(a, f5.1, 2(1x, f7.1))', 'result ', returned
    call kinds_program(handle, a, f, h, l, p, s, v, z=z, returned=returned, K=k, M=m, N=n, blend=c_funloc(blend), c=(0d0, 1d0), &
                       c32=(2.0, 0.0), flag=.true._c_bool, h_1=int(z'4000', c_int16_t), k_1=3_c_int8_t, x=2d0)
    print '(a, i0)', 'without ', nint(returned(1))
    stop kinds_finalize(handle)
end program
