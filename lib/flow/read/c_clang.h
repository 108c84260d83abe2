/*
 * The functions of libclang's C interface that the C front end calls, loaded when a C
 * file is opened: the library and LLVM behind it take 100 MB and 20 ms to load, which no
 * other command should pay. Version 17 or later has the kinds of operators.
 */
#pragma once

#include <stdbool.h>

#include <clang-c/Index.h>

#include "lib/base/err.h"

/* clang-format off */
#define ML_CLANG_FUNCTIONS(X) \
	X(createIndex) X(disposeIndex) X(parseTranslationUnit2) \
	X(disposeTranslationUnit) X(getNumDiagnostics) X(getDiagnostic) \
	X(disposeDiagnostic) X(getDiagnosticSeverity) X(getDiagnosticSpelling) \
	X(getDiagnosticLocation) X(getCString) X(disposeString) \
	X(getTranslationUnitCursor) X(visitChildren) X(getCursorKind) \
	X(getCursorSpelling) X(getCursorType) X(getCursorLocation) \
	X(getCursorReferenced) X(getCursorDefinition) X(getCanonicalCursor) \
	X(equalCursors) X(isExpression) X(isCursorDefinition) X(getExpansionLocation) \
	X(Location_isFromMainFile) X(getCanonicalType) X(getArrayElementType) \
	X(getArraySize) X(getPointeeType) X(Type_getSizeOf) X(getTypeSpelling) \
	X(getCursorBinaryOperatorKind) X(getCursorUnaryOperatorKind) \
	X(Cursor_Evaluate) X(EvalResult_getKind) X(EvalResult_getAsLongLong) \
	X(EvalResult_dispose) X(getEnumConstantDeclValue) X(Cursor_getOffsetOfField) \
	X(Cursor_getNumArguments) X(Cursor_getArgument) X(Cursor_isNull) \
	X(getNullCursor) X(getTypeDeclaration) X(isConstQualifiedType) \
	X(getFileName) X(Cursor_getVarDeclInitializer) X(getTypedefDeclUnderlyingType) \
	X(isRestrictQualifiedType) X(Cursor_getStorageClass) X(getCursorSemanticParent) \
	X(tokenize) X(disposeTokens) X(getTokenSpelling) X(getTokenLocation) \
	X(getCursorExtent)
/* clang-format on */

struct ml_clang {
#define X(name) __typeof__(clang_##name) *name;
	ML_CLANG_FUNCTIONS(X)
#undef X
};

/* Loads it once; any thread may call it. NULL with a sentence. */
const struct ml_clang *ml_clang_load(struct ml_err *err);
