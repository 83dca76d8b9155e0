! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A region in each kind of procedure: of a module and of its submodule, outside both, within others, the program itself.
! With 2 threads each critical adds 2: 2 * (5050 + 100) + 2 + 2 + 98 + 100 - 100 = 10402.
module loom
  implicit none
  interface
    module subroutine tie(threads)
      integer, intent(inout) :: threads(:)
    end subroutine
  end interface
contains
  subroutine weave(threads)
    integer, intent(inout) :: threads(:)
    integer :: i
    !$omp parallel do schedule(dynamic) ! // mark: module
    do i = 1, size(threads)
      threads(i) = i
    end do
    call beat(threads)
  contains
    subroutine beat(weft)
      integer, intent(inout) :: weft(:)
      integer :: i
      !$omp parallel do schedule(dynamic) ! // mark: within
      do i = 1, size(weft)
        weft(i) = weft(i) + 1
      end do
    end subroutine
  end subroutine
end module

submodule (loom) knots
contains
  module subroutine tie(threads)
    integer, intent(inout) :: threads(:)
    integer :: i
    !$omp parallel do schedule(dynamic) ! // mark: submodule
    do i = 1, size(threads)
      threads(i) = 2 * threads(i)
    end do
    call pull(threads)
  end subroutine

  subroutine pull(threads)
    integer, intent(inout) :: threads(:)
    !$omp parallel ! // mark: submodule's own
    !$omp critical
    threads(1) = threads(1) + 1
    !$omp end critical
    !$omp end parallel
  end subroutine
end submodule

subroutine spin(threads, count)
  implicit none
  integer, intent(in) :: count
  integer, intent(inout) :: threads(count)
  integer :: i
  !$omp parallel ! // mark: outside
  !$omp critical
  threads(2) = threads(2) + 1
  !$omp end critical
  !$omp do schedule(dynamic)
  do i = 3, count
    threads(i) = threads(i) + 1
  end do
  !$omp end parallel
end subroutine

program cloth
  use loom
  implicit none
  integer :: threads(100), i
  call weave(threads)
  call tie(threads)
  call spin(threads, size(threads))
  !$omp parallel do schedule(dynamic) ! // mark: program
  do i = 1, 100
    threads(i) = threads(i) + 1
  end do
  call cut(threads)
  print '(i0)', sum(threads)
contains
  subroutine cut(threads)
    integer, intent(inout) :: threads(:)
    integer :: i
    !$omp parallel do schedule(dynamic) ! // mark: program's own
    do i = 1, size(threads)
      threads(i) = threads(i) - 1
    end do
  end subroutine
end program
