! Calls `converge`, whose loop the device ends, three times through its Fortran module, and prints what its GPU graph counts.
program graphs
    use, intrinsic :: iso_c_binding
    use converge_interface
    implicit none
    integer(c_int64_t), parameter :: n = 40
    real(c_double) :: a(n), b(n), err(1)
    type(c_ptr) :: handle, address
    type(converge_graph_info), pointer :: infos(:)
    integer(c_int) :: count
    integer :: call, i

    handle = converge_initialize(n)
    if (.not. c_associated(handle)) stop 1
    do call = 1, 3
        a = [((i / 39d0)**2, i = 0, 39)]
        b = 0
        call converge_program(handle, a, b, err, n, 200_c_int64_t, merge(6d-4, 5d-4, call < 3))
        if (converge_error(handle) /= 0) then
            print '(a)', converge_message(handle)
            stop 1
        end if
    end do
    count = -1
    address = converge_gpu_graphs(handle, count)
    call c_f_pointer(address, infos, [count])
    do i = 1, count
        print '(a)', 'name ' // text(infos(i)%name)
        print '(a, i0)', 'entries ', infos(i)%entries
        print '(a, i0)', 'builds ', infos(i)%builds
        print '(a, i0)', 'launches ', infos(i)%launches
        print '(a, i0)', 'updates ', infos(i)%updates
        print '(a, i0)', 'nodes_last ', infos(i)%nodes_last
        print '(a, i0)', 'used_last ', infos(i)%used_last
        print '(a, i0)', 'host_path ', infos(i)%host_path
        print '(a, i0)', 'iterations_last ', infos(i)%iterations_last
        print '(a, i0)', 'evictions ', infos(i)%evictions
        print '(a)', 'last_reason "' // text(infos(i)%last_reason) // '"'
    end do
    stop converge_finalize(handle)
contains
    function text(address) result(characters)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: characters
        character(kind=c_char), pointer :: at(:)
        integer :: length
        call c_f_pointer(address, at, [1000])
        length = 0
        do while (at(length + 1) /= c_null_char)
            length = length + 1
        end do
        allocate(character(len=length) :: characters)
        do length = 1, len(characters)
            characters(length:length) = at(length)
        end do
    end function
end program
