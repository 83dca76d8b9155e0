/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file fortran_names.h
 * What Fortran compilers call the procedures of modules, and procedures within others:
 *   gfortran   __module_MOD_procedure; inner.0 within another one
 *   flang      _QMmodulePprocedure, _QMmoduleSsubmodulePprocedure; _QFouterPinner, _QMmoduleFouterPinner; _QQmain
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_FORTRAN_NAMES_H
#define HEDDLE_OUTPUT_SYMBOLS_FORTRAN_NAMES_H

/** "module::procedure"; of a procedure within another one its own name. NULL: it is no such name. The caller frees. */
char *hd_fortran_name(const char *linkage_name);

#endif
